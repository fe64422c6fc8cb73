"""Every operation called in process, in the demo world and in worlds that are grown, beside the bare app.

Two figures are taken of each call, as multiples of the bare app in the same moments: ``again``, in a simulator that has
served it before, and ``first``, the first call in a fresh fork. Each is the fastest of some rounds. A call that changes
something is made again in the same world: the simulator is reset before it, outside of the time. The time is that of
the processor in this thread.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import step
import yardstick
from msgspec import Struct
from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from kit.growth.kinds import KINDS, Kind
from kit.growth.prepared import Names, prepared
from kit.growth.successes import Success

#: Rounds of one figure, and calls of each in a round.
ROUNDS, CALLS = 4, 3
#: Seconds after which a figure is not taken more often.
ENOUGH = 0.05
#: Growth from which on figures are taken again.
DOUBTFUL = 1.8


class Figure(Struct, frozen=True):
    """What a call costs in a world: multiples of the bare app, bytes of its answer, records that it writes, seconds.

    ``kind`` is what the world is grown by and ``size`` how many of them it has; "" and 0 for the world that is not.
    """

    call: str
    operation: str
    kind: str
    size: int
    again: float
    first: float
    answer: int
    written: int
    seconds: float

    @property
    def worst(self) -> float:
        """The larger one."""
        return max(self.again, self.first)


Progress = Callable[[str], object]


def figures(calls: Iterable[Success], kinds: Iterable[Kind], sizes: Iterable[int], tell: Progress) -> Iterator[Figure]:
    """Take the figures of the calls in the prepared world, then in those that are grown to each size by each kind."""
    calls, sizes = tuple(calls), sorted(sizes)
    sim, names = prepared()
    tell("the demo world")
    for call in calls:
        yield taken(sim, call, names, "", 0)
    for kind in kinds:
        worlds, grown = {}, sim.fork()
        for size in dict.fromkeys(min(size, kind.most or size) for size in sizes):
            tell(f"{size:,} {kind.name}")
            kind.add(grown, names, range(max(worlds, default=0), size))
            worlds[size] = grown.fork()
        gc.collect()
        gc.freeze()
        for call in calls:
            yield from _of_kind(call, worlds, names, kind.name)
        gc.unfreeze()


def _of_kind(call: Success, worlds: dict[int, Simulator], names: Names, kind: str) -> list[Figure]:
    """The figures of a call in worlds by their size. What seems to grow is taken again, and the least counts."""

    def take() -> list[Figure]:
        return [taken(sim, call, {**names, "middle": size // 2}, kind, size) for size, sim in worlds.items()]

    found = take()
    for _ in range(2):
        if found[-1].seconds > ENOUGH or not (
            found[-1].again > DOUBTFUL * found[0].again or found[-1].first > DOUBTFUL * found[0].first
        ):
            break
        found = [
            replace(one, again=min(one.again, other.again), first=min(one.first, other.first))
            for one, other in zip(found, take(), strict=True)
        ]
    return found


def taken(sim: Simulator, call: Success, names: Names, kind: str, size: int) -> Figure:
    """Take the figure of a call in this world. Raises AssertionError when it is refused."""
    ready = sim
    if call.before:
        ready = sim.fork()
        call.prepare(ready, names)
    operation, caller, arguments = call.operation, call.caller, call.filled(names)
    call.make(ready.fork(), names)  # what the process does once is no part of it
    fork, start = ready.fork(), time.thread_time()
    answer = call.make(fork, names)
    slow = time.thread_time() - start
    entry = fork.service.journal.last()
    assert entry is not None
    bare = _timed(step.through(yardstick.app, yardstick.PATH))
    best = [_fastest(bare), slow, slow]
    if slow < ENOUGH:
        again = _again(ready.fork(), operation, caller, arguments)
        for _ in range(ROUNDS):
            spans = [_fastest(bare), _fastest(again), _fastest(_first(ready, operation, caller, arguments))]
            best = [min(pair) for pair in zip(best, spans, strict=True)]
    return Figure(
        *(call.name, operation, kind, size, best[1] / best[0], best[2] / best[0]),
        *(len(answer.content), len(entry.touched), best[1]),
    )


def _fastest(timed: Callable[[], float]) -> float:
    return min(timed() for _ in range(CALLS))


def _timed(call: Callable[[], object]) -> Callable[[], float]:
    def timed() -> float:
        start = time.thread_time()
        call()
        return time.thread_time() - start

    return timed


def _first(ready: Simulator, operation: str, caller: str | None, arguments: dict[str, Any]) -> Callable[[], float]:
    def timed() -> float:
        fork = ready.fork()
        start = time.thread_time()
        fork.call(operation, caller, **arguments)
        return time.thread_time() - start

    return timed


def _again(sim: Simulator, operation: str, caller: str | None, arguments: dict[str, Any]) -> Callable[[], float]:
    changes = API.operations[operation].changes
    sim.call(operation, caller, **arguments)

    def timed() -> float:
        if changes:
            sim.service.reset()
        start = time.thread_time()
        sim.call(operation, caller, **arguments)
        return time.thread_time() - start

    return timed


def chosen_kinds(wanted: Callable[[str], bool]) -> tuple[Kind, ...]:
    """The kinds of which the name is wanted."""
    return tuple(kind for kind in KINDS if wanted(kind.name))
