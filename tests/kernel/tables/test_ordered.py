"""Ordered sequences against plain sorted lists, and what an operation on one touches."""

from __future__ import annotations

from bisect import bisect_left, insort

import pytest
from hypothesis import given, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from confsim.kernel.tables import ordered
from confsim.kernel.tables.ordered import Entries, Entry, Ordered, insert, position, remove, sequence

PLACES = st.one_of(st.none(), st.integers(-300, 300))
SLICES = st.builds(slice, PLACES, PLACES, st.sampled_from([None, 1, 2, -1, -3]))


class OrderedMachine(RuleBasedStateMachine):
    """Random writes at either end and anywhere, many at a time, with a sorted list beside."""

    @initialize(width=st.sampled_from([4, 8, 64, 256]), size=st.integers(0, 400))
    def begin(self, width: int, size: int) -> None:
        """A sequence of some length, whose leaves may be narrow."""
        ordered.WIDTH = width
        self.model: list[Entry] = [(each * 10, "") for each in range(size)]
        self.entries: Entries = sequence(tuple(self.model))
        self.serial = 0
        self.forks: list[tuple[Entries, list[Entry]]] = []

    def teardown(self) -> None:
        """Leaves have their width again."""
        ordered.WIDTH = 256

    def _insert(self, place: int) -> None:
        self.serial += 1
        entry = (place, f"{self.serial}")
        insort(self.model, entry)
        self.entries = insert(self.entries, entry)

    @rule(count=st.integers(1, 90))
    def append(self, count: int) -> None:
        """Entries at the end."""
        for each in range(count):
            self._insert(10_000 + self.serial + each)

    @rule(places=st.lists(st.integers(-5, 5_000), min_size=1, max_size=90))
    def spread(self, places: list[int]) -> None:
        """Entries anywhere."""
        for place in places:
            self._insert(place)

    @precondition(lambda self: self.model)
    @rule(start=st.integers(0, 10**6), count=st.integers(1, 200))
    def take(self, start: int, count: int) -> None:
        """Remove neighbours."""
        start %= len(self.model)
        for entry in self.model[start : start + count]:
            self.entries = remove(self.entries, entry)
        del self.model[start : start + count]

    @precondition(lambda self: self.model)
    @rule(step=st.integers(2, 7))
    def thin(self, step: int) -> None:
        """Remove all but each seventh, or fewer."""
        gone = [entry for place, entry in enumerate(self.model) if place % step]
        for entry in gone:
            self.entries = remove(self.entries, entry)
        self.model = self.model[::step]

    @rule()
    def fork(self) -> None:
        """Keep what is here now."""
        self.forks.append((self.entries, list(self.model)))

    @rule(cut=SLICES)
    def cut(self, cut: slice) -> None:
        """A slice is that of the list."""
        assert list(self.entries[cut]) == self.model[cut]

    @rule(entry=st.tuples(st.integers(-5, 10_000), st.just("not there")))
    def miss(self, entry: Entry) -> None:
        """An entry that is not there has a position, and cannot be removed."""
        assert position(self.entries, entry) == bisect_left(self.model, entry)
        assert position(self.entries, entry[:1]) == bisect_left(self.model, entry[:1])
        with pytest.raises(ValueError, match="not in the sequence"):
            remove(self.entries, entry)

    @invariant()
    def agrees(self) -> None:
        """Length, both directions and the ends are those of the list; leaves have their width; no fork has changed."""
        if not hasattr(self, "entries"):
            return
        assert len(self.entries) == len(self.model)
        assert list(self.entries) == self.model
        assert list(reversed(self.entries)) == self.model[::-1]
        if self.model:
            assert (self.entries[0], self.entries[-1]) == (self.model[0], self.model[-1])
        if isinstance(self.entries, Ordered):
            assert all(0 < len(leaf) <= ordered.WIDTH for leaf in self.entries.leaves)
        for entries, model in self.forks:
            assert list(entries) == model


TestOrdered = OrderedMachine.TestCase


@given(st.integers(-3, 200), st.integers(0, 200))
def test_a_place_beyond_the_ends_is_an_error(place: int, size: int) -> None:
    """As in a list."""
    model = [(each,) for each in range(size)]
    entries = sequence(tuple(model))
    if -size <= place < size:
        assert entries[place] == model[place]
    else:
        with pytest.raises(IndexError):
            entries[place]


class Key:
    """A value that counts how often it is compared."""

    compared = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __lt__(self, other: Key) -> bool:
        Key.compared += 1
        return self.value < other.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.value == other.value

    __hash__ = None  # type: ignore[assignment]


@pytest.fixture(scope="module")
def hundred_thousand() -> Entries:
    """As many entries, of even values."""
    return sequence(tuple([(Key(2 * each),) for each in range(100_000)]))


@pytest.mark.parametrize("place", [0, 50_001, 99_999, 200_000])
def test_a_write_compares_with_few_entries(place: int, hundred_thousand: Entries) -> None:
    """Inserting into a hundred thousand, and removing again, looks at one leaf and not at the rest."""
    entry = (Key(2 * place + 1),)
    Key.compared = 0
    more = insert(hundred_thousand, entry)
    assert Key.compared < 40
    remove(more, entry)
    assert Key.compared < 100


def test_what_is_left_after_removals_lies_close_together() -> None:
    """A page of what is left of many entries is in few leaves, whichever were removed."""
    entries = sequence(tuple([(each,) for each in range(20_000)]))
    for each in range(20_000):
        if each % 50:
            entries = remove(entries, (each,))
    assert isinstance(entries, Ordered)
    assert len(entries.leaves) <= 400 // (ordered.WIDTH // 4) + 1
