"""Which moves of which machines an integrator hears of: the rows behind the kinds of events.

Promulgated terms are told of where they are promulgated, since their machine stays in its only state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from confsim.assumptions.events import Kind
from confsim.domain.breakout import breakouts
from confsim.domain.breakout.breakouts import Breakout, Phase
from confsim.domain.broadcast import broadcasts
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client, Service
from confsim.domain.events.event_log import happened
from confsim.domain.media import media
from confsim.domain.media.media import Asset, Visibility
from confsim.domain.recordings import recording_mail, recordings
from confsim.domain.recordings.recordings import Recording
from confsim.domain.runtime import lobby, presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.telephony import calls
from confsim.domain.telephony.calls import Call, State
from confsim.domain.users import users
from confsim.domain.users.users import CREATED_BY, User
from confsim.kernel.machine import Machine, Observer
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change

Payload = Mapping[str, Any]


def _tidings(
    kind: Kind,
    when: Machine[Any, Any],
    reaches: Enum,
    payload: Callable[[Any], Payload | None],
    *,
    out_of: tuple[Enum, ...] | None = None,
) -> Observer:
    """Emit an event about the record; none where the payload is None."""

    def emit(change: Change, record: Any) -> None:
        details = payload(record)
        if details is not None:
            happened(change, record.id if isinstance(record, Client) else record.client, kind, **details)

    return Observer(when, reaches, emit, out_of=out_of)


def _session(session: sessions.Session) -> Payload:
    return {"channel": session.channel, "session": session.id}


def _participant(present: Presence) -> Payload:
    return {"channel": present.channel, "user": present.user}


def _breakout(breakout: Breakout) -> Payload:
    return {"channel": breakout.channel, "breakoutSession": breakout.id}


def _broadcast(run: broadcasts.Run) -> Payload:
    assert run.broadcast is not None
    return {"channel": run.channel, "broadcast": run.broadcast.id}


def _lobby(channel: channels.Channel) -> Payload | None:
    """The channel of the door; the rooms below an event room have none that anybody moves."""
    return {"channel": channel.id} if channel.parent is None else None


def _channel(channel: channels.Channel) -> Payload | None:
    """The channel; rooms below an event room come and go with their breakout session."""
    return {"channel": channel.id, "name": channel.name} if channel.parent is None else None


def _user(user: User) -> Payload:
    return {"user": user.id, "handle": user.handle, "account": user.account.value}


def _media(asset: Asset) -> Payload:
    pool = {} if asset.channel is None else {"channel": asset.channel}
    return {**pool, "media": asset.id, "name": asset.name}


def _recording(recording: Recording) -> Payload:
    return {"channel": recording.channel, "session": recording.session, "recording": recording.id}


def _call(call: Call) -> Payload:
    return {
        "call": call.id,
        "channel": call.channel,
        "user": call.user,
        "inbound": call.inbound,
        "state": call.state.value,
    }


def _client(client: Client) -> Payload:
    return {"client": client.id}


_CAME = (ABSENT, Where.WAITING)
_INSIDE = (Where.IN, Where.IN_ROOM)
_RECORDINGS = {
    recordings.Phase.IN_PROGRESS: Kind.RECORDING_STARTED,
    recordings.Phase.PROCESSING: Kind.RECORDING_STOPPED,
    recordings.Phase.READY: Kind.RECORDING_READY,
    recordings.Phase.FAILED: Kind.RECORDING_FAILED,
}

TIDINGS: tuple[Observer, ...] = (
    _tidings(Kind.SESSION_STARTED, sessions.MACHINE, sessions.Life.ONGOING, _session),
    _tidings(Kind.SESSION_ENDED, sessions.MACHINE, sessions.Life.ENDED, _session, out_of=(sessions.Life.ONGOING,)),
    _tidings(Kind.PARTICIPANT_JOINED, presence.MACHINE, Where.IN, _participant, out_of=_CAME),
    _tidings(Kind.PARTICIPANT_LEFT, presence.MACHINE, ABSENT, _participant, out_of=_INSIDE),
    _tidings(Kind.PARTICIPANT_LEFT, presence.MACHINE, Where.WAITING, _participant, out_of=_INSIDE),
    _tidings(Kind.PARTICIPANT_WAITING, presence.MACHINE, Where.WAITING, _participant),
    _tidings(Kind.LOBBY_OPENED, lobby.DOOR, lobby.Door.OPEN, _lobby),
    _tidings(Kind.LOBBY_CLOSED, lobby.DOOR, lobby.Door.CLOSED, _lobby),
    _tidings(Kind.BREAKOUT_STARTED, breakouts.MACHINE, Phase.ACTIVE, _breakout),
    _tidings(Kind.BREAKOUT_ENDED, breakouts.MACHINE, Phase.COMPLETED, _breakout),
    _tidings(Kind.BREAKOUT_ENDED, breakouts.MACHINE, Phase.PREPARED, _breakout, out_of=(Phase.ACTIVE,)),
    _tidings(Kind.BROADCAST_STARTED, broadcasts.MACHINE, broadcasts.Life.RUNNING, _broadcast),
    _tidings(Kind.BROADCAST_STOPPED, broadcasts.MACHINE, broadcasts.Life.ENDED, _broadcast),
    *(_tidings(kind, recordings.MACHINE, phase, _recording) for phase, kind in _RECORDINGS.items()),
    Observer(recordings.MACHINE, recordings.Phase.READY, recording_mail.send),
    _tidings(Kind.CALL_STARTED, calls.MACHINE, State.RINGING, _call),
    _tidings(Kind.CALL_STARTED, calls.MACHINE, State.ANSWERED, _call, out_of=(ABSENT,)),
    *(_tidings(Kind.CALL_ENDED, calls.MACHINE, over, _call) for over in (State.BUSY, State.FAILED, State.ENDED)),
    _tidings(Kind.CHANNEL_CREATED, channels.MACHINE, channels.Life.EXISTS, _channel),
    _tidings(Kind.CHANNEL_DELETED, channels.MACHINE, ABSENT, _channel),
    *(_tidings(Kind.USER_CREATED, users.MACHINE, born, _user, out_of=(ABSENT,)) for born in CREATED_BY),
    _tidings(Kind.USER_REMOVED, users.MACHINE, ABSENT, _user),
    *(_tidings(Kind.MEDIA_ADDED, media.MACHINE, visibility, _media) for visibility in Visibility),
    _tidings(Kind.MEDIA_REMOVED, media.MACHINE, ABSENT, _media),
    _tidings(Kind.SERVICE_DISABLED, clients.MACHINE, Service.DISABLED, _client),
    _tidings(Kind.SERVICE_ENABLED, clients.MACHINE, Service.ENABLED, _client),
)
