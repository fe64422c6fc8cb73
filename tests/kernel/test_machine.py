"""The interpreter of machines: records made, moved and removed by rows; triggers, guards, deadlines, influences."""

from __future__ import annotations

from typing import Any

import pytest

from confsim.kernel import diagram
from confsim.kernel.due import fire_due_timers
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT, Computed, Deadline, Filled, Guard, Row
from confsim.kernel.tables.table import Table
from confsim.kernel.timers import ALARMS
from confsim.kernel.world import Change, World
from kit.things.lamps import (
    BY_ROOM,
    LAMP,
    LAMPS,
    SWITCH_ON,
    TAKE_DOWN,
    Lamp,
    Light,
    Why,
    expire,
    install,
    installed,
    make,
)


def test_records_are_made_moved_and_removed() -> None:
    """The table holds the record in the state of the row; the state of one that is not there is ABSENT."""
    change, lamp = installed()
    rows = LAMPS.of(change, "c")
    assert rows[1] is lamp
    assert LAMP.state(lamp) is Light.OFF
    lit = SWITCH_ON(change, lamp)
    assert rows[1] is lit
    assert lit == Lamp(id=1, state=Light.ON)
    TAKE_DOWN(change, lit)
    assert rows.get(1) is None
    assert LAMP.state(rows.get(1)) is ABSENT


@pytest.mark.parametrize(
    ("lamp", "reason"),
    [(Lamp(id=1, broken=True), Why.BROKEN), (Lamp(id=1, state=Light.ON), Why.OTHERWISE), (None, Why.OTHERWISE)],
    ids=["guard", "no row", "absent"],
)
def test_no_row_is_a_refusal(lamp: Lamp | None, reason: Why) -> None:
    """The reason is that of the trigger for the state, else that of the machine; the details are the trigger's."""
    change = World().change(0)
    if lamp is not None:
        LAMPS.of(change, "c").put(lamp)
    change = change.commit().change(0)
    with pytest.raises(Refusal) as caught:
        SWITCH_ON(change, lamp)
    assert (caught.value.reason, caught.value.facts) == (reason, {"id": lamp and lamp.id})
    assert SWITCH_ON.if_allowed(change, lamp) is lamp
    assert not SWITCH_ON.admits(change, lamp)
    assert change.commit() is change.world


def test_arguments_reach_guards_and_effects_by_place_and_by_name() -> None:
    """A guard and an effect take all arguments of the trigger, or none."""
    machine = make("test arguments")
    seen: list[tuple[object, ...]] = []

    @machine.effect("move", details=lambda change, lamp, watts, room="hall": {"watts": watts})
    def move(change: Change, lamp: Lamp, watts: int, room: str = "hall") -> Lamp:
        seen.append((watts, room))
        return lamp

    bright = Guard("bright", lambda change, lamp, watts, room="hall": watts > 0)
    machine.declare(
        Row(move, Light.OFF, Light.OFF, only_if=bright, source="test"),
        Row(move, Light.ON, Light.OFF, only_if=Guard("whole", lambda change, lamp: not lamp.broken), effect=None,
            source="test"),
    )  # fmt: skip
    change, lamp = installed()
    move(change, lamp, 1)
    move(change, lamp, room="attic", watts=2)
    assert seen == [(1, "hall"), (2, "attic")]
    with pytest.raises(Refusal) as refused:
        move(change, lamp, 0)
    assert refused.value.facts == {"watts": 0}
    lit = SWITCH_ON(change, lamp)
    assert move(change, lit, 0).state is Light.OFF
    assert len(seen) == 2


def _takes_watts(change: Change, lamp: Lamp, watts: int) -> Lamp:
    return lamp


def _optional(change: Change, lamp: Lamp, expires: int = 0) -> Lamp:
    return lamp


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            lambda on, off: Row(on, Light.OFF, Light.ON, effect=_takes_watts, source=""),
            "takes none, but a function watts",
        ),
        (lambda on, off: Row(on, Light.OFF, Light.ON, only_if=Guard("w", _takes_watts), source=""), "takes none"),
        (lambda on, off: Row(on, Light.OFF, Light.ON, source=""), "has no row for 'switch off'"),
        (
            lambda on, off: Row(expire, Light.ON, Light.ON, effect=_optional, source=""),
            "takes expires, but .* or nothing",
        ),
        (lambda on, off: Row(SWITCH_ON, Light.OFF, Light.ON, source=""), "has a row of 'test lamp'"),
        (
            lambda on, off: Row(install, Light.OFF, Light.ON, source=""),
            "creates, and has a row that is not from ABSENT",
        ),
    ],
    ids=["effect", "guard", "no row", "default", "another machine", "creation"],
)
def test_what_a_declaration_shows_to_be_wrong_fails_when_it_is_made(row: Any, message: str) -> None:
    """An argument that the trigger does not have, a trigger without a row, a row of another machine."""
    machine = make("test wrong")
    on, off = machine.trigger("switch on"), machine.trigger("switch off")
    with pytest.raises(ValueError, match=message):
        machine.declare(row(on, off))


def test_a_trigger_is_declared_once_and_its_details_take_its_arguments() -> None:
    """Both are errors of the declaration."""
    machine = make("test twice")
    machine.trigger("switch on")
    with pytest.raises(ValueError, match="declares the trigger 'switch on' twice"):
        machine.trigger("switch on")
    with pytest.raises(ValueError, match="takes none, but a function watts"):
        machine.trigger("switch off", details=_takes_watts)  # type: ignore[arg-type]


def test_an_effect_that_leads_elsewhere_is_a_bug() -> None:
    """The interpreter checks that a computed state is the one that the row names."""
    stuck = make("test stuck lamp", state=Computed(lambda lamp: Light.OFF))
    on = stuck.trigger("switch on")
    stuck.declare(Row(on, Light.OFF, Light.ON, source="test"))
    change, lamp = installed()
    with pytest.raises(AssertionError, match="did not lead to"):
        on(change, lamp)


def test_a_field_that_is_filled_or_not_holds_a_state() -> None:
    """A row empties the field; to fill it is for the effect."""
    lamp = make("test filled lamp", state=Filled("expires", Light.ON, Light.OFF))
    off, on = lamp.trigger("switch off"), lamp.trigger("switch on")
    lamp.declare(Row(off, tuple(Light), Light.OFF, source="test"), Row(on, tuple(Light), Light.ON, source="test"))
    change = World().change(0)
    lit = LAMPS.of(change, "c").put(Lamp(id=1, expires=9))
    assert lamp.state(lit) is Light.ON
    assert off(change, lit) == LAMPS.of(change, "c")[1] == Lamp(id=1)
    with pytest.raises(AssertionError, match="did not set expires"):
        on(change, LAMPS.of(change, "c")[1])


def test_a_draft_is_stored_in_the_state_of_the_row() -> None:
    """Whatever the draft says."""
    lamp = make("test drafted lamp")
    hang = lamp.draft("install")
    lamp.declare(Row(hang, ABSENT, Light.ON, source="test"))
    change = World().change(0)
    assert hang(change, Lamp(id=1)) == LAMPS.of(change, "c")[1] == Lamp(id=1, state=Light.ON)


def test_a_row_moves_its_record_to_the_end() -> None:
    """It is the latest of its table afterwards; other rows leave it at its place."""
    moving = make("test mover")
    on, off = moving.trigger("switch on"), moving.trigger("switch off")
    moving.declare(
        Row(on, Light.OFF, Light.ON, source="test"),
        Row(off, Light.ON, Light.OFF, move_to_end=True, source="test"),
    )
    change = World().change(0)
    rows = LAMPS.of(change, "c")
    lamps = [install(change, id) for id in (1, 2)]
    lit = on(change, lamps[0])
    assert [lamp.id for lamp in rows.all] == [1, 2]
    off(change, lit)
    assert list(rows.all) == [lamps[1], Lamp(id=1)]
    assert list(rows.where(BY_ROOM, "hall")) == [lamps[1], Lamp(id=1)]


def test_a_deadline_follows_the_record() -> None:
    """It is set and moved with the field, falls due at its instant, and is cancelled where no row has it."""
    change, lamp = installed()
    lit = SWITCH_ON(change, lamp)
    for expires in (50, 70):
        lit = expire(change, lit, expires)
    assert [(timer.due, timer.kind, timer.subject) for timer in change.timers] == [(70, "test lamp", "1")]
    before, _ = fire_due_timers(change.commit(), 69)
    assert LAMPS.seen(before, "c")[1].state is Light.ON
    after, fired = fire_due_timers(before, 70)
    assert LAMPS.seen(after, "c")[1].state is Light.OFF
    assert [each.timer.due for each in fired] == [70]
    TAKE_DOWN(change, lit)
    assert list(change.timers) == []


def test_a_timed_machine_needs_one_table_and_no_arguments() -> None:
    """Its records are looked up by the subject of a timer, which is a field, and has no arguments to give."""
    with pytest.raises(ValueError, match="no record has the field 'roon'"):
        LAMP.deadline("test no field", lambda lamp: lamp.expires, subject="roon")
    at = Deadline("test no table", lambda lamp: 1)
    nowhere: Machine[Light, Lamp] = Machine("test timed", "A lamp.", None, Light, state="state", refused=Why.OTHERWISE)
    del Machine.declared["test timed"]
    with pytest.raises(ValueError, match="no single table"):
        nowhere.declare(Row(nowhere.trigger("switch off"), Light.ON, Light.OFF, at=at, source="test"))
    machine = make("test needy")
    fade = machine.effect("fade")(_takes_watts)
    with pytest.raises(ValueError, match="cannot give 'fade' its arguments"):
        machine.declare(Row(fade, Light.ON, Light.OFF, at=at, source="test"))
    assert "test no table" not in ALARMS


def test_a_machine_knows_its_records() -> None:
    """Those of its table, or what the function takes that chooses one; none without a table."""

    def chosen(lamp: Lamp) -> Table[int, Lamp]:
        return LAMPS

    assert LAMP.record is Lamp
    for table, record in ((chosen, Lamp), (None, None)):
        machine: Machine[Light, Any] = Machine(
            "test other lamp", "A lamp.", table, Light, state="state", refused=Why.OTHERWISE
        )
        assert Machine.of(LAMPS) == ([machine] if record is Lamp else [])
        del Machine.declared["test other lamp"]
        assert machine.record is record


def test_an_effect_without_words_is_reported_by_its_name() -> None:
    """As rows in words show it."""
    shown = make("test flicker")

    @shown.effect("flicker")
    def flicker(change: Change, lamp: Lamp) -> Lamp:
        return lamp

    shown.declare(Row(flicker, Light.ON, Light.ON, source="test"))
    assert diagram.in_words(shown)[0]["effect"] == "flicker"


def test_a_machine_is_drawn_from_its_rows() -> None:
    """Diagram and words."""
    drawn = diagram.mermaid(LAMP)
    assert "absent --> off: install" in drawn
    assert "off --> on: switch on [not broken]" in drawn
    assert "on --> off: switch off at the deadline of test lamp" in drawn
    assert diagram.in_words(LAMP)[:3] == [
        {"when": "install", "on": "absent", "at": "", "only if": "", "then": "off", "effect": "It hangs.",
         "source": "test"},
        {"when": "switch on", "on": "off", "at": "", "only if": "not broken", "then": "on", "effect": "",
         "source": "test"},
        {"when": "switch off", "on": "on | off", "at": "test lamp", "only if": "", "then": "off", "effect": "",
         "source": "test"},
    ]  # fmt: skip


def test_a_trigger_has_its_own_reasons_before_those_of_its_machine() -> None:
    """One for all states replaces them; those by state leave the others to the machine."""
    reasons = {ABSENT: Why.BROKEN, None: Why.OTHERWISE}
    machine: Machine[Light, Lamp] = Machine("test reasons", "A lamp.", LAMPS, Light, state="state", refused=reasons)
    del Machine.declared["test reasons"]
    assert machine.trigger("plain").reasons == reasons
    assert machine.trigger("by state", refused={Light.ON: Why.BROKEN}).reasons == {**reasons, Light.ON: Why.BROKEN}
    assert machine.trigger("all", refused=Why.OTHERWISE).reasons == {None: Why.OTHERWISE}
