"""The journal of a world: every call with its answer, the assumptions it leaned on and what it changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from confsim.domain.credentials import Caller
from confsim.kernel.world import Place, World

from .message import Request, Response

#: Entries a journal keeps; the oldest go first.
KEPT = 1000


class Hit(Struct, frozen=True):
    """A fault that struck a call; ``id`` is empty for what the request brought itself, ``do`` as it was given.

    ``when`` is "before" where the operation did not run, "after" where it ran, "within" for what happened in it.
    """

    id: str
    do: Any
    when: str


class Entry(Struct):
    """One call. ``operation`` is empty when no route matched; ``touched`` lists what was written, by place and key."""

    id: str
    at: int
    operation: str
    request: Request
    response: Response
    assumptions: tuple[str, ...]
    touched: list[tuple[Place, Any]]
    before: World
    after: World
    caller: Caller | None = None
    fault: tuple[Hit, ...] = ()


class Journal:
    """The last calls, oldest first. ``count`` counts all there were, ``leaned`` what those leaned on that are gone."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self.count = 0
        self.leaned: dict[str, None] = {}

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def last(self) -> Entry | None:
        """The newest entry."""
        return self._entries[-1] if self._entries else None

    def next_id(self) -> str:
        """The id of the entry to come."""
        self.count += 1
        return f"r{self.count}"

    def add(self, entry: Entry) -> None:
        """Take an entry up; the oldest goes when there are too many."""
        self._entries.append(entry)
        if len(self._entries) > KEPT:
            self.leaned.update(dict.fromkeys(self._entries.popleft().assumptions))

    def clear(self) -> int:
        """Forget every entry; answers how many they were."""
        count = len(self._entries)
        self._entries.clear()
        self.leaned.clear()
        return count

    def forget(self, id: str) -> bool:
        """Forget one entry; answers whether it was there."""
        kept = deque(entry for entry in self._entries if entry.id != id)
        there = len(kept) < len(self._entries)
        self._entries = kept
        return there

    def assumptions(self) -> list[str]:
        """The ids of the assumptions that calls leaned on, in alphabetical order."""
        used = dict(self.leaned)
        for entry in self._entries:
            used.update(dict.fromkeys(entry.assumptions))
        return sorted(used)
