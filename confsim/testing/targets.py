"""Targets of a journey: a world in process, behind the WSGI app, or at a base URL, each called over a transport."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from confsim.api.call import HOST
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

#: The start of addresses in answers in process; those of a server are rewritten to it before they are compared.
_ADDRESS = f"//{HOST}".encode()
_JSON = "application/json"


def elements_of(body: Any) -> list[Any]:
    """Return the elements of the body of a list or a page: of an array, a page or an object by id, or the only one."""
    if not isinstance(body, dict):
        return body or []
    for name in ("results", "rows"):
        if name in body:
            found: list[Any] = body[name]
            return found
    by_id = bool(body) and all(isinstance(each, dict) for each in body.values())
    return [*body.values()] if by_id else [body] if body else []


class Outcome:
    """An answer of a target: status and body (JSON as plain values, otherwise bytes, None when empty).

    ``headers`` has their names in lower case; two answers that differ in them alone are equal.
    """

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, raw: bytes, headers: Mapping[str, str]) -> None:
        self.status = status
        self.headers = headers
        is_json = "json" in headers.get("content-type", "")
        self.body: Any = (json.loads(raw) if is_json else raw) if raw else None

    @property
    def ok(self) -> bool:
        """Whether the status is a success."""
        return self.status < 400

    @property
    def elements(self) -> list[Any]:
        """The elements of a list or a page, in whichever container the profile puts them; none for a refusal."""
        return elements_of(self.body) if self.ok else []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and (self.status, self.body) == (other.status, other.body)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.status} {self.body!r}"


class Target:
    """A world that a journey calls over a transport.

    ``profile`` is that of the world: it decides the routes of operations and how tokens are presented.
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
        """Call an operation of the API as ``Simulator.call`` does; ``body`` is sent as JSON."""
        declared = API[operation]
        if content_type is None and body is not None and declared.body is not None and declared.body.is_json:
            content_type = _JSON
        asked = address(declared, arguments, self.profile, body=body, content_type=content_type, token=caller)
        return self._sent(asked)

    def control(self, operation: str, /, *path: str, **fields: object) -> Outcome:
        """Call a control operation, with its path parameters and its query or the fields of its body."""
        declared = CONTROL[operation]
        parameters = dict(zip(declared.placeholders, path, strict=True))
        if declared.body is None:
            return self._sent(address(declared, {**parameters, **fields}, {}))
        return self._sent(address(declared, parameters, {}, body=fields, content_type=_JSON))

    def _sent(self, call: OperationRequest) -> Outcome:
        response = self.transport.send(call)
        headers = {name.lower(): value for name, value in response.headers}
        return Outcome(response.status, response.body, headers)

    def digest(self) -> str:
        """Return the digest of the world."""
        answer: str = self.control("get_state_digest").body["digest"]
        return answer

    def advance(self, by: str) -> object:
        """Advance the clock; return the timers that fired."""
        return self.control("advance_clock", by=by).body

    def close(self) -> None:
        """Release the resources of the target."""
        self.transport.close()


class InProcess(Target):
    """A simulator in this process."""

    def __init__(self, simulator: Simulator, transport: Transport) -> None:
        super().__init__(transport, simulator.service.profile)
        self.simulator = simulator
        self._digest: tuple[World, str] | None = None

    def digest(self) -> str:
        """Return the digest of the world, computed once for each world value."""
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
    """Any server of the API, by its base URL or the address of its mount: a confsim server, or a real service.

    The base URL ends in ``/v1_0``; ``profile`` is that of the server, where it has one. Without a control plane there
    are no digests and no clock.
    """

    name = "url"

    def __init__(self, base_url: str, profile: Mapping[str, Any] | None = None) -> None:
        chosen = read_profile(profile)
        super().__init__(_Readdressed(mount_url(base_url, chosen)), chosen)


class _Readdressed(RemoteTransport):
    """A transport that rewrites the server's own address in bodies to that of worlds in process."""

    def exchange(self, request: Request) -> Response:
        """Send one request and return the response with the address rewritten, so that two targets compare equal."""
        response = super().exchange(request)
        # websocket addresses have another scheme
        own = b"//" + self.root.partition("://")[2].encode()
        return Response(response.status, response.headers, response.body.replace(own, _ADDRESS))
