"""The systematic start of a run: every operation, by callers with and without permission, and a read of its effect.

Calls are derived from the declarations and tried in the model. An operation that changes something is called, repeated,
called by another tenant and by a caller with too low a role. Then a read distinguishes the change from one that was
lost, made in part, or made although refused. Lists are read in pages and sorted.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.contract.annotations import peeled
from confsim.contract.operation import Operation
from confsim.kernel.world import World
from confsim.testing.learning.calls import Call
from confsim.testing.learning.declared import disrupts_client
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.run import Run

from .candidates import LIKELY, Candidates
from .finding import Finder, count_of, refusals, succeeds
from .novelty import FOREIGN, NOT_FOR_THIS_CALLER

#: Least number of calls in a portion.
LENGTH = 60
#: Most postponements of an operation that cannot be called yet.
_PUT_BACK, _BEHIND = 5, 25


class Sweep:
    """The calls of a systematic start, in portions. ``seen`` counts the features of the calls that were made."""

    def __init__(self, candidates: Candidates, seen: Counter[object]) -> None:
        self._candidates = candidates
        self._seen = seen
        self.finder = Finder(candidates, seen)
        self._put_back: Counter[str] = Counter()
        served = [each for each in API if not disrupts_client(each)]
        writes = [each for each in served if each.changes]
        reads = [each for each in served if not each.changes]
        self._work: deque[tuple[Callable[[Operation], Iterator[Call]], Operation]] = deque()
        self._work += [(self._whole, each) for each in (*writes, *reads)]
        self._work += [(self._new_reasons, each) for each in served]
        self._work += [(self._lists, each) for each in reads]
        self._work += [(self._removal, each) for each in writes]
        self._work += [(self._roles, each) for each in served]
        self._work += [(self._reasons, each) for each in served]

    def go_on_with(self, run: Run) -> None:
        """Continue with another model of the same service."""
        self.finder.go_on_with(run)

    @property
    def left(self) -> bool:
        """Return whether there are operations left."""
        return bool(self._work)

    def portion(self) -> Iterator[Call]:
        """Yield the next calls. Each must be made and noted before the next is taken."""
        self._candidates.begin_journey(-1)
        count = 0
        while self._work and count < LENGTH:
            work, operation = self._work.popleft()
            if not self._candidates.served(operation.name):
                continue
            for call in work(operation):
                count += 1
                yield call

    # One operation

    def _whole(self, operation: Operation) -> Iterator[Call]:
        """Yield a call that succeeds, the same by callers with and without permission, and a read of its effect."""
        found = self.finder.find(operation, succeeds)
        if found is None and self._put_back[operation.name]:
            made = self.finder.after(operation, succeeds)
            if made is not None:
                yield made[0]
                found = self.finder.find(operation, succeeds)
        if found is None:
            self._later(operation)
        elif found[1].removed:
            return  # later, when what it removes is no longer needed
        elif operation.changes:
            yield from self._write(*found)
        else:
            yield from self._read(*found)

    def _removal(self, operation: Operation) -> Iterator[Call]:
        """Yield a change that removes something, tested like any other."""
        if self._seen[operation.name, "succeeds"]:
            return
        found = self.finder.find(operation, succeeds)
        if found is None:
            made = self.finder.after(operation, succeeds)
            if made is not None:
                yield made[0]
                found = self.finder.find(operation, succeeds)
        if found is not None:
            yield from self._write(*found)

    def _later(self, operation: Operation) -> None:
        """Postpone an operation behind the others of the first round."""
        self._put_back[operation.name] += 1
        if self._put_back[operation.name] > _PUT_BACK:
            return
        end = next((at for at, (work, _) in enumerate(self._work) if work != self._whole), len(self._work))
        self._work.insert(min(end, _BEHIND), (self._whole, operation))

    def _read(self, call: Call, predicted: Prediction) -> Iterator[Call]:
        """Yield a read by callers without and with permission, and its pages."""
        yield from self._refused(call)
        if not self._seen[call.operation, "succeeds"]:
            yield call
        yield from self._pages(call, predicted)

    def _write(self, call: Call, predicted: Prediction) -> Iterator[Call]:
        """Yield a change, its repetition, the same by others, and a read of the whole effect."""
        candidates = self._candidates
        before = candidates.model.world
        half = self._half(call)
        again = candidates.imagined(call, predicted.after)
        world = predicted.after if again is None else again.after
        other = self._other(call, world)
        if other is None:
            refused = list(self._refused(call))
            wrong = [predicted.after] if self._is_hidden(call, predicted, refused) else []
            if wrong:
                look = self.finder.look(call, before, wrong)
                yield from refused
                if look is not None:
                    yield look
            else:
                yield from refused
            yield call
            if again is not None:
                yield call
        else:
            yield call
            yield call
            yield from self._refused(other)
        now = candidates.model.world
        wrong = [before, *([] if half is None else [half])]
        if other is not None:
            applied = candidates.imagined(other)
            wrong += [] if applied is None else [applied.after]
        look = self.finder.look(call, now, wrong)
        if look is not None:
            yield look

    def _half(self, call: Call) -> World | None:
        """Return the world after a change that lacks its last field, None when it has not several fields."""
        if not isinstance(call.body, dict) or len(call.body) < 2:
            return None
        body = dict(call.body)
        body.popitem()
        predicted = self._candidates.imagined(replace(call, body=body))
        return None if predicted is None or predicted.reply.status >= 400 else predicted.after

    def _other(self, call: Call, world: World) -> Call | None:
        """Return a call of the same operation that would still change something in a world, None when none is found."""
        caller = self._candidates.things.caller(call.caller)
        for _ in range(6 if caller is not None else 0):
            assert caller is not None
            other = self._candidates.drawn(call.declared, caller, right=True)
            predicted = None if other is None else self._candidates.imagined(other, world)
            if other is None or predicted is None or predicted.reply.status >= 400:
                continue
            if predicted.effective:
                return other
        return None

    def _is_hidden(self, call: Call, predicted: Prediction, refused: Sequence[Call]) -> bool:
        """Return whether a refused call could not be told from the same call made earlier by the answer alone."""
        again = self._candidates.imagined(call, predicted.after)
        return bool(refused) and again is not None and again.reply.status == predicted.reply.status

    def _refused(self, call: Call) -> Iterator[Call]:
        """Yield the call by a caller of another client, and by one with too low a role."""
        candidates = self._candidates
        foreign: list[tuple[int, Call]] = []
        near: list[tuple[int, Call]] = []
        for caller in candidates.things.callers:
            other = replace(call, caller=caller.token)
            predicted = candidates.imagined(other)
            if predicted is None or predicted.reply.status not in (401, 403, 404):
                continue
            if caller.role == "other-admin" or candidates.role(other).endswith(FOREIGN):
                foreign.append((caller.role != "other-admin", other))
            elif NOT_FOR_THIS_CALLER.intersection(predicted.used):
                near.append(("code.role-missing" not in predicted.used, other))
        if any(named in candidates.things for named in call.names()):
            yield from (each for _, each in sorted(foreign, key=lambda each: each[0])[:1])
        yield from (each for _, each in sorted(near, key=lambda each: each[0])[:1])

    # Lists

    def _lists(self, operation: Operation) -> Iterator[Call]:
        """Yield pages and sort orders of a list of several."""
        if self._seen[operation.name, "swept pages"]:
            return
        found = self.finder.fullest(operation)
        for _ in range(4):
            if found is None or count_of(found[1].reply) > 2:
                break
            more = self.finder.longer(*found)
            if more is None:
                break
            yield more
            found = found[0], self._candidates.model.imagine(found[0])
        if found is not None:
            yield from self._pages(*found, last=True)

    def _pages(self, call: Call, predicted: Prediction, *, last: bool = False) -> Iterator[Call]:
        """Yield pages of a list of several, and sort orders that differ."""
        mark = (call.operation, "swept pages")
        count, names = count_of(predicted.reply), call.declared.query_names
        if self._seen[mark] or count < 2 or self._candidates.scope.is_open(call):
            return
        if "limit" in names and count < 3 and not last:  # postponed: there may be more elements later
            return
        self._seen[mark] += 1
        plain = replace(call, query={n: text for n, text in call.query.items() if n not in {"limit", "offset"}})
        if {"limit", "offset"} <= names:
            both = [{"limit": "1", "offset": "1"}] if count > 2 else [{"limit": "1"}, {"offset": "1"}]
            yield from (replace(plain, query={**plain.query, **each}) for each in both)
        elif not self._seen[call.operation, "several"]:
            yield call
        bare = replace(plain, query={n: text for n, text in plain.query.items() if n not in {"sort", "order"}})
        sorts = [str(member.value) for each in call.declared.query_parameters if each.name == "sort"
                 for member in peeled(each.wire)[0]]  # fmt: skip
        yield from self._ordered(bare, [{"sort": each} for each in sorts])
        if "order" in names:
            asked = [{"order": each} for each in ("asc", "desc")]
            yield from self._ordered(bare, [*asked, *({**order, "sort": each} for order in asked for each in sorts)])

    def _ordered(self, bare: Call, queries: Sequence[dict[str, str]]) -> Iterator[Call]:
        """Yield the first of some queries that changes the answer."""
        plain = self._candidates.imagined(bare)
        for query in queries if plain is not None else ():
            assert plain is not None
            call = replace(bare, query={**bare.query, **query})
            predicted = self._candidates.imagined(call)
            if predicted is not None and self.finder.differ(call, plain.reply, predicted.reply):
                yield call
                return

    # Roles and refusals

    def _roles(self, operation: Operation) -> Iterator[Call]:
        """Yield the operation by a caller of each role that is allowed."""
        roles = dict.fromkeys(role for grant in operation.gate.grants for role in LIKELY[grant])
        for role in roles:
            if self._seen[operation.name, "succeeds for", role]:
                continue
            self._candidates.move_to(self._candidates.things.accounts_client)
            caller = self._candidates.caller_of(role)
            found = self.finder.find(operation, succeeds, caller) if caller.role == role else None
            if found is not None and not found[1].removed:
                yield found[0]

    def _new_reasons(self, operation: Operation) -> Iterator[Call]:
        """Yield refusals of the operation for reasons that no operation has shown yet."""
        for reason, operations in refusals().items():
            if operation.name in operations and not self._seen["refused", reason]:
                yield from self.finder.refused(operation, reason)

    def _reasons(self, operation: Operation) -> Iterator[Call]:
        """Yield refusals of the operation for reasons that it has not shown yet."""
        for reason, operations in refusals().items():
            if operation.name in operations and not self._seen[operation.name, "refused", reason]:
                yield from self.finder.refused(operation, reason)
