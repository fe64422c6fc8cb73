"""Targets of a journey: a world in process, behind the WSGI app, or at any base URL, each called over a transport."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from confsim.contract.operation import Operation
from confsim.control.scenarios import direct, mount_url
from confsim.service.message import Request, Response
from confsim.service.pipeline import HOST
from confsim.service.profiles import read_profile
from confsim.simulator import Simulator
from confsim.transport.address import address
from confsim.transport.remote import RemoteTransport
from confsim.transport.transport import Transport, WireTransport
from confsim.transport.wsgi import WsgiTransport

from .samples import Arguments

#: How addresses in answers begin in process; those of a server are compared in the same words.
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


class Target:
    """A world that a journey calls over a transport; ``wire`` takes what its control plane is asked.

    ``profile`` tells where operations stand and how tokens are presented.
    """

    name: str

    def __init__(self, transport: Transport, wire: WireTransport, profile: Mapping[str, Any]) -> None:
        self.transport = transport
        self.profile = profile
        self._wire = wire

    def call(self, operation: Operation, caller: str | None, arguments: Arguments) -> Outcome:
        """Call the operation with the token of the caller."""
        is_json = operation.body is not None and operation.body.is_json and arguments.body is not None
        asked = address(
            operation,
            {**arguments.path, **arguments.query},
            self.profile,
            body=arguments.raw(),
            content_type="application/json" if is_json else None,
            token=caller,
        )
        return _outcome(self.transport.send(asked))

    def control(self, method: str, path: str, body: object = None) -> Outcome:
        """Send a request to the control plane; ``path`` below ``/_confsim``, with its query."""
        where, _, query = path.partition("?")
        raw = b"" if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"content-type": "application/json"}
        return _outcome(self._wire.exchange(Request(method, f"/_confsim{where}", query, headers, raw)))

    def digest(self) -> str:
        """A fingerprint of the world."""
        answer: str = self.control("GET", "/state/digest").body["digest"]
        return answer

    def advance(self, by: str) -> object:
        """Let time pass."""
        return self.control("POST", "/clock/advance", {"by": by}).body

    def close(self) -> None:
        """Release what the target holds."""
        self.transport.close()


def _outcome(response: Response) -> Outcome:
    lines = {name.lower(): value for name, value in response.headers}
    return Outcome(response.status, response.body, lines.get("content-type", ""))


class Core(Target):
    """The operations of a simulator, without HTTP."""

    name = "core"

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        wire = WsgiTransport(simulator.wsgi)
        super().__init__(direct(simulator.control.context), wire, simulator.service.profile)


class Wsgi(Target):
    """The WSGI app of a simulator, called directly."""

    name = "wsgi"

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        wire = WsgiTransport(simulator.wsgi)
        super().__init__(wire, wire, simulator.service.profile)


class Url(Target):
    """Any server of the API, by its base URL or the address of its mount: a confsim server, or the real thing.

    The base URL ends in ``/v1_0``; ``profile`` is the one of the server, where it has one. A server that is no confsim
    has no control plane: no digests, no clock.
    """

    name = "url"

    def __init__(self, base_url: str, profile: Mapping[str, Any] | None = None) -> None:
        chosen = read_profile(profile)
        wire = _Readdressed(mount_url(base_url, chosen))
        super().__init__(wire, wire, chosen)


class _Readdressed(RemoteTransport):
    """A server whose own address in bodies is replaced by the one that worlds in process have."""

    def exchange(self, request: Request) -> Response:
        """Send one request and return the response with the address replaced, so that two targets compare equal."""
        response = super().exchange(request)
        # Addresses of websockets differ in their scheme.
        own = b"//" + self.root.partition("://")[2].encode()
        return Response(response.status, response.headers, response.body.replace(own, _ADDRESS))
