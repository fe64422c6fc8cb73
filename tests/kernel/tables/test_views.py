"""Views: pages of several that are merged, the steps that reading takes, and the view of no records."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.kernel.tables.filling import fill
from confsim.kernel.tables.indexes import Index, Order
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.tables.views import merged
from confsim.kernel.world import TooLong, World
from kit.growth.steps import steps


class Pebble(Record):
    """A record of one colour."""

    id: int
    colour: str
    size: int


BY_SIZE: Order[Pebble] = Order("size", "size")
COLOUR: Index[Pebble] = Index("colour", "colour", orders=(BY_SIZE,))
PEBBLES: Table[int, Pebble] = Table("test pebbles", Pebble, "id", COLOUR)


def rows(pebbles):
    """A table that holds pebbles of these colours and sizes."""
    change = World().change(0)
    fill(change, PEBBLES, "client", [Pebble(id, *each) for id, each in enumerate(pebbles)])
    return PEBBLES.of(change, "client")


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), min_size=40, max_size=200),
    st.integers(0, 60),
    st.integers(1, 30),
    st.booleans(),
    st.booleans(),
)
def test_a_page_of_merged_views(pebbles, first, length, descending, bounded):
    """It is that of all records sorted, in both directions, also of views that show a part."""
    found = rows(pebbles)
    shown = [found.where(COLOUR, colour).by(BY_SIZE) for colour in "abc"]
    expected = sorted(found.all, key=lambda pebble: (pebble.size, pebble.id))
    if bounded:
        shown = [view.between(BY_SIZE, 2, 8) for view in shown]
        expected = [pebble for pebble in expected if 2 <= pebble.size < 8]
    if descending:
        expected = expected[::-1]
    together = merged(shown, descending=descending)
    assert together[first : first + length] == expected[first : first + length]
    assert together[first : first + length : 3] == expected[first : first + length : 3]
    assert together[first + length : first : -2] == expected[first + length : first : -2]
    assert (len(together), [*together]) == (len(expected), expected)


def test_a_page_reads_no_record_behind_it():
    """The newest page takes fewer lines of Python than there are records in a view."""
    found = rows([("abc"[number % 3], number) for number in range(3000)])
    together = merged((found.where(COLOUR, colour).by(BY_SIZE) for colour in "abc"), descending=True)
    taken = steps(lambda: together[:20])
    assert [pebble.size for pebble in together[:20]] == [*range(2999, 2979, -1)]
    assert taken < 500


def test_a_page_of_many_views_takes_steps():
    """A hundred views are a step, and so are a hundred records up to the end of the page."""
    found = rows([(str(number), number) for number in range(250)])
    together = merged(found.where(COLOUR, str(number)).by(BY_SIZE) for number in range(250))
    found.change.limit(3)
    assert len(together[:20]) == 20
    assert found.change.steps == 1
    with pytest.raises(TooLong):
        together[:]


@pytest.mark.parametrize(
    "read",
    [list, lambda view: view[:], lambda view: list(view.descending), lambda view: view.by(BY_SIZE)[50:]],
    ids=["all", "slice", "descending", "by an order"],
)
def test_reading_many_records_takes_steps(read):
    """Reading a hundred records is a step; a change may take as many as its limit says, and no further one after it."""
    found = rows([("a", number) for number in range(250)])
    found.change.limit(2)
    assert len(read(found.where(COLOUR, "a"))) >= 200
    assert found.change.steps == 0
    for _ in range(2):  # a change that went too far is not free again
        with pytest.raises(TooLong):
            read(found.where(COLOUR, "a"))
    found.change.limit(1)
    assert len(found.where(COLOUR, "a")[-99:]) == 99  # a page is none
    assert found.where(COLOUR, "a").last is not None


@pytest.mark.parametrize("others", [[], [("b", 1), ("b", 2)]])
def test_the_view_of_a_value_that_no_record_has(others):
    """It is empty in every way of reading it, whatever else the table holds."""
    found = rows(others)
    view = found.where(COLOUR, "a")
    for each in (view, view.by(BY_SIZE), view.by(BY_SIZE, descending=True), view.descending):
        assert ([*each], [*reversed(each)], [*each.keys], len(each), bool(each)) == ([], [], [], 0, False)
        assert (each.first, each.last, each[:3], each[-2:]) == (None, None, [], [])
        with pytest.raises(IndexError):
            each[0]
    assert [*view.between(BY_SIZE, 0, 9)] == []
    with pytest.raises(ValueError, match="not in tuple"):
        view.by(Order("another", "id"))
    found.put(Pebble(99, "a", 3))
    assert [pebble.id for pebble in found.where(COLOUR, "a")] == [99]
