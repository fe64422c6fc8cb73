"""Plant faults one at a time, and let the exploration find each of them.

For each fault the first violation is printed that the same acts do not show without it. All starts are walked, those
of its area first. A fault is not found if no walk to the depth shows one; of some the reason is known why none can.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any

from kit.exploration.planted import BY_NAME
from kit.exploration.planted.hunt import DEPTH, Hunt, hunt

BAD = ("not found", "named as unable to show, and found")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--only", action="append", metavar="NAME", help="fault, or a part of its name; without it all")
    options.add_argument("--depth", type=int, default=DEPTH, help="acts after each start")
    options.add_argument("--near", action="store_true", help="walk only the starts where a fault is looked for first")
    options.add_argument("--part", default="1/1", metavar="I/N", help="share of the faults")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Look for each fault, print what shows it, and return the figures."""
    part, parts = map(int, chosen.part.split("/"))
    only = chosen.only or [""]
    names = [name for name in BY_NAME if any(each in name for each in only)][part - 1 :: parts]
    if not names:
        raise SystemExit(f"no fault is called {' or '.join(only)}")
    hunts: list[Hunt] = []
    for name in names:
        hunts.append(hunt(BY_NAME[name], chosen.depth, everywhere=not chosen.near))
        print(hunts[-1], flush=True)  # noqa: T201  (this is its output)
    found = [each for each in hunts if each.found]
    seconds = [each.seconds for each in found] or [0.0]
    return {
        "planted": len(hunts),
        "found": len(found),
        "named as unable to show": sum(bool(each.fault.hidden) for each in hunts),
        "not found": sum(not each.found and not each.fault.hidden for each in hunts),
        "named as unable to show, and found": sum(bool(each.fault.hidden) for each in found),
        "greatest depth": max((each.depth for each in found), default=0),
        "median of processor seconds": median(seconds),
        "most processor seconds": max(seconds),
        "processor seconds": round(sum(each.seconds for each in hunts)),
    }
