"""Verify beside services that are wrong in one way each, and beside true ones: what is seen when, and false alarms.

A plan of calls is made once beside the true service, and each mutant that it could reach is given the same calls. For
some of them (``--reproducers``) the whole command runs, to see how long its reproducers are. ``--true N`` runs it
beside N true services with other seeds, clocks that are apart, latency, and header lines in another order.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path
from typing import Any

from kit.beside import Beside
from kit.mutants import plan
from kit.mutants.mutant import Mutant

#: Requests of a plan of another seed, which reaches other things.
_OTHER = 1500
BAD = ("false alarms", "differences of the true service")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--requests", type=int, default=5000, help="of the plan")
    options.add_argument("--most", type=int, default=40, help="mutants of each kind")
    options.add_argument("--part", default="1/1", metavar="N/OF", help="one of several parts of the mutants")
    options.add_argument("--reproducers", type=int, default=0, metavar="N", help="mutants for which verify runs whole")
    options.add_argument("--kept", type=Path, help="file of the plan, which is made where there is none")
    options.add_argument("--true", type=int, default=0, metavar="N", help="true services")
    options.add_argument("--examples", type=int, default=12, help="journeys beside each of these")
    options.add_argument("--first", type=int, default=0, metavar="SEED", help="seed of the first of these")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Run, print what is not seen, and return the figures."""
    figures: dict[str, Any] = {"false alarms": 0, "differences of the true service": 0}
    if chosen.true:
        part, parts = map(int, chosen.part.split("/"))
        seeds = range(chosen.first, chosen.first + chosen.true)[part - 1 :: parts]
        alarms = [each for seed in seeds for each in _alarms(seed, chosen.examples)]
        for each in alarms:
            print(f"false alarm: {each}")  # noqa: T201  (this is its output)
        figures |= {"true services": len(seeds), "false alarms": len(alarms)}
    if chosen.most:
        figures |= _mutants(chosen)
    return figures


def _alarms(seed: int, examples: int) -> list[str]:
    """What verify finds beside a true service, which is nothing."""
    beside = Beside(seed=seed, ahead=(-300_000, 0, 300_000, 86_400_000)[seed % 4], latency=(1, 15, 400)[seed % 3])
    report = beside.verify(examples=examples, seed=seed)
    return [f"seed {seed}: {each.operation} at {each.place}" for each in report.divergences]


def _mutants(chosen: argparse.Namespace) -> dict[str, Any]:
    made = _plan(chosen.requests, chosen.kept)
    plan.MOST = chosen.most
    found, out = plan.mutants(made)
    part, parts = map(int, chosen.part.split("/"))
    found = found[part - 1 :: parts]
    seen: dict[str, list[int | None]] = {}
    missed: list[str] = []
    for mutant, at, _ in plan.each_detected(made, found):
        seen.setdefault(mutant.kind, []).append(at)
        if at is None or at < 0:
            missed.append(str(mutant))
            print(f"not seen: {mutant}", flush=True)  # noqa: T201
    tried = found[:: max(1, len(found) // chosen.reproducers)][: chosen.reproducers] if chosen.reproducers else []
    lengths = [plan.in_child(_length, mutant) for mutant in tried]
    missing = [str(mutant) for mutant, length in zip(tried, lengths, strict=True) if length is None]
    short = [length for length in lengths if length is not None and length <= 6]
    every = [at for each in seen.values() for at in each]
    return {
        "requests of the plan": [made.first + len(made.calls)],
        "differences of the true service": len(made.differences),
        "mutants": len(every),
        "seen within 1,000 requests": _seen(every, 1000),
        "95 of 100 mutants": 0.95 * len(every),
        "seen within 5,000 requests": _seen(every, 5000),
        "99 of 100 mutants": 0.99 * len(every),
        **{figure: value for kind, each in sorted(seen.items()) for figure, value in (
            (f"{kind}: mutants", len(each)),
            (f"{kind}: seen within 1,000 requests", _seen(each, 1000)),
            (f"{kind}: seen within 5,000 requests", _seen(each, 5000)),
        )},
        "mutants that no call of the plans could show": out if part == 1 else 0,
        "not seen": missed,
        "whole runs": len(tried),
        "reproducers of at most six calls": len(short),
        "half of the whole runs": len(tried) / 2,
        "calls of the reproducers": [length for length in lengths if length is not None],
        "whole runs without a reproducer": missing,
    }  # fmt: skip


def _plan(requests: int, kept: Path | None) -> plan.Plan:
    """The plan of this seed, which could reach what it tried or another did."""
    if kept is not None and kept.exists():
        found: plan.Plan = pickle.loads(kept.read_bytes())
        return found
    made = plan.make_plan(requests)
    made.reached |= plan.make_plan(min(requests, _OTHER), seed=1).reached
    if kept is not None:
        kept.write_bytes(pickle.dumps(made))
    return made


def _seen(seen: list[int | None], within: int) -> int:
    return sum(at is not None and 0 < at <= within for at in seen)


def _length(mutant: Mutant) -> int | None:
    """The number of calls of the reproducer that verify finds first, None where it finds none in 24 journeys."""
    beside, transport = plan.mutated(mutant)
    report = beside.verify(transport=transport, examples=24, most_findings=1)
    return len(report.divergences[0].steps) if report.divergences else None
