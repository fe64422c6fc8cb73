"""Probes: calls that distinguish the open alternatives, found by trials in the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator

from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.contract.operation import Operation
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.things import RunCaller
from confsim.testing.verifying.planning import Planner
from confsim.testing.verifying.sweeping.finding import refusals

from .alternative import Alternative
from .alternatives import Alternatives
from .evidence import AssumptionEvidence

#: Trials for an assumption at a time, the most rounds of them, and the number of calls in a portion.
_TRIED, _TIMES, _LENGTH = 10, 5, 60
_NAMES = frozenset(each.name for each in API)


class Prober:
    """Finds probes; the planner counts the searches for each assumption, those in vain apart from the others."""

    def __init__(self, planner: Planner, evidence: AssumptionEvidence, alternatives: Alternatives) -> None:
        self._planner = planner
        self._candidates = planner.candidates
        self._evidence = evidence
        self._alternatives = alternatives
        self._tries: Counter[str] = planner.sought

    def calls(self, times: int = _TIMES, known: Container[str] = ()) -> Iterator[ModelCall]:
        """Yield probes, sought so often in vain for each assumption. Each must be made before the next is taken.

        With ``known`` only calls for these assumptions are sought.
        """
        self._candidates.begin_journey(-1)
        count = 0
        while count < _LENGTH:
            look = self._look()
            if look is not None:
                count += 1
                yield look
                continue
            still_open = self._evidence.wanted()
            # A call that shows the status of a refusal shows its code.
            alone = still_open - {each.replace("status.", "code.", 1) for each in still_open if "status." in each}
            wanted = [id for id in alone if self._is_sought(id, times) and (id in known or not known)]
            if not wanted:
                return
            id = min(wanted, key=lambda each: (self._tries[each], each))
            found = self._probe(id)
            self._tries[id if found is None else f"found {id}"] += 1
            calls = [found] if found is not None else [] if self._tries[id] < times else self._after(id)
            count += len(calls)
            yield from calls

    def _is_sought(self, id: str, times: int) -> bool:
        """Return whether a probe for an assumption was sought in vain less often than so, and was not found often."""
        return self._tries[id] < times and self._tries[f"found {id}"] < _TIMES

    def _after(self, id: str) -> list[ModelCall]:
        """Return a change and a call that uses an assumption after it; nothing when none is found."""
        operations = self._operations(id)
        operation = self._candidates.random.choice(operations)
        made = self._planner.sweep.finder.after(operation, lambda call, predicted: id in predicted.used)
        return [] if made is None or id in self._candidates.model.imagine(made[1][0]).used else [made[0], made[1][0]]

    def _probe(self, id: str) -> ModelCall | None:
        """Return the call that distinguishes most open alternatives that may decide an assumption; None for none."""
        candidates = self._candidates
        operations = self._operations(id)
        best: tuple[float, ModelCall] | None = None
        for call in self._tried(id, operations):
            predicted = candidates.imagined(call)
            if predicted is None or not self._evidence.open_to(predicted.used):
                continue
            now, later = self._alternatives.telling(call, predicted, self._evidence)
            score = len(now) + 0.3 * len(later) + 3 * any(id in each.ids for each in now)
            if score and (best is None or score > best[0]):
                best = score, call
        return None if best is None else best[1]

    def _tried(self, id: str, operations: list[Operation]) -> Iterator[ModelCall]:
        """Yield trial calls for an assumption. One about permissions gets the same call by every kind of caller.

        Who lacks a permission is refused whatever a call names, so that this may be unknown where nothing was made.
        """
        candidates, random, is_gate = self._candidates, self._candidates.random, id.startswith("gate.")
        homes = [candidates.things.accounts_client, *candidates.things.own_clients[-1:]]
        for attempt in range(_TRIED):
            candidates.move_to(homes[attempt % len(homes)])
            operation = random.choice(operations)
            caller = candidates.anybody() if attempt % 3 == 2 else candidates.likely(operation)
            call = candidates.drawn(operation, caller, right=attempt % 2 == 0, names_unknown=is_gate)
            if call is None:
                continue
            yield call
            if is_gate and attempt < 4:
                yield from (replace(call, caller=each.token) for each in _each_role(candidates.things.callers))

    def _operations(self, id: str) -> list[Operation]:
        """Return the operations that may depend on an assumption: they declare it or have used it."""
        candidates = self._candidates
        named = [API[each] for each in REGISTER.entries[id].operations if each in _NAMES and candidates.served(each)]
        word = id.partition(".")[2]
        if word in _NAMES and candidates.served(word):
            named.append(API[word])
        reason = id.replace("status.", "code.", 1)
        named += [API[each] for each in refusals().get(reason, ()) if candidates.served(each)]
        used = [API[name] for name in self._planner.using(id) if candidates.served(name)]
        return named + used or [each for each in API if candidates.served(each.name)]

    def _look(self) -> ModelCall | None:
        """Return a read that shows the changes in the worlds of alternatives; None without such a change or read."""
        followed: list[Alternative] = [
            each
            for each in self._alternatives.followed
            if self._evidence.is_open(each) and self._tries[f"look {each.key}"] < _TIMES
        ]
        if not followed:
            return None
        for each in followed[:12]:
            self._tries[f"look {each.key}"] += 1
        candidates = self._candidates
        last = next(iter(reversed(self._planner.made)), None)
        if last is None:
            return None
        finder, worlds = self._planner.sweep.finder, self._alternatives.worlds(followed[:12])

        def shown(read: ModelCall, right: Prediction) -> int:
            others = [candidates.imagined(read, world) for world in worlds]
            return sum(each is not None and finder.differ(read, right.reply, each.reply) for each in others)

        return finder.look([last], shown, len(worlds))


def _each_role(callers: list[RunCaller]) -> list[RunCaller]:
    """Return the last caller of each role and client."""
    return list({(each.role, each.home): each for each in callers}.values())
