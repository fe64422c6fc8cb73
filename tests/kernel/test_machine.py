"""The interpreter of machines: records made, moved and removed by rows; guards, facts, deadlines, observers."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from msgspec.structs import replace

from confsim.kernel import diagram
from confsim.kernel.due import fire_due_timers
from confsim.kernel.influence import Cascade, Coupling, Firing, Need, TransitionObserver
from confsim.kernel.machine import Machine, switch
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT, Computed, Deadline, Filled, Guard, Row
from confsim.kernel.tables.indexes import Index
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.timers import ALARMS
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


def _install(change: Change, lamp: Lamp) -> Lamp:
    """It hangs."""
    return lamp


def _expire(change: Change, lamp: Lamp, expires: int) -> Lamp:
    """It is known when it goes off."""
    return replace(lamp, expires=expires)


def make(name: str, *rows: Row, **options: Any) -> Machine[Light, Lamp]:
    """A machine of lamps that is not one of the house, and whose timers fall due in a test."""
    options = {"state": "state", "refusals": {None: Why.OTHERWISE}, **options}
    machine: Machine[Light, Lamp] = Machine(name, "A lamp.", LAMPS, Light, rows, **options)
    del Machine.declared[name]
    return machine


WHOLE = ~Guard("broken", lambda lamp: lamp.broken)
LAMP = make(
    "test lamp",
    Row("install", ABSENT, Light.OFF, effect=_install, source="test"),
    Row("switch on", Light.OFF, Light.ON, only_if=WHOLE, source="test"),
    Row("switch off", tuple(Light), Light.OFF, at=Deadline("test lamp", lambda lamp: lamp.expires), source="test"),
    Row("expire", Light.ON, Light.ON, effect=_expire, source="test"),
    Row("take down", tuple(Light), ABSENT, source="test"),
    facts={"install": "lamp", "expire": "expires"},
    refusals={("switch on", Light.OFF): Why.BROKEN, None: Why.OTHERWISE},
)


def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing influence the lamps but what the test declares."""
    monkeypatch.setattr(LAMP, "cascades", ())
    for row in LAMP.rows:
        for name in ("needs", "observers", "couplings"):
            monkeypatch.setattr(row, name, ())


def installed(**fields: Any) -> tuple[Change, Lamp]:
    """A change of a world with one lamp, and the lamp."""
    change = World().change(0)
    return change, LAMP.create(change, "install", lamp=Lamp(id=1, **fields))


def test_records_are_made_moved_and_removed() -> None:
    """The table holds the record in the state of the row; the state of one that is not there is ABSENT."""
    change, lamp = installed()
    rows = LAMPS.of(change, "c")
    assert rows[1] is lamp
    assert LAMP.state(lamp) is Light.OFF
    lit = LAMP.fire(change, lamp, "switch on")
    assert rows[1] is lit
    assert lit == Lamp(id=1, state=Light.ON)
    LAMP.end(change, lit, "take down")
    assert rows.get(1) is None
    assert LAMP.state(rows.get(1)) is ABSENT


@pytest.mark.parametrize(
    ("lamp", "reason"),
    [(Lamp(id=1, broken=True), Why.BROKEN), (Lamp(id=1, state=Light.ON), Why.OTHERWISE), (None, Why.OTHERWISE)],
    ids=["guard", "no row", "absent"],
)
def test_no_row_is_a_refusal(lamp: Lamp | None, reason: Why) -> None:
    """The reason is the nearest that the machine names; only the details reach the caller."""
    change = World().change(0)
    if lamp is not None:
        LAMPS.of(change, "c").put(lamp)
    change = change.commit().change(0)
    with pytest.raises(Refusal) as caught:
        LAMP.fire(change, lamp, "switch on", details={"where": "kitchen"})
    assert (caught.value.reason, caught.value.facts) == (reason, {"where": "kitchen"})
    assert LAMP.fire_if_allowed(change, lamp, "switch on") is lamp
    assert change.commit() is change.world


@pytest.mark.parametrize("facts", [{}, {"lamp": None, "watts": 40}, {"lmap": None}])
def test_a_trigger_takes_its_facts_and_no_others(facts: dict[str, Any]) -> None:
    """A missing one, one too many, a misspelt one."""
    with pytest.raises(TypeError, match="'install' takes lamp, not"):
        LAMP.create(World().change(0), "install", **facts)


@pytest.mark.parametrize("facts", [{}, {"install": "lmap"}, {"install": "lamp watts"}, {"instal": "lamp"}])
def test_facts_that_are_not_declared_fail_when_the_machine_is_made(facts: dict[str, str]) -> None:
    """So do declared ones that nothing takes."""
    with pytest.raises(ValueError, match="declare"):
        make("test misspelt", Row("install", ABSENT, Light.OFF, effect=_install, source="test"), facts=facts)
    Machine.declared.pop("test misspelt", None)


def test_facts_reach_what_names_them() -> None:
    """Guards and effects take none, one or several facts of a trigger by their names, in any order."""
    seen: list[tuple[object, ...]] = []

    def none(change: Change, lamp: Lamp) -> Lamp:
        return lamp

    def one(change: Change, lamp: Lamp, room: str) -> Lamp:
        seen.append((room,))
        return lamp

    def all_of_them(change: Change, lamp: Lamp, room: str, watts: int, number: int) -> Lamp:
        seen.append((room, watts, number))
        return lamp

    lit = Guard("lit", lambda lamp, watts: watts > 0)
    far = Guard("far", lambda lamp, room, number: (room, number) == ("attic", 7))
    rows = ((lit, none), (far, one), (None, all_of_them))
    machine = make(
        "test facts",
        *(Row("move", Light.OFF, Light.OFF, only_if=guard, effect=effect, source="test") for guard, effect in rows),
        facts={"move": "number watts room"},
    )
    change, lamp = installed()
    for number, watts, room in ((7, 1, "attic"), (7, 0, "attic"), (8, 0, "attic")):
        machine.fire(change, lamp, "move", watts=watts, number=number, room=room)
    assert seen == [("attic",), ("attic", 0, 8)]


def test_an_effect_that_leads_elsewhere_is_a_bug() -> None:
    """The interpreter checks that a computed state is the one that the row names."""
    state = Computed(lambda lamp: Light.OFF)
    stuck = make("test stuck lamp", Row("switch on", Light.OFF, Light.ON, source="test"), state=state)
    change, lamp = installed()
    with pytest.raises(AssertionError, match="did not lead to"):
        stuck.fire(change, lamp, "switch on")


def test_a_field_that_is_filled_or_not_holds_a_state() -> None:
    """A row empties the field; to fill it is for the effect."""
    state = Filled("expires", Light.ON, Light.OFF)
    lamp = make(
        "test filled lamp",
        Row("switch off", tuple(Light), Light.OFF, source="test"),
        Row("switch on", tuple(Light), Light.ON, source="test"),
        state=state,
    )
    change = World().change(0)
    lit = LAMPS.of(change, "c").put(Lamp(id=1, expires=9))
    assert lamp.state(lit) is Light.ON
    assert lamp.fire(change, lit, "switch off") == LAMPS.of(change, "c")[1] == Lamp(id=1)
    with pytest.raises(AssertionError, match="did not set expires"):
        lamp.fire(change, LAMPS.of(change, "c")[1], "switch on")


def test_a_row_without_an_effect_creates_the_draft() -> None:
    """In the state of the row, whatever the draft says."""
    lamp = make("test drafted lamp", Row("install", ABSENT, Light.ON, source="test"), facts={"install": "draft"})
    change = World().change(0)
    made = lamp.create(change, "install", draft=Lamp(id=1))
    assert made == LAMPS.of(change, "c")[1] == Lamp(id=1, state=Light.ON)
    with pytest.raises(ValueError, match="draft"):
        make("test undeclared", Row("install", ABSENT, Light.ON, source="test"))
    Machine.declared.pop("test undeclared")


def test_a_row_moves_its_record_to_the_end() -> None:
    """It is the latest of its table afterwards; other rows leave it at its place."""
    moving = make(
        "test mover",
        Row("switch on", Light.OFF, Light.ON, source="test"),
        Row("switch off", Light.ON, Light.OFF, move_to_end=True, source="test"),
    )
    change = World().change(0)
    rows = LAMPS.of(change, "c")
    lamps = [LAMP.create(change, "install", lamp=Lamp(id=id)) for id in (1, 2)]
    lit = moving.fire(change, lamps[0], "switch on")
    assert [lamp.id for lamp in rows.all] == [1, 2]
    moving.fire(change, lit, "switch off")
    assert list(rows.all) == [lamps[1], Lamp(id=1)]
    assert list(rows.where(BY_ROOM, "hall")) == [lamps[1], Lamp(id=1)]


def test_a_machine_of_one_state_needs_no_field() -> None:
    """Its records are in the state; one of several states says which field holds them."""

    class Hung(Enum):
        HUNG = "hung"

    row = Row("install", ABSENT, Hung.HUNG, effect=_install, source="test")
    options: dict[str, Any] = {"facts": {"install": "lamp"}, "refusals": {None: Why.OTHERWISE}}
    machine: Machine[Hung, Lamp] = Machine("test hung lamp", "A lamp.", LAMPS, Hung, (row,), **options)
    del Machine.declared["test hung lamp"]
    assert machine.state(machine.create(World().change(0), "install", lamp=Lamp(id=1))) is Hung.HUNG
    with pytest.raises(ValueError, match="2 states"):
        Machine("test nowhere", "A lamp.", LAMPS, Light, (), refusals={})
    del Machine.declared["test nowhere"]


def test_a_deadline_follows_the_record() -> None:
    """It is set and moved with the field, falls due at its instant, and is cancelled where no row has it."""
    change, lamp = installed()
    lit = LAMP.fire(change, lamp, "switch on")
    for expires in (50, 70):
        lit = LAMP.fire(change, lit, "expire", expires=expires)
    assert [(timer.due, timer.kind, timer.subject) for timer in change.timers] == [(70, "test lamp", "1")]
    before, _ = fire_due_timers(change.commit(), 69)
    assert LAMPS.seen(before, "c")[1].state is Light.ON
    after, fired = fire_due_timers(before, 70)
    assert LAMPS.seen(after, "c")[1].state is Light.OFF
    assert [each.timer.due for each in fired] == [70]
    LAMP.end(change, lit, "take down")
    assert list(change.timers) == []


def test_a_timed_machine_needs_one_table() -> None:
    """Its records are looked up by the subject of a timer."""
    row = Row("switch off", Light.ON, Light.OFF, at=Deadline("test no table", lambda lamp: 1), source="test")
    with pytest.raises(ValueError, match="no single table"):
        Machine("test timed", "A lamp.", None, Light, (row,), state="state", refusals={})
    del Machine.declared["test timed"]
    assert "test no table" not in ALARMS


@pytest.mark.parametrize(
    ("options", "seen"),
    [({}, 1), ({"out_of": (Light.OFF,)}, 1), ({"out_of": (Light.ON,)}, 0), ({"by": "expire"}, 2)],
    ids=["any", "out of off", "out of on", "by trigger"],
)
def test_observers_are_called(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], seen: int) -> None:
    """For records that enter the state, or for a trigger, also where it stays in its state."""
    alone(monkeypatch)
    heard: list[Lamp] = []
    TransitionObserver(LAMP, Light.ON, lambda change, lamp: heard.append(lamp), **options)
    change, lamp = installed()
    lit = LAMP.fire(change, lamp, "switch on")
    for expires in (1, 2):
        lit = LAMP.fire(change, lit, "expire", expires=expires)
    assert len(heard) == seen


def test_an_observer_or_a_coupling_of_no_trigger_is_refused() -> None:
    """A misspelt one fails when it is made."""
    with pytest.raises(ValueError, match="knows no trigger"):
        TransitionObserver(LAMP, Light.ON, lambda change, lamp: None, by="expires")
    with pytest.raises(ValueError, match="knows no trigger"):
        Coupling(LAMP, Light.ON, LAMP, "switch_on", lambda change, lamp: (), source="test")


def test_couplings_move_what_is_related_and_cascades_take_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """All lamps of a room go on together; the last one down takes the others with it, while it still hangs."""
    alone(monkeypatch)

    def others(change: Change, lamp: Lamp) -> list[Lamp]:
        return [each for each in LAMPS.of(change, "c").where(BY_ROOM, lamp.room) if each.id != lamp.id]

    def take(change: Change, lamp: Lamp) -> None:
        assert lamp.id in LAMPS.of(change, "c")
        for each in others(change, lamp):
            LAMPS.of(change, "c").remove(each.id)

    Coupling(LAMP, Light.ON, LAMP, "switch on", others, source="test")
    Cascade(LAMP, None, take, source="test")
    change, lamp = installed()
    for id in (2, 3):
        LAMP.create(change, "install", lamp=Lamp(id=id))
    LAMP.fire(change, lamp, "switch on")
    rows = LAMPS.of(change, "c")
    assert [rows[id].state for id in (1, 2, 3)] == [Light.ON] * 3
    LAMP.end(change, rows[1], "take down")
    assert len(rows) == 0


def test_a_coupling_by_a_trigger_follows_its_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that stay in the state, and no others into it."""
    alone(monkeypatch)
    seen: list[int] = []
    Coupling(LAMP, Light.ON, LAMP, "switch on", lambda change, lamp: seen.append(lamp.id) or (), by="expire", source="")
    change, lamp = installed()
    lamp = LAMP.fire(change, lamp, "switch on")
    assert seen == []
    LAMP.fire(change, lamp, "expire", expires=5)
    assert seen == [1]


def test_needs_come_first_and_their_refusals_reach_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lamp goes on once the main lamp of its room is on; it is not asked for when no row admits the trigger."""
    alone(monkeypatch)

    def main(change: Change, lamp: Lamp) -> list[Lamp]:
        return [each for each in LAMPS.of(change, "c").where(BY_ROOM, lamp.room) if each.id == 1 != lamp.id]

    Need(LAMP, "switch on", Light.ON, LAMP, "switch on", main, details=lambda *given: {"n": len(given)}, source="test")
    change, first = installed()
    second = LAMP.create(change, "install", lamp=Lamp(id=2))
    LAMP.fire(change, second, "switch on")
    rows = LAMPS.of(change, "c")
    assert [rows[id].state for id in (1, 2)] == [Light.ON] * 2
    third = LAMP.create(change, "install", lamp=Lamp(id=3))
    rows.put(replace(first, broken=True, state=Light.OFF))
    with pytest.raises(Refusal) as refused:
        LAMP.fire(change, third, "switch on")
    assert (refused.value.reason, refused.value.facts) == (Why.BROKEN, {"n": 3})
    assert rows[3].state is Light.OFF
    rows.put(replace(third, broken=True))
    with pytest.raises(Refusal) as refused:
        LAMP.fire(change, rows[3], "switch on")
    assert refused.value.facts == {}


def test_needs_create_and_take_the_facts_they_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lamp that is to expire needs another one, whose facts are made of those of its trigger."""
    alone(monkeypatch)

    def lamps(change: Change, lamp: Lamp, expires: int) -> list[dict[str, Lamp]]:
        return [{"lamp": Lamp(id=id)} for id in (expires, expires + 1)]

    Need(LAMP, "expire", Light.ON, LAMP, "install", lamps, creates=True, source="test")
    change, lamp = installed()
    LAMP.fire(change, LAMP.fire(change, lamp, "switch on"), "expire", expires=5)
    assert [each.id for each in LAMPS.of(change, "c").all] == [1, 5, 6]
    with pytest.raises(ValueError, match="'switch on' has no fact expires"):
        Need(LAMP, "switch on", Light.ON, LAMP, "install", lamps, source="test")
    with pytest.raises(ValueError, match="knows no trigger"):
        Need(LAMP, "explode", Light.ON, LAMP, "install", lamps, source="test")


def test_a_firing_takes_along_what_admits_its_trigger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others stay; a trigger that the machine does not know is an error of the declaration."""
    alone(monkeypatch)

    def others(change: Change, lamp: Lamp) -> list[Lamp | None]:
        return [None, *(each for each in LAMPS.of(change, "c").where(BY_ROOM, lamp.room) if each.id != lamp.id)]

    Cascade(LAMP, None, Firing(LAMP, "switch on", others), source="test")
    change, lamp = installed()
    for id, broken in ((2, False), (3, True)):
        LAMP.create(change, "install", lamp=Lamp(id=id, broken=broken))
    LAMP.end(change, lamp, "take down")
    assert {each.id: each.state for each in LAMPS.of(change, "c").all} == {2: Light.ON, 3: Light.OFF}
    with pytest.raises(ValueError, match="knows no trigger"):
        Firing(LAMP, "explode", others)


def test_a_switch_is_two_rows_each_way() -> None:
    """It knows whether a trigger changes anything."""
    broken: Machine[Light, Lamp] = switch(
        "test switch", "A switch.", LAMPS, "broken", Light, refusals={None: Why.OTHERWISE}, sources=("test", "test")
    )
    del Machine.declared["test switch"]
    change, lamp = installed()
    assert broken.holds(lamp, "disable")
    on = broken.fire(change, lamp, "enable")
    assert on.broken
    assert broken.holds(on, "enable")
    assert broken.fire(change, on, "enable") == on
    assert not broken.fire(change, on, "disable").broken


def test_a_machine_knows_its_records() -> None:
    """Those of its table, or what the function takes that chooses one; none without a table."""

    def chosen(lamp: Lamp) -> Table[int, Lamp]:
        return LAMPS

    row = Row("switch on", Light.OFF, Light.ON, source="test")
    assert LAMP.record is Lamp
    for table, record in ((chosen, Lamp), (None, None)):
        machine: Machine[Light, Any] = Machine(
            "test other lamp", "A lamp.", table, Light, (row,), state="state", refusals={None: Why.OTHERWISE}
        )
        assert Machine.of(LAMPS) == ([machine] if record is Lamp else [])
        del Machine.declared["test other lamp"]
        assert machine.record is record


def test_an_effect_without_words_is_reported_by_its_name() -> None:
    """As rows in words show it."""

    def flicker(change: Change, lamp: Lamp) -> Lamp:
        return lamp

    shown = make("test flicker", Row("flicker", Light.ON, Light.ON, effect=flicker, source="test"))
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


def test_a_need_tells_what_it_was_declared_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """The trigger that it precedes, the state, and the trigger that it fires."""
    alone(monkeypatch)
    need = Need(LAMP, "switch on", Light.ON, LAMP, "install", lambda change, lamp: (), creates=True, source="test")
    assert (need.when, need.by, need.reaches) == (LAMP, "switch on", Light.ON)
    assert (need.fires, need.trigger, need.source) == (LAMP, "install", "test")
