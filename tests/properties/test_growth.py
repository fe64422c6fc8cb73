"""A call takes as many steps in a large world as in a small one, where what it answers and writes does not grow."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from msgspec import Struct

from confsim import Simulator
from confsim.api.catalogue import API
from kit.growth.kinds import KINDS
from kit.growth.prepared import Names, prepared
from kit.growth.reasons import REASONS, reason
from kit.growth.successes import SUCCESSES, Success
from kit.growth.variants import CALLS, is_search

SMALL, LARGE = 100, 1500
#: How many times the steps of the small world a call may take in the large one.
MOST = 1.5


class Cost(Struct, frozen=True):
    """What a call answers (bytes) and writes (records) in a world, and the call itself, to be counted."""

    answer: int
    written: int
    again: Callable[[], object]


def grown(size: int) -> tuple[Simulator, Names]:
    """The prepared world with so many more things of every kind."""
    sim, names = prepared()
    for place, kind in enumerate(KINDS):
        first = place * 1_000_000
        kind.add(sim, names, range(first, first + min(size, kind.most or size)))
    return sim, {**names, "middle": size // 2}


@pytest.fixture(scope="module")
def worlds() -> list[tuple[Simulator, Names]]:
    """A small world and a large one, with so many things of every kind."""
    return [grown(SMALL), grown(LARGE)]


def cost(world: tuple[Simulator, Names], call: Success) -> Cost:
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


def steps(call: Callable[[], object]) -> int:
    """The lines of Python that run, each turn of a loop for itself."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


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
