"""Temporary users of a channel (P1 Users)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.identity.validators import TokenResult, token_result
from confsim.contract import Handle, Wire, gates
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.members import channel_access


class GuestHandle(Wire):
    """The name of a guest."""

    handle: Annotated[Handle, "The name of the guest."]


@API.operation(
    "POST /clients/{clientId}/users/guest/{uuid}",
    gate=gates.PUBLIC.assumed("G025"),
    rules="R044 R052 R069 R070 R071 R077 R078 R175 R176 R177 R239",
    line="P1 Users",
    gaps="G111 G112 G198 G227 G228 G229 G230 G231 G232",
    identifies={"token": "tokens"},
    makes_caller="guest",
)
def create_guest(call: Call, client: Client, channel: Channel, body: GuestHandle) -> TokenResult:
    """Create a temporary user of a channel, and return the user's token.

    Refusals NOT_FOUND for a channel of another client, GUEST_ACCESS_OFF.
    """
    return token_result(call, channel_access.create_guest(call.change, client, channel, body.handle))
