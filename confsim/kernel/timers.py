"""Timers of a world: each follows from a record, and fires a trigger of its machine at an instant.

A record in a state with a deadline has a timer; no other timer exists. Timers are set and cancelled where records are
written (``tables.writing``). They fire in the order of their instants; those of one instant in the order of table,
client, creation of the record, and kind. A timer whose trigger is refused is tried again at the instant of the next
committed change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from .maps import Map, inserted, removed
from .tables.ordered import Entries, insert, remove

#: Table, the id of the client in whose table the record is ("" for a shared one), key of the record, kind of timer.
Name: TypeAlias = "tuple[str, str, Any, str]"

NEVER = 2**63 - 1


class Timer(Struct, frozen=True, gc=False):
    """A timer: ``due`` in epoch milliseconds; ``client`` and ``subject`` say in public whose it is.

    ``serial`` is that of the record in its table, which counts up.
    """

    name: Name
    due: int
    serial: int
    client: str
    subject: str

    @property
    def kind(self) -> str:
        """The kind of the timer."""
        return self.name[3]

    @property
    def place(self) -> tuple[int, str, str, int, Name]:
        """The place in the queue of a world."""
        table, client, _, _ = self.name
        return self.due, table, client, self.serial, self.name


class Alarm(Protocol):
    """A maker of the timers of one ``kind``, which follow from the records of one table."""

    kind: str

    def set_for(self, record: Any) -> tuple[int, str] | None:
        """Return the due instant and the subject of the timer that a record has; None if it has none."""
        ...

    def timer(self, name: Name, serial: int, record: Any) -> Timer:
        """Return the timer of this name for a record that has one."""
        ...

    def fire(self, change: Any, timer: Timer) -> bool:
        """Fire the trigger on the record of a timer. Return whether an advance of the clock lists the timer."""
        ...


#: The alarms by the kind of their timers.
ALARMS: dict[str, Alarm] = {}


class Timers(Struct, frozen=True, gc=False):
    """All timers of a world by name, and their places in order.

    ``refused`` names the timers that wait for a committed change. ``again`` names those that were refused before the
    latest change, whose instant is ``retry``. ``due`` is the instant at which the next timer fires, ``NEVER`` when
    none does.
    """

    live: Map[Name, Timer] = {}
    queue: Entries = ()
    refused: tuple[Name, ...] = ()
    again: tuple[Name, ...] = ()
    retry: int = NEVER
    due: int = NEVER

    def put(self, timer: Timer) -> Timers:
        """Return the timers with this one; one of the same name is replaced."""
        rest = self.cancel(timer.name)
        live = inserted(rest.live, timer.name, timer)
        return _timers(live, insert(rest.queue, timer.place), rest.refused, rest.again, rest.retry)

    def cancel(self, name: Name) -> Timers:
        """Return the timers without the one of this name, if there is one."""
        timer = self.live.get(name)
        if timer is None:
            return self
        queue = remove(self.queue, timer.place)
        live, refused, again = removed(self.live, name), _without(self.refused, name), _without(self.again, name)
        return _timers(live, queue, refused, again, self.retry)

    def refuse(self, name: Name) -> Timers:
        """Return the timers after the trigger of this one was refused: it waits for the next committed change."""
        refused = (*_without(self.refused, name), name)
        return _timers(self.live, self.queue, refused, _without(self.again, name), self.retry)

    def resume(self, now: int) -> Timers:
        """Return the timers after a committed change at this instant: refused ones are tried again then."""
        return _timers(self.live, self.queue, (), (*self.again, *self.refused), now) if self.refused else self

    @property
    def first(self) -> tuple[Timer, int]:
        """Return the timer that fires next, and the instant. Raises StopIteration when none does."""
        if self.again and self.due == self.retry:
            return self.live[self.again[0]], self.retry
        held = {*self.refused, *self.again}
        timer = next(self.live[entry[-1]] for entry in self.queue if entry[-1] not in held)
        return timer, timer.due

    def __iter__(self) -> Iterator[Timer]:
        """Every timer, in the order of the due instants."""
        return (self.live[entry[-1]] for entry in self.queue)


def _timers(
    live: Map[Name, Timer], queue: Entries, refused: tuple[Name, ...], again: tuple[Name, ...], retry: int
) -> Timers:
    held, retry = {*refused, *again}, retry if again else NEVER
    due = next((entry[0] for entry in queue if entry[-1] not in held), NEVER)
    return Timers(live, queue, refused, again, retry, min(due, retry))


def _without(names: tuple[Name, ...], name: Name) -> tuple[Name, ...]:
    return tuple(each for each in names if each != name)
