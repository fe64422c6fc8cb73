"""Calls around one that succeeds: its repetition, others by callers without permission, and reads of its effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.contract.gates import Grant
from confsim.contract.operation import Operation
from confsim.kernel.world import World
from confsim.testing.learning.calls import ME, ModelCall
from confsim.testing.learning.declared import disrupts_client, made_by, made_by_itself, path_kinds
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.things import RunCaller
from confsim.testing.verifying.candidates import HELD, Candidates, Step

from .denials import refused
from .finding import Finder
from .pages import Pages
from .rehearsing import JOURNEYS, Fits, Rehearsal
from .tried import Tried
from .wrong_services import Way, WrongService, WrongServices, latest

#: Most calls of wrong services whose things are read.
_LOOKED_AT = 3
#: How often a read is sought that distinguishes a wrong service.
_IN_VAIN = 2
#: Trials for another call that changes something.
_OTHERS = 8
#: After so many searches of one kind in a row that found no journey, one journey less is rehearsed in each.
_PATIENCE = 10


class Surroundings:
    """The calls around others. ``seen`` counts the features of the calls that were made."""

    def __init__(self, candidates: Candidates, seen: Counter[object], wrongs: WrongServices) -> None:
        self.candidates = candidates
        self.seen = seen
        self.wrongs = wrongs
        self.finder = Finder(candidates, seen)
        self.tried = Tried(seen, candidates)
        self.tried.watch(candidates)
        self.pages = Pages(candidates, self.finder, seen)
        #: The last call, and by whom it is made.
        self._varied: tuple[ModelCall | None, ModelCall] = None, ModelCall("", None)
        #: How many searches for a journey found none, by what they sought; half of them count after one that found one.
        self._fruitless: Counter[str] = Counter()

    def varied(self, call: ModelCall) -> ModelCall:
        """Return the call by somebody whose grant for it no call has shown yet, if that changes nothing else of it.

        A call that is made again is made again by the same caller.
        """
        if call is not self._varied[0]:
            self._varied = call, self._by_another(call)
        return self._varied[1]

    def unvaried(self, call: ModelCall) -> ModelCall:
        """Return the call, which is to be made by its own caller."""
        self._varied = call, call
        return call

    def _by_another(self, call: ModelCall) -> ModelCall:
        candidates, name = self.candidates, call.operation
        if call.declared.public or call.declared.about_caller or made_by(call.declared) or ME in call.path.values():
            return call
        caller, grants = candidates.things.caller(call.caller), self._untried_grants(call.declared)
        predicted = candidates.imagined(call) if caller is not None and grants else None
        if caller is None or predicted is None or predicted.reply.status >= 400 or candidates.role(call) in grants:
            return call
        for each in candidates.things.callers:
            if each.role not in grants or each.home != caller.home:
                continue
            other = replace(call, caller=each.token)
            found = candidates.imagined(other) if candidates.role(other) == each.role else None
            if found is None or found.touched != predicted.touched or self.seen[name, "admits", grants[each.role]]:
                continue
            if found.reply.status == predicted.reply.status and found.reply.body == predicted.reply.body:
                return other
        return call

    def _untried_grants(self, operation: Operation) -> dict[str, Grant]:
        """Return the grants of an operation that no caller has shown who holds them alone, by role."""
        found = {role: self.tried.grant(operation, role) for role in HELD}
        return {
            role: grant
            for role, grant in found.items()
            if grant is not None and not self.seen[operation.name, "admits", grant]
        }

    def shown(self, call: ModelCall, predicted: Prediction) -> Iterator[ModelCall]:
        """Yield a call that succeeds, the same by callers with and without permission, and reads of its effect."""
        if not call.declared.changes:
            yield from self.read(call, predicted)
            return
        yield from self.write(call, predicted)
        yield from self.looked(self.wrongs.of([call.operation]))

    def made(self, call: ModelCall) -> Iterator[ModelCall]:
        """Yield a call, and a change again at once when none of its operation was made again so far.

        First reads of what calls of its operation changed of the same things, which would not show after it.
        """
        named = set(call.names())
        undone = [each for each in self.wrongs.of([call.operation]) if each.call != call]
        yield from self.looked([each for each in undone if each.way is Way.LOST and set(each.call.names()) == named])
        predicted = None if self.seen[call.operation, "again"] else self.candidates.imagined(call)
        yield call
        if predicted is not None and predicted.effective:
            self.seen[call.operation, "again"] += 1
            yield call

    def write(self, call: ModelCall, predicted: Prediction) -> Iterator[ModelCall]:
        """Yield a change, its repetition, and the same by callers without permission."""
        self.seen[call.operation, "again"] += 1
        again = self.candidates.imagined(call, predicted.after)
        other = self._other(call, predicted.after if again is None else again.after)
        if other is not None:
            yield call
            yield call
            yield from refused(self.candidates, other)
            return
        yield from refused(self.candidates, call)
        made = [each for each in self.wrongs.of([call.operation]) if each.way is Way.MADE]
        if made and not self.wrongs.shown(call, predicted, made):
            yield from self.looked(made)  # after the call itself, it would not show
        yield call
        if again is not None:
            yield call

    def read(self, call: ModelCall, predicted: Prediction) -> Iterator[ModelCall]:
        """Yield a read by callers without and with permission, and its pages.

        What no call makes again, as the service made it by itself, is read by those with each of the grants.
        """
        yield from refused(self.candidates, call)
        if not self.seen[call.operation, "succeeds"]:
            yield call
        if made_by_itself().intersection(path_kinds(call.declared).values()):
            yield from self._by_each_grant(call)
        yield from self.pages.of(call, predicted)

    def _by_each_grant(self, call: ModelCall) -> Iterator[ModelCall]:
        """Yield a call by a caller of the same client for each grant that no call has shown yet."""
        made = [call]
        while (other := self._by_another(call)) not in made:
            made.append(other)
            yield other

    def looked(self, wrongs: list[WrongService]) -> Iterator[ModelCall]:
        """Yield reads until each of some wrong services is distinguished, or no read does it."""
        while wrongs := [each for each in wrongs if each in self.wrongs.open and each.in_vain < _IN_VAIN]:
            near = latest(wrongs, _LOOKED_AT)
            look = self.finder.look(near, partial(self._count_shown, wrongs), len(wrongs))
            if look is not None:
                yield look
                continue
            for each in wrongs:
                if each.call in near:
                    each.seek_in_vain()
            wrongs = [each for each in wrongs if each.call not in near]

    def journey(
        self, sought: str, operations: Sequence[Operation], fits: Fits, caller: RunCaller | None = None
    ) -> Generator[ModelCall, None, Step | None]:
        """Yield the calls that lead to a fitting call, and return that; None when no journey is found.

        ``sought`` says what such searches seek, which become shorter when too many of them find nothing.
        """
        homes = self.finder.homes if caller is None else [caller.home or self.finder.homes[0]]
        stage = self.rehearsal()
        most = max(1, JOURNEYS - self._fruitless[sought] // _PATIENCE)
        calls = stage.journey(operations, fits, homes, caller, most)
        self._fruitless[sought] = self._fruitless[sought] // 2 if calls else self._fruitless[sought] + 1
        found = yield from self.followed(stage, calls, fits)
        return found

    def followed(
        self, stage: Rehearsal, calls: Sequence[ModelCall], fits: Fits
    ) -> Generator[ModelCall, None, Step | None]:
        """Yield the calls of a journey except for the last, and return that; None when it fits no more."""
        for call in calls[:-1]:
            if stage.is_outdated(call):
                return None
            yield from self.made(call)
        if not calls or stage.is_outdated(calls[-1]):
            return None
        predicted = self.candidates.imagined(calls[-1])
        return None if predicted is None or not fits(calls[-1], predicted) else (calls[-1], predicted)

    def rehearsal(self) -> Rehearsal:
        """Return a stage on which changes are tried that were made before."""
        weights = {
            each.name: 1.0 / (1 + self.seen[each.name, "writes"])
            for each in API
            if self.seen[each.name, "writes"] and not disrupts_client(each)
        }
        return Rehearsal(self.candidates, self.tried, self.finder.shapes, weights)

    def _other(self, call: ModelCall, world: World) -> ModelCall | None:
        """Return a call of the same operation that would still change something in a world, None when none is found."""
        caller = self.candidates.things.caller(call.caller)
        if caller is None:
            return None
        self.candidates.move_to(call.query.get("for_client") or caller.home)
        for _ in range(_OTHERS):
            other = self.candidates.drawn(call.declared, caller, right=True)
            predicted = None if other is None else self.candidates.imagined(other, world)
            if other is None or predicted is None or predicted.reply.status >= 400:
                continue
            if predicted.effective:
                return other
        return None

    def _count_shown(self, wrongs: list[WrongService], call: ModelCall, predicted: Prediction) -> int:
        return len(self.wrongs.shown(call, predicted, wrongs))
