"""What the live server costs, beside the bare app on Werkzeug's own server."""

from __future__ import annotations

import math
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import loaded_worlds
import yardstick
from memory import resident, spent
from step import BODY, CLOCK

from confsim import Simulator

HERE = Path(__file__).resolve().parent


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


#: What the program ``confsim`` does that pip makes.
PROGRAM = "from confsim.__main__ import main; main()"


def free_port() -> int:
    """A port that is free at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(command: list[str], port: int, path: str) -> Iterator[tuple[float, int]]:
    """A server process; yields the seconds from its start to its first answer."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    headers = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer demo-user\r\nConnection: close"
    request = f"GET {path} HTTP/1.1\r\n{headers}\r\n\r\n".encode()
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
        yield time.perf_counter() - start, process.pid
    finally:
        process.terminate()
        process.wait()


def commands(port: int) -> tuple[tuple[list[str], str], tuple[list[str], str]]:
    """The two servers: confsim and the bare app on werkzeug's own, neither of which logs calls; a path to ask first."""
    ours = [sys.executable, "-c", PROGRAM, "serve", "--quiet", "--port", str(port)]
    bare = [sys.executable, str(HERE / "yardstick.py"), str(port)]
    return (ours, "/v1_0/users/me"), (bare, yardstick.PATH)


def starts() -> Iterator[tuple[str, str]]:
    """From the start of the process to the first answer: of the API, and of the control plane, loaded when called."""
    port = free_port()
    ours, bare = commands(port)
    best = [math.inf] * 3
    for _ in range(20):
        for place, (command, path) in enumerate((bare, ours, (ours[0], "/_confsim/health"))):
            with serving(command, port, path) as (seconds, _):
                best[place] = min(best[place], seconds)
    for name, seconds in (("serve to first answer", best[1]), ("serve to first answer of the control plane", best[2])):
        yield name, f"{seconds / best[0]:.2f}x a bare Werkzeug server ({seconds * 1000:.0f} ms)"


def rates() -> Iterator[tuple[str, str]]:
    """Requests a second of the live server beside the bare app on werkzeug's own server.

    Also by a second of the processor in the server, which does not depend on what else the machine does.
    """
    for connections in (1, 16):
        best, thrifty = [0.0, 0.0], [0.0, 0.0]
        for _ in range(3):
            port = free_port()
            targets = zip(commands(port), ("/v1_0/terms", yardstick.PATH), strict=True)
            for place, ((command, first), path) in enumerate(targets):
                with serving(command, port, first) as (_, process):
                    load = [str(HERE / "load.py"), "127.0.0.1", str(port), path, "demo-api-token", BODY.decode()]
                    before = spent(process)
                    reported = subprocess.run(
                        [sys.executable, *load, str(connections), "2"], check=True, capture_output=True, text=True
                    )
                    rate = float(reported.stdout)
                    best[place] = max(best[place], rate)
                    thrifty[place] = max(thrifty[place], 2 * rate / ((spent(process) - before) or math.inf))
        plural = "" if connections == 1 else "s"
        ratio = f"{best[0] / best[1]:.1f}x the bare app on werkzeug's server ({best[0]:,.0f}/s)"
        if all(thrifty):
            ratio += f", by its processor time {thrifty[0] / thrifty[1]:.1f}x ({thrifty[0]:,.0f}/s)"
        yield f"POSTs on {connections} connection{plural}", ratio


def worlds() -> Iterator[tuple[str, str]]:
    """A thousand worlds on one server: made, called all at once from 32 threads, and each as if it were alone."""
    count, port = 1000, free_port()
    command = [sys.executable, "-m", "confsim", "serve", "-p", str(port), "--clock", loaded_worlds.CLOCK, "--frozen"]
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
            with loaded_worlds.Connection(port) as connection:
                connection.ask("GET", "/_confsim/health")
                return
        except OSError:
            time.sleep(0.01)


def crowded(process: int, port: int, count: int) -> Iterator[tuple[str, str]]:
    """What so many worlds cost, idle and under load."""
    with loaded_worlds.Connection(port) as connection:
        before, start = resident(process), time.perf_counter()
        for number in range(count):
            connection.ask("POST", "/_confsim/worlds", {"name": f"idle-{number}", "from": "demo"})
        yield "a world more, over HTTP", f"{(time.perf_counter() - start) / count * 1e6:.0f} us to make"
        yield f"an idle world of {count:,}", f"{(resident(process) - before) / count / 1024:.1f} kB"
        connection.ask("DELETE", "/_confsim/worlds")
    before = resident(process)
    members = loaded_worlds.make(port, count)
    yield "an idle world of a seed of its own", f"{(resident(process) - before) / count / 1024:.1f} kB"
    start = time.perf_counter()
    done = loaded_worlds.load(port, members, calls=20, threads=32)
    rate = done / (time.perf_counter() - start)
    held = (resident(process) - before) / count / 1024
    yield f"{done:,} calls from 32 threads", f"{rate:,.0f}/s, {held:.0f} kB a world with its journal"
    loaded_worlds.check(port, members)
    yield f"{count:,} worlds under load", "each is as its twin that was alone"
