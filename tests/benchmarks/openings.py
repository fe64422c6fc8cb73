"""What it takes to open state directories, and how long calls wait while a checkpoint is made beside them."""

from __future__ import annotations

import gc
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from multiprocessing import get_context
from statistics import median

from in_process import populated
from memory import resident
from step import CLOCK

from confsim import Simulator

ROOMS, WORLDS = 100_000, 2000


def openings() -> Iterator[tuple[str, str]]:
    """A durable world of 100,000 rooms, after a clean stop and after a kill, and 2,000 small worlds.

    Each step is a process of its own, which leaves the directory as one that is killed does.
    """
    with (
        tempfile.TemporaryDirectory() as place,
        ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes,
    ):

        def run(function: Callable[[str], str]) -> str:
            return processes.submit(function, place).result()

        run(_grown)
        yield f"a durable world of {ROOMS:,} rooms opens", run(_opened)
        yield "calls of it, a checkpoint beside them", run(_called)
        opened = run(_opened)
        yield "it opens after a kill", opened
        yield "the memory that this takes", opened.partition(", ")[2]
        shutil.rmtree(place)
        run(_many)
        yield f"{WORLDS:,} durable worlds open and are listed", run(_listed)


def _grown(place: str) -> str:
    """A state directory of a world that has grown since it was begun."""
    sim = Simulator(clock=CLOCK)
    with sim.keep_in(place), sim.service.lock:
        sim.service.live.replace(populated(0, ROOMS).service.world)
    return ""


def _opened(place: str) -> str:
    sim = Simulator(clock=CLOCK)
    gc.disable()  # as a server does
    before, begin = resident(os.getpid()), time.thread_time()
    sim.keep_in(place)
    taken = time.thread_time() - begin
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return f"{taken:.2f} s of the processor, {most / 2**20:.0f} MiB at most, {before / 2**20:.0f} MiB before"


def _called(place: str) -> str:
    """Rooms are made until a checkpoint was made beside the calls; those count that it was made beside."""
    sim = Simulator(clock=CLOCK)
    durable = sim.keep_in(place)
    gc.disable()  # as a server does
    spans: list[float] = []
    for number in count():
        under_way = durable.under_way
        if spans and not under_way:
            break
        begin = time.perf_counter()
        sim.call("create_channel", "demo-owner", body={"name": f"Another room {number}"})
        if under_way:
            spans.append((time.perf_counter() - begin) * 1000)
    durable.wait()
    spans.sort()
    named = f"median {median(spans):.2f} ms, p99 {spans[-len(spans) // 100]:.1f} ms, worst {spans[-1]:.1f} ms"
    return f"{named}, of {len(spans):,}"


def _many(place: str) -> str:
    sim = Simulator(clock=CLOCK)
    sim.keep_in(place)
    sim.worlds.most = WORLDS
    for number in range(WORLDS):
        world = sim.worlds.add(f"w{number}")
        if number % 10 == 0:
            world.call("create_channel", "demo-owner", body={"name": "Room"})
    return ""


def _listed(place: str) -> str:
    sim = Simulator(clock=CLOCK)
    begin = time.thread_time()
    sim.keep_in(place)
    opened = time.thread_time()
    count = len(sim.control("list_worlds"))
    listed = time.thread_time()
    return f"{opened - begin:.2f} s and {listed - opened:.2f} s of the processor, {count:,} of them"
