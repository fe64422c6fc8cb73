"""Worlds that are grown by things of every kind, and the count of the steps that a call takes in them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from confsim import Simulator
from kit.budgets import THOROUGH
from kit.growth.kinds import KINDS
from kit.growth.prepared import Names, prepared

SMALL, LARGE = 100, 5000 if THOROUGH else 2000
#: Things of each kind where every line is counted that looks through all of them, part by part.
LARGER = 1000
#: How many times the steps of the small world a call may take in the large one.
MOST = 2.0

#: A world, and what is in it by name.
Grown = tuple[Simulator, Names]


def grown(size: int) -> Grown:
    """The prepared world with so many more things of every kind."""
    sim, names = prepared()
    for place, kind in enumerate(KINDS):
        first = place * 1_000_000
        kind.add(sim, names, range(first, first + min(size, kind.most or size)))
    return sim, {**names, "middle": size // 2}


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
        trace = None  # it refers to itself, and would wait for the garbage collector
    return count
