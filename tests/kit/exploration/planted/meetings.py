"""Planted faults of meetings: the lobby, presence, sessions, breakouts, recordings, telephony."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any
from unittest import mock

from msgspec.structs import replace

from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import Room
from confsim.domain.breakout.breakouts import Breakout, BreakoutState
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.recordings import recordings
from confsim.domain.runtime import entrance, lobby, occupancy, presence, sessions
from confsim.domain.runtime.entrance import Condition, Entry
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.runtime.sessions import Session, SessionState
from confsim.domain.telephony import calls, number_assignments, numbers, pins
from confsim.domain.users import users
from confsim.domain.users.users import User
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT, EXISTS, Guard, Row
from confsim.kernel.world import Change

from .fault import Fault, altered, altered_each, coupling, forgotten, need, row

_BREAKOUT = ("breakout active", "breakout prepared", "event room")
_MINUTE = 60_000

# Lobby and presence


def _fits(change: Change, present: Presence | None, channel: Channel, user: User, host: bool, phone: bool) -> bool:
    return entrance.refusal(change, presence._entry(change, channel, user, phone), (Condition.ROOM,)) is None


_FITS_ALONE = Guard("there is room", _fits)
_EMPTIED = row(occupancy.LEAVE, EXISTS, ABSENT)
_LEFT = coupling(presence.MACHINE, occupancy.LEAVE, ABSENT)
_REFUSAL = entrance.refusal


def _refusal_without_guests(
    change: Change, entry: Entry, conditions: Iterable[Condition] = entrance.WHEN_LET_IN
) -> Refusal | None:
    """Do not ask whether the channel admits guests."""
    return _REFUSAL(change, entry, [each for each in conditions if each is not Condition.GUEST_ACCESS])


# Sessions

_ATTEND = row(sessions.attend, SessionState.ONGOING)
_ATTENDED: Callable[..., Session] | None = _ATTEND.effect
_END = sessions.end


def _attend_without_peak(change: Change, session: Session, user: User) -> Session:
    """Keep the number of those inside now as the peak."""
    assert _ATTENDED is not None
    inside = presence.count_inside(change, channels.get(change, session.client, session.channel))
    return replace(_ATTENDED(change, session, user), peak=inside)


def _end_whichever(change: Change, session: Session) -> None:
    """End the open session of the channel, whichever id was given."""
    _END(change, sessions.find_open(change, session.client, session.channel) or session)


def _end_halved(change: Change, session: Session) -> Session:
    """Forget the instant of the end."""
    return replace(session, grace_ends=None)


def _into(machine: Machine[Any, Any], state: Any) -> list[Row]:
    return [each for each in machine.rows if each.then is state]


# Breakouts

_STARTED = row(breakouts._START, BreakoutState.PREPARED)
_DUE = breakouts._ENDS.due
_START = breakouts.start
_UNASSIGN = assignments.unassign


def _route_first() -> tuple[Any, ...]:
    """The couplings of a start with the routing of users before anything else."""
    held = _STARTED.couplings
    routes = [each for each in held if each.fires is presence.route]
    return (*routes, *(each for each in held if each not in routes))


def _due_late(breakout: Breakout) -> int | None:
    """The end of the duration, a minute late."""
    due = _DUE(breakout)
    return None if due is None else due + _MINUTE


def _start_another(change: Change, channel: Channel) -> Breakout:
    """Start the oldest prepared breakout session although one is active."""
    prepared = breakouts._prepared(change, channel)
    if not prepared:
        return _START(change, channel)
    with mock.patch.object(_STARTED, "only_if", None):
        return breakouts._START(change, prepared[0])


def _unassign_whenever(change: Change, breakout: Breakout, room: Room, user: User) -> None:
    """Remove an assignment also after the start."""
    with mock.patch.object(row(assignments._remove, EXISTS), "only_if", None):
        _UNASSIGN(change, breakout, room, user)


# Telephony

_PHONES = ("numbers and PINs", "meeting")
_CHECK_PIN = pins.check


def _check_nothing(change: Change, channel: Channel, pin: str | None) -> bool:
    """Let a wrong PIN in, as that of somebody who is no organizer."""
    try:
        return _CHECK_PIN(change, channel, pin)
    except Refusal:
        return False


FAULTS: tuple[Fault, ...] = (
    Fault(
        "the closed door lets everybody in",
        "lobby",
        "P2 States L157, R340",
        ("lobby", "room"),
        altered(row(presence.come, ABSENT, Where.IN), only_if=_FITS_ALONE),
    ),
    Fault(
        "the opened door lets in nobody who waits",
        "lobby",
        "P2 States L156, R339, G329",
        ("lobby", "room"),
        forgotten(coupling(lobby.DOOR, presence.let_in)),
    ),
    Fault(
        "the door that closes by itself stays open when the channel becomes empty",
        "lobby",
        "P2 States L158, R342",
        ("room", "lobby", "meeting"),
        forgotten(coupling(occupancy.OCCUPIED, lobby.BECOME_EMPTY)),
    ),
    Fault(
        "the session ends before the door of the empty channel closes",
        "lobby",
        "order of effects at the last leave: door, then session (machines.md, interaction 1)",
        ("room", "lobby", "meeting"),
        altered(_EMPTIED, couplings=_EMPTIED.couplings[::-1]),
    ),
    Fault(
        "a guest joins although guest access is off",
        "presence",
        "R274, G227",
        ("members", "lobby", "room"),
        altered(entrance, refusal=_refusal_without_guests),
    ),
    Fault(
        "a user who has not accepted the new terms joins",
        "presence",
        "P1 States L176, R105",
        ("client and child", "room", "lobby"),
        altered(entrance, terms=SimpleNamespace(is_blocked=lambda *_: False)),
    ),
    Fault(
        "a user who leaves the lobby is subtracted from those inside",
        "presence",
        "G328: those who wait are not counted",
        ("lobby", "room", "meeting"),
        altered(_LEFT, sees=(*_LEFT.sees, Where.WAITING)),
    ),
    Fault(
        "a removed user stays inside",
        "presence",
        "P2 States L171, R365, G542",
        ("members", "meeting", "room"),
        forgotten(coupling(users.MACHINE, presence.DISCONNECT)),
    ),
    Fault(
        "the users of an ended session are sent to the lobby",
        "sessions",
        "P2 States L164, R353: all users are disconnected",
        ("meeting", "room", "lobby"),
        altered(coupling(sessions.MACHINE, presence.DISCONNECT), fires=presence.SEND_TO_LOBBY),
    ),
    Fault(
        "the peak of a session falls with those inside",
        "sessions",
        "the peak of the record is the most users at one time",
        ("meeting", "room", "lobby"),
        altered(_ATTEND, effect=_attend_without_peak),
    ),
    Fault(
        "the end of a session that is over ends the one that runs",
        "sessions",
        "P2 L234, R418",
        ("room", "meeting", "lobby"),
        altered(sessions, end=_end_whichever),
    ),
    Fault(
        "a session ends without an instant",
        "sessions",
        "P2 Session L71",
        ("room", "meeting", "lobby"),
        altered_each(_into(sessions.MACHINE, SessionState.ENDED), effect=_end_halved),
    ),
    Fault(
        "the users of a closed breakout room stay in it",
        "breakout",
        "P2 States L166-167, R356, R357",
        _BREAKOUT,
        forgotten(coupling(breakout_rooms.MACHINE, presence.RETURN, breakout_rooms.RoomState.CLOSED)),
    ),
    Fault(
        "a breakout session ends a minute late",
        "breakout",
        "P2 States L166, R356",
        _BREAKOUT,
        altered(breakouts._ENDS, due=_due_late),
    ),
    Fault(
        "an assignment is removed after the start of the breakout session",
        "breakout",
        "P2 States L168, R358",
        _BREAKOUT,
        altered(assignments, unassign=_unassign_whenever),
    ),
    Fault(
        "users are routed before their breakout rooms are open",
        "breakout",
        "P2 States L166, R355",
        ("breakout prepared", "breakout active", "event room"),
        altered(_STARTED, couplings=_route_first()),
    ),
    Fault(
        "a second breakout session starts beside the active one",
        "breakout",
        "R553, G432",
        _BREAKOUT,
        altered(breakouts, start=_start_another),
    ),
    Fault(
        "a recording goes on after its session",
        "recordings",
        "P2 L7, R557, G487",
        ("meeting", "room"),
        forgotten(coupling(sessions.MACHINE, recordings.LOSE_SESSION)),
    ),
    Fault(
        "the processing of a recording has no timer",
        "recordings",
        "P2 States L170, R363, G488",
        ("meeting", "room"),
        altered(recordings._ENDS, due=lambda recording: None),
    ),
    Fault(
        "a session does not know that it was recorded",
        "recordings",
        "P2 Session L65, R286",
        ("room", "things of a room", "meeting"),
        forgotten(need(recordings.START, sessions.BE_RECORDED)),
    ),
    Fault(
        "a phone with a wrong PIN is let in",
        "telephony",
        "P2 L296-297, R478, R479, G466",
        _PHONES,
        altered(pins, check=_check_nothing),
    ),
    Fault(
        "an exclusive number is shared with another channel",
        "telephony",
        "P2 L301, R484",
        _PHONES,
        altered(row(number_assignments.share, ABSENT), only_if=None),
    ),
    Fault(
        "a disabled number leads to its channels",
        "telephony",
        "P2 States L172, R366",
        _PHONES,
        forgotten(coupling(numbers.STANDING, number_assignments.RELEASE)),
    ),
    Fault(
        "a phone that hangs up stays in the channel",
        "telephony",
        "G452",
        ("meeting", "numbers and PINs"),
        forgotten(coupling(calls.MACHINE, presence.DISCONNECT)),
    ),
)
