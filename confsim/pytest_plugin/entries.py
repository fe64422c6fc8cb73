"""The calls of a test, in its worlds and their forks."""

from __future__ import annotations

from confsim.service.entries import JournalEntry
from confsim.service.live import WorldObserver


class SeenCalls(WorldObserver):
    """Appends the entry of each call to ``calls``."""

    outside = True

    def __init__(self, calls: list[JournalEntry]) -> None:
        self._calls = calls

    def answered(self, entry: JournalEntry, withheld: JournalEntry | None) -> None:  # noqa: ARG002 - the final one
        """Append the entry."""
        self._calls.append(entry)
