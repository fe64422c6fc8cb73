"""Timers against a plain model: a dict from name to due instant, fired by sorting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confsim.kernel.due import fire_due_timers
from confsim.kernel.tables.table import Record, SharedTable
from confsim.kernel.timers import HANDLERS, NEVER, Timers, on_timer
from confsim.kernel.world import Change, World


class Note(Record):
    """What fell due, and when."""

    id: int
    subject: str
    at: int


NOTES: SharedTable[int, Note] = SharedTable("test notes", Note, "id")


@on_timer("test")
def _note(change: Change, client: str, subject: str) -> bool:
    NOTES.of(change).put(Note(change.count("test notes"), subject, change.now))
    return subject != "silent"


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from("abcdef"), st.integers(0, 50)),
        st.tuples(st.just("cancel"), st.sampled_from("abcdef"), st.just(0)),
    ),
    max_size=40,
)


def _scheduled(steps: list[tuple[str, str, int]]) -> tuple[World, dict[str, tuple[int, int]]]:
    change, model = World().change(0), {}
    for turn, (what, subject, due) in enumerate(steps):
        if what == "add":
            change.schedule("test", due, "k", subject)
            model[subject] = (due, turn)
        else:
            change.cancel("test", "k", subject)
            model.pop(subject, None)
    return change.commit(), model


@given(STEPS, st.integers(0, 50))
def test_what_is_due_falls_due_in_order_at_its_instant(steps: list[tuple[str, str, int]], until: int) -> None:
    """Firing due timers fires exactly what the model says, sorted by due instant and then by age."""
    world, model = _scheduled(steps)
    world, fired = fire_due_timers(world, until)
    expected = sorted((due, turn, subject) for subject, (due, turn) in model.items() if due <= until)
    assert [(each.timer.due, each.timer.subject) for each in fired] == [(due, name) for due, _, name in expected]
    noted = [(note.at, note.subject) for note in NOTES.seen(world).all]
    assert noted == [(due, name) for due, _, name in expected]
    assert {timer.subject for timer in world.timers} == {name for name, (due, _) in model.items() if due > until}


@given(STEPS)
def test_settling_at_once_or_step_by_step_is_the_same(steps: list[tuple[str, str, int]]) -> None:
    """The world after due timers have fired does not depend on how often they are fired."""
    whole, _ = _scheduled(steps)
    slow = whole
    whole, _ = fire_due_timers(whole, 50)
    for until in range(51):
        slow, _ = fire_due_timers(slow, until)
    assert whole.digest() == slow.digest()


def test_once_stops_after_the_first_thing_that_happens() -> None:
    """A timer that makes nothing happen does not count."""
    change = World().change(0)
    for due, subject in ((1, "silent"), (2, "a"), (3, "b")):
        change.schedule("test", due, "k", subject)
    world, fired = fire_due_timers(change.commit(), NEVER, once=True)
    assert [each.timer.subject for each in fired] == ["a"]
    assert [timer.subject for timer in world.timers] == ["b"]


def test_when_the_next_timer_falls_due_is_known() -> None:
    """Asking whether something is due needs no search; a timer that is replaced or cancelled counts no more."""
    timers = Timers().add("test", 5, "k", "a").add("test", 9, "k", "a").add("test", 7, "k", "b")
    first = timers.first
    assert first is not None
    assert (first.subject, timers.due) == ("b", 7)
    assert timers.cancel("test", "k", "b").due == 9
    assert timers.cancel("test", "k", "b").cancel("test", "k", "a").due == NEVER


def test_twenty_thousand_timers_are_no_recursion() -> None:
    """The queue is deep in no way that Python minds."""
    timers = Timers()
    for due in range(20_000):
        timers = timers.add("test", due, "k", str(due))
    first = timers.first
    assert first is not None
    assert (first.due, timers.due) == (0, 0)


def test_unknown_kinds_are_refused() -> None:
    """A kind that nobody declared is an error of ours, and so is one declared twice."""
    with pytest.raises(ValueError, match="not declared"):
        World().change(0).schedule("no such kind", 1, "k", "a")
    with pytest.raises(ValueError, match="twice"):
        on_timer("test")(HANDLERS["test"])


@on_timer("test failing")
def _fail(change: Change, client: str, subject: str) -> bool:
    NOTES.of(change).put(Note(change.count("test notes"), subject, change.now))
    if subject == "bad":
        raise ValueError(subject)
    return True


def _failing(*subjects: str) -> World:
    change = World().change(0)
    for due, subject in enumerate(subjects, 1):
        change.schedule("test failing", due, "k", subject)
    return change.commit()


def test_a_handler_that_fails_changes_nothing_and_keeps_nobody_waiting() -> None:
    """Its timer is gone, nothing of its change is left, and it is not among those that fired."""
    failures: list[Exception] = []
    world, fired = fire_due_timers(_failing("a", "bad", "b"), 9, failed=failures.append)
    assert [str(each) for each in failures] == ["bad"]
    assert [each.timer.subject for each in fired] == ["a", "b"]
    assert [(note.id, note.subject) for note in NOTES.seen(world).all] == [(1, "a"), (2, "b")]
    assert not list(world.timers)


def test_a_handler_that_fails_is_told_to_whoever_asks_for_nothing_else() -> None:
    """Without ``failed`` the exception passes."""
    with pytest.raises(ValueError, match="bad"):
        fire_due_timers(_failing("bad"), 9)


def test_one_timer_and_what_follows_it() -> None:
    """With ``once`` it stops after the first that fired; ``after`` says with which world to go on."""
    seen: list[int] = []

    def after(world: World, change: Change) -> World:
        seen.append(change.now)
        further = world.change(change.now)
        further.count("after")
        return further.commit()

    world, fired = fire_due_timers(_failing("a", "b"), 9, once=True, after=after)
    assert ([each.timer.subject for each in fired], seen, world.sequences["after"]) == (["a"], [1], 1)
    assert [timer.subject for timer in world.timers] == ["b"]
    world, fired = fire_due_timers(world, 1, after=after)
    assert (fired, seen) == ([], [1])
    world, fired = fire_due_timers(world, 2, after=after)
    assert (len(fired), seen, world.sequences["after"]) == (1, [1, 2], 2)
