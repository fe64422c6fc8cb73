"""Verify beside services that are wrong in one way each, and beside true ones: what is seen when, and false alarms.

A plan of calls is made once beside the true service, and each mutant that it could reach is given the same calls. For
some of them (``--reproducers``) the whole command runs, to see how long its reproducers are. ``--true N`` runs it
beside N true services with other seeds, clocks that are apart, latency, and header lines in another order.
"""

from __future__ import annotations

import argparse
from collections import Counter
from statistics import median
from typing import Any

from kit.beside import Beside
from kit.mutants import plan
from kit.mutants.mutant import Mutant

BAD = ("false alarms", "differences of the true service")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--requests", type=int, default=5000, help="of the plan")
    options.add_argument("--most", type=int, default=40, help="mutants of each kind")
    options.add_argument("--part", default="1/1", metavar="N/OF", help="one of several parts of the mutants")
    options.add_argument("--reproducers", type=int, default=0, metavar="N", help="mutants for which verify runs whole")
    options.add_argument("--true", type=int, default=0, metavar="N", help="true services")
    options.add_argument("--examples", type=int, default=12, help="journeys beside each of these")
    options.add_argument("--first", type=int, default=0, metavar="SEED", help="seed of the first of these")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Run, print what is not seen, and return the figures."""
    figures: dict[str, Any] = {"false alarms": 0, "differences of the true service": 0}
    if chosen.true:
        alarms = [
            each for seed in range(chosen.first, chosen.first + chosen.true) for each in _alarms(seed, chosen.examples)
        ]
        for each in alarms:
            print(f"false alarm: {each}")  # noqa: T201  (this is its output)
        figures |= {"true services": chosen.true, "false alarms": len(alarms)}
    if chosen.most:
        figures |= _mutants(chosen)
    return figures


def _alarms(seed: int, examples: int) -> list[str]:
    """What verify finds beside a true service, which is nothing."""
    beside = Beside(seed=seed, ahead=(-300_000, 0, 300_000, 86_400_000)[seed % 4], latency=(1, 15, 400)[seed % 3])
    report = beside.verify(examples=examples, seed=seed)
    return [f"seed {seed}: {each.operation} at {each.place}" for each in report.divergences]


def _mutants(chosen: argparse.Namespace) -> dict[str, Any]:
    made = plan.make_plan(chosen.requests)
    plan.MOST = chosen.most
    found, out = plan.mutants(made)
    part, parts = map(int, chosen.part.split("/"))
    found = found[part - 1 :: parts]
    seen: dict[str, list[int | None]] = {}
    for mutant, at, _ in plan.each_detected(made, found):
        seen.setdefault(mutant.kind, []).append(at)
        if at is None or at < 0:
            print(f"not seen: {mutant}")  # noqa: T201
    lengths = [length for mutant in found[: chosen.reproducers] if (length := plan.in_child(_length, mutant))]
    every = [at for each in seen.values() for at in each]
    return {
        "requests of the plan": made.first + len(made.calls),
        "differences of the true service": len(made.differences),
        "mutants": len(every),
        "mutants that the accounts cannot reach": out,
        "seen within 1,000 requests": f"{_share(every, 1000):.1%}",
        "seen within 5,000 requests": f"{_share(every, 5000):.1%}",
        **{f"{kind}: {len(each)}, seen within 1,000 and 5,000": f"{_share(each, 1000):.0%} {_share(each, 5000):.0%}"
           for kind, each in seen.items()},
        "reproducers": dict(sorted(Counter(lengths).items())),
        "median length of a reproducer": median(lengths) if lengths else None,
    }  # fmt: skip


def _share(seen: list[int | None], within: int) -> float:
    return sum(at is not None and 0 < at <= within for at in seen) / len(seen)


def _length(mutant: Mutant) -> int | None:
    """The number of calls of the reproducer that verify finds first, None where it finds none in 24 journeys."""
    beside, transport = plan.mutated(mutant)
    report = beside.verify(transport=transport, examples=24, most_findings=1)
    return len(report.divergences[0].steps) if report.divergences else None
