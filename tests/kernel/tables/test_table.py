"""Tables against a plain model: a dict in order of creation, indexes, orders and totals by scanning and sorting."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest
from hypothesis import given, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from msgspec.structs import replace

from confsim.kernel.tables.indexes import CREATED, Index, Order, Total, Unique
from confsim.kernel.tables.states import LATE
from confsim.kernel.tables.table import Record, Rows, Table
from confsim.kernel.tables.views import View, merged
from confsim.kernel.world import World
from kit.growth.steps import steps


class Thing(Record):
    """A record for the tests."""

    id: int
    colour: str
    tags: tuple[str, ...] = ()
    size: int = 0
    badge: int | None = None


BIG_FIRST: Order[Thing] = Order("big first", "size", key=lambda size: -size)
COLOURED: Order[Thing] = Order("coloured", "colour", "size", key=lambda colour, size: (colour, size))
SIZE: Total[Thing] = Total("size", "size")
COLOUR: Index[Thing] = Index("colour", "colour")
TAG: Index[Thing] = Index("tag", "tags", of=lambda tags: tags, orders=(BIG_FIRST, CREATED, COLOURED), totals=(SIZE,))
BADGE: Unique[Thing] = Unique("badge", "badge")
THINGS: Table[int, Thing] = Table(
    "test things", Thing, "id", COLOUR, TAG, BADGE, orders=(CREATED, COLOURED), totals=(SIZE,)
)
ANY_COLOUR: Index[Thing] = Index("colour", "colour")
ANY_BADGE: Unique[Thing] = Unique("badge", "badge")
EVERYBODYS: Table[int, Thing] = Table("test things of everybody", Thing, "id", ANY_COLOUR, ANY_BADGE, shared=True)

BUILT = st.builds(
    Thing,
    st.integers(0, 30),
    st.sampled_from(["red", "green", "blue"]),
    st.lists(st.sampled_from(["a", "b", "red"]), max_size=3).map(tuple),  # one is a colour, too
    st.integers(0, 3),
    st.one_of(st.none(), st.integers(0, 9)),
)
PLACES = st.one_of(st.none(), st.integers(-35, 35))
CUTS = st.builds(slice, PLACES, PLACES, st.sampled_from([None, 1, 2, -1, -2]))


def _same(view: View[Thing], expected: Sequence[Thing], cut: slice) -> None:
    """The view is the sequence, in whichever way it is read."""
    for one, other in ((view, list(expected)), (view.descending, list(expected)[::-1])):
        assert list(one) == other
        assert list(reversed(one)) == other[::-1]
        assert (len(one), bool(one)) == (len(other), bool(other))
        assert (one.first, one.last) == ((other[0], other[-1]) if other else (None, None))
        assert one[cut] == other[cut]
        assert [one[-1], one[len(other) - 1]] == [other[-1]] * 2 if other else not one


def _together(found: Sequence[Thing], expected: list[Thing], cut: slice) -> None:
    assert (list(found), len(found), found[cut]) == (expected, len(expected), expected[cut])
    assert [found[place] for place in range(-len(expected), len(expected))] == expected * 2
    with pytest.raises(IndexError):
        found[len(expected)]


def test_views_of_which_one_has_records_need_no_merging() -> None:
    """That view is what they are together."""
    change = World().change(0)
    rows = THINGS.of(change, "c")
    rows.put(Thing(1, "red"))
    red, green, blue = (rows.where(COLOUR, colour) for colour in ("red", "green", "blue"))
    assert merged([green, red, blue], one_table=False) is red
    rows.put(Thing(2, "blue"))
    red, blue = (rows.where(COLOUR, colour) for colour in ("red", "blue"))
    assert [each.id for each in merged([blue, red, green], one_table=False)] == [1, 2]
    assert list(merged([green], one_table=False)) == []


class TableMachine(RuleBasedStateMachine):
    """Random writes, with a plain model beside."""

    @initialize()
    def begin(self) -> None:
        """An empty world."""
        self.world = World()
        self.model: dict[int, Thing] = {}
        self.forks: list[tuple[World, dict[int, Thing]]] = []
        self._open()

    def _open(self) -> None:
        self.change = self.world.change(0)
        self.rows: Rows[int, Thing] = THINGS.of(self.change, "k")

    @rule(things=st.lists(BUILT, min_size=1, max_size=LATE + 4))
    def put(self, things: list[Thing]) -> None:
        """Insert or replace; a replaced record keeps its place. A badge is of one alone."""
        for thing in things:
            if any(other.badge == thing.badge is not None and other.id != thing.id for other in self.model.values()):
                with pytest.raises(ValueError, match=f"badge {thing.badge} is that of another"):
                    self.rows.put(thing)
            else:
                assert self.rows.put(thing) is thing
                self.model[thing.id] = thing

    @rule(id=st.integers(0, 30))
    def remove(self, id: int) -> None:
        """Remove, or KeyError."""
        if id in self.model:
            self.rows.remove(id)
            del self.model[id]
        else:
            with pytest.raises(KeyError):
                self.rows.remove(id)

    @rule()
    def commit(self) -> None:
        """What is committed is seen by the next change."""
        self.world = self.change.commit()
        self.forks.append((self.world, dict(self.model)))
        self._open()

    @rule()
    def drop(self) -> None:
        """What is not committed was never there."""
        self._open()
        self.model = {thing.id: thing for thing in self.rows.all}

    @rule(cut=CUTS)
    def look_back(self, cut: slice) -> None:
        """No world that was committed changes with what follows."""
        for world, model in self.forks:
            self._agrees(THINGS.seen(world, "k"), model, cut)

    @rule(colour=st.sampled_from(["red", "green", "blue"]), cut=CUTS)
    def look_at_one(self, colour: str, cut: slice) -> None:
        """An index can be read while others have not been for a while."""
        coloured = [thing for thing in self.model.values() if thing.colour == colour]
        _same(self.rows.where(COLOUR, colour), coloured, cut)

    @rule(cut=CUTS)
    def look(self, cut: slice) -> None:
        """Views of all, and of each value of an index, in each order, are those of the model; so are their totals."""
        self._agrees(self.rows, self.model, cut)

    def teardown(self) -> None:
        """Whatever was read before, in the end everything is as in the model."""
        if hasattr(self, "rows"):
            self._agrees(self.rows, self.model, slice(2, -1))

    def _agrees(self, rows: Rows[int, Thing], model: dict[int, Thing], cut: slice) -> None:
        every = list(model.values())
        assert len(rows) == len(model)
        _same(rows.all, every, cut)
        _same(rows.all.by(COLOURED), sorted(every, key=lambda thing: (thing.colour, thing.size)), cut)
        assert rows.all.total(SIZE) == sum(thing.size for thing in every)
        for id in range(31):
            assert rows.get(id) == model.get(id)
            assert (id in rows) is (id in model)
        for colour in ("red", "green", "blue"):
            _same(rows.where(COLOUR, colour), [thing for thing in every if thing.colour == colour], cut)
        for tag in "abc":
            expected = [thing for thing in every if tag in thing.tags]
            view = rows.where(TAG, tag)
            _same(view, sorted(expected, key=lambda thing: -thing.size), cut)
            _same(view.by(CREATED), expected, cut)
            _same(view.by(CREATED, descending=True), expected[::-1], cut)
            _same(view.by(COLOURED), sorted(expected, key=lambda thing: (thing.colour, thing.size)), cut)
            for low, high in ((-2, -1), (None, -1), (-2, None), (None, None), (-1, -2)):
                part = [
                    thing for thing in expected if (low or -9) <= -thing.size and (high is None or -thing.size < high)
                ]
                _same(view.between(BIG_FIRST, low, high), sorted(part, key=lambda thing: -thing.size), cut)
            assert view.total(SIZE) == sum(thing.size for thing in expected)
        tagged = [rows.where(TAG, tag).by(COLOURED) for tag in "abc"]
        expected = [thing for tag in "abc" for thing in every if tag in thing.tags]
        key = lambda thing: (thing.colour, thing.size)  # noqa: E731
        _together(merged(tagged, one_table=False), sorted(expected, key=key), cut)
        place = {id: place for place, id in enumerate(model)}
        latest = sorted(expected, key=lambda thing: (*key(thing), place[thing.id]), reverse=True)
        _together(merged([rows.where(TAG, tag).by(COLOURED) for tag in "abc"], descending=True), latest, cut)
        numbers = {tag: sum(tag in thing.tags for thing in every) for tag in "abc"}
        for order in TAG.orders:
            whole = [rows.where(TAG, tag).by(order) for tag in "ab" if numbers[tag]]
            assert [[*view.shown()] for view in rows.each(TAG, "axb", order)] == [[*view.shown()] for view in whole]
        assert [THINGS.has(rows.change, TAG, tag, "k") for tag in "abc"] == [number > 0 for number in numbers.values()]
        assert [*THINGS.where(rows.change, TAG, "a", "k")] == [*rows.where(TAG, "a")]
        for badge in range(10):
            assert rows.one(BADGE, badge) == next((thing for thing in every if thing.badge == badge), None)
            assert THINGS.one(rows.change, BADGE, badge, "k") is rows.one(BADGE, badge)


TestTable = TableMachine.TestCase


def test_an_order_or_total_that_is_not_declared_is_an_error() -> None:
    """However many records there are."""
    rows = THINGS.of(World().change(0), "k")
    for id in range(3):
        view = rows.where(COLOUR, "red")
        with pytest.raises(ValueError, match="not in tuple"):
            view.by(COLOURED)
        with pytest.raises(ValueError, match="not in tuple"):
            view.total(SIZE)
        rows.put(Thing(id, "red"))


def test_a_view_is_of_the_moment_it_was_made() -> None:
    """What is written while it is read is not in it."""
    rows = _filled(3)
    for thing in rows.all:
        rows.remove(thing.id)
        rows.put(Thing(thing.id + 10, "blue"))
    assert [thing.id for thing in rows.all] == [10, 11, 12]


def test_what_is_written_costs_the_same_whether_anybody_reads_or_not() -> None:
    """After any number of changes that no index was read between, neither a change nor a reading takes longer."""

    def worst(count: int) -> tuple[int, int]:
        world, worlds, written = World(), [], 0
        for id in range(count):
            change = world.change(0)
            rows, thing = THINGS.of(change, "k"), Thing(id, "red", ("a",), id % 7)
            written = max(written, steps(partial(rows.put, thing)))
            world = change.commit()
            worlds.append(world)
        latest = [THINGS.seen(world, "k") for world in worlds[-3 * LATE :]]
        return written, max(steps(partial(rows.where, COLOUR, "red")) for rows in latest)

    worst(1)  # what is done once for a table
    assert all(many <= 2 * few for few, many in zip(worst(100), worst(2000), strict=True))


def test_threads_may_read_one_world() -> None:
    """Each finds every change, though the first to read an index brings it up to date for all."""
    change = World().change(0)
    for id in range(1000):
        THINGS.of(change, "k").put(Thing(id, "red", ("a",), -id))
    world = change.commit()
    for turn in range(50):
        change = world.change(0)
        for id in range(turn, turn + LATE):
            THINGS.of(change, "k").put(Thing(id, "blue", ("b",), -id))
        after, ready = change.commit(), Barrier(4)

        def read(_: int, world: World = after, ready: Barrier = ready) -> list[list[int]]:
            ready.wait()
            rows = THINGS.seen(world, "k")
            return [[thing.id for thing in rows.where(index, value)] for index, value in ((COLOUR, "blue"), (TAG, "b"))]

        with ThreadPoolExecutor(4) as threads:
            seen = [*threads.map(read, range(4))]
        assert seen == [[[*range(turn, turn + LATE)]] * 2] * 4


def test_rows_have_no_order_of_their_own() -> None:
    """They are read by key or by a view, never by iteration."""
    with pytest.raises(TypeError, match="not iterable"):
        iter(_filled(3))  # type: ignore[call-overload]


def _filled(count: int) -> Rows[int, Thing]:
    rows = THINGS.of(World().change(0), "k")
    for id in range(count):
        rows.put(Thing(id, "red"))
    return rows


def test_clients_do_not_share_a_table() -> None:
    """A record of one client is not there for another."""
    change = World().change(0)
    THINGS.of(change, "one").put(Thing(1, "red"))
    world = change.commit()
    assert 1 in THINGS.seen(world, "one")
    assert 1 not in THINGS.seen(world, "two")


def test_a_shared_table_is_of_the_whole_service() -> None:
    """What is put into it is there no matter who asks, and in no table of a client."""
    change = World().change(0)
    EVERYBODYS.of(change).put(Thing(1, "red"))
    THINGS.of(change, "one").put(Thing(2, "red"))
    world = change.commit()
    assert [thing.id for thing in EVERYBODYS.seen(world).all] == [1]
    assert [thing.id for thing in THINGS.seen(world, "one").all] == [2]
    assert {place: len(state.rows) for place, state in world.tables()} == {
        ("", "test things of everybody"): 1,
        ("one", "test things"): 1,
    }


@pytest.mark.parametrize("table", [THINGS, EVERYBODYS])
def test_a_single_record_is_read(table: Table[int, Thing]) -> None:
    """By its key or a value, as of the rows; None for one that is not there."""
    change, thing = World().change(0), Thing(1, "red", badge=7)
    colour, badge = (ANY_COLOUR, ANY_BADGE) if table.shared else (COLOUR, BADGE)
    of = () if table.shared else ("c",)
    for there in (False, True):
        if there:
            table.of(change, *of).put(thing)
        written = thing if there else None
        assert [table.get(change, key, *of) for key in (1, 2)] == [written, None]
        assert [table.one(change, badge, value, *of) for value in (7, 8)] == [written, None]
        assert [[*table.where(change, colour, value, *of)] for value in ("red", "blue")] == [[thing] * there, []]
        assert [table.has(change, colour, value, *of) for value in ("red", "blue")] == [there, False]


@pytest.mark.parametrize("shared", [False, True])
def test_a_table_that_is_declared_later_is_empty_in_older_worlds(shared: bool) -> None:
    """A world that was written before knows nothing of it, and takes it up with the next write."""
    change = World().change(0)
    EVERYBODYS.of(change).put(Thing(1, "red"))
    THINGS.of(change, "one").put(Thing(1, "red"))
    world = change.commit()
    later: Table[int, Thing] = Table(
        f"test things declared as {len(Table.declared)}", Thing, "id", Index("colour", "colour"), shared=shared
    )
    client = "" if later.shared else "one"
    assert len(later.seen(world, client)) == 0
    assert later.get(world.change(0), 1, client) is None
    assert not world.state(later, client).rows
    change = world.change(0)
    later.of(change, client).put(Thing(3, "blue"))
    after = change.commit()
    assert [thing.id for thing in later.seen(after, client).where(later.indexes[1], "blue")] == [3]
    assert [thing.id for thing in THINGS.seen(after, "one").all] == [1]
    assert [thing.id for thing in EVERYBODYS.seen(after).all] == [1]


@pytest.mark.parametrize(("table", "client"), [(THINGS, ""), (EVERYBODYS, "one")])
def test_a_table_is_asked_for_the_client_that_it_has(table: Table[int, Thing], client: str) -> None:
    """A shared table belongs to no client, and any other one to each."""
    with pytest.raises(ValueError, match=r"is shared|is of each client"):
        table.of(World().change(0), client)


@given(st.integers(1, 20))
def test_replacing_keeps_the_place(count: int) -> None:
    """A record that is replaced stays where it was made."""
    rows = _filled(count)
    before = [thing.id for thing in rows.all]
    rows.put(replace(rows[0], colour="blue"))
    assert [thing.id for thing in rows.all] == before


def test_a_table_is_declared_once() -> None:
    """A second table of a name is an error of ours."""
    with pytest.raises(ValueError, match="twice"):
        Table("test things", Thing, "id")
