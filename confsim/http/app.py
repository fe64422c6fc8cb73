"""The app: finds the world and the operation of a request, and makes the response. Every HTTP entry point calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any

from confsim.assumptions.protocol import parsing, sizes, transport
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext, ask, in_force, note
from confsim.kernel.refusal import Misuse, Refusal, suggest_near
from confsim.service.checks.checks import check_coding
from confsim.service.messages import Outcome, Request, Response
from confsim.service.service import OfOneProcess, Service
from confsim.service.waiting import after, delayed
from confsim.service.worker import in_thread
from confsim.service.worlds import Worlds
from confsim.values.urls import path_segments

from . import hosts
from .exchange import Exchange
from .inputs import parse_cookies, parse_form
from .limits import DEFAULT_LIMITS, REFUSALS, Limits, Unread, note_sizes
from .mount import Mount
from .routing import Found
from .stamps import http_date
from .unmatched import allow, handle_unmatched, no_route, split_slashes, wrong_method


class App(OfOneProcess):
    """Serves the worlds of one server over HTTP.

    ``answers_to`` returns whether a Host name is one of the server's; without it, every name is.
    """

    def __init__(self, worlds: Worlds, mount: Mount, answers_to: Callable[[str], bool] | None = None) -> None:
        self.worlds = worlds
        self.mount = mount
        self.answers_to = answers_to
        self._refuse_plain: Callable[[Request], Response | None] | None = None
        self._control_prefix = mount.control_prefix.removeprefix("/")
        mount.before_serve(worlds.default)
        worlds.observers.add(mount)
        self.limits = limits_under(worlds.default.profile)

    def serve_websockets(self, refuse_plain: Callable[[Request], Response | None]) -> None:
        """Set what refuses a request without a handshake at the address of a websocket; None is for other addresses."""
        self._refuse_plain = refuse_plain

    def limit(self, limits: Limits) -> None:
        """Set the limits of requests."""
        self.limits = limits

    def __repr__(self) -> str:
        count = len(self.worlds)
        return f"<App of {count} {'world' if count == 1 else 'worlds'}>"

    def __call__(self, request: Request) -> Outcome:
        """Answer one request. Raises only when a change cannot be recorded in the state directory."""
        segments = path_segments(request.target)
        service = self.worlds.default
        del segments[0]
        if len(segments) > 1 and segments[0] == "w":
            named = self.worlds.find(segments[1])
            if named is None or not segments[1]:
                return _dated(service, self._nowhere(segments[1], request))
            service = named
            del segments[:2]
        if service.webhooks.waits and request.worker is not None:  # its receiver may call this server
            return in_thread(partial(self._respond, service, segments, request))
        return self._respond(service, segments, request)

    def _respond(self, service: Service, segments: list[str], request: Request) -> Outcome:
        if _is_front(segments, request) or (segments and segments[0] == self._control_prefix):
            return _dated(service, self._control(service, segments, request))
        exchange = Exchange(service, request)
        try:
            response = self._answer(exchange, segments)
            if isinstance(response, Future):
                return after(response, lambda over: delayed(service.live.waiters, over.result()))
        except Refusal as refusal:
            response = service.pipeline.unrouted(request, refusal, exchange.carried.used, exchange.finish)
        except Misuse as misuse:
            service.journal.use(exchange.carried.used)  # no journal entry notes its assumptions
            return _dated(service, self.mount.control.refuse(misuse))
        except Exception as bug:
            response = service.pipeline.unrouted(
                request, _internal(service, request, bug), exchange.carried.used, exchange.finish
            )
        return delayed(service.live.waiters, response) if response.delay else response

    def _nowhere(self, name: str, request: Request) -> Outcome:
        """Return the response for an unknown world (for a browser a page of the root world); no journal notes it."""
        is_browser = request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", "")
        if is_browser and self.mount.pages is not None:
            return self._control(self.worlds.default, [self._control_prefix, *_PAGES[-1], "worlds", name], request)
        try:
            self.admit(request)
        except Refusal as refusal:
            return self.mount.control.refuse(refusal)
        meant = suggest_near(name, filter(None, self.worlds))
        return self.mount.control.refuse(Misuse(f"there is no world {name[:80]!r}{meant}", 404, code="world_unknown"))

    def _control(self, service: Service, segments: list[str], request: Request) -> Outcome:
        """Answer a control call; a profile has no influence on it."""
        control = self.mount.control
        try:
            return self._controlled(service, segments, request)
        except (Refusal, Misuse) as refusal:
            return control.refuse(refusal)
        except Exception as bug:
            return service.pipeline.unrouted(request, _internal(service, request, bug))

    def _controlled(self, service: Service, segments: list[str], request: Request) -> Outcome:
        self.admit(request)
        pages = self.mount.pages
        if pages is not None and (_is_front(segments, request) or segments[1:2] in _PAGES):
            return pages(service, self.worlds, request, segments)
        method = "GET" if request.method == "HEAD" else request.method
        found = self.mount.control_routes.match(ProfileContext({}), method, segments, request.query)
        if not isinstance(found, Found):
            if not found:
                raise no_route(request)
            if request.method == "OPTIONS":
                return Response(204, [("Allow", allow(found, head=True))])
            raise wrong_method(request, allow(found, head=True))
        check_coding(request)
        return self.mount.control.perform(service, self.worlds, found.operation, found.texts, request)

    def _answer(self, exchange: Exchange, segments: list[str]) -> Outcome:
        service, request = exchange.service, exchange.request
        headers, method = request.headers, request.method
        note_sizes(exchange, request)
        self.admit(request)
        if "origin" in headers:
            note(exchange, transport.CORS)
        if "cookie" in headers:
            parse_cookies(request)
        if method == "HEAD" and ask(exchange, transport.HEAD) == "as GET":
            method = "GET"
        if "%" in request.target:
            segments = split_slashes(request, segments, exchange)
        routes = self.mount.routes(exchange.carried.profile)
        found: Found | Response | tuple[str, ...] = routes.match(exchange, method, segments, request.query)
        if isinstance(found, tuple):
            if not found and self._refuse_plain is not None and method in {"GET", "HEAD"}:
                refused = self._refuse_plain(request)
                if refused is not None:
                    return refused
            found = handle_unmatched(service, self.mount, method, segments, found, request, exchange)
        if isinstance(found, Response):
            return service.pipeline.unrouted(request, found, exchange.carried.used, exchange.finish)
        accept = headers.get("accept", "*/*")
        if accept not in _ADMITTING:
            _check_accept(exchange)
        operation = found.operation
        if operation.catalogue is self.mount.api:
            note(exchange, transport.PREFIX)
        exchange.asks_for(operation)
        if "content-type" in headers:
            parse_form(request, operation)
        call = service.incoming(request, operation, found.texts, exchange.carried, exchange.finish)
        return service.pipeline.perform(call)

    def admit(self, request: Request) -> None:
        """Refuse what the transport could not read, and what is not meant for this server (RFC 9112, 3.2)."""
        if request.fault and (refusal := REFUSALS.get(request.fault, REFUSALS[Unread.MALFORMED])) is not None:
            raise refusal(self.limits, request.problem)
        host = request.headers.get("host")
        if host is None:
            return
        if not hosts.is_valid(host):
            raise Refusal(Reason.REQUEST_MALFORMED, problem=f"{host[:200]!r} is no Host header")
        if self.answers_to is not None and not self.answers_to(host):
            raise Refusal(Reason.HOST_UNKNOWN, host=host[:200], name=hosts.name_of(host)[:200])

    def needs_body(self, request: Request) -> bool:
        """Return whether the answer to a request, given without its body, may depend on the body.

        It does not where nothing is served, or where the caller of an operation is refused.
        """
        segments = request.target.split("/")[1:]
        service: Service | None = self.worlds.default
        if segments[:1] == ["w"] and len(segments) > 1:
            service, segments = self.worlds.find(segments[1]) if segments[1] else None, segments[2:]
        if service is None:
            return False
        if segments[:1] == [self._control_prefix] or "%" in request.target or request.fault:
            return True
        exchange = Exchange(service, request)
        parse_cookies(request)
        try:
            found = self.mount.routes(service.profile).match(exchange, request.method, segments, request.query)
        except Refusal:
            return True
        if not isinstance(found, Found):
            return False
        return service.pipeline.needs_body(service.incoming(request, found.operation, found.texts, exchange.carried))


def limits_under(profile: Mapping[str, Any]) -> Limits:
    """Return the limits on requests under a profile."""
    return Limits(
        body=in_force(profile, sizes.REQUEST_BODY),
        url=in_force(profile, sizes.REQUEST_URL),
        headers=in_force(profile, sizes.REQUEST_HEADERS),
        unfinished=max(DEFAULT_LIMITS.unfinished, in_force(profile, sizes.REQUEST_BODY)),
    )


def _internal(service: Service, request: Request, bug: Exception) -> Refusal:
    """Return the refusal for an internal error, and add the error to ``service.bugs``."""
    bug.add_note(f"confsim failed while it answered {request.method} {request.target[:200]}")
    service.live.report_bug(bug)
    return Refusal(Reason.INTERNAL_ERROR, reference=repr(bug))


def _dated(service: Service, outcome: Outcome) -> Outcome:
    """Return a response that no journal notes, with the Date of the world's clock."""
    if isinstance(outcome, Future):
        return after(outcome, lambda over: _dated(service, over.result()))
    outcome.headers.append(("Date", http_date(service.clock.now())))
    return outcome


def _is_front(segments: list[str], request: Request) -> bool:
    """Return whether a request reads the mount of a world itself.

    A target that is no path, as in CONNECT, does not: a success would open a tunnel.
    """
    if segments and segments != [""]:
        return False
    return request.method in {"GET", "HEAD"} and request.target.startswith("/") and not request.fault


#: First path segments of pages, behind the prefix of the control plane.
_PAGES: tuple[list[str], ...] = ([], [""], ["inspector"])

#: Common Accept headers that allow application/json; they need not be parsed.
_ADMITTING = frozenset({"*/*", "application/json"})


def _check_accept(exchange: Exchange) -> None:
    """Refuse, if the profile says so, an Accept header that does not allow application/json (R003, G008)."""
    from .representation import admits_json

    request = exchange.request
    if not admits_json(request) and ask(exchange, parsing.ACCEPT) == "refuse":
        raise Refusal(Reason.NOT_ACCEPTABLE, accept=request.headers["accept"][:200])
