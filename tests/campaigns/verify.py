"""Verify beside services that are wrong in one way each, and beside true ones: what is seen when, and false alarms.

A plan of calls is made once beside the true service, and each mutant that it could reach is given the same calls, until
one is answered otherwise. For some of them (``--reproducers``) the whole command runs, to see how long its reproducers
are. ``--true N`` runs it beside N true services with other seeds, clocks that are apart, latency, and header lines in
another order; ``SHARED`` of them share the choice of the calls, which is most of the time of a run.

``--part 2/5`` tries the second fifth, and figures are of that; ``--into FILE`` stores the verdicts, and the plan beside
them, so that nothing is tried twice. Mutants that nobody could notice stand with the reason in
``tests/data/verify_mutants.toml``.
"""

from __future__ import annotations

import argparse
import pickle
import tomllib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from kit.beside import Beside
from kit.mutants import plan
from kit.mutants.apart import apart
from kit.mutants.mutant import Mutant
from kit.planned import Recorded, Repeated
from kit.source import REPOSITORY

#: Requests of a plan of another seed, which reaches other things.
_OTHER = 1500
#: How many true services have the calls of one plan.
SHARED = 10
#: Of so many plans one is made beside a service that another run was made beside before.
_SECOND = 3 * SHARED
BAD = ("false alarms", "differences of the true service")


class TrueRun(Struct):
    """A run beside a true service: its requests, those of them that its plan did not foresee, and what differed."""

    requests: int
    strayed: int
    alarms: list[str]


class Stored(Struct):
    """The verdicts so far: when each mutant is seen (0 for never), why one is no service, reproducers, true runs.

    ``lengths`` has the number of calls of a reproducer, 0 for none.
    """

    seen: dict[str, int] = {}
    broken: dict[str, str] = {}
    lengths: dict[str, int] = {}
    true: dict[int, TrueRun] = {}


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--requests", type=int, default=5000, help="of the plan")
    options.add_argument("--seed", type=int, default=0, help="of the plan")
    options.add_argument("--most", type=int, default=40, help="mutants of each kind")
    options.add_argument("--part", default="1/1", metavar="I/N", help="which part of the mutants and services to try")
    options.add_argument("--only", default="", metavar="TEXT", help="mutants whose name contains this")
    options.add_argument("--reproducers", type=int, default=0, metavar="N", help="mutants for which verify runs whole")
    options.add_argument("--into", type=Path, metavar="FILE", help="verdicts so far, to be added to")
    options.add_argument("--true", type=int, default=0, metavar="N", help="true services")
    options.add_argument("--examples", type=int, default=12, help="journeys beside each of these")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Run, print what is not seen, and return the figures."""
    stored = (
        msgspec.json.decode(chosen.into.read_bytes(), type=Stored) if chosen.into and chosen.into.exists() else Stored()
    )
    figures: dict[str, Any] = {"false alarms": 0, "differences of the true service": 0}
    if chosen.true:
        seeds = _try_true(chosen, stored)
        figures |= _of_true({seed: stored.true[seed] for seed in seeds})
    if chosen.most:
        made = _plan(chosen)
        plan.MOST = chosen.most
        found, out = plan.mutants(made)
        tried = _part(chosen, [each for each in found if chosen.only in str(each)])
        whole = _part(chosen, found[:: max(1, len(found) // max(1, chosen.reproducers))][: chosen.reproducers])
        _try_mutants(chosen, stored, made, tried)
        _try_reproducers(chosen, stored, whole)
        figures |= _of_mutants(stored, made, tried)
        figures |= _of_reproducers(stored, whole) if chosen.reproducers else {}
        figures["mutants that no call of the plans could show"] = out if chosen.part.startswith("1/") else 0
    return figures


def _store(chosen: argparse.Namespace, stored: Stored) -> None:
    if chosen.into:
        chosen.into.write_bytes(msgspec.json.format(msgspec.json.encode(stored), indent=0) + b"\n")


def _part(chosen: argparse.Namespace, every: list[Any]) -> list[Any]:
    number, parts = map(int, chosen.part.split("/"))
    return every[number - 1 :: parts]


# True services


def _try_true(chosen: argparse.Namespace, stored: Stored) -> list[int]:
    """Verify true services, those of a plan one after another, and return their seeds."""
    every: list[int] = []
    for first in _part(chosen, list(range(0, chosen.true, SHARED))):
        of_plan = range(first, min(first + SHARED, chosen.true))
        seeds = [each for each in of_plan if each not in stored.true]
        every += of_plan
        plans: dict[str, Recorded] = {}
        for seed in seeds:
            # The services of a plan are of one latency, from which the instants follow at which the model answers.
            ahead, latency = (-300_000, 0, 300_000, 86_400_000)[seed % 4], (1, 15, 400)[first // SHARED % 3]
            beside = Beside(seed=seed, ahead=ahead, latency=latency)
            if first % _SECOND == 0:  # a run was made before, whose things no call removes
                _planned(beside, plans, tag="cvbefore", examples=8, seed=first).run()
            verifier = _planned(beside, plans, tag="cvtest", examples=chosen.examples, seed=first)
            report = verifier.run()
            alarms = [f"{each.operation} at {each.place}" for each in report.divergences]
            alarms += [report.interrupted] if report.interrupted else []
            for each in alarms:
                print(f"false alarm: seed {seed}: {each}", flush=True)  # noqa: T201  (this is its output)
            stored.true[seed] = TrueRun(report.requests, getattr(verifier, "strayed", 0), alarms)
        _store(chosen, stored)
    return every


def _planned(beside: Beside, plans: dict[str, Recorded], *, tag: str, **options: Any) -> Recorded | Repeated:
    """A run whose calls are those of the first with this tag, which notes them in ``plans``."""
    if tag not in plans:
        plans[tag] = beside.verifier(kind=Recorded, tag=tag, **options)
        return plans[tag]
    again = beside.verifier(kind=Repeated, tag=tag, **options)
    again.plan = plans[tag].plan
    return again


def _of_true(runs: dict[int, TrueRun]) -> dict[str, Any]:
    return {
        "true services": len(runs),
        "false alarms": sum(len(each.alarms) for each in runs.values()),
        "plans of their calls": len({seed // SHARED for seed in runs}),
        "requests to them": sum(each.requests for each in runs.values()),
        "requests that were no more as planned": sum(each.strayed for each in runs.values()),
    }


# Mutants


def _plan(chosen: argparse.Namespace) -> plan.Plan:
    """The plan of this seed, which could reach what it tried or another did."""
    file = None if chosen.into is None else chosen.into.with_suffix(".plan")
    if file is not None and file.exists():
        found: plan.Plan = pickle.loads(file.read_bytes())
        return found
    made = plan.make_plan(chosen.requests, chosen.seed)
    made.reached |= plan.make_plan(min(chosen.requests, _OTHER), chosen.seed + 1).reached
    if file is not None:
        file.write_bytes(pickle.dumps(made))
    return made


def judged() -> dict[str, str]:
    """The mutants that nobody could notice by the API alone, each with the reason."""
    return tomllib.loads((REPOSITORY / "tests/data/verify_mutants.toml").read_text())


def _try_mutants(chosen: argparse.Namespace, stored: Stored, made: plan.Plan, mutants: list[Mutant]) -> None:
    tried = [each for each in mutants if str(each) not in stored.seen and str(each) not in stored.broken]
    for number, (mutant, at, why) in enumerate(plan.each_detected(made, tried), 1):
        if at is not None and at < 0:
            stored.broken[str(mutant)] = why
        else:
            stored.seen[str(mutant)] = at or 0
        if number % 20 == 0:
            _store(chosen, stored)
    _store(chosen, stored)


def _try_reproducers(chosen: argparse.Namespace, stored: Stored, mutants: list[Mutant]) -> None:
    for mutant in mutants:
        if str(mutant) not in stored.lengths:
            stored.lengths[str(mutant)] = _length(mutant) or 0
            _store(chosen, stored)


def _of_mutants(stored: Stored, made: plan.Plan, mutants: list[Mutant]) -> dict[str, Any]:
    reasons = judged()
    kinds = {str(each): each.kind for each in mutants}
    seen = {name: stored.seen[name] for name in kinds if name in stored.seen and name not in reasons}
    missed = sorted(name for name, at in seen.items() if not 0 < at <= 5000)
    for name in missed:
        print(f"not seen: {name}")  # noqa: T201
    return {
        "requests of the plan": [made.first + len(made.calls)],
        "differences of the true service": len(made.differences),
        "mutants": len(seen),
        "seen within 1,000 requests": _seen(seen.values(), 1000),
        "95 of 100 mutants": 0.95 * len(seen),
        "seen within 5,000 requests": _seen(seen.values(), 5000),
        "99 of 100 mutants": 0.99 * len(seen),
        **{figure: value for kind in sorted({kinds[name] for name in seen}) for figure, value in (
            (f"{kind}: mutants", sum(kinds[name] == kind for name in seen)),
            (f"{kind}: seen within 1,000 requests", _seen(_of(seen, kinds, kind), 1000)),
            (f"{kind}: seen within 5,000 requests", _seen(_of(seen, kinds, kind), 5000)),
        )},
        "mutants with which no service starts": sum(name in stored.broken for name in kinds),
        "judged to show nothing": sum(name in reasons for name in kinds),
        "not seen": missed,
        "seen after 1,000 requests": sorted(name for name, at in seen.items() if 1000 < at <= 5000),
    }  # fmt: skip


def _of_reproducers(stored: Stored, mutants: list[Mutant]) -> dict[str, Any]:
    lengths = {str(each): stored.lengths[str(each)] for each in mutants}
    return {
        "whole runs": len(lengths),
        "reproducers of at most six calls": sum(0 < length <= 6 for length in lengths.values()),
        "half of the whole runs": len(lengths) / 2,
        "calls of the reproducers": sorted(lengths.values()),
        "whole runs without a reproducer": sorted(name for name, length in lengths.items() if not length),
    }


def _of(seen: dict[str, int], kinds: dict[str, str], kind: str) -> list[int]:
    return [at for name, at in seen.items() if kinds[name] == kind]


def _seen(seen: Any, within: int) -> int:
    return sum(0 < at <= within for at in seen)


def _length(mutant: Mutant) -> int | None:
    """The number of calls of the reproducer that verify finds first, None where it finds none in 24 journeys."""
    with apart(mutant) as (beside, transport):
        report = beside.verify(transport=transport, examples=24, most_findings=1)
    return len(report.divergences[0].steps) if report.divergences else None
