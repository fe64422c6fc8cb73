"""Resolvers of the things of a channel, a user or a client that a path names; none of them says what gates judge.

A thing of another channel or user than the one in the path is not there. An id that the service made names an object;
its absence is reported before the caller's role is checked. Whatever people choose or are sent is a secret or
another input (``is_input``): a PIN, a code, a token, a key, an origin id, a phone number, the name of a validator, a
level. Inputs are looked up, and states such as a breakout session that has started are checked, once the role is known
(G040).
"""

from typing import Annotated

from msgspec import Struct

from confsim.assumptions import ask, not_found
from confsim.assumptions import events as assumed_events
from confsim.assumptions.properties import CHANNEL_PROPERTY_MISSING
from confsim.assumptions.protocol import sizes
from confsim.contract import AtMost, Key, Samples, invalid_input, resolves
from confsim.domain import app_sessions, properties
from confsim.domain.breakout import breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import Room
from confsim.domain.breakout.breakouts import Breakout
from confsim.domain.broadcast import broadcasts, destinations
from confsim.domain.broadcast.broadcasts import Broadcast
from confsim.domain.broadcast.destinations import Destination
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.events import endpoints
from confsim.domain.events.endpoints import EventsEndpoint as EventsEndpoint
from confsim.domain.identity import access_levels, api_tokens, validators
from confsim.domain.identity.api_tokens import ApiToken
from confsim.domain.identity.validators import Validator
from confsim.domain.media import gateway, media
from confsim.domain.media.gateway import GatewayEndpoint as GatewayEndpoint
from confsim.domain.properties import Property
from confsim.domain.recordings import assets, recording_list
from confsim.domain.recordings.recordings import Recording
from confsim.domain.runtime import sessions, streaming
from confsim.domain.runtime.sessions import Session
from confsim.domain.telephony import number_assignments, numbers, pins
from confsim.domain.telephony.number_assignments import NumberAssignment
from confsim.domain.telephony.numbers import Number
from confsim.domain.telephony.pins import Pin
from confsim.domain.users import emails, handles, predefined, user_list
from confsim.domain.users.handles import Reservation
from confsim.domain.users.users import Level, User

from .call import Call
from .forms import PINS, PhoneNumber


class By(Struct, frozen=True):
    """Mark of one of several ways in which a path names a thing of a type."""

    way: str


# Of a client

#: The client of the caller, and no other.
OwnClient = Annotated[Client, By("being the caller's")]
#: Users by a comma separated list of ids (G216, G217).
Users = Annotated[list[User], By("ids")]
#: A user by the id in a third-party identity system.
UserByOrigin = Annotated[User, By("origin id")]
#: An inbound number that channels of the client may get.
EnabledNumber = Annotated[Number, By("being enabled")]


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


@resolves(UserByOrigin, str, is_input=True, about="The id of the user in a third-party identity system.")
def _user_by_origin(call: Call, id: str) -> User:
    return predefined.get(call.change, call.client, id)


@resolves(Reservation, str, "reservations", is_input=True, about="The token of a reserved handle.")
def _reservation(call: Call, token: str) -> Reservation:
    return handles.get_reservation(call.change, call.client, token, by=call.require_caller().name)


@resolves(ApiToken, str, "api_tokens", about="The API token, by id.")
def _api_token(call: Call, id: str) -> ApiToken:
    return api_tokens.get(call.change, call.client, id)


@resolves(Validator, str, "validators", is_input=True, about="The validator, by id.")
def _validator(call: Call, id: str) -> Validator:
    return validators.get(call.change, call.client, id)


@resolves(Level, Annotated[int, Samples(10, 20)], is_input=True, about="The access level, by number.")
def _level(call: Call, id: int) -> Level:
    return access_levels.get(call.change, id)


@resolves(EventsEndpoint, str, "endpoints", about="The events endpoint, by id.")
def _endpoint(call: Call, id: str) -> EventsEndpoint:
    return endpoints.get(call.change, call.client, id)


@resolves(EventsEndpoint | None, str, "endpoints", about="The events endpoint, by id.")
def _endpoint_or_none(call: Call, id: str) -> EventsEndpoint | None:
    """An endpoint, or None where calls for one that is not there are ignored (G529)."""
    found = endpoints.find(call.change, call.client, id)
    if found is None and ask(call.change, assumed_events.UNKNOWN) == "ignore":
        return None
    return found or endpoints.get(call.change, call.client, id)


@resolves(Number, PhoneNumber, is_input=True, about="The inbound number; the leading plus is optional.")
def _number(call: Call, number: str) -> Number:
    return numbers.get(call.change, call.client, number)


@resolves(EnabledNumber, PhoneNumber, is_input=True, about="The inbound number; the leading plus is optional.")
def _enabled_number(call: Call, number: str) -> Number:
    return number_assignments.get_available(call.change, call.client, number)


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


@resolves(GatewayEndpoint, str, "sources", inside=True, about="The gateway endpoint, by id.")
def _gateway_endpoint(call: Call, uuid: str, user: User) -> GatewayEndpoint:
    return gateway.get(call.change, user, uuid)


# Of a channel

#: A session of the channel before it in the path.
SessionOfChannel = Annotated[Session, By("id in a channel")]
#: The id of a session that is linked along with the channel before it in the path.
LinkedSession = Annotated[str, By("id of a session")]
#: A kind of data channel.
DataKind = Annotated[str, By("kind")]
#: An asset of the pool itself, not of one that is readable from it.
OwnMedia = Annotated[media.MediaAsset, By("id in the pool")]


@resolves(SessionOfChannel, str, "sessions", inside=True, about="The session, by id.")
def _session_of_channel(call: Call, id: str, channel: Channel) -> Session:
    return sessions.get_of_channel(call.change, channel, id)


@resolves(LinkedSession, str, "sessions", inside=True, about="The session of the channel, by id.")
def _linked_session(call: Call, id: str, channel: Channel) -> str:
    return app_sessions.get_session(call.change, channel, id)


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


@resolves(Breakout, str, "breakout_sessions", inside=True, about="The breakout session, by id.")
def _breakout(call: Call, id: str, channel: Channel) -> Breakout:
    return breakouts.get(call.change, channel, id)


@resolves(Room, str, "breakout_rooms", inside=True, about="The breakout room, by id.")
def _room(call: Call, id: str, breakout: Breakout) -> Room:
    return breakout_rooms.get(call.change, breakout, id)


@resolves(Recording, str, "recordings", inside=True, about="The recording, by id.")
def _recording(call: Call, id: str, channel: Channel) -> Recording:
    return recording_list.get(call.change, channel, id)


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


@resolves(Destination, str, "destinations", inside=True, about="The destination, by id.")
def _destination(call: Call, id: str, channel: Channel) -> Destination:
    return destinations.get(call.change, channel, id)


@resolves(Broadcast, str, "broadcasts", inside=True, about="The broadcast, by id.")
def _broadcast(call: Call, id: str, channel: Channel) -> Broadcast:
    return broadcasts.get(call.change, channel, id)


@resolves(Pin, Annotated[str, PINS], inside=True, is_input=True, about="The PIN.")
def _pin(call: Call, pin: str, channel: Channel) -> Pin:
    return pins.get(call.change, channel, pin)


@resolves(
    NumberAssignment,
    PhoneNumber,
    inside=True,
    is_input=True,
    about="The number that leads to the channel; the leading plus is optional.",
)
def _assignment(call: Call, number: str, channel: Channel) -> NumberAssignment:
    return number_assignments.get(call.change, channel, number)
