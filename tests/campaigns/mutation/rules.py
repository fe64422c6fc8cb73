"""Break rules one at a time, and see whether the tests that carry their marks fail.

What is broken is derived from where the sources name a rule: rows of machines and influences, functions, operations.
A mark whose test fails under no breakage of its rule is printed: the test does not prove the rule, or no breakage
reaches what the rule says. ``--sample`` takes rules at random.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

from confsim.reference import rules
from kit.marks.runs import run as broken

BAD = ("rules without a test that fails", "marks whose test fails under no breakage")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("rules", nargs="*", metavar="R276", help="the rules to break, all by default")
    options.add_argument("--sample", type=int, metavar="N", help="this many of them, drawn at random")
    options.add_argument("--seed", type=int, default=0, help="of the sample")
    options.add_argument("--into", type=Path, metavar="FILE", help="what earlier runs found, to be gone on with")
    options.add_argument("--seconds", type=float, default=3600, metavar="S", help="after which no breakage is begun")
    options.add_argument("--quiet", action="store_true", help="print the marks that prove nothing alone")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Break the rules, print what noticed, and return the figures."""
    wanted = chosen.rules or list(rules())
    if chosen.sample is not None:
        wanted = sorted(random.Random(chosen.seed).sample(wanted, min(chosen.sample, len(wanted))))
    found = broken(wanted, chosen.into, chosen.seconds)
    if not chosen.quiet:
        for mark, breakage in sorted(found.died.items()):
            print(f"{mark} fails: {breakage}")  # noqa: T201  (this is its output)
    for unbroken in sorted(found.alive):
        print(f"{unbroken} fails under no breakage")  # noqa: T201
    proved = {mark.partition(":")[0] for mark in found.died}
    unproved = [rule for rule in wanted if rule not in proved]
    for rule in unproved:
        print(f"no test fails: {rules()[rule]}")  # noqa: T201
    return {
        "rules": len(wanted),
        "breakages": len(found.tried) + found.left,
        "breakages not tried yet": found.left,
        "marks": len(found.marks),
        "marks whose test fails": len(found.died),
        "marks whose test fails under no breakage": len(found.alive),
        "tests that fail unbroken": found.failing,
        "rules with a test that fails": len(proved),
        "rules without a test that fails": len(unproved),
    }
