"""The playing of probes: their symbols are bound to things of the run, and they are tried in the model before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from enum import Enum
from functools import cache
from itertools import chain, product
from typing import Any

from msgspec.structs import replace

from confsim.contract.types import Switch
from confsim.reference.cast import CALLERS, as_by_default, in_room
from confsim.reference.probes import Probe, ProbeCall, probes
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Comparison
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.declared import disrupts_client
from confsim.testing.learning.ledger import Ledger
from confsim.testing.learning.model import Prediction
from confsim.testing.learning.run import MARGIN, SOON, Run, is_new_each_second
from confsim.testing.learning.things import Things
from confsim.testing.verifying.candidates import Candidates
from confsim.testing.verifying.planning import Planner

from .alternative import Alternative
from .alternatives import Alternatives
from .evidence import AssumptionEvidence
from .symbols import OWN, TAG, Symbols, symbols_in, symbols_named, symbols_of

#: Most calls of a portion, and how often a probe is tried.
_LENGTH, _TIMES = 60, 3
#: The number of a journey that is only tried.
_APART = -2
#: The calls that make another client in the place of that of the run, and the most of these.
_ANOTHER_CLIENT = (
    ProbeCall(OWN, "create_client", "{tokens partner-admin}", body={"name": TAG}, content_type="application/json"),
    ProbeCall(
        OWN,
        "create_api_token",
        "{tokens partner-admin}",
        query={"for_client": f"{{clients {OWN}}}"},
        body={"label": TAG},
        content_type="application/json",
    ),
)
MOST_CLIENTS = 5
#: What stands for the place of a probe in the count of tries, for one that another caller plays.
_BY_OTHERS = -1


class Of(Enum):
    """The earlier calls of which the things are used again."""

    THE_SAME = "the same call"
    THE_NEWEST = "the newest call like it"
    THE_OLDEST = "the oldest call like it"


class Player:
    """Plays probes for what is still open."""

    def __init__(self, planner: Planner, run: Run) -> None:
        self._planner = planner
        self._tries: Counter[tuple[int, str]] = Counter()
        self._tried: Counter[int] = Counter()
        self._played: list[tuple[int, ProbeCall]] = []
        self._copies = 0
        self._clients = 0
        self._short: dict[str, str] = {}
        self.go_on_with(run)

    def go_on_with(self, run: Run) -> None:
        """Continue with another model of the same service."""
        self._run = run
        self._tries.clear()
        self._symbols = Symbols(run.names.tag, symbols_of(run), run.profile, self._short)
        self._made: dict[tuple[str, str | None], list[int]] = {}
        for place, probed in self._played:
            step = run.history[place]
            self._note_made(place)
            self._symbols.learn(probed, step.predicted.reply, run.shapes, step.call)

    def _note_made(self, place: int) -> None:
        """Note a step that succeeded, to find what it made again."""
        step = self._run.history[place]
        if step.predicted.reply.status < 400:
            self._made.setdefault((step.call.operation, step.call.caller), []).append(place)

    def calls(self, evidence: AssumptionEvidence, alternatives: Alternatives) -> Iterator[ModelCall]:
        """Yield the calls of the next probes; each must be made before the next is taken.

        Once nothing more is seen in the client of the run, as earlier probes have changed it, another takes its place.
        """
        count, sent = 0, self._run.service.sent
        for index, probe in self._in_order(alternatives):
            for alternative in self._open(index, probe, evidence, alternatives):
                self._tries[index, alternative.key] += 1
                found = self._prepared(probe, alternative, alternatives)
                if found is None:
                    continue
                self._tried[index] += 1
                for call in self._played_out(*found):
                    yield call
                    count += 1
                if count >= _LENGTH:
                    return
        if not count:
            yield from self._by_others(evidence, alternatives)
            if self._run.service.sent == sent and self._clients < MOST_CLIENTS:
                yield from self._in_another_client(evidence, alternatives)

    def _by_others(self, evidence: AssumptionEvidence, alternatives: Alternatives) -> Iterator[ModelCall]:
        """Yield calls that tell gates that are not as by default, made by others than those of known probes."""
        rivals = [each.alternative for each in evidence.rivals]
        ids = {id for each in rivals if len(each.ids) == 1 for id in each.ids} | evidence.profile.keys()
        for id in sorted(each for each in ids if each.startswith("gate.")):
            known = [each for each in probes() if id in each.tells and f"gate.{each.calls[-1].operation}" == id]
            probe = min(known, key=lambda each: len(each.calls), default=None)
            for alternative in evidence.open_to([id]) if probe is not None else ():
                if self._tries[_BY_OTHERS, alternative.key] or alternative in alternatives.lost:
                    continue
                self._tries[_BY_OTHERS, alternative.key] += 1
                assert probe is not None
                found = self._with_caller(probe, alternative, alternatives)
                if found is not None:
                    yield from self._played_out(*found)

    def _with_caller(
        self, probe: Probe, alternative: Alternative, alternatives: Alternatives
    ) -> tuple[Symbols, list[ProbeCall]] | None:
        """Return the calls of a probe with another caller of the last, who tells an alternative; None for nobody.

        Those who are made in the client of the run have their roles in a channel there, so that this takes the place of
        the one that the probe makes.
        """
        for made, (number, (caller, ahead)) in product(
            (probe.calls, *in_room(probe.calls)), enumerate(CALLERS.items())
        ):
            last = replace(made[-1], caller=caller, number=f"{made[-1].number}c{number}")
            calls = [*ahead, *(each for each in made[:-1] if each not in ahead), last]
            calls = [*as_by_default(calls, self._run.profile)]
            symbols = self._renamed_copy()
            if self.shown(symbols.copy(), calls, alternative, alternatives) == len(calls):
                return symbols, calls
        return None

    def _in_another_client(self, evidence: AssumptionEvidence, alternatives: Alternatives) -> Iterator[ModelCall]:
        """Yield the calls that make another client and play a probe there, if one is seen there alone."""
        for probe in probes():
            if not any(OWN in symbol for symbol in symbols_named(probe.calls)):
                continue
            for alternative in self._still_open(probe, evidence, alternatives):
                symbols = self._renamed_copy()
                calls = (*_ANOTHER_CLIENT, *as_by_default(probe.calls, self._run.profile))
                count = self.shown(symbols.copy(), calls, alternative, alternatives)
                if count > len(_ANOTHER_CLIENT):
                    self._clients += 1
                    self._tries.clear()
                    self._tried.clear()
                    yield from self._played_out(symbols, calls[:count])
                    return

    def _renamed_copy(self) -> Symbols:
        """Return the symbols, with names that no other probe has."""
        self._copies += 1
        return self._symbols.copy(f"{self._run.names.tag}c{self._copies}")

    def _in_order(self, alternatives: Alternatives) -> Iterator[tuple[int, Probe]]:
        """Yield all probes, those first that may tell an alternative which every call is also made under."""
        found = (place for each in alternatives.followed for place in _telling().get(each.key, ()))
        places = sorted(set(found), key=lambda place: (len(probes()[place].calls), place))
        return chain(((place, probes()[place]) for place in places), enumerate(probes()))

    def play(self, calls: Sequence[ProbeCall]) -> Iterator[ModelCall]:
        """Yield calls that are not made yet, each under its number; each must be made before the next is taken."""
        done = {probed.number for _, probed in self._played}
        calls = as_by_default(calls, self._run.profile)
        yield from self._played_out(self._symbols, [each for each in calls if each.number not in done])

    def bound(self, call: ProbeCall, *, anybody: bool = False) -> ModelCall | None:
        """Return a call as it is made now; None when something that it names is not there.

        ``anybody`` says that another of the accounts may make it if its caller is not there.
        """
        if anybody and call.caller not in self._symbols:
            call = replace(call, caller=next((each for each in CALLERS if each in self._symbols), ""))
        return self._symbols.call(call)

    def _played_out(self, symbols: Symbols, calls: Sequence[ProbeCall]) -> Iterator[ModelCall]:
        """Yield the calls of a probe, and what makes a disabled client usable again."""
        again: list[ModelCall] = []
        for probed in calls:
            call = symbols.call(probed)
            self._short.update(symbols.short)
            if call is None:
                break
            yield call
            step = self._run.history[-1]
            if step.difference is not None:  # nothing explains it: what it names is not known to the service
                break
            self._played.append((len(self._run.history) - 1, probed))
            self._note_made(len(self._run.history) - 1)
            reply = step.predicted.reply
            symbols.learn(probed, reply, self._run.shapes, call)
            self._symbols.learn(probed, reply, self._run.shapes, call)
            if disrupts_client(call.declared) and Switch.DISABLE.value in call.path.values():
                states = {name: Switch.ENABLE.value for name, text in call.path.items() if text == Switch.DISABLE.value}
                again.append(replace(call, path={**call.path, **states}))
        yield from again

    def _open(
        self, index: int, probe: Probe, evidence: AssumptionEvidence, alternatives: Alternatives
    ) -> Iterator[Alternative]:
        """Yield the open alternatives that a probe may tell, each once for each time that it is looked at."""
        for rival in [each.alternative for each in evidence.rivals]:
            concerned = not probe.tells.keys().isdisjoint(rival.ids)
            if concerned and not self._tries[index, rival.key] and evidence.is_open(rival):
                yield rival
        for each in self._still_open(probe, evidence, alternatives):
            if self._tried[index] >= _TIMES:
                return
            if not self._tries[index, each.key] and evidence.is_open(each):
                yield each

    def _still_open(
        self, probe: Probe, evidence: AssumptionEvidence, alternatives: Alternatives
    ) -> Iterator[Alternative]:
        """Yield the open alternatives that a probe may tell."""
        for id, values in probe.tells.items():
            for each in evidence.others(id):
                known = repr(each.values[0][1]) in values or evidence.value(id) != evidence.default(id)
                if known and each not in alternatives.lost and evidence.is_open(each):
                    yield each

    def _prepared(
        self, probe: Probe, alternative: Alternative, alternatives: Alternatives
    ) -> tuple[Symbols, list[ProbeCall]] | None:
        """Return the calls that tell an alternative: on things of earlier probes, else on fresh ones."""
        mended = replace(probe, calls=as_by_default(probe.calls, self._run.profile))
        found = self._found(mended, alternative, alternatives)
        if found is None and mended.calls != probe.calls:
            found = self._found(probe, alternative, alternatives)
        return found

    def _found(
        self, probe: Probe, alternative: Alternative, alternatives: Alternatives
    ) -> tuple[Symbols, list[ProbeCall]] | None:
        for of in Of:
            symbols, left = self._alike(probe, of)
            if len(left) == len(probe.calls):
                continue
            for calls in ([left[-1]], left) if len(left) > 1 else (left,):
                count = self.shown(symbols.copy(), calls, alternative, alternatives)
                if count:
                    return symbols, calls[:count]
        symbols = self._renamed_copy()
        count = self.shown(symbols.copy(), probe.calls, alternative, alternatives)
        return (symbols, list(probe.calls[:count])) if count else None

    def _alike(self, probe: Probe, of: Of) -> tuple[Symbols, list[ProbeCall]]:
        """Return the calls of a probe that are left when things of earlier calls take the place of what it makes."""
        symbols, left = self._renamed_copy(), list[ProbeCall]()
        named = symbols_named(probe.calls)
        for probed in probe.calls:
            needed = [each for each in named if each.partition(" ")[2].startswith(f"{probed.number}.")]
            if not needed or not self._bound_alike(symbols, probed, needed, of):
                left.append(probed)
                symbols.forget(needed)
        return symbols, left or [probe.calls[-1]]

    def _bound_alike(self, symbols: Symbols, probed: ProbeCall, needed: Sequence[str], of: Of) -> bool:
        """Bind what a call of a probe makes to what an earlier call has made; return whether there is such a call."""
        call = symbols.call(probed)
        if of is Of.THE_SAME or call is None:
            return all(self._there(each, symbols.find(each)) for each in needed)
        there = self._made.get((call.operation, call.caller), [])
        for place in reversed(there) if of is Of.THE_NEWEST else there:
            step = self._run.history[place]
            if (step.call.path, step.call.query.keys()) != (call.path, call.query.keys()):
                continue
            found = dict(symbols_in(probed.number, step.call, step.predicted.reply, self._run.shapes))
            if all(self._there(each, found.get(each)) for each in needed):
                symbols.bind({each: found[each] for each in needed})
                return True
        return False

    def _there(self, symbol: str, value: Any) -> bool:
        """Return whether a thing that the run made is still there."""
        kind = symbol.strip("{").partition(" ")[0]
        things = self._run.things
        if kind == "reservations":
            return False
        return things.caller(value) is not None if kind == "tokens" else (kind, value) in things

    def shown(
        self,
        symbols: Symbols,
        calls: Sequence[ProbeCall],
        alternative: Alternative,
        alternatives: Alternatives,
    ) -> int:
        """Return after how many of these calls an alternative is seen; 0 when it is not, or a call is not allowed."""
        both = alternatives.pair(alternative)
        with closing(self._tried_out(symbols, calls)) as tried:
            for count, (call, predicted, made) in enumerate(tried, 1):
                differs = both.differs(call, predicted, made)
                if differs is None:
                    return 0
                if differs:
                    return count
                if call.declared.changes:
                    both.wait(self._run.model.clock.now() + SOON)
        return 0

    def distinguished(
        self,
        symbols: Symbols,
        calls: Sequence[ProbeCall],
        one: Alternative,
        other: Alternative,
        alternatives: Alternatives,
    ) -> int:
        """Return after how many of these calls two alternatives answer differently; 0 for never."""
        first, second = alternatives.pair(one), alternatives.pair(other)
        known = Correspondence()
        known.shift = 0
        with closing(self._tried_out(symbols, calls)) as tried:
            for count, (call, predicted, made) in enumerate(tried, 1):
                if first.differs(call, predicted, made) is None or second.differs(call, predicted, made) is None:
                    return 0
                comparison = Comparison(self._run.shapes, known)
                if comparison.difference(call.declared, first.reply, second.reply, first.made(made)) is not None:
                    return count
                for each in (first, second) if call.declared.changes else ():
                    each.wait(self._run.model.clock.now() + SOON)
        return 0

    def status(self, symbols: Symbols, calls: Sequence[ProbeCall]) -> int:
        """Return the status with which the last of these calls would be answered; 0 when one cannot be made."""
        made = list(self._tried_out(symbols, calls))
        return made[-1][1].reply.status if len(made) == len(calls) else 0

    def _tried_out(
        self, symbols: Symbols, calls: Sequence[ProbeCall]
    ) -> Generator[tuple[ModelCall, Prediction, Things | None]]:
        """Try calls in the model: yield each with its prediction, and the things by which an open list is compared.

        Until the end the clock is ahead by what a run would wait before a secret is read again.
        """
        stage = self._planner.candidates.copy()
        ledger = Ledger(stage.things, stage.names, stage.scope, self._run.shapes, lambda: _EVERY)
        ledger.begin_journey(_APART)
        clock = self._run.model.clock
        shown, read = clock.values(), set[tuple[str, str | None]]()
        try:
            for probed in calls:
                call = symbols.call(probed)
                if call is not None and is_new_each_second(call):
                    if (call.operation, call.caller) in read:
                        clock.move(clock.now() + MARGIN)
                    read.add((call.operation, call.caller))
                predicted = None if call is None else self._predicted(stage, probed, call)
                if call is None or predicted is None:
                    return
                yield call, predicted, stage.things if stage.scope.is_open(call) else None
                symbols.learn(probed, predicted.reply, self._run.shapes, call)
                world = predicted.after
                stage.go_on_in(self._run.model.waited(world, SOON) if call.declared.changes else world)
                ledger.note(call, predicted.reply)
        finally:
            clock.show(shown)

    def _predicted(self, stage: Candidates, probed: ProbeCall, call: ModelCall) -> Prediction | None:
        """Return the model's prediction for a trial; None for a call that is not allowed or cannot be sent."""
        if not stage.served(call.operation):
            return None
        return self._run.model.imagine(call, stage.world) if probed.number == OWN else stage.imagined(call)


@cache
def _telling() -> Mapping[str, list[int]]:
    """Return the places of the probes that tell a value, by its key."""
    found: dict[str, list[int]] = {}
    for place, probe in enumerate(probes()):
        for id, values in probe.tells.items():
            for value in values:
                found.setdefault(f"{id}={value}", []).append(place)
    return found


class _Every:
    def __contains__(self, token: object) -> bool:
        return True


_EVERY = _Every()
