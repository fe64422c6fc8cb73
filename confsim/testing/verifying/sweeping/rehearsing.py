"""Journeys that are rehearsed in the model, which costs no request, until one reaches what no single call does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.contract.types import Switch
from confsim.kernel.refusal import Misuse
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import chosen_values
from confsim.testing.learning.comparing.places import NOT_NAMES, Shapes
from confsim.testing.learning.declared import disrupts_client
from confsim.testing.learning.ledger import Ledger
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.things import RunCaller
from confsim.testing.verifying.candidates import Candidates, Step, about
from confsim.testing.verifying.replay import Renaming
from confsim.testing.verifying.themes import preparation

from .finding import count_of
from .pages import cuts
from .tried import Tried

#: Returns whether a call with its prediction is one that is sought.
Fits = Callable[[ModelCall, Prediction], bool]

#: Journeys that are rehearsed, changes before the last call in each, and trials for a call and for a change.
JOURNEYS, _CHANGES, _TRIALS, _DRAWS = 4, 5, 6, 4
#: Changes that explore an area, after how many that showed nothing new no more is made, and how many operations of
#: other areas are tried before each.
_ROUNDS, _IDLE, _OTHERS = 9, 4, 8
#: How many of the things made last are tried in place of others.
_REUSED = 4
#: Kinds that callers know of themselves.
_KNOWN = frozenset({"users", "clients", "tokens"})
#: The number of a rehearsed journey.
_APART = -2
#: The weight of the operations of the same area beside others.
_NEAR = 6.0


class Rehearsal:
    """A stage on which journeys are tried; ``weights`` says how often a change is tried between others."""

    def __init__(self, candidates: Candidates, tried: Tried, shapes: Shapes, weights: Mapping[str, float]) -> None:
        self._candidates = candidates
        self._tried = tried
        self._shapes = shapes
        self._weights = weights
        #: What the answers of the journey name that is being trimmed.
        self._answered: set[tuple[str, object]] = set()
        #: What the answers of its calls will name, as they are predicted.
        self._promised: set[tuple[str, object]] = set()

    def journey(
        self,
        operations: Sequence[Operation],
        fits: Fits,
        homes: Sequence[str],
        caller: RunCaller | None = None,
        most: int = JOURNEYS,
    ) -> list[ModelCall]:
        """Return the calls of the shortest journey found that ends with a fitting call; none if none is found.

        At ``most`` so many are rehearsed, half of them after what prepares the area, half about the same things
        from the first call that is tried on.
        """
        best: list[ModelCall] = []
        for number in range(most):
            home = homes[number % len(homes)]
            stays = number % 2 == 0
            steps = self._rehearsed(operations, fits, home, caller, prepared=number % 4 in (1, 2), stays=stays)
            if steps:
                calls = self.trimmed(steps, fits)
                if calls and (not best or len(calls) < len(best)):
                    best = calls
                if len(best) == 1:
                    break
        return best

    def explore(self, area: str, home: str) -> None:
        """Try the operations of an area, and after each round make the change that showed most."""
        stage = self._staged()
        steps: list[Step] = []
        self._tried.watch(stage, steps)
        ledger = self._ledger(stage)
        there = [each for each in API if each.area == area and stage.served(each.name) and not disrupts_client(each)]
        changes = [each for each in API if self._weights.get(each.name) and stage.served(each.name)]
        weights = [self._weights[each.name] for each in changes]
        self._prepare(stage, ledger, steps, area, home, there)
        idle = 0
        for _ in range(_ROUNDS):
            best: tuple[float, Step] | None = None
            count = self._tried.count
            others = stage.random.choices(changes, weights, k=_OTHERS) if changes else ()
            for operation in (*there, *others):
                stage.move_to(home)
                known = self._tried.count
                call = stage.drawn(operation, stage.likely(operation), right=True)
                predicted = None if call is None else stage.imagined(call)
                if call is None or predicted is None or predicted.reply.status >= 400:
                    continue
                if not operation.changes and self._names_more(stage, call, predicted):
                    steps.append((call, predicted))
                    ledger.note(call, predicted.reply)
                if count_of(predicted.reply) > 1 and self._tried.lacks_cuts(operation):
                    for cut in cuts(call):
                        stage.imagined(cut)
                if not predicted.effective:
                    continue
                enables = Switch.ENABLE in call.path.values()
                score = self._tried.count - known + stage.random.random() + 0.5 * enables - predicted.removed
                if best is None or score > best[0]:
                    best = score, (call, predicted)
            idle = 0 if self._tried.count > count else idle + 1
            if best is None or idle == _IDLE:
                break
            steps.append(best[1])
            stage.go_on_in(best[1][1].after)
            ledger.note(best[1][0], best[1][1].reply)
        self._candidates.names.go_on(stage.names)

    def _prepare(
        self,
        stage: Candidates,
        ledger: Ledger,
        steps: list[Step],
        area: str,
        home: str,
        tried: Sequence[Operation] = (),
    ) -> None:
        """Make the calls that prepare journeys in an area, and try some operations before each."""
        for name, role, wanted in preparation(area):
            for operation in tried:
                stage.move_to(home)
                call = stage.drawn(operation, stage.likely(operation), right=True)
                if call is not None:
                    stage.imagined(call)
            found = self._prepared(stage, home, API[name], role, wanted)
            if found is not None:
                steps.append(found)
                stage.go_on_in(found[1].after)
                ledger.note(found[0], found[1].reply)

    def _prepared(
        self, stage: Candidates, home: str, operation: Operation, role: str, wanted: Mapping[str, str]
    ) -> Step | None:
        """Return a call of an operation that succeeds, with these words in its path."""
        for attempt in range(2 * _TRIALS if stage.served(operation.name) else 0):
            stage.move_to(home)
            caller = stage.caller_of(role) if attempt < _TRIALS else stage.likely(operation)
            call = stage.drawn(operation, caller, right=True)
            call = None if call is None else replace(call, path={**call.path, **wanted})
            predicted = None if call is None else stage.imagined(call)
            if call is not None and predicted is not None and predicted.reply.status < 400:
                return call, predicted
        return None

    def _names_more(self, stage: Candidates, call: ModelCall, predicted: Prediction) -> bool:
        """Return whether a read names a kind of things of which none was known."""
        if stage.scope.is_open(call):
            return False
        kinds = {kind for kind, _ in chosen_values(self._shapes.answer(call.declared), predicted.reply.body)}
        return any(not stage.things.list_kind(kind) for kind in kinds - NOT_NAMES - _KNOWN)

    def _staged(self) -> Candidates:
        stage = self._candidates.copy()
        stage.begin_journey(_APART)
        return stage

    def _ledger(self, stage: Candidates) -> Ledger:
        ledger = Ledger(stage.things, stage.names, stage.scope, self._shapes, lambda: _EVERY)
        ledger.begin_journey(_APART)  # what a journey creates is what it goes on with
        return ledger

    def _rehearsed(
        self,
        operations: Sequence[Operation],
        fits: Fits,
        home: str,
        caller: RunCaller | None,
        *,
        prepared: bool,
        stays: bool,
    ) -> list[Step]:
        stage = self._staged()
        ledger = self._ledger(stage)
        steps: list[Step] = []
        self._tried.watch(stage, steps)
        if prepared:
            self._prepare(stage, ledger, steps, operations[0].area, home)
        most = len(steps) + _CHANGES
        areas = {each.area for each in operations}
        changes = [each for each in API if self._weights.get(each.name) and stage.served(each.name)]
        weights = [self._weights[each.name] * (_NEAR if each.area in areas else 1.0) for each in changes]
        tried: Step | None = None
        subject: ModelCall | None = None
        try:
            while True:
                for attempt in range(_TRIALS):
                    stage.move_to(home)
                    operation = operations[attempt % len(operations)]
                    call = stage.drawn(operation, caller or stage.likely(operation), right=True)
                    call = call if call is None or subject is None else about(call, subject)
                    predicted = None if call is None else stage.imagined(call)
                    if call is not None and predicted is not None:
                        if fits(call, predicted):
                            return [*steps, (call, predicted)]
                        if tried is None or predicted.reply.status <= tried[1].reply.status:
                            tried = call, predicted
                if len(steps) >= most or not changes:
                    return []
                found = self._change(stage, home, changes, weights, tried)
                if found is None:
                    return []
                steps.append(found)
                subject = tried[0] if stays and tried is not None else None
                tried = None
                stage.go_on_in(found[1].after)
                ledger.note(found[0], found[1].reply)
        finally:
            self._candidates.names.go_on(stage.names)

    def _change(
        self,
        stage: Candidates,
        home: str,
        changes: Sequence[Operation],
        weights: Sequence[float],
        tried: Step | None,
    ) -> Step | None:
        """Return a call that changes something: if possible, what the call ``tried`` is answered."""
        other: Step | None = None
        for _ in range(4 * _DRAWS):
            stage.move_to(home)
            operation = stage.random.choices(changes, weights)[0]
            for _ in range(_DRAWS):
                call = stage.drawn(operation, stage.likely(operation), right=True)
                call = call if call is None or tried is None else about(call, tried[0])
                predicted = None if call is None else stage.imagined(call)
                if call is None or predicted is None or predicted.reply.status >= 400 or not predicted.effective:
                    continue
                then = None if tried is None else stage.imagined_after((call, predicted), tried[0])
                if tried is None or then is None or not _alike(then, tried[1]):
                    return call, predicted
                other = other or (call, predicted)
                break
        return other

    def reused(self, steps: Sequence[Step], fits: Fits) -> list[ModelCall]:
        """Return the last calls of a journey, about what there is in place of what its first calls make; none if none.

        As few as possible, so that journeys share their first steps.
        """
        self._promised = set()
        for first in range(len(steps) - 1, 0, -1):
            made = {named for step in steps[:first] for named in self._names_in(*step)}
            rest = steps[first:]
            self._answered = {named for step in rest for named in self._names_in(*step)}
            sought = dict.fromkeys(named for call, _ in rest for named in call.names() if named in made)
            if any(("tokens", call.caller) in made for call, _ in rest):
                continue
            for names in self._in_place_of(list(sought)):
                rename = partial(_renamed, names)
                there = [(call.renamed(rename), was) for call, was in rest]
                if self._again(there, fits):
                    return self.trimmed(there, fits)
        return []

    def _in_place_of(self, sought: Sequence[tuple[str, Any]]) -> Iterator[dict[tuple[str, Any], Any]]:
        """Yield names of what the run made last, by those of other things: in the same things, if they were."""
        things, kinds = self._candidates.things, [kind for kind, _ in sought]
        if not sought or len(set(kinds)) < len(kinds):
            return
        lists = {kind: things.list_kind(kind)[::-1] for kind in kinds}
        if not all(lists.values()):
            return
        inmost = max(kinds, key=lambda kind: len(lists[kind][0].inside))
        for thing in lists[inmost][:_REUSED]:
            chosen = {kind: lists[kind][0].name for kind in kinds} | dict(thing.inside) | {inmost: thing.name}
            yield {(kind, name): chosen[kind] for kind, name in sought}

    def trimmed(self, steps: Sequence[Step], fits: Fits) -> list[ModelCall]:
        """Return the calls of a journey without those that its end does not need; none if it cannot be repeated."""
        self._promised = set()
        self._answered = {named for step in steps for named in self._names_in(*step)}
        calls = self._again(steps, fits)
        for place in reversed(range(len(steps) - 1)):
            shorter = [*steps[:place], *steps[place + 1 :]]
            found = self._again(shorter, fits)
            if found:
                steps, calls = shorter, found
        return calls

    def _again(self, steps: Sequence[Step], fits: Fits) -> list[ModelCall]:
        """Return the calls of some steps as they are made now; none if the last fits no more.

        Nor if one names a thing that no answer has named, which only an answer in between did.
        """
        if not self._named(steps):
            return []
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
            self._promised |= self._names_in(call, predicted)
        return calls

    def is_outdated(self, call: ModelCall) -> bool:
        """Return whether a call names what an answer was to name, and did not: a signed token has the instant in it."""
        return any(
            named in self._promised and named[0] not in _KNOWN and named not in self._candidates.things
            for named in call.names()
        )

    def _named(self, steps: Sequence[Step]) -> bool:
        """Return whether each call names what the run knows, or what an answer before it named."""
        things = self._candidates.things
        answered: set[tuple[str, object]] = {("users", each) for users in things.known_users.values() for each in users}
        answered |= {named for each in things.callers for named in (("users", each.user), ("clients", each.home))}
        for call, predicted in steps:
            for named in call.names():
                unknown = named not in answered and named not in things
                if unknown and named in self._answered:
                    return False
            answered |= self._names_in(call, predicted)
        return True

    def _names_in(self, call: ModelCall, predicted: Prediction) -> set[tuple[str, object]]:
        return set(chosen_values(self._shapes.answer(call.declared), predicted.reply.body))


def _renamed(names: Mapping[tuple[str, Any], Any], kind: str, name: Any) -> Any:
    return names.get((kind, name), name)


def _alike(one: Prediction, other: Prediction) -> bool:
    return one.reply.status == other.reply.status and one.reply.body == other.reply.body


class _Every:
    def __contains__(self, token: object) -> bool:
        return True


_EVERY = _Every()
