"""Interleaved timings: what is compared takes turns, so that a noisy machine slows both alike.

The time is that of the processor in this thread: what waits for a processor that others hold is no part of it.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable


def turns(*calls: Callable[[], object], number: int = 400, rounds: int = 15) -> list[float]:
    """Seconds of one call of each: of their fastest rounds."""
    best = [float("inf") for _ in calls]
    gc.collect()
    for _ in range(rounds):
        for place, call in enumerate(calls):
            start = time.thread_time()
            for _ in range(number):
                call()
            best[place] = min(best[place], (time.thread_time() - start) / number)
    return best


def paired(one: Callable[[], object], other: Callable[[], object], *, number: int = 400, rounds: int = 15) -> float:
    """How many times as long ``one`` takes as ``other``: the ratio of their fastest rounds."""
    first, second = turns(one, other, number=number, rounds=rounds)
    return first / second


def each(call: Callable[[], object], *, number: int = 2000, rounds: int = 9) -> float:
    """Microseconds of one call: the median of the rounds."""
    spans = []
    for _ in range(rounds):
        start = time.thread_time()
        for _ in range(number):
            call()
        spans.append((time.thread_time() - start) / number * 1e6)
    return statistics.median(spans)
