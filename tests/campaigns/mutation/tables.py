"""Small changes of the tables of machines, and of what machines do to each other, and whether tests notice them.

Each mutant is held against the golden tables (``tests/data/machines``, ``tests/data/influence.toml``), which know
states, guards and triggers; what these cannot see, such as an effect that is skipped, the tests of domain and api that
reach it must. ``--behaviour`` leaves the golden tables out. Mutants that change nothing stand with the reason in
``tests/data/table_mutants.toml``.
"""

from __future__ import annotations

import argparse
import os
import tomllib
from collections import Counter
from typing import Any

BAD = ("survivors",)


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--only", default="", metavar="TEXT", help="mutants whose name contains this")
    options.add_argument(
        "--part",
        default="1/1",
        metavar="I/N",
        help="which part of the machines to try",
    )
    options.add_argument("--limit", type=float, default=20, metavar="S", help="seconds of tests for each")
    options.add_argument("--behaviour", action="store_true", help="leave the golden tables out")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Try the mutants, print those that nothing noticed, and return the figures."""
    os.environ["HYPOTHESIS_PROFILE"] = "mutation"
    from kit.mutation import table_mutants, trying
    from kit.mutation.sample import ROOT
    from kit.mutation.table_runs import equal, noticed, tried
    from kit.tables import package_of

    number, parts = map(int, chosen.part.split("/"))
    every = [mutant for mutant in table_mutants.every() if chosen.only in mutant.key]
    machines = sorted({mutant.machine for mutant in every}, key=lambda name: (package_of(name), name))
    machines = machines[len(machines) * (number - 1) // parts : len(machines) * number // parts]
    every = [mutant for mutant in every if mutant.machine in machines]
    reasons = tomllib.loads((ROOT / "tests/data/table_mutants.toml").read_text())
    same = {mutant.key for mutant in every if equal(mutant)}
    judged = {mutant.key for mutant in every if mutant.key in reasons}
    golden = set() if chosen.behaviour else {mutant.key for mutant in every if noticed(mutant)}
    verdicts = dict(tried([mutant for mutant in every if mutant.key not in golden | same | judged], chosen.limit))
    guards = [mutant for mutant in table_mutants.in_guards() if chosen.only in mutant.key and number == parts]
    judged |= {mutant.key for mutant in guards if mutant.key in reasons}
    asked = [mutant for mutant in guards if mutant.key not in reasons]
    verdicts |= {mutant.key: verdict for mutant, verdict in trying.verdicts(asked, chosen.limit, 1, whole=True)}
    left = [(key, verdict) for key, verdict in verdicts.items() if verdict.what != "killed"]
    for key, verdict in left:
        print(f"{verdict.what}: {key}")  # noqa: T201  (this is its output)
    return {
        "machines": len(machines),
        "mutants": len(every) + len(guards),
        "by kind": {**Counter(mutant.kind for mutant in every), "in the function of a guard": len(guards)},
        "noticed by the golden tables": len(golden),
        "killed by tests of behaviour": len(verdicts) - len(left),
        "equal in every triple": len(same),
        "judged to change nothing": len(judged),
        "survivors": len(left),
    }
