"""Emitted events and mail: which transitions emit which event, and what endpoints and deliveries do to deliveries."""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import partial
from operator import attrgetter
from typing import Any

from confsim.assumptions import ask, events as assumed
from confsim.assumptions.events import EventKind
from confsim.domain import terms
from confsim.domain.breakout import breakouts
from confsim.domain.breakout.breakouts import Breakout, BreakoutState
from confsim.domain.broadcast import broadcasts
from confsim.domain.broadcast.broadcasts import Broadcast, BroadcastState
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client, ServiceState
from confsim.domain.events import deliveries, endpoints
from confsim.domain.events.deliveries import (
    CLOSED,
    DELIVERIES,
    QUEUE,
    Delivery,
    DeliveryState,
    Place,
    awaited,
    next_due,
)
from confsim.domain.events.endpoints import ENDPOINT, ENDPOINTS, EventsEndpoint, EventsEndpointState
from confsim.domain.events.event_log import emit
from confsim.domain.media import media
from confsim.domain.media.media import MediaAsset, Visibility
from confsim.domain.recordings import downloads, recordings
from confsim.domain.recordings.recordings import Recording, RecordingState
from confsim.domain.runtime import lobby, presence, sessions
from confsim.domain.runtime.lobby import Door
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.runtime.sessions import Session, SessionState
from confsim.domain.telephony import calls
from confsim.domain.telephony.calls import CallState, PhoneCall
from confsim.domain.users import emails, users
from confsim.domain.users.emails import EmailState
from confsim.domain.users.users import Account, User
from confsim.kernel import ABSENT, EXISTS, Change, Coupling, Enabled, Machine, Trigger

Payload = Mapping[str, Any]


def _emits(
    kind: EventKind,
    when: Machine[Any, Any],
    reaches: Enum,
    payload: Callable[[Any], Payload],
    *,
    of: Callable[[Any], bool] | None = None,
    out_of: tuple[Enum, ...] | None = None,
    by: Trigger[Any, ...] | None = None,
) -> None:
    """Emit an event about the record, only about those for which ``of`` is true."""
    client_of = attrgetter("id" if when.record is Client else "client")

    def notify(change: Change, record: Any) -> None:
        if of is None or of(record):
            emit(change, client_of(record), kind, payload, record)

    Coupling(when, reaches, None, notify, out_of=out_of, by=by)


def _session(session: Session) -> Payload:
    return {"channel": session.channel, "session": session.id}


_emits(EventKind.SESSION_STARTED, sessions.MACHINE, SessionState.ONGOING, _session)
_emits(EventKind.SESSION_ENDED, sessions.MACHINE, SessionState.ENDED, _session, out_of=(SessionState.ONGOING,))


def _participant(present: Presence) -> Payload:
    return {"channel": present.channel, "user": present.user}


_CAME = (ABSENT, Where.WAITING)
_INSIDE = (Where.IN, Where.IN_ROOM)

_emits(EventKind.PARTICIPANT_JOINED, presence.MACHINE, Where.IN, _participant, out_of=_CAME)
_emits(EventKind.PARTICIPANT_LEFT, presence.MACHINE, ABSENT, _participant, out_of=_INSIDE)
_emits(EventKind.PARTICIPANT_LEFT, presence.MACHINE, Where.WAITING, _participant, out_of=_INSIDE)
_emits(EventKind.PARTICIPANT_WAITING, presence.MACHINE, Where.WAITING, _participant)


def _is_no_room(channel: Channel) -> bool:
    """Whether it is no room of an event room: such a room follows its breakout session, and no call opens its door."""
    return channel.parent is None


def _lobby(channel: Channel) -> Payload:
    return {"channel": channel.id}


_emits(EventKind.LOBBY_OPENED, lobby.DOOR, Door.OPEN, _lobby, of=_is_no_room)
_emits(EventKind.LOBBY_CLOSED, lobby.DOOR, Door.CLOSED, _lobby, of=_is_no_room)


def _breakout(breakout: Breakout) -> Payload:
    return {"channel": breakout.channel, "breakoutSession": breakout.id}


_STARTED = (BreakoutState.ACTIVE,)

_emits(EventKind.BREAKOUT_STARTED, breakouts.MACHINE, BreakoutState.ACTIVE, _breakout)
_emits(EventKind.BREAKOUT_ENDED, breakouts.MACHINE, BreakoutState.COMPLETED, _breakout)
_emits(EventKind.BREAKOUT_ENDED, breakouts.MACHINE, BreakoutState.PREPARED, _breakout, out_of=_STARTED)


def _broadcast(broadcast: Broadcast) -> Payload:
    return {"channel": broadcast.channel, "broadcast": broadcast.id}


_emits(EventKind.BROADCAST_STARTED, broadcasts.MACHINE, BroadcastState.RUNNING, _broadcast)
_emits(EventKind.BROADCAST_STOPPED, broadcasts.MACHINE, BroadcastState.ENDED, _broadcast)


def _recording(recording: Recording) -> Payload:
    return {"channel": recording.channel, "session": recording.session, "recording": recording.id}


_emits(EventKind.RECORDING_STARTED, recordings.MACHINE, RecordingState.IN_PROGRESS, _recording)
_emits(EventKind.RECORDING_STOPPED, recordings.MACHINE, RecordingState.PROCESSING, _recording)
_emits(EventKind.RECORDING_READY, recordings.MACHINE, RecordingState.READY, _recording)
_emits(EventKind.RECORDING_FAILED, recordings.MACHINE, RecordingState.FAILED, _recording)
Coupling(recordings.MACHINE, RecordingState.READY, None, downloads.mail_link)


def _call(call: PhoneCall) -> Payload:
    return {
        "call": call.id,
        "channel": call.channel,
        "user": call.user,
        "inbound": call.inbound,
        "state": call.state.value,
    }


_emits(EventKind.CALL_STARTED, calls.MACHINE, CallState.RINGING, _call)
_emits(EventKind.CALL_STARTED, calls.MACHINE, CallState.ANSWERED, _call, out_of=(ABSENT,))
for over in (CallState.BUSY, CallState.FAILED, CallState.ENDED):
    _emits(EventKind.CALL_ENDED, calls.MACHINE, over, _call)


def _channel(channel: Channel) -> Payload:
    return {"channel": channel.id, "name": channel.name}


_emits(EventKind.CHANNEL_CREATED, channels.EXISTING, EXISTS, _channel, of=_is_no_room)
_emits(EventKind.CHANNEL_DELETED, channels.EXISTING, ABSENT, _channel, of=_is_no_room)


def _user(user: User) -> Payload:
    return {"user": user.id, "handle": user.handle, "account": user.account.value}


for born in Account:
    _emits(EventKind.USER_CREATED, users.MACHINE, born, _user, out_of=(ABSENT,))
_emits(EventKind.USER_REMOVED, users.MACHINE, ABSENT, _user)
for waiting in (EmailState.PENDING, EmailState.RENEWING):
    Coupling(emails.MACHINE, waiting, None, emails.mail_code, by=emails.SET)
    Coupling(emails.MACHINE, waiting, None, emails.mail_codes, by=emails.RESEND)


def _media(asset: MediaAsset) -> Payload:
    pool = {} if asset.channel is None else {"channel": asset.channel}
    return {**pool, "media": asset.id, "name": asset.name}


for visibility in Visibility:
    _emits(EventKind.MEDIA_ADDED, media.MACHINE, visibility, _media)
_emits(EventKind.MEDIA_REMOVED, media.MACHINE, ABSENT, _media)


def _client(client: Client) -> Payload:
    return {"client": client.id}


_emits(EventKind.SERVICE_DISABLED, clients.MACHINE, ServiceState.DISABLED, _client)
_emits(EventKind.SERVICE_ENABLED, clients.MACHINE, ServiceState.ENABLED, _client)


def _terms(client: Client) -> Payload:
    return {"version": client.terms.version, "url": client.terms.url}


_emits(EventKind.TERMS_PROMULGATED, terms.DOCUMENT, EXISTS, _terms, by=terms.promulgate)

# Endpoints fire triggers on their deliveries; a finished delivery releases the next one


def _of_endpoint(change: Change, endpoint: EventsEndpoint) -> Iterable[Delivery]:
    """The deliveries to an endpoint that are due."""
    return next_due(change, endpoint.client, endpoint.id)


def _of_client(change: Change, client: Client) -> Iterable[Delivery]:
    """The deliveries to the active endpoints of a client that are due."""
    active, waiting = endpoints.subscribed(change, client.id), awaited(change, client.id)
    for place, id in enumerate(active.keys):
        if place == 0 or id in waiting:
            yield from next_due(change, client.id, id)


def _open(change: Change, endpoint: EventsEndpoint) -> list[Delivery]:
    """The deliveries to an endpoint that are not finished."""
    rows = DELIVERIES.of(change)
    return [each for place in Place for each in rows.where(QUEUE, (endpoint.id, place))]


def _of_inactive(choice: str, change: Change, endpoint: EventsEndpoint) -> Iterable[Delivery]:
    """The deliveries to an inactive endpoint, where the assumption has this choice."""
    return _open(change, endpoint) if ask(change, assumed.WHILE_INACTIVE) == choice else ()


def _of_disabled(choice: str, change: Change, client: Client) -> Iterable[Delivery]:
    """The deliveries of a client whose events are off, where the assumption has this choice."""
    if ask(change, assumed.WHILE_INACTIVE) != choice:
        return []
    return [each for endpoint in ENDPOINTS.of(change, client.id).all for each in _open(change, endpoint)]


def _behind(change: Change, delivery: Delivery) -> Iterable[Delivery]:
    """The deliveries to the same endpoint that are due."""
    return next_due(change, delivery.client, delivery.endpoint)


def _passing(change: Change, delivery: Delivery) -> Iterable[Delivery]:
    """The deliveries that a postponed one lets pass."""
    return _behind(change, delivery) if delivery.bypasses else ()


_RELEASE = deliveries.RELEASE
_WAS_ACTIVE, _STATUS = (EventsEndpointState.ACTIVE,), "P2 L366, R532, G534"

for trigger, choice in ((deliveries.HOLD, "waits"), (deliveries.LOSE, "lost")):
    Coupling(
        *(ENDPOINT, EventsEndpointState.INACTIVE, trigger, partial(_of_inactive, choice)),
        out_of=_WAS_ACTIVE,
        source=_STATUS,
    )
    Coupling(endpoints.MACHINE, Enabled.DISABLED, trigger, partial(_of_disabled, choice), source="R531, G534, G591")
Coupling(ENDPOINT, EventsEndpointState.ACTIVE, _RELEASE, _of_endpoint, source=_STATUS)
Coupling(ENDPOINT, ABSENT, deliveries.LOSE, _open, source="P2 L368, G594")
Coupling(endpoints.MACHINE, Enabled.ENABLED, _RELEASE, _of_client, source="R531, G534, G591")
Coupling(*(deliveries.MACHINE, DeliveryState.WAITING, _RELEASE, _behind), out_of=(ABSENT, *CLOSED), source="G533, G534")
Coupling(deliveries.MACHINE, DeliveryState.LATER, _RELEASE, _passing, source="G534")
for closed in CLOSED:
    Coupling(deliveries.MACHINE, closed, _RELEASE, _behind, source="G534")
