"""What things, worlds and journal entries take up in memory."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from step import CLOCK

from confsim import Simulator
from kit.growth.kinds import KINDS
from kit.growth.prepared import prepared

#: How many of a kind are made to measure what one takes up.
MANY = 20_000


def resident(process: int) -> int:
    """What a process holds in memory, in bytes; 0 where the system does not report it."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def spent(process: int) -> float:
    """The seconds that a process has had of the processor; 0 where the system does not report it."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def things() -> Iterator[tuple[str, str]]:
    """Bytes of one thing of each kind, of an idle world and of a journal entry, each in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
        for kind in KINDS:
            if kind.most is None:
                yield f"one more: {kind.name}", f"{processes.submit(_of_kind, kind.name).result():,} B"
        yield "an idle fork", f"{processes.submit(_of_forks).result():,} B"
        for name in ("get_me", "update_terms_url"):
            yield f"a journal entry: {name}", f"{processes.submit(_of_entries, name).result():,} B"


def _each(make: Callable[[], object], count: int) -> int:
    """Bytes of one of so many things that are made."""
    gc.collect()
    before = resident(os.getpid())
    stored = make()
    gc.collect()
    each = (resident(os.getpid()) - before) // count
    del stored
    return each


def _of_kind(name: str) -> int:
    kind = next(kind for kind in KINDS if kind.name == name)
    sim, names = prepared()
    kind.add(sim, names, range(10))
    return _each(lambda: kind.add(sim, names, range(10, MANY + 10)), MANY)


def _of_forks() -> int:
    sim = Simulator(clock=CLOCK)
    sim.fork()
    return _each(lambda: [sim.fork() for _ in range(MANY)], MANY)


def _of_entries(name: str) -> int:
    """Of the entry of a call with the world before and after it."""
    sim = Simulator(clock=CLOCK)
    sim.requests.most = MANY
    body = {"body": {"url": "https://terms.example/2"}} if name == "update_terms_url" else {}

    def calls(count: int) -> None:
        for _ in range(count):
            sim.call(name, "demo-customer-admin", **body)

    calls(100)
    return _each(lambda: calls(MANY), MANY)
