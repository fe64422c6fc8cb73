"""Emitted events: which state transitions emit which event, and which send a mail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any

from confsim.assumptions.events import EventKind
from confsim.domain import terms
from confsim.domain.breakout import breakouts
from confsim.domain.breakout.breakouts import Breakout, BreakoutState
from confsim.domain.broadcast import broadcasts
from confsim.domain.broadcast.broadcasts import Broadcast
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client, ServiceState
from confsim.domain.events.event_log import emit
from confsim.domain.media import media
from confsim.domain.media.media import MediaAsset, Visibility
from confsim.domain.recordings import recording_mail, recordings
from confsim.domain.recordings.recordings import Recording
from confsim.domain.runtime import lobby, presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.telephony import calls
from confsim.domain.telephony.calls import CallState, PhoneCall
from confsim.domain.users import emails, users, verification_mail
from confsim.domain.users.emails import EmailState
from confsim.domain.users.users import CREATED_BY, User
from confsim.kernel.influence import TransitionObserver
from confsim.kernel.machine import Machine
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change

Payload = Mapping[str, Any]


def _emits(
    kind: EventKind,
    when: Machine[Any, Any],
    reaches: Enum,
    payload: Callable[[Any], Payload],
    *,
    of: Callable[[Any], bool] | None = None,
    out_of: tuple[Enum, ...] | None = None,
    by: str | None = None,
) -> TransitionObserver:
    """An observer that emits an event about the record; about those alone for which ``of`` is true."""
    client_of = attrgetter("id" if when.record is Client else "client")

    def notify(change: Change, record: Any) -> None:
        if of is None or of(record):
            emit(change, client_of(record), kind, payload, record)

    return TransitionObserver(when, reaches, notify, out_of=out_of, by=by)


def _session(session: sessions.Session) -> Payload:
    return {"channel": session.channel, "session": session.id}


def _participant(present: Presence) -> Payload:
    return {"channel": present.channel, "user": present.user}


def _breakout(breakout: Breakout) -> Payload:
    return {"channel": breakout.channel, "breakoutSession": breakout.id}


def _broadcast(broadcast: Broadcast) -> Payload:
    return {"channel": broadcast.channel, "broadcast": broadcast.id}


def _is_no_room(channel: channels.Channel) -> bool:
    """Whether it is no room of an event room: such a room follows its breakout session, and no call opens its door."""
    return channel.parent is None


def _lobby(channel: channels.Channel) -> Payload:
    return {"channel": channel.id}


def _channel(channel: channels.Channel) -> Payload:
    return {"channel": channel.id, "name": channel.name}


def _user(user: User) -> Payload:
    return {"user": user.id, "handle": user.handle, "account": user.account.value}


def _media(asset: MediaAsset) -> Payload:
    pool = {} if asset.channel is None else {"channel": asset.channel}
    return {**pool, "media": asset.id, "name": asset.name}


def _recording(recording: Recording) -> Payload:
    return {"channel": recording.channel, "session": recording.session, "recording": recording.id}


def _call(call: PhoneCall) -> Payload:
    return {
        "call": call.id,
        "channel": call.channel,
        "user": call.user,
        "inbound": call.inbound,
        "state": call.state.value,
    }


def _terms(client: Client) -> Payload:
    return {"version": client.terms.version, "url": client.terms.url}


def _client(client: Client) -> Payload:
    return {"client": client.id}


_CAME = (ABSENT, Where.WAITING)
_INSIDE = (Where.IN, Where.IN_ROOM)

EMITTED: tuple[TransitionObserver, ...] = (
    _emits(EventKind.SESSION_STARTED, sessions.MACHINE, sessions.SessionState.ONGOING, _session),
    _emits(
        EventKind.SESSION_ENDED,
        sessions.MACHINE,
        sessions.SessionState.ENDED,
        _session,
        out_of=(sessions.SessionState.ONGOING,),
    ),
    _emits(EventKind.PARTICIPANT_JOINED, presence.MACHINE, Where.IN, _participant, out_of=_CAME),
    _emits(EventKind.PARTICIPANT_LEFT, presence.MACHINE, ABSENT, _participant, out_of=_INSIDE),
    _emits(EventKind.PARTICIPANT_LEFT, presence.MACHINE, Where.WAITING, _participant, out_of=_INSIDE),
    _emits(EventKind.PARTICIPANT_WAITING, presence.MACHINE, Where.WAITING, _participant),
    _emits(EventKind.LOBBY_OPENED, lobby.DOOR, lobby.Door.OPEN, _lobby, of=_is_no_room),
    _emits(EventKind.LOBBY_CLOSED, lobby.DOOR, lobby.Door.CLOSED, _lobby, of=_is_no_room),
    _emits(EventKind.BREAKOUT_STARTED, breakouts.MACHINE, BreakoutState.ACTIVE, _breakout),
    _emits(EventKind.BREAKOUT_ENDED, breakouts.MACHINE, BreakoutState.COMPLETED, _breakout),
    _emits(
        EventKind.BREAKOUT_ENDED, breakouts.MACHINE, BreakoutState.PREPARED, _breakout, out_of=(BreakoutState.ACTIVE,)
    ),
    _emits(EventKind.BROADCAST_STARTED, broadcasts.MACHINE, broadcasts.BroadcastState.RUNNING, _broadcast),
    _emits(EventKind.BROADCAST_STOPPED, broadcasts.MACHINE, broadcasts.BroadcastState.ENDED, _broadcast),
    _emits(EventKind.RECORDING_STARTED, recordings.MACHINE, recordings.RecordingState.IN_PROGRESS, _recording),
    _emits(EventKind.RECORDING_STOPPED, recordings.MACHINE, recordings.RecordingState.PROCESSING, _recording),
    _emits(EventKind.RECORDING_READY, recordings.MACHINE, recordings.RecordingState.READY, _recording),
    _emits(EventKind.RECORDING_FAILED, recordings.MACHINE, recordings.RecordingState.FAILED, _recording),
    TransitionObserver(recordings.MACHINE, recordings.RecordingState.READY, recording_mail.send),
    _emits(EventKind.CALL_STARTED, calls.MACHINE, CallState.RINGING, _call),
    _emits(EventKind.CALL_STARTED, calls.MACHINE, CallState.ANSWERED, _call, out_of=(ABSENT,)),
    *(
        _emits(EventKind.CALL_ENDED, calls.MACHINE, over, _call)
        for over in (CallState.BUSY, CallState.FAILED, CallState.ENDED)
    ),
    _emits(EventKind.CHANNEL_CREATED, channels.MACHINE, channels.ChannelState.EXISTS, _channel, of=_is_no_room),
    _emits(EventKind.CHANNEL_DELETED, channels.MACHINE, ABSENT, _channel, of=_is_no_room),
    *(_emits(EventKind.USER_CREATED, users.MACHINE, born, _user, out_of=(ABSENT,)) for born in CREATED_BY),
    _emits(EventKind.USER_REMOVED, users.MACHINE, ABSENT, _user),
    *(
        TransitionObserver(emails.MACHINE, waiting, mails, by=trigger)
        for trigger, mails in (("set", verification_mail.send), ("resend", verification_mail.send_all))
        for waiting in (EmailState.PENDING, EmailState.RENEWING)
    ),
    *(_emits(EventKind.MEDIA_ADDED, media.MACHINE, visibility, _media) for visibility in Visibility),
    _emits(EventKind.MEDIA_REMOVED, media.MACHINE, ABSENT, _media),
    _emits(EventKind.SERVICE_DISABLED, clients.MACHINE, ServiceState.DISABLED, _client),
    _emits(EventKind.SERVICE_ENABLED, clients.MACHINE, ServiceState.ENABLED, _client),
    _emits(EventKind.TERMS_PROMULGATED, terms.DOCUMENT, terms.Publication.PUBLISHED, _terms, by="promulgate"),
)
