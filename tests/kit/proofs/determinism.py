"""The same seed and the same calls give the same bytes, whatever Python runs them, in whatever order it keeps sets."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from confsim import Simulator
from kit import CUSTOMER, START
from kit.catalogue_walk import walk

TESTS = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys

from kit.proofs.determinism import run

print(*run(int(sys.argv[1]), int(sys.argv[2])))
"""
CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-partner-admin")


def run(seed: int = 7, rounds: int = 1) -> list[str]:
    """What so many rounds of the walk make of a world of this seed.

    The number of calls, and digests of answers, journal and world.
    """
    simulator = Simulator(seed=seed, clock=START)
    answers, journal, calls = hashlib.sha256(), hashlib.sha256(), 0
    for step in walk(simulator, CUSTOMER, CALLERS, rounds=range(rounds)):
        calls += 1
        answers.update(repr((step.operation.name, step.caller, step.answer.status)).encode())
        answers.update(repr(sorted(step.answer.headers.items())).encode() + step.answer.content)
    for entry in simulator.service.journal:
        recorded = (
            entry.id,
            entry.at,
            entry.operation,
            entry.request,
            entry.response,
            entry.assumptions,
            entry.touched,
        )
        journal.update(repr(recorded).encode())
    return [str(calls), answers.hexdigest(), journal.hexdigest(), simulator.service.world.digest()]


class Way(NamedTuple):
    """A way to run the script: a Python, the seed of its hashes, whether asserts are left out."""

    hashes: str = "0"
    optimised: bool = False
    python: str = sys.executable


def runs(ways: Iterable[Way], seed: int = 7, rounds: int = 1) -> list[list[str]]:
    """What ``run`` returns in a process of each way. The ways run beside each other."""
    started = [
        subprocess.Popen(
            [way.python, *(["-O"] if way.optimised else []), "-c", SCRIPT, str(seed), str(rounds)],
            env={**os.environ, "PYTHONPATH": _paths(way), "PYTHONHASHSEED": way.hashes},
            stdout=subprocess.PIPE,
            text=True,
        )
        for way in ways
    ]
    reported = [process.communicate(timeout=300)[0].split() for process in started]
    assert all(process.returncode == 0 for process in started)
    return reported


def _paths(way: Way) -> str:
    """The path of modules: that of this process for its own Python, the checkout alone for another."""
    own = way.python == sys.executable
    return os.pathsep.join(sys.path if own else [str(TESTS), str(TESTS.parent)])
