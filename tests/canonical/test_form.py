"""The canonical form: the same for worlds that differ in drawn names and in time, another for all others."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

import confsim.canonical
from confsim import Simulator
from confsim.canonical import meaning
from confsim.canonical.form import PROVEN, FormLevel, Forms, records
from confsim.kernel.tables.table import Table
from kit import OWNER, ROOM, START, START_MS, USER, ok
from kit.each import each
from kit.exploration.merging import pairs
from kit.exploration.starts import STARTS
from kit.exploration.view import View
from kit.growth.prepared import prepared

CANONICAL = tuple(Path(confsim.canonical.__path__[0]).glob("*.py"))
#: Pairs of worlds of one form that are tried for each start.
PAIRS = {FormLevel.MOVED: 2, FormLevel.PASSED: 4, FormLevel.PRESENT: 3}


def met(seed: int, *, later: int = 0) -> tuple[Simulator, bytes, bytes]:
    """Return a world in which two people made things, with its forms at the first and the last level."""
    sim = Simulator(clock=START_MS + later, seed=seed)
    sim.presence.join(ROOM, OWNER)
    ok(sim, "create_channel", OWNER, body={"name": "New"})
    ok(sim, "start_recording", OWNER, uuid=ROOM)
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    world, now = sim.service.world, sim.service.clock.now()
    return sim, Forms(FormLevel.PASSED).digest(world, now), Forms(FormLevel.PRESENT).digest(world, now)


def test_drawn_names_and_time_are_left_out():
    """Worlds of two seeds, made by the same calls at two instants, have one form and are other bytes."""
    (one, *forms), (other, *other_forms) = met(1), met(2, later=12_345_678)
    assert one.service.world.digest() != other.service.world.digest()
    assert forms == other_forms


@each("start", STARTS, ids=lambda start: start.name)
def test_worlds_of_two_seeds_have_one_form(start):
    """Whatever is drawn, in whatever field, is named by what is said of it: at the start, and after each act."""
    forms, found = Forms(FormLevel.MOVED), []
    for seed in (1, 2):
        stage = start.stage(seed)
        before = View(stage.live.world, stage.live.clock.now())
        steps = {act.sentence: stage.step(before, act) for act in start.acts}
        worlds = {"": before, **{sentence: step.after for sentence, step in steps.items() if step is not None}}
        found.append({sentence: forms.digest(view.world, view.now) for sentence, view in worlds.items()})
    assert [sentence for sentence in found[0] if found[0][sentence] != found[1].get(sentence)] == []


@pytest.mark.parametrize(
    "call",
    [
        ("set_lobby_door", OWNER, {"uuid": ROOM, "state": "close"}),
        ("add_operator", OWNER, {"uuid": ROOM, "userId": 1004}),
        ("create_channel", OWNER, {"body": {"name": "Another"}}),
        ("stop_recording", OWNER, {"uuid": ROOM}),
    ],
)
def test_a_change_shows_at_every_level(call):
    """A changed field, an added record and a changed state give another form."""
    sim, *forms = met(1)
    operation, caller, arguments = call
    ok(sim, operation, caller, **arguments)
    changed = [Forms(level).digest(sim.service.world, sim.service.clock.now()) for level in list(FormLevel)[1:]]
    assert not set(forms) & set(changed)


def test_who_a_record_is_about_shows():
    """Two worlds in which another user of the same kind is inside have two forms."""
    digests = set()
    for user in ("demo-owner", "demo-operator"):
        sim = Simulator(clock=START)
        sim.presence.join(ROOM, user)
        digests.add(Forms(PROVEN).digest(sim.service.world, sim.service.clock.now()))
    assert len(digests) == 2


def test_order_of_creation_shows_where_answers_depend_on_it():
    """Two rooms made in another order are two worlds for answers, and one for what is so at present."""
    worlds = []
    for names in (("One", "Two"), ("Two", "One")):
        sim = Simulator(clock=START)
        for name in names:
            ok(sim, "create_channel", OWNER, body={"name": name})
        worlds.append((sim.service.world, sim.service.clock.now()))
    proven, present = ({Forms(level).digest(*at) for at in worlds} for level in (PROVEN, FormLevel.PRESENT))
    assert (len(proven), len(present)) == (2, 1)


def test_instants_count_from_now():
    """An instant that is still to come counts from now at each level; the past counts at the first level only."""
    sim, *_ = met(1)
    world, now = sim.service.world, sim.service.clock.now()
    same = {level: Forms(level).digest(world, now) == Forms(level).digest(world, now + 1) for level in FormLevel}
    assert same == dict.fromkeys(FormLevel, False)
    ok(
        sim,
        "change_handle_with_reservation",
        USER,
        nonce=next(r.token for t, r in records(world) if t.name == "reservations"),
    )
    world = sim.service.world
    without_limits = [record for table, record in records(world) if table.name == "credentials" and record.expires]
    assert without_limits == []
    same = {level: Forms(level).digest(world, now) == Forms(level).digest(world, now + 1) for level in FormLevel}
    assert same == {FormLevel.MOVED: False, FormLevel.PASSED: True, FormLevel.PRESENT: True}


def test_what_is_over_is_left_out():
    """A session that has ended is nothing at the last level, and a session at the others."""
    before, after = Simulator(clock=START), Simulator(clock=START)
    after.presence.join(ROOM, USER)
    after.presence.leave(ROOM, 1004)
    forms = {
        level: [Forms(level).digest(sim.service.world, sim.service.clock.now()) for sim in (before, after)]
        for level in FormLevel
    }
    assert [len(set(digests)) for digests in forms.values()] == [2, 2, 1]


def test_a_form_is_the_same_in_every_process():
    """The digest does not depend on the hash seed of Python."""
    program = (
        "from confsim import Simulator; from confsim.canonical.form import *; s = Simulator(clock=0);"
        "print(*[Forms(level).digest(s.service.world, 0).hex() for level in FormLevel])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_a_form_is_the_same_on_every_machine():
    """What digests are mixed of does not depend on Python's hash: one that is stored stays valid."""
    said = Forms(FormLevel.MOVED).words({"by": "somebody", "at": START_MS - 5}, {"somebody": 2**55}, START_MS)
    assert said == 14077648261290782
    called = {
        name.id for path in CANONICAL for name in ast.walk(ast.parse(path.read_text())) if isinstance(name, ast.Name)
    }
    assert "hash" not in called


def test_worlds_of_one_form_answer_alike(capsys):
    """Each act answers the same in two worlds of one form and leads to worlds of one form, at the proven level."""
    differing = {}
    for level, most in PAIRS.items():
        found = [pair for start in STARTS for pair in pairs(start, level, 2, most)]
        told_apart = [pair for pair in found if pair.told_apart]
        differing[level] = told_apart
        with capsys.disabled():
            print(f"\n{level.name}: {len(told_apart)} of {len(found)} pairs differ", end="")  # noqa: T201  (asked for)
        assert len(found) > len(STARTS)
    assert [pair.told_apart for level in FormLevel if level <= PROVEN for pair in differing[level]] == []
    assert differing[FormLevel.PRESENT], "the coarsest level would be proven, too"


# What the fields mean


def test_the_tables_of_meaning_name_fields_that_exist():
    """Each entry names a declared table and one of its fields."""
    Simulator()
    declared = {name: {*table.record.__struct_fields__} for name, table in Table.declared.items()}
    named = [
        *((table, field) for table, drawn in meaning.DRAWN.items() for field in drawn),
        *meaning.COUNTED,
        *((table, field) for table, (field, _) in meaning.OVER.items()),
        *meaning.BELONGS.items(),
        *((table, field) for table, kept in meaning.MEMORY.items() for field in kept),
        *((table, Table.declared[table].key_name) for table in meaning.HISTORY),
    ]
    assert [place for place in named if place[1] not in declared[place[0]] and place[0] not in meaning.HISTORY] == []
    every = set().union(*declared.values())
    assert meaning.USERS - every == set()
    assert meaning.INSTANTS - every == {"at", "promulgated"} - every


def test_every_instant_and_name_is_declared():
    """In a world with one thing of every kind, no other field holds an instant, and no id stands as a plain text."""
    sim, _ = prepared()
    world, now = sim.service.world, sim.service.clock.now()
    forms = Forms(PROVEN)
    assert forms.digest(_moved(world, 1_000_000), now + 1_000_000) == forms.digest(world, now)


def _moved(world, span):
    """Return a world in which every number that looks like an instant is later."""
    change = world.change(0)

    def shift(value):
        if isinstance(value, bool):
            return value
        if isinstance(value, int) and value > 10**12:
            return value + span
        if isinstance(value, tuple):
            return tuple(shift(part) for part in value)
        if isinstance(value, Struct):
            return replace(value, **{name: shift(getattr(value, name)) for name in value.__struct_fields__})
        return value

    for table, record in records(world):
        if shift(record) != record:
            client = "" if table.shared else record.client
            table.of(change, client).put(shift(record), check=False)
    return change.commit()
