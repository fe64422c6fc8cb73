"""Emitted events: which state transitions emit which event, and which send a mail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from confsim.assumptions.events import Kind
from confsim.domain import terms
from confsim.domain.breakout import breakouts
from confsim.domain.breakout.breakouts import Breakout, Phase
from confsim.domain.broadcast import broadcasts
from confsim.domain.broadcast.broadcasts import Broadcast
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client, Service
from confsim.domain.events.event_log import emit
from confsim.domain.media import media
from confsim.domain.media.media import Asset, Visibility
from confsim.domain.recordings import recording_mail, recordings
from confsim.domain.recordings.recordings import Recording
from confsim.domain.runtime import lobby, presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.telephony import calls
from confsim.domain.telephony.calls import Call, State
from confsim.domain.users import emails, users, verification_mail
from confsim.domain.users.emails import Address
from confsim.domain.users.users import CREATED_BY, User
from confsim.kernel.influence import Observer
from confsim.kernel.machine import Machine
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change

Payload = Mapping[str, Any]


def _emits(
    kind: Kind,
    when: Machine[Any, Any],
    reaches: Enum,
    payload: Callable[[Any], Payload | None],
    *,
    out_of: tuple[Enum, ...] | None = None,
    by: str | None = None,
) -> Observer:
    """An observer that emits an event about the record, unless its payload is None."""

    def notify(change: Change, record: Any) -> None:
        found = payload(record)
        if found is not None:
            emit(change, record.id if isinstance(record, Client) else record.client, kind, found)

    return Observer(when, reaches, notify, out_of=out_of, by=by)


def _session(session: sessions.Session) -> Payload:
    return {"channel": session.channel, "session": session.id}


def _participant(present: Presence) -> Payload:
    return {"channel": present.channel, "user": present.user}


def _breakout(breakout: Breakout) -> Payload:
    return {"channel": breakout.channel, "breakoutSession": breakout.id}


def _broadcast(broadcast: Broadcast) -> Payload:
    return {"channel": broadcast.channel, "broadcast": broadcast.id}


def _lobby(channel: channels.Channel) -> Payload | None:
    """The payload of the door; None for the rooms of an event room, whose door no call changes."""
    return {"channel": channel.id} if channel.parent is None else None


def _channel(channel: channels.Channel) -> Payload | None:
    """The payload of a channel; None for the rooms of an event room, which follow their breakout session."""
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


def _terms(client: Client) -> Payload:
    return {"version": client.terms.version, "url": client.terms.url}


def _client(client: Client) -> Payload:
    return {"client": client.id}


_CAME = (ABSENT, Where.WAITING)
_INSIDE = (Where.IN, Where.IN_ROOM)

EMITTED: tuple[Observer, ...] = (
    _emits(Kind.SESSION_STARTED, sessions.MACHINE, sessions.Life.ONGOING, _session),
    _emits(Kind.SESSION_ENDED, sessions.MACHINE, sessions.Life.ENDED, _session, out_of=(sessions.Life.ONGOING,)),
    _emits(Kind.PARTICIPANT_JOINED, presence.MACHINE, Where.IN, _participant, out_of=_CAME),
    _emits(Kind.PARTICIPANT_LEFT, presence.MACHINE, ABSENT, _participant, out_of=_INSIDE),
    _emits(Kind.PARTICIPANT_LEFT, presence.MACHINE, Where.WAITING, _participant, out_of=_INSIDE),
    _emits(Kind.PARTICIPANT_WAITING, presence.MACHINE, Where.WAITING, _participant),
    _emits(Kind.LOBBY_OPENED, lobby.DOOR, lobby.Door.OPEN, _lobby),
    _emits(Kind.LOBBY_CLOSED, lobby.DOOR, lobby.Door.CLOSED, _lobby),
    _emits(Kind.BREAKOUT_STARTED, breakouts.MACHINE, Phase.ACTIVE, _breakout),
    _emits(Kind.BREAKOUT_ENDED, breakouts.MACHINE, Phase.COMPLETED, _breakout),
    _emits(Kind.BREAKOUT_ENDED, breakouts.MACHINE, Phase.PREPARED, _breakout, out_of=(Phase.ACTIVE,)),
    _emits(Kind.BROADCAST_STARTED, broadcasts.MACHINE, broadcasts.State.RUNNING, _broadcast),
    _emits(Kind.BROADCAST_STOPPED, broadcasts.MACHINE, broadcasts.State.ENDED, _broadcast),
    _emits(Kind.RECORDING_STARTED, recordings.MACHINE, recordings.Phase.IN_PROGRESS, _recording),
    _emits(Kind.RECORDING_STOPPED, recordings.MACHINE, recordings.Phase.PROCESSING, _recording),
    _emits(Kind.RECORDING_READY, recordings.MACHINE, recordings.Phase.READY, _recording),
    _emits(Kind.RECORDING_FAILED, recordings.MACHINE, recordings.Phase.FAILED, _recording),
    Observer(recordings.MACHINE, recordings.Phase.READY, recording_mail.send),
    _emits(Kind.CALL_STARTED, calls.MACHINE, State.RINGING, _call),
    _emits(Kind.CALL_STARTED, calls.MACHINE, State.ANSWERED, _call, out_of=(ABSENT,)),
    *(_emits(Kind.CALL_ENDED, calls.MACHINE, over, _call) for over in (State.BUSY, State.FAILED, State.ENDED)),
    _emits(Kind.CHANNEL_CREATED, channels.MACHINE, channels.Life.EXISTS, _channel),
    _emits(Kind.CHANNEL_DELETED, channels.MACHINE, ABSENT, _channel),
    *(_emits(Kind.USER_CREATED, users.MACHINE, born, _user, out_of=(ABSENT,)) for born in CREATED_BY),
    _emits(Kind.USER_REMOVED, users.MACHINE, ABSENT, _user),
    *(
        Observer(emails.MACHINE, waiting, mails, by=trigger)
        for trigger, mails in (("set", verification_mail.send), ("resend", verification_mail.send_all))
        for waiting in (Address.PENDING, Address.RENEWING)
    ),
    *(_emits(Kind.MEDIA_ADDED, media.MACHINE, visibility, _media) for visibility in Visibility),
    _emits(Kind.MEDIA_REMOVED, media.MACHINE, ABSENT, _media),
    _emits(Kind.SERVICE_DISABLED, clients.MACHINE, Service.DISABLED, _client),
    _emits(Kind.SERVICE_ENABLED, clients.MACHINE, Service.ENABLED, _client),
    _emits(Kind.TERMS_PROMULGATED, terms.DOCUMENT, terms.Document.PUBLISHED, _terms, by="promulgate"),
)
