"""A part of the exploration: every sequence of two acts from each start, and what the exploration itself is made of."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from unittest.mock import patch

from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.control.catalogue import CONTROL as CONTROLS
from confsim.control.scenarios import compile_scenario, run_scenario
from confsim.kernel.tables.table import Table
from confsim.reference import gaps, rules
from kit import ROOM, START
from kit.each import each
from kit.exploration import known
from kit.exploration.acts import every
from kit.exploration.acts.act import CONTROL, control
from kit.exploration.acts.people import NUMBERS
from kit.exploration.explorer import Explorer, violations
from kit.exploration.invariants import INVARIANTS
from kit.exploration.invariants.callers import GATES
from kit.exploration.invariants.effects import EFFECTS, ONLY
from kit.exploration.invariants.invariant import FAILED, Invariant
from kit.exploration.invariants.lifetimes import LIFETIMES
from kit.exploration.invariants.sessions import COURSES, INSTANTS
from kit.exploration.invariants.settings import FIELDS
from kit.exploration.invariants.timers import TIMED
from kit.exploration.pairs import possible
from kit.exploration.starts import BY_NAME, PROFILE, STARTS
from kit.exploration.stories import as_pytest, as_scenario, as_story
from kit.exploration.view import View
from kit.exploration.violations import Violation, Violations, added
from kit.source import MODULES

EXPLORATION = Path(__file__).parents[1] / "kit/exploration"


@each("start", STARTS, ids=lambda start: start.name)
def test_every_invariant_holds_in_small_worlds(start):
    """Walks of two acts show only violations that are in the list of known ones."""
    explored = Explorer(start).run(2)
    assert explored.complete
    assert explored.worlds > 40
    assert [str(violation) for violation in known.unknown(explored.violations)] == []


def test_a_known_violation_still_happens():
    """An entry whose violation is mended must leave the list; each has a reason and sequences that show it."""
    entries = known.entries()
    assert [entry.detail for entry in entries if len(entry.reason) <= 20 or not entry.shown] == []
    shown = [(entry, each) for entry in entries for each in entry.shown]
    assert [" > ".join(each.story) for entry, each in shown if not known.happens(entry, each)] == []


def test_a_mended_violation_is_noticed(monkeypatch):
    """An entry whose acts show nothing, or are no longer possible, does not happen any more."""

    def deserted(view):
        yield from ("somebody is inside" for presence in view["presences"] if presence.state.value == "in")

    nobody = Invariant("nobody", "Nobody is ever inside.", "none: it is wrong", of_world=deserted)
    monkeypatch.setattr(known, "INVARIANTS", (nobody,))
    shown = known.Shown("lobby", ["the owner joins the room"])
    entry = known.Known("nobody", "somebody is inside", "The invariant of this test is wrong.", [shown])
    assert known.happens(entry, shown)
    assert not known.happens(entry, replace(shown, story=["the user leaves the room"]))
    assert not known.happens(replace(entry, detail="something else"), shown)
    assert not known.happens(replace(entry, invariant="no such invariant"), shown)
    assert not known.happens(entry, replace(shown, story=["the phone in the event room hangs up"]))
    assert (
        known.unknown([Violation("nobody", "lobby", ("the owner joins the room",), "somebody is inside")], [entry])
        == []
    )


def test_the_walk_is_the_same_with_several_processes(monkeypatch):
    """Two processes that share a start find the same worlds, in the same order, and violations as one."""
    monkeypatch.setattr("kit.exploration.explorer._SHARED", 10)
    alone, shared = Explorer(BY_NAME["handles"]), Explorer(BY_NAME["handles"])
    one, two = alone.run(2), shared.run(2, processes=2)
    assert (one.by_depth, one.steps, one.fold) == (two.by_depth, two.steps, two.fold)
    assert [each.kind for each in one.violations] == [each.kind for each in two.violations]
    assert shared.pairs.reached == alone.pairs.reached
    assert list(shared._index) == list(alone._index)


def test_worlds_that_are_not_kept_are_made_again(monkeypatch):
    """A walk that keeps no world but its start finds the same ones."""
    before = Explorer(BY_NAME["broadcast"]).run(2)
    monkeypatch.setattr("kit.exploration.explorer.KEPT", 1)
    again = Explorer(BY_NAME["broadcast"]).run(2)
    assert (again.by_depth, again.fold) == (before.by_depth, before.fold)


def test_a_fold_tells_worlds_apart():
    """Two walks with as many worlds at each depth have two folds when one world is another."""
    starts = [
        replace(BY_NAME["room"], acts=(every()[sentence],))
        for sentence in ("the owner joins the room", "the user joins the room")
    ]
    one, two = (Explorer(start, invariants=()).run(1) for start in starts)
    assert one.by_depth == two.by_depth
    assert one.fold != two.fold
    assert one.fold == Explorer(starts[0], invariants=()).run(1).fold


def test_a_walk_may_end_early():
    """Once enough worlds are met, the walk ends and says so."""
    explored = Explorer(BY_NAME["room"]).run(5, most=10)
    assert not explored.complete
    assert len(explored.by_depth) == 2


# The acts


def test_there_are_acts_of_each_sort():
    """There are many acts, of the API and of the control plane; each start has some, and each act has a start."""
    acts = every()
    assert len(acts) > 200
    assert len(STARTS) >= 10
    used = {act.sentence for start in STARTS for act in start.acts} | {told for start in STARTS for told in start.story}
    assert used == acts.keys()
    assert {"join_channel", "leave_channel", "admit_to_channel", "answer_call", "hang_up", "advance_clock"} <= {
        act.operation for act in acts.values() if act.caller == CONTROL
    }


@each("start", STARTS, ids=lambda start: start.name)
def test_acts_print_themselves_in_three_forms(start):
    """A story has a line for each act; the printed test and the printed scenario run and pass."""
    explorer = Explorer(start, invariants=())
    explorer.run(1)
    story = explorer.story(1)
    refused = "a host admits somebody unknown" if start.name == "room" else None
    told = [*story, *([refused] if refused else [])]
    assert as_story(start, told).splitlines()[-1].strip().startswith(f"{len(told)}  ")
    module: dict[str, object] = {}
    exec(compile(as_pytest(start, told), "printed", "exec"), module)
    module["test_journal"](lambda **given: Simulator(**given))  # type: ignore[operator]
    sim = Simulator(clock=START, profile={**PROFILE, **start.profile})
    document = json.loads(as_scenario(start, told))
    compiled = compile_scenario(document, sim.service.profile)
    report = run_scenario(compiled, sim.control.context)
    assert report.passed, (report.failure, report.left_out)


def test_an_exception_of_a_control_call_is_a_bug_of_the_step():
    """A walk goes on after it: the step has the exception among its bugs, and an invariant says so."""
    stage = BY_NAME["room"].stage()
    before = View(stage.live.world, stage.live.clock.now())
    act = control("nobody joins", "join_channel", channel=ROOM, userId=NUMBERS["user"])
    with patch.object(Simulator, "control", side_effect=ZeroDivisionError("planted")):
        step = stage.step(before, act)
    assert step is not None
    assert [str(bug) for bug in step.bugs] == ["planted"]
    assert not step.changed
    told = {invariant.name: invariant.of(step) for invariant in INVARIANTS if invariant.of(step)}
    assert told == {"no-error": ["status 500", "ZeroDivisionError: planted"]}


# The invariants


def test_invariants_stand_in_one_table():
    """Each invariant has a name of its own, a sentence, a source, and one way to be asked."""
    assert len(INVARIANTS) == len({invariant.name for invariant in INVARIANTS})
    for invariant in INVARIANTS:
        assert invariant.sentence.endswith("."), invariant.name
        assert invariant.source, invariant.name
        ways = (invariant.of_world, invariant.of_step, invariant.of_stage)
        assert sum(way is not None for way in ways) == 1, invariant.name


def test_sources_of_invariants_exist():
    """Each rule and gap that an invariant cites is one of the documents."""
    cited = {number for invariant in INVARIANTS for number in re.findall(r"[RG]\d{3}", invariant.source)}
    assert len(cited) > 60
    assert cited - {*rules(), *gaps()} == set()


def test_tables_of_invariants_name_what_exists():
    """An operation, table or field that does not exist would be held against nothing."""
    named = {*GATES, *EFFECTS, *ONLY, *(name for life in LIFETIMES.values() for name in life.made | life.removed)}
    named |= {name for fields in FIELDS.values() for operations in fields.values() for name in operations}
    assert named - {*API.operations, *CONTROLS.operations} == set()
    tables = {table for invariant in INVARIANTS for table in invariant.tables} | {*LIFETIMES}
    tables |= {table for allowed in ONLY.values() for table in allowed}
    assert tables - {*Table.declared} == set()
    fields = [(table, field) for table, named in {**FIELDS, **INSTANTS}.items() for field in named] + [*COURSES]
    assert [
        (table, field) for table, field in fields if field not in Table.declared[table].record.__struct_fields__
    ] == []


@each(
    "path",
    [*(EXPLORATION / "invariants").glob("*.py"), EXPLORATION / "view.py", EXPLORATION / "shown.py"],
    ids=lambda path: path.name,
)
def test_invariants_call_nothing_of_the_domain(path):
    """Invariants read records: what wrote these is not asked whether they are right."""
    imported = [node.module or "" for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    assert [module for module in imported if module.startswith(("confsim.domain", "confsim.api"))] == []


def test_every_timer_has_a_timed_record():
    """The table of timed records names each deadline that a machine declares, and no other."""
    declared = {kind for path in MODULES.values() for kind in re.findall(r'\.deadline\(\s*"([^"]+)"', path.read_text())}
    assert {timed.kind for timed in TIMED} == declared


@each("start", STARTS, ids=lambda start: start.name)
def test_no_invariant_fails_on_a_broken_world(start):
    """Each record of a start is taken away once: invariants may find something, and none raises."""
    stage = start.stage()
    world, now = stage.live.world, stage.live.clock.now()
    steps = [step for act in start.acts[:6] if (step := stage.step(View(world, now), act)) is not None]
    failed = []
    for (client, table), state in world.tables():
        for key in state.rows:
            change = world.change(now)
            Table.declared[table].of(change, client).remove(key)
            broken = View(change.commit(), now)
            for step in (replace(steps[0], after=broken), replace(steps[0], before=broken)):
                for invariant in INVARIANTS:
                    details = [*invariant.of(step), *invariant.within(broken)]
                    failed += [(invariant.name, table, detail) for detail in details if detail.startswith(FAILED)]
    assert failed == []


def test_a_planted_fault_adds_violations(monkeypatch):
    """A walk with a fault in place returns violations beside those that it finds without."""
    from confsim.domain.runtime import entrance

    starts = [BY_NAME["room"]]
    before = violations(starts, 1)

    class Open:
        """Guests get in although guest access is off."""

        def __enter__(self):
            monkeypatch.setitem(entrance._REFUSALS, entrance.Condition.GUEST_ACCESS, lambda *facts: None)

        def __exit__(self, *caught):
            monkeypatch.undo()

    assert added(before, violations(starts, 2, Open())) != []
    assert added(before, violations(starts, 1)) == []


def test_the_shortest_sequence_of_a_kind_stays():
    """Of two violations of one kind the shorter one is printed, with the number of both."""
    found = Violations([Violation("a", "s", ["x", "y"], "d"), Violation("a", "s", ["y"], "d", 2)])
    assert [(each.story, each.count) for each in found.sorted()] == [(["y"], 3)]


def test_pairs_of_states_are_counted():
    """Triggers are noted with the states of other machines, and pairs of states that met are possible ones."""
    explorer = Explorer(BY_NAME["breakout active"], invariants=())
    explorer.run(1)
    assert explorer.pairs.reached
    assert explorer.pairs.reached < set(possible())
    tried = (("presence", "in room", "leave"), ("breakout session", "active"))
    assert tried in explorer.pairs.tried
