"""Timers follow from records: against a plain model, through refusals, and however the records were written."""

from __future__ import annotations

from enum import Enum
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from confsim.kernel.due import Fired, fire_due_timers
from confsim.kernel.machine import Machine, Trigger
from confsim.kernel.rows import ABSENT, Deadline, Guard, Row
from confsim.kernel.tables.filling import fill
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.timers import ALARMS, NEVER, Timer, Timers
from confsim.kernel.world import Change, World


class Egg(Enum):
    """States for the tests."""

    COOKING = "cooking"
    DONE = "done"


class Pot(Record, kw_only=True):
    """A record for the tests: it is done when it is ``due``, unless it is held; ``lid`` names it in public."""

    id: int
    client: str = "c"
    lid: str = "red"
    due: int | None = None
    held: bool = False
    broken: bool = False
    state: Egg = Egg.COOKING
    done_at: int | None = None


class Why(Enum):
    """The reason for the tests."""

    NO = "no"


POTS: Table[int, Pot] = Table("test pots", Pot, "id")
POT: Machine[Egg, Pot] = Machine("test pot", "A pot.", POTS, Egg, state="state", refused=Why.NO)
del Machine.declared["test pot"]
FILL = POT.draft("fill")
END = POT.trigger("end")
EMPTY = POT.trigger("empty")


def _done(change: Change, pot: Pot) -> Pot:
    if pot.broken:
        raise ValueError(f"pot {pot.id}")
    return replace(pot, done_at=change.now)


@POT.effect("move")
def move(change: Change, pot: Pot, due: int | None) -> Pot:
    """It is done at another instant."""
    return replace(pot, due=due)


@POT.effect("hold")
def hold(change: Change, pot: Pot, held: bool) -> Pot:
    """It is held, or no longer."""
    return replace(pot, held=held)


@POT.effect("rename")
def rename(change: Change, pot: Pot, lid: str) -> Pot:
    """It has another lid."""
    return replace(pot, lid=lid)


NOT_HELD = ~Guard("held", lambda change, pot: pot.held)
AT = Deadline("test pot", lambda pot: pot.due, subject="lid")
POT.declare(
    Row(FILL, ABSENT, Egg.COOKING, source="test"),
    Row(move, tuple(Egg), Egg.COOKING, source="test"),
    Row(hold, tuple(Egg), Egg.COOKING, source="test"),
    Row(rename, Egg.COOKING, Egg.COOKING, source="test"),
    Row(END, Egg.COOKING, Egg.DONE, only_if=NOT_HELD, effect=_done, at=AT, source="test"),
    Row(EMPTY, tuple(Egg), ABSENT, source="test"),
)


def filled(*dues: int | None, **fields: Any) -> World:
    """A world with a pot for each instant."""
    change = World().change(0)
    for id, due in enumerate(dues):
        FILL(change, Pot(id=id, due=due, **fields))
    return change.commit()


def act(world: World, id: int, trigger: Trigger[Pot, ...], *args: Any, now: int = 0) -> World:
    """The world after a trigger on a pot."""
    change = world.change(now)
    trigger(change, POTS.of(change, "c")[id], *args)
    return change.commit()


def ended(world: World) -> dict[int, int]:
    """When each pot was done."""
    return {pot.id: pot.done_at for pot in POTS.seen(world, "c").all if pot.done_at is not None}


def expected(world: World) -> list[tuple[int, int]]:
    """The timers that the records of a world ask for: by instant, and as the records were created."""
    timed = [pot for pot in POTS.seen(world, "c").all if pot.state is Egg.COOKING]
    return sorted([(pot.due, pot.id) for pot in timed if pot.due is not None], key=itemgetter(0))


def timers(world: World) -> list[tuple[int, int]]:
    """The timers that a world has, in their order."""
    return [(timer.due, timer.name[2]) for timer in world.timers]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("fill"), st.integers(0, 5), st.none() | st.integers(0, 50)),
        st.tuples(st.just("move"), st.integers(0, 5), st.none() | st.integers(0, 50)),
        st.tuples(st.just("hold"), st.integers(0, 5), st.booleans()),
        st.tuples(st.just("empty"), st.integers(0, 5), st.none()),
        st.tuples(st.just("put"), st.integers(0, 5), st.sampled_from(Egg)),
        st.tuples(st.just("advance"), st.just(0), st.integers(0, 60)),
    ),
    max_size=40,
)


@given(STEPS)
def test_a_record_in_a_timed_state_has_its_timer_and_no_other_exists(steps):
    """After every write, by a machine or into the table, after every timer, and in a world filled at once."""
    world = World()
    for what, id, value in steps:
        change = world.change(0)
        rows = POTS.of(change, "c")
        pot = rows.get(id)
        if what == "advance":
            world, _ = fire_due_timers(world, value)
        elif what == "fill" and pot is None:
            FILL(change, Pot(id=id, due=value))
        elif pot is not None and what in {"move", "hold"}:
            (move if what == "move" else hold)(change, pot, value)
        elif pot is not None and what == "empty":
            EMPTY(change, pot)
        elif pot is not None and what == "put":
            rows.put(replace(pot, state=value))
        if what != "advance":
            world = change.commit()
        assert timers(world) == expected(world)
    again = World().change(0)
    fill(again, POTS, "c", list(POTS.seen(world, "c").all))
    assert timers(again.commit()) == expected(world)


@given(st.lists(st.none() | st.integers(0, 50), max_size=12), st.integers(0, 50))
def test_what_is_due_fires_in_order_at_its_instant(dues, until):
    """Each in a change at its own instant, by due instant and then as they were created; the rest waits."""
    world, fired = fire_due_timers(filled(*dues), until)
    due = sorted((due, id) for id, due in enumerate(dues) if due is not None and due <= until)
    assert [(each.timer.due, each.timer.name[2]) for each in fired] == due
    assert ended(world) == {id: at for at, id in due}
    slow = filled(*dues)
    for instant in range(until + 1):
        slow, _ = fire_due_timers(slow, instant)
    assert slow.digest() == world.digest()


def test_a_refused_deadline_is_tried_again_after_the_next_change_at_its_instant():
    """It is asked once, then once for each committed change, at the instant of that change, until it is admitted."""
    asked: list[int] = []
    guard = POT.rows[4].only_if
    assert guard is not None
    test = guard.test
    guard.test = lambda change, pot: asked.append(pot.id) or test(change, pot)  # type: ignore[func-returns-value]
    try:
        world, fired = fire_due_timers(filled(5, held=True), 10)
        assert (fired, asked, timers(world)) == ([], [0], [(5, 0)])
        world, _ = fire_due_timers(world, 20)
        assert (asked, world.timers.due) == ([0], NEVER)
        world = act(world, 0, rename, "blue", now=30)
        world, _ = fire_due_timers(world, 40)
        world, _ = fire_due_timers(world, 50)
        assert asked == [0, 0]
        world = act(world, 0, hold, False, now=60)
        world, fired = fire_due_timers(world, 70)
    finally:
        guard.test = test
    assert [(each.timer.due, each.change.now) for each in fired] == [(5, 60)]
    assert (ended(world), timers(world)) == ({0: 60}, [])


def test_another_timer_is_a_change_after_which_a_refused_one_is_tried_again():
    """In the order of the instants, each at its own."""
    change = filled(5, held=True).change(0)
    FILL(change, Pot(id=1, due=8))
    world, fired = fire_due_timers(change.commit(), 10)
    assert [each.timer.name[2] for each in fired] == [1]
    assert world.timers.due == NEVER  # asked at 5 and, after the change at 8, once more
    world, fired = fire_due_timers(act(world, 0, hold, False, now=20), 20)
    assert ended(world) == {0: 20, 1: 8}


def test_a_timer_follows_the_field_that_names_it_in_public():
    """Its subject is what the field holds now, and it ends the record all the same."""
    world = act(filled(5), 0, rename, "blue")
    assert [timer.subject for timer in world.timers] == ["blue"]
    world, fired = fire_due_timers(world, 5)
    assert ([each.timer.subject for each in fired], ended(world)) == (["blue"], {0: 5})


def test_a_trigger_that_fails_changes_nothing_and_keeps_nobody_waiting():
    """It is tried again after a change, nothing of its own change is left, and it is not among those that fired."""
    change = filled(1, 2, 3).change(0)
    POTS.of(change, "c").put(replace(POTS.of(change, "c")[1], broken=True))
    failures: list[Exception] = []
    world, fired = fire_due_timers(change.commit(), 9, failed=failures.append)
    assert [each.timer.name[2] for each in fired] == [0, 2]
    assert ended(world) == {0: 1, 2: 3}
    assert {str(each) for each in failures} == {"pot 1"}
    with pytest.raises(ValueError, match="pot 1"):
        fire_due_timers(act(world, 1, hold, False), 9)


def test_one_timer_and_what_follows_it():
    """With ``once`` it stops after the first that fired; ``after`` says with which world to go on."""
    seen: list[int] = []

    def after(world: World, fired: Fired) -> World:
        seen.append(fired.change.now)
        further = world.change(fired.change.now)
        further.count("after")
        return further.commit()

    world, fired = fire_due_timers(filled(1, 2), 9, once=True, after=after)
    assert ([each.timer.due for each in fired], seen, world.sequences["after"]) == ([1], [1], 1)
    world, fired = fire_due_timers(world, 1, after=after)
    assert (fired, seen) == ([], [1])
    world, fired = fire_due_timers(world, 2, after=after)
    assert (len(fired), seen, world.sequences["after"]) == (1, [1, 2], 2)


def test_twenty_thousand_timers_are_no_recursion():
    """The queue is deep in no way that Python minds, and says when the next one is due."""
    timers = Timers()
    for due in range(20_000, 0, -1):
        timers = timers.put(Timer(("t", "c", due, "k"), due, due, "c", str(due)))
    assert (timers.first[1], timers.due) == (1, 1)


def test_a_kind_is_declared_once():
    """Two deadlines of one kind could not be told apart."""
    second: Machine[Egg, Pot] = Machine("test second pot", "A pot.", POTS, Egg, state="state", refused=Why.NO)
    Machine.declared.pop("test second pot")
    at = Deadline("test pot", lambda pot: pot.due)
    with pytest.raises(ValueError, match="declared twice"):
        second.declare(Row(second.trigger("end"), Egg.COOKING, Egg.DONE, at=at, source="test"))
    assert ALARMS["test pot"].timer(("test pots", "", 1, "test pot"), 1, Pot(id=1)) is None
