"""The choice of the next call: candidates are tried in the model, and the one with most new features is made."""

from __future__ import annotations

import random as chance
from collections import Counter, deque
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.contract.annotations import peeled
from confsim.contract.operation import Operation
from confsim.contract.types import Switch
from confsim.kernel.world import World
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.declared import disrupts_client, path_kinds
from confsim.testing.learning.model import Model, Prediction
from confsim.testing.learning.names import RunNames
from confsim.testing.learning.run import Run
from confsim.testing.learning.scope import RunScope
from confsim.testing.learning.things import Things

from .candidates import Candidates, about
from .novelty import FOREIGN, NOT_FOR_THIS_CALLER, features
from .sweeping.sweep import Sweep
from .sweeping.wrong_services import WrongServices
from .themes import THEMES

#: Candidates that are tried for a call, and calls in a journey.
CANDIDATES = 24
LENGTH = 45
#: A score at which the search for candidates ends.
_ENOUGH = 100
#: How many follow-up reads of earlier calls are made before each new call.
_FOLLOWED = 0.6
#: How many follow-up reads are carried over to the next journey.
_CARRIED_OVER = 12
#: The weight of an assumption that is still open.
_WANTED = 6


class Planner:
    """Chooses calls, deterministically from the seed and the model's answers.

    ``follows_wrong`` says whether services that are wrong in one way are followed, so that calls distinguish them.
    """

    def __init__(
        self,
        model: Model,
        things: Things,
        scope: RunScope,
        names: RunNames,
        seed: int,
        numbers: list[str],
        *,
        follows_wrong: bool = True,
    ) -> None:
        self.random = chance.Random(seed)
        self.things = things
        self.scope = scope
        self.candidates = Candidates(model, things, scope, names, self.random, numbers)
        #: Assumptions that are still open.
        self.wanted: set[str] = set()
        #: How often a probe was sought, and the last changes made.
        self.sought: Counter[str] = Counter()
        self.made: deque[ModelCall] = deque(maxlen=3)
        self._using: dict[str, set[str]] = {}
        self._seen: Counter[object] = Counter()
        self._follows_wrong = follows_wrong
        self.wrongs = WrongServices(self.candidates, Shapes(model.profile))
        self.sweep = Sweep(self.candidates, self._seen, self.wrongs)
        self._called: Counter[str] = Counter()
        self._observers: dict[str, list[ModelCall]] = {}
        self._queue: list[ModelCall] = []
        self.journey = 0
        self.theme = THEMES[0]
        self._themed = 0

    def search_for(self, wanted: set[str]) -> None:
        """Prefer calls that use one of these assumptions, which are still open."""
        self.wanted = wanted

    def go_on_with(self, run: Run) -> None:
        """Continue with another model of the same service; the current journey is abandoned."""
        self._queue, self._observers = [], {}
        self.things, self.scope = run.things, run.scope
        self.candidates.go_on_with(run)
        self.wrongs.go_on_with(run)
        self.sweep.go_on_with(run)

    @property
    def set_aside(self) -> set[str]:
        """Return the operations that are no longer called."""
        return self.candidates.set_aside

    # Journeys

    def journey_calls(self) -> Iterator[ModelCall]:
        """Yield the calls of the next journey. Each must be made, and ``note`` called, before the next is taken."""
        self.journey += 1
        if self.sweep.left:
            yield from self.sweep.portion()
            return
        self._themed += 1
        self.theme = THEMES[(self._themed - 1) % len(THEMES)]
        yield from self.sweep.goals(sorted(self.theme.areas))
        self.candidates.begin_journey(self.journey)
        second = (self._themed - 1) // len(THEMES) % 2 == 1
        own = self.things.own_clients
        self.candidates.move_to(own[-1] if own and self.theme.own != second else self.things.accounts_client)
        self._queue = [each for each in self._queue[:_CARRIED_OVER] if self.candidates.imagined(each) is not None]
        maker = "owner" if self.candidates.home == self.things.accounts_client else "api-token"
        for operation, role, wanted in (("create_channel", maker, {}), *self.theme.prepare):
            found = self._successful(operation, role, wanted)
            if found is not None:
                yield from self._made(found)
        yield from self._free(LENGTH)
        if self.candidates.home in self.things.own_clients:
            for each in API:
                if each.area in self.theme.areas and disrupts_client(each):
                    yield from self._disrupted(each)

    def _disrupted(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield calls while an operation has taken the access to the client of the journey away."""
        partner = self.candidates.caller_of("partner-admin")
        kinds = path_kinds(operation)
        for state, count in ((Switch.DISABLE, 8), (Switch.ENABLE, 0)):
            path = {name: self.candidates.home if name in kinds else state.value for name in operation.placeholders}
            yield ModelCall(operation.name, partner.token, path)
            yield from self._free(count)

    def _free(self, count: int) -> Iterator[ModelCall]:
        """Yield this many calls, follow-up reads first."""
        for _ in range(count):
            found = self._queue.pop(0) if self._queue and self.random.random() < _FOLLOWED else self._best()
            if found is None:
                return
            yield from self._made(found)

    def _made(self, call: ModelCall) -> Iterator[ModelCall]:
        """Yield a call, and its immediate repetition where that is planned."""
        yield call
        if self._queue and self._queue[0] is call:
            yield self._queue.pop(0)

    def _successful(self, name: str, role: str, wanted: Mapping[str, str]) -> ModelCall | None:
        """Return a call of an operation that succeeds in the model, None when none is found."""
        operation = API[name]
        if not self.candidates.served(name):
            return None
        for attempt in range(24):
            caller = self.candidates.caller_of(role) if attempt < 8 else self.candidates.likely(operation)
            call = self.candidates.drawn(operation, caller)
            if call is None:
                return None
            call = replace(call, path={**call.path, **wanted})
            predicted = self.candidates.imagined(call)
            if predicted is not None and predicted.reply.status < 400:
                return call
        return None

    # Candidates

    def _best(self) -> ModelCall | None:
        """Return the candidate with most new features, or any that changes something when none has any."""
        served = [each for each in API if self.candidates.served(each.name) and not disrupts_client(each)]
        untried = [each for each in served if not self._seen[each.name, "succeeds"]]
        best: tuple[float, ModelCall] | None = None
        for attempt in range(3 * CANDIDATES):
            if best is not None and (best[0] > _ENOUGH or (attempt >= CANDIDATES and best[0] > 1)):
                break
            call = self._candidate(untried, likely=True) if untried and attempt % 2 == 0 else self._candidate(served)
            predicted = None if call is None else self.candidates.imagined(call)
            if call is None or predicted is None:
                continue
            score = self._score(call, predicted) + self.random.random()
            if best is None or score > best[0]:
                best = score, call
        return None if best is None else best[1]

    def _candidate(self, operations: list[Operation], *, likely: bool = False) -> ModelCall | None:
        weights = [
            (4.0 if each.area in self.theme.areas else 1.0) / (1 + self._called[each.name]) for each in operations
        ]
        operation = self.random.choices(operations, weights)[0]
        caller = (
            self.candidates.likely(operation) if likely or self.random.random() < 0.6 else self.candidates.anybody()
        )
        return self.candidates.drawn(operation, caller)

    # New features

    def _score(self, call: ModelCall, predicted: Prediction) -> float:
        found = features(call, predicted, self.candidates.role(call))
        score = sum(weight for feature, weight in found if not self._seen[feature])
        if self.wanted:
            score += _WANTED * sum(id in self.wanted and not self._seen[call.operation, id] for id in predicted.used)
        return score

    def using(self, id: str) -> list[str]:
        """Return the operations whose calls have used an assumption."""
        return sorted(self._using.get(id, ()))

    def note(self, call: ModelCall, predicted: Prediction, before: World) -> None:
        """Note the features of a call, and plan its follow-up calls."""
        for feature, _ in features(call, predicted, self.candidates.role(call)):
            self._seen[feature] += 1
        self.sweep.note(call, predicted)
        self._called[call.operation] += 1
        if self._follows_wrong:
            self.wrongs.note(call, predicted)
        for id in predicted.used:
            self._using.setdefault(id, set()).add(call.operation)
        if call.declared.changes and predicted.reply.status < 400:
            self.made.append(call)
        if self.sweep.left:
            return
        if predicted.reply.status < 400:
            first = not self._seen[call.operation, "by others"]
            others = self._by_others(call)
            self._queue = [*self._after_success(call, predicted, before), *(others if first else ()), *self._queue]
            self._queue += () if first else others
        elif call.declared.changes and not self._seen[call.operation, "looked after refusal"]:
            reads = self._again(call) if NOT_FOR_THIS_CALLER.intersection(predicted.used) else []
            if reads:
                self._seen[call.operation, "looked after refusal"] += 1
            self._queue = [*reads[:1], *self._queue]

    def _after_success(self, call: ModelCall, predicted: Prediction, before: World) -> list[ModelCall]:
        """Plan follow-up calls of a successful call: its repetition, reads of what it changed, its pages."""
        planned: list[ModelCall] = []
        again = (call.operation, "made again")
        if call.declared.changes:
            if not self._seen[again]:
                self._seen[again] += 1
                planned.append(call)
            if predicted.after is not before:
                planned += self._look(call, predicted, before)
        else:
            planned += self._pages(call, predicted)
        return planned

    def _pages(self, call: ModelCall, predicted: Prediction) -> list[ModelCall]:
        """Plan pages and sort orders of a list, once for each operation."""
        body, names = predicted.reply.body, call.declared.query_names
        rows = body.get("results", body.get("rows")) if isinstance(body, dict) else body
        mark = (call.operation, "paged")
        if not isinstance(rows, list) or len(rows) < 2 or self._seen[mark] or self.scope.is_open(call):
            return []
        self._seen[mark] += 1
        asked = [{"limit": "1", "offset": "1"}] if {"limit", "offset"} <= names else []
        for each in call.declared.query_parameters:
            if each.name == "sort":
                asked += [{"sort": str(member.value)} for member in peeled(each.wire)[0]]
        if "order" in names:
            asked.append({"order": "asc" if call.query.get("order") == "desc" else "desc"})
        found = [replace(call, query={**call.query, **more}) for more in asked]
        return [each for each in found if self.candidates.imagined(each) is not None]

    def _by_others(self, call: ModelCall) -> list[ModelCall]:
        """Plan the same call by callers whose permission is untested: first those without it, then one with it."""
        mark = (call.operation, "by others")
        if self._seen[mark] >= 4 or call.declared.public:
            return []
        self._seen[mark] += 1
        may: list[ModelCall] = []
        may_not: list[tuple[bool, bool, ModelCall]] = []
        for caller in self.random.sample(self.things.callers, len(self.things.callers)):
            other = replace(call, caller=caller.token)
            role, predicted = self.candidates.role(other), self.candidates.imagined(other)
            if predicted is None or role == self.candidates.role(call) or self._seen[call.operation, "tried by", role]:
                continue
            if predicted.reply.status < 400:
                may.append(other)
            elif predicted.reply.status in (401, 403, 404):
                may_not.append((not role.endswith(FOREIGN), not role.startswith("other-admin"), other))
        may_not.sort(key=lambda each: each[:2])
        near = [each for own, _, each in may_not if own]
        chosen = [each for _, _, each in may_not[:1]] if self._seen[mark] % 2 else [*near[:1], *may[:1]]
        for each in chosen:
            self._seen[call.operation, "tried by", self.candidates.role(each)] += 1
        return chosen

    def _look(self, call: ModelCall, predicted: Prediction, before: World) -> list[ModelCall]:
        """Plan reads that show a change; first those that have not yet shown one of this operation."""
        if self._seen[call.operation, "looked"] >= 2:
            return self._again(call)[:1] if self.random.random() < 0.15 else []
        self._seen[call.operation, "looked"] += 1
        found: list[ModelCall] = []
        for operation in API:
            if operation.changes or not self.candidates.served(operation.name):
                continue
            read = self.candidates.drawn(operation, self.candidates.likely(operation))
            read = None if read is None else about(read, call)
            if read is None or self._seen[call.operation, "seen by", operation.name]:
                continue
            one, other = self.candidates.imagined(read, before), self.candidates.imagined(read, predicted.after)
            if one is None or other is None or one.reply == other.reply or other.reply.status >= 400:
                continue
            found.append(read)
        self.random.shuffle(found)
        for each in found[:2]:
            self._seen[call.operation, "seen by", each.operation] += 1
        self._observers.setdefault(call.operation, []).extend(found[:2])
        return found[:2] or self._again(call)[:1]

    def _again(self, call: ModelCall) -> list[ModelCall]:
        """Return reads that have shown changes of this operation, for the things that this call names."""
        reads = [about(each, call) for each in self._observers.get(call.operation, ())]
        reads = [each for each in reads if self.candidates.imagined(each) is not None]
        self.random.shuffle(reads)
        return reads
