"""Calibrate beside services that follow hidden profiles: nothing wrong is claimed, what can be seen is seen.

Each hidden profile has several values of its own, drawn from the alternatives of the register. A claim is wrong when a
value is learned that the service has not, or a default confirmed that it has not. An entry can be seen when a probe
distinguishes its value from every other (``confsim.reference.probes``); verify runs under the profile that is written.
"""

from __future__ import annotations

import argparse
import random
import tomllib
from collections import Counter
from functools import cache
from math import ceil
from typing import Any

from confsim.assumptions.register import REGISTER
from confsim.assumptions.register.candidates import candidates
from confsim.kernel.refusal import Misuse
from confsim.reference.probes import probes
from confsim.service.files.profile import read_profile
from confsim.testing.calibrating.calibrator import CalibrateReport
from confsim.testing.calibrating.session import profile_text
from kit.beside import Beside
from kit.probes.making import Maker

BAD = ("wrong claims", "contradicted", "could not begin")
#: Entries that are left at their default: what they change happens before the first call, or never in one.
_LEFT = ("route.", "time.", "mail.", "world.")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--profiles", type=int, default=20, help="hidden profiles")
    options.add_argument("--part", default="1/1", metavar="N/OF", help="one of several parts of them")
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
    total, wrong, requests = Counter[str](), list[str](), list[int]()
    part, parts = map(int, chosen.part.split("/"))
    for seed in range(chosen.first, chosen.first + chosen.profiles)[part - 1 :: parts]:
        profile = hidden(seed, chosen.values)
        plain = {id: _plain(value) for id, value in profile.items()}
        try:
            report = Beside(profile).calibrator(journeys=chosen.examples, seed=seed).run()
        except Misuse as misuse:
            total["could not begin"] += 1
            print(f"seed {seed}: {misuse}")  # noqa: T201  (this is its output)
            continue
        wrong += [f"seed {seed}: {id} = {value!r}" for id, value in report.learned.items() if plain.get(id) != value]
        wrong += [f"seed {seed}: {id} at its default" for id in report.confirmed if id in profile]
        _show(seed, plain, report)
        settled = {*report.learned, *report.confirmed}
        can_be = {id for id in REGISTER.entries if _can_be_distinguished(id, profile)}
        total.update(
            {
                "values learned": len(report.learned),
                "changed": len(can_be & profile.keys()),
                "changed, learned": len(can_be & profile.keys() & report.learned.keys()),
                "tellable": len(can_be),
                "tellable, settled": len(can_be & settled),
                "confirmed": len(report.confirmed),
                "contradicted": len(report.contradicted),
                "interrupted": bool(report.interrupted),
            }
        )
        requests.append(report.requests)
        if chosen.verified:
            written = tomllib.loads(profile_text(report.learned, report.assumed))
            found = Beside(profile).verify(profile=read_profile(written), examples=chosen.verified)
            total["divergences"] += len(found.divergences)
            for divergence in found.divergences:
                print(f"seed {seed}: verify: {divergence}")  # noqa: T201
    for claim in wrong:
        print(f"wrong: {claim}")  # noqa: T201
    return {
        "profiles": len(requests),
        "could not begin": total["could not begin"],
        "ended early": total["interrupted"],
        "wrong claims": len(wrong),
        "values hidden": chosen.values * len(requests),
        "values learned": total["values learned"],
        "values hidden that a known probe tells": total["changed"],
        "values hidden that a known probe tells, not learned": total["changed"] - total["changed, learned"],
        "entries that a known probe tells": total["tellable"],
        "95 % of the entries that a known probe tells": ceil(0.95 * total["tellable"]),
        "entries that a known probe tells, learned or confirmed": total["tellable, settled"],
        "confirmed": total["confirmed"],
        "contradicted": total["contradicted"],
        "requests": sum(requests),
        "three for each entry": 3 * len(REGISTER.entries) * len(requests),
        "divergences under the written profile": total["divergences"],
    }


def _show(seed: int, hidden: dict[str, Any], report: CalibrateReport) -> None:
    """Print what became of each hidden value, and what is contradicted."""
    print(f"seed {seed}: {report.requests} requests, {len(report.confirmed)} confirmed")  # noqa: T201
    for id, value in hidden.items():
        said = "learned" if id in report.learned else report.undetermined.get(id, "confirmed")
        print(f"seed {seed}: {id} = {value!r}: {said}")  # noqa: T201
    for each in report.contradicted:
        print(f"seed {seed}: {each.call} {each.place}: {each.got!r} for {each.expected!r}")  # noqa: T201


def _can_be_distinguished(id: str, profile: dict[str, Any]) -> bool:
    """Whether probes tell the value of an entry from each of its others."""
    entry = REGISTER.entries[id]
    own = profile.get(id, entry.default)
    others = [each for each in (entry.default, *candidates(entry)) if each != own]
    return bool(others) and all(_distinguished(id, own, each) for each in others)


@cache
def _apart_from_default() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for probe in probes():
        for id, values in probe.tells.items():
            found.setdefault(id, set()).update(values)
    return found


def _distinguished(id: str, one: Any, other: Any) -> bool:
    """Whether a probe tells two values of an entry apart."""
    entry, known = REGISTER.entries[id], _apart_from_default().get(id, set())
    if entry.default in (one, other):
        return repr(other if one == entry.default else one) in known
    return bool(known) and _maker().apart_by_probes(id, one, other)


@cache
def _maker() -> Maker:
    return Maker()


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return getattr(value, "value", value)
