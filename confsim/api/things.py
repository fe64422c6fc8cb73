"""Resolvers of the things of a channel, a user or a client that a path names; none of them says what gates judge.

A thing of another channel or user than the one in the path is not there. An id that the service made names an object;
its absence is reported before the caller's role is checked. Whatever people choose or are sent is a secret or
another input (``is_input``): a PIN, a code, a token, a key, an origin id, a phone number, the name of a validator, a
level. Inputs are looked up, and states such as a breakout session that has started are checked, once the role is known
(G040).
"""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from msgspec import Struct

from confsim.assumptions import ask, events as assumed_events, not_found
from confsim.assumptions.properties import CHANNEL_PROPERTY_MISSING
from confsim.assumptions.protocol import sizes
from confsim.contract import AtMost, Key, Samples, invalid_input, resolves
from confsim.domain import app_sessions, properties
from confsim.domain.breakout import breakout_rooms, breakouts
from confsim.domain.broadcast import broadcasts, destinations
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.events import endpoints
from confsim.domain.events.endpoints import EventsEndpoint as EventsEndpoint
from confsim.domain.identity import access_levels, api_tokens, validators
from confsim.domain.media import gateway, media
from confsim.domain.media.gateway import GatewayEndpoint as GatewayEndpoint
from confsim.domain.properties import Property
from confsim.domain.recordings import assets, recording_list
from confsim.domain.recordings.recordings import Recording
from confsim.domain.runtime import sessions, streaming
from confsim.domain.telephony import number_assignments, numbers, pins
from confsim.domain.users import emails, handles, predefined, user_list
from confsim.domain.users.users import Level, User
from confsim.kernel import Change

from .call import Call
from .forms import PINS, PhoneNumber

Parent = TypeVar("Parent")


class By(Struct, frozen=True):
    """Mark of one of several ways in which a path names a thing of a type."""

    way: str


def _of_client(
    type_: Any,
    get: Callable[[Change, Client, str], object],
    raw: Any,
    names: str | None = None,
    *,
    about: str,
    is_input: bool = False,
) -> None:
    """Declare that things of a type are looked up in the client of the call; the others as for ``resolves``."""
    find = resolves(type_, raw, names, is_input=is_input, about=about)
    find(lambda call, text: get(call.change, call.client, text))


def _within(
    type_: Any,
    get: Callable[[Change, Parent, str], object],
    raw: Any,
    names: str | None = None,
    *,
    about: str,
    is_input: bool = False,
) -> None:
    """Declare that things of a type are looked up in the thing before them in the path."""
    find = resolves(type_, raw, names, inside=True, is_input=is_input, about=about)
    find(lambda call, text, parent: get(call.change, parent, text))


# Of a client

#: The client of the caller, and no other.
OwnClient = Annotated[Client, By("being the caller's")]
#: Users by a comma separated list of ids (G216, G217).
Users = Annotated[list[User], By("ids")]
#: A user by the id in a third-party identity system.
UserByOrigin = Annotated[User, By("origin id")]
#: An inbound number that channels of the client may get.
EnabledNumber = Annotated[numbers.Number, By("being enabled")]


@resolves(OwnClient, str, "clients", about="The client of the caller, by id.")
def _own_client(call: Call, id: str) -> Client:
    if id.lower() != call.client.id:
        not_found("client", id)
    return call.client


@resolves(Users, Annotated[list[int], AtMost(sizes.USER_IDS, "ids")], "users", about="Ids of users, as one list.")
def _users(call: Call, ids: list[int]) -> list[User]:
    if not ids:
        raise invalid_input("path userIds", "it names no user")
    return user_list.list_by_ids(call.change, call.client, ids)


_of_client(
    UserByOrigin, predefined.get, str, is_input=True, about="The id of the user in a third-party identity system."
)


@resolves(handles.Reservation, str, "reservations", is_input=True, about="The token of a reserved handle.")
def _reservation(call: Call, token: str) -> handles.Reservation:
    return handles.get_reservation(call.change, call.client, token, by=call.require_caller().name)


_of_client(api_tokens.ApiToken, api_tokens.get, str, "api_tokens", about="The API token, by id.")
_of_client(validators.Validator, validators.get, str, "validators", is_input=True, about="The validator, by id.")


@resolves(Level, Annotated[int, Samples(10, 20)], is_input=True, about="The access level, by number.")
def _level(call: Call, id: int) -> Level:
    return access_levels.get(call.change, id)


_of_client(EventsEndpoint, endpoints.get, str, "endpoints", about="The events endpoint, by id.")


@resolves(EventsEndpoint | None, str, "endpoints", about="The events endpoint, by id.")
def _endpoint_or_none(call: Call, id: str) -> EventsEndpoint | None:
    """An endpoint, or None where calls for one that is not there are ignored (G529)."""
    found = endpoints.find(call.change, call.client, id)
    if found is None and ask(call.change, assumed_events.UNKNOWN) == "ignore":
        return None
    return found or endpoints.get(call.change, call.client, id)


_of_client(
    numbers.Number, numbers.get, PhoneNumber, is_input=True, about="The inbound number; the leading plus is optional."
)
_of_client(
    EnabledNumber,
    number_assignments.get_available,
    PhoneNumber,
    is_input=True,
    about="The inbound number; the leading plus is optional.",
)
# Of a user

#: The code that the address of a user waits for.
AddressCode = Annotated[str, By("being sent")]
#: The value of a property, as JSON text; of a user, of a channel.
UserValue = Annotated[str, By("key of a user")]
ChannelValue = Annotated[str, By("key of a channel")]
#: A stored property of a user, of a channel.
UserProperty = Annotated[Property, By("key of a user")]
ChannelProperty = Annotated[Property, By("key of a channel")]


@resolves(AddressCode, str, "codes", inside=True, is_input=True, about="The code that was mailed to the address.")
def _address_code(call: Call, code: str, user: User) -> str:
    emails.require_code(user, code)
    return code


@resolves(UserValue, Key, inside=True, is_input=True, about="The key of the property.")
def _user_value(call: Call, key: str, user: User) -> str:
    return properties.text(call.change, properties.of_user(user), key)


@resolves(UserProperty, Key, inside=True, is_input=True, about="The key of the property.")
def _user_property(call: Call, key: str, user: User) -> Property:
    return properties.get(call.change, properties.of_user(user), key)


_within(GatewayEndpoint, gateway.get, str, "sources", about="The gateway endpoint, by id.")
# Of a channel

#: A session of the channel before it in the path.
SessionOfChannel = Annotated[sessions.Session, By("id in a channel")]
#: The id of a session that is linked along with the channel before it in the path.
LinkedSession = Annotated[str, By("id of a session")]
#: A kind of data channel.
DataKind = Annotated[str, By("kind")]
#: An asset of the pool itself, not of one that is readable from it.
OwnMedia = Annotated[media.MediaAsset, By("id in the pool")]


_within(SessionOfChannel, sessions.get_of_channel, str, "sessions", about="The session, by id.")
_within(LinkedSession, app_sessions.get_session, str, "sessions", about="The session of the channel, by id.")


@resolves(
    DataKind,
    Annotated[str, Samples("chat")],
    inside=True,
    is_input=True,
    about="The kind of data channel, such as chat.",
)
def _data_kind(call: Call, kind: str, channel: Channel) -> str:
    streaming.require_data_channel(call.change, kind)
    return kind


@resolves(ChannelValue, Key, inside=True, is_input=True, about="The key of the property.")
def _channel_value(call: Call, key: str, channel: Channel) -> str:
    return properties.text(call.change, properties.of_channel(channel), key, CHANNEL_PROPERTY_MISSING)


@resolves(ChannelProperty, Key, inside=True, is_input=True, about="The key of the property.")
def _channel_property(call: Call, key: str, channel: Channel) -> Property:
    return properties.get(call.change, properties.of_channel(channel), key)


_within(breakouts.Breakout, breakouts.get, str, "breakout_sessions", about="The breakout session, by id.")
_within(breakout_rooms.Room, breakout_rooms.get, str, "breakout_rooms", about="The breakout room, by id.")
_within(Recording, recording_list.get, str, "recordings", about="The recording, by id.")


@resolves(assets.RecordingAsset, str, "assets", inside=True, about="The asset of the recording, by id.")
def _recording_asset(call: Call, id: str, recording: Recording) -> assets.RecordingAsset:
    return assets.get(call.change, recording.client, recording.id, id)


@resolves(media.MediaAsset, str, "media", inside=True, about="The media asset, by id.")
def _media(call: Call, id: str, channel: Channel | None) -> media.MediaAsset:
    """An asset of the pool of a channel, or of the client's, where the path names no channel."""
    return media.get(call.change, media.pool(call.change, call.client, channel), id)


@resolves(OwnMedia, str, "media", inside=True, about="The media asset, by id.")
def _own_media(call: Call, id: str, channel: Channel | None) -> media.MediaAsset:
    return media.get_own(call.change, media.pool(call.change, call.client, channel), id)


_within(destinations.Destination, destinations.get, str, "destinations", about="The destination, by id.")
_within(broadcasts.Broadcast, broadcasts.get, str, "broadcasts", about="The broadcast, by id.")
_within(pins.Pin, pins.get, Annotated[str, PINS], is_input=True, about="The PIN.")
_within(
    number_assignments.NumberAssignment,
    number_assignments.get,
    PhoneNumber,
    is_input=True,
    about="The number that leads to the channel; the leading plus is optional.",
)
