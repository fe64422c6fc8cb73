"""Searches for what an operation has not shown: its success, fields, values, roles, refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.places import NOT_NAMES, Elements, ObjectShape, leaves
from confsim.testing.learning.model import Prediction
from confsim.testing.verifying.candidates import HELD
from confsim.testing.verifying.novelty import FOREIGN, NOT_FOR_THIS_CALLER, pointers
from confsim.testing.verifying.values import Value, choices, values_of

from .denials import refused
from .finding import DRAWS, count_of, refusals, succeeds
from .surroundings import Surroundings
from .wrong_services import Key, Way, halved

#: After how many operations in a row that do not show a reason it is sought no more: by all means, and alone.
_SOUGHT, _ALONE = 8, 24


class Seeker:
    """Seeks calls that show what an operation has not shown. ``around`` gives the calls around others."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._candidates = around.candidates
        self._seen = around.seen
        self._wrongs = around.wrongs
        self._tried = around.tried
        self._finder = around.finder
        #: How many operations in a row have not shown a reason: any more than it was, and each alone.
        self._in_vain: Counter[str] = Counter()
        self._alone_in_vain: Counter[str] = Counter()

    def anew(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield a call that has made something once more, when that is gone, and reads of its effect.

        Not where answers name what is made: then the repetition of a call shows that something is made again.
        """
        shape = self._finder.shapes.answer(operation)
        if not operation.creates or self._seen[operation.name, "anew"] or _names_things(shape):
            return
        for call in self._finder.made(operation.name):
            ahead = self._finder.undone(call)
            if ahead is None:
                continue
            self._seen[operation.name, "anew"] += 1
            for each in ahead:
                yield from self._around.made(each)
            yield self._around.unvaried(call)
            yield from self._around.looked(self._wrongs.of([operation.name], single=True))
            return

    def removal(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield what has not succeeded so far, removals above all, after a journey to it, and a read of its effect."""
        if self._seen[operation.name, "succeeds"]:
            return
        found = self._finder.find(operation, succeeds)
        if found is None:
            made = self._finder.after(operation, succeeds)
            if made is not None:
                yield made[0]
                found = self._finder.again(made[1], succeeds)
        if found is None:
            found = yield from self._around.journey("removal", [operation], succeeds)
        if found is not None:
            yield from self._around.shown(*found)

    def again(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield a change twice in a row, where none of its operation was made so by one caller."""
        if self._seen[operation.name, "made twice"]:
            return
        found = self._finder.find(operation, _changes) or self._finder.find(operation, succeeds)
        if found is not None:
            yield self._around.unvaried(found[0])
            yield found[0]

    def missed(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield a change whose effect was not distinguished, again, and a read right after it."""
        for key in [key for key in self._wrongs.missed if key[0] == operation.name]:
            self._wrongs.missed.pop(key, None)
            if key[2] in (Way.UNMOVED, Way.ASTRAY):
                yield from self._single(operation, key)
                continue
            found = self._finder.find(operation, partial(_shows, key))
            if found is None:
                continue
            if key[2] is Way.MADE:
                yield from list(refused(self._candidates, found[0]))[-1:]
            else:
                yield found[0]
            yield from self._around.looked(self._wrongs.of([operation.name]))

    def _single(self, operation: Operation, key: Key) -> Iterator[ModelCall]:
        """Yield a call that applies one of the rows of machines of a key, and a read right after it."""
        rows = set(key[1])

        def fits(call: ModelCall, predicted: Prediction) -> bool:
            applied = predicted.settled if key[2] is Way.ASTRAY else predicted.applied
            return succeeds(call, predicted) and predicted.effective and not rows.isdisjoint(applied)

        found = self._finder.find(operation, fits)
        if found is None:
            found = yield from self._around.journey("unmoved", [operation], fits)
        if found is not None:
            yield found[0]
            yield from self._around.looked(self._wrongs.of([operation.name], single=True))

    def words(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield the operation with each value of its enumerations and switches, so that it has an effect."""
        for value in 2 * choices(operation):  # what is disabled at the end can be enabled then
            if self._seen[operation.name, "effective with", value]:
                continue

            def fits(call: ModelCall, predicted: Prediction, value: Value = value) -> bool:
                return succeeds(call, predicted) and predicted.effective and value in values_of(call)

            found = self._finder.find(operation, fits, draws=4 * DRAWS)
            if found is not None:
                yield found[0]
                yield from self._around.looked(self._wrongs.of([operation.name]))

    def roles(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield the operation by a caller who holds one of its grants alone, for each of them."""
        candidates = self._candidates
        for role in HELD:
            grant = self._tried.grant(operation, role)
            if grant is None or self._seen[operation.name, "admits", grant]:
                continue
            candidates.move_to(candidates.things.accounts_client)
            caller = candidates.caller_of(role)
            if caller.role != role:
                continue
            found = self._finder.find(operation, succeeds, caller)
            if found is None and role == "partner-admin":  # who administers clients below its own
                for home in self._finder.homes[1:]:
                    found = self._finder.find(operation, succeeds, caller, home=home)
            if found is None or found[1].removed:
                found = yield from self._around.journey("roles", [operation], succeeds, caller)
            if found is not None:
                yield found[0]

    def denials(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield the operation by callers without permission, where none was refused yet."""
        denied = self._seen[operation.name, "hidden from others"], self._seen[operation.name, "denied"]
        if all(denied) or operation.public:
            return
        for home in reversed(self._finder.homes):
            found = self._finder.find(operation, self._names_made, home=home)
            found = found or self._finder.find(operation, self._refused_anyway, home=home)
            if found is None:
                continue
            for call in refused(self._candidates, found[0]):
                foreign = self._candidates.role(call).endswith(FOREIGN)
                if not self._seen[operation.name, "hidden from others" if foreign else "denied"]:
                    yield call

    def _names_made(self, call: ModelCall, predicted: Prediction) -> bool:
        """Return whether a call succeeds and names something that the run created, if it names anything."""
        named = list(call.names())
        return succeeds(call, predicted) and (not named or any(each in self._candidates.things for each in named))

    def _refused_anyway(self, call: ModelCall, predicted: Prediction) -> bool:
        """Return whether a call that names something that the run created is refused, but not for its caller."""
        if predicted.reply.status < 400 or not NOT_FOR_THIS_CALLER.isdisjoint(predicted.used):
            return False
        return any(each in self._candidates.things for each in call.names())

    def fields(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield calls whose answers have fields that no answer of the operation has had."""
        declared = {pointer for pointer, _ in leaves(self._finder.shapes.answer(operation))}
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
            found = self._finder.find(operation, fits)
            if found is None:
                return
            yield found[0]

    def several(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield a list that has had no two elements, or its pages and orders that nothing decided, after a journey."""
        pages, seen = self._around.pages, self._seen[operation.name, "several"]
        shape = self._finder.shapes.answer(operation)
        inside = shape.fields.values() if isinstance(shape, ObjectShape) else (shape,)
        if not any(isinstance(each, Elements) for each in inside) or (seen and not pages.undecided(operation)):
            return

        def fits(call: ModelCall, predicted: Prediction) -> bool:
            if count_of(predicted.reply) < 2 or self._candidates.scope.is_open(call):
                return False
            return not seen or pages.can_be_decided(call, predicted)

        found = self._finder.find(operation, fits)
        if found is None:
            found = yield from self._around.journey("several", [operation], fits)
        if found is not None:
            yield from self._around.pages.of(*found, last=True)

    def new_reasons(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield refusals of the operation for reasons that were not seen on any operation."""
        for reason, operations in refusals().items():
            sought = self._in_vain[reason]
            if operation.name not in operations or self._seen["refused", reason] or sought >= _SOUGHT:
                continue
            calls = self._finder.refused(operation, reason, thorough=True)
            yield from calls
            self._in_vain[reason] = 0 if calls else sought + 1
            if calls or (operation.name != operations[-1] and self._in_vain[reason] < _SOUGHT):
                continue

            def fits(call: ModelCall, predicted: Prediction, reason: str = reason) -> bool:
                return predicted.reply.status >= 400 and reason in predicted.used

            found = yield from self._around.journey("new_reasons", [API[each] for each in operations], fits)
            if found is not None:
                yield found[0]

    def reasons(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield refusals of the operation for reasons that it has not shown yet."""
        for reason, operations in refusals().items():
            sought = self._alone_in_vain[reason]
            known = self._seen[operation.name, "refused", reason]
            if operation.name not in operations or known or sought >= _ALONE:
                continue
            calls = self._finder.refused(operation, reason, thorough=False)
            yield from calls
            self._alone_in_vain[reason] = 0 if calls else sought + 1


def _changes(call: ModelCall, predicted: Prediction) -> bool:
    """Return whether the predicted call succeeds and changes something."""
    return succeeds(call, predicted) and predicted.effective


def _names_things(shape: Any) -> bool:
    """Return whether answers of a shape name things."""
    return any(value.kind not in NOT_NAMES for _, value in leaves(shape))


def _shows(key: Key, call: ModelCall, predicted: Prediction) -> bool:
    """Return whether a service that is wrong in the way of ``key`` does something else than it should with a call."""
    _, values, way = key
    if not succeeds(call, predicted) or (way is Way.HALF and halved(call) is None):
        return False
    return way is Way.MADE or (predicted.effective and set(values) <= set(values_of(call)))
