"""Machines of two states: collections and switches."""

from __future__ import annotations

from msgspec.structs import replace

from confsim.kernel.due import fire_due_timers
from confsim.kernel.machine import Machine
from confsim.kernel.rows import ABSENT, EXISTS, Deadline
from confsim.kernel.timers import ALARMS
from confsim.kernel.two_states import Collection, Toggle
from confsim.kernel.world import Change, World
from kit.things.lamps import LAMPS, Lamp, Light, Why, installed


def test_a_collection_declares_its_ways_in_of_change_and_out() -> None:
    """Its records are there or not; each way is a trigger with one row, also one at a deadline."""
    hung: Collection[Lamp] = Collection("test hung lamp", "A lamp.", LAMPS, refused=Why.OTHERWISE)
    del Machine.declared["test hung lamp"]
    hang = hung.added("install", source="test")
    fall = hung.removed("fall", at=Deadline("test fall", lambda lamp: lamp.expires), source="test")

    @hung.changed("move", move_to_end=True, source="test")
    def move(change: Change, lamp: Lamp, room: str) -> Lamp:
        return replace(lamp, room=room)

    assert hung.states == (ABSENT, EXISTS)
    assert [(str(row.when), row.on, row.then) for row in hung.rows] == [
        ("install", (ABSENT,), EXISTS), ("fall", (EXISTS,), ABSENT), ("move", (EXISTS,), EXISTS)
    ]  # fmt: skip
    change = World().change(0)
    for id in (1, 2):
        hang(change, Lamp(id=id, expires=id))
    move(change, LAMPS.of(change, "c")[1], "attic")
    assert [(lamp.id, lamp.room) for lamp in LAMPS.of(change, "c").all] == [(2, "hall"), (1, "attic")]
    world, _ = fire_due_timers(change.commit(), 1)
    assert [lamp.id for lamp in LAMPS.seen(world, "c").all] == [2]
    assert fall.reason(ABSENT) is Why.OTHERWISE
    LAMPS.alarms = tuple(alarm for alarm in LAMPS.alarms if alarm is not ALARMS["test fall"])


def test_a_switch_is_two_rows_each_way() -> None:
    """It knows whether a trigger changes anything, and finds each by its word."""
    broken: Toggle[Light, Lamp] = Toggle(
        "test switch", "A switch.", LAMPS, "broken", Light, refused=Why.OTHERWISE, sources=("test", "test")
    )
    del Machine.declared["test switch"]
    change, lamp = installed()
    assert broken.off.holds(lamp)
    on = broken.to("enable")(change, lamp)
    assert on.broken
    assert broken.on.holds(on)
    assert broken.on(change, on) == on
    assert not broken.to("disable")(change, on).broken


def test_a_switch_declares_its_ways_in_and_out() -> None:
    """A record is added in one state or in its own, is changed in both, and is removed from both."""
    broken: Toggle[Light, Lamp] = Toggle(
        "test added switch", "A switch.", LAMPS, "broken", Light, refused=Why.OTHERWISE, sources=("test", "test")
    )
    del Machine.declared["test added switch"]
    assert broken.initial is Light.OFF
    hang = broken.added("install", source="test")
    whole = broken.added("install whole", into=Light.OFF, source="test")
    fall = broken.removed("fall", source="test")

    @broken.changed("move", source="test")
    def move(change: Change, lamp: Lamp, room: str) -> Lamp:
        return replace(lamp, room=room)

    assert broken.initial is ABSENT
    change = World().change(0)
    lamps = [hang(change, Lamp(id=1, broken=True)), hang(change, Lamp(id=2)), whole(change, Lamp(id=3, broken=True))]
    assert [broken.state(lamp) for lamp in lamps] == [Light.ON, Light.OFF, Light.OFF]
    for lamp in lamps:
        moved = move(change, lamp, "attic")
        assert (moved.room, broken.state(moved)) == ("attic", broken.state(lamp))
        fall(change, moved)
    assert list(LAMPS.of(change, "c").all) == []
    assert not move.admits(change, None, "hall")
