"""The flip test: a journey runs again under another alternative of an assumption, and what changes was reported before.

A journey is a list of raw requests, of the API and of the control plane, to a world that is built anew for each run.
Only the first difference counts, so that ids in later requests need not follow it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

import confsim.control.catalogue  # noqa: F401 declares every entry
from confsim import Simulator
from confsim.assumptions.register import REGISTER, Assumption
from confsim.control.scenarios import start_from
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import World
from confsim.service.clock import Clock
from confsim.service.files.profile import read_profile
from confsim.service.messages import Outcome, Request
from confsim.service.service import Provenance, Service
from confsim.service.waiting import wait_for
from kit import START_MS

#: Requests that answer what the profile is, or what an operation does under it: not what a world rests on.
_SHOWS_PROFILE = re.compile(
    r"/openapi\.json$|/_confsim/(assumptions|bundle|info|llms\.txt|operations|worlds|requests|names)\b"
)


#: Entries that are read when routes are built, which worlds share.
_ROUTING = ("route.case", "route.session-without-id")


class Start(Struct, frozen=True):
    """What a journey starts from, as for ``Simulator``; the clock stands at ``now``."""

    world: Any = "demo"
    seed: int = 0
    now: int = START_MS
    profile: Mapping[str, Any] = {}
    scenario: str | None = None


class Journey(Struct, frozen=True):
    """Requests to one app, in order."""

    name: str
    start: Start
    requests: tuple[Request, ...]


class Flip(Struct, frozen=True):
    """An entry and another value of it."""

    id: str
    value: Any

    def __str__(self) -> str:
        return f"{self.id} = {self.value!r}"


class Run(Struct):
    """What a journey was answered, the worlds after each request (first those of the start), and what was reported.

    ``reported`` says after how many requests a call named an assumption first: 0 for the calls of the scenario from
    which it starts. That a world was made reports nothing. ``looks`` are the requests, by number, that show the records
    of the world.
    """

    answers: list[object]
    worlds: list[tuple[World, ...]]
    reported: dict[str, int]
    bugs: list[str]
    looks: set[int] = set()


class Traced(dict[str, Any]):
    """A profile that notes which entries code reads. It counts as one with choices, even when it is empty."""

    def __init__(self, chosen: Mapping[str, Any]) -> None:
        super().__init__(chosen)
        self.read: set[str] = set()

    def __bool__(self) -> bool:
        return True

    def get(self, id: str, default: Any = None) -> Any:  # type: ignore[override]
        """The value chosen for an entry, noted."""
        self.read.add(id)
        return super().get(id, default)

    def __contains__(self, id: object) -> bool:
        self.read.add(str(id))
        return super().__contains__(id)


def alternatives(entry: Assumption[Any]) -> list[Flip]:
    """The flips of an entry."""
    return [Flip(entry.id, value) for value in entry.candidates()]


def flips() -> dict[str, list[Flip]]:
    """Every flip of the register, by the id of its entry."""
    return {id: alternatives(entry) for id, entry in REGISTER.entries.items()}


def begin(start: Start, profile: Mapping[str, Any]) -> Simulator:
    """A simulator at the start of a journey, under a profile."""
    clock = Clock(start.now)
    if isinstance(profile, Traced):  # the cache of shipped worlds would not read it
        from confsim.service.files import world_file

        built = world_file.build(world_file.read(start.world), start.seed, profile)
        provenance = Provenance(start.world if isinstance(start.world, str) else "", built_on=built.assumptions)
        simulator = Simulator.__new__(Simulator)._attach(Service(built.world, clock, profile, provenance))
    else:
        simulator = Simulator(start.world, start.seed, clock, profile)
    if start.scenario is not None:
        start_from(start.scenario, simulator.control.context)
    return simulator


def run(journey: Journey, profile: Mapping[str, Any]) -> Run:
    """Send the requests of a journey to a world that starts under this profile."""
    simulator = begin(journey.start, profile)
    app, worlds = simulator.app, simulator._all()
    found = Run([], [], {}, [])
    _look(found, worlds, 0)
    for number, request in enumerate(journey.requests, 1):
        # A call that is held would be waited for in vain.
        patient = request.target.startswith("/_confsim/")
        if patient and request.method == "GET":
            found.looks.add(number)
        answer = _reported(app(replace(request, headers=dict(request.headers))), patient)
        found.answers.append(None if _SHOWS_PROFILE.search(request.target) else answer)
        _look(found, worlds, number)
    found.bugs = [repr(bug) for _, service in worlds.items() for bug in service.bugs]
    return found


def _reported(outcome: Outcome, patient: bool) -> object:
    """The answers to a client; what is not ready yet is waited for, or is none."""
    if isinstance(outcome, Future) and not patient and not outcome.done():
        return None
    response = wait_for(outcome)
    return response.status, tuple(response.headers), response.body, response.cut


def _look(found: Run, worlds: Any, number: int) -> None:
    """Note the worlds, and what has been reported by now."""
    services = [service for _, service in worlds.items()]
    found.worlds.append(tuple(service.world for service in services))
    for service in services:
        for id in (*service.provenance.assumptions, *service.journal.assumptions()):
            found.reported.setdefault(id, number)


class Judgement(Struct):
    """What a flip did to a journey: whether anything changed, whether an answer did, and what is unsound about that
    ("" for nothing).
    """

    effective: bool
    answered: bool = False
    unsound: str = ""


def judge(base: Run, flipped: Run, flip: Flip) -> Judgement:
    """Compare a run under a flip with the one without.

    Unsound is an answer that differs although no call up to it had named the entry, and a world that differs before the
    call that names it. Two differences need no name: what the start is made of, and the records of the world in an
    answer of the control plane. A bug under a flip is unsound too.
    """
    made = _digests(base.worlds[0]) != _digests(flipped.worlds[0])
    differing = _differing(base, flipped)
    moved = bool(differing) or _digests(base.worlds[-1]) != _digests(flipped.worlds[-1])
    answered = bool(differing)
    if flipped.bugs and not base.bugs:
        return Judgement(True, answered, f"bug: {flipped.bugs[0][:300]}")
    first = next((n for n in differing if not (made and n in base.looks)), 0)
    reported = base.reported.get(flip.id)
    if first and (reported is None or reported > first):
        when = "never" if reported is None else f"by request {reported}"
        return Judgement(True, answered, f"request {first} is answered otherwise, reported {when}")
    if moved and not made:
        if reported is None:
            return Judgement(True, answered, "the world differs in the end, never reported")
        if reported and _digests(base.worlds[reported - 1]) != _digests(flipped.worlds[reported - 1]):
            return Judgement(True, answered, f"the world differs before request {reported}, which reports it first")
    return Judgement(moved, answered)


def _differing(base: Run, other: Run) -> list[int]:
    """Return the numbers of the requests that are answered otherwise."""
    return [n for n, (one, two) in enumerate(zip(base.answers, other.answers, strict=True), 1) if one != two]


def _digests(worlds: Sequence[World]) -> list[str]:
    """Return the digests of the bytes of worlds: an alternative by which another name is drawn has an effect."""
    return [world.digest() for world in worlds]


class Report(Struct):
    """The figures of a flip test: pairs of journey and flip, those not repeatable, unsound ones, effective flips.

    ``named`` has how many pairs of journey and entry there are in which a call names the entry, by entry, and
    ``showing`` in how many of them an alternative changes an answer. ``done`` are the keys of journeys, for a campaign
    that runs in parts.
    """

    journeys: int = 0
    pairs: int = 0
    left_out: list[str] = []
    unsound: list[str] = []
    effective: dict[str, str] = {}
    named: dict[str, int] = {}
    showing: dict[str, int] = {}
    done: list[str] = []

    def note(self, journey: str, flip: Flip, judgement: Judgement, *, named: bool) -> None:
        """Note what a flip of an entry did to a journey, and whether a call ``named`` the entry."""
        if judgement.effective:
            self.effective.setdefault(str(flip), journey)
        if named:
            self.named[flip.id] = 1
            if judgement.answered:
                self.showing[flip.id] = 1

    def add(self, other: Report) -> None:
        """Take the figures of other journeys up."""
        self.journeys += other.journeys
        self.pairs += other.pairs
        self.left_out += other.left_out
        self.unsound += other.unsound
        self.effective = {**other.effective, **self.effective}
        self.named = dict(Counter(self.named) + Counter(other.named))
        self.showing = dict(Counter(self.showing) + Counter(other.showing))


def read_by(journey: Journey) -> tuple[set[str], Run]:
    """The entries that code reads in a journey, and the run that shows it."""
    traced = Traced(read_profile(journey.start.profile))
    found = run(journey, traced)
    return traced.read, found


def flip_journey(
    journey: Journey, chosen: Mapping[str, Iterable[Flip]], *, read_alone: bool = True, known: Iterable[str] = ()
) -> Report:
    """Flip entries over one journey: those that code reads in it, or all.

    What code does not read cannot matter: ``read_alone`` trusts the trace of a profile for that. ``known`` are flips
    that need not run again. A journey that is not repeatable is left out.
    """
    profile = read_profile(journey.start.profile)
    report = Report(1)
    try:
        base = run(journey, profile)
    except Misuse as misuse:
        return Report(1, left_out=[f"{journey.name}: {misuse}"])
    if run(journey, profile).answers != base.answers:
        return Report(1, left_out=[f"{journey.name}: it does not repeat"])
    read, traced = read_by(journey)
    if traced.answers != base.answers:
        first = _differing(base, traced)[0]
        report.unsound.append(f"{journey.name}: request {first} is answered otherwise where a profile makes no choice")
    done = set(known)
    for flip in _wanted(chosen, read if read_alone else None, profile):
        if str(flip) in done:
            continue
        report.pairs += 1
        try:
            flipped = run(journey, {**profile, flip.id: flip.value})
        except Misuse as misuse:
            if journey.start.scenario is None:
                report.left_out.append(f"{journey.name}, {flip}: {str(misuse)[:200]}")
            elif base.reported.get(flip.id) != 0:
                report.unsound.append(f"{journey.name}, {flip}: it does not begin, and its start reported nothing")
            continue
        except Exception as problem:  # a profile under which the world cannot be built is reported as that
            report.left_out.append(f"{journey.name}, {flip}: {type(problem).__name__}: {str(problem)[:200]}")
            continue
        judgement = judge(base, flipped, flip)
        shown = Flip(flip.id, profile.get(flip.id, flip.value))
        report.note(journey.name, shown, judgement, named=flip.id in base.reported)
        if judgement.unsound:
            report.unsound.append(f"{journey.name}, {flip}: {judgement.unsound}")
    return report


def _wanted(chosen: Mapping[str, Iterable[Flip]], read: set[str] | None, profile: Mapping[str, Any]) -> Iterator[Flip]:
    for id, found in chosen.items():
        if read is None or id in read or id in _ROUTING:
            if id in profile:  # the journey is of an alternative: it is flipped back, which proves it effective
                yield Flip(id, REGISTER.entries[id].default)
            else:
                yield from found
