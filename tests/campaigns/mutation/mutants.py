"""Small changes of the source, and whether the tests of the same room notice them.

A fixed sample of the mutants of kernel, domain, contract, service and api; a mutant is killed when a test of
``tests/ROOM`` fails, or for the domain one of ``tests/api``, which is tried after. Survivors that change nothing stand
with the reason in ``tests/data/mutants.toml``. ``--part 2/10`` tries the second tenth; ``--into FILE`` adds the
verdicts to those of other parts, and figures are of all of them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

from kit.mutation.operators import Mutant
from kit.mutation.sample import ROOMS, judged, room, sample
from kit.mutation.trying import verdicts

BAD = ("rooms below the share",)
#: The share of the mutants, but for those that change nothing, that is to be killed.
_SHARE = Fraction(95, 100)


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--size", type=int, default=1000, metavar="N", help="mutants of the sample")
    options.add_argument("--part", default="1/1", metavar="I/N", help="which part of it to try")
    options.add_argument("--only", default="", metavar="TEXT", help="mutants whose key contains this")
    options.add_argument("--limit", type=float, default=12, metavar="S", help="seconds of tests for each")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    options.add_argument("--into", type=Path, metavar="FILE", help="verdicts of other parts, to be added to")
    options.add_argument("--whole", action="store_true", help="try them on the tests of all packages of their room")
    options.add_argument("--report", action="store_true", help="try none, and report what is stored")
    options.add_argument("--again", action="store_true", help="of those stored, try again what was not killed")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Try the mutants, print those that nothing noticed, and return the figures."""
    stored = json.loads(chosen.into.read_text()) if chosen.into and chosen.into.exists() else {}
    number, parts = map(int, chosen.part.split("/"))
    every = [mutant for mutant in sample(chosen.size) if chosen.only in mutant.key]
    reasons = judged()
    part = every[len(every) * (number - 1) // parts : len(every) * number // parts]
    tried = [mutant for mutant in part if mutant.key not in reasons and stored.get(mutant.key, ["new"])[0] != "killed"]
    if not chosen.again:
        tried = [mutant for mutant in tried if mutant.key not in stored]
    for mutant, verdict in verdicts([] if chosen.report else tried, chosen.limit, chosen.jobs, whole=chosen.whole):
        stored[mutant.key] = list(verdict)
        if chosen.into:
            chosen.into.write_text(json.dumps(stored, indent=0) + "\n")
    for mutant in every:
        what = stored.get(mutant.key, ["killed"])[0]
        if what != "killed" and mutant.key not in reasons:
            print(f"{what}: {mutant}")  # noqa: T201  (this is its output)
    return _figures([(mutant, stored[mutant.key]) for mutant in every if mutant.key in stored], every, reasons)


def _figures(reported: list[tuple[Mutant, Any]], every: list[Mutant], reasons: dict[str, str]) -> dict[str, Any]:
    """How many were killed, in all and by room."""
    reported = [(mutant, verdict) for mutant, verdict in reported if mutant.key not in reasons]
    equal = [mutant for mutant in every if mutant.key in reasons]
    counts = Counter(what for _, (what, *_) in reported)
    shares = {name: [what == "killed" for mutant, (what, *_) in reported if room(mutant) == name] for name in ROOMS}
    elsewhere = sum(by.startswith("tests/api/") and room(mutant) == "domain" for mutant, (_, by, _) in reported)
    return {
        "mutants": len(reported) + len(equal),
        "judged to change nothing": len(equal),
        **{what: counts[what] for what in ("killed", "survived", "undecided", "unreached")},
        "of the domain killed by tests of the api": elsewhere,
        **{f"killed in {name}": f"{sum(each)} of {len(each)}" for name, each in shares.items() if each},
        "killed": f"{counts['killed']} of {len(reported)}, {100 * counts['killed'] / max(1, len(reported)):.1f} %",
        "rooms below the share": [
            name for name, each in shares.items() if each and Fraction(sum(each), len(each)) < _SHARE
        ],
    }
