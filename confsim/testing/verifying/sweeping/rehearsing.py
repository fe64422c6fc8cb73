"""Journeys that are rehearsed in the model, which costs no request, until one reaches what no single call does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.ledger import Ledger
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.places import Shapes
from confsim.testing.learning.things import RunCaller
from confsim.testing.verifying.candidates import Candidates
from confsim.testing.verifying.replay import Renaming

#: Returns whether a call with its prediction is one that is sought.
Fits = Callable[[ModelCall, Prediction], bool]

#: Journeys that are rehearsed, changes before the last call in each, and trials for a call and for a change.
JOURNEYS, _CHANGES, _TRIALS, _DRAWS = 4, 5, 6, 4
#: The number of a rehearsed journey.
_APART = -2
#: The weight of the operations of the same area beside others.
_NEAR = 6.0


class Rehearsal:
    """A stage on which journeys are tried; ``weights`` says how often a change is tried between others."""

    def __init__(self, candidates: Candidates, shapes: Shapes, weights: Mapping[str, float]) -> None:
        self._candidates = candidates
        self._shapes = shapes
        self._weights = weights

    def journey(
        self,
        operations: Sequence[Operation],
        fits: Fits,
        homes: Sequence[str],
        caller: RunCaller | None = None,
        most: int = JOURNEYS,
    ) -> list[ModelCall]:
        """Return the calls of the shortest journey found that ends with a fitting call; none if none is found.

        At ``most`` so many are rehearsed.
        """
        best: list[ModelCall] = []
        for number in range(most):
            home = homes[number % len(homes)]
            steps = self._rehearsed(operations, fits, home, caller)
            if steps:
                calls = self._trimmed(steps, fits)
                if calls and (not best or len(calls) < len(best)):
                    best = calls
                if len(best) == 1:
                    break
        return best

    def _rehearsed(
        self, operations: Sequence[Operation], fits: Fits, home: str, caller: RunCaller | None
    ) -> list[tuple[ModelCall, Prediction]]:
        stage = self._candidates.copy()
        ledger = Ledger(stage.things, stage.names, stage.scope, self._shapes, lambda: _EVERY)
        ledger.begin_journey(_APART)  # what a journey creates is what it goes on with
        stage.begin_journey(_APART)
        steps: list[tuple[ModelCall, Prediction]] = []
        areas = {each.area for each in operations}
        changes = [each for each in API if self._weights.get(each.name) and stage.served(each.name)]
        weights = [self._weights[each.name] * (_NEAR if each.area in areas else 1.0) for each in changes]
        try:
            while True:
                for attempt in range(_TRIALS):
                    stage.move_to(home)
                    operation = operations[attempt % len(operations)]
                    call = stage.drawn(operation, caller or stage.likely(operation), right=True)
                    predicted = None if call is None else stage.imagined(call)
                    if call is not None and predicted is not None and fits(call, predicted):
                        return [*steps, (call, predicted)]
                if len(steps) >= _CHANGES or not changes:
                    return []
                found = self._change(stage, home, changes, weights)
                if found is None:
                    return []
                steps.append(found)
                stage.go_on_in(found[1].after)
                ledger.note(found[0], found[1].reply)
        finally:
            self._candidates.names.go_on(stage.names)

    def _change(
        self, stage: Candidates, home: str, changes: Sequence[Operation], weights: Sequence[float]
    ) -> tuple[ModelCall, Prediction] | None:
        """Return a call that changes something."""
        for _ in range(4 * _DRAWS):
            stage.move_to(home)
            operation = stage.random.choices(changes, weights)[0]
            for _ in range(_DRAWS):
                call = stage.drawn(operation, stage.likely(operation), right=True)
                predicted = None if call is None else stage.imagined(call)
                if call is not None and predicted is not None and predicted.reply.status < 400 and predicted.effective:
                    return call, predicted
        return None

    def _trimmed(self, steps: list[tuple[ModelCall, Prediction]], fits: Fits) -> list[ModelCall]:
        """Return the calls of a journey without those that its end does not need; none if it cannot be repeated."""
        calls = self._again(steps, fits)
        for place in reversed(range(len(steps) - 1)):
            shorter = [*steps[:place], *steps[place + 1 :]]
            found = self._again(shorter, fits)
            if found:
                steps, calls = shorter, found
        return calls

    def _again(self, steps: Sequence[tuple[ModelCall, Prediction]], fits: Fits) -> list[ModelCall]:
        """Return the calls of some steps as they are made now; none if the last fits no more."""
        candidates = self._candidates
        renaming = Renaming(self._shapes, candidates.names.tag, candidates.names.tag)
        world, calls = candidates.model.world, list[ModelCall]()
        for place, (step, was) in enumerate(steps):
            call = renaming.call(step)
            try:
                predicted = candidates.model.imagine(call, world)
            except Misuse:
                return []
            last = place == len(steps) - 1
            if not fits(call, predicted) if last else predicted.reply.status >= 400:
                return []
            renaming.learn(step, was.reply, predicted.reply)
            world = predicted.after
            calls.append(call)
        return calls


class _Every:
    def __contains__(self, token: object) -> bool:
        return True


_EVERY = _Every()


def transitions(machine: str) -> list[tuple[str, str, str]]:
    """Return the transitions of a machine between different states: its name, and the states before and after."""
    return list(
        dict.fromkeys(
            (machine, state.name, row.then.name)
            for row in Machine.declared[machine].rows
            for state in row.on
            if state is not row.then
        )
    )
