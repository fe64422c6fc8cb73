"""The search for calls with a given effect, by trials in the model, which cost no request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import Any

from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.contract.openapi.reasons import reasons_of
from confsim.contract.operation import Operation
from confsim.reference.observed import observed
from confsim.testing.learning.calls import ModelCall, kinds_of
from confsim.testing.learning.comparing.comparison import Comparison, Reply, chosen_values
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.declared import disrupts_client, search_parameters
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.run import Run
from confsim.testing.learning.things import RunCaller
from confsim.testing.verifying.candidates import NOBODY, STRANGER, Candidates, Step, about
from confsim.testing.verifying.novelty import features
from confsim.testing.verifying.values import choices
from confsim.testing.verifying.wrong import wrong_calls

#: Most trials for a call, and most operations that are searched for a read.
DRAWS, _SEARCHED = 16, 240
#: Most changes that are tried before an operation, to find a precondition.
_WRITES_AHEAD = 14
#: Callers who can do most with what they create, and the weight of these and of enabled features.
_POWERFUL = frozenset({"owner"})
_FAVOURED = 60
#: The weight of what is called in the client of the accounts: no client has to be made first to repeat it.
_NEAR = 10
#: Trials of each change that may undo another.
_UNDOING = 8
#: How many calls of an operation are remembered, beside the last.
_LAST = 3
#: The weight of a wrong service that a read distinguishes.
_SHOWN = 200.0
#: The weight of a change that is refused beside one that is made, and of that beside one that removes something.
_REFUSED = 400.0


@cache
def refusals() -> Mapping[str, tuple[str, ...]]:
    """Return, by the id of a refusal's code, the operations that real calls found refused for it under the defaults."""
    found: dict[str, tuple[str, ...]] = {}
    for name, seen in observed().items():
        allowed = reasons_of(API[name], seen, {})
        for reason in [Reason[each] for each in seen["refusals"] if Reason[each] in allowed]:  # in one order always
            id = CODE[reason].id
            found[id] = (*found.get(id, ()), name)
    return found


class Finder:
    """Finds calls. ``seen`` counts the features of the calls that were made."""

    def __init__(self, candidates: Candidates, seen: Counter[object]) -> None:
        self._candidates = candidates
        self._seen = seen
        #: How often a read was chosen for calls of an area.
        self._looked: Counter[tuple[str, str]] = Counter()
        #: The last calls of each operation that changed something.
        self._made: dict[str, list[ModelCall]] = {}
        self.shapes = Shapes(candidates.model.profile)

    def go_on_with(self, run: Run) -> None:
        """Continue with another model of the same service."""
        self.shapes = run.shapes
        self._made.clear()

    @property
    def homes(self) -> list[str]:
        """Return the clients in which calls are made."""
        things = self._candidates.things
        return [things.accounts_client, *things.own_clients[-1:]]

    def find(
        self,
        operation: Operation,
        fits: Callable[[ModelCall, Prediction], bool],
        caller: RunCaller | None = None,
        shown: Callable[[ModelCall, Prediction], float] | None = None,
        home: str = "",
        draws: int = DRAWS,
    ) -> Step | None:
        """Return the fitting call that shows most new features, by one caller or by any; None when none is found.

        ``shown`` is what it shows beside new features; ``home`` the client in which it is made, if not any;
        ``draws`` how many calls are tried.
        """
        best: tuple[float, Step] | None = None
        candidates = self._candidates
        homes = self.homes
        if caller is not None:
            homes = [caller.home or homes[0]]
        if home:
            homes = [home]
        for attempt in range(draws):
            candidates.move_to(homes[attempt % len(homes)])
            call = candidates.drawn(operation, caller or candidates.likely(operation), right=True)
            predicted = None if call is None else candidates.imagined(call)
            if call is None or predicted is None or not fits(call, predicted):
                continue
            score = self.score(call, predicted) + (0 if shown is None else _SHOWN * shown(call, predicted))
            score += _NEAR * (candidates.home == self.homes[0])
            if best is None or score > best[0]:
                best = score, (call, predicted)
        return None if best is None else best[1]

    def score(self, call: ModelCall, predicted: Prediction) -> float:
        """Return how many new features a call shows, and how well later calls can build on it."""
        found = features(call, predicted, self._candidates.role(call))
        score = sum(weight for feature, weight in found if not self._seen[feature])
        if isinstance(call.body, dict):
            score += 3 * len(call.body)
        if predicted.reply.status < 400:
            shape, things = self.shapes.answer(call.declared), self._candidates.things
            kinds = {kind for kind, _ in chosen_values(shape, predicted.reply.body)}
            score += 50 * sum(not things.list_kind(kind) for kind in kinds - {"users", "clients", "tokens"})
        score += _FAVOURED * (call.path.get("state") == "enable")
        score += _FAVOURED * (self._candidates.role(call) in _POWERFUL)
        return score - (40 if predicted.removed else 0)

    def after(
        self, operation: Operation, fits: Callable[[ModelCall, Prediction], bool]
    ) -> tuple[ModelCall, Step] | None:
        """Return a change and a call that fits after it; None when none is found."""
        candidates = self._candidates
        near = [each for each in API if self._seen[each.name, "succeeds"] and self._seen[each.name, "writes"]]
        near.sort(key=lambda each: _distance(each, operation))
        for known in [each for each in near[:_WRITES_AHEAD] for _ in range(1 + len(choices(each)))]:
            if not candidates.served(known.name):
                continue
            candidates.move_to(candidates.random.choice(self.homes))
            prior = candidates.drawn(known, candidates.likely(known), right=True)
            first = None if prior is None else candidates.imagined(prior)
            if prior is None or first is None or first.reply.status >= 400:
                continue
            for attempt in range(4):
                call = candidates.drawn(operation, candidates.likely(operation), right=attempt < 3)
                call = None if call is None or attempt > 1 else about(call, prior)
                predicted = None if call is None else candidates.imagined_after((prior, first), call)
                if call is not None and predicted is not None and fits(call, predicted):
                    return prior, (call, predicted)
        return None

    def again(self, step: Step, fits: Callable[[ModelCall, Prediction], bool]) -> Step | None:
        """Return a call that was tried with what it does now; None when it fits no more."""
        predicted = self._candidates.imagined(step[0])
        return None if predicted is None or not fits(step[0], predicted) else (step[0], predicted)

    def refused(self, operation: Operation, reason: str, *, thorough: bool) -> list[ModelCall]:
        """Return calls of which the last is refused with the code of this assumption id; none when none are found.

        A ``thorough`` search tries every way in which a call can be wrong, and changes before it.
        """

        def fits(call: ModelCall, predicted: Prediction) -> bool:
            return predicted.reply.status >= 400 and reason in predicted.used

        candidates = self._candidates
        for attempt in range(2 * DRAWS):
            candidates.move_to(self.homes[attempt % len(self.homes)])
            caller = candidates.anybody() if attempt % 4 == 3 else candidates.likely(operation)
            call = candidates.drawn(operation, caller, right=attempt % 2 == 0)
            predicted = None if call is None else candidates.imagined(call)
            if call is not None and predicted is not None and fits(call, predicted):
                return [call]
        if not thorough:
            return []
        for home in self.homes:
            right = self.find(operation, succeeds, home=home)
            for call in () if right is None else self._likely_refused(right[0]):
                predicted = candidates.imagined(call)
                if predicted is not None and fits(call, predicted):
                    return [call]
        made = self.after(operation, fits)
        return [] if made is None else [made[0], made[1][0]]

    def _likely_refused(self, call: ModelCall) -> Iterator[ModelCall]:
        """Yield a call that succeeds by other callers, with what an earlier one took, and with each mistake."""
        callers = (NOBODY, STRANGER, *self._candidates.things.callers)
        yield from (replace(call, caller=each.token) for each in callers)
        for earlier in self._made.get(call.operation, ()):
            yield earlier
            yield replace(call, body=earlier.body, content_type=earlier.content_type)
            if earlier.caller == call.caller:
                yield replace(call, path=earlier.path, query=earlier.query)
        yield from wrong_calls(call, call.declared, self._candidates.random)

    def note(self, call: ModelCall, predicted: Prediction) -> None:
        """Note a call that was made."""
        if call.declared.changes and predicted.reply.status < 400:
            self._made[call.operation] = [*self._made.get(call.operation, [])[-_LAST:], call]

    def made(self, operation: str) -> list[ModelCall]:
        """Return the last calls of an operation that changed something, latest first."""
        return self._made.get(operation, [])[::-1]

    def undone(self, call: ModelCall) -> list[ModelCall] | None:
        """Return what to call so that a call that was made changes something again; None when nothing is found."""
        candidates = self._candidates
        if _is_effective(candidates.imagined(call)):
            return []
        caller = candidates.things.caller(call.caller)
        candidates.move_to(call.query.get("for_client") or (caller.home if caller else "") or candidates.home)
        near = [each for each in API if each.changes and each.area == call.declared.area]
        for known in near:
            for attempt in range(_UNDOING if candidates.served(known.name) else 0):
                by = candidates.likely(known) if caller is None or attempt % 2 else caller
                prior = candidates.drawn(known, by, right=True)
                prior = None if prior is None else about(prior, call)
                first = None if prior is None else candidates.imagined(prior)
                if prior is None or first is None or first.reply.status >= 400:
                    continue
                if _is_effective(candidates.imagined_after((prior, first), call)):
                    return [prior]
        return None

    def fullest(self, operation: Operation) -> Step | None:
        """Return the call of the operation with the longest list; None without a list, or when others may add to it."""
        best: Step | None = None
        for attempt in range(2 * DRAWS):
            self._candidates.move_to(self.homes[-1 - attempt % len(self.homes)])
            call = self._candidates.drawn(operation, self._candidates.likely(operation), right=True)
            if call is None:
                continue
            required = {each.name for each in operation.query_parameters if each.required}
            retained = required | {"for_client", *search_parameters(operation), *kinds_of(operation.name)}
            call = replace(call, query={name: text for name, text in call.query.items() if name in retained})
            predicted = self._candidates.imagined(call)
            if predicted is None or not self.is_list(call, predicted):
                continue
            if best is None or count_of(predicted.reply) > count_of(best[1].reply):
                best = call, predicted
        return best

    def longer(self, call: ModelCall, predicted: Prediction) -> ModelCall | None:
        """Return a call that makes a list one element longer, None when none is found."""
        candidates = self._candidates
        near = [each for each in API if each.changes and self._seen[each.name, "succeeds"]]
        near.sort(key=lambda each: _distance(each, call.declared))
        caller = candidates.things.caller(call.caller)
        candidates.move_to(call.query.get("for_client") or (caller.home if caller else "") or candidates.home)
        for known in near[:_WRITES_AHEAD]:
            draws = DRAWS if known.area == call.declared.area else DRAWS // 4
            for _ in range(draws if candidates.served(known.name) else 0):
                prior = candidates.drawn(known, candidates.likely(known), right=True)
                prior = None if prior is None else about(prior, call)
                first = None if prior is None else candidates.imagined(prior)
                if prior is None or first is None or first.reply.status >= 400:
                    continue
                then = candidates.imagined_after((prior, first), call)
                if then is not None and count_of(then.reply) > count_of(predicted.reply):
                    return prior
        return None

    def is_list(self, call: ModelCall, predicted: Prediction) -> bool:
        """Return whether a call answers a list that is not empty and to which nobody else adds."""
        return (
            predicted.reply.status < 400
            and rows_of(predicted.reply.body) is not None
            and not self._candidates.scope.is_open(call)
        )

    # Reads

    def look(
        self, calls: Sequence[ModelCall], shown: Callable[[ModelCall, Prediction], float], enough: float = 1
    ) -> ModelCall | None:
        """Return the read, of what some calls name, that shows most and has most new features; None if none shows any.

        The search ends with the areas of these calls when one read of them shows ``enough``. Where no read shows any,
        a change of these areas may, which is refused if possible: what is off is seen by what it does not admit.
        """
        candidates = self._candidates
        areas = {call.declared.area for call in calls}
        reads = [each for each in API if not each.changes and candidates.served(each.name)]
        best = self._look_among(reads, calls, areas, shown, enough)
        if best is None:
            changes = [each for each in API if each.area in areas and each.changes and candidates.served(each.name)]
            changes = [each for each in changes if not disrupts_client(each)]
            best = self._look_among(changes, calls, areas, shown, enough)
        if best is not None:
            self._looked.update((area, best.operation) for area in areas)
        return best

    def _look_among(
        self,
        reads: list[Operation],
        calls: Sequence[ModelCall],
        areas: set[str],
        shown: Callable[[ModelCall, Prediction], float],
        enough: float,
    ) -> ModelCall | None:
        best: tuple[float, ModelCall] | None = None
        candidates, asked = self._candidates, 0
        reads.sort(key=lambda each: (-sum(self._looked[area, each.name] for area in areas), each.area not in areas))
        most = 0.0
        for operation in reads:
            if asked >= _SEARCHED or (most >= enough and operation.area not in areas):
                break
            if most and not any(self._looked[area, operation.name] for area in areas) and operation.area not in areas:
                break
            for read in self._reads(operation, calls):
                asked += 1
                right = candidates.imagined(read)
                refused = right is not None and right.reply.status >= 400
                if right is None or (refused and not operation.changes):
                    continue
                count = shown(read, right)
                score = _SHOWN * count + self.score(read, right) + _REFUSED * (refused and operation.changes)
                score -= _REFUSED * right.removed
                most = max(most, count)
                if count and (best is None or score > best[0]):
                    best = score, read
        return None if best is None else best[1]

    def _reads(self, operation: Operation, calls: Sequence[ModelCall]) -> Iterator[ModelCall]:
        """Yield reads by an operation of what some calls name, each once: by who made these calls, and by others."""
        candidates = self._candidates
        made: list[ModelCall] = []
        for call in calls:
            caller = candidates.things.caller(call.caller)
            candidates.move_to(call.query.get("for_client") or (caller.home if caller else "") or candidates.home)
            for by in (caller, None, None):
                read = candidates.drawn(operation, by or candidates.likely(operation), right=True)
                read = None if read is None else about(read, call)
                if read is not None and read not in made:
                    made.append(read)
                    yield read

    def differ(self, call: ModelCall, one: Reply, other: Reply) -> bool:
        """Return whether two answers to a call differ in what is compared."""
        if one.status == other.status and one.body == other.body:
            return False
        known = Correspondence()
        known.shift = 0
        return Comparison(self.shapes, known).difference(call.declared, one, other) is not None


def _distance(one: Operation, other: Operation) -> tuple[bool, int]:
    """Return how far operations are from each other: whether areas differ, then how few steps of paths they share."""
    steps = zip(one.path.split("/"), other.path.split("/"), strict=False)
    return one.area != other.area, -sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], steps))


def _is_effective(predicted: Prediction | None) -> bool:
    return predicted is not None and predicted.reply.status < 400 and predicted.effective


def succeeds(call: ModelCall, predicted: Prediction) -> bool:
    """Return whether the predicted call succeeds."""
    return predicted.reply.status < 400


def count_of(reply: Reply) -> int:
    """Return the number of elements of a list, 0 for any other answer."""
    rows = rows_of(reply.body) if reply.status < 400 else None
    return 0 if rows is None else len(rows)


def rows_of(body: Any) -> list[Any] | None:
    """Return the elements of a list, in its container if it has one; None for any other body."""
    rows = body.get("results", body.get("rows")) if isinstance(body, dict) else body
    return rows if isinstance(rows, list) else None
