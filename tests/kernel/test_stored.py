"""A machine moves the record that is stored, whatever its truth value, and returns it as it is stored afterwards."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from msgspec.structs import replace

from confsim.kernel.influence import Coupling
from confsim.kernel.machine import Call, Machine
from confsim.kernel.rows import ABSENT, Row
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.tables.writing import StaleRecord
from confsim.kernel.world import Change, World


class Lid(Enum):
    """States for the tests."""

    OPEN = "open"
    SHUT = "shut"


class Why(Enum):
    """The reason for the tests."""

    NO = "no"


class Box(Record, kw_only=True):
    """A record that is false in a condition as long as it is empty."""

    id: int
    client: str = "c"
    content: tuple[str, ...] = ()
    lid: Lid = Lid.SHUT

    def __len__(self) -> int:
        return len(self.content)


def _fill(change: Change, box: Box, thing: str) -> Box:
    return replace(box, content=(*box.content, thing))


BOXES: Table[int, Box] = Table("test boxes", Box, "id")


class Boxes:
    """A machine of boxes that nothing influences but what the test declares, and its triggers."""

    def __init__(self) -> None:
        self.machine = machine = Machine("test box", "A box.", BOXES, Lid, state="lid", refused=Why.NO)
        del Machine.declared["test box"]
        self.make = machine.draft("make")
        self.open = machine.trigger("open")
        self.shut = machine.trigger("shut")
        self.fill = machine.effect("fill")(_fill)
        self.burn = machine.trigger("burn")
        machine.declare(
            Row(self.make, ABSENT, Lid.SHUT, source="test"),
            Row(self.open, Lid.SHUT, Lid.OPEN, source="test"),
            Row(self.shut, Lid.OPEN, Lid.SHUT, source="test"),
            Row(self.fill, tuple(Lid), Lid.OPEN, source="test"),
            Row(self.burn, tuple(Lid), ABSENT, source="test"),
        )


@pytest.fixture
def box() -> Boxes:
    """A machine of boxes."""
    return Boxes()


def made(box: Boxes, **fields: Any) -> tuple[Change, Box]:
    """A change in which there is a box, and the box."""
    change = World().change(0)
    return change, box.make(change, Box(id=1, **fields))


def test_the_truth_of_a_record_decides_nothing(box) -> None:
    """A record that is false in a condition is created, moved, returned and removed like any other."""
    change, shut = made(box)
    opened = box.open(change, shut)
    assert not opened
    assert opened == box.open.if_allowed(change, opened) == BOXES.of(change, "c")[1]
    box.burn(change, opened)
    assert not BOXES.of(change, "c").all


def test_an_old_record_is_written_by_nobody(box) -> None:
    """A record that is no longer the stored one is neither moved nor updated nor removed, and nothing changes."""
    change, shut = made(box)
    opened = box.open(change, shut)
    world = change.commit()
    change = world.change(0)
    for write in (
        lambda: box.open(change, shut),
        lambda: box.open.if_allowed(change, shut),
        lambda: box.burn(change, shut),
        lambda: BOXES.of(change, "c").update(shut, content=("hat",)),
        lambda: box.shut(change, replace(opened)),
    ):
        with pytest.raises(StaleRecord, match="read it again"):
            write()
    assert box.shut.if_allowed(change, shut) is shut  # no row admits it, so nothing is written
    assert change.commit() is world


def test_what_a_transition_causes_is_in_the_record_that_it_returns(box) -> None:
    """The record is read again after couplings; of a removed one the last value is returned."""
    fill = box.fill
    Coupling(box.machine, Lid.OPEN, fill, lambda change, box: [fill.on(box, "hat")], by=box.open, source="test")
    change, shut = made(box)
    opened = box.open(change, shut)
    assert (opened.content, opened) == (("hat",), BOXES.of(change, "c")[1])
    Coupling(box.machine, Lid.SHUT, None, lambda change, box: BOXES.of(change, "c").remove(box.id))
    assert box.shut(change, opened) == replace(opened, lid=Lid.SHUT)


def test_what_is_influenced_is_read_when_its_turn_comes(box) -> None:
    """Firing at one record may change or remove the next: it is moved as it is then, or not at all."""
    change, first = made(box)
    second = box.make(change, Box(id=2))
    third = box.make(change, Box(id=3))

    def others(change: Change, moved: Box) -> list[Call[Box]]:
        return [box.fill.on(each, "hat") for each in (second, third) if moved.id == 1]

    def spill(change: Change, moved: Box) -> None:
        if moved.id == 2:
            BOXES.of(change, "c").remove(3)

    Coupling(box.machine, Lid.OPEN, box.fill, others, by=box.open, source="test")
    Coupling(box.machine, Lid.OPEN, None, spill, by=box.fill)
    box.open(change, first)
    assert [(found.id, found.content) for found in BOXES.of(change, "c").all] == [(1, ()), (2, ("hat",))]
