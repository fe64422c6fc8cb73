"""States of tables are values, however far their indexes are."""

from __future__ import annotations

import threading
from collections.abc import Callable

from confsim import Simulator
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.users.users import USERS
from confsim.kernel.tables.indexes import Index
from confsim.kernel.tables.states import LATE, TableState
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import World
from confsim.service.files import world_file
from kit import CUSTOMER, OWNER, ROOM, START


class Leaf(Record):
    """A record with two properties by which it is indexed."""

    id: int
    colour: int
    shape: int


#: What happens whenever an index asks for the shape of a leaf.
WHEN_ASKED: list[Callable[[], object]] = []


def _shape(shape: int) -> tuple[int]:
    for act in WHEN_ASKED:
        act()
    return (shape,)


COLOUR: Index[Leaf] = Index("colour", "colour")
SHAPE: Index[Leaf] = Index("shape", "shape", of=_shape)
LEAVES: Table[int, Leaf] = Table("test leaves", Leaf, "id", COLOUR, SHAPE)


def test_equal_worlds_are_equal_whatever_was_read():
    """The same change of the same world, in one of which an index is read; another change makes another world."""
    one, other, third = (Simulator(clock=START) for _ in range(3))
    for each in (one, other):
        each.call("rename_channel", OWNER, uuid=ROOM, name="Planning")
    third.call("rename_channel", OWNER, uuid=ROOM, name="Review")
    assert len(CHANNELS.seen(one.service.world, CUSTOMER).all) > 1
    assert one.service.world == other.service.world
    assert one.service.world != third.service.world
    tables = one.service.world.client_tables[""]
    assert tables[0] != tables


def test_a_world_that_is_built_twice_is_equal():
    """What another profile leaves as it is, and what was read since."""
    document = world_file.read("demo")
    one, other = (world_file.build(document, 0, {}).world for _ in range(2))
    assert len(USERS.seen(one, CUSTOMER).all) > 1
    assert one == other


def test_a_fork_reads_in_another_thread_while_this_one_writes(monkeypatch):
    """It undoes that an index was brought up to date meanwhile; the written world has everything all the same."""
    change = World().change(0)
    rows = LEAVES.of(change, "c")
    for id in range(LATE):
        rows.put(Leaf(id, id % 2, id % 3))
        if id == 4:
            assert len(rows.where(COLOUR, 0)) == 3
        elif id == 9:
            assert len(rows.where(SHAPE, 0)) == 4
            assert len(rows.all) == 10
    world = change.commit()
    asked, may_go_on = threading.Event(), threading.Event()

    def wait() -> None:
        if threading.current_thread() is reader:
            asked.set()
            assert may_go_on.wait(10)

    reader = threading.Thread(target=lambda: LEAVES.of(world.change(0), "c").where(SHAPE, 0))
    monkeypatch.setattr(f"{__name__}.WHEN_ASKED", [wait])
    reader.start()
    assert asked.wait(10)
    original = TableState.index

    def index(state: TableState, wanted: Index[Leaf]) -> object:
        found = original(state, wanted)
        may_go_on.set()
        reader.join()
        return found

    monkeypatch.setattr(TableState, "index", index)
    written = world.change(0)
    LEAVES.of(written, "c").put(Leaf(99, 0, 0))
    monkeypatch.undo()
    after = LEAVES.of(written.commit().change(0), "c")
    assert [leaf.id for leaf in after.where(COLOUR, 0)] == [*range(0, LATE, 2), 99]
    assert [leaf.id for leaf in after.where(SHAPE, 0)] == [*range(0, LATE, 3), 99]
