"""Ways in to a world: the core, the WSGI app, or any base URL. Journeys and scenarios drive them side by side."""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from confsim.arazzo.exchange import Got, Sent
from confsim.arazzo.remote import Http
from confsim.assumptions import wire
from confsim.assumptions.register import in_force
from confsim.contract.operation import Operation
from confsim.control.scenarios import Direct, mount
from confsim.service.credential import present
from confsim.service.pipeline import HOST
from confsim.service.profiles import read_profile
from confsim.simulator import Simulator

from .samples import Arguments

#: How addresses in answers begin in process; answers of a server are told in the same words.
IN_PROCESS = f"http://{HOST}"
_ADDRESS = f"//{HOST}".encode()


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
    """One way in: ``call`` an operation, ask for the ``digest`` of the world, ``advance`` its clock.

    With ``root``, ``send`` and ``wait`` it is a way in for scenarios.
    """

    name: str
    root = IN_PROCESS

    @abstractmethod
    def call(self, operation: Operation, caller: str | None, arguments: Arguments) -> Outcome:
        """Call the operation with the token of the caller."""

    @abstractmethod
    def control(self, method: str, path: str, body: object = None) -> Outcome:
        """A request to the control plane; ``path`` below ``/_confsim``, with its query."""

    @abstractmethod
    def send(self, sent: Sent) -> Got:
        """One request of a scenario, one answer."""

    def wait(self, seconds: float) -> None:
        """Let time pass for a scenario."""
        self.advance(f"{int(seconds * 1000)}ms")

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
        self._direct = Direct(simulator.control)

    def call(self, operation: Operation, caller: str | None, arguments: Arguments) -> Outcome:
        """Call the operation through ``Simulator.call``."""
        body = None if arguments.body is None else arguments.raw()
        answer = self.simulator.call(operation.name, caller, body=body, **arguments.path, **arguments.query)
        return Outcome(answer.status, answer.content, answer.headers.get("Content-Type", ""))

    def control(self, method: str, path: str, body: object = None) -> Outcome:
        """The control plane has one way in process."""
        return self._wsgi.control(method, path, body)

    def send(self, sent: Sent) -> Got:
        """One request of a scenario, without HTTP."""
        return self._direct.send(sent)


class _Http(Target):
    """What the two ways over HTTP share: an operation and its arguments as a request.

    ``profile`` tells where operations stand and how tokens are presented.
    """

    profile: Mapping[str, Any]

    def call(self, operation: Operation, caller: str | None, arguments: Arguments) -> Outcome:
        """Call the operation by a request to its route."""
        method, path = operation.route(self.profile)
        for name, text in arguments.path.items():
            path = path.replace(f"{{{name}}}", quote(text, safe=""), 1)
        presentation = in_force(self.profile, wire.PRESENTATION)
        headers, query = ({}, {}) if caller is None else present(presentation, caller)
        if operation.body is not None and operation.body.is_json and arguments.body is not None:
            headers["Content-Type"] = "application/json"
        target = in_force(self.profile, wire.PREFIX) + path
        return self._outcome(method, target, urlencode({**arguments.query, **query}), headers, arguments.raw())

    def control(self, method: str, path: str, body: object = None) -> Outcome:
        """A request to the control plane."""
        raw = b"" if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if raw else {}
        path, _, query = path.partition("?")
        return self._outcome(method, f"/_confsim{path}", query, headers, raw)

    def send(self, sent: Sent) -> Got:
        """One request of a scenario, one answer."""
        return self._send(sent.method, sent.target, sent.query, sent.headers, sent.body)

    def _outcome(self, method: str, path: str, query: str, headers: dict[str, str], raw: bytes) -> Outcome:
        got = self._send(method, path, query, headers, raw)
        return Outcome(got.status, got.body, got.headers.get("content-type", ""))

    @abstractmethod
    def _send(self, method: str, path: str, query: str, headers: dict[str, str], raw: bytes) -> Got:
        """One request, one answer."""


class Wsgi(_Http):
    """The WSGI app of a simulator, called directly."""

    name = "wsgi"

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.profile = simulator.service.profile

    def _send(self, method: str, path: str, query: str, headers: dict[str, str], raw: bytes) -> Got:
        told: list[Any] = []
        body = b"".join(
            self.simulator.wsgi(
                environ(method, path, query, headers, raw), lambda status, lines: told.extend((status, lines))
            )
        )
        return Got(int(told[0][:3]), {name.lower(): value for name, value in told[1]}, body)


def environ(method: str, path: str, query: str, headers: Mapping[str, str], raw: bytes) -> dict[str, Any]:
    """A request as a WSGI server makes it; ``path`` is percent-encoded."""
    lines = {name.upper().replace("-", "_"): value for name, value in headers.items()}
    return {
        "REQUEST_METHOD": method,
        "RAW_URI": path,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(raw)),
        "CONTENT_TYPE": lines.pop("CONTENT_TYPE", ""),
        "wsgi.input": io.BytesIO(raw),
        "wsgi.url_scheme": "http",
        **{f"HTTP_{name}": value for name, value in lines.items()},
    }


class Url(_Http):
    """Any server of the API, by its base URL or the address of its mount: a confsim server, or the real thing.

    The base URL ends in ``/v1_0``; ``profile`` is the one of the server, where it has one. A server that is no confsim
    has no control plane: no digests, no clock.
    """

    name = "url"

    def __init__(self, base_url: str, profile: Mapping[str, Any] | None = None) -> None:
        self.profile = read_profile(profile)
        self._http = Http(mount(base_url, self.profile))
        self._address = b"//" + self._http.root.partition("://")[2].encode()

    def _send(self, method: str, path: str, query: str, headers: dict[str, str], raw: bytes) -> Got:
        got = self._http.request(method, path, query, headers, raw)
        # Addresses of websockets differ in their scheme.
        return Got(got.status, got.headers, got.body.replace(self._address, _ADDRESS))

    def close(self) -> None:
        """Close the connection."""
        self._http.close()
