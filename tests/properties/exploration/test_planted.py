"""Faults that are planted one at a time: the table of them, and a few that the exploration finds at once."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

from confsim.kernel.machine import Machine
from kit.each import each
from kit.exploration.planted import BY_NAME, FAULTS
from kit.exploration.planted.fault import Fault
from kit.exploration.planted.hunt import hunt
from kit.exploration.starts import BY_NAME as STARTS
from kit.tables import influences_of

#: Faults of every sort that a walk of two acts finds within a second of processor time, some of each area.
QUICK = (
    "the opened door lets in nobody who waits",
    "a user who leaves the lobby is subtracted from those inside",
    "a session ends without an instant",
    "a breakout session ends a minute late",
    "the processing of a recording has no timer",
    "a phone that hangs up stays in the channel",
    "a version of the terms that is not the current one is accepted",
    "two validators of a client are active",
    "the old value of a regenerated API token is valid",
    "a second invitation keeps the code of the first",
    "an owner who is made operator is no longer owner",
    "a participant who joins is told twice",
    "a refused call leaves what it had changed",
    "the users of a closed breakout room stay in it",
    "an assignment is removed after the start of the breakout session",
    "new terms keep the version of the old ones",
    "a user grants a level above the own ones",
    "an event is recorded in the log of another client",
)


def _in_place() -> dict[tuple[int, str], Any]:
    """Everything that a fault may replace: of rows, of influences, of deadlines, and of the modules of confsim."""
    machines = Machine.declared.values()
    things: list[Any] = [row for machine in machines for row in machine.rows]
    things += {id(row.at): row.at for row in things if row.at}.values()
    things += [influence for machine in machines for influence in influences_of(machine)]
    found = {(id(thing), name): getattr(thing, name) for thing in things for name in type(thing).__slots__}
    for name, module in list(sys.modules.items()):
        if name.startswith(("confsim.domain.", "confsim.api.", "confsim.service.pipeline")):
            inside = [module, *(each for each in vars(module).values() if isinstance(each, type))]
            found |= {(id(each), field): value for each in inside for field, value in list(vars(each).items())}
    return found


def _differing(before: dict[tuple[int, str], Any], after: dict[tuple[int, str], Any]) -> list[str]:
    return [name for (thing, name), value in before.items() if after.get((thing, name)) is not value]


def test_the_table_names_more_than_forty_faults() -> None:
    """Each has a name of its own, a source in the documents, and starts from which it is looked for first."""
    assert len(FAULTS) == len(BY_NAME) == 51
    areas = {fault.area for fault in FAULTS}
    assert areas >= {"lobby", "presence", "sessions", "breakout", "recordings", "telephony", "terms", "service"}
    assert areas >= {"identity", "invitations", "roles", "templates", "events", "answers"}
    for fault in FAULTS:
        assert fault.source
        assert set(fault.starts) <= STARTS.keys()


def test_a_fault_is_in_place_only_while_it_is_planted() -> None:
    """It replaces something, and afterwards everything is as it was before."""
    before = _in_place()
    for fault in FAULTS:
        with fault.plant():
            assert _differing(before, _in_place()), fault.name
        assert not _differing(before, _in_place()), fault.name


@each("name", QUICK)
def test_the_exploration_finds_a_planted_fault(name: str) -> None:
    """An invariant tells of it after at most two acts from a start of its area."""
    found = hunt(BY_NAME[name], 2, everywhere=False)
    assert found.found
    assert 1 <= found.depth <= 2


def test_where_nothing_is_planted_nothing_is_found() -> None:
    """Violations that the same acts show without a fault, and known ones, count for none."""
    nothing = Fault("nothing", "none", "none", ("breakout active",), nullcontext)
    found = hunt(nothing, 2, everywhere=False)
    assert not found.found
    assert found.depth == 0
    assert found.steps > 900
