"""What happened in the world that an integrator would want to hear of: the matter of the events interface.

A world keeps it for a client as long as somebody listens, and no more of it than the latest.
"""

from __future__ import annotations

from typing import Any

from confsim.assumptions import events as assumed
from confsim.assumptions.events import Kind
from confsim.assumptions.register import ask, note, value_of
from confsim.domain.clients.clients import CLIENTS
from confsim.kernel.table import Record, Table
from confsim.kernel.world import Change

from . import deliveries, endpoints


class Happening(Record, kw_only=True):
    """One thing that happened to a client; ``number`` counts them, ``at`` is the instant in epoch milliseconds."""

    number: int
    id: str
    client: str
    kind: Kind
    at: int
    payload: dict[str, Any]


HAPPENINGS: Table[int, Happening] = Table("happenings", Happening, "number")


def happened(change: Change, client: str, kind: Kind, /, **payload: Any) -> None:
    """Note what happened, for a client whose events are on and who has an active endpoint, and deliver it (G533).

    ``payload`` are JSON values: ids of the things concerned, and what else tells about it.
    """
    if not _heard(change, client) or kind not in ask(change, assumed.KINDS):
        return
    rows = HAPPENINGS.of(change, client)
    number = change.count(f"happening {client}")
    id = change.uuid()
    rows.put(Happening(number=number, id=id, client=client, kind=kind, at=change.now, payload=payload))
    past = number - ask(change, assumed.EVENTS_STORED)
    if past in rows:
        rows.remove(past)
    if CLIENTS.of(change)[client].events:
        deliveries.deliver(change, client, kind, id, payload)


def _heard(change: Change, client: str) -> bool:
    heard = endpoints.subscribed(change, client) and CLIENTS.of(change)[client].events
    if not heard and value_of(change, assumed.RECORDED) != "always":
        return False
    note(change, assumed.RECORDED)
    return True


def listed(change: Change, client: str) -> list[Happening]:
    """What happened to the client, as far as it is kept, newest last."""
    return HAPPENINGS.of(change, client).oldest()
