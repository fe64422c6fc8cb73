"""Values of assumptions that no call shows: which claims of calibrate they would make wrong.

Calibrate runs beside a service under the defaults. For each value that is left open, and under which the world is
another one, every exchange is judged again as if the service followed it. What is then not ruled out any more is hidden
by that value, and calibrate may claim nothing of it unless the value is known: ``HIDDEN_BY`` says so.
"""

from __future__ import annotations

import argparse
from typing import Any

from confsim.reference.raw_probes import RAW_PROBES
from confsim.testing.calibrating.seeing import HIDDEN_BY
from kit.beside import Beside

BAD = ("hidden and not declared", "declared and not found")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--seed", type=int, default=1, help="the seed of the calibrate run")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Judge again under each value, print what it hides, and return the figures."""
    calibrator = Beside().calibrator(seed=chosen.seed)
    calibrator.run()
    learner, evidence = calibrator.learner, calibrator.evidence
    raw = {id for probe in RAW_PROBES for id in probe.tells}  # requests are not judged again here
    own = {*learner.alternatives.followed, *learner.alternatives.lost}
    judged, found = 0, set[tuple[str, str]]()
    for value in sorted((each for each in own if evidence.is_open(each)), key=lambda each: each.key):
        under = evidence.renewed(value, [])
        if not learner._renewed(under):
            continue
        judged += 1
        for key in sorted(evidence.ruled_out - under.ruled_out - {value.key}):
            id = key.partition("=")[0]
            if id not in raw and id not in value.ids:
                print(f"{key} is hidden by {value.key}")  # noqa: T201  (this is its output)
                found.add((id, value.ids[0]))
    declared = set(HIDDEN_BY.items())
    return {
        "values left open under which the world is another one, and that every answer allows": judged,
        "hidden": len(found),
        "hidden and not declared": len(found - declared),
        "declared and not found": len(declared - found),
    }
