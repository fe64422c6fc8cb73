"""Calls around one that succeeds: its repetition, others by callers without permission, and reads of its effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from functools import partial

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.kernel.world import World
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.declared import disrupts_client
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.things import RunCaller
from confsim.testing.verifying.candidates import Candidates, Step

from .denials import refused
from .finding import Finder
from .pages import Pages
from .rehearsing import JOURNEYS, Fits, Rehearsal
from .tried import Tried
from .wrong_services import Way, WrongService, WrongServices, latest

#: Most calls of wrong services whose things are read.
_LOOKED_AT = 3
#: After so many searches of one kind in a row that found no journey, one journey less is rehearsed in each.
_PATIENCE = 10


class Surroundings:
    """The calls around others. ``seen`` counts the features of the calls that were made."""

    def __init__(self, candidates: Candidates, seen: Counter[object], wrongs: WrongServices) -> None:
        self.candidates = candidates
        self.seen = seen
        self.wrongs = wrongs
        self.finder = Finder(candidates, seen)
        self.tried = Tried(seen, candidates.model.profile)
        self.tried.watch(candidates)
        self.pages = Pages(candidates, self.finder, seen)
        #: How many searches for a journey found none, by what they sought; half of them count after one that found one.
        self._fruitless: Counter[str] = Counter()

    def shown(self, call: ModelCall, predicted: Prediction) -> Iterator[ModelCall]:
        """Yield a call that succeeds, the same by callers with and without permission, and reads of its effect."""
        if not call.declared.changes:
            yield from self.read(call, predicted)
            return
        yield from self.write(call, predicted)
        yield from self.looked(self.wrongs.of([call.operation]))

    def write(self, call: ModelCall, predicted: Prediction) -> Iterator[ModelCall]:
        """Yield a change, its repetition, and the same by callers without permission."""
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
        """Yield a read by callers without and with permission, and its pages."""
        yield from refused(self.candidates, call)
        if not self.seen[call.operation, "succeeds"]:
            yield call
        yield from self.pages.of(call, predicted)

    def looked(self, wrongs: list[WrongService]) -> Iterator[ModelCall]:
        """Yield reads until each of some wrong services is distinguished, or no read does it."""
        while wrongs := [each for each in wrongs if each in self.wrongs.open]:
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

    def journey(
        self, sought: str, operations: Sequence[Operation], fits: Fits, caller: RunCaller | None = None
    ) -> Generator[ModelCall, None, Step | None]:
        """Yield the calls that lead to a fitting call, and return that; None when no journey is found.

        ``sought`` says what such searches seek, which are given up when too many of them find nothing.
        """
        homes = self.finder.homes if caller is None else [caller.home or self.finder.homes[0]]
        stage = self.rehearsal()
        calls = stage.journey(operations, fits, homes, caller, JOURNEYS - self._fruitless[sought] // _PATIENCE)
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
            yield call
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
        for _ in range(6 if caller is not None else 0):
            assert caller is not None
            other = self.candidates.drawn(call.declared, caller, right=True)
            predicted = None if other is None else self.candidates.imagined(other, world)
            if other is None or predicted is None or predicted.reply.status >= 400:
                continue
            if predicted.effective:
                return other
        return None

    def _count_shown(self, wrongs: list[WrongService], call: ModelCall, predicted: Prediction) -> int:
        return len(self.wrongs.shown(call, predicted, wrongs))
