"""Every page, with every filter and of every thing, over the crowded, the fresh and the hostile world.

The suite opens some pages of each sort; this opens all that links lead to, and asks what if of the whole register.
"""

from __future__ import annotations

import argparse
from typing import Any
from urllib.parse import urlencode

import msgspec

from confsim.assumptions.register import REGISTER
from confsim.control.declare import PREFIX
from kit.crowded import SHARED
from kit.crowded.answers import Answer
from kit.crowded.asks import ASKS, BROWSER, crawl, judged
from kit.crowded.calls import send

BAD = ("problems",)


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--world", nargs="*", default=list(SHARED), choices=list(SHARED), help="worlds; without all")
    options.add_argument("--most", type=int, default=2_000, metavar="N", help="pages of a sort that are opened")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Ask everything of the worlds, print what is wrong, and return the figures."""
    problems = 0
    for world in chosen.world:
        found = [f"{ask}: {problem}" for ask in ASKS for problem in judged(world, ask)]
        found += [f"all pages: {problem}" for problem in crawl(SHARED[world](), chosen.most, 2)]
        found += [f"what if: {problem}" for problem in _what_ifs(world)]
        for problem in found:
            print(f"{world}: {problem}")  # noqa: T201  (this is its output)
        problems += len(found)
    return {"worlds": len(chosen.world), "questions": len(chosen.world) * len(ASKS), "problems": problems}


def _what_ifs(world: str) -> list[str]:
    """What is wrong with the what-if page of each alternative of each entry."""
    found: list[str] = []
    for entry in REGISTER.entries.values():
        for value in entry.alternatives:
            query = urlencode({"id": entry.id, "value": msgspec.json.encode(value).decode()})
            response = send(SHARED[world](), "GET", f"{PREFIX}/inspector/what-if", query, accept=BROWSER)
            found += Answer(query, response.status, "text/html", response.body).problems()
    return found
