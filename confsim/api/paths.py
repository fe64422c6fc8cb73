"""What path parameters name: the domain's things, looked up in the client of the call and nowhere else."""

from __future__ import annotations

from typing import Annotated

from confsim.contract.decode import resolves, wrong
from confsim.domain import channels, clients, users
from confsim.domain.channels import Channel
from confsim.domain.clients import Client
from confsim.domain.users import User
from confsim.kernel.refusal import Refusal
from confsim.assumptions.refusals import Reason

from .call import Call


class Me:
    """Marks a userId that also takes the literal ``me`` (P1 Conventions 9, G158)."""


#: A user of the call's client by number, or ``me`` for the caller.
MeOrUser = Annotated[User, Me()]


@resolves(User, int)
def _user(call: Call, id: int) -> User:
    call.subject = users.get(call.change, call.client.id, id)
    return call.subject


@resolves(MeOrUser, str)
def _me_or_user(call: Call, text: str) -> User:
    if text == "me":
        call.subject = call.user
    elif text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20:
        call.subject = users.get(call.change, call.client.id, int(text))
    else:
        raise wrong("path userId", f"{text[:40]!r} is neither me nor a whole number")
    return call.subject


@resolves(Channel, str)
def _channel(call: Call, id: str) -> Channel:
    call.channel = channels.get(call.change, call.client.id, id)
    return call.channel


@resolves(Client, str)
def _client(call: Call, id: str) -> Client:
    """The client of the path: any on a public call; else the caller's own or a child of it (G157)."""
    client = clients.get(call.change, id)
    if call.caller is None:
        call.client = client
    elif client.id != call.client.id and client.parent != call.client.id:
        raise Refusal(Reason.NOT_FOUND, what="client", id=id)
    return client
