"""The WSGI application: from a request to its operation, and from what that returns to a response."""

from __future__ import annotations

import functools
import json
import logging
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from services.conferencing import callers, timers
from services.conferencing.context import ROUTES, Reply, Route, Service
from services.conferencing.errors import Failure, body_of, status_of

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

LOG = logging.getLogger("conferencing")


@functools.cache
def routes_under(base: str) -> Map:
    """The map of all operations under a base path."""
    rules = [Rule(base + r.path, endpoint=r, methods=[r.method]) for r in ROUTES]
    return Map(rules, strict_slashes=False, merge_slashes=False, redirect_defaults=False)


class Application:
    """The service as a WSGI application."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.tokens: dict[str, str] = {}
        self.client = ""
        self.seeded: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._adapter = routes_under(service.style.base_path).bind("service")

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, alone."""
        request = Request(environ)
        with self._lock:
            response = self.answer(request)
        return response(environ, start_response)

    def answer(self, request: Request) -> Response:
        """The response to a request."""
        service = self.service
        request.get_data()  # in any case: a body left unread would be taken for the next request
        try:
            service.db.begin()
            timers.settle(service)
            service.db.commit()
            route, path = self._route(request)
            service.db.begin()
            response = self._call(request, route, path)
            service.db.commit()
            return response
        except Failure as failure:
            if failure.more.get("keep"):
                service.db.commit()
            service.db.rollback()
            return self._failed(request, failure)
        except Exception:
            service.db.rollback()
            LOG.exception("%s %s", request.method, request.path)
            return self._failed(request, Failure("broken"))

    def _route(self, request: Request) -> tuple[Route, dict[str, str]]:
        path = request.path
        if path.endswith("/") and not self.service.style.requests.trailing_slash:
            raise Failure("no_route", path)
        try:
            route, arguments = self._adapter.match(path.rstrip("/") or "/", method=request.method)
            return route, dict(arguments)
        except NotFound as error:
            raise Failure("no_route", path) from error
        except MethodNotAllowed as error:
            raise Failure("bad_method", request.method, allowed=", ".join(error.valid_methods or ())) from error

    def _call(self, request: Request, route: Route, path: dict[str, str]) -> Response:
        rules = self.service.style.requests
        accepted = request.accept_mimetypes
        if rules.accept == "strict" and request.headers.get("Accept") and accepted.quality("application/json") <= 0:
            raise Failure("not_acceptable")
        ctx = callers.context(self.service, request, route, path)
        if rules.unknown_query == "reject" and not route.name.startswith("staging"):
            known = {*route.query, self.service.style.auth.query_parameter}
            faults = [(name, "unknown") for name in request.args if name not in known]
            if faults:
                raise Failure("bad_query", faults[0][0], faults)
        result = route.work(ctx)
        reply = result if isinstance(result, Reply) else Reply(result)
        return self._succeeded(route, reply, result is None)

    def _succeeded(self, route: Route, reply: Reply, nothing: bool) -> Response:
        rules = self.service.style.replies
        status, body = reply.status, reply.body
        if nothing:
            deletes = route.kind == "delete"
            status = rules.deleted if deletes else rules.done
            body = rules.deleted_body if deletes else rules.done_body
        elif status is None:
            status = rules.created if route.kind == "create" else 200
        empty = status == 204 or (nothing and body is None)
        data = b"" if empty else json.dumps(body, ensure_ascii=False).encode()
        response = Response(data, status=status, content_type="application/json" if data else None)
        if rules.location and reply.location is not None:
            response.headers["Location"] = self.service.style.base_path + reply.location
        if rules.cache_control:
            response.headers["Cache-Control"] = rules.cache_control
        return response

    def _failed(self, request: Request, failure: Failure) -> Response:
        style = self.service.style
        data = body_of(style, failure, request.path, self.service.clock.now())
        response = Response(data, status=status_of(style, failure), content_type=style.errors.content_type)
        if response.status_code == 401 and style.auth.challenge:
            response.headers["WWW-Authenticate"] = style.auth.challenge
        if response.status_code == 405:
            response.headers["Allow"] = failure.more.get("allowed", "")
        return response
