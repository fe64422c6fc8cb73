"""Targets of a journey: a world in process, behind the WSGI app, or at any base URL, each called over a transport."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from confsim.api.address import HOST
from confsim.api.catalogue import API
from confsim.control.catalogue import CONTROL
from confsim.control.scenarios import direct, mount_url
from confsim.kernel.world import World
from confsim.service.files.profile import read_profile
from confsim.service.messages import Request, Response
from confsim.simulator import Simulator
from confsim.transport.address import OperationRequest, address
from confsim.transport.remote import RemoteTransport
from confsim.transport.transport import Transport
from confsim.transport.wsgi import WsgiTransport

#: How addresses in answers begin in process; those of a server are compared in the same words.
_ADDRESS = f"//{HOST}".encode()
_JSON = "application/json"


class Outcome:
    """The status and the body (JSON as plain values, bytes otherwise, None when empty) that a target answered."""

    __slots__ = ("body", "status")

    def __init__(self, status: int, raw: bytes, content_type: str = _JSON) -> None:
        self.status = status
        self.body: Any = (json.loads(raw) if "json" in content_type else raw) if raw else None

    @property
    def ok(self) -> bool:
        """Whether the status is a success."""
        return self.status < 400

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and (self.status, self.body) == (other.status, other.body)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.status} {self.body!r}"


class Target:
    """A world that a journey calls over a transport.

    ``profile`` is the one of the world: it has the routes of the operations and the presentation of tokens.
    """

    name: str

    def __init__(self, transport: Transport, profile: Mapping[str, Any]) -> None:
        self.transport = transport
        self.profile = profile

    def call(
        self,
        operation: str,
        caller: str | None = None,
        *,
        body: object = None,
        content_type: str | None = None,
        **arguments: object,
    ) -> Outcome:
        """Call an operation of the API as ``Simulator.call`` does; a JSON body is sent as one."""
        declared = API[operation]
        if content_type is None and body is not None and declared.body is not None and declared.body.is_json:
            content_type = _JSON
        asked = address(declared, arguments, self.profile, body=body, content_type=content_type, token=caller)
        return self._sent(asked)

    def control(self, operation: str, /, *path: str, **fields: object) -> Outcome:
        """Call an operation of the control plane, with its path parameters and the fields of its body or its query."""
        declared = CONTROL[operation]
        parameters = dict(zip(declared.placeholders, path, strict=True))
        if declared.body is None:
            return self._sent(address(declared, {**parameters, **fields}, {}))
        return self._sent(address(declared, parameters, {}, body=fields, content_type=_JSON))

    def _sent(self, call: OperationRequest) -> Outcome:
        response = self.transport.send(call)
        headers = {name.lower(): value for name, value in response.headers}
        return Outcome(response.status, response.body, headers.get("content-type", ""))

    def digest(self) -> str:
        """Return a fingerprint of the world."""
        answer: str = self.control("get_state_digest").body["digest"]
        return answer

    def advance(self, by: str) -> object:
        """Let time pass; return what fell due."""
        return self.control("advance_clock", by=by).body

    def close(self) -> None:
        """Release what the target holds."""
        self.transport.close()


class InProcess(Target):
    """A simulator in this process."""

    def __init__(self, simulator: Simulator, transport: Transport) -> None:
        super().__init__(transport, simulator.service.profile)
        self.simulator = simulator
        self._digest: tuple[World, str] | None = None

    def digest(self) -> str:
        """Return a fingerprint of the world, computed once for each: most calls leave the world as it is."""
        world = self.simulator.control.context.view().world
        if self._digest is None or self._digest[0] is not world:
            self._digest = world, world.digest()
        return self._digest[1]


class Core(InProcess):
    """The operations of a simulator, without HTTP."""

    name = "core"

    def __init__(self, simulator: Simulator) -> None:
        super().__init__(simulator, direct(simulator.control.context))


class Wsgi(InProcess):
    """The WSGI app of a simulator, called directly."""

    name = "wsgi"

    def __init__(self, simulator: Simulator) -> None:
        super().__init__(simulator, WsgiTransport(simulator.wsgi))


class Url(Target):
    """Any server of the API, by its base URL or the address of its mount: a confsim server, or the real thing.

    The base URL ends in ``/v1_0``; ``profile`` is the one of the server, where it has one. A server that is no confsim
    has no control plane: no digests, no clock.
    """

    name = "url"

    def __init__(self, base_url: str, profile: Mapping[str, Any] | None = None) -> None:
        chosen = read_profile(profile)
        super().__init__(_Readdressed(mount_url(base_url, chosen)), chosen)


class _Readdressed(RemoteTransport):
    """A server whose own address in bodies is replaced by the one that worlds in process have."""

    def exchange(self, request: Request) -> Response:
        """Send one request and return the response with the address replaced, so that two targets compare equal."""
        response = super().exchange(request)
        # Addresses of websockets differ in their scheme.
        own = b"//" + self.root.partition("://")[2].encode()
        return Response(response.status, response.headers, response.body.replace(own, _ADDRESS))
