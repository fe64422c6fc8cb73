"""Connections that cost a live server: a pipelined burst, slow readers, half-closed and thousands of idle ones.

Meanwhile another client is answered, and memory stays in bounds.
"""

from __future__ import annotations

import argparse
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

BAD = ("burst: out of bounds", "slow readers: out of bounds", "half-closed: unanswered", "idle: out of bounds")
#: Seconds that another client may wait, and MiB by which the server may grow.
WAIT, GROWTH = 1.0, 64
_HEAD = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
_SERVER = """
from confsim import Simulator
import sys
with Simulator().serve() as server:
    print(server.port, flush=True)
    sys.stdin.read()
"""


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--burst", type=int, default=2000, help="requests that are sent at once")
    options.add_argument("--readers", type=int, default=20, help="clients that ask for much and do not read")
    options.add_argument("--half", type=int, default=200, help="clients that close their side")
    options.add_argument("--idle", type=int, default=5000, help="connections that do nothing")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Try each kind on a server of its own, and return the figures."""
    figures: dict[str, Any] = {}
    with _files(chosen.idle + 100):
        for name, act in _KINDS.items():
            with Server() as server, ExitStack() as open_:
                for what, figure in act(server, open_, chosen):
                    figures[f"{name}: {what}"] = figure
    return figures


class Server:
    """A live server in a process of its own."""

    def __enter__(self) -> Server:
        source = Path(__file__).resolve().parents[3]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=source
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.waits(b"/v1_0/users/me")  # what the first call imports is no growth
        self.waits(b"/openapi.json")
        self.began = self.memory()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def memory(self) -> float:
        """MiB of memory that the process holds, where the system tells."""
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            return 0.0
        return int(next(line for line in status.read_text().splitlines() if "VmRSS" in line).split()[1]) / 1024

    @property
    def growth(self) -> float:
        """MiB by which it has grown."""
        return round(self.memory() - self.began, 1)

    def connect(self) -> socket.socket:
        """A connection to it."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def waits(self, target: bytes = b"/_confsim/health") -> float:
        """Seconds that another client waits for an answer."""
        begun = time.perf_counter()
        with closing(self.connect()) as other:
            other.sendall(_HEAD % target)
            assert other.recv(65536).startswith(b"HTTP/1.1 ")
        return round(time.perf_counter() - begun, 3)


Figures = Iterator[tuple[str, Any]]


def _judged(server: Server, waited: float) -> Figures:
    growth = server.growth
    yield "MiB more", growth
    yield "seconds that another client waits", waited
    yield "out of bounds", int(waited > WAIT or growth > GROWTH)


def burst(server: Server, open_: ExitStack, chosen: argparse.Namespace) -> Figures:
    """Many requests of a long answer in one piece, and nothing of the answers is read."""
    client = open_.enter_context(closing(server.connect()))
    client.setblocking(False)
    sent = client.send(_HEAD % b"/openapi.json" * chosen.burst)
    time.sleep(0.5)
    yield "requests", chosen.burst
    yield "bytes sent at once", sent
    yield from _judged(server, server.waits())


def slow_readers(server: Server, open_: ExitStack, chosen: argparse.Namespace) -> Figures:
    """Clients that read a few bytes of a long answer in a while get all of it."""
    clients = [open_.enter_context(closing(server.connect())) for _ in range(chosen.readers)]
    for client in clients:
        client.sendall(_HEAD % b"/openapi.json" * 3)
    longest = 0.0
    for _ in range(20):
        for client in clients:
            client.recv(1000)
        longest = max(longest, server.waits())
    yield "clients", len(clients)
    yield from _judged(server, longest)


def half_closed(server: Server, open_: ExitStack, chosen: argparse.Namespace) -> Figures:
    """Clients that close their side once they have asked are answered, at once and late."""
    late = b'{"for": {"request": {"operation": "get_me"}}, "timeout": "5s"}'
    wait = b"POST /_confsim/wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(late), late)
    begun, answered = [], 0
    for number in range(chosen.half):
        client = open_.enter_context(closing(server.connect()))
        client.sendall(wait if number % 10 == 0 else _HEAD % b"/_confsim/health")
        client.shutdown(socket.SHUT_WR)
        begun.append(client)
    time.sleep(0.2)
    server.waits(b"/v1_0/users/me")
    for client in begun:
        said = b"".join(iter(partial(client.recv, 65536), b""))
        answered += b"HTTP/1.1 200 OK" in said
    yield "clients", chosen.half
    yield "unanswered", chosen.half - answered


def idle(server: Server, open_: ExitStack, chosen: argparse.Namespace) -> Figures:
    """Connections that say nothing, and as many with half a head, cost little and hold up nobody."""
    for number in range(chosen.idle):
        client = open_.enter_context(closing(server.connect()))
        if number % 2:
            client.sendall(b"GET /_confsim/health HT")
    yield "connections", chosen.idle
    yield from _judged(server, max(server.waits() for _ in range(10)))


_KINDS = {"burst": burst, "slow readers": slow_readers, "half-closed": half_closed, "idle": idle}


@contextmanager
def _files(count: int) -> Iterator[None]:
    """Let the process, and those that it starts, have so many open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, count), hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
