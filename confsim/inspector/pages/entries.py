"""The list of the journal: entries by the instant of the world, runs of like calls folded to one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec import Struct

from confsim.control.matching import EntryKind

#: Like calls in a row that are folded.
_RUN = 3


class RunOfCalls(Struct, frozen=True):
    """Like calls in a row, newest first; a single entry is a run of its own."""

    entries: list[Any]

    @property
    def is_folded(self) -> bool:
        """Whether they are shown as one line."""
        return len(self.entries) >= _RUN


class Group(Struct, frozen=True):
    """The entries of an instant, newest first, and the milliseconds from the group below to this one."""

    at: int
    after: int | None
    runs: list[RunOfCalls]


def grouped_by_instant(entries: Iterable[Any]) -> list[Group]:
    """Return entries, newest first, in groups of the same second of the world's clock."""
    seconds = [list(those) for _, those in groupby(entries, key=lambda each: each.at // 1000)]
    groups = []
    for place, those in enumerate(seconds):
        below = seconds[place + 1][0].at if place + 1 < len(seconds) else None
        groups.append(Group(those[0].at, None if below is None else those[0].at - below, list(_runs(those))))
    return groups


def _runs(entries: list[Any]) -> Iterator[RunOfCalls]:
    for like, those in groupby(entries, key=_likeness):
        found = list(those)
        yield from (
            [RunOfCalls(found)] if like is not None and len(found) >= _RUN else (RunOfCalls([each]) for each in found)
        )


def _likeness(entry: Any) -> object:
    """Return what calls of a run have in common; None for an entry that stands for itself."""
    plain = 200 <= (entry.status or 0) < 300 and not entry.faults
    said = entry.kind == EntryKind.CALL and entry.changes
    return (entry.kind, entry.operation, entry.status) if plain and not said else None
