"""The journal of a world: every call with its answer, the assumptions it leaned on and what it changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from confsim.kernel.world import Place, World

from .message import Request, Response

#: Entries a journal keeps; the oldest go first.
KEPT = 1000


class Entry(Struct):
    """One call. ``operation`` is empty when no route matched; ``touched`` lists the records written, by table and key."""

    id: str
    at: int
    operation: str
    request: Request
    response: Response
    assumptions: tuple[str, ...]
    touched: list[tuple[Place, Any]]
    before: World
    after: World
    caller: str = ""


class Journal:
    """The last calls, oldest first."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self.count = 0

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def next_id(self) -> str:
        """The id of the entry to come."""
        self.count += 1
        return f"r{self.count}"

    def add(self, entry: Entry) -> None:
        """Take an entry up."""
        self._entries.append(entry)

    def clear(self) -> int:
        """Forget everything; answers how many entries that were."""
        count = len(self._entries)
        self._entries.clear()
        return count
