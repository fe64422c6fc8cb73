"""Break rules one at a time, and see whether the tests that carry their marks fail.

What is broken is derived from where the sources name a rule: rows of machines and influences, functions, operations.
A mark whose test fails under no breakage of its rule is printed: the test does not prove the rule, or no breakage
reaches what the rule says. ``--sample`` takes rules at random.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

from confsim.reference import rules
from kit.marks.runs import run as broken

BAD = ("rules without a test that fails",)


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("rules", nargs="*", metavar="R276", help="the rules to break, all by default")
    options.add_argument("--sample", type=int, metavar="N", help="this many of them, drawn at random")
    options.add_argument("--seed", type=int, default=0, help="of the sample")
    options.add_argument("--part", default="1/1", metavar="I/N", help="which part of them to break")
    options.add_argument("--quiet", action="store_true", help="print the marks that prove nothing alone")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Break the rules, print what noticed, and return the figures."""
    number, parts = map(int, chosen.part.split("/"))
    wanted = chosen.rules or list(rules())
    if chosen.sample is not None:
        wanted = sorted(random.Random(chosen.seed).sample(wanted, min(chosen.sample, len(wanted))))
    wanted = wanted[len(wanted) * (number - 1) // parts : len(wanted) * number // parts]
    found = broken(wanted)
    if not chosen.quiet:
        for mark, breakage in sorted(found.died.items()):
            print(f"{mark.rule}: {mark.test} fails: {breakage}")  # noqa: T201  (this is its output)
    for mark in sorted(found.alive):
        print(f"{mark.rule}: {mark.test} fails under no breakage")  # noqa: T201
    proved = {mark.rule for mark in found.died}
    left = [rule for rule in wanted if rule not in proved]
    for rule in left:
        print(f"no test fails: {rules()[rule]}")  # noqa: T201
    return {
        "rules": len(wanted),
        "breakages tried": found.tried,
        "marks": len(found.died) + len(found.alive),
        "marks whose test fails": len(found.died),
        "tests that fail unbroken": found.failing,
        "rules with a test that fails": len(proved),
        "rules without a test that fails": len(left),
    }
