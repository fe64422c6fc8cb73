"""A page of several views in one order is found without a walk from the beginning."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confsim.kernel.tables import views
from confsim.kernel.tables.filling import fill
from confsim.kernel.tables.indexes import Index, Order
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.tables.views import UNIQUE, merged
from confsim.kernel.world import TooLong, World


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
    st.integers(25, 60),
    st.integers(1, 30),
    st.booleans(),
    st.booleans(),
)
def test_a_page_far_from_the_beginning(pebbles, first, length, descending, bounded):
    """It is that of all records sorted, in both directions, also of views that show a part."""
    found = rows(pebbles)
    shown = [found.where(COLOUR, colour).by(BY_SIZE) for colour in "abc"]
    expected = sorted(found.all, key=lambda pebble: (pebble.size, pebble.id))
    if bounded:
        shown = [view.between(BY_SIZE, 2, 8) for view in shown]
        expected = [pebble for pebble in expected if 2 <= pebble.size < 8]
    if descending:
        expected = expected[::-1]
    together = merged(shown, UNIQUE, descending=descending)
    assert together[first : first + length] == expected[first : first + length]
    assert together[first : first + length : 3] == expected[first : first + length : 3]


def test_what_lies_before_a_page_is_not_read(monkeypatch):
    """As many records are walked over as the page has."""
    found = rows([("abc"[number % 3], number % 7) for number in range(3000)])
    walked = []

    def counted(records, *bounds):
        walked.append(bounds)
        return islice(records, *bounds)

    monkeypatch.setattr(views, "islice", counted)
    page = merged((found.where(COLOUR, colour).by(BY_SIZE) for colour in "abc"), UNIQUE)[2000:2020]
    assert walked == [(20,)]
    assert page == sorted(found.all, key=lambda pebble: (pebble.size, pebble.id))[2000:2020]


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


@pytest.mark.parametrize("place", [0, 1500, 2999])
def test_the_places_of_each_view(place):
    """The records of the views before a place are as many as the place says, and none of them comes after it."""
    found = rows([("abc"[number % 3], number * 37 % 101) for number in range(3000)])
    together = merged([found.where(COLOUR, colour).by(BY_SIZE) for colour in "abc"], UNIQUE)
    starts = together._starts(place)
    assert sum(starts) == place
    at = list(together)[place]
    for view, start in zip(together._views, starts, strict=True):
        assert all((pebble.size, pebble.id) < (at.size, at.id) for pebble in view[:start])


@pytest.mark.parametrize("others", [[], [("b", 1), ("b", 2)]])
def test_the_view_of_a_value_that_no_record_has(others):
    """It is empty in every way of reading it, whatever else the table holds; all worlds share it."""
    found = rows(others)
    view = found.where(COLOUR, "a")
    for each in (view, view.by(BY_SIZE), view.by(BY_SIZE, descending=True), view.descending, view.cut(0, 5)):
        assert ([*each], [*reversed(each)], [*each.keys], len(each), bool(each)) == ([], [], [], 0, False)
        assert (each.first, each.last, each[:3], each[-2:]) == (None, None, [], [])
        with pytest.raises(IndexError):
            each[0]
    assert [*view.between(BY_SIZE, 0, 9)] == []
    with pytest.raises(ValueError, match="not in tuple"):
        view.by(Order("another", "id"))
    assert view is rows([("b", 3)]).where(COLOUR, "a")  # the one of the index, in any world
    with pytest.raises(TypeError):
        view.rows[1] = (1, Pebble(1, "a", 1))
    found.put(Pebble(99, "a", 3))
    assert [pebble.id for pebble in found.where(COLOUR, "a")] == [99]
