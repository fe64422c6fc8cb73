"""Checkpoints of a run: what was known after so many steps, from which judging goes on under other values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from confsim.testing.learning.run import Run, RunState

from .alternatives import Alternatives, AlternativesState
from .evidence import AssumptionEvidence, Judged

#: Steps from one checkpoint to the next.
_APART = 10


class RunCheckpoint(Struct, frozen=True):
    """What a run had, its answers had shown, and which alternatives were followed, after so many steps."""

    run: RunState
    judged: Judged
    alternatives: AlternativesState

    @classmethod
    def of(cls, run: Run, evidence: AssumptionEvidence, alternatives: Alternatives) -> RunCheckpoint:
        """Return a checkpoint of the present state."""
        return cls(run.state(), evidence.judged(), alternatives.state())


class Checkpoints:
    """The checkpoints of one run, at its beginning and then after every few steps."""

    def __init__(self, first: Sequence[RunCheckpoint]) -> None:
        self._made = [*first]

    def note(self, run: Run, evidence: AssumptionEvidence, alternatives: Alternatives) -> None:
        """Make a checkpoint if it is time for one."""
        if not self._made or len(run.history) >= self._made[-1].run.count + _APART:
            self._made.append(RunCheckpoint.of(run, evidence, alternatives))

    def until(self, checkpoint: RunCheckpoint) -> Checkpoints:
        """Return the checkpoints up to one of them."""
        return Checkpoints([each for each in self._made if each.run.count <= checkpoint.run.count])

    def before(self, ids: Iterable[str], alternatives: Alternatives) -> RunCheckpoint | None:
        """Return the last checkpoint before the first step that depended on some assumptions; None when all did."""
        steps = [step for id in ids if (step := alternatives.consulted.get(id)) is not None]
        return next((each for each in reversed(self._made) if all(each.run.count <= step for step in steps)), None)
