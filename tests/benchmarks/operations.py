"""Every operation called in process, in the demo world and in worlds that are grown, beside the bare app.

Two figures are taken of each call, as multiples of the bare app in the same moments: ``again``, in a simulator that has
served it before, and ``first``, the first call in a fresh fork. Each is the fastest of some rounds. A call that changes
something is made again in the same world: the simulator is reset before it, outside of the time. The time is that of
the processor in this thread, without what reading its clock takes.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from math import inf
from typing import Any

import msgspec
import step
import yardstick
from msgspec import Struct
from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from kit.growth.kinds import KINDS, Kind
from kit.growth.prepared import Names, prepared
from kit.growth.successes import Success

#: Rounds of one figure, and calls of each in a round: in the demo world or where it seems to grow, and in a grown one.
DEMO, GROWN = (24, 5), (2, 2)
#: Seconds after which a figure is not taken more often.
ENOUGH = 0.05
#: Growth from which on figures are taken again.
DOUBTFUL = 1.8


class Figure(Struct, frozen=True):
    """What a call costs in a world: multiples of the bare app, bytes of its answer, records that it writes, seconds.

    ``bare`` are the seconds of the bare app in the same moments. ``kind`` is what the world is grown by and ``size``
    how many of them it has; "" and 0 for the world that is not.
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
    bare: float

    @property
    def worst(self) -> float:
        """The larger one."""
        return max(self.again, self.first)


Progress = Callable[[str], object]


def figures(
    calls: Iterable[Success], kinds: Iterable[Kind], sizes: Iterable[int], known: Collection[Figure], tell: Progress
) -> Iterator[list[Figure]]:
    """Take the figures of the calls in the prepared world, then in those that are grown to each size by each kind.

    What is ``known`` is not taken again; the figures of one world, or of one kind, come together.
    """
    calls, sizes = tuple(calls), sorted(sizes)
    sim, names = prepared()
    there = {(figure.call, figure.kind, figure.size) for figure in known}
    left = [call for call in calls if (call.name, "", 0) not in there]
    tell(f"the demo world: {len(left)} calls")
    yield [taken(sim, call, names, "", 0, DEMO) for call in left]
    for kind in kinds:
        most = dict.fromkeys(min(size, kind.most or size) for size in sizes)
        left = [call for call in calls if not all((call.name, kind.name, size) in there for size in most)]
        if not left:
            continue
        worlds, grown = {}, sim.fork()
        for size in most:
            tell(f"{size:,} {kind.name}")
            kind.add(grown, names, range(max(worlds, default=0), size))
            worlds[size] = grown.fork()
        gc.collect()
        gc.freeze()
        yield [figure for call in left for figure in _of_kind(call, worlds, names, kind.name)]
        gc.unfreeze()


def _of_kind(call: Success, worlds: dict[int, Simulator], names: Names, kind: str) -> list[Figure]:
    """The figures of a call in worlds by their size. What seems to grow is taken again, and the least counts.

    All are multiples of the same moments of the bare app, so that it does not grow because that was slow in one world.
    """

    def take(rounds: tuple[int, int]) -> list[Figure]:
        return [taken(sim, call, {**names, "middle": size // 2}, kind, size, rounds) for size, sim in worlds.items()]

    found = _alike(take(GROWN))
    for _ in range(6):
        if found[-1].seconds > ENOUGH or not (
            found[-1].again > DOUBTFUL * found[0].again or found[-1].first > DOUBTFUL * found[0].first
        ):
            break
        more = take(DEMO)
        bare = min(figure.bare for figure in (*found, *more))
        found = [
            replace(one, again=min(one.again, other.again), first=min(one.first, other.first))
            for one, other in zip(_alike(found, bare), _alike(more, bare), strict=True)
        ]
    return found


def _alike(figures: list[Figure], bare: float | None = None) -> list[Figure]:
    """The figures as multiples of so many seconds, or of the least that the bare app took in any of them."""
    least = min(figure.bare for figure in figures) if bare is None else bare
    return [
        replace(each, again=each.again * each.bare / least, first=each.first * each.bare / least, bare=least)
        for each in figures
    ]


def taken(sim: Simulator, call: Success, names: Names, kind: str, size: int, rounds: tuple[int, int]) -> Figure:
    """Take the figure of a call in this world. Raises AssertionError when it is refused."""
    ready = sim
    if call.before:
        ready = sim.fork()
        call.prepare(ready, names)
    operation, caller, arguments = call.operation, call.caller, call.filled(names)
    for _ in range(2):  # what the process does once is no part of it
        fork, start = ready.fork(), time.thread_time()
        answer = call.make(fork, names)
        slow = time.thread_time() - start
    entry = fork.service.journal.last()
    assert entry is not None
    bare = _timed(step.through(yardstick.app, yardstick.PATH))
    count, calls = rounds
    best = [_fastest(bare, calls), slow, slow]
    if slow < ENOUGH:
        again = _again(ready.fork(), operation, caller, arguments)
        first = _first(ready, operation, caller, arguments)
        for _ in range(count):
            spans = [_fastest(timed, calls) for timed in (bare, again, first)]
            best = [min(pair) for pair in zip(best, spans, strict=True)]
    return Figure(
        *(call.name, operation, kind, size, best[1] / best[0], best[2] / best[0]),
        *(len(answer.content), len(entry.touched), best[1], best[0]),
    )


def _fastest(timed: Callable[[], float], calls: int) -> float:
    """The least seconds of some calls; the clock of a thread stands still now and then on a busy machine."""
    return min((span for span in (timed() for _ in range(calls)) if span > 0), default=inf)


def _span(call: Callable[[], object]) -> float:
    """The seconds of a call."""
    start = time.thread_time()
    call()
    return time.thread_time() - start - _reading()


@cache
def _reading() -> float:
    """The seconds that pass between two readings of the clock of a thread, half a microsecond in most places."""
    return min(-time.thread_time() + time.thread_time() for _ in range(1000))


def _timed(call: Callable[[], object]) -> Callable[[], float]:
    return lambda: _span(call)


def _first(ready: Simulator, operation: str, caller: str | None, arguments: dict[str, Any]) -> Callable[[], float]:
    def timed() -> float:
        call = ready.fork().call
        return _span(lambda: call(operation, caller, **arguments))

    return timed


def _again(sim: Simulator, operation: str, caller: str | None, arguments: dict[str, Any]) -> Callable[[], float]:
    changes = API.operations[operation].changes
    sim.call(operation, caller, **arguments)

    def timed() -> float:
        if changes:
            sim.service.reset()
        return _span(lambda: sim.call(operation, caller, **arguments))

    return timed


def chosen_kinds(wanted: Callable[[str], bool]) -> tuple[Kind, ...]:
    """The kinds of which the name is wanted."""
    return tuple(kind for kind in KINDS if wanted(kind.name))


def read(stored: bytes) -> list[Figure]:
    """The figures that were stored as JSON. Raises msgspec.DecodeError."""
    return msgspec.json.decode(stored, type=list[Figure])
