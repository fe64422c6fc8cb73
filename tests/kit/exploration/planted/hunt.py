"""The search for a planted fault: walks from the starts until an invariant says what it does not say without it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

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
#: The invariant that is named when the simulator fails in a control call, which ends a walk.
FAILED = "the simulator fails"


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
    """A walk that goes on one depth at a time."""

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.frontier = range(1)
        self.depth = 0
        self.steps = 0

    def deepen(self, fault: Fault) -> Iterator[Violation]:
        """Take all acts in each world of the last depth while a fault is in place; yield what violates an invariant."""
        known = len(self._index)
        self.depth += 1
        for begin in range(0, len(self.frontier), _BATCH):
            with fault.plant():
                found = [each for number in self.frontier[begin : begin + _BATCH] for each in self._expand_one(number)]
            yield from found
        self._forms.forget()
        self.frontier = range(known, len(self._index))

    def _expand_one(self, number: int) -> list[Violation]:
        found: list[Violation] = []
        before = View(*self.world(number))
        for act_number, act in enumerate(self.start.acts):
            try:
                step = self.stage.step(before, act)
            except Exception as bug:
                found.append(self._violation(FAILED, number, act.sentence, type(bug).__name__))
                continue
            if step is None:
                continue
            self.steps += 1
            if step.changed:
                world = without_log(step.after.world)
                digest = self._forms.digest(world, step.after.now)
                if digest not in self._index:
                    self._kept[len(self._index)] = world, step.after.now
                    self._take([(digest, number, act_number)])
            for invariant in self.invariants:
                for detail in invariant.of(step):
                    found.append(self._violation(invariant.name, number, act.sentence, detail))
        return found

    def _violation(self, invariant: str, number: int, last: str, detail: str) -> Violation:
        return Violation(invariant, self.start.name, [*self.story(number), last], detail)


@cache
def _clean(start: str) -> Stage:
    """The stage of a start, on which acts are performed without a fault."""
    return BY_NAME[start].stage()


@cache
def _beginning(start: str) -> View:
    stage = _clean(start)
    return View(stage.live.world, stage.live.clock.now())


#: What violates an invariant without a fault, too.
_not_by_faults: set[tuple[str, Kind]] = set()


def _by_fault(violation: Violation) -> bool:
    """Whether the same acts do not violate the invariant without a fault."""
    kind = violation.start, violation.kind
    if kind in _not_by_faults:
        return False
    view, stage, acts = _beginning(violation.start), _clean(violation.start), every()
    said: list[str] = []
    for sentence in violation.story:
        step = stage.step(view, acts[sentence])
        if step is None:
            return True
        said = [detail for each in INVARIANTS if each.name == violation.invariant for detail in each.of(step)]
        view = View(without_log(step.after.world), step.after.now)
    if violation.detail in said:
        _not_by_faults.add(kind)
        return False
    return True


class _Search:
    """The walks of one search, and what they spent."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self._began = time.process_time()
        self._walks: dict[str, _Walk] = {}

    def deepen(self, name: str, level: int) -> Violation | None:
        """Walk from a start to a depth that follows the last one; return what the fault violates first."""
        if name not in self._walks:
            self._walks[name] = _Walk(BY_NAME[name])
        walk = self._walks[name]
        if walk.depth < level:
            for violation in walk.deepen(self.fault):
                if _by_fault(violation):
                    return violation
        return None

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
