"""The same seed and calls give the same bytes under every hash seed, with and without asserts, in every Python.

Pythons are those that are named, or that are on the path; each gets a virtual environment with what confsim needs.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from kit.proofs.determinism import TESTS, Way, runs

BAD = ("ways that differ",)
#: Minor versions of Python 3 that are looked for.
VERSIONS = range(11, 20)
#: What the walk through the catalogue needs beside confsim.
MORE = ("hypothesis", "pytest")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--hashes", type=int, default=8, help="seeds of hashes for each Python")
    options.add_argument("--seeds", type=int, default=3, help="seeds of worlds")
    options.add_argument("--python", nargs="*", default=[], metavar="PATH", help="Pythons beside this one")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Run the walk by each way, print what differs, and return the figures."""
    there = [path for minor in VERSIONS if (path := shutil.which(f"python3.{minor}"))]
    found = chosen.python or [path for path in there if _version(path)]
    differing = tried = 0
    used: list[str] = []
    left_out: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        pythons = [Way().python]
        for number, python in enumerate(found):
            made = _environment(python, Path(folder) / str(number))
            (used if made else left_out).append(_version(python))
            pythons += [made] if made else []
        calls = 0
        for seed in range(chosen.seeds):
            ways = [
                Way(str(hashes), optimised, python)
                for python, hashes, optimised in product(pythons, range(chosen.hashes), (False, True))
            ]
            reported: dict[Way, list[str]] = {}
            for some in _by_two(ways):
                reported.update(zip(some, runs(some, seed, rounds=2), strict=True))
            expected = reported[ways[0]]
            calls += int(expected[0]) * len(ways)
            tried += len(ways)
            for way in ways:
                if reported[way] != expected:
                    differing += 1
                    print(f"seed {seed}, {way}: {reported[way]}, not {expected}")  # noqa: T201  (this is its output)
    return {
        "Pythons": [_version(Way().python), *used],
        "Pythons that could not be measured": left_out,
        "seeds of worlds": chosen.seeds,
        "seeds of hashes": chosen.hashes,
        "runs": tried,
        "calls": calls,
        "ways that differ": differing,
    }


def _by_two(ways: list[Way]) -> list[list[Way]]:
    return [ways[place : place + 2] for place in range(0, len(ways), 2)]


def _version(python: str) -> str:
    """The version of a Python; empty for a command that runs none, as that of a version manager may be."""
    said = subprocess.run([python, "-V"], capture_output=True, text=True).stdout.split()
    return said[1] if len(said) > 1 else ""


def _environment(python: str, folder: Path) -> str:
    """The Python of a new virtual environment with what confsim needs; empty where that cannot be had."""
    made = subprocess.run([python, "-m", "venv", folder], capture_output=True).returncode == 0
    new = str(folder / "bin" / "python")
    install = [new, "-m", "pip", "install", "--quiet", str(TESTS.parent), *MORE]
    return new if made and subprocess.run(install, capture_output=True).returncode == 0 else ""
