"""The refusals that a document lists are those that calls give, under every choice that decides them.

The calls are those of the journeys of the flip test. Each runs again, from the same world, under the alternatives of
the assumptions that decide refusals and of its gate: a refusal that the document does not list there is a finding.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.assumptions.register import REGISTER, ProfileKey, in_force
from confsim.contract.openapi.reasons import reasons_of
from confsim.kernel.refusal import Misuse
from confsim.reference.observed import observed
from confsim.service.entries import JournalEntry
from confsim.service.files.profile import read_profile
from confsim.service.messages import Request
from confsim.service.service import Service
from kit.proofs import flips, journeys, stories
from kit.proofs.flips import Journey

BAD = ("not listed",)

#: Entries of the protocol, of terms, clients and roles that decide who is refused, and for what, in many operations.
_OF_ALL = frozenset(
    (
        *("parse.missing-query", "parse.path-numbers", "lists.beyond-end", "auth.on-public-calls", "terms.open-calls"),
        *("service.refused-while-disabled", "service.open-while-disabled", "clients.reseller-calls"),
        *("clients.path-client", "roles.api-token-passes", "channels.access"),
    )
)
#: Calls of each operation, with the same refusal or none, that run again under one alternative.
_AGAIN = 25
#: Reasons of calls, not of operations.
_OF_NOBODY = frozenset({Reason.INTERNAL_ERROR, Reason.TOO_MANY_CALLS})


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--journeys", type=Path, metavar="FILE", help="recorded journeys too (flips --journeys)")
    options.add_argument("--part", default="1/1", metavar="I/N", help="one part of the journeys in N")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Repeat calls, print the refusals that no document lists, and return the figures."""
    part, parts = map(int, chosen.part.split("/"))
    found = _Findings()
    for number, journey in enumerate(_journeys(chosen.journeys)):
        if number % parts == part - 1:
            found.follow(journey)
    for line, count in found.missing.most_common():
        print(f"not listed: {line} ({count} times)")  # noqa: T201  (this is its output)
    listed = {(each.name, reason) for each in API for reason in found.listed(each.name, {})}
    return {
        "calls": found.calls,
        "calls under an alternative": found.repeated,
        "alternatives": len(found.alternatives),
        "not listed": len(found.missing),
        "listed under the defaults": len(listed),
        "of these met under the defaults": len(listed & found.met),
    }


def _journeys(recorded: Path | None) -> Iterator[Journey]:
    yield from journeys.scenarios()
    yield from stories.stories()
    yield from journeys.by_everybody()
    yield from journeys.by_gates()
    if recorded is not None:
        yield from journeys.distinct(journeys.stored(recorded))


class _Findings:
    """Calls and their refusals, against what documents list."""

    def __init__(self) -> None:
        self.calls = self.repeated = 0
        self.alternatives: set[tuple[str, str]] = set()
        self.missing: Counter[str] = Counter()
        self.met: set[tuple[str, Reason]] = set()
        self._times: Counter[object] = Counter()
        self._listed: dict[tuple[str, ProfileKey], set[Reason]] = {}
        self._deciding = _OF_ALL | {id for id, entry in REGISTER.entries.items() if entry.refuses}

    def listed(self, operation: str, profile: Mapping[str, Any]) -> set[Reason]:
        """The reasons that a document lists for an operation."""
        key = operation, ProfileKey(profile)
        if key not in self._listed:
            self._listed[key] = reasons_of(API[operation], observed()[operation], profile)
        return self._listed[key]

    def follow(self, journey: Journey) -> None:
        """Send the requests of a journey, and each again under alternatives."""
        profile = read_profile(journey.start.profile)
        try:
            simulator = flips.begin(journey.start, profile)
        except Misuse:
            return
        for request in journey.requests:
            before = simulator.service.fork()
            entry = _sent(simulator, request)
            if entry is None or entry.operation not in API.operations:
                continue
            self.calls += 1
            refused = self._judge(entry, profile, "")
            if refused is not None and not profile:
                self.met.add((entry.operation, refused))
            for id in ({*entry.assumptions} & self._deciding | {f"gate.{entry.operation}"}) - profile.keys():
                if id in REGISTER.entries:
                    self._again(before, request, entry.operation, refused, profile, id)

    def _again(
        self,
        before: Service,
        request: Request,
        operation: str,
        refused: Reason | None,
        profile: Mapping[str, Any],
        id: str,
    ) -> None:
        """Send a request from the same world under the alternatives of an entry."""
        for value in REGISTER.entries[id].candidates():
            self._times[operation, refused, id, repr(value)] += 1
            if self._times[operation, refused, id, repr(value)] > _AGAIN:
                continue
            other = {**profile, id: value}
            entry = _sent(Simulator.__new__(Simulator)._attach(before.fork(profile=other)), request)
            self.repeated += 1
            self.alternatives.add((id, repr(value)))
            if entry is not None and entry.operation == operation:
                self._judge(entry, other, f" under {id} = {value!r}")

    def _judge(self, entry: JournalEntry, profile: Mapping[str, Any], where: str) -> Reason | None:
        """Return the reason for which a call was refused, and note one that is not listed."""
        codes = {CODE[reason].id: reason for reason in Reason}
        reason = next((codes[id] for id in reversed([*entry.assumptions]) if id in codes), None)
        if reason is None or reason in _OF_NOBODY or entry.fault:
            return None
        if reason not in self.listed(entry.operation, profile):
            self.missing[f"{entry.operation}: {in_force(profile, CODE[reason])}{where}"] += 1
        return reason


def _sent(simulator: Simulator, request: Request) -> JournalEntry | None:
    """Send a request; return the call of the API that it was, or None for one of the control plane or another world."""
    before = len(simulator.service.journal)
    simulator.app(replace(request, headers=dict(request.headers)))
    return simulator.service.journal.last() if len(simulator.service.journal) > before else None
