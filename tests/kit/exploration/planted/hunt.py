"""The search for a planted fault: walks from the starts until an invariant says what it does not say without it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from kit.exploration import known
from kit.exploration.acts import every
from kit.exploration.explorer import Explorer
from kit.exploration.invariants import INVARIANTS
from kit.exploration.starts import BY_NAME, Start
from kit.exploration.step import Stage, without_log
from kit.exploration.view import View
from kit.exploration.violations import Kind, Violation

from .fault import Fault

#: The depth at which each fault has to be found.
DEPTH = 4
#: Worlds that are expanded with a fault in place before what was found is judged without it.
_BATCH = 25


class Hunt(Struct, frozen=True):
    """The result for one fault: the violation that shows it, None if none does; steps, and seconds of the processor."""

    fault: Fault
    violation: Violation | None
    steps: int
    seconds: float

    @property
    def found(self) -> bool:
        """Whether an invariant finds the fault."""
        return self.violation is not None

    @property
    def depth(self) -> int:
        """The number of acts that show it, 0 for a fault that is not found."""
        return 0 if self.violation is None else len(self.violation.story)

    def __str__(self) -> str:
        told = f"{self.fault.name} [{self.fault.area}]"
        spent = f"{self.steps} steps, {self.seconds} s"
        if self.violation is None:
            return f"not found: {told}: {spent}" + (f"; hidden: {self.fault.hidden}" if self.fault.hidden else "")
        shown = self.violation
        way = f"{shown.start}: {' > '.join(shown.story)}"
        return f"found: {told}: {shown.invariant} ({shown.detail}); depth {self.depth}, {spent}; {way}"


class _Walk(Explorer):
    """A walk with a fault in place, one depth at a time, from a start that was made without it."""

    def __init__(self, start: Start, fault: Fault) -> None:
        super().__init__(start)
        self.fault = fault
        self.depth = 0
        self.steps = 0
        self._frontier = range(1)

    def deepen(self) -> Iterator[Violation]:
        """Take all acts in each world of the last depth; yield violations, while the fault is not in place."""
        self.depth += 1
        known_worlds = len(self._index)
        for begin in range(0, len(self._frontier), _BATCH):
            with self.fault.plant():
                expansion = self._expanded(self._frontier[begin : begin + _BATCH])
            self.steps += expansion.steps
            self._take(expansion.new)
            yield from expansion.violations.sorted()
        self._forms.forget()
        self._frontier = range(known_worlds, len(self._index))
        with self.fault.plant():
            self._keep(self._frontier)


@cache
def _stage(start: str) -> Stage:
    """The stage on which acts from a start are performed without a fault."""
    return BY_NAME[start].stage()


@cache
def _beginning(start: str) -> View:
    stage = _stage(start)
    return View(stage.live.world, stage.live.clock.now())


@cache
def _listed() -> list[known.Known]:
    return known.entries()


#: What violates an invariant without a fault, too, by the start.
_not_by_faults: set[tuple[str, Kind]] = set()


def _is_by_fault(violation: Violation) -> bool:
    """Whether a violation is not a known one, and the same acts do not show it without a fault."""
    kind = violation.start, violation.kind
    if kind in _not_by_faults or not known.unknown([violation], _listed()):
        return False
    if violation.detail in _said_without(violation):
        _not_by_faults.add(kind)
        return False
    return True


def _said_without(violation: Violation) -> list[str]:
    """What the invariant of a violation says after the same acts without a fault."""
    view, stage, acts, said = _beginning(violation.start), _stage(violation.start), every(), list[str]()
    for sentence in violation.story:
        step = stage.step(view, acts[sentence])
        if step is None:
            return []
        view = View(without_log(step.after.world), step.after.now)
        asked = [each for each in INVARIANTS if each.name == violation.invariant]
        said = [detail for each in asked for detail in (*each.of(step), *each.on(stage, step.after))]
    return said


class _Search:
    """The walks of one search, and what they spent."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self._began = time.process_time()
        self._walks: dict[str, _Walk] = {}

    def deepen(self, name: str, level: int) -> Violation | None:
        """Walk from a start to a depth that follows the last one; return what the fault violates first."""
        if name not in self._walks:
            self._walks[name] = _Walk(BY_NAME[name], self.fault)
        walk = self._walks[name]
        return next(filter(_is_by_fault, walk.deepen()), None) if walk.depth < level else None

    def result(self, violation: Violation | None) -> Hunt:
        """Return the result, with what was spent until now."""
        steps = sum(walk.steps for walk in self._walks.values())
        return Hunt(self.fault, violation, steps, round(time.process_time() - self._began, 2))


def hunt(fault: Fault, depth: int = DEPTH, *, everywhere: bool = True) -> Hunt:
    """Look for a fault from all starts, or only from those where it is looked for first.

    All starts are walked to the depth before the last one before any of them is walked to the last.
    """
    search = _Search(fault)
    rest = [name for name in BY_NAME if name not in fault.starts] if everywhere else []
    for limit in (depth - 1, depth):
        for names in (fault.starts, rest):
            for level in range(1, limit + 1):
                for name in names:
                    violation = search.deepen(name, level)
                    if violation is not None:
                        return search.result(violation)
    return search.result(None)
