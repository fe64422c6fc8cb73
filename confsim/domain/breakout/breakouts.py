"""Breakout sessions of an event room: prepared, active, completed."""

from collections.abc import Sequence
from enum import Enum

from confsim.assumptions import Reason, ask, breakout as assumed, not_found, note, note_shown
from confsim.assumptions.protocol import durations
from confsim.domain.channels import switches
from confsim.domain.channels.channels import Channel
from confsim.domain.conventions import fresh_id
from confsim.domain.runtime import sessions
from confsim.domain.runtime.sessions import SessionState
from confsim.kernel import (
    ABSENT,
    Change,
    Guard,
    Index,
    Machine,
    Record,
    Refusal,
    Row,
    Table,
    Unique,
    View,
    replace,
)


class BreakoutState(Enum):
    """The state of a breakout session (P2 Breakout, States)."""

    PREPARED = "prepared"
    ACTIVE = "active"
    COMPLETED = "completed"


class Breakout(Record, kw_only=True):
    """A breakout session.

    ``channel`` is the event room, ``main`` the session of the event room in which it ran; ``duration`` in milliseconds,
    0 for no limit; ``started`` in epoch milliseconds.
    """

    id: str
    client: str
    channel: str
    name: str
    duration: int
    phase: BreakoutState = BreakoutState.PREPARED
    started: int | None = None
    main: str | None = None


def _listed(channel: str, phase: BreakoutState, main: str | None) -> tuple[tuple[str, tuple[str | None] | None], ...]:
    return ((channel, (main,) if phase is BreakoutState.COMPLETED else None),)


BY_CHANNEL: Index[Breakout] = Index("channel", "channel")
#: The active breakout session of a channel, at most one (R553).
ACTIVE: Unique[Breakout] = Unique(
    "active", "phase", "channel", of=lambda phase, channel: (channel,) if phase is BreakoutState.ACTIVE else ()
)
#: Those that are prepared, by channel.
PREPARED: Index[Breakout] = Index(
    "prepared", "phase", "channel", of=lambda phase, channel: (channel,) if phase is BreakoutState.PREPARED else ()
)
#: Those that are completed under (channel, main session), the others under (channel, None).
LISTED: Index[Breakout] = Index("listed", "channel", "phase", "main", of=_listed)
BREAKOUTS: Table[str, Breakout] = Table("breakout sessions", Breakout, "id", BY_CHANNEL, ACTIVE, PREPARED, LISTED)


def _due(breakout: Breakout) -> int | None:
    """The end of the duration in epoch milliseconds (G441)."""
    return breakout.started + breakout.duration if breakout.duration and breakout.started is not None else None


MACHINE: Machine[BreakoutState, Breakout] = Machine(
    "breakout session",
    "A breakout session of an event room (R354-R357, R454-R456, R467, R468, R553).",
    BREAKOUTS,
    BreakoutState,
    state="phase",
    refused={
        ABSENT: Reason.NOT_FOUND,
        BreakoutState.ACTIVE: Reason.BREAKOUT_ACTIVE,
        BreakoutState.COMPLETED: Reason.BREAKOUT_COMPLETED,
        None: Reason.BREAKOUT_NOT_ACTIVE,
    },
)
_CREATE = MACHINE.draft("create")
STOP = MACHINE.trigger("stop", refused=Reason.BREAKOUT_NOT_ACTIVE)
STOP_FOR_GOOD = MACHINE.trigger("stop for good", refused=Reason.BREAKOUT_NOT_ACTIVE)
_ELAPSE = MACHINE.trigger("elapse")
LOSE_MAIN = MACHINE.trigger("lose the main session")
DELETE = MACHINE.trigger("delete")


@MACHINE.effect("modify", details=lambda change, breakout, name, duration: {"name": name, "duration": duration})
def _modify(change: Change, breakout: Breakout, name: str, duration: int) -> Breakout:
    """Name and duration are replaced; an active breakout session ends at its start plus the new duration."""
    note(change, assumed.END)
    return replace(breakout, name=name, duration=duration)


def _main(change: Change, breakout: Breakout) -> str | None:
    """The id of the active session of the event room, or None."""
    session = sessions.SESSIONS.one(change, sessions.OPEN, breakout.channel, breakout.client)
    return session.id if session is not None and session.state is SessionState.ONGOING else None


def _about_main(change: Change, breakout: Breakout) -> dict[str, str]:
    main = _main(change, breakout)
    return {} if main is None else {"main": main}


_START = MACHINE.trigger(
    "start",
    refused={ABSENT: Reason.BREAKOUT_NOT_PREPARED, BreakoutState.PREPARED: Reason.BREAKOUT_ACTIVE},
    details=_about_main,
)


def _begin(change: Change, breakout: Breakout) -> Breakout:
    """The breakout session is active until it is stopped or its duration ends."""
    note(change, assumed.END)
    return replace(breakout, started=change.now, main=_main(change, breakout))


@MACHINE.effect("meet the main session")
def meet_main(change: Change, breakout: Breakout, main: str) -> Breakout:
    """The session of the event room, which began later, becomes its main session."""
    return replace(breakout, main=main)


def _put_back(change: Change, breakout: Breakout) -> Breakout:
    """The breakout session is prepared again and can be restarted."""
    return replace(breakout, started=None, main=None)


_OPEN_TO_CHANGE = Guard(
    "running ones may be modified", lambda change, breakout: ask(change, assumed.MODIFY_ACTIVE) == "allow"
)
_NONE_RUNS = Guard(
    "no other is active",
    lambda change, breakout: BREAKOUTS.one(change, ACTIVE, breakout.channel, breakout.client) is None,
)
_AGAIN = Guard(
    "a stopped one can be started again", lambda change, breakout: ask(change, assumed.AFTER_STOP) == "prepared"
)
_ENDS = MACHINE.deadline("breakout end", _due)
_PREPARED, _ACTIVE, _DONE = BreakoutState

MACHINE.declare(
    Row(_CREATE, ABSENT, _PREPARED, source="P2 States L165, R354, R454"),
    Row(_modify, _PREPARED, _PREPARED, source="P2 L274, R455"),
    Row(_modify, _ACTIVE, _ACTIVE, only_if=_OPEN_TO_CHANGE, source="R455, G422"),
    Row(_START, _PREPARED, _ACTIVE, only_if=_NONE_RUNS, effect=_begin, source="P2 States L166, R355, R553, G432"),
    Row(meet_main, _ACTIVE, _ACTIVE, source="R457, G432"),
    Row(STOP, _ACTIVE, _PREPARED, only_if=_AGAIN, effect=_put_back, source="G435"),
    Row(STOP, _ACTIVE, _DONE, only_if=~_AGAIN, source="P2 States L167, R357"),
    Row(STOP_FOR_GOOD, _ACTIVE, _DONE, source="G354, G423"),
    Row(_ELAPSE, _ACTIVE, _DONE, at=_ENDS, source="P2 States L166, R356, G441"),
    Row(LOSE_MAIN, _ACTIVE, _DONE, source="G440, G365"),
    Row(DELETE, (_PREPARED, _DONE), ABSENT, source="P2 L275, R456, G423"),
)


def require_event_room(change: Change, channel: Channel) -> None:
    """Refusal EVENT_ROOM_OFF unless the channel is an event room, and so may have breakout sessions (R406, G418)."""
    note_shown(change, channel, "event_room")
    if not channel.event_room:
        raise Refusal(Reason.EVENT_ROOM_OFF)


def create(change: Change, channel: Channel, name: str | None, duration: int | None) -> Breakout:
    """Create a breakout session, not started. Refusal INVALID_INPUT for the duration."""
    if name is None:
        number = change.count(f"breakout sessions of {channel.id}")
        name = ask(change, assumed.SESSION_NAME).format(number=number)
    length = ask(change, assumed.DURATION) if duration is None else _checked_duration(change, duration)
    draft = Breakout(id=fresh_id(change), client=channel.client, channel=channel.id, name=name, duration=length)
    return _CREATE(change, draft)


def _checked_duration(change: Change, duration: int) -> int:
    least = 1 if ask(change, assumed.ZERO) == "refuse" else 0
    if duration < least:
        raise Refusal(Reason.INVALID_INPUT, where="body duration", problem=f"{duration} is less than {least}")
    if duration > durations.LONGEST:
        raise Refusal(Reason.INVALID_INPUT, where="body duration", problem=f"{duration} is too long a time")
    return duration


def get(change: Change, channel: Channel, id: str) -> Breakout:
    """The breakout session of this id in the channel. Refusal NOT_FOUND."""
    breakout = BREAKOUTS.get(change, id, channel.client)
    return breakout if breakout and breakout.channel == channel.id else not_found("breakout session", id)


def list_of_channel(change: Change, channel: Channel) -> View[Breakout]:
    """The breakout sessions of the channel, in order of creation."""
    return BREAKOUTS.where(change, BY_CHANNEL, channel.id, channel.client)


def list_(change: Change, channel: Channel, main: str | None) -> Sequence[Breakout]:
    """The completed ones of the session ``main`` of the event room; without it, those not completed, or all (G424)."""
    if main is None and ask(change, assumed.LISTED) == "all":
        return list_of_channel(change, channel)
    return BREAKOUTS.where(change, LISTED, (channel.id, None if main is None else (main,)), channel.client)


def find_active(change: Change, channel: Channel) -> Breakout | None:
    """The active breakout session of the channel, or None."""
    return BREAKOUTS.one(change, ACTIVE, channel.id, channel.client)


def modify(change: Change, breakout: Breakout, name: str | None, duration: int | None) -> None:
    """Change name, duration or both; an active one that is past its new end ends now (G422).

    Refusals BREAKOUT_COMPLETED, BREAKOUT_ACTIVE, INVALID_INPUT.
    """
    name = breakout.name if name is None else name
    length = breakout.duration if duration is None else _checked_duration(change, duration)
    note(change, assumed.MODIFY_ACTIVE)
    breakout = _modify(change, breakout, name, length)
    due = _due(breakout)
    if due is not None and due <= change.now:
        _ELAPSE(change, breakout)


def delete(change: Change, breakout: Breakout) -> None:
    """Remove the breakout session with its rooms and assignments. Refusal BREAKOUT_ACTIVE (G423)."""
    if breakout.phase is BreakoutState.ACTIVE and ask(change, assumed.DELETE_ACTIVE) == "stop":
        breakout = STOP_FOR_GOOD(change, breakout)
    DELETE(change, breakout)


def _prepared(change: Change, channel: Channel) -> View[Breakout]:
    return BREAKOUTS.where(change, PREPARED, channel.id, channel.client)


def start(change: Change, channel: Channel) -> Breakout:
    """Start the prepared breakout session, the oldest of several (G431); users are routed to their rooms.

    Refusals BREAKOUT_ACTIVE, BREAKOUT_NOT_PREPARED, BREAKOUT_AMBIGUOUS (G432).
    """
    running = find_active(change, channel)
    startable: Sequence[Breakout] = [running] if running is not None else _prepared(change, channel)
    if not startable:
        raise Refusal(Reason.BREAKOUT_NOT_PREPARED)
    choice = ask(change, assumed.STARTED)
    if choice == "refuse" and len(startable) > 1:
        raise Refusal(Reason.BREAKOUT_AMBIGUOUS, count=len(startable))
    chosen = startable[-1 if choice == "newest" else 0]
    return _START(change, chosen)


def stop(change: Change, channel: Channel) -> None:
    """Stop the active breakout session; users return. Refusal BREAKOUT_NOT_ACTIVE (G434)."""
    note(change, assumed.STOPPED)
    STOP(change, find_active(change, channel))


_IS_QUIET = Guard(
    "no breakout session is active",
    lambda change, channel: ask(change, assumed.EVENT_ROOM_OFF) != "refuse" or find_active(change, channel) is None,
)
EVENT_ROOM = switches.feature(
    "event_room",
    "Whether a channel is an event room, which can hold breakout sessions (R352, R405, R406).",
    "R352, R405, G354",
    only_if=(None, _IS_QUIET),
    refused=Reason.BREAKOUT_ACTIVE,
)
