"""Machines as lanes."""

from __future__ import annotations

import pytest

import confsim.api.catalogue  # noqa: F401 - declares every machine
from browser.python_names import Shown, python_names
from confsim.control.operations.browse import MachineInfo
from confsim.inspector import lanes
from confsim.kernel.diagram import in_words
from confsim.kernel.machine import Machine


def described(states, rows):
    """A machine as the control plane describes it."""
    return MachineInfo(name="lamp", title="A lamp", states=states, initial=states[0], rows=rows)


def row(when, on, then, guard="", timer=""):
    """A row of a machine in words."""
    return {"when": when, "on": on, "at": timer, "only if": guard, "then": then, "effect": "", "source": ""}


def test_a_row_leads_from_its_states_to_one():
    """Its line passes the states between, and its ends are marked; a timer and a guard are said."""
    rows = [row("switch", "off", "bright"), row("elapse", "dim | bright", "off", "it is day", "lamp")]
    there, back = lanes.of_machine(described(["off", "dim", "bright"], rows), "dim").rows
    assert [cell.marks for cell in there.cells] == [("right", "from"), ("left", "right"), ("left", "in-left")]
    assert [cell.marks for cell in back.cells] == [("right", "in-right"), ("left", "right", "from"), ("left", "from")]
    assert (back.trigger, back.guard, back.timer) == ("elapse", "it is day", "lamp")
    assert [each.possible for each in (there, back)] == [False, True]
    assert [cell.present for cell in there.cells] == [False, True, False]


def test_a_state_that_stays_has_a_loop():
    """Alone, and beside a line that comes from elsewhere."""
    (drawn,) = lanes.of_machine(described(["off", "on"], [row("press", "off | on", "on")])).rows
    assert [cell.marks for cell in drawn.cells] == [("right", "from"), ("left", "in-left", "loop")]
    assert not drawn.possible


def test_triggers_of_the_same_way_are_one_row():
    """Only where their guards are the same."""
    rows = [row("leave", "on", "off"), row("lose", "on", "off"), row("leave", "on", "off", "it is late")]
    drawn = lanes.of_machine(described(["off", "on"], rows)).rows
    assert [(each.trigger, each.guard) for each in drawn] == [("leave, lose", ""), ("leave", "it is late")]


@pytest.mark.parametrize("name", sorted(Machine.declared))
def test_every_transition_of_every_machine_is_drawn(name):
    """Each row of a machine is a lane between its states, and no lane is anything else."""
    machine = Machine.declared[name]
    states, rows = [each.value for each in machine.states], in_words(machine)
    drawn = lanes.of_machine(described(states, rows)).rows
    told = {
        (trigger, cell.state, target.state, lane.guard, lane.timer)
        for lane in drawn
        for trigger in lane.trigger.split(", ")
        for cell in lane.cells
        if cell.is_from
        for target in lane.cells
        if target.is_to
    }
    declared = {
        (each["when"], state, each["then"], each["only if"], each["at"])
        for each in rows
        for state in each["on"].split(" | ")
    }
    assert told == declared


@pytest.mark.parametrize("name", Machine.declared)
def test_the_words_of_a_transition_table_are_not_pythons(name):
    """The table stands on a page and in an answer for readers of an HTTP API, who need not know Python."""
    words = [text for row in in_words(Machine.declared[name]) for text in row.values()]
    assert list(python_names(map(Shown, words))) == []
