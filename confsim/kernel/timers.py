"""Timers of a world: a persistent pairing heap by due time, beside a map of the timers that are not cancelled.

A timer is identified by its kind, its client and its subject; scheduling one again replaces it. Cancelling removes it
from the map; its entry in the heap is skipped when it comes to the top. Own code: ``heapq`` and sortedcontainers change
in place, and rpds has no ordered map, while a world is a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from msgspec import Struct
from rpds import HashTrieMap

#: (kind, client id, subject)
Name = tuple[str, str, str]
#: (due, serial, name, children as a linked list of nodes)
Node = tuple[int, int, Name, Any]

NEVER = 2**63 - 1


class Timer(Struct, frozen=True, gc=False):
    """A timer: ``due`` in epoch milliseconds, ``serial`` orders timers of the same instant."""

    due: int
    serial: int
    kind: str
    client: str
    subject: str


class Timers(Struct, frozen=True, gc=False):
    """All timers of a world. ``due`` is a lower bound of the next due instant, which is read without a search."""

    live: HashTrieMap[Name, Timer] = HashTrieMap()
    heap: Node | None = None
    serial: int = 0
    due: int = NEVER

    def add(self, kind: str, due: int, client: str, subject: str) -> Timers:
        """The timers with this one added (``due`` in epoch milliseconds); one of the same name is replaced."""
        serial = self.serial + 1
        name = (kind, client, subject)
        timer = Timer(due, serial, kind, client, subject)
        heap = _meld(self.heap, (due, serial, name, None))
        return Timers(self.live.insert(name, timer), heap, serial, min(self.due, due))

    def cancel(self, kind: str, client: str, subject: str) -> Timers:
        """The timers without the one of this name, if there is one."""
        name = (kind, client, subject)
        return Timers(self.live.discard(name), self.heap, self.serial, self.due) if name in self.live else self

    def next(self) -> tuple[Timer | None, Timers]:
        """The timer that falls due first, and the timers without the cancelled entries before it."""
        heap = self.heap
        while heap is not None:
            due, serial, name, children = heap
            timer = self.live.get(name)
            if timer is not None and timer.serial == serial:
                return timer, Timers(self.live, heap, self.serial, due)
            heap = _pairs(children)
        return None, Timers(self.live, None, self.serial, NEVER)

    def __iter__(self) -> Iterator[Timer]:
        """Every live timer, in order of due instant and serial."""
        return iter(sorted(self.live.values(), key=lambda timer: (timer.due, timer.serial)))


def _meld(one: Node | None, other: Node | None) -> Node | None:
    if one is None or other is None:
        return one or other
    if one[:2] <= other[:2]:
        return (one[0], one[1], one[2], (other, one[3]))
    return (other[0], other[1], other[2], (one, other[3]))


def _pairs(children: Any) -> Node | None:
    """One heap from a linked list of heaps, melded pairwise and then from the last to the first."""
    melded = []
    while children is not None:
        first, children = children
        second = None
        if children is not None:
            second, children = children
        melded.append(_meld(first, second))
    heap: Node | None = None
    while melded:
        heap = _meld(heap, melded.pop())
    return heap


#: Called with the change, the client id and the subject when a timer of its kind is due. Returns True when an advance
#: of the clock lists it. Changes are of ``world``, which imports this module; so their type is Any here.
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
