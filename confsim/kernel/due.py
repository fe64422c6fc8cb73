"""The firing of due timers: in order, each in a change of its own; and the timers of a deadline."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from .rows import Deadline, Row
from .tables.table import Table
from .timers import ALARMS, Name, Timer
from .world import Change, World


class Fired(Struct, frozen=True):
    """A timer that was fired, and the change that its handler made at its due instant."""

    timer: Timer
    change: Change


def fire_due_timers(
    world: World,
    until: int,
    begin: Callable[[World, int], Change] = World.change,
    *,
    once: bool = False,
    failed: Callable[[Exception], object] | None = None,
    after: Callable[[World, Fired], World] | None = None,
) -> tuple[World, list[Fired]]:
    """Fire all timers due by ``until`` (epoch milliseconds) in order, each in a change at its instant.

    ``begin(world, instant)`` begins this change; without it, the change carries nothing.

    Returns the world after them, and those that an advance of the clock lists. With ``once`` it stops after the first
    of these. A timer that is still there afterwards was refused, and waits for the next committed change. ``failed`` is
    called with the exception of a trigger, whose change is discarded; without it, it propagates.
    ``after(world, fired)`` is called for each timer and returns the world to continue with.
    """
    fired: list[Fired] = []
    while world.timers.due <= until:
        timer, at = world.timers.first
        change = begin(world, at)
        try:
            happened = ALARMS[timer.kind].fire(change, timer)
        except Exception as error:
            if failed is None:
                raise
            failed(error)
            change, happened = begin(world, at), False
        world = change.commit()
        if world.timers.live.get(timer.name) is timer:
            world = replace(world, timers=world.timers.refuse(timer))
        event = Fired(timer, change)
        if after is not None:
            world = after(world, event)
        if happened:
            fired.append(event)
            if once:
                break
    return world, fired


class DeadlineAlarm:
    """The timers of one deadline: of the records of a machine that are in a state of its rows."""

    __slots__ = ("at", "kind", "machine", "states", "subject", "trigger")

    def __init__(self, machine: Any, table: Table[Any, Any], at: Deadline, rows: list[Row]) -> None:
        self.machine = machine
        self.at = at
        self.kind = at.timer
        self.subject = table.key if at.subject is None else attrgetter(at.subject)
        self.trigger = rows[0].when
        self.states = tuple(state for row in rows for state in row.on)

    def timer(self, name: Name, serial: int, record: Any) -> Timer | None:
        """Return the timer that a record has, of this name; None if it has none."""
        due = self.at.due(record) if self.machine.read(record) in self.states else None
        return None if due is None else Timer(name, due, serial, self.machine.client(record), str(self.subject(record)))

    def fire(self, change: Change, timer: Timer) -> bool:
        """Fire the trigger on the record of a timer. Return whether an advance of the clock lists the timer."""
        name, client, key, _ = timer.name
        record = Table.declared[name].of(change, client)[key]
        return self.trigger.attempt(change, record, (), {}) is not None and self.at.announced
