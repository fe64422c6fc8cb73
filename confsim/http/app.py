"""One request to one answer: which world, which operation. What every transport calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from hashlib import blake2b
from typing import Any

from msgspec.structs import replace

from confsim.assumptions.protocol import parsing, sizes, transport
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ProfileContext, ask, in_force, note, value_of
from confsim.contract.operation import Catalogue, Operation
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.message import Request, Response
from confsim.service.pipeline import Finish, Service
from confsim.service.waiting import held
from confsim.service.worlds import Worlds

from . import cors
from .limits import Limits
from .routing import Found, Routes

#: Performs an operation of the control plane: service, worlds, operation, path texts, request.
Perform = Callable[[Service, Worlds, Operation, tuple[str, ...], Request], Response]


class Face:
    """A catalogue beside the API: where it is mounted, who performs its operations and who words its refusals."""

    __slots__ = ("catalogue", "perform", "prefix", "refuse")

    def __init__(
        self, prefix: str, catalogue: Catalogue, perform: Perform, refuse: Callable[[Refusal | Misuse], Response]
    ) -> None:
        self.prefix = prefix
        self.catalogue = catalogue
        self.perform = perform
        self.refuse = refuse


class Mount:
    """What is served below the mount of a world: the catalogues of the API, and the control plane beside them.

    The routes are made once for each set of choices that bears on them.
    """

    def __init__(self, api: Catalogue, files: Catalogue, control: Face) -> None:
        self.api = api
        self._files = files
        self.control = control
        self._routes: dict[tuple[tuple[str, Any], ...], Routes] = {}

    def routes(self, profile: Mapping[str, Any]) -> Routes:
        """Give the routes under a profile; profiles that differ in none of them share them."""
        chosen = (
            tuple(sorted((id, value) for id, value in profile.items() if id.startswith("route."))) if profile else ()
        )
        routes = self._routes.get(chosen)
        if routes is None:
            faces: list[tuple[str, Iterable[Operation]]] = [
                (in_force(profile, transport.PREFIX), self.api),
                ("", self._files),
                (self.control.prefix, self.control.catalogue),
            ]
            routes = self._routes[chosen] = Routes(faces, profile)
        return routes


class App:
    """The worlds of one server over HTTP. ``answers_to`` tells of a Host name whether it is ours; None for any."""

    def __init__(self, worlds: Worlds, mount: Mount, answers_to: Callable[[str], bool] | None = None) -> None:
        self.worlds = worlds
        self.mount = mount
        self.answers_to = answers_to
        profile = worlds.default.profile
        mount.routes(profile)  # a profile whose routes collide is told now, not with the first request
        worlds.check = mount.routes
        self.limits = Limits(
            body=in_force(profile, sizes.REQUEST_BODY),
            url=in_force(profile, sizes.REQUEST_URL),
            headers=in_force(profile, sizes.REQUEST_HEADERS),
        )

    def __call__(self, request: Request) -> Response:
        """Answer one request. Raises only where what it did cannot be recorded in the state directory."""
        segments = request.target.split("/")
        service = self.worlds.default
        del segments[0]
        if len(segments) > 1 and segments[0] == "w":
            named = self.worlds.get(segments[1])
            if named is None or not segments[1]:
                return self._nowhere(segments[1], request)
            service = named
            del segments[:2]
        context = ProfileContext(service.profile)
        finish = partial(_finished, service, request, context)
        control = bool(segments) and f"/{segments[0]}" == self.mount.control.prefix
        try:
            if control:
                return self._control(service, segments, request)
            response = self._answer(service, segments, request, context, finish)
        except Refusal as refusal:
            if control:
                return self.mount.control.refuse(refusal)
            response = service.unrouted(request, refusal, context.used, finish)
        except Misuse as misuse:
            return self.mount.control.refuse(misuse)
        except Exception as bug:
            bug.add_note(f"confsim failed while it answered {request.method} {request.target[:200]}")
            service.bugs.append(bug)
            internal = Refusal(Reason.INTERNAL_ERROR, reference=repr(bug))
            response = service.unrouted(request, internal, context.used, finish)
        return held(response)

    def _nowhere(self, name: str, request: Request) -> Response:
        """The answer to a call of a world that is not there, of which no other world hears."""
        try:
            self._admit(request)
        except Refusal as refusal:
            return self.mount.control.refuse(refusal)
        return self.mount.control.refuse(Misuse(f"there is no world {name[:80]!r}", 404, code="world_unknown"))

    def _control(self, service: Service, segments: list[str], request: Request) -> Response:
        """Answer a call of the control plane, which no choice of a profile touches."""
        self._admit(request)
        control = self.mount.control
        found = self.mount.routes(service.profile).find(
            ProfileContext({}), _as_get(request.method), segments, request.query
        )
        if not isinstance(found, Found):
            if not found:
                raise _no_route(request)
            if request.method == "OPTIONS":
                return Response(204, [("Allow", _allowed(found, head=True))])
            raise _wrong_method(request, _allowed(found, head=True))
        return control.perform(service, self.worlds, found.operation, found.texts, request)

    def _answer(
        self, service: Service, segments: list[str], request: Request, context: ProfileContext, finish: Finish
    ) -> Response:
        self._admit(request)
        if "origin" in request.headers:
            note(context, transport.CORS)
        method = request.method
        if method == "HEAD" and ask(context, transport.HEAD) == "as GET":
            method = "GET"
        if "%" in request.target:
            segments = _split(request, segments, context)
        routes = self.mount.routes(service.profile)
        found: Found | Response | tuple[str, ...] = routes.find(context, method, segments, request.query)
        if isinstance(found, tuple):
            found = _otherwise(service, routes, method, segments, found, request, context)
        if isinstance(found, Response):
            return service.unrouted(request, found, context.used, finish)
        accept = request.headers.get("accept", "*/*")
        if accept not in _ADMITTING:
            _check_accept(accept, context)
        note(context, transport.CACHING)
        if found.operation.catalogue is self.mount.api:
            note(context, transport.PREFIX)
        return service.perform(found.operation, found.texts, request.query, request, used=context.used, finish=finish)

    def _admit(self, request: Request) -> None:
        """Refuse what a transport could not read, and what was not meant for this server."""
        if request.fault:
            raise self._fault(request.fault, request.problem)
        host = request.headers.get("host", "")
        if self.answers_to is not None and host and not self.answers_to(host):
            raise Refusal(Reason.HOST_UNKNOWN, host=host[:200])

    def _fault(self, fault: str, problem: str) -> Refusal:
        limits = self.limits
        if fault == "url_too_long":
            return Refusal(Reason.URL_TOO_LONG, limit=limits.url)
        if fault == "headers_too_large":
            return Refusal(Reason.HEADERS_TOO_LARGE, limit=limits.headers)
        if fault == "body_too_large":
            return Refusal(Reason.BODY_TOO_LARGE, limit=limits.body)
        if fault == "timeout":
            return Refusal(Reason.REQUEST_TIMEOUT)
        return Refusal(Reason.REQUEST_MALFORMED, problem=problem or "it cannot be parsed")


def _as_get(method: str) -> str:
    return "GET" if method == "HEAD" else method


def _split(request: Request, segments: list[str], context: ProfileContext) -> list[str]:
    """The segments of the path where it holds an encoded slash (G058)."""
    if "%2f" not in request.target.lower():
        return segments
    choice = ask(context, transport.ENCODED_SLASH)
    if choice == "404":
        raise _no_route(request)
    if choice == "data":
        return segments
    return "/".join(segments).replace("%2F", "/").replace("%2f", "/").split("/")


def _otherwise(
    service: Service,
    routes: Routes,
    method: str,
    segments: list[str],
    allowed: tuple[str, ...],
    request: Request,
    context: ProfileContext,
) -> Found | Response:
    """What a profile makes of a request that no route answers as it is (G003, G004)."""
    found: Found | tuple[str, ...] = allowed
    if not all(segments):
        plain = [segment for segment in segments if segment]
        again = routes.find(context, method, plain, request.query)
        choice = ask(context, transport.TRAILING_SLASH)
        if choice == "redirect" and again:
            return _redirect(service, plain, request)
        found = again if choice == "same" else found
    as_post = method in {"PUT", "PATCH"} and isinstance(found, tuple) and "POST" in found
    if as_post and ask(context, transport.WRONG_METHOD) == "as POST":
        found = routes.find(context, "POST", segments, request.query)
    return found if isinstance(found, Found) else _unanswered(service, request, found, context)


def _unanswered(service: Service, request: Request, found: tuple[str, ...], context: ProfileContext) -> Response:
    """The answer where the path is not served, or not to this method (G002, G003, G005)."""
    if not found:
        raise _no_route(request)
    head = value_of(context, transport.HEAD) == "as GET"
    options = request.method == "OPTIONS" and ask(context, transport.OPTIONS) == "204"
    allowed = _allowed(found, head=head, options=value_of(context, transport.OPTIONS) == "204")
    if options:
        return Response(204, [("Allow", allowed), *cors.preflight(service, request, context, allowed)])
    if request.method not in {"HEAD", "OPTIONS"} and ask(context, transport.WRONG_METHOD) == "404":
        raise _no_route(request)
    raise _wrong_method(request, allowed)


def _allowed(found: tuple[str, ...], *, head: bool, options: bool = True) -> str:
    more = [*(["HEAD"] if head and "GET" in found else []), *(["OPTIONS"] if options else [])]
    return ", ".join((*found, *more))


def _redirect(service: Service, segments: list[str], request: Request) -> Response:
    query = f"?{request.query}" if request.query else ""
    return Response(308, [("Location", f"{service.mount}/{'/'.join(segments)}{query}")])


def _wrong_method(request: Request, allowed: str) -> Refusal:
    return Refusal(Reason.METHOD_NOT_ALLOWED, method=request.method[:40], path=request.target[:200], allowed=allowed)


def _no_route(request: Request) -> Refusal:
    return Refusal(Reason.ROUTE_NOT_FOUND, method=request.method[:40], path=request.target[:200])


_NO_STORE = ("Cache-Control", "no-store")
#: Accept headers that need no second look.
_ADMITTING = frozenset({"*/*", "application/json"})


def _check_accept(accept: str, context: ProfileContext) -> None:
    """Refuse, where the profile says so, an Accept header that does not admit application/json (G008)."""
    for item in accept.split(","):
        media, *parameters = (part.strip().lower() for part in item.split(";"))
        if media in {"*/*", "application/*", "application/json"} and not any(
            parameter.startswith("q=") and not parameter[2:].strip("0.") for parameter in parameters
        ):
            return
    if ask(context, parsing.ACCEPT) == "refuse":
        raise Refusal(Reason.NOT_ACCEPTABLE, accept=accept[:200])


def _finished(service: Service, request: Request, context: ProfileContext, response: Response) -> Response:
    """The answer with the headers that all answers of the API carry (G006, G010, G013)."""
    headers = response.headers
    if not context.profile and "origin" not in request.headers:
        headers.append(_NO_STORE)
        return response
    caching = value_of(context, transport.CACHING)
    if caching == "no-store":
        headers.append(_NO_STORE)
    elif caching == "etag" and request.method in {"GET", "HEAD"} and response.status == 200:
        tag = f'"{blake2b(response.body, digest_size=12).hexdigest()}"'
        headers.append(("ETag", tag))
        if request.headers.get("if-none-match") in {tag, "*"}:
            response = replace(response, status=304, body=b"")
    name = value_of(context, transport.REQUEST_ID)
    if name:
        headers += [(name, value) for key, value in headers if key == "X-Confsim-Request-Id"]
    if "origin" in request.headers and request.method != "OPTIONS":
        headers += cors.headers(service, request, context)
    return response
