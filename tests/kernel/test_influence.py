"""What transitions do to other records: needs, couplings, cascades."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from confsim.kernel.influence import Cascade, Coupling, Need
from confsim.kernel.machine import Call
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change
from kit.things.lamps import (
    LAMP,
    LAMPS,
    SWITCH_OFF,
    SWITCH_ON,
    TAKE_DOWN,
    Lamp,
    Light,
    Why,
    alone,
    expire,
    install,
    installed,
    others,
)


@pytest.mark.parametrize(
    ("options", "seen"),
    [({}, 1), ({"out_of": (Light.OFF,)}, 1), ({"out_of": (Light.ON,)}, 0), ({"by": expire}, 2)],
    ids=["any", "out of off", "out of on", "by trigger"],
)
def test_what_is_sent_is_stored(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], seen: int) -> None:
    """For records that enter the state, or for a trigger, also where it stays in its state."""
    alone(monkeypatch)
    heard: list[Lamp] = []
    Coupling(LAMP, Light.ON, None, lambda change, lamp: heard.append(lamp), **options)
    change, lamp = installed()
    lit = SWITCH_ON(change, lamp)
    for expires in (1, 2):
        lit = expire(change, lit, expires)
    assert len(heard) == seen


def test_what_is_sent_is_stored_before_anything_is_fired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever was declared first."""
    alone(monkeypatch)
    seen: list[str] = []

    def fires(change: Change, lamp: Lamp) -> Iterator[Lamp]:
        seen.append("fires")
        yield from ()

    Coupling(LAMP, Light.ON, SWITCH_OFF, fires, source="test")
    for number in (1, 2):
        Coupling(LAMP, Light.ON, None, lambda change, lamp, number=number: seen.append(f"stores {number}"))
    change, lamp = installed()
    SWITCH_ON(change, lamp)
    assert seen == ["stores 1", "stores 2", "fires"]


def test_couplings_move_what_is_related_and_cascades_take_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """All lamps of a room go on together; the last one down takes the others with it, while it still hangs."""
    alone(monkeypatch)

    def take(change: Change, lamp: Lamp) -> None:
        assert lamp.id in LAMPS.of(change, "c")
        for each in others(change, lamp):
            LAMPS.of(change, "c").remove(each.id)

    Coupling(LAMP, Light.ON, SWITCH_ON, others, source="test")
    Cascade(LAMP, None, None, take, source="test")
    change, lamp = installed()
    for id in (2, 3):
        install(change, id)
    SWITCH_ON(change, lamp)
    rows = LAMPS.of(change, "c")
    assert [rows[id].state for id in (1, 2, 3)] == [Light.ON] * 3
    TAKE_DOWN(change, rows[1])
    assert len(rows) == 0


def test_a_coupling_gives_arguments_and_creates(monkeypatch: pytest.MonkeyPatch) -> None:
    """The finder yields them with the record, or alone for one to be created."""
    alone(monkeypatch)

    def soon(change: Change, lamp: Lamp) -> Iterator[Call[Lamp]]:
        yield expire.on(lamp, lamp.id + 5)

    def another(change: Change, lamp: Lamp) -> Iterator[Call[Lamp]]:
        yield install.of(lamp.id + 1)

    Coupling(LAMP, Light.ON, expire, soon, by=SWITCH_ON, source="test")
    Coupling(LAMP, Light.ON, install, another, by=expire, source="test")
    change, lamp = installed()
    assert SWITCH_ON(change, lamp).expires == 6
    assert [each.id for each in LAMPS.of(change, "c").all] == [1, 2]


def test_a_coupling_by_a_trigger_follows_its_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that stay in the state, and no others into it."""
    alone(monkeypatch)
    seen: list[int] = []
    Coupling(LAMP, Light.ON, SWITCH_ON, lambda change, lamp: seen.append(lamp.id) or (), by=expire, source="")
    change, lamp = installed()
    lamp = SWITCH_ON(change, lamp)
    assert seen == []
    expire(change, lamp, 5)
    assert seen == [1]


def test_needs_come_first_and_their_refusals_reach_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lamp goes on once the main lamp of its room is on; it is not asked for when no row admits the trigger."""
    alone(monkeypatch)

    def main(change: Change, lamp: Lamp) -> list[Lamp]:
        return [each for each in others(change, lamp) if each.id == 1]

    Need(SWITCH_ON, Light.ON, SWITCH_ON, main, source="test")
    change, first = installed()
    second = install(change, 2)
    SWITCH_ON(change, second)
    rows = LAMPS.of(change, "c")
    assert [rows[id].state for id in (1, 2)] == [Light.ON] * 2
    third = install(change, 3)
    rows.put(replace(first, broken=True, state=Light.OFF))
    with pytest.raises(Refusal) as refused:
        SWITCH_ON(change, third)
    assert (refused.value.reason, refused.value.facts) == (Why.BROKEN, {"id": 1})
    assert rows[3].state is Light.OFF
    rows.put(replace(third, broken=True))
    with pytest.raises(Refusal) as refused:
        SWITCH_ON(change, rows[3])
    assert refused.value.facts == {"id": 3}


def test_needs_create_and_take_the_arguments_of_the_trigger(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lamp that is to expire needs others, which are made of the argument of its trigger."""
    alone(monkeypatch)

    def lamps(change: Change, lamp: Lamp | None, expires: int) -> list[Call[Lamp]]:
        return [install.of(id) for id in (expires, expires + 1)]

    Need(expire, Light.ON, install, lamps, source="test")
    change, lamp = installed()
    expire(change, SWITCH_ON(change, lamp), 5)
    assert [each.id for each in LAMPS.of(change, "c").all] == [1, 5, 6]
    with pytest.raises(ValueError, match="'switch on' takes none, but a function expires"):
        Need(SWITCH_ON, Light.ON, install, lamps, source="test")


def test_a_cascade_takes_along_what_admits_its_trigger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others stay."""
    alone(monkeypatch)
    Cascade(LAMP, None, SWITCH_ON, lambda change, lamp: [None, *others(change, lamp)], source="test")
    change, lamp = installed()
    for id, broken in ((2, False), (3, True)):
        install(change, id, broken)
    TAKE_DOWN(change, lamp)
    assert {each.id: each.state for each in LAMPS.of(change, "c").all} == {2: Light.ON, 3: Light.OFF}


def test_a_need_tells_what_it_was_declared_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """The trigger that it precedes, the state, and the trigger that it fires."""
    alone(monkeypatch)
    need = Need(SWITCH_ON, Light.ON, SWITCH_OFF, others, source="test")
    assert (need.by, need.reaches, need.fires, need.source) == (SWITCH_ON, Light.ON, SWITCH_OFF, "test")
