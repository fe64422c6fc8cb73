"""Timers of a world: a persistent queue by due time, beside a map by name.

A timer is identified by its kind, its client and its subject; scheduling one again replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from msgspec import Struct

from .maps import Map, inserted, removed
from .tables.ordered import Entries, insert, remove

#: (kind, client id, subject)
Name = tuple[str, str, str]

NEVER = 2**63 - 1


class Timer(Struct, frozen=True, gc=False):
    """A timer: ``due`` in epoch milliseconds, ``serial`` orders timers of the same instant."""

    due: int
    serial: int
    kind: str
    client: str
    subject: str


class Timers(Struct, frozen=True, gc=False):
    """All timers of a world by name, and their (due, serial, name) in the order of firing."""

    live: Map[Name, Timer] = {}
    queue: Entries = ()
    serial: int = 0
    #: The instant at which the next timer is due (epoch milliseconds), ``NEVER`` when there is none.
    due: int = NEVER

    def add(self, kind: str, due: int, client: str, subject: str) -> Timers:
        """Return the timers with this one (``due`` in epoch milliseconds); one of the same name is replaced."""
        serial = self.serial + 1
        name = (kind, client, subject)
        queue = self.queue
        former = self.live.get(name)
        if former is not None:
            queue = remove(queue, (former.due, former.serial, name))
        live = inserted(self.live, name, Timer(due, serial, kind, client, subject))
        queue = insert(queue, (due, serial, name))
        first = queue[0][0] if former is not None else due if due < self.due else self.due
        return Timers(live, queue, serial, first)

    def cancel(self, kind: str, client: str, subject: str) -> Timers:
        """Return the timers without the one of this name, if there is one."""
        name = (kind, client, subject)
        timer = self.live.get(name)
        if timer is None:
            return self
        queue = remove(self.queue, (timer.due, timer.serial, name))
        return Timers(removed(self.live, name), queue, self.serial, queue[0][0] if queue else NEVER)

    @property
    def first(self) -> Timer | None:
        """Return the timer that is due first, or None."""
        return self.live[self.queue[0][2]] if self.queue else None

    def __iter__(self) -> Iterator[Timer]:
        """Every timer, in order of due instant and serial."""
        return (self.live[name] for _, _, name in self.queue)


#: A handler: called with the change, the client id and the subject when a timer of its kind is due. Returns True when
#: an advance of the clock lists it. The type is Any because ``world`` imports this module.
Handler = Callable[[Any, str, str], bool]
H = TypeVar("H", bound=Handler)
HANDLERS: dict[str, Handler] = {}


def on_timer(kind: str) -> Callable[[H], H]:
    """Declare the handler of timers of this kind."""

    def declare(handler: H) -> H:
        if kind in HANDLERS:
            raise ValueError(f"timer kind {kind!r} is declared twice")
        HANDLERS[kind] = handler
        return handler

    return declare
