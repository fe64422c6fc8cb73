"""A call takes as many steps in a large world as in a small one, where what it answers and writes does not grow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from msgspec import Struct

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.control.declare import CONTROL
from confsim.kernel.world import Change
from confsim.service.files.state import document, world_from
from kit import ROOM, ok
from kit.growth import control_calls, kinds
from kit.growth.control_calls import LEFT_OUT
from kit.growth.kinds import KINDS
from kit.growth.prepared import Names, prepared
from kit.growth.reasons import REASONS, reason
from kit.growth.steps import LARGE, LARGER, MOST, SMALL, Grown, grown, steps
from kit.growth.successes import SUCCESSES, Success
from kit.growth.variants import CALLS, is_search


class Cost(Struct, frozen=True):
    """What a call answers (bytes) and writes (records) in a world, and the call itself, to be counted."""

    answer: int
    written: int
    again: Callable[[], object]


@pytest.fixture(scope="module")
def worlds() -> list[Grown]:
    """A small world and a large one, with so many things of every kind."""
    return [grown(SMALL), grown(LARGE)]


def cost(world: Grown, call: Success) -> Cost:
    """What a call costs. Raises AssertionError when it is refused."""
    sim, names = world
    ready = sim.fork()
    call.prepare(ready, names)
    fork = ready.fork()
    answer = call.make(fork, names)
    entry = fork.service.journal.last()
    assert entry is not None
    fresh = ready.fork()
    return Cost(len(answer.content), len(entry.touched), lambda: call.make(fresh, names))


def test_every_operation_has_a_call_that_succeeds():
    """The calls by which growth is measured are those of the whole catalogue."""
    assert SUCCESSES.keys() == API.operations.keys()


def test_no_call_takes_more_steps_in_a_large_world(worlds):
    """Apart from the search of texts, and from calls whose answer grows or that write more.

    Each call that grows has a reason, and each reason is needed.
    """
    small, large = worlds
    grew, reasons = [], set()
    for call in CALLS:
        if is_search(call):
            continue
        few = cost(small, call)
        if few.written > SMALL:  # as many as there are things in it
            continue
        many = cost(large, call)
        if many.written > 2 * few.written or many.answer > 2 * few.answer:
            continue
        counted = steps(few.again), steps(many.again)
        if counted[1] > MOST * counted[0]:
            reasons.add(reason(call.name))
            if not reason(call.name):
                grew.append(f"{call.name}: {counted[0]} steps, {counted[1]} steps")
    assert grew == []
    assert reasons == REASONS.keys()


def test_things_that_are_multiplied_are_as_many_as_if_each_were_made(monkeypatch):
    """With all that belongs to them; and a world document of them can be loaded."""
    sim, names = prepared()

    def one_by_one(change: Change, make: Callable[[Change, int], object], numbers: range, name: object) -> None:
        for number in numbers:
            make(change, number)

    for kind in KINDS:
        grown_, made = sim.fork(), sim.fork()
        for numbers in (range(5), range(5, 9)):
            kind.add(grown_, names, numbers)
            with monkeypatch.context() as patch:
                patch.setattr(kinds, "multiply", one_by_one)
                kind.add(made, names, numbers)
        worlds_ = [each.service.world for each in (grown_, made)]
        held = [{place: len(state.rows) for place, state in world.tables()} for world in worlds_]
        assert held[0] == held[1], kind.name
        assert dict(worlds_[0].sequences.items()) == dict(worlds_[1].sequences.items()), kind.name
        assert world_from(document(worlds_[0])).digest() == worlds_[0].digest(), kind.name


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("delete_channel", "guests of a room"),
        ("start_breakout_session", "breakout sessions of a room"),
        ("list_sessions", "rooms without a host"),
        ("list_sessions", "sessions of a room"),
    ],
)
def test_a_call_costs_nothing_by_things_of_a_kind_that_it_leaves_alone(operation, kind):
    """Calls that write as many records as there are things of other kinds, or grow with these."""
    counted = []
    for size in (SMALL, LARGE):
        sim, names = prepared()
        (added,) = (each for each in KINDS if each.name == kind)
        added.add(sim, names, range(min(size, added.most or size)))
        counted.append(steps(cost((sim, names), SUCCESSES[operation]).again))
    assert counted[1] <= MOST * counted[0]


@pytest.fixture(scope="module")
def called() -> list[Grown]:
    """A small world and a larger one, with a phone in a call, and an invitation."""
    return [with_calls(*grown(size)) for size in (SMALL, LARGER)]


def with_calls(sim: Simulator, names: Names) -> Grown:
    """A fork of the world in which a phone has called, and a user is invited."""
    sim = sim.fork()
    ok(sim, "set_dial_in_state", uuid=ROOM, state="enable")
    dialled = sim.calls.dial_in("+12025550123", meetingId=names["meeting_id"], pin="1234")
    code = ok(sim, "create_invitation", userId=names["uninvited"])["code"]
    sim.service.begin()
    return sim, {**names, "phone": dialled.userId, "invitation": code}


def test_every_operation_of_the_control_plane_has_a_call_or_a_reason():
    """The calls are those of the whole catalogue but for what ``LEFT_OUT`` names."""
    assert {call.operation for call in control_calls.CALLS} == CONTROL.operations.keys() - LEFT_OUT.keys()
    assert LEFT_OUT.keys() <= CONTROL.operations.keys()


def test_no_call_of_the_control_plane_keeps_others_waiting(called):
    """One that does not run beside others takes as many steps in a large world as in a small one."""
    slower = []
    for call in control_calls.HOLDING:
        counted = []
        for sim, names in called:
            for _ in range(2):  # what the process does once, or for this world, is no part of it
                ready = sim.fork()
                call.prepare(ready, names)
                counted.append(steps(partial(call.make, ready, names)))
        del counted[::2]
        if counted[1] > MOST * counted[0]:
            slower.append(f"{call.operation} {call.arguments}: {counted}")
    assert slower == []
