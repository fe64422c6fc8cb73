"""Pages and orders of lists, and what decides what they show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from confsim.contract.annotations import peeled
from confsim.contract.operation import Operation
from confsim.kernel.world import World
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.model import Prediction
from confsim.testing.samples import wrong_texts
from confsim.testing.verifying.candidates import Candidates

from .finding import Finder, count_of, succeeds

#: Parameters that cut a list, or order it.
CUTTING = ("limit", "offset", "sort", "order")
#: Number of elements with which a page in the middle differs from all others, and most elements that are added.
_ENOUGH, _MOST_ADDED = 3, 5


class Pages:
    """Reads of lists. ``seen`` counts the features of the calls that were made."""

    def __init__(self, candidates: Candidates, finder: Finder, seen: Counter[object]) -> None:
        self._candidates = candidates
        self._finder = finder
        self._seen = seen

    def whole(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield pages and orders of the list of an operation, which is made longer before if it has to be."""
        if not self.undecided(operation) and self._seen[operation.name, "several"]:
            return
        found = self._finder.fullest(operation)
        for _ in range(_MOST_ADDED):
            if found is None or (count_of(found[1].reply) > 1 and self._is_decided(found[0])):
                break
            more = self._finder.longer(*found)
            if more is None:
                break
            yield more
            found = found[0], self._candidates.model.imagine(found[0])
        if found is not None:
            yield from self.of(*found, last=True)

    def of(self, call: ModelCall, predicted: Prediction, *, last: bool = False) -> Iterator[ModelCall]:
        """Yield a list of several, its pages and orders that decide what it shows, as few as do.

        Unless it is the ``last`` time, a list that could show more when it is longer is not read yet.
        """
        count, undecided = count_of(predicted.reply), self.undecided(call.declared)
        if self._candidates.scope.is_open(call) or (not undecided and self._seen[call.operation, "several"]):
            return
        if count < 2:
            yield from self._cut_whole(call) if last else ()
            return
        if not last and undecided and (count < _ENOUGH or not self._is_decided(call)):
            return  # postponed: there may be more elements later
        if not self._seen[call.operation, "several"]:
            yield _without(call, *CUTTING)
        while undecided := self.undecided(call.declared):
            found = max(((len(self._decided(each, undecided)), each) for each in cuts(call)), key=lambda each: each[0])
            if not found[0]:
                return
            yield found[1]
            if self.undecided(call.declared) == undecided:
                return

    def refused(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield a list with a text that is refused, for each parameter of it that has not decided what it shows.

        Where no list that can be made is in another order by it, a service that ignores it answers that.
        """
        found = self._finder.find(operation, succeeds) if self.undecided(operation) else None
        if found is None:
            return
        bare, undecided = _without(found[0], *CUTTING), self.undecided(operation)
        for parameter in [each for each in operation.query_parameters if each.name in undecided]:
            for text in wrong_texts(parameter.wire):
                call = replace(bare, query={**bare.query, parameter.name: text})
                predicted = self._candidates.imagined(call)
                if predicted is not None and predicted.reply.status >= 400:
                    yield call
                    break

    def undecided(self, operation: Operation) -> list[str]:
        """Return the parameters of a list that have not decided yet what it shows."""
        there = [each for each in CUTTING if each in operation.query_names]
        return [each for each in there if not self._seen[operation.name, "decided by", each]]

    def can_be_decided(self, call: ModelCall, predicted: Prediction) -> bool:
        """Return whether, where a list was predicted, a page or order of it is decided by what did not decide yet."""
        undecided = self.undecided(call.declared)
        return any(self._decided(each, undecided, predicted.before) for each in cuts(call))

    def _decided(self, call: ModelCall, asked: Iterable[str], world: World | None = None) -> list[str]:
        predicted = self._candidates.imagined(call, world)
        if predicted is None or predicted.reply.status >= 400:
            return []
        return list(decided(self._candidates.model.imagine, call, predicted, asked))

    def _is_decided(self, call: ModelCall) -> bool:
        """Return whether pages and orders of a list decide what it shows, by all parameters that did not yet."""
        undecided = set(self.undecided(call.declared))
        for each in cuts(call):
            if not undecided:
                return True
            undecided -= set(self._decided(each, undecided))
        return not undecided

    def _cut_whole(self, call: ModelCall) -> Iterator[ModelCall]:
        """Yield pages of a list of one that have no element."""
        undecided = self.undecided(call.declared)
        for name, text in (("limit", "0"), ("offset", "1")):
            cut = replace(call, query={**call.query, name: text})
            predicted = self._candidates.imagined(cut) if name in undecided else None
            if predicted is not None and predicted.reply.status < 400:
                yield cut


def cuts(call: ModelCall) -> Iterator[ModelCall]:
    """Yield a list in pages and in the orders that it can be in, first those with most parameters."""
    names = call.declared.query_names
    pages = [
        {each: "1" for each in ("limit", "offset") if each in names},
        *({each: "1"} for each in ("limit", "offset") if each in names),
    ]
    sorts = [
        {"sort": str(member.value)}
        for each in call.declared.query_parameters
        if each.name == "sort"
        for member in peeled(each.wire)[0]
    ]
    directions = [{"order": each} for each in ("asc", "desc")] if "order" in names else []
    both = [{**sort, **direction} for sort in sorts for direction in directions]
    bare = _without(call, *CUTTING)
    asked = [*({**pages[0], **order} for order in (*both, *sorts, *directions)), *both, *sorts, *directions, *pages]
    for query in asked:
        if query:
            yield replace(bare, query={**bare.query, **query})


def decided(
    imagine: Callable[[ModelCall, World], Prediction], call: ModelCall, predicted: Prediction, asked: Iterable[str]
) -> Iterator[str]:
    """Yield those of some of ``CUTTING`` without which, and with one more, a list would show something else."""
    for name in asked:
        text = call.query.get(name)
        if text is None or not (name in {"sort", "order"} or text.isdigit()):
            continue
        others = [_without(call, name)]
        if text.isdigit():
            others.append(replace(call, query={**call.query, name: str(int(text) + 1)}))
        found = (imagine(other, predicted.before).reply for other in others)
        if all(each.status < 400 and each.body != predicted.reply.body for each in found):
            yield name


def _without(call: ModelCall, *names: str) -> ModelCall:
    return replace(call, query={name: text for name, text in call.query.items() if name not in names})
