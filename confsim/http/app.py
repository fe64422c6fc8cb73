"""One request to one answer: which world, which operation. What every transport calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from confsim.assumptions import parsing, wire
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, peek
from confsim.contract.operation import Catalogue
from confsim.kernel.refusal import Refusal
from confsim.service.message import Request, Response
from confsim.service.pipeline import Service
from confsim.service.worlds import Worlds

from .routing import Found, Routes
from .server import Limits

#: Performs an operation of one catalogue in one world: service, operation, path texts, request.
Perform = Callable[[Service, Found, Request], Response]


class Face:
    """A catalogue, where it is mounted, and who performs its operations."""

    __slots__ = ("catalogue", "perform", "prefix")

    def __init__(self, prefix: str, catalogue: Catalogue, perform: Perform) -> None:
        self.prefix = prefix
        self.catalogue = catalogue
        self.perform = perform


def simulated(service: Service, found: Found, request: Request) -> Response:
    """Perform an operation of the simulated API."""
    return service.perform(found.operation, found.texts, request.query, request)


class App:
    """The worlds of one server over HTTP. ``hosts`` are the Host names it answers to; None for any (in process)."""

    def __init__(
        self, worlds: Worlds, api: Catalogue, faces: Iterable[Face], hosts: frozenset[str] | None = None
    ) -> None:
        self.worlds = worlds
        self.hosts = hosts
        self.limits = Limits()
        self._api = api
        self._faces = tuple(faces)
        self._performs = {api: simulated, **{face.catalogue: face.perform for face in self._faces}}
        self._routes: dict[tuple[tuple[str, str], ...], Routes] = {}

    def routes(self, profile: Mapping[str, Any]) -> Routes:
        """The routes under a profile; profiles that differ in no route share them."""
        chosen = tuple(sorted((id, value) for id, value in profile.items() if id.startswith("route.")))
        routes = self._routes.get(chosen)
        if routes is None:
            faces = [(profile.get(wire.PREFIX.id, wire.PREFIX.default), self._api)]
            faces += [(face.prefix, face.catalogue) for face in self._faces]
            routes = self._routes[chosen] = Routes(faces, profile)
        return routes

    def __call__(self, request: Request) -> Response:
        """Answer one request. Never raises."""
        segments = request.target.split("/")
        service = self.worlds.default
        if len(segments) > 2 and segments[1] == "w":
            named = self.worlds.get(segments[2])
            if named is None:
                return service.refuse(request, _no_route(request))
            service = named
            del segments[1:3]
        del segments[0]
        try:
            return self._answer(service, segments, request)
        except Refusal as refusal:
            return service.refuse(request, refusal)

    def _answer(self, service: Service, segments: list[str], request: Request) -> Response:
        if request.fault:
            raise self._fault(request.fault)
        method = request.method
        if self.hosts is not None and _host(request) not in self.hosts:
            raise Refusal(Reason.HOST_UNKNOWN, host=_host(request))
        found = self.routes(service.profile).find("GET" if method == "HEAD" else method, segments)
        if isinstance(found, Found):
            profile = service
            if "accept" in request.headers and peek(profile, parsing.ACCEPT) == "refuse":
                ask(profile, parsing.ACCEPT)
                _check_accept(request.headers["accept"])
            return self._performs[found.operation.catalogue](service, found, request)
        if not found:
            raise _no_route(request)
        allowed = ", ".join((*found, "HEAD", "OPTIONS") if "GET" in found else (*found, "OPTIONS"))
        if method == "OPTIONS":
            return Response(204, [("Allow", allowed)])
        raise Refusal(Reason.METHOD_NOT_ALLOWED, method=method, path=request.target[:200], allowed=allowed)

    def _fault(self, fault: str) -> Refusal:
        limits = self.limits
        if fault == "url_too_long":
            return Refusal(Reason.URL_TOO_LONG, limit=limits.url)
        if fault == "headers_too_large":
            return Refusal(Reason.HEADERS_TOO_LARGE, limit=limits.headers)
        if fault == "body_too_large":
            return Refusal(Reason.BODY_TOO_LARGE, limit=limits.body)
        if fault == "timeout":
            return Refusal(Reason.REQUEST_TIMEOUT)
        return Refusal(Reason.REQUEST_MALFORMED, problem="it cannot be parsed")


def _no_route(request: Request) -> Refusal:
    return Refusal(Reason.ROUTE_NOT_FOUND, method=request.method, path=request.target[:200])


def _host(request: Request) -> str:
    host = request.headers.get("host", "")
    return host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host


def _check_accept(accept: str) -> None:
    """Refusal NOT_ACCEPTABLE unless the header admits application/json."""
    for item in accept.split(","):
        media, *parameters = (part.strip().lower() for part in item.split(";"))
        if media in {"*/*", "application/*", "application/json"} and not any(
            parameter.startswith("q=") and not parameter[2:].strip("0.") for parameter in parameters
        ):
            return
    raise Refusal(Reason.NOT_ACCEPTABLE, accept=accept[:200])
