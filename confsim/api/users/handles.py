"""Handles: uniqueness, reservations and changes (P1 Endpoints, Users)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import Email, Reservation
from confsim.api.paths import MeOrUser
from confsim.api.views import NumberId
from confsim.assumptions import ask
from confsim.assumptions.users import handles as assumed
from confsim.contract import FreeText, FullName, Handle, Source, Switch, Url, Wire, gates
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.conventions import turn
from confsim.domain.identity import registration
from confsim.domain.users import handles
from confsim.domain.users.users import User

operation = API.family(line="P1 Users")


class HandleName(Wire):
    """A handle."""

    handle: Annotated[Handle, "The display name."]


class ReservationToken(Wire):
    """The token of a reserved handle."""

    reservationToken: Annotated[Reservation, "The token that reserves the handle for fifteen minutes."]


class Uniqueness(Wire):
    """Whether a handle is free, and whether the client requires unique ones."""

    unique: Annotated[bool, "Whether the handle is free."]
    required: Annotated[bool | None, "Whether the client requires unique handles."] = None


class UserRegistration(Wire):
    """Details of a user who registers."""

    description: Annotated[FreeText | None, "The description of the user."] = None
    fullName: Annotated[FullName | None, "The full name of the user."] = None
    email: Annotated[Email | None, "The address of the user."] = None
    imageUrl: Annotated[Url | None, "The URL of the image of the user."] = None


@operation(
    "POST /users/{userId}/handle",
    gate=gates.SELF_OR_ADMIN.assumed("G160"),
    rules="R013 R160 R161 R162 R163 R247",
    gaps="G158 G232 G252 G255",
)
def set_user_handle(call: Call, user: MeOrUser, body: HandleName) -> None:
    """Set the handle of an unregistered user, or of any user where the client does not require unique handles.

    For a registered user of a client that does, the call succeeds and changes nothing.
    """
    handles.rename(call.change, call.client, user, body.handle)


@operation(
    "POST /users/me/handle/{nonce}",
    gate=gates.USER,
    rules="R095 R098 R099 R100 R164 R546",
    gaps="G262 G263 G264 G265 G268",
)
def change_handle_with_reservation(call: Call, reservation: handles.Reservation) -> None:
    """Change the caller's handle to the one reserved by the token; the token is used up."""
    registration.change_handle(call.change, call.require_caller(), call.user, reservation)


@operation(
    "GET /users/handle/unique",
    gate=gates.SIGNED_IN.assumed("G028"),
    rules="R014 R032 R170 R171 R172 R173 R174",
    gaps="G052 G254 G256 G257 G258 G260",
    for_client=True,
)
def check_handle_unique(call: Call, *, handle: Annotated[Handle, "The handle that is looked for."]) -> Uniqueness:
    """Check whether a handle is free in the client, whether or not the client requires it to be."""
    required = clients.has_unique_handles(call.change, call.client)
    shown = required or ask(call.change, assumed.HANDLE_REQUIRED_SHOWN) == "always"
    return Uniqueness(
        unique=handles.is_free(call.change, call.client, handle, by=call.require_caller().name),
        required=required if shown else None,
    )


@operation(
    "POST /users/handle/reserve",
    gate=gates.SIGNED_IN.assumed("G028"),
    rules="R013 R094 R095 R174 R541",
    gaps="G259 G261 G269",
    identifies={"reservationToken": "reservations"},
    expires=True,
)
def reserve_handle(call: Call, body: HandleName) -> ReservationToken:
    """Reserve a handle for fifteen minutes.

    A handle that another registered user has or another caller holds is refused while the client requires unique ones.
    """
    held = handles.reserve(call.change, call.client, body.handle, by=call.require_caller().name, user=call.maybe_user)
    return ReservationToken(reservationToken=held.token)


@operation(
    "POST /users/create/{token}",
    gate=gates.SIGNED_IN.assumed("G028 G244"),
    rules="R044 R051 R095 R096 R097 R111 R180 R546",
    gaps="G243 G244 G245 G246",
    identifies={"id": "users"},
)
def create_user(call: Call, reservation: handles.Reservation, body: UserRegistration) -> NumberId:
    """Register a user with the handle reserved by the token; the token is used up.

    A calling guest becomes registered, with the same id and token; administrators and API tokens make a new user, who
    gets a token elsewhere. A calling registered user is refused.
    """
    user = registration.register(
        call.change,
        call.require_caller(),
        reservation,
        description=body.description,
        full_name=body.fullName,
        email=body.email,
        image=body.imageUrl,
    )
    return NumberId(id=user.id)


@operation(
    "POST /channels/{uuid}/users/{userId}/rename", gate=gates.OPERATOR, rules="R194 R195 R196 R197", gaps="G266 G267"
)
def rename_channel_user(call: Call, channel: Channel, user: User, body: HandleName) -> None:
    """Rename an unregistered user of the channel: a guest, a linked user, or one who dialled in or was dialled."""
    hosted = (channel.id, channel.parent or channel.id)
    handles.rename_in_channel(call.change, call.client, user, hosted, body.handle)


@operation(
    "POST /settings/handle/unique/{state}",
    gate=gates.ADMIN.assumed("G557"),
    rules="R162",
    gaps="G557",
    line="P1 Users",
    source=Source.NAME_ONLY,
)
def set_handle_uniqueness(call: Call, state: Switch) -> None:
    """Require unique handles in the client, or stop requiring them; handles in use twice are unchanged."""
    turn(call.change, handles.UNIQUENESS.to(state), call.client)
