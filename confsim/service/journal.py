"""The journal of a world: every call with its answer, the assumptions it leaned on and what it changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from typing import Any

from msgspec import Struct

from confsim.domain.identity.credentials import Caller
from confsim.kernel.refusal import Misuse
from confsim.kernel.timers import Timer
from confsim.kernel.world import Place, World

from .fault import Fault
from .message import Request, Response

#: Entries a journal keeps unless it is told otherwise; the oldest go first.
KEPT = 1000
#: Bytes that bodies of more than ``LARGE`` bytes may take up in a journal, the newest aside; the oldest calls go first.
HEAVIEST = 256 << 20
LARGE = 64 << 10


class Hit(Struct, frozen=True):
    """A fault that struck a call; ``id`` is empty for what the request brought itself, ``do`` as it was given.

    ``when`` is "before" where the operation did not run, "after" where it ran, "within" for what happened in it.
    """

    id: str
    do: Any
    when: str


class Entry(Struct):
    """One call. ``operation`` is empty when no route matched; ``touched`` lists what was written, by place and key.

    ``fired`` are the timers that made something happen since the call before, in order.
    """

    id: str
    at: int
    operation: str
    request: Request
    response: Response
    assumptions: dict[str, None]
    touched: list[tuple[Place, Any]]
    before: World
    after: World
    caller: Caller | None = None
    fault: tuple[Hit, ...] = ()
    #: The token of a call that was made in Python; every other has it in its request.
    token: str | None = None
    fired: tuple[Timer, ...] = ()
    #: What was left of the faults after it, None where there were none.
    left: tuple[Fault, ...] | None = None

    @property
    def number(self) -> int:
        """Which call it was, counted from 1."""
        return int(self.id[1:])


class Ordered(Struct, frozen=True):
    """A call of the control plane that moved something, for whoever repeats the calls of a journal.

    ``after`` is the number of the last call of the API before it, ``at`` what the clock showed after it.
    """

    after: int
    at: int
    operation: str
    path: tuple[str, ...]
    body: bytes


class Journal:
    """The last calls, oldest first, ``most`` of them at the most, and what the control plane was ordered between them.

    ``count`` counts all there were, ``leaned`` what those leaned on that are gone.
    """

    def __init__(self, most: int = KEPT) -> None:
        self._entries: deque[Entry] = deque()
        self._most = most
        self.orders: deque[Ordered] = deque(maxlen=most)
        self.count = 0
        self.leaned: dict[str, None] = {}

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def most(self) -> int:
        """How many calls it keeps."""
        return self._most

    @most.setter
    def most(self, most: int) -> None:
        if most < 0:
            raise Misuse(f"a journal cannot keep {most} calls")
        self._most = most
        self.orders = deque(self.orders, most)
        while len(self._entries) > most:
            self.leaned.update(self._entries.popleft().assumptions)

    def fresh(self) -> Journal:
        """An empty journal that keeps as many."""
        return Journal(self._most)

    def last(self) -> Entry | None:
        """The newest entry."""
        return self._entries[-1] if self._entries else None

    def next_id(self) -> str:
        """The id of the entry to come."""
        self.count += 1
        return f"r{self.count}"

    def add(self, entry: Entry) -> None:
        """Take an entry up; the oldest goes when there are too many."""
        entries = self._entries
        entries.append(entry)
        if len(entries) > self._most:
            self.leaned.update(entries.popleft().assumptions)
        if len(entry.request.body) > LARGE or len(entry.response.body) > LARGE:
            self._lighten()

    def _lighten(self) -> None:
        """Let the oldest calls go until the large bodies of the rest weigh no more than they may."""
        for _ in range(_too_heavy([_weight(each.request.body, each.response.body) for each in self._entries])):
            self.leaned.update(self._entries.popleft().assumptions)

    def order(self, order: Ordered) -> None:
        """Take up what the control plane was ordered; the oldest orders go as the oldest calls do."""
        self.orders.append(order)
        if len(order.body) > LARGE:
            for _ in range(_too_heavy([_weight(each.body) for each in self.orders])):
                self.orders.popleft()

    def clear(self) -> int:
        """Forget every entry; answers how many they were."""
        count = len(self._entries)
        self._entries.clear()
        self.orders.clear()
        self.leaned.clear()
        return count

    def forget(self, ids: Collection[str]) -> int:
        """Forget the entries of these ids; answers how many of them were there."""
        kept = deque(entry for entry in self._entries if entry.id not in ids)
        gone = len(self._entries) - len(kept)
        self._entries = kept
        return gone

    def assumptions(self) -> list[str]:
        """The ids of the assumptions that calls leaned on, in alphabetical order."""
        used = dict(self.leaned)
        for entry in self._entries:
            used.update(entry.assumptions)
        return sorted(used)


def _weight(*bodies: bytes) -> int:
    return sum(len(body) for body in bodies if len(body) > LARGE)


def _too_heavy(weights: list[int]) -> int:
    """How many of the oldest go until the rest weigh no more than they may; the newest stays whatever it weighs."""
    total, gone = sum(weights), 0
    while total > HEAVIEST and gone < len(weights) - 1:
        total -= weights[gone]
        gone += 1
    return gone
