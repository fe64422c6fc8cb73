"""What a tenant sees alone is, byte for byte, what it sees with others at work beside it: random stories, by seed."""

from __future__ import annotations

import argparse
from typing import Any

from kit.proofs.interference import interferences

BAD = ("interferences",)


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--seeds", type=int, default=200, help="stories")
    options.add_argument("--first", type=int, default=0, help="the first seed")
    options.add_argument("--length", type=int, default=400, help="acts of a story")
    options.add_argument("--tenants", type=int, default=2, help="tenants beside the two of the demo world")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Tell the stories, print what interferes, and return the figures."""
    found = 0
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        for each in interferences(seed, chosen.length, chosen.tenants):
            found += 1
            print(f"seed {seed}: {each[:1000]}")  # noqa: T201  (this is its output)
    return {
        "stories": chosen.seeds,
        "tenants": chosen.tenants + 2,
        "acts": chosen.seeds * chosen.length,
        "interferences": found,
    }
