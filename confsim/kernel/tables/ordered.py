"""Persistent sorted sequences of tuples: the order of a table and of its indexes, the queue of timers.

Up to ``WIDTH`` entries are a plain sorted tuple, more are an ``Ordered``: a row of such tuples. Both support len(),
indexing, slices and iteration in both directions. ``insert`` and ``remove`` return another sequence and leave the given
one unchanged; of 100,000 entries they copy about a thousand. Own code: rpds has no ordered map, and sortedcontainers
and ``heapq`` change in place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias, overload

from msgspec import Struct

#: Most entries of a leaf. One with fewer than a quarter is joined with its neighbour.
WIDTH = 256

#: A tuple that can be compared with every entry of its sequence and is equal to none.
Entry: TypeAlias = "tuple[Any, ...]"
Leaf: TypeAlias = "tuple[Entry, ...]"
Entries: TypeAlias = "Leaf | Ordered"

_FIRST = itemgetter(0)


class Ordered(Struct, frozen=True, gc=False):
    """Leaves in order, none of them empty, and the number of their entries."""

    size: int
    leaves: tuple[Leaf, ...]

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> Leaf: ...
    def __getitem__(self, place: int | slice) -> Entry | Leaf:
        """Return the entry at an index, or those of a slice as a tuple; costs the distance from the nearer end."""
        if not isinstance(place, slice):
            at, rest = self._spot(range(self.size)[place])
            return self.leaves[at][rest]
        wanted = range(self.size)[place]
        if not wanted:
            return ()
        low, high = (wanted[0], wanted[-1]) if wanted.step > 0 else (wanted[-1], wanted[0])
        at, rest = self._spot(low)
        found = self.leaves[at][rest : rest + high + 1 - low]
        while len(found) <= high - low:
            at += 1
            found += self.leaves[at][: high + 1 - low - len(found)]
        return found[:: wanted.step]

    def _spot(self, place: int) -> tuple[int, int]:
        """Return the leaf that has the entry at an index, and the index in this leaf."""
        at, leaves = 0, self.leaves
        if place < self.size // 2:
            while place >= len(leaves[at]):
                place -= len(leaves[at])
                at += 1
            return at, place
        place -= self.size
        while place < 0:
            at -= 1
            place += len(leaves[at])
        return len(leaves) + at, place

    def __iter__(self) -> Iterator[Entry]:
        return chain.from_iterable(self.leaves)

    def __reversed__(self) -> Iterator[Entry]:
        return chain.from_iterable(map(reversed, reversed(self.leaves)))


def sequence(entries: Leaf) -> Entries:
    """Return the sequence of entries that are sorted already."""
    if len(entries) <= WIDTH:
        return entries
    return Ordered(len(entries), tuple(entries[at : at + WIDTH] for at in range(0, len(entries), WIDTH)))


def insert(entries: Entries, entry: Entry) -> Entries:
    """Return the sequence with a new entry."""
    if isinstance(entries, tuple):
        return sequence(_inserted(entries, entry))
    at, leaves = _place(entries, entry), entries.leaves
    leaf = _inserted(leaves[at], entry)
    cut = WIDTH if leaf[-1] is entry else WIDTH // 2  # a sequence that grows at its end has full leaves
    parts = (leaf,) if len(leaf) <= WIDTH else (leaf[:cut], leaf[cut:])
    return Ordered(entries.size + 1, leaves[:at] + parts + leaves[at + 1 :])


def remove(entries: Entries, entry: Entry) -> Entries:
    """Return the sequence without an entry. Raises ValueError when it has none."""
    if isinstance(entries, tuple):
        return _removed(entries, entry)
    if entries.size <= WIDTH // 2:
        return _removed(tuple(entries), entry)
    at, leaves = _place(entries, entry), entries.leaves
    leaf = _removed(leaves[at], entry)
    if len(leaf) >= WIDTH // 4 or len(leaves) == 1:
        return Ordered(entries.size - 1, (*leaves[:at], leaf, *leaves[at + 1 :]))
    first = max(at - 1, 0)
    both = leaves[first] + leaf if first < at else leaf + leaves[at + 1]
    parts = (both,) if len(both) <= WIDTH else (both[: len(both) // 2], both[len(both) // 2 :])
    return Ordered(entries.size - 1, leaves[:first] + parts + leaves[first + 2 :])


def position(entries: Entries, entry: Entry) -> int:
    """Return the number of entries before this one, which need not be in the sequence."""
    if isinstance(entries, tuple):
        return bisect_left(entries, entry)
    at, leaves = _place(entries, entry), entries.leaves
    inside = bisect_left(leaves[at], entry)
    if at < len(leaves) // 2:
        return sum(map(len, leaves[:at])) + inside
    return entries.size - sum(map(len, leaves[at:])) + inside


def _place(entries: Ordered, entry: Entry) -> int:
    """Return the index of the leaf in which an entry belongs."""
    return max(bisect_right(entries.leaves, entry, key=_FIRST) - 1, 0)


def _inserted(leaf: Leaf, entry: Entry) -> Leaf:
    at = bisect_left(leaf, entry)
    return (*leaf[:at], entry, *leaf[at:])


def _removed(leaf: Leaf, entry: Entry) -> Leaf:
    at = bisect_left(leaf, entry)
    if leaf[at : at + 1] != (entry,):
        raise ValueError(f"{entry} is not in the sequence")
    return leaf[:at] + leaf[at + 1 :]
