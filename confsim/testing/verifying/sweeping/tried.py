"""What calls that were tried in the model showed, and no call that was made has shown yet: goals, with ways to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from confsim.contract.gates import Grant
from confsim.contract.operation import Operation
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.model import Prediction
from confsim.testing.verifying.candidates import Candidates, Step, sole_grant
from confsim.testing.verifying.novelty import FOREIGN, NOT_FOR_THIS_CALLER, pointers
from confsim.testing.verifying.values import values_of

from .finding import count_of
from .pages import CUTTING, decided

#: The relation of the administrator of another client to what is called.
OTHER_TENANT = f"other-admin {FOREIGN}"
#: Roles that may call most of what concerns a client.
_ABLE = frozenset({"owner", "customer-admin", "api-token"})
#: A feature of calls, as ``novelty`` has them, that a run is to show.
Goal = tuple[Any, ...]


class Tried:
    """The shortest way that is known to each goal. ``seen`` counts the features of the calls that were made."""

    def __init__(self, seen: Counter[object], candidates: Candidates) -> None:
        self._seen = seen
        self._candidates = candidates
        self._profile: Mapping[str, Any] = candidates.model.profile
        self._ways: dict[Goal, tuple[Step, ...]] = {}
        self._grants: dict[tuple[str, str], Grant | None] = {}
        #: How many goals were found.
        self.count = 0

    def watch(self, candidates: Candidates, before: Sequence[Step] = ()) -> None:
        """Note what is tried with some candidates from now on, after the steps of ``before``, which may grow."""

        def note(call: ModelCall, predicted: Prediction, after: tuple[Step, ...]) -> None:
            for goal in self.goals(call, predicted, candidates.role(call)):
                if self._seen[goal]:
                    continue
                known = self._ways.get(goal)
                self.count += known is None
                if known is None or len(known) > len(before) + len(after) + 1:
                    self._ways[goal] = (*before, *after, (call, predicted))

        candidates.observe_trials(note)

    def goals(self, call: ModelCall, predicted: Prediction, caller: str) -> Iterator[Goal]:
        """Yield the goals that a call shows; ``caller`` is the role of the caller."""
        name = call.operation
        if predicted.reply.status < 400:
            yield name, "succeeds"
            if predicted.effective:
                yield name, "writes"
            if count_of(predicted.reply) > 1:
                yield name, "several"
            yield from self._deciding(call, predicted)
            grant = self.grant(call.declared, caller)
            if grant is not None:
                yield name, "admits", grant
            yield from (("applies", *row) for row in predicted.applied)
            yield from (("settles", *row) for row in predicted.settled if predicted.effective)
            yield from ((name, "has", each) for each in pointers(predicted.reply.body))
            yield from ((name, "effective with", value) for value in values_of(call) if predicted.effective)
            return
        reason = next((id for id in predicted.used if id.startswith("code.")), "")
        yield "refused", reason
        if caller == OTHER_TENANT:
            yield name, "refused to", caller
            if not self._seen[name, "hidden from others"] and self._is_possible(call):
                yield name, "hidden from others"
        elif reason in NOT_FOR_THIS_CALLER:
            yield name, "denied"
        elif not call.declared.placeholders and not self._seen[name, "succeeds"]:  # its caller is admitted, then
            grant = self.grant(call.declared, caller)
            if grant is not None:
                yield name, "admits", grant

    def _is_possible(self, call: ModelCall) -> bool:
        """Return whether a call would succeed for somebody of the client that has what it names."""
        things = self._candidates.things
        homes = {found.home for named in call.names() if (found := things.find(*named)) is not None}
        able = [each for each in things.callers if each.home in homes and each.role in _ABLE]
        asked = (self._candidates.imagined_unseen(replace(call, caller=each.token)) for each in able)
        return any(found is not None and found.reply.status < 400 for found in asked)

    def _deciding(self, call: ModelCall, predicted: Prediction) -> Iterator[Goal]:
        """Yield what decides which elements a list shows, and in which order, where others add nothing to it."""
        candidates = self._candidates
        asked = [each for each in CUTTING if each in call.query and not self._seen[call.operation, "decided by", each]]
        if asked and not candidates.scope.is_open(call):
            for each in decided(candidates.model.imagine, call, predicted, asked):
                yield call.operation, "decided by", each

    def lacks_cuts(self, operation: Operation) -> bool:
        """Return whether no way is known to answers that some parameter decides which cuts the list."""
        return any(
            self.lacks((operation.name, "decided by", each)) for each in CUTTING if each in operation.query_names
        )

    def lacks(self, goal: Goal) -> bool:
        """Return whether a goal was neither shown nor tried."""
        return not self._seen[goal] and goal not in self._ways

    def open(self) -> list[tuple[Goal, tuple[Step, ...]]]:
        """Return the goals that no call has shown, those with the shortest way first."""
        for goal in [each for each in self._ways if self._seen[each]]:
            del self._ways[goal]
        return sorted(self._ways.items(), key=lambda item: len(item[1]))

    def forget(self, goal: Goal) -> None:
        """Forget the way to a goal, which is none any more."""
        self._ways.pop(goal, None)

    def clear(self) -> None:
        """Forget all ways, since the model is another."""
        self._ways.clear()

    def grant(self, operation: Operation, role: str) -> Grant | None:
        """Return the grant that admits callers of a role to an operation, None when it is not one alone."""
        key = operation.name, role
        if key not in self._grants:
            self._grants[key] = sole_grant(operation, role, self._profile)
        return self._grants[key]


def is_about_callers(goal: Goal) -> bool:
    """Return whether a goal is about who calls, not about what is called."""
    return goal[1] in {"admits", "denied", "hidden from others"}
