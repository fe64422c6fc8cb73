"""An invariant: a sentence with its source, and how records are held against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from msgspec import Struct

from kit.exploration.step import Stage, Step
from kit.exploration.view import View

#: Yields what does not hold in a world, or of a step, in a few words each.
OfWorld: TypeAlias = Callable[[View], Iterator[str]]
OfStep: TypeAlias = Callable[[Step], Iterator[str]]
#: The same for a world in which calls can be made.
OfStage: TypeAlias = Callable[[Stage, View], Iterator[str]]
#: The beginning of what an invariant says that failed with an exception, which none should.
FAILED = "the invariant failed"


class Invariant(Struct, frozen=True):
    """A sentence and where it stands. It holds in each world (``of_world``), of each step (``of_step``), or of what
    calls answer in a world (``of_stage``, for one world in a hundred).

    ``source`` names rules and gaps of the documents. ``tables`` are those that an invariant reads of the world: it is
    not asked again after a step that changed none of them; empty for all.
    """

    name: str
    sentence: str
    source: str
    of_world: OfWorld | None = None
    of_step: OfStep | None = None
    of_stage: OfStage | None = None
    tables: tuple[str, ...] = ()

    def of(self, step: Step) -> list[str]:
        """Return what does not hold since a step, each once: of the step itself, or in the world after it and not in
        the one before.
        """
        if self.tables and step.tables.isdisjoint(self.tables):
            return []
        if self.of_step is not None:
            return _asked(self.of_step, step)
        if not step.changed:
            return []
        found = self.within(step.after)
        if not found:
            return []
        known = self.within(step.before)
        return [detail for detail in found if detail not in known]

    def on(self, stage: Stage, view: View) -> list[str]:
        """Return what does not hold of the calls that an invariant makes in a world, each once."""
        check = self.of_stage
        return [] if check is None else _asked(lambda world: check(stage, world), view)

    def within(self, view: View) -> list[str]:
        """Return what does not hold in a world by its records, each once."""
        return [] if self.of_world is None else _asked(self.of_world, view)


def _asked(check: Callable[[Any], Iterator[str]], about: Any) -> list[str]:
    """Return what does not hold; an invariant that fails itself is a problem, too."""
    try:
        return list(dict.fromkeys(check(about)))
    except Exception as error:
        return [f"{FAILED}: {type(error).__name__}: {error}"]


class Statements:
    """Collects the invariants of a module by decoration."""

    def __init__(self) -> None:
        self.invariants: list[Invariant] = []

    def world(self, name: str, sentence: str, source: str, *tables: str) -> Callable[[OfWorld], OfWorld]:
        """Declare an invariant of worlds."""

        def declare(check: OfWorld) -> OfWorld:
            self.invariants.append(Invariant(name, sentence, source, of_world=check, tables=tables))
            return check

        return declare

    def stage(self, name: str, sentence: str, source: str) -> Callable[[OfStage], OfStage]:
        """Declare an invariant of what calls answer in a world."""

        def declare(check: OfStage) -> OfStage:
            self.invariants.append(Invariant(name, sentence, source, of_stage=check))
            return check

        return declare

    def step(self, name: str, sentence: str, source: str, *tables: str) -> Callable[[OfStep], OfStep]:
        """Declare an invariant of steps; with ``tables`` it concerns only steps that changed one of them."""

        def declare(check: OfStep) -> OfStep:
            self.invariants.append(Invariant(name, sentence, source, of_step=check, tables=tables))
            return check

        return declare
