"""Makes ``confsim/reference/probes.json``, what tells what a service follows: ``python -m kit.probes.making [SEED…]``.

``python -m kit.probes.making more LETTER SEED…`` adds what is found once known probes are played; calls of such probes
have numbers that begin with the letter.

Calibrate runs beside a service under the defaults, with all accounts of the demo world, once for each seed. Of each
answer that ruled values out, the calls before it are stored on which it depends.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import confsim.reference
from confsim.api.catalogue import API
from confsim.reference.cast import CALLERS
from confsim.reference.probes import Probe, ProbeCall, distinguished, probes
from confsim.testing.calibrating.alternative import Alternative
from confsim.testing.calibrating.evidence import AssumptionEvidence
from confsim.testing.calibrating.learner import Learner
from confsim.testing.calibrating.playing import Player
from confsim.testing.calibrating.symbols import CAPITALS, TAG, Symbols, is_symbol, symbols_in, symbols_of
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.learning.declared import makes_lasting
from confsim.testing.learning.run import Run, RunStep
from confsim.testing.verifying.planning import Planner
from kit.beside import Beside

#: Portions of a run.
JOURNEYS = 60
FILE = Path(confsim.reference.__file__).parent / "probes.json"
#: Most calls before a telling one that are tried beside those whose things it names.
_AROUND = 40
#: Most calls of a run that are tried to tell two alternatives of an assumption apart.
_USING = 10
#: Beginnings of assumptions of which the alternatives are not distinguished: there is one each, or many of little use.
_JOINT = ("gate.", "route.", "code.", "status.")
#: Milliseconds after the opening of a run, so that its instants differ from later ones.
_SINCE_OPENING = 10_000
#: Most probes of an operation of which the last call is made by everybody.
_BY_EVERYBODY = 2
#: Length of a body from which what is repeated at its end is left out, and the most that a probe sends.
_LONG, _LONGEST = 1_000, 16_000_000
#: Administrators and hosts, in whose place the API token of the client of the run calls.
_ADMINS = ("owner", "operator", "customer-admin", "api-token", "partner-admin")


class RecordedStep(Struct):
    """A call of a run, its answer, the caller in words, and the values that it ruled out."""

    call: ModelCall
    reply: Reply
    used: tuple[str, ...]
    writes: bool
    ruled_out: list[str]


class Recorded(Struct):
    """The calls of one run after those that open it; ``named`` has the symbols of its accounts."""

    letter: str
    tag: str
    named: dict[str, Any]
    steps: list[RecordedStep]


def recorded(seed: int, letter: str, journeys: int = JOURNEYS, *, plays: bool = False) -> Recorded:
    """Calibrate a service under the defaults, by search alone or after known probes; what each call ruled out."""
    patience = 2 if plays else journeys
    calibrator = Beside().calibrator(journeys=journeys, seed=seed, patience=patience, plays=plays, thorough=True)
    learner, found = calibrator.learner, list[list[str]]()
    take_up = Learner.take_up

    def noted(self: Learner, step: RunStep) -> None:
        before = set(self.evidence.ruled_out)
        take_up(self, step)
        found.append(sorted(set(self.evidence.ruled_out) - before))

    Learner.take_up = noted  # type: ignore[method-assign]
    try:
        report = calibrator.run()
    finally:
        Learner.take_up = take_up  # type: ignore[method-assign]
    assert not report.contradicted, report.contradicted
    assert not report.learned, report.learned
    run = learner.run
    steps = [
        RecordedStep(each.call, each.predicted.reply, each.predicted.used, each.predicted.effective, ruled_out)
        for each, ruled_out in zip(run.history, found, strict=True)
    ]
    return Recorded(letter, run.names.tag, symbols_of(run), steps[2:])


class Maker:
    """Makes probes of recorded calls, in a fresh run beside a service under the defaults."""

    def __init__(self) -> None:
        beside = Beside()
        calibrator = beside.calibrator(journeys=0)
        calibrator.run()
        self.run: Run = calibrator.learner.run
        beside.pass_time(_SINCE_OPENING)
        self.evidence = AssumptionEvidence()
        self.alternatives = calibrator.learner.alternatives
        planner = Planner(self.run.model, self.run.things, self.run.scope, self.run.names, 0, self.run.numbers)
        self.player = Player(planner, self.run)
        self.every = {each.key: each for id in self.evidence.wanted() for each in self.evidence.others(id)}
        self._copies = 0

    def shows(self, calls: Sequence[ProbeCall], alternative: Alternative) -> int:
        """After how many calls an alternative is distinguished; 0 for never."""
        self._copies += 1
        symbols = Symbols(f"{self.run.names.tag}z{self._copies}", symbols_of(self.run))
        return self.player.shown(symbols, calls, alternative, self.alternatives)

    def probes(self, source: Recorded, known: set[str]) -> Iterator[Probe]:
        """Yield probes that tell what none before does; ``known`` has the keys of what is distinguished already."""
        made = list(_symbolic(source, self.run))
        makers = {name: place for place, (_, names) in enumerate(made) for name in names}
        for place, step in enumerate(source.steps):
            wanted = [self.every[key] for key in step.ruled_out if key in self.every and key not in known]
            while wanted:
                calls = self._calls(source, made, makers, place, partial(self.shows, alternative=wanted[0]))
                if calls is None:
                    wanted.pop(0)
                    continue
                calls = self.in_own_client(calls, wanted[0])
                probe = self.probe(calls, wanted)
                values = {f"{id}={value}" for id, values in probe.tells.items() for value in values}
                known |= values
                wanted = [each for each in wanted[1:] if each.key not in known]
                yield probe

    def apart(self, source: Recorded, found: list[Probe]) -> Iterator[Probe]:
        """Yield probes that tell two alternatives of an assumption apart, where none of those found does."""
        made = list(_symbolic(source, self.run))
        makers = {name: place for place, (_, names) in enumerate(made) for name in names}
        for id in sorted(self.evidence.wanted()):
            if id.startswith(_JOINT):
                continue
            pairs = list(combinations(self.evidence.others(id), 2))
            for one, other in pairs:
                known = [probe for probe in found if id in probe.tells]
                if any(self.distinguished(probe.calls, one, other) for probe in known):
                    continue
                for place in self._using(source, id):
                    calls = self._calls(source, made, makers, place, partial(self.distinguished, one=one, other=other))
                    if calls is not None:
                        probe = self.probe(calls, [one, other])
                        found.append(probe)
                        yield probe
                        break

    def _using(self, source: Recorded, id: str) -> list[int]:
        """The last calls that used an assumption, by operation, caller and parameters."""
        found = {
            (step.call.operation, step.call.caller, *sorted(step.call.query), step.call.query.get("sort")): place
            for place, step in enumerate(source.steps)
            if id in step.used
        }
        return sorted(found.values(), reverse=True)[:_USING]

    def distinguished(self, calls: Sequence[ProbeCall], one: Alternative, other: Alternative) -> int:
        """After how many calls two alternatives are distinguished; 0 for never."""
        self._copies += 1
        symbols = Symbols(f"{self.run.names.tag}z{self._copies}", symbols_of(self.run))
        return self.player.distinguished(symbols, calls, one, other, self.alternatives)

    def apart_by_probes(self, id: str, one: Any, other: Any) -> bool:
        """Whether a probe that is stored tells two values of an assumption apart, neither of them its default."""
        values = Alternative((id, one)), Alternative((id, other))
        return any(self.distinguished(probe.calls, *values) for probe in probes() if id in probe.tells)

    def gates(self, source: Recorded, known: set[str]) -> Iterator[Probe]:
        """Yield probes that tell who may call an operation: a call that succeeds, made by everybody."""
        made = list(_symbolic(source, self.run))
        makers = {name: place for place, (_, names) in enumerate(made) for name in names}
        for operation in API:
            id = f"gate.{operation.name}"
            places = [
                place
                for place, step in enumerate(source.steps)
                if step.call.operation == operation.name and step.reply.status < 400
            ]
            for place in self._apart(made, places):
                wanted = [each for key, each in self.every.items() if each.ids == (id,) and key not in known]
                calls = self._calls(source, made, makers, place, self._succeeds) if wanted else None
                yield from self.by_everybody(calls or (), wanted, known)

    def by_everybody(
        self, calls: Sequence[ProbeCall], wanted: Sequence[Alternative], known: set[str]
    ) -> Iterator[Probe]:
        """Yield probes that tell what is wanted by somebody else who makes the last of some calls."""
        for number, (caller, ahead) in enumerate(CALLERS.items()) if calls else ():
            last = replace(calls[-1], caller=caller, number=f"{calls[-1].number}c{number}")
            probed = [*ahead, *(each for each in calls[:-1] if each not in ahead), last]
            tells = [each for each in wanted if self.shows(probed, each) == len(probed)]
            if tells:
                yield self.probe(probed, tells)
                known |= {each.key for each in tells}
                wanted = [each for each in wanted if each not in tells]

    def more_gates(self, found: Sequence[Probe], known: set[str]) -> Iterator[Probe]:
        """Yield probes that tell who may call an operation, by other callers of probes that tell something of it."""
        for operation in API:
            id = f"gate.{operation.name}"
            of_it = [each for each in found if id in each.tells and each.calls[-1].operation == operation.name]
            for probe in sorted(of_it, key=lambda each: len(each.calls))[:_BY_EVERYBODY]:
                wanted = [each for key, each in self.every.items() if each.ids == (id,) and key not in known]
                yield from self.by_everybody(probe.calls if wanted else (), wanted, known)

    def _apart(self, made: list[tuple[ProbeCall, list[str]]], places: list[int]) -> list[int]:
        """A few of these places, by callers who differ."""
        found = {made[place][0].caller: place for place in reversed(places)}
        own = [place for caller, place in found.items() if caller == "{tokens own}"]
        return list(dict.fromkeys([*own, *found.values()]))[:3]

    def _succeeds(self, calls: Sequence[ProbeCall]) -> int:
        """The number of calls if the last succeeds, else 0."""
        return len(calls) if 0 < self._status(calls) < 400 else 0

    def _status(self, calls: Sequence[ProbeCall]) -> int:
        """The status of the answer to the last of some calls, 0 if they cannot be made."""
        self._copies += 1
        return self.player.status(Symbols(f"{self.run.names.tag}z{self._copies}", symbols_of(self.run)), calls)

    def _calls(
        self,
        source: Recorded,
        made: list[tuple[ProbeCall, list[str]]],
        makers: Mapping[str, int],
        place: int,
        test: Callable[[Sequence[ProbeCall]], int],
    ) -> list[ProbeCall] | None:
        """The least calls found that pass a test with the call at a place; the test says after how many they do."""
        needed = {place}
        left = [place]
        while left:
            for name in _named(made[left.pop()][0]):
                at = makers.get(name)
                if at is not None and at < place and at not in needed:
                    needed.add(at)
                    left.append(at)
        things = {name for at in needed for name in (*_named(made[at][0]), *made[at][1])}
        writes = [at for at in range(place) if source.steps[at].writes]
        related = [at for at in writes if things & {*_named(made[at][0])}]
        near = writes[-_AROUND:]
        for extra in ([], related, [*related, *near]):
            chosen = set(needed)
            for at in extra:
                chosen |= {at, *self._needs(made, makers, at)}
            calls = [made[at][0] for at in sorted(chosen)]
            count = test(calls)
            if count:
                return self.trimmed(calls[:count], test)
        return None

    def in_own_client(self, calls: list[ProbeCall], alternative: Alternative) -> list[ProbeCall]:
        """The calls, moved to the client of the run if they make users who stay, if they tell as much there."""
        if not any("users" in makes_lasting(API[each.operation]) for each in calls):
            return calls
        other = f"{{clients {'accounts'}}}"
        moved = [
            replace(
                each,
                caller="{tokens own}" if each.caller.strip("{}").partition(" ")[2] in _ADMINS else each.caller,
                path={name: "{clients own}" if text == other else text for name, text in each.path.items()},
            )
            for each in calls
        ]
        return moved if self.shows(moved, alternative) == len(moved) else calls

    def _needs(self, made: list[tuple[ProbeCall, list[str]]], makers: Mapping[str, int], place: int) -> set[int]:
        found: set[int] = set()
        left = [place]
        while left:
            for name in _named(made[left.pop()][0]):
                at = makers.get(name)
                if at is not None and at not in found and at < place:
                    found.add(at)
                    left.append(at)
        return found

    def trimmed(self, calls: list[ProbeCall], test: Callable[[Sequence[ProbeCall]], int]) -> list[ProbeCall]:
        """The calls without those that are not needed: first halves and quarters of them, then one by one."""
        size = max(1, len(calls) // 2)
        while True:
            place = len(calls) - 1 - size
            while place >= 0:
                shorter = [*calls[:place], *calls[place + size :]]
                if test(shorter) == len(shorter):
                    calls = shorter
                place -= size
            if size == 1:
                return calls
            size //= 2

    def probe(self, calls: list[ProbeCall], wanted: list[Alternative]) -> Probe:
        """A probe of these calls with everything that it tells of what is wanted."""
        tells: dict[str, list[str]] = {}
        for each in wanted:
            if self.shows(calls, each):
                tells.setdefault(each.ids[0], []).append(repr(each.values[0][1]))
        last = calls[-1]
        caller = last.caller.strip("{}").partition(" ")[2] if is_symbol(last.caller) else last.caller
        words = {"": "nobody", "own": "api-token", "no-such-token": "stranger"}.get(caller, caller)
        if words[:1].isalpha() and "." in words:
            words = "somebody new"
        return Probe(tuple(calls), tells, f"{last.operation} as {words}: {self._status(calls)}")


def _symbolic(source: Recorded, run: Run) -> Iterator[tuple[ProbeCall, list[str]]]:
    """Yield each recorded call with symbols, and the symbols of what its answer names first."""
    words: dict[tuple[str, Any], str] = {}
    for symbol, value in source.named.items():
        words.setdefault((symbol.strip("{").partition(" ")[0], value), symbol)

    def text(value: Any) -> Any:
        if isinstance(value, str):
            marked = value.replace(source.tag, TAG + source.letter)
            return marked.replace(source.tag.upper(), CAPITALS + source.letter.upper())
        if isinstance(value, dict):
            return {name: text(each) for name, each in value.items()}
        return [text(each) for each in value] if isinstance(value, list) else value

    for place, step in enumerate(source.steps):
        number = f"{source.letter}{place}"
        call = step.call.renamed(lambda kind, value: words.get((kind, value), value))
        names = []
        if step.reply.status < 400:
            for symbol, value in symbols_in(number, step.call, step.reply, run.shapes):
                kind = symbol.strip("{").partition(" ")[0]
                if (kind, value) not in words:
                    words[kind, value] = symbol
                    names.append(symbol)
        data = call.body if isinstance(call.body, bytes) else None
        body = None if data is not None else text(call.body)
        made = ProbeCall(
            number, call.operation, call.caller or "", text(call.path), text(call.query), body, data, call.content_type
        )
        yield made, names


def _named(probed: ProbeCall) -> list[str]:
    """The symbols that a call names."""
    call = ModelCall(probed.operation, None, probed.path, probed.query, probed.body)
    return [value for _, value in (*call.names(), ("tokens", probed.caller)) if is_symbol(value)]


def ordered(found: list[Probe]) -> list[Probe]:
    """The probes, those first that tell most for each of their calls; without those that tell nothing more."""
    left, chosen, known = list(found), list[Probe](), set[str]()

    def news(probe: Probe) -> int:
        return sum(f"{id}={value}" not in known for id, values in probe.tells.items() for value in values)

    while left:
        best = max(left, key=lambda each: (news(each) / len(each.calls), -left.index(each)))
        left.remove(best)
        if news(best):
            chosen.append(best)
            known |= {f"{id}={value}" for id, values in best.tells.items() for value in values}
    return chosen


def short(call: ProbeCall) -> ProbeCall:
    """The call without what is repeated at the end of a long body."""
    body: Any = call.body if call.data is None else call.data
    if not isinstance(body, str | bytes) or len(body) < _LONG or call.length:
        return call
    rest = body.rstrip(body[-1:]) + body[-1:]
    return replace(call, length=len(body), **({"body": rest} if call.data is None else {"data": rest}))


def store(found: list[Probe]) -> None:
    """Write the probes, without those that send more than a service can be asked to take."""
    found = [replace(each, calls=tuple(map(short, each.calls))) for each in found]
    found = [each for each in found if all(call.length <= _LONGEST for call in each.calls)]
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=0).replace(b"\n", b" ") + b"\n")


def more(letter: str, seeds: list[int]) -> None:
    """Add the probes that searches have found once known probes were played."""
    maker, found, known = Maker(), list[Probe](), set(distinguished())
    for seed in seeds:
        found += maker.probes(recorded(seed, f"{letter}{seed}y", plays=True), known)
    store([*probes(), *ordered(found)])


def main(seeds: list[int]) -> None:
    """Run, and write the probes."""
    maker, found, apart, known = Maker(), list[Probe](), list[Probe](), set[str]()
    for letter, seed in zip("abcdefghij", seeds, strict=False):
        source = recorded(seed, letter)
        found += maker.probes(source, known)
        found += maker.gates(source, known)
        apart += maker.apart(source, [*found, *apart])
    store([*ordered(found), *apart])


if __name__ == "__main__":
    if sys.argv[1:2] == ["more"]:
        more(sys.argv[2], [int(each) for each in sys.argv[3:]])
    else:
        main([int(each) for each in sys.argv[1:]] or [0, 1, 2])
