"""The exploration: breadth first, all sequences of acts from a start, worlds of one form once."""

from __future__ import annotations

import multiprocessing
import resource
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from hashlib import blake2b
from itertools import islice
from multiprocessing.connection import Connection
from operator import itemgetter

from msgspec import Struct

from confsim.canonical.form import FormLevel, Forms
from confsim.kernel.world import World

from .invariants import INVARIANTS
from .invariants.invariant import Invariant
from .pairs import Pairs
from .starts import BY_NAME, Start
from .step import without_log
from .view import View
from .violations import Violation, Violations

#: Worlds that are kept; further ones are made again by the acts that led to them.
KEPT = 40_000
#: One world in so many is read by all callers, exported and read again.
SAMPLED = 100
#: Worlds that each process expands before the results are put together.
_CHUNK = 2_000
#: Fewer worlds than these are expanded by one process.
_SHARED = 200

#: A world that was not met before: its digest, the number of the world before it, and the number of the act.
New = tuple[bytes, int, int]


class Exploration(Struct):
    """The result of an exploration from one start.

    ``by_depth`` counts the distinct worlds that were first met at each depth; ``complete`` says whether all of them but
    those of the last depth were expanded. ``fold`` is a digest of their digests, depth by depth, in whatever order they
    were met. ``seconds`` are those of the processors, ``memory`` is in MiB.
    """

    start: str
    worlds: int
    steps: int
    refused: int
    by_depth: list[int]
    fold: str
    complete: bool
    seconds: float
    memory: int
    violations: list[Violation]


class Expansion:
    """What the steps from some worlds showed."""

    def __init__(self, pairs: Pairs) -> None:
        self.new: list[New] = []
        self.steps = 0
        self.refused = 0
        self.violations = Violations()
        self.pairs = pairs


class Explorer:
    """Walks from a start. It keeps the digest of every world, the world before it and the act, and the first worlds
    themselves; others are made again by their acts.
    """

    def __init__(
        self, start: Start, invariants: Sequence[Invariant] = INVARIANTS, level: FormLevel = FormLevel.PRESENT
    ) -> None:
        self.start = start
        self.invariants = invariants
        self.stage = start.stage()
        self.pairs = Pairs(start.channel, start.client)
        self.violations = Violations()
        self._forms = Forms(level)
        world, now = self.stage.live.world, self.stage.live.clock.now()
        self._index = {self._forms.digest(world, now): 0}
        self._parents = array("l", [-1])
        self._acts = array("h", [-1])
        self._kept: dict[int, tuple[World, int]] = {0: (world, now)}
        for invariant in invariants:
            for detail in invariant.within(View(world, now)):
                self.violations.add([Violation(invariant.name, start.name, [], detail)])

    def world(self, number: int) -> tuple[World, int]:
        """Return a world by its number, and its instant; it is made again from the nearest one that is kept."""
        way = []
        while number not in self._kept:
            way.append(self._acts[number])
            number = self._parents[number]
        world, now = self._kept[number]
        for act in reversed(way):
            world, now = self.stage.again(world, now, self.start.acts[act])
        return world, now

    def story(self, number: int) -> list[str]:
        """Return the sentences of the acts that led to a world."""
        told = []
        while number:
            told.append(self.start.acts[self._acts[number]].sentence)
            number = self._parents[number]
        return told[::-1]

    def run(self, depth: int, *, processes: int = 1, most: int | None = None) -> Exploration:
        """Walk to a depth, or until about so many worlds were met, and return what was found."""
        began, frontier, by_depth, steps, refused = _processor_seconds(), range(1), [1], 0, 0
        complete = True
        with self.stage.traced():
            for _ in range(depth):
                known = len(self._index)
                for expansions in self._expand(frontier, processes, most):
                    for expansion in expansions:
                        steps += expansion.steps
                        refused += expansion.refused
                        self.violations.add(expansion.violations.by_kind.values())
                        self.pairs.add(expansion.pairs)
                    self._take(new for expansion in expansions for new in expansion.new)
                frontier = range(known, len(self._index))
                by_depth.append(len(frontier))
                complete = most is None or len(self._index) < most
                if not frontier or not complete:
                    break
                self._keep(frontier)
        return Exploration(
            start=self.start.name,
            worlds=len(self._index),
            steps=steps,
            refused=refused,
            by_depth=by_depth,
            fold=self._fold(by_depth),
            complete=complete,
            seconds=round(_processor_seconds() - began, 1),
            memory=_memory(),
            violations=self.violations.sorted(),
        )

    def _take(self, new: Iterable[New]) -> None:
        """Number the new worlds, each after the first act that leads to it, however many processes met them."""
        for digest, parent, act in sorted(new, key=itemgetter(1, 2)):
            if digest not in self._index:
                self._index[digest] = len(self._index)
                self._parents.append(parent)
                self._acts.append(act)

    def _fold(self, by_depth: Iterable[int]) -> str:
        """Return a digest of the digests of all worlds, whose order at a depth makes no difference to it."""
        digests, folded = iter(self._index), blake2b(digest_size=8)
        for count in by_depth:
            folded.update(b"".join(sorted(islice(digests, count))))
        return folded.hexdigest()

    def _keep(self, frontier: Iterable[int]) -> None:
        """Keep the worlds of a depth, as far as there is room."""
        for number in frontier:
            if len(self._kept) >= KEPT:
                return
            self._kept[number] = self.world(number)

    def _expand(self, frontier: range, processes: int, most: int | None) -> Iterator[list[Expansion]]:
        """Take all steps from the worlds of a depth, some thousands at a time, shared by the processes."""
        for begin in range(0, len(frontier), _CHUNK * processes):
            if most is not None and len(self._index) >= most:
                return
            part = frontier[begin : begin + _CHUNK * processes]
            if processes == 1 or len(part) < _SHARED:
                yield [self._expanded(part)]
            else:
                yield list(self._forked([part[number::processes] for number in range(processes)]))
            self._forms.forget()

    def _forked(self, shares: Sequence[range]) -> Iterator[Expansion]:
        """Expand each share in a process of its own, which begins with all that this one knows."""
        forked = multiprocessing.get_context("fork")

        def work(share: range, results: Connection) -> None:
            results.send(self._expanded(share))

        running = []
        for share in shares:
            receiver, sender = forked.Pipe(duplex=False)
            process = forked.Process(target=work, args=(share, sender))
            process.start()
            sender.close()
            running.append((process, receiver))
        for process, receiver in running:
            yield receiver.recv()
            process.join()

    def _expanded(self, frontier: Iterable[int]) -> Expansion:
        found = Expansion(Pairs(self.start.channel, self.start.client))
        met: set[bytes] = set()
        for number in frontier:
            before = View(*self.world(number))
            states = found.pairs.states(before)
            found.pairs.reach(states)
            for act_number, act in enumerate(self.start.acts):
                step = self.stage.step(before, act)
                if step is None:
                    continue
                found.steps += 1
                found.refused += step.answer.refused
                found.pairs.try_in(states, step.tried)
                problems = [(each, detail) for each in self.invariants for detail in each.of(step)]
                if step.changed:
                    digest = self._forms.digest(without_log(step.after.world), step.after.now)
                    if digest not in self._index and digest not in met:
                        met.add(digest)
                        found.new.append((digest, number, act_number))
                        if int.from_bytes(digest[:4], "big") % SAMPLED == 0:
                            problems += [
                                (each, detail) for each in self.invariants for detail in each.on(self.stage, step.after)
                            ]
                if problems:
                    story = [*self.story(number), act.sentence]
                    found.violations.add(
                        Violation(invariant.name, self.start.name, story, detail) for invariant, detail in problems
                    )
        return found


def violations(
    starts: Iterable[Start],
    depth: int,
    planted: AbstractContextManager[object] | None = None,
    invariants: Sequence[Invariant] = INVARIANTS,
) -> list[Violation]:
    """Return the violations of walks from these starts to a depth while a planted fault is in place.

    ``planted`` is a context manager that patches one thing; the starts are made before it is entered. Each walk has
    forms of its own, so that nothing is remembered from one fault to the next. ``violations.added`` tells what a fault
    adds to the violations without one.
    """
    explorers = [Explorer(start, invariants) for start in starts]
    found = Violations()
    with planted or nullcontext():
        for explorer in explorers:
            found.add(explorer.run(depth).violations)
    return found.sorted()


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _memory() -> int:
    """Return the most memory that this process had, and twice that of the largest child, in MiB."""
    own, child = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return (own + 2 * child) // 1024


def walk(
    start: str, depth: int | None = None, processes: int = 1, most: int | None = None
) -> tuple[Exploration, Pairs]:
    """Walk from a start by its name, to its own depth unless another is given; a job for any process."""
    chosen = BY_NAME[start]
    explorer = Explorer(chosen)
    return explorer.run(chosen.depth if depth is None else depth, processes=processes, most=most), explorer.pairs
