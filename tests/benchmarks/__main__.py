"""Print the speed of confsim as ratios measured in one run: ``python tests/benchmarks [NAME ...]``."""

from __future__ import annotations

import itertools
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import crowd  # noqa: E402
import measure  # noqa: E402
import step  # noqa: E402
import yardstick  # noqa: E402
from step import BODY, CLOCK  # noqa: E402

from confsim import Simulator  # noqa: E402
from confsim.domain.channels import channels  # noqa: E402
from confsim.domain.clients import clients  # noqa: E402
from confsim.domain.users import users  # noqa: E402
from confsim.domain.users.users import Account  # noqa: E402
from confsim.service.files import world_file  # noqa: E402

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
    """A POST whose change is in a state directory before it is answered, beside one that is kept nowhere."""
    with tempfile.TemporaryDirectory() as place:
        plain, kept = Simulator(clock=CLOCK), Simulator(clock=CLOCK)
        count = itertools.count()

        def post(sim: Simulator) -> Callable[[], object]:
            return lambda: sim.call(
                "update_terms_url", "demo-api-token", body={"url": f"https://terms.example/{next(count)}"}
            )

        with kept.keep_in(place):
            yield "a durable POST through call", f"{measure.paired(post(kept), post(plain)):.2f}x one that is not"
            bare = step.through(yardstick.app, yardstick.PATH)
            yield "a durable POST through call", f"{measure.paired(post(kept), bare):.2f}x the bare app"


def populated(people: int, rooms: int = 0) -> Simulator:
    """A simulator whose client has so many users and channels more."""
    sim = Simulator(clock=CLOCK)
    client = "22222222-2222-4222-8222-222222222222"
    change = sim.service.change()
    for n in range(people):
        users.create(change, client, f"user {n}", Account.REGISTERED)
    for n in range(rooms):
        channels.create(change, clients.get(change, client), f"room {n}", None, None)
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
    file = json.loads((world_file.fixtures() / "demo.json").read_bytes())

    def add(**told: Any) -> Callable[[], object]:
        def make() -> object:
            return sim.worlds.add(f"w{next(count)}", **told)

        return make

    ways = {"a world": {"source": ""}, "a snapshot": {"snapshot": "full"}, "a shipped world": {"source": "demo"}}
    for name, told in (ways | {"a file": {"source": file}, "a scenario": {"source": "lobby"}}).items():
        yield f"a world from {name}", f"{measure.each(add(**told), number=50):.0f} us"
        sim.worlds.drop()


def servers() -> Iterator[tuple[str, str]]:
    """Start and stop of the live server in this process, with connections that hang on to it."""
    sim, spans = Simulator(clock=CLOCK), []
    for _ in range(9):
        server, begin = sim.serve(), time.perf_counter()
        server.start()
        started = time.perf_counter()
        host, port = server.root.removeprefix("http://").split(":")
        clients = [socket.create_connection((host, int(port))) for _ in range(5)]
        stopping = time.perf_counter()
        server.stop()
        spans.append((started - begin, time.perf_counter() - stopping))
        for client in clients:
            client.close()
    for name, place in (("start", 0), ("stop", 1)):
        yield f"{name} of a live server", f"{min(span[place] for span in spans) * 1000:.1f} ms"


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
    """Import of confsim, and of confsim with a first Simulator, beside a bare interpreter."""

    def run(code: str) -> float:
        spans = []
        for _ in range(9):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            spans.append(time.perf_counter() - start)
        return min(spans) * 1000

    bare = run("pass")
    yield "import confsim", f"{run('import confsim') - bare:.0f} ms"
    yield "from confsim import Simulator", f"{run('from confsim import Simulator') - bare:.0f} ms"
    yield "a first Simulator", f"{run('from confsim import Simulator; Simulator()') - bare:.0f} ms"


def free_port() -> int:
    """A port that is free at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(command: list[str], port: int, path: str) -> Iterator[float]:
    """A server process; yields the seconds from its start to its first answer."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
    try:
        while True:
            try:
                with socket.create_connection(("127.0.0.1", port), 1) as connection:
                    connection.sendall(request)
                    if connection.recv(100):
                        break
            except OSError:
                if process.poll() is not None or time.perf_counter() - start > 20:
                    raise SystemExit(f"{command} does not serve") from None
                time.sleep(0.001)
        yield time.perf_counter() - start
    finally:
        process.terminate()
        process.wait()


def commands(port: int) -> tuple[tuple[list[str], str], tuple[list[str], str]]:
    """The two servers: confsim and the bare app on werkzeug's own, each with a path to ask first."""
    ours = [sys.executable, "-m", "confsim", "serve", "-p", str(port)]
    bare = [sys.executable, str(HERE / "yardstick.py"), str(port)]
    return (ours, "/_confsim/health"), (bare, yardstick.PATH)


def starts() -> Iterator[tuple[str, str]]:
    """From the start of the process to the first answer."""
    best = [float("inf"), float("inf")]
    for _ in range(7):
        port = free_port()
        for place, (command, path) in enumerate(commands(port)):
            with serving(command, port, path) as seconds:
                best[place] = min(best[place], seconds)
    yield "serve to first answer", f"{best[0] / best[1]:.2f}x a bare Werkzeug server ({best[0] * 1000:.0f} ms)"


def rates() -> Iterator[tuple[str, str]]:
    """Requests a second of the live server beside the bare app on werkzeug's own server."""
    for connections in (1, 16):
        best = [0.0, 0.0]
        for _ in range(3):
            port = free_port()
            targets = zip(commands(port), ("/v1_0/terms", yardstick.PATH), strict=True)
            for place, ((command, first), path) in enumerate(targets):
                with serving(command, port, first):
                    load = [str(HERE / "load.py"), "127.0.0.1", str(port), path, "demo-api-token", BODY.decode()]
                    told = subprocess.run(
                        [sys.executable, *load, str(connections), "2"], check=True, capture_output=True, text=True
                    )
                    best[place] = max(best[place], float(told.stdout))
        plural = "" if connections == 1 else "s"
        ratio = f"{best[0] / best[1]:.1f}x the bare app on werkzeug's server ({best[0]:,.0f}/s)"
        yield f"POSTs on {connections} connection{plural}", ratio


def memory(process: int) -> int:
    """What a process holds in memory, in bytes; 0 where the machine does not tell."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def worlds() -> Iterator[tuple[str, str]]:
    """A thousand worlds on one server: made, called all at once from 32 threads, and each as if it were alone."""
    count, port = 1000, free_port()
    command = [sys.executable, "-m", "confsim", "serve", "-p", str(port), "--clock", crowd.CLOCK, "--frozen"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            until_served(port)
            yield from crowded(process.pid, port, count)
        finally:
            process.terminate()


def until_served(port: int) -> None:
    """Wait until a server answers."""
    while True:
        try:
            with crowd.Way(port) as way:
                way.ask("GET", "/_confsim/health")
                return
        except OSError:
            time.sleep(0.01)


def crowded(process: int, port: int, count: int) -> Iterator[tuple[str, str]]:
    """What so many worlds cost, idle and under load."""
    with crowd.Way(port) as way:
        before, start = memory(process), time.perf_counter()
        for number in range(count):
            way.ask("POST", "/_confsim/worlds", {"name": f"idle-{number}", "from": "demo"})
        yield "a world more, over HTTP", f"{(time.perf_counter() - start) / count * 1e6:.0f} us to make"
        yield f"an idle world of {count:,}", f"{(memory(process) - before) / count / 1024:.1f} kB"
        way.ask("DELETE", "/_confsim/worlds")
    before = memory(process)
    members = crowd.make(port, count)
    yield "an idle world of a seed of its own", f"{(memory(process) - before) / count / 1024:.1f} kB"
    start = time.perf_counter()
    done = crowd.load(port, members, calls=20, threads=32)
    rate = done / (time.perf_counter() - start)
    held = (memory(process) - before) / count / 1024
    yield f"{done:,} calls from 32 threads", f"{rate:,.0f}/s, {held:.0f} kB a world with its journal"
    crowd.check(port, members)
    yield f"{count:,} worlds under load", "each is as its twin that was alone"


ALL = (wsgi, durable, forks, makings, servers, pages, imports, starts, rates, worlds)


def main() -> None:
    """Run the benchmarks that are named, or all."""
    chosen = [bench for bench in ALL if not sys.argv[1:] or bench.__name__ in sys.argv[1:]]
    if not chosen:
        raise SystemExit(f"benchmarks: {', '.join(bench.__name__ for bench in ALL)}")
    for bench in chosen:
        for what, result in bench():
            print(f"{what:34} {result}", flush=True)  # noqa: T201  (this is its output)


if __name__ == "__main__":
    main()
