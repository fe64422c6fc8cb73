"""A machine moves the record that is stored, whatever its truth value, and returns it as it is stored afterwards."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from msgspec.structs import replace

from confsim.kernel.influence import Coupling, TransitionObserver
from confsim.kernel.machine import Machine
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


@pytest.fixture
def box() -> Machine[Lid, Box]:
    """A machine of boxes that nothing influences but what the test declares."""
    rows = (
        Row("make", ABSENT, Lid.SHUT, source="test"),
        Row("open", Lid.SHUT, Lid.OPEN, source="test"),
        Row("shut", Lid.OPEN, Lid.SHUT, source="test"),
        Row("fill", tuple(Lid), Lid.OPEN, effect=_fill, source="test"),
        Row("burn", tuple(Lid), ABSENT, source="test"),
    )
    facts = {"make": "draft", "fill": "thing"}
    machine: Machine[Lid, Box] = Machine(
        "test box", "A box.", BOXES, Lid, rows, state="lid", facts=facts, refusals={None: Why.NO}
    )
    del Machine.declared["test box"]
    return machine


def made(box: Machine[Lid, Box], **fields: Any) -> tuple[Change, Box]:
    """A change in which there is a box, and the box."""
    change = World().change(0)
    return change, box.create(change, "make", draft=Box(id=1, **fields))


def test_the_truth_of_a_record_decides_nothing(box) -> None:
    """A record that is false in a condition is created, moved, returned and removed like any other."""
    change, shut = made(box)
    opened = box.fire(change, shut, "open")
    assert not opened
    assert opened == box.fire_if_allowed(change, opened, "open") == BOXES.of(change, "c")[1]
    box.end(change, opened, "burn")
    assert not BOXES.of(change, "c").all


def test_an_old_record_is_written_by_nobody(box) -> None:
    """A record that is no longer the stored one is neither moved nor updated nor removed, and nothing changes."""
    change, shut = made(box)
    opened = box.fire(change, shut, "open")
    world = change.commit()
    change = world.change(0)
    for write in (
        lambda: box.fire(change, shut, "open"),
        lambda: box.fire_if_allowed(change, shut, "open"),
        lambda: box.end(change, shut, "burn"),
        lambda: BOXES.of(change, "c").update(shut, content=("hat",)),
        lambda: box.fire(change, replace(opened), "shut"),
    ):
        with pytest.raises(StaleRecord, match="read it again"):
            write()
    assert box.fire_if_allowed(change, shut, "shut") is shut  # no row admits it, so nothing is written
    assert change.commit() is world


def test_what_a_transition_causes_is_in_the_record_that_it_returns(box) -> None:
    """The record is read again after couplings and observers; of a removed one the last value is returned."""
    hat = {"thing": "hat"}
    Coupling(box, Lid.OPEN, box, "fill", lambda change, box: [box], facts=lambda *_: hat, by="open", source="test")
    change, shut = made(box)
    opened = box.fire(change, shut, "open")
    assert (opened.content, opened) == (("hat",), BOXES.of(change, "c")[1])
    TransitionObserver(box, Lid.SHUT, lambda change, box: BOXES.of(change, "c").remove(box.id))
    assert box.fire(change, opened, "shut") == replace(opened, lid=Lid.SHUT)


def test_what_is_influenced_is_read_when_its_turn_comes(box) -> None:
    """Firing at one record may change or remove the next: it is moved as it is then, or not at all."""
    change, first = made(box)
    second = box.create(change, "make", draft=Box(id=2))
    third = box.create(change, "make", draft=Box(id=3))

    def others(change: Change, moved: Box) -> list[Box]:
        return [second, third] if moved.id == 1 else []

    def spill(change: Change, moved: Box) -> None:
        if moved.id == 2:
            BOXES.of(change, "c").remove(3)

    Coupling(box, Lid.OPEN, box, "fill", others, facts=lambda *_: {"thing": "hat"}, by="open", source="test")
    TransitionObserver(box, Lid.OPEN, spill, by="fill")
    box.fire(change, first, "open")
    assert [(found.id, found.content) for found in BOXES.of(change, "c").all] == [(1, ()), (2, ("hat",))]
