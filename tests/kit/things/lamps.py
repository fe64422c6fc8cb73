"""Lamps: a machine for the tests of the interpreter."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from msgspec.structs import replace

from confsim.kernel.machine import Machine
from confsim.kernel.rows import ABSENT, Deadline, Guard, Row
from confsim.kernel.tables.indexes import Index
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import Change, World


class Light(Enum):
    """States for the tests."""

    ON = "on"
    OFF = "off"


class Why(Enum):
    """Reasons for the tests."""

    BROKEN = 1
    OTHERWISE = 2


class Lamp(Record, kw_only=True):
    """A record for the tests. ``expires`` is when it goes off by itself."""

    id: int
    client: str = "c"
    room: str = "hall"
    state: Light = Light.OFF
    broken: bool = False
    expires: int | None = None


BY_ROOM: Index[Lamp] = Index("room", "room")
LAMPS: Table[int, Lamp] = Table("test lamps", Lamp, "id", BY_ROOM)


def make(name: str, **options: Any) -> Machine[Light, Lamp]:
    """A machine of lamps, still without rows, that is not one of confsim."""
    options = {"state": "state", "refused": Why.OTHERWISE, **options}
    machine: Machine[Light, Lamp] = Machine(name, "A lamp.", LAMPS, Light, **options)
    del Machine.declared[name]
    return machine


LAMP = make("test lamp")
SWITCH_ON = LAMP.trigger(
    "switch on", refused={Light.OFF: Why.BROKEN}, details=lambda change, lamp: {"id": lamp and lamp.id}
)
SWITCH_OFF = LAMP.trigger("switch off")
TAKE_DOWN = LAMP.trigger("take down")


@LAMP.creation("install")
def install(change: Change, id: int, broken: bool = False) -> Lamp:
    """It hangs."""
    return Lamp(id=id, broken=broken)


@LAMP.effect("expire")
def expire(change: Change, lamp: Lamp, expires: int) -> Lamp:
    """It is known when it goes off."""
    return replace(lamp, expires=expires)


WHOLE = ~Guard("broken", lambda change, lamp: lamp.broken)
LAMP.declare(
    Row(install, ABSENT, Light.OFF, source="test"),
    Row(SWITCH_ON, Light.OFF, Light.ON, only_if=WHOLE, source="test"),
    Row(SWITCH_OFF, tuple(Light), Light.OFF, at=Deadline("test lamp", lambda lamp: lamp.expires), source="test"),
    Row(expire, Light.ON, Light.ON, source="test"),
    Row(TAKE_DOWN, tuple(Light), ABSENT, source="test"),
)


def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing influence the lamps but what the test declares."""
    monkeypatch.setattr(LAMP, "cascades", ())
    for row in LAMP.rows:
        for name in ("needs", "couplings"):
            monkeypatch.setattr(row, name, ())


def installed(**fields: Any) -> tuple[Change, Lamp]:
    """A change of a world with one lamp, and the lamp."""
    change = World().change(0)
    return change, install(change, 1, **fields)


def others(change: Change, lamp: Lamp) -> list[Lamp]:
    """The other lamps of the room."""
    return [each for each in LAMPS.of(change, "c").where(BY_ROOM, lamp.room) if each.id != lamp.id]
