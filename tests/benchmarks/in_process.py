"""What calls and worlds cost in this process."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import measure
import step
import yardstick
from msgspec.structs import replace
from step import CLOCK

from confsim import Simulator, shipped
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.tables.filling import fill

SEEDED = 1_000_000


def wsgi() -> Iterator[tuple[str, str]]:
    """A whole simulated POST through WSGI, and through Simulator.call: the fastest of some processes.

    How a process happens to lie in memory makes some percent.
    """
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
        runs = [processes.submit(step.times).result() for _ in range(5)]
    bare, *others = map(min, zip(*runs, strict=True))
    names = ("a POST through WSGI", "a POST through Simulator.call", "a GET through Simulator.call")
    for name, seconds in zip(names, others, strict=True):
        yield name, f"{seconds / bare:.2f}x the bare app"


def durable() -> Iterator[tuple[str, str]]:
    """A POST whose change is in a state directory before it is answered, beside one that is stored nowhere."""
    with tempfile.TemporaryDirectory() as place:
        plain, stored = Simulator(clock=CLOCK), Simulator(clock=CLOCK)
        count = itertools.count()

        def post(sim: Simulator) -> Callable[[], object]:
            return lambda: sim.call(
                "update_terms_url", "demo-api-token", body={"url": f"https://terms.example/{next(count)}"}
            )

        with stored.keep_in(place):
            yield "a durable POST through call", f"{measure.paired(post(stored), post(plain)):.2f}x one that is not"
            bare = step.through(yardstick.app, yardstick.PATH)
            yield "a durable POST through call", f"{measure.paired(post(stored), bare):.2f}x the bare app"


def populated(people: int, rooms: int = 0) -> Simulator:
    """A simulator whose client has so many users and channels more."""
    sim = Simulator(clock=CLOCK)
    client = "22222222-2222-4222-8222-222222222222"
    change = sim.service.change()
    for n in range(people):
        users.create(change, client, f"user {n}", Account.REGISTERED)
    if rooms:
        room = channels.create(change, clients.get(change, client), "room", None, None)
        texts = [f"{n:08x}-0000-4000-8000-000000000000" for n in range(rooms)]
        copies = [replace(room, id=text, name=text, meeting_id=text, url_name=text) for text in texts]
        fill(change, channels.CHANNELS, client, [*channels.CHANNELS.of(change, client).all, *copies])
    sim.service.commit(change)
    sim.service.begin()
    return sim


def forks() -> Iterator[tuple[str, str]]:
    """Fork and reset of 100 and of 100,000 users."""
    for people in (100, 100_000):
        sim = populated(people)
        yield f"fork with {people:,} users", f"{measure.each(sim.fork):.1f} us"
        yield f"reset with {people:,} users", f"{measure.each(sim.reset):.1f} us"


def makings() -> Iterator[tuple[str, str]]:
    """A world more on a server, from each thing that it can be made from, whatever the first of them holds."""
    sim = populated(1000)
    sim.snapshot("full")
    count = itertools.count()
    file = json.loads(shipped.read("fixtures/demo.json"))

    def add(**reported: Any) -> Callable[[], object]:
        def make() -> object:
            return sim.worlds.add(f"w{next(count)}", **reported)

        return make

    ways = {"a world": {"source": ""}, "a snapshot": {"snapshot": "full"}, "a shipped world": {"source": "demo"}}
    for name, reported in (ways | {"a file": {"source": file}, "a scenario": {"source": "lobby"}}).items():
        yield f"a world from {name}", f"{measure.each(add(**reported), number=50):.0f} us"
        sim.worlds.drop()


def pages() -> Iterator[tuple[str, str]]:
    """The newest 50 channels of 100 and of 1,000,000."""
    small, large = populated(0, 100), populated(0, SEEDED)

    def newest(sim: Simulator) -> Callable[[], object]:
        def page() -> object:
            answer = sim.call("list_channels", "demo-api-token", limit=50)
            assert answer.status == 200
            return answer

        return page

    ratio = measure.paired(newest(large), newest(small), number=100)
    yield f"newest 50 of {SEEDED:,}", f"{ratio:.2f}x the newest 50 of 100"


def imports() -> Iterator[tuple[str, str]]:
    """Import of confsim, and of confsim with a first Simulator, without the start of the interpreter."""

    def run(code: str) -> float:
        spans = []
        for _ in range(9):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            spans.append(time.perf_counter() - start)
        return min(spans) * 1000

    bare = run("pass")
    yield "import confsim", f"{run('import confsim') - bare:.0f} ms"
    whole, other = run("from confsim import Simulator") - bare, run("import werkzeug.test") - bare
    yield "from confsim import Simulator", f"{whole:.0f} ms, {whole / other:.2f}x import werkzeug.test"
    yield "a first Simulator", f"{run('from confsim import Simulator; Simulator()') - bare:.0f} ms"
