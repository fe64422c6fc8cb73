"""An exception at every write of every operation leaves the digest of the world as it was.

A call of each operation that succeeds, and calls of the control plane, are made again with a failure at their first
write, at their second, and so on.
"""

from __future__ import annotations

import argparse
from typing import Any

from confsim.api.catalogue import API
from kit.proofs.no_trace import COMMANDS, failures, of_commands, of_operations

NAMES = (*API.operations, *COMMANDS)
BAD = ("operations that never succeeded", "traces")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument(
        "--only", nargs="*", default=[], metavar="NAME", choices=NAMES, help="operations; without them all"
    )


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Fail everywhere, print what left a trace, and return the figures."""
    cases, commands = of_operations(), of_commands()
    wanted = [name for name in API.operations if not chosen.only or name in chosen.only]
    found = {name: list(failures(cases[name])) for name in wanted if name in cases}
    control = {name: list(failures(case)) for name, case in commands.items() if not chosen.only or name in chosen.only}
    traces = 0
    for name, writes in {**found, **control}.items():
        for number, problem in writes:
            if problem:
                traces += 1
                print(f"{name}, write {number}: {problem}")  # noqa: T201  (this is its output)
    return {
        "operations": len(found),
        "operations that never succeeded": [name for name in wanted if name not in cases],
        "operations that write nothing": sum(not writes for writes in found.values()),
        "writes of operations that failed": sum(map(len, found.values())),
        "writes of the control plane that failed": sum(map(len, control.values())),
        "traces": traces,
    }
