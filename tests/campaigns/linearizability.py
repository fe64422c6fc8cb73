"""Calls made at the same time are answered as if they had been made one after the other; planted races are found.

Histories of threads under a scheduler with a seed, and of clients over sockets beside a thread of the server's process.
The same histories are run without the lock of the world: what is found then says what the search can see.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from kit.proofs.histories import over_a_socket, scheduled

BAD = ("not linearizable", "planted races that were not found")
#: What a missing lock breaks, each to be seen at least once.
KINDS = ("deletes", "handles", "journal", "register", "rooms")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--scheduled", type=int, default=1000, help="histories under the scheduler")
    options.add_argument("--sockets", type=int, default=200, help="histories over sockets")
    options.add_argument("--threads", type=int, default=4, help="threads of a history")
    options.add_argument("--calls", type=int, default=20, help="calls of a thread")
    options.add_argument("--races", type=int, default=200, help="histories of each sort with a planted race")
    options.add_argument("--seed", type=int, default=0, help="the first seed")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Tell the histories, print what is not linearizable, and return the figures."""
    ways = {"scheduled": scheduled, "over sockets": over_a_socket}
    counts = {"scheduled": chosen.scheduled, "over sockets": chosen.sockets}
    figures: dict[str, Any] = {"threads": chosen.threads, "calls of a thread": chosen.calls}
    wrong = unfound = 0
    for name, tell in ways.items():
        for seed in range(chosen.seed, chosen.seed + counts[name]):
            problems = tell(seed, chosen.threads, chosen.calls)
            if problems:
                wrong += 1
                print(f"{name}, seed {seed}: {', '.join(problems)}")  # noqa: T201  (this is its output)
        figures[f"histories {name}"] = counts[name]
        found: Counter[str] = Counter()
        missed = 0
        for seed in range(chosen.seed, chosen.seed + chosen.races):
            problems = tell(seed, chosen.threads, chosen.calls, race=True)
            missed += not problems
            found.update(problems)
        unfound += missed + sum(not found[kind] for kind in KINDS if chosen.races >= 20)
        figures[f"planted races {name}"] = chosen.races
        figures[f"planted races {name}, found by"] = dict(sorted(found.items()))
    return {**figures, "not linearizable": wrong, "planted races that were not found": unfound}
