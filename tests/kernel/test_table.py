"""Tables against a plain model: a dict, a list of keys in order of creation, and indexes by scanning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from confsim.kernel.table import SWEEP, Index, Record, Rows, SharedTable, Table
from confsim.kernel.world import World


class Thing(Record):
    """A record for the tests."""

    id: int
    colour: str
    tags: tuple[str, ...] = ()


COLOUR: Index[Thing] = Index("colour", lambda thing: (thing.colour,))
TAG: Index[Thing] = Index("tag", lambda thing: thing.tags)
THINGS: Table[int, Thing] = Table("test things", Thing, "id", COLOUR, TAG)
EVERYBODYS: SharedTable[int, Thing] = SharedTable("test things of everybody", Thing, "id")

COLOURS = st.sampled_from(["red", "green", "blue"])
TAGS = st.lists(st.sampled_from("abc"), max_size=3, unique=True).map(tuple)
KEYS = st.integers(0, 30)


class TableMachine(RuleBasedStateMachine):
    """Random writes, with a plain model beside."""

    @initialize()
    def begin(self) -> None:
        """An empty world."""
        self.world = World()
        self.model: dict[int, Thing] = {}
        self.order: list[int] = []
        self._open()

    def _open(self) -> None:
        self.change = self.world.change(0)
        self.rows: Rows[int, Thing] = THINGS.of(self.change, "k")

    @rule(id=KEYS, colour=COLOURS, tags=TAGS)
    def put(self, id: int, colour: str, tags: tuple[str, ...]) -> None:
        """Insert or replace; a replaced record keeps its place."""
        thing = Thing(id, colour, tags)
        self.rows.put(thing)
        if id not in self.model:
            self.order.append(id)
        self.model[id] = thing

    @rule(id=KEYS)
    def remove(self, id: int) -> None:
        """Remove, or KeyError."""
        if id in self.model:
            self.rows.remove(id)
            del self.model[id]
            self.order.remove(id)
        else:
            with pytest.raises(KeyError):
                self.rows.remove(id)

    @rule()
    def commit(self) -> None:
        """What is committed is seen by the next change."""
        self.world = self.change.commit()
        self._open()

    @rule()
    def drop(self) -> None:
        """What is not committed was never there."""
        self._open()
        self.order = [thing.id for thing in reversed(list(self.rows))]
        self.model = {thing.id: thing for thing in self.rows}

    @invariant()
    def agrees(self) -> None:
        """Order, length, look-ups and indexes are those of the model."""
        if not hasattr(self, "rows"):
            return
        assert [thing.id for thing in self.rows] == self.order[::-1]
        assert [thing.id for thing in self.rows.oldest()] == self.order
        assert len(self.rows) == len(self.model)
        for id in range(31):
            assert self.rows.get(id) == self.model.get(id)
        for colour in ("red", "green", "blue"):
            expected = [id for id in self.order if self.model[id].colour == colour]
            assert [thing.id for thing in self.rows.find(COLOUR, colour)] == expected
            assert self.rows.count(COLOUR, colour) == len(expected)
        for tag in "abc":
            expected = [id for id in self.order if tag in self.model[id].tags]
            assert [thing.id for thing in self.rows.find(TAG, tag)] == expected


TestTable = TableMachine.TestCase


def _filled(count: int) -> Rows[int, Thing]:
    rows = THINGS.of(World().change(0), "k")
    for id in range(count):
        rows.put(Thing(id, "red"))
    return rows


def test_the_order_is_swept_of_the_dead() -> None:
    """After most records are gone, the order holds hardly more than the living."""
    rows = _filled(10 * SWEEP)
    for id in range(10 * SWEEP - 3):
        rows.remove(id)
    assert [thing.id for thing in rows] == [10 * SWEEP - 1, 10 * SWEEP - 2, 10 * SWEEP - 3]
    assert len(list(rows.state.order)) <= 2 * SWEEP + 3


def test_clients_do_not_share_a_table() -> None:
    """A record of one client is not there for another."""
    change = World().change(0)
    THINGS.of(change, "one").put(Thing(1, "red"))
    world = change.commit()
    assert 1 in THINGS.seen(world, "one")
    assert 1 not in THINGS.seen(world, "two")


def test_a_shared_table_is_of_the_whole_service() -> None:
    """What is put into it is there whoever asks, and in no table of a client."""
    change = World().change(0)
    EVERYBODYS.of(change).put(Thing(1, "red"))
    THINGS.of(change, "one").put(Thing(2, "red"))
    world = change.commit()
    assert [thing.id for thing in EVERYBODYS.seen(world)] == [1]
    assert [thing.id for thing in THINGS.seen(world, "one")] == [2]
    assert {place: len(state.rows) for place, state in world.tables()} == {
        ("", "test things of everybody"): 1,
        ("one", "test things"): 1,
    }


@pytest.mark.parametrize("kind", [Table, SharedTable])
def test_a_table_that_is_declared_later_is_empty_in_older_worlds(kind: type[Table[int, Thing]]) -> None:
    """A world that was written before knows nothing of it, and takes it up with the next write."""
    change = World().change(0)
    EVERYBODYS.of(change).put(Thing(1, "red"))
    THINGS.of(change, "one").put(Thing(1, "red"))
    world = change.commit()
    later: Table[int, Thing] = kind(f"test things declared as {len(Table.declared)}", Thing, "id", COLOUR)
    client = "" if later.shared else "one"
    assert len(later.seen(world, client)) == 0
    assert later.get(world.change(0), 1, client) is None
    assert not world.state(later, client).rows
    change = world.change(0)
    later.of(change, client).put(Thing(3, "blue"))
    after = change.commit()
    assert [thing.id for thing in later.seen(after, client).find(COLOUR, "blue")] == [3]
    assert [thing.id for thing in THINGS.seen(after, "one")] == [1]
    assert [thing.id for thing in EVERYBODYS.seen(after)] == [1]


@given(st.integers(1, 20))
def test_replacing_keeps_the_place(count: int) -> None:
    """A record that is replaced stays where it was made."""
    rows = _filled(count)
    before = [thing.id for thing in rows]
    rows.put(replace(rows[0], colour="blue"))
    assert [thing.id for thing in rows] == before


def test_a_table_is_declared_once() -> None:
    """A second table of a name is an error of ours."""
    with pytest.raises(ValueError, match="twice"):
        Table("test things", Thing, "id")
