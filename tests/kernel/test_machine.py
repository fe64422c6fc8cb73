"""The interpreter of machines: one row, one guard, one refusal."""

from __future__ import annotations

from enum import Enum

import pytest

from confsim.kernel import diagram
from confsim.kernel.machine import Observer
from confsim.kernel.old_machine import Guard, Machine, Row, store
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Record
from confsim.kernel.world import World


class Light(Enum):
    """States for the tests."""

    OFF = "off"
    ON = "on"


class Why(Enum):
    """Reasons for the tests."""

    BROKEN = 1
    OTHERWISE = 2


class Lamp(Record):
    """A subject for the tests."""

    state: Light = Light.OFF
    broken: bool = False


WHOLE = ~Guard("broken", lambda lamp, facts: lamp.broken)
LAMP: Machine[Light, Lamp] = Machine(
    "test lamp",
    "A lamp.",
    Light,
    (
        Row("switch on", Light.OFF, Light.ON, only_if=WHOLE, source="test"),
        Row("switch off", (Light.ON, Light.OFF), Light.OFF, source="test"),
    ),
    read=lambda lamp, facts: lamp.state,
    write=store("state"),
    refusals={("switch on", Light.OFF): Why.BROKEN, None: Why.OTHERWISE},
    initial=Light.OFF,
)
# Machines of the tests are not machines of the house.
del Machine.declared[LAMP.name]


def test_a_row_moves_the_subject() -> None:
    """The state is written as the row says, and the subject answered."""
    assert LAMP.fire(World().change(0), Lamp(), "switch on") == Lamp(Light.ON)


@pytest.mark.parametrize(
    ("lamp", "reason"), [(Lamp(broken=True), Why.BROKEN), (Lamp(Light.ON), Why.OTHERWISE)], ids=["guard", "no row"]
)
def test_no_row_is_a_refusal(lamp: Lamp, reason: Why) -> None:
    """The reason is the nearest that the machine names; the facts go along, but for what guards alone look at."""
    with pytest.raises(Refusal) as caught:
        LAMP.fire(World().change(0), lamp, "switch on", where="kitchen", watts=40, dark=True)
    assert caught.value.reason is reason
    assert caught.value.facts == {"where": "kitchen", "watts": 40}


def test_a_machine_draws_itself() -> None:
    """Diagram and table come from the rows."""
    assert "off --> on: switch on [not broken]" in diagram.mermaid(LAMP)
    assert diagram.in_words(LAMP)[1]["on"] == "on | off"


def test_an_effect_that_leads_elsewhere_is_a_bug() -> None:
    """The interpreter checks that the subject is where the row says."""
    stuck: Machine[Light, Lamp] = Machine(
        "test stuck lamp",
        "A lamp that does not move.",
        Light,
        (Row("switch on", Light.OFF, Light.ON, source="test"),),
        read=lambda lamp, facts: lamp.state,
        refusals={None: Why.OTHERWISE},
        initial=Light.OFF,
    )
    del Machine.declared[stuck.name]
    with pytest.raises(AssertionError, match="did not lead to"):
        stuck.fire(World().change(0), Lamp(), "switch on")


@pytest.mark.parametrize(("out_of", "told"), [(None, 1), ((Light.OFF,), 1), ((Light.ON,), 0)])
def test_a_watch_is_told_of_moves_into_its_state(
    monkeypatch: pytest.MonkeyPatch, out_of: tuple[Light, ...] | None, told: int
) -> None:
    """It hears the subject before and after, of the states it asks for, and nothing of what stays or is refused."""
    monkeypatch.setattr(LAMP, "observers", {})
    heard: list[Lamp] = []
    Observer(LAMP, Light.ON, lambda change, lamp: heard.append(lamp), out_of=out_of)
    lit = LAMP.fire(World().change(0), Lamp(), "switch on")
    LAMP.follow(World().change(0), lit, "switch on")
    LAMP.fire(World().change(0), lit, "switch off")
    assert heard == [lit] * told
