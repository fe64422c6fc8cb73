"""Guests: temporary users of one channel."""

from __future__ import annotations

from confsim.assumptions import members as assumed
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.identity import credentials
from confsim.domain.identity.credentials import Credential
from confsim.domain.users import handles, users
from confsim.domain.users.users import Account
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change


def create(change: Change, client: Client, channel: Channel, handle: str) -> Credential:
    """A new temporary user of the channel, with the first token (R175).

    Refusals GUEST_ACCESS_OFF, and HANDLE_TAKEN when guests may not have the handles of registered users (G232).
    """
    if not channel.guest_access and ask(change, assumed.GUEST_ACCESS_OFF) == "creation":
        raise Refusal(Reason.GUEST_ACCESS_OFF)
    if ask(change, assumed.GUEST_CREATION) == "open-channel" and (not channel.open or channel.private):
        raise Refusal(Reason.GUEST_ACCESS_OFF)
    handles.require_usable(change, client, handle, channel=channel.id)
    user = users.create(change, client.id, handle, Account.GUEST, channel=channel.id)
    credential = credentials.issue(change, user)
    if ask(change, assumed.GUEST_END) == "removed" and credential.expires is not None:
        users.limit(change, user, credential.expires)
    return credential
