"""Breakout sessions of an event room: prepared, running for a while, completed."""

from __future__ import annotations

from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import breakout as assumed
from confsim.assumptions.protocol import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.domain.channels import switches
from confsim.domain.channels.channels import Channel
from confsim.domain.runtime import sessions
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.timers import on_timer
from confsim.kernel.world import Change


class Phase(Enum):
    """Where a breakout session is in its life (P2 Breakout, States)."""

    ABSENT = "absent"
    PREPARED = "prepared"
    ACTIVE = "active"
    COMPLETED = "completed"
    DELETED = "deleted"


class Breakout(Record, kw_only=True):
    """A breakout session. ``channel`` is the event room, ``main`` the event room's session in which it ran;
    ``duration`` in milliseconds, 0 without limit; ``started`` in epoch milliseconds.
    """

    id: str
    client: str
    channel: str
    name: str
    duration: int
    phase: Phase = Phase.PREPARED
    started: int | None = None
    main: str | None = None


BY_CHANNEL: Index[Breakout] = Index("channel", lambda breakout: (breakout.channel,))
#: The active breakout session of a channel: there is at most one (R553).
ACTIVE: Index[Breakout] = Index(
    "active", lambda breakout: (breakout.channel,) if breakout.phase is Phase.ACTIVE else ()
)
BREAKOUTS: Table[str, Breakout] = Table("breakout sessions", Breakout, "id", BY_CHANNEL, ACTIVE)

_TIMER = "breakout end"


def _put(change: Change, breakout: Breakout, **fields: object) -> Breakout:
    return BREAKOUTS.of(change, breakout.client).put(replace(breakout, **fields))


def _time(change: Change, breakout: Breakout) -> Breakout:
    """The end of the duration falls due to the millisecond (G441)."""
    note(change, assumed.END)
    change.cancel(_TIMER, breakout.client, breakout.id)
    if breakout.duration and breakout.started is not None:
        change.schedule(_TIMER, breakout.started + breakout.duration, breakout.client, breakout.id)
    return breakout


def _create(change: Change, breakout: Breakout, facts: Facts) -> Breakout:
    """It is there, and waits to be started."""
    return _put(change, breakout, phase=Phase.PREPARED)


def _modify(change: Change, breakout: Breakout, facts: Facts) -> Breakout:
    """Name and duration are those given; a running one ends at its start plus the new duration."""
    return _time(change, _put(change, breakout, name=facts["name"], duration=facts["duration"]))


def _start(change: Change, breakout: Breakout, facts: Facts) -> Breakout:
    """It runs, until it is stopped or its duration ends."""
    return _time(change, _put(change, breakout, phase=Phase.ACTIVE, started=change.now, main=facts["main"]))


def _meet(change: Change, breakout: Breakout, facts: Facts) -> Breakout:
    """It runs in the session that has begun since."""
    return _put(change, breakout, main=facts["main"])


def _complete(change: Change, breakout: Breakout, facts: Facts) -> Breakout:
    """It is over."""
    change.cancel(_TIMER, breakout.client, breakout.id)
    return _put(change, breakout, phase=Phase.COMPLETED)


def _put_back(change: Change, breakout: Breakout, facts: Facts) -> Breakout:
    """It can be started again."""
    change.cancel(_TIMER, breakout.client, breakout.id)
    return _put(change, breakout, phase=Phase.PREPARED, started=None, main=None)


def _delete(change: Change, breakout: Breakout, facts: Facts) -> Breakout:
    """It is gone, and its rooms go with it."""
    change.cancel(_TIMER, breakout.client, breakout.id)
    BREAKOUTS.of(change, breakout.client).remove(breakout.id)
    return replace(breakout, phase=Phase.DELETED)


_OPEN_TO_CHANGE = Guard("running ones may be modified", lambda breakout, facts: facts["allowed"])
_NONE_RUNS = Guard("no other is active", lambda breakout, facts: not facts["busy"])
_AGAIN = Guard("a stopped one can be started again", lambda breakout, facts: facts["again"])

MACHINE: Machine[Phase, Breakout] = Machine(
    "breakout session",
    "A breakout session of an event room (R354-R357, R454-R456, R467, R468, R553).",
    Phase,
    (
        Row("create", Phase.ABSENT, Phase.PREPARED, effect=_create, source="P2 States L165, R354, R454"),
        Row("modify", Phase.PREPARED, Phase.PREPARED, effect=_modify, source="P2 L274, R455"),
        Row("modify", Phase.ACTIVE, Phase.ACTIVE, only_if=_OPEN_TO_CHANGE, effect=_modify, source="R455, G422"),
        Row(
            "start",
            Phase.PREPARED,
            Phase.ACTIVE,
            only_if=_NONE_RUNS,
            effect=_start,
            source="P2 States L166, R355, R553, G432",
        ),
        Row("meet the main session", Phase.ACTIVE, Phase.ACTIVE, effect=_meet, source="R457, G432"),
        Row("stop", Phase.ACTIVE, Phase.PREPARED, only_if=_AGAIN, effect=_put_back, source="G435"),
        Row("stop", Phase.ACTIVE, Phase.COMPLETED, only_if=~_AGAIN, effect=_complete, source="P2 States L167, R357"),
        Row("elapse", Phase.ACTIVE, Phase.COMPLETED, effect=_complete, source="P2 States L166, R356, G441"),
        Row("lose the main session", Phase.ACTIVE, Phase.COMPLETED, effect=_complete, source="G440, G365"),
        Row("delete", (Phase.PREPARED, Phase.COMPLETED), Phase.DELETED, effect=_delete, source="P2 L275, R456, G423"),
    ),
    read=lambda breakout, facts: breakout.phase,
    refusals={
        ("modify", Phase.COMPLETED): Reason.BREAKOUT_COMPLETED,
        ("start", Phase.COMPLETED): Reason.BREAKOUT_COMPLETED,
        "stop": Reason.BREAKOUT_NOT_ACTIVE,
        None: Reason.BREAKOUT_ACTIVE,
    },
    initial=Phase.ABSENT,
)


def event_room(channel: Channel) -> None:
    """Only an event room holds breakout sessions (R406). Refusal EVENT_ROOM_OFF (G418)."""
    if not channel.event_room:
        raise Refusal(Reason.EVENT_ROOM_OFF)


def create(change: Change, channel: Channel, name: str | None, duration: int | None) -> Breakout:
    """A new breakout session, not started. Refusals EVENT_ROOM_OFF, INVALID_INPUT for the duration."""
    event_room(channel)
    if name is None:
        number = change.count(f"breakout sessions of {channel.id}")
        name = ask(change, assumed.SESSION_NAME).format(number=number)
    length = ask(change, assumed.DURATION) if duration is None else _lasting(change, duration)
    made = Breakout(
        id=change.uuid(),
        client=channel.client,
        channel=channel.id,
        name=name,
        duration=length,
        phase=Phase.ABSENT,
    )
    return MACHINE.fire(change, made, "create")


def _lasting(change: Change, duration: int) -> int:
    least = 1 if ask(change, assumed.ZERO) == "refuse" else 0
    if duration < least:
        raise Refusal(Reason.INVALID_INPUT, where="body duration", problem=f"{duration} is less than {least}")
    if duration > durations.LONGEST:
        raise Refusal(Reason.INVALID_INPUT, where="body duration", problem=f"{duration} is too long a time")
    return duration


def get(change: Change, channel: Channel, id: str) -> Breakout:
    """The breakout session of this id in the channel. Refusals EVENT_ROOM_OFF, NOT_FOUND."""
    event_room(channel)
    breakout = BREAKOUTS.of(change, channel.client).get(id)
    if breakout is None or breakout.channel != channel.id:
        raise Refusal(Reason.NOT_FOUND, what="breakout session", id=id)
    return breakout


def of_channel(change: Change, channel: Channel) -> list[Breakout]:
    """The breakout sessions of the channel, in order of creation."""
    return BREAKOUTS.of(change, channel.client).find(BY_CHANNEL, channel.id)


def listed(change: Change, channel: Channel, main: str | None) -> list[Breakout]:
    """The finished ones of a past session of the event room; without one, those not completed, or all (G424)."""
    event_room(channel)
    found = of_channel(change, channel)
    if main is not None:
        return [each for each in found if each.main == main and each.phase is Phase.COMPLETED]
    if ask(change, assumed.LISTED) == "all":
        return found
    return [each for each in found if each.phase is not Phase.COMPLETED]


def active(change: Change, channel: Channel) -> Breakout | None:
    """The active breakout session of the channel, or None."""
    return BREAKOUTS.of(change, channel.client).first(ACTIVE, channel.id)


def modify(change: Change, breakout: Breakout, name: str | None, duration: int | None) -> None:
    """Change name, duration or both; a running one that is past its new end ends now (G422).

    Refusals BREAKOUT_COMPLETED, BREAKOUT_ACTIVE, INVALID_INPUT.
    """
    moved = MACHINE.fire(
        change,
        breakout,
        "modify",
        name=breakout.name if name is None else name,
        duration=breakout.duration if duration is None else _lasting(change, duration),
        allowed=ask(change, assumed.MODIFY_ACTIVE) == "allow",
    )
    if moved.started is not None and moved.duration and moved.started + moved.duration <= change.now:
        MACHINE.fire(change, moved, "elapse")


def delete(change: Change, breakout: Breakout) -> None:
    """Remove it with its rooms and assignments. Refusal BREAKOUT_ACTIVE (G423)."""
    if breakout.phase is Phase.ACTIVE and ask(change, assumed.DELETE_ACTIVE) == "stop":
        breakout = MACHINE.fire(change, breakout, "stop", again=False)
    MACHINE.fire(change, breakout, "delete")


def start(change: Change, channel: Channel) -> Breakout:
    """Start the breakout session that is prepared, the oldest of several (G431); users go to their rooms.

    Refusals EVENT_ROOM_OFF, BREAKOUT_ACTIVE, BREAKOUT_NOT_PREPARED, BREAKOUT_AMBIGUOUS (G432).
    """
    event_room(channel)
    running = active(change, channel)
    waiting = [running] if running else [each for each in of_channel(change, channel) if each.phase is Phase.PREPARED]
    if not waiting:
        raise Refusal(Reason.BREAKOUT_NOT_PREPARED)
    choice = ask(change, assumed.STARTED)
    if choice == "refuse" and len(waiting) > 1:
        raise Refusal(Reason.BREAKOUT_AMBIGUOUS, count=len(waiting))
    chosen = waiting[-1 if choice == "newest" else 0]
    main = sessions.active(change, channel)
    return MACHINE.fire(change, chosen, "start", busy=running is not None, main=main.id if main else None)


def stop(change: Change, channel: Channel) -> None:
    """Stop the active breakout session; users return. Refusals EVENT_ROOM_OFF, BREAKOUT_NOT_ACTIVE (G434)."""
    event_room(channel)
    note(change, assumed.STOPPED)
    running = active(change, channel)
    if running is None:
        raise Refusal(Reason.BREAKOUT_NOT_ACTIVE)
    MACHINE.fire(change, running, "stop", again=ask(change, assumed.AFTER_STOP) == "prepared")


@on_timer(_TIMER)
def _elapse(change: Change, client: str, id: str) -> bool:
    MACHINE.fire(change, BREAKOUTS.of(change, client)[id], "elapse")
    return True


def switch(change: Change, channel: Channel, event: str) -> Channel:
    """Make the channel an event room (enable), or none any more (disable). Refusal BREAKOUT_ACTIVE (G354)."""
    running = active(change, channel)
    if event == "disable":
        choice = ask(change, assumed.EVENT_ROOM_OFF)
        if choice != "refuse" and running is not None:
            MACHINE.fire(change, running, "stop", again=False)
            running = None
        if choice == "delete":
            for each in of_channel(change, channel):
                MACHINE.fire(change, each, "delete")
    return switches.set_event_room(change, channel, event, busy=running is not None)


def stop_in_channel(change: Change, channel: Channel) -> None:
    """A breakout session does not outlast its event room (G440)."""
    for each in of_channel(change, channel):
        MACHINE.follow(change, each, "lose the main session")


def remove_of_channel(change: Change, channel: Channel) -> None:
    """The breakout sessions of an event room go with it (G309)."""
    for each in of_channel(change, channel):
        MACHINE.fire(change, each, "delete")
