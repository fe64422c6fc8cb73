"""Requests that match no operation: extra slashes, OPTIONS, wrong methods, unknown paths."""

from __future__ import annotations

from confsim.assumptions.protocol import transport
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import Context, ask, context_of, note
from confsim.kernel.refusal import Refusal
from confsim.service.messages import Request, Response
from confsim.service.service import Service

from . import cors
from .mount import Mount
from .routing import Found


def split_slashes(request: Request, segments: list[str], context: Context) -> list[str]:
    """Return the path segments, split at encoded slashes if the profile says so (G058)."""
    if "%2f" not in request.target.lower():
        return segments
    choice = ask(context, transport.ENCODED_SLASH)
    if choice == "404":
        raise no_route(request)
    if choice == "data":
        return segments
    return "/".join(segments).replace("%2F", "/").replace("%2f", "/").split("/")


def handle_unmatched(
    service: Service,
    mount: Mount,
    method: str,
    segments: list[str],
    allowed: tuple[str, ...],
    request: Request,
    context: Context,
) -> Found | Response:
    """Return the operation or the response for a request that matched no route (G003, G004).

    ``allowed`` are the methods of its path. Raises Refusal ROUTE_NOT_FOUND or METHOD_NOT_ALLOWED.
    """
    found: Found | tuple[str, ...] = allowed
    routes = mount.routes(context_of(context).profile)
    note(context, transport.PREFIX)
    note(context, transport.CASE)
    if request.target == "*" and request.method == "OPTIONS":  # the server as a whole (RFC 9110, 9.3.7)
        return _unanswered(service, request, mount.methods(context_of(context).profile), context)
    if not all(segments):
        plain = [segment for segment in segments if segment]
        again = routes.match(context, method, plain, request.query)
        choice = ask(context, transport.TRAILING_SLASH)
        if choice == "redirect" and again:
            return _redirect(service, plain, request)
        found = again if choice == "same" else found
    as_post = method in {"PUT", "PATCH"} and isinstance(found, tuple) and "POST" in found
    if as_post and ask(context, transport.WRONG_METHOD) == "as POST":
        found = routes.match(context, "POST", segments, request.query)
    return found if isinstance(found, Found) else _unanswered(service, request, found, context)


def _unanswered(service: Service, request: Request, found: tuple[str, ...], context: Context) -> Response:
    """Return the response for an unknown path, or a wrong method (G002, G003, G005)."""
    if not found:
        raise no_route(request)
    head = ask(context, transport.HEAD) == "as GET"
    options = ask(context, transport.OPTIONS) == "204"
    allowed = allow(found, head=head, options=options)
    if options and request.method == "OPTIONS":
        return Response(204, [("Allow", allowed), *cors.preflight(service, request, context, allowed)])
    if request.method not in {"HEAD", "OPTIONS"} and ask(context, transport.WRONG_METHOD) == "404":
        raise no_route(request)
    raise wrong_method(request, allowed)


def allow(found: tuple[str, ...], *, head: bool, options: bool = True) -> str:
    """Return the value of the header Allow."""
    more = [*(["HEAD"] if head and "GET" in found else []), *(["OPTIONS"] if options else [])]
    return ", ".join((*found, *more))


def _redirect(service: Service, segments: list[str], request: Request) -> Response:
    query = f"?{request.query}" if request.query else ""
    return Response(308, [("Location", f"{service.address.mount}/{'/'.join(segments)}{query}")])


def wrong_method(request: Request, allowed: str) -> Refusal:
    """Return the refusal of a wrong method."""
    return Refusal(Reason.METHOD_NOT_ALLOWED, method=request.method[:40], path=request.target[:200], allowed=allowed)


def no_route(request: Request) -> Refusal:
    """Return the refusal of an unknown path."""
    return Refusal(Reason.ROUTE_NOT_FOUND, method=request.method[:40], path=request.target[:200])
