"""Schemathesis as a user runs it: its command line, the hooks of ``confsim.testing.schemathesis``, a served demo world.

The examples, coverage and fuzzing phases run for a few operations of an area at a time, the stateful phase for all of
them, in runs of a few examples with a seed of their own. With ``--into FILE --seconds N`` it runs in parts, each of
which goes on where the last one stopped; ``--only all`` runs every phase of every area at once, which is quicker with
few examples.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from confsim import Simulator
from confsim.api.catalogue import API

BAD = ("findings", "errors", "operations that never succeed", "parts to do")
ROOT = Path(__file__).resolve().parents[2]
#: The name of the parts that are the stateful phase.
STATEFUL = "stateful"
#: The name of the part that is every phase of every area.
ALL = "all"
#: Operations of a part, and examples of a part of the stateful phase.
MOST = 6
SCENARIOS = 20


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--examples", type=int, default=200, help="of each operation")
    options.add_argument("--only", default="", metavar="AREA,…", help=f"areas of the API, {STATEFUL}, or {ALL}")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--into", type=Path, metavar="FILE", help="add to the results of this file, and skip those")
    options.add_argument("--seconds", type=float, default=float("inf"), help="begin no part after so long")
    options.add_argument("--workers", type=int, default=2)


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Run the parts that are left, print the findings, and return the figures."""
    every = parts(chosen.examples)
    named = chosen.only.split(",") if chosen.only else list(every)
    wanted = [ALL] if named == [ALL] else [each for each in every if each in named or each.split()[0] in named]
    done: dict[str, Any] = {}
    if chosen.into is not None and chosen.into.exists():
        done = json.loads(chosen.into.read_text())
    until = time.monotonic() + chosen.seconds
    with ThreadPoolExecutor(chosen.workers) as threads:
        left = [each for each in wanted if each not in done]
        for part, result in zip(left, threads.map(partial(_part, chosen=chosen, until=until), left), strict=True):
            if result is not None:
                done[part] = result
                if chosen.into is not None:
                    chosen.into.write_text(json.dumps(done, indent=1) + "\n")
    for part, result in done.items():
        for line in result["findings"] + result["errors"]:
            print(f"{part}: {line}")  # noqa: T201  (this is its output)
    return figures(wanted, done)


def parts(examples: int) -> dict[str, tuple[str, ...]]:
    """The operations of each part by its name; none of a part of the stateful phase, which is of all of them."""
    found: dict[str, tuple[str, ...]] = {}
    for area, operations in groupby(sorted(API, key=lambda each: each.area), lambda each: each.area):
        names = [each.name for each in operations]
        pieces = [tuple(names[start : start + MOST]) for start in range(0, len(names), MOST)]
        found |= {f"{area} {number}/{len(pieces)}": piece for number, piece in enumerate(pieces, 1)}
    runs = -(-examples // SCENARIOS)
    return {**found, **{f"{STATEFUL} {number}/{runs}": () for number in range(1, runs + 1)}}


def figures(wanted: list[str], done: dict[str, Any]) -> dict[str, Any]:
    """The figures of the parts."""
    succeeded = {each for result in done.values() for each in result["succeeded"]}
    tested = {each for result in done.values() for each in result["tested"]}
    return {
        "operations": len(tested),
        "operations that never succeed": sorted(tested - succeeded),
        "cases": sum(each["cases"] for each in done.values()),
        "findings": sum(len(each["findings"]) for each in done.values()),
        "failures that are named with a reason": sum(each["named"] for each in done.values()),
        "errors": sum(len(each["errors"]) for each in done.values()),
        "parts": len(done),
        "parts to do": len([each for each in wanted if each not in done]),
        "examples of an operation": min((each["examples"] for each in done.values()), default=0),
        "seconds": round(sum(each["seconds"] for each in done.values())),
    }


def _part(part: str, chosen: argparse.Namespace, until: float) -> dict[str, Any] | None:
    """The result of Schemathesis for an area, or for the stateful phase; None when there is no time left."""
    if time.monotonic() > until:
        return None
    operations, seed, examples = parts(chosen.examples).get(part, ()), chosen.seed, chosen.examples
    phases = "examples,coverage,fuzzing,stateful" if part == ALL else "examples,coverage,fuzzing"
    if part.startswith(STATEFUL):
        phases, seed, examples = STATEFUL, seed + int(part.split()[1].split("/")[0]) - 1, min(SCENARIOS, examples)
    with tempfile.TemporaryDirectory() as folder, Simulator().serve() as server:
        report = Path(folder) / "report.json"
        done = subprocess.run(
            [
                *(str(Path(sys.executable).with_name("st")), "run", f"{server.root}/openapi.json"),
                *("-n", str(examples), "--seed", str(seed), "--continue-on-failure"),
                *("--report", "json", "--report-json-path", str(report)),
                *("--phases", phases),
                *(word for each in operations for word in ("--include-operation-id", each)),
            ],
            cwd=folder,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "confsim.testing.schemathesis", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        if not report.exists():
            return {**_EMPTY, "errors": [done.stdout[-2000:] + done.stderr[-500:]]}
        return _read(json.loads(report.read_text()), chosen.examples)


_EMPTY: dict[str, Any] = {
    "succeeded": [],
    "tested": [],
    "cases": 0,
    "findings": [],
    "named": 0,
    "errors": [],
    "examples": 0,
    "seconds": 0,
}


def _read(report: dict[str, Any], examples: int) -> dict[str, Any]:
    """What a report of Schemathesis says."""
    rates = report["valid_rates"]
    return {
        "succeeded": [each for each, phases in rates.items() if any(phase["accepted"] for phase in phases.values())],
        "tested": list(rates),
        "cases": report["test_cases"]["generated"],
        "findings": [json.dumps(each) for each in report["failures"]],
        "named": report["filtered"],
        "errors": [json.dumps(each) for each in report["errors"]],
        "examples": examples,
        "seconds": report["running_time"],
    }
