"""The systematic start of a run: every operation, by callers with and without permission, and a read of its effect.

Calls are derived from the declarations and tried in the model. An operation that changes something is called, repeated,
called by another tenant and by a caller with too low a role. Then a read distinguishes the change from one that was
lost, made in part, or made although refused. Lists are read in pages and sorted.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.kernel.world import World
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.declared import disrupts_client
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.places import leaves
from confsim.testing.learning.run import Run
from confsim.testing.learning.things import RunCaller
from confsim.testing.verifying.candidates import Candidates, sole_roles
from confsim.testing.verifying.novelty import FOREIGN, pointers
from confsim.testing.verifying.values import Value, choices, values_of

from .denials import refused
from .finding import DRAWS, Finder, Found, refusals, succeeds
from .pages import Pages
from .rehearsing import JOURNEYS, Fits, Rehearsal, transitions
from .wrong_services import Way, WrongService, WrongServices, latest

#: Least number of calls in a portion.
LENGTH = 60
#: Most wrong services for which a read is chosen, and most of their calls whose things are read.
_NEAR, _LOOKED_AT = 16, 3
#: Most postponements of an operation that cannot be called yet, and how far it is postponed.
_PUT_BACK, _BEHIND = 5, 25
#: After so many searches for a journey that found none, one journey less is rehearsed in each.
_PATIENCE = 30
#: The worth of an effect, as a part of that of a wrong service that is distinguished.
_EFFECTIVE = 0.2


class Sweep:
    """The calls of a systematic start, in portions. ``seen`` counts the features of the calls that were made."""

    def __init__(self, candidates: Candidates, seen: Counter[object], wrongs: WrongServices) -> None:
        self._candidates = candidates
        self._seen = seen
        self._wrongs = wrongs
        self.finder = Finder(candidates, seen)
        self._pages = Pages(candidates, self.finder, seen)
        self._put_back: Counter[str] = Counter()
        #: How many searches for a journey found none.
        self._fruitless = 0
        served = [each for each in API if not disrupts_client(each)]
        self._work: deque[tuple[Callable[[Operation], Iterator[ModelCall]], Operation]] = deque()
        self._work.append((self._guests, API["create_guest"]))
        areas = dict.fromkeys(each.area for each in served)
        writes = [each for each in served if each.changes]
        reads = [each for each in served if not each.changes]
        for area in areas:
            there = [each for each in (*writes, *reads) if each.area == area]
            self._work += [(self._whole, each) for each in there]
            self._work.append((self._looks, there[-1]))
        inside_out = sorted(writes, key=lambda each: -len(each.placeholders))
        self._work += [(self._pages.whole, each) for each in reads]
        self._work += [(self._fields, each) for each in served]
        self._work += [(self._removal, each) for each in (*inside_out, *reads)]
        self._work += [(self._denials, each) for each in served]
        self._work += [(self._words, each) for each in writes]
        self._work += [(self._disabled, each) for each in API if disrupts_client(each)]
        self._work += [(self._new_reasons, each) for each in served]
        self._work += [(self._roles, each) for each in served]
        self._work += [(self._moves, each) for each in served]
        self._work += [(self._missed, each) for each in writes]
        self._work += [(self._reasons, each) for each in served]

    def go_on_with(self, run: Run) -> None:
        """Continue with another model of the same service."""
        self.finder.go_on_with(run)

    @property
    def left(self) -> bool:
        """Return whether there are operations left."""
        return bool(self._work)

    def portion(self) -> Iterator[ModelCall]:
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

    # Before and after

    def _guests(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield calls that create a channel and a guest in each client: somebody who may do little there."""
        for home in self.finder.homes:

            def fits(call: ModelCall, predicted: Prediction, home: str = home) -> bool:
                return succeeds(call, predicted) and call.path.get("clientId", home) == home

            for name in ("create_channel", operation.name):
                found = self.finder.find(API[name], fits, home=home)
                if found is not None:
                    yield found[0]
        for caller in [each for each in self._candidates.things.callers if each.role == "guest" and each.user is None]:
            yield ModelCall("get_me", caller.token)

    def _disabled(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield the calls around a client without service: it is disabled, a change is refused, it is enabled."""
        for home in self.finder.homes[1:]:
            partner = self._candidates.caller_of("partner-admin")
            create = self.finder.find(API["create_channel"], succeeds, home=home)
            yield ModelCall(operation.name, partner.token, {"clientId": home, "state": "disable"})
            if create is not None:
                yield create[0]
            yield ModelCall(operation.name, partner.token, {"clientId": home, "state": "enable"})

    # One operation

    def _whole(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield a call that succeeds, the same by callers with and without permission."""
        found = self._found(operation)
        if found is None and self._put_back[operation.name]:
            made = self.finder.after(operation, succeeds)
            if made is not None:
                yield made[0]
                found = self._found(operation)
        if found is None:
            self._later(operation)
        elif found[1].removed:
            return  # later, when what it removes is no longer needed
        elif operation.changes:
            yield from self._write(*found)
        else:
            yield from self._read(*found)

    def _found(self, operation: Operation) -> Found | None:
        """Return a call that succeeds with most new features; of reads, one that distinguishes wrong services."""
        if operation.changes:
            return self.finder.find(operation, succeeds, shown=_is_effective)
        near = [each for each in self._wrongs.open if each.call.declared.area == operation.area]
        near = (near or self._wrongs.open)[-_NEAR:]
        return self.finder.find(
            operation, succeeds, shown=lambda call, predicted: len(self._wrongs.shown(call, predicted, near))
        )

    def _removal(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield what has not succeeded so far, removals above all, after a journey to it, and a read of its effect."""
        if self._seen[operation.name, "succeeds"]:
            return
        found = self.finder.find(operation, succeeds)
        if found is None:
            found = yield from self._journey([operation], succeeds)
        if found is None:
            return
        if operation.changes:
            yield from self._write(*found)
            yield from self._looked(self._wrongs.of([operation.name]))
        else:
            yield from self._read(*found)

    def _journey(
        self, operations: Sequence[Operation], fits: Fits, caller: RunCaller | None = None
    ) -> Generator[ModelCall, None, Found | None]:
        """Yield the calls that lead to a fitting call, and return that; None when no journey is found."""
        homes = self.finder.homes if caller is None else [caller.home or self.finder.homes[0]]
        weights = {
            each.name: 1.0 / (1 + self._seen[each.name, "writes"])
            for each in API
            if self._seen[each.name, "writes"] and not disrupts_client(each)
        }
        stage = Rehearsal(self._candidates, self.finder.shapes, weights)
        calls = stage.journey(operations, fits, homes, caller, max(1, JOURNEYS - self._fruitless // _PATIENCE))
        self._fruitless += not calls
        yield from calls[:-1]
        predicted = self._candidates.imagined(calls[-1]) if calls else None
        return None if predicted is None or not fits(calls[-1], predicted) else (calls[-1], predicted)

    def _looks(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield reads that distinguish the wrong services of the area of an operation."""
        yield from self._looked(self._wrongs.of(each.name for each in API if each.area == operation.area))

    def _looked(self, wrongs: list[WrongService]) -> Iterator[ModelCall]:
        """Yield reads until each of some wrong services is distinguished, or no read does it."""
        while wrongs := [each for each in wrongs if each in self._wrongs.open]:
            look = self.finder.look(
                latest(wrongs, _LOOKED_AT),
                partial(self._count_shown, wrongs),
                len(wrongs),
            )
            if look is not None:
                yield look
            elif len(latest(wrongs, _LOOKED_AT + 1)) <= _LOOKED_AT:
                return
            else:
                wrongs = [each for each in wrongs if each.call not in latest(wrongs, _LOOKED_AT)]

    def _count_shown(self, wrongs: list[WrongService], call: ModelCall, predicted: Prediction) -> int:
        return len(self._wrongs.shown(call, predicted, wrongs))

    def _missed(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield a change whose effect was not distinguished, again, and a read right after it."""
        for key in [key for key in self._wrongs.missed if key[0] == operation.name]:
            self._wrongs.missed.pop(key, None)
            found = self.finder.find(operation, succeeds)
            if found is None:
                continue
            if key[2] is Way.MADE:
                yield from list(refused(self._candidates, found[0]))[-1:]
            else:
                yield found[0]
            yield from self._looked(self._wrongs.of([operation.name]))

    def _words(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield the operation with each value of its enumerations and switches, so that it has an effect."""
        for value in 2 * choices(operation):  # what is disabled at the end can be enabled then
            if self._seen[operation.name, "effective with", value]:
                continue

            def fits(call: ModelCall, predicted: Prediction, value: Value = value) -> bool:
                return succeeds(call, predicted) and predicted.effective and value in values_of(call)

            found = self.finder.find(operation, fits, draws=4 * DRAWS)
            if found is not None:
                yield found[0]
                yield from self._looked(self._wrongs.of([operation.name]))

    def _later(self, operation: Operation) -> None:
        """Postpone an operation behind the others of the first round."""
        self._put_back[operation.name] += 1
        if self._put_back[operation.name] > _PUT_BACK:
            return
        end = next((at for at, (work, _) in enumerate(self._work) if work != self._whole), len(self._work))
        self._work.insert(min(end, _BEHIND), (self._whole, operation))

    def _read(self, call: ModelCall, predicted: Prediction) -> Iterator[ModelCall]:
        """Yield a read by callers without and with permission, and its pages."""
        yield from refused(self._candidates, call)
        if not self._seen[call.operation, "succeeds"]:
            yield call
        yield from self._pages.of(call, predicted)

    def _write(self, call: ModelCall, predicted: Prediction) -> Iterator[ModelCall]:
        """Yield a change, its repetition, and the same by callers without permission."""
        again = self._candidates.imagined(call, predicted.after)
        other = self._other(call, predicted.after if again is None else again.after)
        if other is not None:
            yield call
            yield call
            yield from refused(self._candidates, other)
            return
        yield from refused(self._candidates, call)
        made = [each for each in self._wrongs.of([call.operation]) if each.way is Way.MADE]
        if made and not self._wrongs.shown(call, predicted, made):
            yield from self._looked(made)  # after the call itself, it would not show
        yield call
        if again is not None:
            yield call

    def _other(self, call: ModelCall, world: World) -> ModelCall | None:
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

    # Roles and refusals

    def _roles(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield the operation by a caller who holds one of its grants alone, for each of them."""
        candidates = self._candidates
        for role in sole_roles(operation, candidates.model.profile):
            if self._seen[operation.name, "succeeds for", role]:
                continue
            candidates.move_to(candidates.things.accounts_client)
            caller = candidates.caller_of(role)
            if caller.role != role:
                continue
            found = self.finder.find(operation, succeeds, caller)
            if found is None and role == "customer-admin":  # who administers clients below its own, too
                for home in self.finder.homes[1:]:
                    found = self.finder.find(operation, succeeds, candidates.caller_of("partner-admin"), home=home)
            if found is None or found[1].removed:
                found = yield from self._journey([operation], succeeds, caller)
            if found is not None:
                yield found[0]

    def _denials(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield the operation by callers without permission, where none was refused yet."""
        denied = self._seen[operation.name, "refused to another client"], self._seen[operation.name, "denied"]
        if all(denied) or operation.public:
            return
        for home in reversed(self.finder.homes):
            found = self.finder.find(operation, self._names_made, home=home)
            if found is None:
                continue
            for call in refused(self._candidates, found[0]):
                foreign = self._candidates.role(call).endswith(FOREIGN)
                if not self._seen[operation.name, "refused to another client" if foreign else "denied"]:
                    yield call

    def _names_made(self, call: ModelCall, predicted: Prediction) -> bool:
        """Return whether a call succeeds and names something that the run created, if it names anything."""
        named = list(call.names())
        return succeeds(call, predicted) and (not named or any(each in self._candidates.things for each in named))

    def _moves(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield journeys to the transitions of the machines that an operation moves, which no call has made yet."""
        machines = {key[2] for key in self._seen if isinstance(key, tuple) and key[:2] == (operation.name, "moves")}
        for name in sorted(machines):
            movers = {key[0] for key in self._seen if isinstance(key, tuple) and key[1:3] == ("moves", name)}
            if min(movers) != operation.name:
                continue  # in the turn of another operation
            for row in transitions(name):
                if self._seen["moves", *row]:
                    continue

                def fits(call: ModelCall, predicted: Prediction, row: tuple[str, str, str] = row) -> bool:
                    return succeeds(call, predicted) and row in predicted.moved

                found = yield from self._journey([API[each] for each in sorted(movers)], fits)
                if found is not None:
                    yield found[0]

    def _fields(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield calls whose answers have fields that no answer of the operation has had."""
        declared = {pointer for pointer, _ in leaves(self.finder.shapes.answer(operation))}
        missing = [each for each in declared if not self._seen[operation.name, "has", each]]
        if not missing or not self._seen[operation.name, "succeeds"]:
            return

        def fits(call: ModelCall, predicted: Prediction) -> bool:
            if not succeeds(call, predicted) or predicted.removed:
                return False
            return any(
                not self._seen[operation.name, "has", each]
                for each in pointers(predicted.reply.body)
                if each in declared
            )

        for _ in missing:
            found = self.finder.find(operation, fits)
            if found is None:
                found = yield from self._journey([operation], fits)
            if found is None:
                return
            yield found[0]

    def _new_reasons(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield refusals of the operation for reasons that were not seen on any operation."""
        for reason, operations in refusals().items():
            if operation.name not in operations or self._seen["refused", reason]:
                continue
            calls = self.finder.refused(operation, reason, thorough=True)
            yield from calls
            if calls or operation.name != operations[-1]:
                continue

            def fits(call: ModelCall, predicted: Prediction, reason: str = reason) -> bool:
                return predicted.reply.status >= 400 and reason in predicted.used

            found = yield from self._journey([API[each] for each in operations], fits)
            if found is not None:
                yield found[0]

    def _reasons(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield refusals of the operation for reasons that it has not shown yet."""
        for reason, operations in refusals().items():
            if operation.name in operations and not self._seen[operation.name, "refused", reason]:
                yield from self.finder.refused(operation, reason, thorough=False)


def _is_effective(call: ModelCall, predicted: Prediction) -> float:
    """Return how much more it is worth that a change has an effect."""
    return _EFFECTIVE * predicted.effective
