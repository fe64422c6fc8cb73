"""The service of clients being switched, and what that does to what runs in their channels."""

from __future__ import annotations

from confsim.assumptions import clients as assumed_clients
from confsim.assumptions.register import ask
from confsim.domain import repeats
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client, Service
from confsim.kernel.world import Change


def switch(change: Change, client: Client, event: str, by: Client | None = None) -> Client:
    """Enable or disable the client's service (R109-R112).

    ``by`` is the client of the Partner Admin who calls, None for the service operator. Refusals: NOT_PARENT,
    STATE_HOLDS where repeating a state is refused (G537).
    """
    switched = clients.switch_service(change, client, event, by)
    holds = switched.service is client.service
    repeats.allow(change, event, holds=holds)
    if not holds and switched.service is Service.DISABLED and ask(change, assumed_clients.DISABLE_ENDS) == "sessions":
        for each in clients.descendants(change, switched):
            for channel in list(CHANNELS.of(change, each.id)):
                channels.stop(change, channel)
    return switched
