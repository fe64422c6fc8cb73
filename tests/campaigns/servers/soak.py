"""A server that is used in every way for a long time: its memory and its open files stop rising.

Acts of each kind follow each other on one live server with a state directory: ordinary calls, worlds that are made and
dropped, websockets, faults, snapshots, held calls, clients that leave, webhooks, exports. A line for each sample shows
the memory and the files; the figures are those of the last half.
"""

from __future__ import annotations

import argparse
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from kit import OWNER, ROOM

BAD = ("errors", "rising memory", "rising files")
#: MiB and files a minute over the last half that count as rising.
MEMORY, FILES = 0.05, 0.2
#: Acts after which the world is reset: it keeps sessions, deliveries and mail, and so grows by right.
RESET = 500
_HEAD = "{} {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n"
_DOWN = b"\x88\x80\x00\x00\x00\x00"


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--minutes", type=float, default=15, help="how long it is used")
    options.add_argument("--rate", type=float, default=50, help="most acts a second")
    options.add_argument("--sample", type=float, default=30, help="seconds between two samples")
    options.add_argument("--seed", type=int, default=0, help="seed of the order of the acts")
    options.add_argument("--only", default="", help="kinds of acts, separated by commas; all by default")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Use a server, and return the figures."""
    with ExitStack() as stack:
        state, receiver = stack.enter_context(TemporaryDirectory()), stack.enter_context(Receiver())
        server = stack.enter_context(ServerProcess(state))
        client = stack.enter_context(httpx.Client(base_url=server.root, timeout=30))
        use = Use(client, server.port, receiver.url)
        names = chosen.only.split(",") if chosen.only else list(use.acts)
        samples = _used(chosen, server, use, [use.acts[name] for name in names])
    last = samples[len(samples) // 2 :]
    memory, files = (_slope([(each[0], each[place]) for each in last]) for place in (1, 2))
    return {
        "acts": use.count,
        "webhooks received": receiver.count,
        "errors": len(use.errors),
        "MiB at the end": samples[-1][1],
        "MiB a minute over the last half": round(memory, 3),
        "files a minute over the last half": round(files, 3),
        "rising memory": int(memory > MEMORY),
        "rising files": int(files > FILES),
    }


#: Seconds since the beginning, MiB, open files.
Sample = tuple[float, float, float]


def _used(
    chosen: argparse.Namespace, server: ServerProcess, use: Use, acts: list[Callable[[], object]]
) -> list[Sample]:
    """Do acts in a random order until the time is over; return the samples."""
    random, begun = Random(chosen.seed), time.monotonic()
    samples, due = list[Sample](), 0.0
    while (now := time.monotonic() - begun) < chosen.minutes * 60:
        if now >= due:
            due = now + chosen.sample
            samples.append((now, server.memory(), server.files()))
            print(f"{now:8.0f} s  {samples[-1][1]:8.2f} MiB  {samples[-1][2]:4.0f} files  {use.count} acts", flush=True)  # noqa: T201
        use.perform(random.choice(acts))
        time.sleep(max(0.0, use.count / chosen.rate - now))
    for what, count in use.errors.most_common(10):
        print(f"{count} x {what}")  # noqa: T201
    return samples


def _slope(points: list[tuple[float, float]]) -> float:
    """Return by how much a figure rises in a minute: the line with the least squares."""
    mean_x, mean_y = (sum(each[place] for each in points) / len(points) for place in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return 60 * sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


class ServerProcess:
    """``confsim serve`` in a process of its own, with a state directory."""

    def __init__(self, state: str) -> None:
        self._state = state

    def __enter__(self) -> ServerProcess:
        command = [sys.executable, "-u", "-m", "confsim", "serve", "--port", "0", "--quiet", "--state", self._state]
        source = Path(__file__).resolve().parents[3]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=source)
        assert self._process.stdout is not None
        found = next(found for line in self._process.stdout if (found := re.search(r"http://127\.0\.0\.1:(\d+)", line)))
        self.root, self.port = found[0], int(found[1])
        threading.Thread(target=self._process.stdout.read, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def memory(self) -> float:
        """Return the MiB that the process holds."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if "VmRSS" in line).split()[1]) / 1024

    def files(self) -> int:
        """Return the number of files that the process has open."""
        return len(list(Path(f"/proc/{self._process.pid}/fd").iterdir()))


class Receiver:
    """A receiver of webhooks that refuses every tenth."""

    def __enter__(self) -> Receiver:
        receiver = self
        self.count = 0

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                receiver.count += 1
                self.send_response(500 if receiver.count % 10 == 0 else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Print nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class Use:
    """The acts, by their names, and what went wrong in them."""

    def __init__(self, client: httpx.Client, port: int, receiver: str) -> None:
        self._client, self._port, self._receiver = client, port, receiver
        self.count = 0
        self.errors: Counter[str] = Counter()
        self.acts: dict[str, Callable[[], object]] = {
            "calls": self.calls,
            "worlds": self.worlds,
            "websockets": self.websockets,
            "faults": self.faults,
            "snapshots": self.snapshots,
            "held": self.held,
            "gone": self.gone,
            "webhooks": self.webhooks,
            "exports": self.exports,
            "uploads": self.uploads,
        }

    def perform(self, act: Callable[[], object]) -> None:
        """Do one act."""
        self.count += 1
        try:
            if self.count % RESET == 0:
                self._ask("POST", "/_confsim/reset")
            act()
        except (AssertionError, OSError, httpx.HTTPError, KeyError) as error:
            self.errors[f"{act.__name__}: {error!r}"[:200]] += 1

    def _ask(self, method: str, path: str, body: object = None, token: str = OWNER) -> Any:
        answer = self._client.request(method, path, json=body, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code < 400, f"{method} {path}: {answer.status_code} {answer.text[:100]}"
        return answer.json() if answer.content and "json" in answer.headers["Content-Type"] else None

    def calls(self, mount: str = "") -> None:
        """Make, change, read and remove a channel."""
        made = self._ask("POST", f"{mount}/v1_0/channels/create", {"name": f"soak {self.count}"})["channelUuid"]
        self._ask("GET", f"{mount}/v1_0/channels/{made}")
        self._ask("GET", f"{mount}/v1_0/channels?limit=10")
        self._ask("GET", f"{mount}/v1_0/users/me")
        self._ask("DELETE", f"{mount}/v1_0/channels/{made}")

    def worlds(self) -> None:
        """Make a world, use it and drop it."""
        made = self._ask("POST", "/_confsim/worlds", {"seed": self.count % 7})["name"]
        self.calls(f"/w/{made}")
        self._ask("POST", f"/w/{made}/_confsim/clock/advance", {"by": "1h"})
        self._ask("DELETE", f"/_confsim/worlds/{made}")

    def _raw(self, method: str, path: str, length: int = 0, more: str = "", token: str = OWNER) -> socket.socket:
        """Return a connection that has sent the head of a request."""
        connection = socket.create_connection(("127.0.0.1", self._port), timeout=30)
        head = _HEAD.format(method, path, token, length)
        connection.sendall((head[:-2] + more + "\r\n").encode())
        return connection

    def websockets(self) -> None:
        """Join a channel by a websocket, and leave it properly or by closing the connection."""
        upgrade = (
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        )
        with closing(self._raw("GET", f"/streaming/{ROOM}", more=upgrade)) as connection:
            assert connection.recv(65536).startswith(b"HTTP/1.1 101"), "no websocket"
            if self.count % 2:
                connection.sendall(_DOWN)
                connection.recv(65536)

    def faults(self) -> None:
        """Add a fault, meet it and remove it."""
        self._ask("PUT", "/_confsim/faults", [{"operation": "get_me", "do": {"status": 503}}])
        answer = self._client.get("/v1_0/users/me", headers={"Authorization": f"Bearer {OWNER}"})
        assert answer.status_code == 503
        self._ask("DELETE", "/_confsim/faults")

    def snapshots(self) -> None:
        """Take a snapshot, change something, restore it and drop it."""
        name = f"s{self.count % 5}"
        self._ask("POST", "/_confsim/snapshots", {"name": name})
        self._ask("POST", "/v1_0/channels/create", {"name": f"soak {self.count}"})
        self._ask("POST", f"/_confsim/snapshots/{name}/restore")
        if self.count % 3 == 0:
            self._ask("DELETE", f"/_confsim/snapshots/{name}")

    def held(self) -> None:
        """Hold a call; release it, or drop it, or let its client leave."""
        self._ask("PUT", "/_confsim/faults", [{"operation": "get_me", "do": {"hold": "before", "holdAtMost": "10s"}}])
        with closing(self._raw("GET", "/v1_0/users/me")) as connection:
            deadline = time.monotonic() + 10
            while not (held := self._ask("GET", "/_confsim/held")) and time.monotonic() < deadline:
                time.sleep(0.01)
            if self.count % 3:
                for each in held:
                    action = "release" if self.count % 3 == 1 else "drop"
                    self._ask("POST", f"/_confsim/held/{each['id']}", {"action": action})
                connection.recv(65536)
        for each in self._ask("GET", "/_confsim/held"):
            self._ask("POST", f"/_confsim/held/{each['id']}", {"action": "drop"})
        self._ask("DELETE", "/_confsim/faults")

    def gone(self) -> None:
        """Leave in the middle of a head, of a body, of an answer, and while waiting."""
        wait = b'{"for": {"request": {"operation": "delete_client"}}, "timeout": "2s"}'
        with ExitStack() as stack:
            connections = [
                stack.enter_context(
                    closing(self._raw("POST", "/v1_0/media?name=x", 1_000_000, token="demo-api-token"))
                ),
                stack.enter_context(closing(self._raw("POST", "/v1_0/media?name=x", 1_000_000, token="nobody"))),
                stack.enter_context(closing(self._raw("POST", "/_confsim/wait", len(wait)))),
                stack.enter_context(closing(self._raw("GET", "/openapi.json"))),
            ]
            for connection, piece in zip(connections, (b"x" * 100_000, b"x" * 1000, wait, b"GET / HTTP"), strict=True):
                with suppress(OSError):
                    connection.sendall(piece)

    def webhooks(self) -> None:
        """Let an event be delivered: something is uploaded, and removed."""
        if not self._events_are_on():
            self._ask("POST", "/v1_0/events/endpoints", {"url": self._receiver}, token="demo-api-token")
            self._ask("POST", "/v1_0/events/enable", token="demo-api-token")
        self.uploads()

    def _events_are_on(self) -> bool:
        """Return whether the world has its endpoint: neither a reset nor the restore of a snapshot took it away."""
        answer = self._client.get("/v1_0/events/endpoints", headers={"Authorization": "Bearer demo-api-token"})
        return answer.status_code == 200

    def exports(self) -> None:
        """Read what is large: exports, the journal, the state, pages."""
        form = ("curl", "pytest", "scenario", "har")[self.count % 4]
        for path in (f"requests/export?as={form}&limit=50", "requests?limit=50", "state", "timers", "records"):
            answer = self._client.get(f"/_confsim/{path}")
            assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:100]}"

    def uploads(self) -> None:
        """Upload a file and remove it."""
        head = {"Authorization": "Bearer demo-api-token", "Content-Type": "a/b"}
        made = self._client.post("/v1_0/media?name=x", content=b"x" * 100_000, headers=head)
        assert made.status_code == 200, made.text[:100]
        self._ask("DELETE", f"/v1_0/media/{made.json()['id']}", token="demo-api-token")
