"""Payloads of webhooks, by kind of event (G533): names and payloads are confsim's own, as the documents show none."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Generic, TypeVar

from msgspec.structs import fields

from confsim.api.forms import ChannelId, ClientId, SessionId, UserId
from confsim.assumptions import events as assumed, in_force
from confsim.assumptions.events import EventKind
from confsim.contract import Pattern, Wire
from confsim.domain.couplings.events import CHANNEL_FIELDS, USER_FIELDS
from confsim.domain.events import deliveries
from confsim.domain.members.roles import Role
from confsim.domain.telephony.calls import CallState
from confsim.domain.users.users import Account

T = TypeVar("T")
#: The names of the fields that are told of.
ChannelField = Annotated[str, Pattern(lambda profile: {"enum": [*CHANNEL_FIELDS.values()]})]
UserField = Annotated[str, Pattern(lambda profile: {"enum": [*USER_FIELDS.values()]})]


_EventRoom = Annotated[str, "The event room, if the channel is that of a breakout room."]
_Room = Annotated[str, "The id of the breakout room."]
_BreakoutSession = Annotated[str, "The id of the breakout session."]
_Handle = Annotated[str, "The handle of the user."]


class SessionEventData(Wire):
    """A session that the event is about."""

    channel: ChannelId
    session: SessionId
    eventRoom: _EventRoom | None = None


class ParticipantEventData(Wire):
    """A user in a channel, its lobby or one of its breakout rooms."""

    channel: Annotated[str, "The channel; for a breakout room its event room."]
    user: UserId
    handle: _Handle
    byPhone: Annotated[bool, "Whether the user came by phone."]
    session: Annotated[str | None, "The session in which the user is; absent for one who waits before any starts."] = (
        None
    )
    room: Annotated[str | None, "The breakout room in which the user is; absent outside of rooms."] = None


class PresenterEventData(ParticipantEventData, kw_only=True):
    """A user who became a presenter, or is none any more."""

    presenter: Annotated[bool, "Whether the user is a presenter now."]


class AssignmentEventData(Wire):
    """The assignment of a user to a breakout room."""

    channel: Annotated[str, "The event room."]
    breakoutSession: _BreakoutSession
    user: UserId
    handle: _Handle
    room: Annotated[str | None, "The breakout room that is assigned now; absent for none."] = None


class RoomEventData(Wire):
    """The channel of a breakout room."""

    channel: Annotated[str, "The channel in which the room meets."]
    name: Annotated[str, "The name of the room."]
    eventRoom: _EventRoom
    room: _Room | None = None
    breakoutSession: _BreakoutSession | None = None


class RoleEventData(Wire):
    """The role of a user in a channel."""

    channel: ChannelId
    user: UserId
    handle: _Handle
    role: Annotated[Role | None, "The role that the user has now; absent for none."] = None


class LobbyEventData(Wire):
    """A channel whose lobby door was moved."""

    channel: ChannelId


class RecordingEventData(Wire):
    """A recording of a session."""

    channel: ChannelId
    session: SessionId
    recording: Annotated[str, "The id of the recording."]
    started: Annotated[int, "The instant at which it started, in epoch milliseconds."]
    ended: Annotated[int | None, "The instant at which it stopped, in epoch milliseconds."] = None
    ready: Annotated[int | None, "The instant at which its processing ended, in epoch milliseconds."] = None


class RecordingReadyEventData(RecordingEventData, kw_only=True):
    """A recording that can be downloaded."""

    link: Annotated[str, "The path of the call that answers a URL for the download."]


class BreakoutEventData(Wire):
    """A breakout session of an event room."""

    channel: ChannelId
    breakoutSession: _BreakoutSession


class CallEventData(Wire):
    """A phone call into a channel or out of it."""

    call: Annotated[str, "The id of the call."]
    channel: ChannelId
    user: Annotated[int, "The id of the user of the phone."]
    inbound: Annotated[bool, "Whether the phone called the channel."]
    state: Annotated[CallState, "The state that the call is in."]


class BroadcastEventData(Wire):
    """A broadcast of a channel."""

    channel: ChannelId
    broadcast: Annotated[str, "The id of the broadcast."]


class ChannelEventData(Wire):
    """A channel that was made or deleted."""

    channel: ChannelId
    name: Annotated[str, "The name of the channel."]


class ChannelCreatedEventData(ChannelEventData, kw_only=True):
    """A channel that was made."""

    owners: Annotated[list[int], "The ids of its first owners, who are told of by no role.changed."]


class ChannelChangedEventData(ChannelEventData, kw_only=True):
    """A channel of which fields have other values."""

    changed: Annotated[list[ChannelField], "The fields that have other values, by their names in the details."]
    eventRoom: _EventRoom | None = None
    room: _Room | None = None
    breakoutSession: _BreakoutSession | None = None


class UserEventData(Wire):
    """A user, and the account."""

    user: UserId
    handle: _Handle
    account: Annotated[Account, "The kind of account of the user."]


class UserChangedEventData(UserEventData, kw_only=True):
    """A user of whom fields have other values."""

    changed: Annotated[list[UserField], "The fields that have other values, by their names in the details."]


class MediaEventData(Wire, kw_only=True):
    """A media asset that was added or removed."""

    channel: Annotated[str | None, "The channel of the pool; absent for the pool of the client."] = None
    media: Annotated[str, "The id of the media asset."]
    name: Annotated[str, "The name of the media asset."]


class TermsEventData(Wire):
    """Terms that all users have to accept."""

    version: Annotated[int, "The version that is current now."]
    url: Annotated[str, "The URL of the terms."]


class TermsAcceptedEventData(Wire):
    """A user who accepted the terms."""

    user: UserId
    handle: _Handle
    version: Annotated[int, "The version that was accepted."]


class ServiceEventData(Wire):
    """A client whose service was switched."""

    client: ClientId


def _emitted(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kinds of events that there are where these are not all."""
    kinds = in_force(profile, assumed.KINDS)
    return {"enum": [kind.value for kind in kinds]} if len(kinds) < len(EventKind) else {}


class EnvelopedEvent(Wire, Generic[T]):
    """An event as it is sent to the endpoints of a client."""

    id: Annotated[str, "The id of the event; a repeated delivery has the same."]
    kind: Annotated[EventKind, Pattern(_emitted), "The kind of event."]
    time: Annotated[int, "The instant of the event, in epoch milliseconds."]
    clientId: ClientId
    channel: Annotated[str | None, "The channel concerned; null for none."]
    data: Annotated[T, "The facts of the event."]


class StandardEvent(Wire, Generic[T]):
    """An event in the form of Standard Webhooks."""

    type: Annotated[EventKind, Pattern(_emitted), "The kind of event."]
    timestamp: Annotated[str, "The instant of the event, as ISO 8601."]
    data: Annotated[T, "The facts of the event."]


#: The subject of the events of each kind, and the type of their data.
DATA: Mapping[EventKind, tuple[str, type[Wire]]] = {
    EventKind.SESSION_STARTED: ("A session of a channel has started.", SessionEventData),
    EventKind.SESSION_ENDED: ("A session of a channel has ended.", SessionEventData),
    EventKind.PARTICIPANT_WAITING: ("A user waits in the lobby of a channel.", ParticipantEventData),
    EventKind.PARTICIPANT_JOINED: ("A user came into a channel.", ParticipantEventData),
    EventKind.PARTICIPANT_LEFT: ("A user left a channel.", ParticipantEventData),
    EventKind.LOBBY_OPENED: ("The lobby door of a channel was opened.", LobbyEventData),
    EventKind.LOBBY_CLOSED: ("The lobby door of a channel was closed.", LobbyEventData),
    EventKind.RECORDING_STARTED: ("A recording has started.", RecordingEventData),
    EventKind.RECORDING_STOPPED: ("A recording has stopped and is processed.", RecordingEventData),
    EventKind.RECORDING_READY: ("A recording is ready.", RecordingReadyEventData),
    EventKind.RECORDING_FAILED: ("A recording could not be processed.", RecordingEventData),
    EventKind.BREAKOUT_STARTED: ("A breakout session has started.", BreakoutEventData),
    EventKind.BREAKOUT_ENDED: ("A breakout session has ended.", BreakoutEventData),
    EventKind.CALL_STARTED: ("A phone call has begun.", CallEventData),
    EventKind.CALL_ENDED: ("A phone call is over.", CallEventData),
    EventKind.BROADCAST_STARTED: ("A broadcast is running.", BroadcastEventData),
    EventKind.BROADCAST_STOPPED: ("A broadcast was stopped.", BroadcastEventData),
    EventKind.CHANNEL_CREATED: ("A channel was made.", ChannelCreatedEventData),
    EventKind.CHANNEL_DELETED: ("A channel was deleted.", ChannelEventData),
    EventKind.USER_CREATED: ("A user was made.", UserEventData),
    EventKind.USER_REMOVED: ("A user was removed.", UserEventData),
    EventKind.MEDIA_ADDED: ("A file was added to a media pool.", MediaEventData),
    EventKind.MEDIA_REMOVED: ("A file was removed from a media pool.", MediaEventData),
    EventKind.TERMS_PROMULGATED: ("New terms are to be accepted by all users.", TermsEventData),
    EventKind.SERVICE_DISABLED: ("The service of a client was disabled.", ServiceEventData),
    EventKind.SERVICE_ENABLED: ("The service of a client was enabled.", ServiceEventData),
    EventKind.PARTICIPANT_WAITED: ("A user waits no longer: came into the channel, or went.", ParticipantEventData),
    EventKind.ROOM_CREATED: ("The channel of a breakout room was made.", RoomEventData),
    EventKind.ROOM_DELETED: ("The channel of a breakout room was deleted.", RoomEventData),
    EventKind.ROOM_ENTERED: ("A user went from the event room into a breakout room.", ParticipantEventData),
    EventKind.ROOM_LEFT: ("A user is no longer in a breakout room.", ParticipantEventData),
    EventKind.CALL_ANSWERED: ("A phone call was answered.", CallEventData),
    EventKind.PRESENTER_CHANGED: ("A user became a presenter, or is none any more.", PresenterEventData),
    EventKind.ASSIGNMENT_CHANGED: ("A user was assigned to a breakout room, or to none.", AssignmentEventData),
    EventKind.ROLE_CHANGED: ("A user has another role in a channel, or none.", RoleEventData),
    EventKind.CHANNEL_CHANGED: ("Settings of a channel were changed.", ChannelChangedEventData),
    EventKind.USER_CHANGED: ("Details of a user were changed.", UserChangedEventData),
    EventKind.USER_REGISTERED: ("A guest became a registered user.", UserEventData),
    EventKind.USER_CONNECTED: ("A predefined user has connected a login.", UserEventData),
    EventKind.TERMS_ACCEPTED: ("A user accepted the terms.", TermsAcceptedEventData),
}
_EXAMPLE_CHANNEL, _EXAMPLE_TIME = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", 1769904000000
#: Values of the fields of examples, by their names.
_EXAMPLES: Mapping[str, Any] = {
    "account": "guest",
    "breakoutSession": "b6b31ad0-3c5f-4b6e-9c58-0a0d7f3c9c11",
    "broadcast": "0f0a6b1e-8a51-4d57-bb52-4f3f8f0d2a55",
    "byPhone": False,
    "call": "d2f7c1f4-6c0b-4a3e-8f3e-0e4b7c1a9d22",
    "changed": ["description"],
    "channel": _EXAMPLE_CHANNEL,
    "client": "22222222-2222-4222-8222-222222222222",
    "ended": _EXAMPLE_TIME,
    "eventRoom": "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb",
    "handle": "Neo",
    "inbound": True,
    "link": f"/channels/{_EXAMPLE_CHANNEL}/recordings/7c9e6679-7425-40de-944b-e07fc1f90ae7/download",
    "media": "5b1f0c3a-2f0e-4c0f-9a53-7c6a1d2e8b66",
    "name": "Planning",
    "owners": [1002],
    "presenter": True,
    "ready": _EXAMPLE_TIME,
    "recording": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "role": "operator",
    "room": "e4eaaaf2-d142-41d1-9a3b-9b1f6e0f7c33",
    "session": "9b2d7a60-1d3f-4c7e-8f4c-2f6a5b0c8e44",
    "started": _EXAMPLE_TIME - 3_600_000,
    "state": "answered",
    "url": "https://app.example/terms",
    "user": 1004,
    "version": 2,
}
#: What an example does not show, as it is not there yet or no longer.
_NOT_SHOWN: Mapping[EventKind, tuple[str, ...]] = {
    EventKind.CHANNEL_CHANGED: ("eventRoom", "room", "breakoutSession"),
    EventKind.RECORDING_STARTED: ("ended", "ready"),
    EventKind.RECORDING_STOPPED: ("ready",),
    EventKind.SESSION_STARTED: ("eventRoom",),
    EventKind.SESSION_ENDED: ("eventRoom",),
    **dict.fromkeys(
        (EventKind.PARTICIPANT_WAITING, EventKind.PARTICIPANT_WAITED, EventKind.PARTICIPANT_JOINED), ("room",)
    ),
}

#: What an example shows instead.
_OTHERWISE: Mapping[EventKind, dict[str, Any]] = {
    EventKind.CALL_STARTED: {"inbound": False, "state": "ringing"},
    EventKind.CALL_ANSWERED: {"inbound": False},
    EventKind.CALL_ENDED: {"inbound": False, "state": "ended"},
    EventKind.USER_REGISTERED: {"account": "registered"},
    EventKind.USER_CONNECTED: {"account": "registered"},
}


def example(kind: EventKind, profile: Mapping[str, Any]) -> Any:
    """Return the body of an event of a kind as the profile sends it."""
    hidden = _NOT_SHOWN.get(kind, ())
    data = {each.name: _EXAMPLES[each.name] for each in fields(DATA[kind][1]) if each.name not in hidden}
    data |= _OTHERWISE.get(kind, {})
    style, id, client = in_force(profile, assumed.ENVELOPE), "0b9e4f5e-6c1d-4e0a-8f6b-5a7d3c2b1a00", _EXAMPLES["client"]
    return deliveries.enveloped(style, _EXAMPLE_TIME, client, kind, id, data)


_ENVELOPES: Mapping[str, Any] = {"data-alone": None, "standard-webhooks": StandardEvent}
_HEADERS = {
    "webhook-id": "The id of the event.",
    "webhook-timestamp": "The instant of the attempt, in epoch seconds.",
    "webhook-signature": "The signature by the secret of the client (Standard Webhooks).",
}


def events(profile: Mapping[str, Any]) -> Iterator[tuple[str, str, Any, list[dict[str, Any]], Any]]:
    """The events that a profile emits: kind, summary, type of the body, header parameters, an example of the body."""
    envelope = _ENVELOPES.get(in_force(profile, assumed.ENVELOPE), EnvelopedEvent)
    signed = in_force(profile, assumed.SIGNATURE) == "standard-webhooks"
    headers = [
        {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": "string"}}
        for name, text in (_HEADERS.items() if signed else ())
    ]
    for kind in in_force(profile, assumed.KINDS):
        text, data = DATA[kind]
        yield kind.value, text, data if envelope is None else envelope[data], headers, example(kind, profile)
