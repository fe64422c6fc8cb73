"""Runs of verify that share a plan: its calls are chosen once, and made again beside other services.

What a run calls follows from its seed and from the model's answers; beside true services of the same latency these are
the same. So the search for the calls, which takes most of the time of a run, is made once for several services.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from confsim.kernel.world import World
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.run import Run
from confsim.testing.verifying.planning import Planner
from confsim.testing.verifying.verifier import Verifier

#: The calls of each journey, with the status that the model predicted for each.
Plan = list[list[tuple[ModelCall, int]]]


class Recorded(Verifier):
    """A run whose plan is stored, in ``plan``."""

    plan: Plan

    def planner(self, run: Run) -> Planner:
        """A planner whose calls are noted."""
        chosen = _Noting(run.model, run.things, run.scope, run.names, self.report.seed, run.numbers)
        self.plan = chosen.plan = []
        return chosen


class Repeated(Verifier):
    """A run that makes the calls of ``plan``; ``strayed`` counts those that the model answers otherwise than then."""

    plan: Plan
    strayed = 0

    def planner(self, _run: Run) -> Any:
        """What has the calls of the plan."""
        return _Repeating(self)


class _Noting(Planner):
    plan: Plan

    def journey_calls(self) -> Iterator[ModelCall]:
        self.plan.append([])
        yield from super().journey_calls()

    def note(self, call: ModelCall, predicted: Prediction, before: World) -> None:
        self.plan[-1].append((call, predicted.reply.status))
        super().note(call, predicted, before)


class _Repeating:
    def __init__(self, verifier: Repeated) -> None:
        self.journey = 0
        self.set_aside: set[str] = set()
        self._verifier = verifier
        self._statuses: Iterator[int] = iter(())

    def journey_calls(self) -> Iterator[ModelCall]:
        """The calls of the next journey."""
        steps = self._verifier.plan[self.journey]
        self.journey += 1
        self._statuses = iter([status for _, status in steps])
        yield from (call for call, _ in steps)

    def note(self, _call: ModelCall, predicted: Prediction, _before: World) -> None:
        """Count an answer that is not the one of the plan."""
        self._verifier.strayed += predicted.reply.status != next(self._statuses)
