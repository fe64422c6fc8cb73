"""Every machine against its golden table, for every state, trigger and way in which its guards hold."""

from __future__ import annotations

import pytest

from confsim.domain.runtime import lobby
from confsim.domain.runtime.lobby import Door
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import tables
from kit.each import by_name, each
from kit.mutation.table_mutants import of_influences, of_rows, pairs
from kit.mutation.table_runs import equal, noticed

MACHINES = list(Machine.declared.values())


def test_every_machine_has_a_golden_table():
    """And every golden table a machine."""
    assert sorted(tables.golden()) == sorted(Machine.declared)


@each("machine", MACHINES, ids=by_name)
def test_it_does_what_its_golden_table_says(machine):
    """Allowed and forbidden: the state that follows, or the reason of the refusal."""
    assert tables.differences(machine) == [], (
        f"change {machine.name!r} in tests/data/machines/ if the documents say so: "
        "confsim/EXTENDING.md, “A row of a machine”"
    )


@each("machine", MACHINES, ids=by_name)
def test_what_the_golden_table_forbids_leaves_no_trace(machine):
    """Firing it raises the refusal, and the world is the same value."""
    states = {state.name: state for state in machine.states}
    for triple in tables.triples(machine.name):
        if not triple.expected.startswith("refuses "):
            continue
        with tables.guards(machine, triple.truth), pytest.MonkeyPatch.context() as patched:
            patched.setattr(machine, "read", lambda record, state=states[triple.state]: state)
            world = World(seed=1)
            change = world.change(0)
            with pytest.raises(Refusal) as refused:
                tables.fire_untold(machine.triggers[triple.trigger], change, {})
        assert f"refuses {refused.value.reason.name}" == triple.expected
        assert change.commit() is world


def test_what_machines_do_to_each_other():
    """The influences of each machine are those of the golden list, in this order."""
    assert tables.influences() == tables.golden_influences()


@each("machine", [Machine.declared[name] for name in ("lobby door", "presence", "email", "session")], ids=by_name)
def test_mutants_of_a_table_are_noticed(machine):
    """All but an effect that is skipped and a record left in its place, which only the tests of behaviour see."""
    unseen = {"effect skipped", "left in its place"}
    for mutant in (*of_rows(machine), *pairs(machine), *of_influences(machine)):
        assert noticed(mutant) is (mutant.kind not in unseen and not equal(mutant)), mutant.key


def test_a_mutant_is_gone_after_its_block():
    """The table is as it was."""
    for mutant in (*of_rows(lobby.DOOR), *of_influences(lobby.DOOR)):
        with mutant.in_force():
            pass
    assert tables.differences(lobby.DOOR) == []
    assert lobby.DOOR.on.row(Door.CLOSED, tables.NO_CHANGE, None, (), {}).then is Door.OPEN
