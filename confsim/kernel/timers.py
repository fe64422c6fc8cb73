"""Timers of a world: each follows from a record, and fires a trigger of its machine at an instant.

A record in a state with a deadline has a timer; no other timer exists. Timers are set and cancelled where records are
written (``Table.put``). They fire in the order of their instants; those of one instant in the order of table,
client, creation of the record, and kind. A timer whose trigger is refused is tried again at the instant of the next
committed change.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from .maps import Map, inserted, removed
from .tables.ordered import Entries, insert, remove

#: Table, the id of the client in whose table the record is ("" for a shared one), key of the record, kind of timer.
Name: TypeAlias = "tuple[str, str, Any, str]"

NEVER = 2**63 - 1


class Timer(Struct, frozen=True, gc=False):
    """A timer: ``due`` in epoch milliseconds; ``client`` and ``subject`` say in public whose it is.

    ``serial`` is that of the record in its table, which counts up. ``retry`` is the instant at which a trigger that was
    refused is tried again.
    """

    name: Name
    due: int
    serial: int
    client: str
    subject: str
    retry: int | None = None

    @property
    def kind(self) -> str:
        """The kind of the timer."""
        return self.name[3]

    @property
    def place(self) -> tuple[int, str, str, int, Name]:
        """The place in the queue of a world."""
        table, client, _, _ = self.name
        return self.due if self.retry is None else self.retry, table, client, self.serial, self.name


class Alarm(Protocol):
    """A maker of the timers of one ``kind``, which follow from the records of one table."""

    kind: str

    def timer(self, name: Name, serial: int, record: Any) -> Timer | None:
        """Return the timer that a record has, of this name; None if it has none."""
        ...

    def fire(self, change: Any, timer: Timer) -> bool:
        """Fire the trigger on the record of a timer. Return whether an advance of the clock lists the timer."""
        ...


#: The alarms by the kind of their timers.
ALARMS: dict[str, Alarm] = {}


class Timers(Struct, frozen=True, gc=False):
    """All timers of a world by name, and the places of those that wait for their instant, in order.

    The others are ``refused``, and wait for a committed change.
    """

    live: Map[Name, Timer] = {}
    queue: Entries = ()
    refused: Map[Name, Timer] = {}

    @property
    def due(self) -> int:
        """The instant at which the next timer fires, ``NEVER`` when none does."""
        return self.queue[0][0] if self.queue else NEVER

    @property
    def first(self) -> tuple[Timer, int]:
        """Return the timer that fires next, and the instant. Raises IndexError when none does."""
        instant, *_, name = self.queue[0]
        return self.live[name], instant

    def put(self, timer: Timer) -> Timers:
        """Return the timers with this one; one of the same name is replaced."""
        rest = self.cancel(timer.name)
        return Timers(inserted(rest.live, timer.name, timer), insert(rest.queue, timer.place), rest.refused)

    def cancel(self, name: Name) -> Timers:
        """Return the timers without the one of this name, if there is one."""
        timer = self.live.get(name)
        if timer is None:
            return self
        live = removed(self.live, name)
        if name in self.refused:
            return Timers(live, self.queue, removed(self.refused, name))
        return Timers(live, remove(self.queue, timer.place), self.refused)

    def refuse(self, timer: Timer) -> Timers:
        """Return the timers after the trigger of this one was refused: it waits for the next committed change."""
        return Timers(self.live, remove(self.queue, timer.place), inserted(self.refused, timer.name, timer))

    def resume(self, now: int) -> Timers:
        """Return the timers after a committed change at this instant: refused ones are tried again then."""
        timers = self
        for timer in self.refused.values():
            timers = timers.put(replace(timer, retry=now))
        return timers

    def soonest(self, count: int) -> list[Timer]:
        """Return the timers that fall due first, at most so many, at a cost that depends on their number."""
        if self.refused:
            return list(islice(self, count))
        return [self.live[place[-1]] for place in self.queue[:count]]

    def __iter__(self) -> Iterator[Timer]:
        """Every timer, in the order of the due instants."""
        return iter(sorted(self.live.values(), key=_order))


def _order(timer: Timer) -> tuple[int, str, str, int, Name]:
    return replace(timer, retry=None).place
