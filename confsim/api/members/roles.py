"""Channel roles: operators and owners of a channel (P1 Endpoints, Channel roles)."""

from typing import Annotated, ClassVar

from confsim.api.call import API, Call
from confsim.api.forms import UserId
from confsim.api.views import user_summary
from confsim.contract import ImageLink, ImageSize, Source, Wire, gates
from confsim.domain.channels.channels import Channel
from confsim.domain.members import roles
from confsim.domain.users.users import User

operation = API.family(line="P1 Channel roles")
named = API.family(line="P1 L247", source=Source.NAME_ONLY)

#: "Only by an owner or an operator" (P1 Channel roles): the owners too, whether or not they count as operators (G148).
_HOST = gates.Gate(gates.Grant.OPERATOR, gates.Grant.OWNER)


class Host(Wire, kw_only=True):
    """An operator or owner of a channel."""

    COMPONENT: ClassVar[str] = "ChannelHost"

    id: Annotated[UserId, "The number of the user."]
    handle: Annotated[str, "The display name of the user."]
    imageUrl: Annotated[ImageLink | None, "The URL of the image of the user."] = None
    isOwner: Annotated[bool, "Whether the user owns the channel."]


@operation(
    "POST /channels/{uuid}/operators/{userId}",
    gate=_HOST,
    rules="R060 R201 R202 R203 R204 R259 R543 R544 R547",
    gaps="G148 G149 G151 G270 G271",
)
def add_operator(call: Call, channel: Channel, user: User) -> None:
    """Add a user to the operators of the channel.

    Any user of the client can be made operator, guests and linked users too; an owner stays owner.
    """
    roles.add_operator(call.change, channel, user)


@operation("DELETE /channels/{uuid}/operators/{userId}", gate=_HOST, rules="R205 R206 R543 R544", gaps="G272 G273")
def remove_operator(call: Call, channel: Channel, user: User) -> None:
    """Remove a user from the operators of the channel, oneself included.

    Refused with 404 for a user who is no operator and with 409 for an owner, who must be demoted first.
    """
    roles.remove_operator(call.change, channel, user)


@operation(
    "GET /channels/{uuid}/operators",
    gate=gates.OPERATOR_OR_ADMIN.assumed("G276"),
    rules="R024 R207 R543 R544",
    gaps="G136 G274",
)
def list_operators(call: Call, channel: Channel, *, imgSize: ImageSize | None = None) -> list[Host]:
    """List the operators of the channel: owners first, each in the order of their appointment."""
    return [_host_view(call, user, imgSize, owner) for user, owner in roles.list_hosts(call.change, channel)]


@operation("GET /channels/{uuid}/owners", gate=gates.ACCESS.assumed("G275"), rules="R024 R208 R545", gaps="G136")
def list_owners(call: Call, channel: Channel, *, imgSize: ImageSize | None = None) -> list[Host]:
    """List the owners of the channel, in the order of their appointment."""
    return [_host_view(call, user, imgSize, True) for user in roles.list_owners(call.change, channel)]


@named("POST /channels/{uuid}/owners/{userId}", gate=gates.OWNER_OR_ADMIN.assumed("G561"), gaps="G561")
def add_owner(call: Call, channel: Channel, user: User) -> None:
    """Add a user to the owners of the channel, operator before or not."""
    roles.add_owner(call.change, channel, user)


@named("DELETE /channels/{uuid}/owners/{userId}", gate=gates.OWNER_OR_ADMIN.assumed("G562"), gaps="G562")
def remove_owner(call: Call, channel: Channel, user: User) -> None:
    """Remove a user from the owners of the channel; no role is left. The last owner cannot be removed (409)."""
    roles.remove_owner(call.change, channel, user)


@named("POST /channels/{uuid}/owners/{userId}/demote", gate=gates.OWNER_OR_ADMIN.assumed("G563"), gaps="G563")
def demote_owner(call: Call, channel: Channel, user: User) -> None:
    """Demote an owner to a plain operator. The last owner cannot be demoted (409)."""
    roles.demote_owner(call.change, channel, user)


def _host_view(call: Call, user: User, size: ImageSize | None, owner: bool) -> Host:
    shown = user_summary(call, user, size)
    return Host(id=shown.id, handle=shown.handle, imageUrl=shown.imageUrl, isOwner=owner)
