"""--confsim-fuzz over tests planted to depend on one or two assumptions, and over robust ones: who is named.

``--part N/OF`` takes every so many-th test, so that pairs can be done in parts.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kit import fuzz_corpus

BAD = ("robust tests that are named", "leaning tests whose set is not named")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--mode", choices=["singles", "pairs"], default="pairs")
    options.add_argument("--part", default="1/1", metavar="N/OF", help="one of several parts of the tests")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Run the tests, print who is named wrongly, and return the figures."""
    part, parts = map(int, chosen.part.split("/"))
    tests = fuzz_corpus.source().split("\n\n\n")[part - 1 :: parts]
    began = time.monotonic()
    found = _fuzzed("\n\n\n".join(tests), chosen.mode)
    sets = {name: [set(each["choices"]) for each in report["findings"]] for name, report in found.items()}
    planted = fuzz_corpus.leaning()
    if chosen.mode == "singles":
        planted = {name: ids for name, ids in planted.items() if len(ids) == 1}
    leaning = [name for name in _names(tests) if name in planted]
    robust = [name for name in _names(tests) if name not in fuzz_corpus.leaning()]
    missed = [name for name in leaning if planted[name] not in sets.get(name, [])]
    wrong = [name for name in robust if sets.get(name)]
    for name in (*missed, *wrong):
        print(f"{name}: {sets.get(name)}")  # noqa: T201  (this is its output)
    return {
        "tests": len(tests),
        "leaning tests": len(leaning),
        "leaning tests whose set is named": len(leaning) - len(missed),
        "leaning tests whose set is not named": len(missed),
        "robust tests": len(robust),
        "robust tests that are named": len(wrong),
        "variants": sum(report["runs"] for report in found.values()),
        "seconds": round(time.monotonic() - began),
    }


def _names(tests: list[str]) -> list[str]:
    return [re.match(r"def (\w+)", each)[1] for each in tests]  # type: ignore[index]


def _fuzzed(source: str, mode: str) -> dict[str, Any]:
    """What the report says of each test, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_corpus.py").write_text(source, encoding="utf-8")
        options = [f"--confsim-fuzz={mode}", "--confsim-fuzz-report=report.json", "-q", "-p", "no:cacheprovider"]
        command = [sys.executable, "-m", "pytest", *options, "test_corpus.py"]
        subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL)
        tests: dict[str, Any] = json.loads((Path(folder) / "report.json").read_text())["tests"]
    return {nodeid.rpartition("::")[2]: report for nodeid, report in tests.items()}
