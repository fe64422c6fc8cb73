"""Ways in to a world: the core, the WSGI app, or any base URL. A journey drives them side by side."""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from confsim.contract.operation import Operation
from confsim.service.pipeline import HOST
from confsim.simulator import Simulator

from .samples import Arguments

#: How addresses in answers begin in process; answers of a server are told in the same words.
IN_PROCESS = f"http://{HOST}".encode()


class Outcome:
    """The status and the body (JSON as plain values, bytes otherwise, None when empty) that a target answered."""

    __slots__ = ("body", "status")

    def __init__(self, status: int, raw: bytes, content_type: str = "application/json") -> None:
        self.status = status
        self.body: Any = (json.loads(raw) if "json" in content_type else raw) if raw else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and (self.status, self.body) == (other.status, other.body)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.status} {self.body!r}"


class Target(ABC):
    """One way in: ``call`` an operation, ask for the ``digest`` of the world, ``advance`` its clock."""

    name: str

    @abstractmethod
    def call(self, operation: Operation, caller: str | None, arguments: Arguments) -> Outcome:
        """Call the operation with the token of the caller."""

    @abstractmethod
    def control(self, method: str, path: str, body: object = None) -> Outcome:
        """A request to the control plane; ``path`` below ``/_confsim``."""

    def digest(self) -> str:
        """A fingerprint of the world."""
        answer: str = self.control("GET", "/state/digest").body["digest"]
        return answer

    def advance(self, by: str) -> object:
        """Let time pass."""
        return self.control("POST", "/clock/advance", {"by": by}).body

    def close(self) -> None:  # noqa: B027  (most targets hold nothing)
        """Let go of what the target holds."""


class Core(Target):
    """The operations themselves, without HTTP."""

    name = "core"

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self._wsgi = Wsgi(simulator)

    def call(self, operation: Operation, caller: str | None, arguments: Arguments) -> Outcome:
        """Call the operation through ``Simulator.call``."""
        body = None if arguments.body is None else arguments.raw()
        answer = self.simulator.call(operation.name, caller, body=body, **arguments.path, **arguments.query)
        return Outcome(answer.status, answer.content, answer.headers.get("Content-Type", ""))

    def control(self, method: str, path: str, body: object = None) -> Outcome:
        """The control plane has one way in process."""
        return self._wsgi.control(method, path, body)


class _Http(Target):
    """What the two ways over HTTP share: an operation and its arguments as a request."""

    def call(self, operation: Operation, caller: str | None, arguments: Arguments) -> Outcome:
        """Call the operation by a request to its route."""
        path = operation.path
        for name, text in arguments.path.items():
            path = path.replace(f"{{{name}}}", quote(text, safe=""), 1)
        headers = {"Authorization": f"Bearer {caller}"} if caller is not None else {}
        if operation.body is not None and operation.body.is_json and arguments.body is not None:
            headers["Content-Type"] = "application/json"
        return self._send(operation.method, f"/v1_0{path}", urlencode(arguments.query), headers, arguments.raw())

    def control(self, method: str, path: str, body: object = None) -> Outcome:
        """A request to the control plane."""
        raw = b"" if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if raw else {}
        return self._send(method, f"/_confsim{path}", "", headers, raw)

    @abstractmethod
    def _send(self, method: str, path: str, query: str, headers: dict[str, str], raw: bytes) -> Outcome:
        """One request, one answer."""


class Wsgi(_Http):
    """The WSGI app of a simulator, called directly."""

    name = "wsgi"

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator

    def _send(self, method: str, path: str, query: str, headers: dict[str, str], raw: bytes) -> Outcome:
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "RAW_URI": path,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_LENGTH": str(len(raw)),
            "CONTENT_TYPE": headers.pop("Content-Type", ""),
            "wsgi.input": io.BytesIO(raw),
            "wsgi.url_scheme": "http",
            **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()},
        }
        told: list[Any] = []
        body = b"".join(self.simulator.wsgi(environ, lambda status, lines: told.extend((status, dict(lines)))))
        return Outcome(int(told[0][:3]), body, told[1].get("Content-Type", ""))


class Url(_Http):
    """Any server of the API, by the address of its mount: a confsim server, or the real thing.

    ``root`` is the address without ``/v1_0``. A server that is no confsim has no control plane.
    """

    name = "url"

    def __init__(self, root: str) -> None:
        parts = urlsplit(root)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = kind(parts.netloc, timeout=30)
        self._base = parts.path.rstrip("/")
        self._root = root.rstrip("/").encode()

    def _send(self, method: str, path: str, query: str, headers: dict[str, str], raw: bytes) -> Outcome:
        url = self._base + path + (f"?{query}" if query else "")
        self._connection.request(method, url, raw or None, headers)
        response = self._connection.getresponse()
        body = response.read().replace(self._root, IN_PROCESS)
        return Outcome(response.status, body, response.getheader("Content-Type", ""))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
