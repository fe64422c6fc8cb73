"""What tests of the live server share: an echo handler, a client over a socket, waiting."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeAlias

import pytest

from confsim.http.limits import Limits
from confsim.http.live import server as live
from confsim.http.live.server import LiveServer
from confsim.service.messages import Request, Response

FAULTS = {
    "body_too_large": 413,
    "url_too_long": 414,
    "headers_too_large": 431,
    "malformed": 400,
    "timeout": 408,
    "version_unsupported": 505,
    "coding_unsupported": 501,
}
TIGHT = Limits(body=1_000, url=200, headers=1_000)
SOURCES = Path(__file__).parents[3]


class Echo:
    """A handler that echoes each request, records it, and can be set to another answer."""

    def __init__(self) -> None:
        self.seen: list[Request] = []
        self.answer: Response | None = None

    def __call__(self, request: Request) -> Response:
        """Answer 200, or the status of the fault, with the request as JSON."""
        self.seen.append(request)
        if request.target == "/broken":
            raise RuntimeError("as asked")
        reported = {"method": request.method, "target": request.target, "query": request.query, "fault": request.fault}
        body = json.dumps(reported | {"headers": request.headers, "length": len(request.body)}).encode()
        return self.answer or Response(FAULTS.get(request.fault, 200), [("X-Kind", "echo")], body)


class Client:
    """A socket with just enough HTTP to read one answer at a time."""

    def __init__(self, server: LiveServer) -> None:
        self.socket = socket.create_connection((server.host, server.port), timeout=30)
        self.file = self.socket.makefile("rb")

    def send(self, *pieces: bytes) -> Client:
        """Send the pieces, each in a segment of its own."""
        for piece in pieces:
            self.socket.sendall(piece)
        return self

    def head(self) -> tuple[int, dict[str, str]]:
        """Read a status line and headers."""
        line, _, rest = b"".join(iter(self.file.readline, b"\r\n")).decode("latin-1").partition("\r\n")
        headers = dict(header.split(": ", 1) for header in rest.splitlines())
        return int(line.split()[1]), headers

    def read(self) -> tuple[int, dict[str, str], bytes]:
        """Read a whole answer."""
        status, headers = self.head()
        return status, headers, self.file.read(int(headers["Content-Length"]))

    def reported(self) -> dict[str, object]:
        """Read an answer of the echo handler, as data."""
        reported = json.loads(self.read()[2])
        assert isinstance(reported, dict)
        return reported

    def answered(self) -> bool:
        """Tell whether something can be read: what was sent, or the end."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def ended(self) -> bool:
        """Whether the server sends nothing more and has closed its side."""
        return self.file.read() == b""

    def close(self) -> None:
        """Close both ends of the wrapping."""
        self.file.close()
        self.socket.close()


def serves(server: LiveServer) -> bool:
    """Whether a new client of the server gets an answer."""
    with closing(Client(server)) as client:
        return client.send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").read()[0] == 200


Connect: TypeAlias = Callable[..., Client]


class ServerClock:
    """The clock of the live servers that are started after it: that of the machine, and what it was moved ahead."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        self._loops: list[asyncio.AbstractEventLoop] = []
        clock = self

        class Loop(live._Loop):
            def __init__(self) -> None:
                super().__init__()
                clock._loops.append(self)

            def time(self) -> float:
                return super().time() + clock.ahead

        patch.setattr(live, "_Loop", Loop)

    def advance(self, seconds: float) -> None:
        """Move it, and let the servers look at it."""
        self.ahead += seconds
        for loop in self._loops:
            with suppress(RuntimeError):  # its server has stopped
                loop.call_soon_threadsafe(lambda: None)

    def advance_until(self, condition: Callable[[], bool], step: float = 1.0) -> bool:
        """Move it by steps until the condition holds; answers whether it does, for which a minute is the longest."""

        def moved() -> bool:
            self.advance(step)
            return condition()

        return condition() or until(moved, 60)


def until(condition: Callable[[], bool], seconds: float = 30) -> bool:
    """Wait for the condition, no longer than it takes."""
    end = time.perf_counter() + seconds
    while not condition() and time.perf_counter() < end:
        time.sleep(0.002)
    return condition()


def at_rest(number: Callable[[], int], seconds: float = 0.1) -> int:
    """Return the number once it has not changed for so long."""
    while True:
        before = number()
        time.sleep(seconds)
        if number() == before:
            return before
