"""Users linked to a channel, regular ones and those made for it (P2 Endpoints, Breakout rooms)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.views import NumberId, User, user_view
from confsim.contract import Handle, ImageSize, Source, Ttl, Wire, gates
from confsim.domain.channels.channels import Channel
from confsim.domain.members import linked_users
from confsim.domain.users.users import User as Person

operation = API.family(gate=gates.OPERATOR.assumed("G442"), line="P2 Breakout rooms")
implied = API.family(gate=gates.OPERATOR.assumed("G442"), line="P2 Breakout rooms", source=Source.IMPLIED)


class NewLinkedUser(Wire):
    """The handle of a linked user to be made."""

    handle: Annotated[Handle, "The handle of the user."]


@operation(
    "POST /channels/{uuid}/linked/users/new",
    rules="R038 R039 R040 R044 R365 R469 R470 R471 R472",
    gaps="G443 G447",
    identifies={"id": "users"},
)
def create_linked_user(
    call: Call,
    channel: Channel,
    body: NewLinkedUser,
    *,
    ttl: Annotated[Ttl | None, "The lifetime of the invitation, such as 7d."] = None,
) -> NumberId:
    """Create a named guest-like user linked to the channel, to be assigned to breakout rooms before joining.

    An invitation is generated, which ``ttl`` ends; read it with get_invitation.
    """
    return NumberId(id=linked_users.create(call.change, call.client, channel, body.handle, ttl).id)


@operation("GET /channels/{uuid}/linked/users", rules="R024 R043 R473", gaps="G444")
def list_linked_users(call: Call, channel: Channel, *, imgSize: ImageSize | None = None) -> list[User]:
    """List the users linked to the channel, regular ones and those made for it, as they were linked."""
    return [user_view(call, user, imgSize) for user in linked_users.list_linked(call.change, channel)]


@implied("POST /channels/{uuid}/linked/users/{userId}", rules="R473", gaps="G444")
def link_user(call: Call, channel: Channel, user: Person) -> None:
    """Link a regular user to the channel. Refusal NOT_REGULAR for unregistered users."""
    linked_users.link(call.change, channel, user)


@implied("DELETE /channels/{uuid}/linked/users/{userId}", rules="R365", gaps="G445")
def unlink_user(call: Call, channel: Channel, user: Person) -> None:
    """Unlink a user from the channel; one who was made for it is removed. Refusal NOT_LINKED."""
    linked_users.unlink(call.change, channel, user)
