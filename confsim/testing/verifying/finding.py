"""The search for calls with a given effect, by trials in the model, which cost no request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.kernel.world import World
from confsim.reference.observed import observed
from confsim.testing.learning.calls import Call
from confsim.testing.learning.comparison import Comparison, Reply, chosen_values
from confsim.testing.learning.correspondence import Correspondence
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.places import Shapes
from confsim.testing.learning.run import Run
from confsim.testing.learning.things import Caller

from .candidates import Candidates, about
from .novelty import features

#: Most trials for a call, and most operations that are searched for a read.
DRAWS, _LOOKS = 16, 60
#: Most changes that are tried before an operation, to find a precondition.
_WRITES_AHEAD = 14
#: Callers who can do most with what they create, and the weight of these and of enabled features.
_POWERFUL = frozenset({"owner"})
_FAVOURED = 60

Found = tuple[Call, Prediction]


@cache
def refusals() -> Mapping[str, tuple[str, ...]]:
    """Return, by the id of a refusal's code, the operations that real calls found refused for it under the defaults."""
    found: dict[str, tuple[str, ...]] = {}
    for name, seen in observed().items():
        for reason, needs in seen["refusals"].items():
            if not needs:
                id = f"code.{reason.lower().replace('_', '-')}"
                found[id] = (*found.get(id, ()), name)
    return found


class Finder:
    """Finds calls. ``seen`` counts the features of the calls that were made."""

    def __init__(self, candidates: Candidates, seen: Counter[object]) -> None:
        self._candidates = candidates
        self._seen = seen
        self._shapes = Shapes(candidates.model.profile)

    def go_on_with(self, run: Run) -> None:
        """Continue with another model of the same service."""
        self._shapes = run.shapes

    @property
    def homes(self) -> list[str]:
        """Return the clients in which calls are made."""
        things = self._candidates.things
        return [things.accounts_client, *things.own_clients[-1:]]

    def find(
        self, operation: Operation, fits: Callable[[Call, Prediction], bool], caller: Caller | None = None
    ) -> Found | None:
        """Return the fitting call that shows most new features, by one caller or by any; None when none is found."""
        best: tuple[float, Found] | None = None
        candidates = self._candidates
        homes = self.homes
        if caller is not None:
            homes = [caller.home or homes[0]]
        for attempt in range(DRAWS):
            candidates.move_to(homes[attempt % len(homes)])
            call = candidates.drawn(operation, caller or candidates.likely(operation), right=True)
            predicted = None if call is None else candidates.imagined(call)
            if call is None or predicted is None or not fits(call, predicted):
                continue
            score = self.score(call, predicted)
            if best is None or score > best[0]:
                best = score, (call, predicted)
        return None if best is None else best[1]

    def score(self, call: Call, predicted: Prediction) -> float:
        """Return how many new features a call shows, and how well later calls can build on it."""
        found = features(call, predicted, self._candidates.role(call))
        score = sum(weight for feature, weight in found if not self._seen[feature])
        if isinstance(call.body, dict):
            score += 3 * len(call.body)
        if predicted.reply.status < 400:
            shape, things = self._shapes.answer(call.declared), self._candidates.things
            kinds = {kind for kind, _ in chosen_values(shape, predicted.reply.body)}
            score += 50 * sum(not things.list_kind(kind) for kind in kinds - {"users", "clients", "tokens"})
        score += _FAVOURED * (call.path.get("state") == "enable")
        score += _FAVOURED * (self._candidates.role(call) in _POWERFUL)
        return score - (40 if predicted.removed else 0)

    def after(self, operation: Operation, fits: Callable[[Call, Prediction], bool]) -> tuple[Call, Found] | None:
        """Return a change and a call that fits after it; None when none is found."""
        candidates = self._candidates
        near = [each for each in API if each.changes and self._seen[each.name, "succeeds"]]
        near.sort(key=lambda each: each.area != operation.area)
        for known in near[:_WRITES_AHEAD]:
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
                predicted = None if call is None else candidates.imagined(call, first.after)
                if call is not None and predicted is not None and fits(call, predicted):
                    return prior, (call, predicted)
        return None

    def refused(self, operation: Operation, reason: str) -> list[Call]:
        """Return calls of which the last is refused with the code of this assumption id; none when none are found."""

        def fits(call: Call, predicted: Prediction) -> bool:
            return predicted.reply.status >= 400 and reason in predicted.used

        candidates = self._candidates
        for attempt in range(2 * DRAWS):
            candidates.move_to(self.homes[attempt % len(self.homes)])
            caller = candidates.anybody() if attempt % 4 == 3 else candidates.likely(operation)
            call = candidates.drawn(operation, caller, right=attempt % 2 == 0)
            predicted = None if call is None else candidates.imagined(call)
            if call is not None and predicted is not None and fits(call, predicted):
                return [call]
        made = self.after(operation, fits)
        return [] if made is None else [made[0], made[1][0]]

    def fullest(self, operation: Operation) -> Found | None:
        """Return the call of the operation with the longest list; None without a list, or when others may add to it."""
        best: Found | None = None
        for attempt in range(2 * DRAWS):
            self._candidates.move_to(self.homes[-1 - attempt % len(self.homes)])
            call = self._candidates.drawn(operation, self._candidates.likely(operation), right=True)
            if call is None:
                continue
            required = {each.name for each in operation.query_parameters if each.required}
            retained = required | {"for_client", "search", "query"}
            call = replace(call, query={name: text for name, text in call.query.items() if name in retained})
            predicted = self._candidates.imagined(call)
            if predicted is None or not self.is_list(call, predicted):
                continue
            if best is None or count_of(predicted.reply) > count_of(best[1].reply):
                best = call, predicted
        return best

    def longer(self, call: Call, predicted: Prediction) -> Call | None:
        """Return a call that makes a list one element longer, None when none is found."""
        candidates = self._candidates
        near = [each for each in API if each.changes and self._seen[each.name, "succeeds"]]
        near.sort(key=lambda each: each.area != call.declared.area)
        caller = candidates.things.caller(call.caller)
        candidates.move_to(call.query.get("for_client") or (caller.home if caller else "") or candidates.home)
        for known in near[:_WRITES_AHEAD]:
            for _ in range(4 if candidates.served(known.name) else 0):
                prior = candidates.drawn(known, candidates.likely(known), right=True)
                prior = None if prior is None else about(prior, call)
                first = None if prior is None else candidates.imagined(prior)
                if prior is None or first is None or first.reply.status >= 400:
                    continue
                then = candidates.imagined(call, first.after)
                if then is not None and count_of(then.reply) > count_of(predicted.reply):
                    return prior
        return None

    def is_list(self, call: Call, predicted: Prediction) -> bool:
        """Return whether a call answers a list that is not empty and to which nobody else adds."""
        return (
            predicted.reply.status < 400 and count_of(predicted.reply) > 0 and not self._candidates.scope.is_open(call)
        )

    # Reads

    def look(self, call: Call, now: World, wrong: Sequence[World]) -> Call | None:
        """Return the read that distinguishes most of the wrong worlds from the right one, with most new features."""
        best: tuple[float, Call] | None = None
        candidates, asked = self._candidates, 0
        reads = [each for each in API if not each.changes and candidates.served(each.name)]
        candidates.random.shuffle(reads)
        reads.sort(key=lambda each: each.area != call.declared.area)
        caller = candidates.things.caller(call.caller)
        candidates.move_to(caller.home if caller is not None and caller.home else candidates.home)
        for operation in reads:
            read = candidates.drawn(operation, candidates.likely(operation), right=True)
            if read is None or asked >= _LOOKS:
                continue
            asked += 1
            read = about(read, call)
            right = candidates.imagined(read, now)
            if right is None or right.reply.status >= 400:
                continue
            shown = sum(self._shows(read, right.reply, each) for each in wrong)
            score = 200.0 * shown + self.score(read, right)
            if shown and (best is None or score > best[0]):
                best = score, read
        return None if best is None else best[1]

    def _shows(self, read: Call, right: Reply, wrong: World) -> bool:
        """Return whether a read has another answer, in what is compared, in a wrong world."""
        there = self._candidates.imagined(read, wrong)
        return there is not None and self.differ(read, right, there.reply)

    def differ(self, call: Call, one: Reply, other: Reply) -> bool:
        """Return whether two answers to a call differ in what is compared."""
        if one.status == other.status and one.body == other.body:
            return False
        known = Correspondence()
        known.shift = 0
        return Comparison(self._shapes, known).difference(call.declared, one, other) is not None


def succeeds(call: Call, predicted: Prediction) -> bool:
    """Return whether the predicted call succeeds."""
    return predicted.reply.status < 400


def count_of(reply: Reply) -> int:
    """Return the number of elements of a list, 0 for anything else."""
    body = reply.body
    rows = body.get("results", body.get("rows")) if isinstance(body, dict) else body
    return len(rows) if isinstance(rows, list) and reply.status < 400 else 0
