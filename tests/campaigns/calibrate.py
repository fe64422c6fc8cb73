"""Calibrate beside services that follow hidden profiles: nothing wrong is claimed, what can be told is told.

Each hidden profile has several values of its own, drawn from the alternatives of the register. A claim is wrong when a
value is learned that the service has not, or a default confirmed that it has not. An assumption can be told when one of
its values was ruled out beside a service under the defaults (``confsim.reference.seen``).
"""

from __future__ import annotations

import argparse
import random
from statistics import mean
from typing import Any

from confsim.assumptions.register import REGISTER
from confsim.assumptions.register.candidates import candidates
from confsim.kernel.refusal import Misuse
from confsim.reference.seen import seen
from kit.beside import Beside

BAD = ("wrong claims",)
#: Entries that are left at their default: what they change happens before the first call, or never in one.
_LEFT = ("route.", "time.", "mail.", "world.")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--profiles", type=int, default=20, help="hidden profiles")
    options.add_argument("--first", type=int, default=0, metavar="SEED", help="seed of the first of them")
    options.add_argument("--values", type=int, default=5, help="values that each has of its own")
    options.add_argument("--examples", type=int, default=80, help="journeys at most")
    options.add_argument(
        "--verified", type=int, default=0, metavar="N", help="journeys of verify under what was learned"
    )


def hidden(seed: int, values: int) -> dict[str, Any]:
    """A profile with so many values drawn from the alternatives."""
    chance = random.Random(seed)
    known = {id: found for id, entry in REGISTER.entries.items() if (found := candidates(entry))}
    ids = [id for id in known if not id.startswith(_LEFT)]
    return {id: chance.choice(known[id]) for id in chance.sample(ids, values)}


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Calibrate, print what is wrong, and return the figures."""
    wrong: list[str] = []
    learned = confirmed = contradicted = failed = divergences = tellable = told = 0
    requests: list[int] = []
    for seed in range(chosen.first, chosen.first + chosen.profiles):
        profile = hidden(seed, chosen.values)
        try:
            report = Beside(profile).calibrator(journeys=chosen.examples, seed=seed).run()
        except Misuse as misuse:
            failed += 1
            print(f"seed {seed}: {misuse}")  # noqa: T201  (this is its output)
            continue
        plain = {id: _plain(value) for id, value in profile.items()}
        wrong += [f"seed {seed}: {id} = {value!r}" for id, value in report.learned.items() if plain.get(id) != value]
        wrong += [f"seed {seed}: {id} at its default" for id in report.confirmed if id in profile]
        reported = {"learned": [*report.learned], "hidden": plain}
        print(f"seed {seed}: {reported}, {len(report.contradicted)} contradicted, {report.requests} requests")  # noqa: T201
        for each in report.contradicted:
            print(f"seed {seed}: {each.call} {each.place}: {each.got!r} for {each.expected!r}")  # noqa: T201
        tellable += len(profile.keys() & seen().keys())
        told += len(report.learned.keys() & profile.keys() & seen().keys())
        learned += len(report.learned)
        confirmed += len(report.confirmed)
        contradicted += len(report.contradicted)
        requests.append(report.requests)
        if chosen.verified:
            found = Beside(profile).verify(profile=profile, examples=chosen.verified)
            divergences += len(found.divergences)
    for claim in wrong:
        print(f"wrong: {claim}")  # noqa: T201
    count = max(1, len(requests))
    return {
        "profiles": chosen.profiles,
        "could not begin": failed,
        "wrong claims": len(wrong),
        "values hidden": chosen.values * len(requests),
        "values learned": learned,
        "values hidden that can be told": tellable,
        "learned of those that can be told": f"{told / max(1, tellable):.1%}".replace("%", " %"),
        "confirmed on average": round(confirmed / count),
        "contradicted": contradicted,
        "requests on average": round(mean(requests)) if requests else 0,
        "requests for each entry": round(mean(requests) / len(REGISTER.entries), 2) if requests else 0,
        "divergences under the hidden profile": divergences,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return getattr(value, "value", value)
