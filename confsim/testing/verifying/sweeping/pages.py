"""Pages and sort orders of lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from confsim.contract.annotations import peeled
from confsim.contract.operation import Operation
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.model import Prediction
from confsim.testing.verifying.candidates import Candidates

from .finding import Finder, count_of

#: Number of elements with which a page in the middle differs from all others, and most elements that are added.
_ENOUGH, _MOST_ADDED = 3, 5


class Pages:
    """Reads of lists. ``seen`` counts the features of the calls that were made."""

    def __init__(self, candidates: Candidates, finder: Finder, seen: Counter[object]) -> None:
        self._candidates = candidates
        self._finder = finder
        self._seen = seen

    def whole(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield pages and sort orders of the list of an operation, which is made longer before if it has to be."""
        if self._seen[operation.name, "swept pages"] and self._seen[operation.name, "swept sorts"]:
            return
        found = self._finder.fullest(operation)
        for _ in range(_MOST_ADDED):
            if found is None or (count_of(found[1].reply) >= _ENOUGH and self._is_sorted(found[0])):
                break
            more = self._finder.longer(*found)
            if more is None:
                break
            yield more
            found = found[0], self._candidates.model.imagine(found[0])
        if found is not None:
            yield from self.of(*found, last=True)

    def of(self, call: ModelCall, predicted: Prediction, *, last: bool = False) -> Iterator[ModelCall]:
        """Yield pages of a list of several, and sort orders that differ; ``last`` if it will not become longer."""
        pages, sorts = (call.operation, "swept pages"), (call.operation, "swept sorts")
        count, names = count_of(predicted.reply), call.declared.query_names
        if (self._seen[pages] and self._seen[sorts]) or self._candidates.scope.is_open(call):
            return
        if count < 2:
            yield from self._cut_whole(call) if last else ()
            return
        if not last and ({"limit", "sort"} & names) and (count < _ENOUGH or not self._is_sorted(call)):
            return  # postponed: there may be more elements later
        plain = _without(call, "limit", "offset")
        if self._seen[pages]:
            pass
        elif {"limit", "offset"} <= names:
            both = [{"limit": "1", "offset": "1"}] if count >= _ENOUGH else [{"limit": "1"}, {"offset": "1"}]
            yield from (replace(plain, query={**plain.query, **each}) for each in both)
        elif not self._seen[call.operation, "several"]:
            yield call
        self._seen[pages] += 1
        bare = _without(plain, "sort", "order")
        found = [self._differing(bare, asked) for asked in (_sorts(call), _orders(call))]
        self._seen[sorts] += found[0] is not None or not _sorts(call)
        yield from (each for each in found if each is not None)

    def _cut_whole(self, call: ModelCall) -> Iterator[ModelCall]:
        """Yield pages of a list of one that have no element."""
        for name, text in (("limit", "0"), ("offset", "1")):
            cut = replace(call, query={**call.query, name: text})
            predicted = self._candidates.imagined(cut) if name in call.declared.query_names else None
            if predicted is not None and predicted.reply.status < 400:
                yield cut

    def _is_sorted(self, call: ModelCall) -> bool:
        """Return whether some sort order of a list, if it can be sorted, differs from the order without one."""
        sorts = _sorts(call)
        return not sorts or self._differing(_without(call, "limit", "offset", "sort", "order"), sorts) is not None

    def _differing(self, bare: ModelCall, queries: Sequence[dict[str, str]]) -> ModelCall | None:
        """Return the first of some queries whose last parameter changes the answer."""
        for query in queries:
            call = replace(bare, query={**bare.query, **query})
            one, other = (
                self._candidates.imagined(_without(call, next(reversed(query)))),
                self._candidates.imagined(call),
            )
            if one is not None and other is not None and self._finder.differ(call, one.reply, other.reply):
                return call
        return None


def _without(call: ModelCall, *names: str) -> ModelCall:
    return replace(call, query={name: text for name, text in call.query.items() if name not in names})


def _sorts(call: ModelCall) -> list[dict[str, str]]:
    return [
        {"sort": str(member.value)}
        for each in call.declared.query_parameters
        if each.name == "sort"
        for member in peeled(each.wire)[0]
    ]


def _orders(call: ModelCall) -> list[dict[str, str]]:
    if "order" not in call.declared.query_names:
        return []
    asked = [{"order": each} for each in ("asc", "desc")]
    return [*asked, *({**sort, **order} for sort in _sorts(call) for order in asked)]
