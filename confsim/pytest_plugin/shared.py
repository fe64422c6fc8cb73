"""The fixture ``confsim_shared_server``: worlds of a worker on the one server of all workers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from confsim.control.declare import PREFIX
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request
from confsim.transport.remote import RemoteTransport

from .shared_server import WELCOME

#: Seconds in which another worker starts the server.
_PATIENCE = 60.0
#: Entries of the journal that a failing test shows.
_TAIL = 12
#: The servers that this process started, which may outlive it.
_STARTED: list[subprocess.Popen[bytes]] = []


class SharedWorld:
    """A world on the shared server, by its URLs: ``base_url`` of the API, ``root`` of the mount.

    ``tokens`` are those that never expire, with client, user and role of each holder.
    """

    def __init__(self, name: str, root: str, base_url: str, tokens: Mapping[str, Any]) -> None:
        self.name = name
        self.root = root
        self.base_url = base_url
        self.tokens = tokens

    def __repr__(self) -> str:
        return f"<confsim world {self.root}>"

    def control(self, method: str, path: str, body: object = None) -> Any:
        """Call the control plane, such as ``control("POST", "/clock/advance", {"by": "15m"})``; return its answer.

        Raises Misuse with the message of a refusal.
        """
        target, _, query = path.partition("?")
        data = b"" if body is None else json.dumps(body).encode()
        request = Request(method, PREFIX + target, query, {"content-type": "application/json"}, data)
        with closing(RemoteTransport(self.root)) as transport:
            response = transport.exchange(request)
        answer = json.loads(response.body) if response.body else None
        if response.status >= 400:
            raise Misuse(f"{method} {PREFIX}{target}: {_detail(answer)}", response.status)
        return answer

    def reset(self) -> None:
        """Restore the world and the clock of the start, and empty the journal."""
        self.control("POST", "/reset")

    def drop(self) -> None:
        """Remove the world from the server. Raises Misuse (404) if it is gone."""
        self.control("DELETE", f"/worlds/{self.name}")

    def journal(self) -> str:
        """Return the last calls, one a line, with the reasons of refusals; or why the server did not tell them."""
        try:
            page = self.control("GET", f"/journal?kind=call&limit={_TAIL}")
        except Misuse as misuse:
            return str(misuse)
        earlier = page["total"] - len(page["rows"]) + page["dropped"]
        lines = [f"({earlier} earlier calls)"] if earlier else []
        for row in reversed(page["rows"]):
            by = f" by {row['caller']}" if row.get("caller") else ""
            lines += [f"{row['id']} {row['what']}{by} -> {row['status']}"]
            lines += [f"    why: {row['why']}"] if row.get("why") else []
        return "\n".join(lines)


def _detail(answer: Any) -> str:
    """Return the message of a refusal."""
    return str(answer.get("detail", answer) if isinstance(answer, dict) else answer)


class SharedServer(SharedWorld):
    """A worker's own world on the server that all workers of the run share.

    ``url`` is that of the server, for programs that make worlds themselves.
    """

    def __init__(self, url: str, worker: str) -> None:
        self.url = url
        self._server = SharedWorld("", url, "", {})
        made = self.make_world(name=worker)
        super().__init__(made.name, made.root, made.base_url, made.tokens)

    def make_world(self, **options: Any) -> SharedWorld:
        """Make another world; the options are those of ``POST /_confsim/worlds``, with ``from_`` for ``from``.

        Raises Misuse for a bad option.
        """
        given = {name.rstrip("_"): value for name, value in options.items()}
        made = self._server.control("POST", "/worlds", given)
        return SharedWorld(made["name"], made["root"], made["base_url"], made["tokens"])


@contextmanager
def shared_server(directory: Path, worker: str, profile: Mapping[str, Any]) -> Iterator[SharedServer]:
    """Join the server of a run, which the first worker starts; in the end leave it, and the last one stops it.

    ``directory`` is common to the workers. Raises Misuse if the server does not start.
    """
    url, lease = _join(directory, profile)
    with lease:
        yield SharedServer(url, worker)
    for process in _STARTED:
        with suppress(subprocess.TimeoutExpired):  # others may still use it
            process.wait(2)


def _join(directory: Path, profile: Mapping[str, Any]) -> tuple[str, socket.socket]:
    """Return the URL of the running server, or of a new one, and the connection that counts this worker."""
    file = directory / "confsim-server.json"
    with _lock(directory / "confsim-server.lock"):
        if file.exists():
            known = json.loads(file.read_text())
            lease = _leased(known["port"])
            if lease is not None:
                return known["url"], lease
        started = _started(directory, profile)
        lease = _leased(started["port"])
        if lease is None:
            raise Misuse("confsim_shared_server: the server ended right after its start")
        file.write_text(json.dumps(started))
        return started["url"], lease


@contextmanager
def _lock(file: Path) -> Iterator[None]:
    """Hold a file that only one worker can create. Raises Misuse if another one holds it for too long."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            os.close(os.open(file, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            if time.monotonic() > deadline:
                raise Misuse(f"confsim_shared_server: no worker gave {file} free; remove it") from None
            time.sleep(0.05)
    try:
        yield
    finally:
        file.unlink()


def _leased(port: int) -> socket.socket | None:
    """Return a connection by which the server counts this worker; None if it is about to end, or gone."""
    try:
        lease = socket.create_connection(("127.0.0.1", port), timeout=10)
        if lease.recv(1) == WELCOME:
            return lease
        lease.close()
    except OSError:
        pass
    return None


def _started(directory: Path, profile: Mapping[str, Any]) -> dict[str, Any]:
    """Start the server in a session of its own, so that Ctrl-C reaches only the workers; return what it printed."""
    log = directory / "confsim-server.log"
    command = [sys.executable, "-m", "confsim.pytest_plugin.shared_server", json.dumps(profile)]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
        )
    _STARTED[:] = [each for each in _STARTED if each.poll() is None] + [process]
    assert process.stdout is not None
    with process.stdout as output:
        line = output.readline()
    if not line:
        process.wait()
        lines = log.read_text(errors="replace").strip().splitlines() or ["it printed nothing"]
        raise Misuse(f"confsim_shared_server: the server did not start: {lines[-1]} (all of it: {log})")
    started: dict[str, Any] = json.loads(line)
    return started
