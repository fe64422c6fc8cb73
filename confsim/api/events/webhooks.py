"""Payloads of webhooks, by kind of event (G533): names and payloads are confsim's own, as the documents show none."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Generic, TypeVar

from confsim.api.forms import ChannelId, ClientId, SessionId, UserId
from confsim.assumptions import events as assumed, in_force
from confsim.assumptions.events import EventKind
from confsim.contract import Pattern, Wire
from confsim.domain.telephony.calls import CallState
from confsim.domain.users.users import Account

T = TypeVar("T")


class SessionEventData(Wire):
    """A session that the event is about."""

    channel: ChannelId
    session: SessionId


class ParticipantEventData(Wire):
    """A user in a channel."""

    channel: ChannelId
    user: UserId


class LobbyEventData(Wire):
    """A channel whose lobby door was moved."""

    channel: ChannelId


class RecordingEventData(Wire):
    """A recording of a session."""

    channel: ChannelId
    session: SessionId
    recording: Annotated[str, "The id of the recording."]


class BreakoutEventData(Wire):
    """A breakout session of an event room."""

    channel: ChannelId
    breakoutSession: Annotated[str, "The id of the breakout session."]


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


class UserEventData(Wire):
    """A user who was made or removed."""

    user: UserId
    handle: Annotated[str, "The handle of the user."]
    account: Annotated[Account, "The kind of account of the user."]


class MediaEventData(Wire, kw_only=True):
    """A media asset that was added or removed."""

    channel: Annotated[str | None, "The channel of the pool; absent for the pool of the client."] = None
    media: Annotated[str, "The id of the media asset."]
    name: Annotated[str, "The name of the media asset."]


class TermsEventData(Wire):
    """Terms that all users have to accept."""

    version: Annotated[int, "The version that is current now."]
    url: Annotated[str, "The URL of the terms."]


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
    EventKind.RECORDING_READY: ("A recording is ready.", RecordingEventData),
    EventKind.RECORDING_FAILED: ("A recording could not be processed.", RecordingEventData),
    EventKind.BREAKOUT_STARTED: ("A breakout session has started.", BreakoutEventData),
    EventKind.BREAKOUT_ENDED: ("A breakout session has ended.", BreakoutEventData),
    EventKind.CALL_STARTED: ("A phone call has begun.", CallEventData),
    EventKind.CALL_ENDED: ("A phone call is over.", CallEventData),
    EventKind.BROADCAST_STARTED: ("A broadcast is running.", BroadcastEventData),
    EventKind.BROADCAST_STOPPED: ("A broadcast was stopped.", BroadcastEventData),
    EventKind.CHANNEL_CREATED: ("A channel was made.", ChannelEventData),
    EventKind.CHANNEL_DELETED: ("A channel was deleted.", ChannelEventData),
    EventKind.USER_CREATED: ("A user was made.", UserEventData),
    EventKind.USER_REMOVED: ("A user was removed.", UserEventData),
    EventKind.MEDIA_ADDED: ("A file was added to a media pool.", MediaEventData),
    EventKind.MEDIA_REMOVED: ("A file was removed from a media pool.", MediaEventData),
    EventKind.TERMS_PROMULGATED: ("New terms are to be accepted by all users.", TermsEventData),
    EventKind.SERVICE_DISABLED: ("The service of a client was disabled.", ServiceEventData),
    EventKind.SERVICE_ENABLED: ("The service of a client was enabled.", ServiceEventData),
}
_ENVELOPES: Mapping[str, Any] = {"data-alone": None, "standard-webhooks": StandardEvent}
_HEADERS = {
    "webhook-id": "The id of the event.",
    "webhook-timestamp": "The instant of the attempt, in epoch seconds.",
    "webhook-signature": "The signature by the secret of the client (Standard Webhooks).",
}


def events(profile: Mapping[str, Any]) -> Iterator[tuple[str, str, Any, list[dict[str, Any]]]]:
    """The events that a profile emits: kind, summary, type of the body, header parameters."""
    envelope = _ENVELOPES.get(in_force(profile, assumed.ENVELOPE), EnvelopedEvent)
    signed = in_force(profile, assumed.SIGNATURE) == "standard-webhooks"
    headers = [
        {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": "string"}}
        for name, text in (_HEADERS.items() if signed else ())
    ]
    for kind in in_force(profile, assumed.KINDS):
        text, data = DATA[kind]
        yield kind.value, text, data if envelope is None else envelope[data], headers
