"""The inspector over HTTP: chooses the page of a request, and runs the action of a submitted form before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from urllib.parse import parse_qsl, unquote

import msgspec

from confsim import shipped
from confsim.api.call import HOST
from confsim.control.catalogue import CONTROL
from confsim.control.context import ControlContext
from confsim.control.declare import PREFIX
from confsim.control.invoke import ControlPlane
from confsim.kernel.refusal import Misuse
from confsim.service.checks.sites import cross_site
from confsim.service.messages import Outcome, Request, Response
from confsim.service.service import Service
from confsim.service.worlds import Worlds

from . import changes
from .page_request import AnsweredPage, PageRequest

#: Pages load nothing from elsewhere, have no inline script or style, and cannot be framed by another site.
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    ("Content-Security-Policy", _POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
#: The files that pages load, each with its media type.
_STATIC = {
    "style.css": "text/css; charset=utf-8",
    "inspector.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


def respond(service: Service, worlds: Worlds, request: Request, segments: Sequence[str]) -> Outcome:
    """Return the response to a request for a page, or its future where the server answers others meanwhile."""
    if request.worker is None:
        return _respond(service, worlds, request, segments)
    return request.worker.do(partial(_respond, service, worlds, request, segments))


def _respond(service: Service, worlds: Worlds, request: Request, segments: Sequence[str]) -> Response:
    """Return the response to a request for the mount of a world, its control plane or a page of the inspector.

    ``segments`` are those of the path below the mount. For the mount itself, a browser is redirected to the overview, a
    program gets an index.
    """
    start = service.address.start(request.headers, request.scheme)
    context = ControlContext(service, worlds, request.headers.get("host", HOST), notes_reads=False, start=start)
    control = ControlPlane(CONTROL, context)
    home = f"{service.address.mount}{PREFIX}/"
    name, *path = [unquote(each) for each in segments[2:]] or [""]
    asked = PageRequest(control, home, name, tuple(path), dict(parse_qsl(request.query)))
    if len(segments) < 3 and "inspector" not in segments[1:]:
        if "text/html" not in request.headers.get("accept", ""):
            json = ("Content-Type", "application/json")
            return _answered(asked, lambda: Response(200, [json, *_HEADERS], _index(control)))
        if list(segments[1:]) != [""]:
            return Response(302, [("Location", home), *_HEADERS])
    if request.method in ("GET", "HEAD"):
        if name == "static":
            return _answered(asked, lambda: _static(path))
        if request.headers.get("if-none-match") == f'"{changes.tag(context)}"':
            return Response(304, list(_HEADERS))
        return _answered(asked, lambda: _page(asked, name))
    from . import forms, pages

    if request.method != "POST":
        return _html(pages.problem(asked, 405, f"A page answers GET and POST, not {request.method}."))
    if cross_site(request, HOST, start):
        text = (
            "A form of another site is not answered. "
            "A server behind a proxy is told its address by --public-url or --trust-proxy."
        )
        return _html(pages.problem(asked, 403, text))
    form = dict(parse_qsl(request.body.decode(errors="replace"), keep_blank_values=True))
    return _answered(asked, lambda: Response(303, [("Location", forms.get(name)(asked, form)), *_HEADERS]))


def _page(asked: PageRequest, name: str) -> Response:
    from . import pages

    return _html(pages.get(name)(asked))


def _answered(asked: PageRequest, make: Callable[[], Response]) -> Response:
    """Return the response of a function; Misuse is an error page."""
    try:
        return make()
    except Misuse as misuse:
        from . import pages

        return _html(pages.problem(asked, misuse.status, str(misuse)))


def _index(control: ControlPlane) -> bytes:
    """The URLs of everything that is served, as JSON for programs."""
    context = control.context
    plane = f"{context.root}{PREFIX}"
    links = {
        "version": control("get_info").version,
        "api": context.base_url,
        "openapi": f"{context.root}/openapi.json",
        "control": plane,
        "controlOpenapi": f"{plane}/openapi.json",
        "info": f"{plane}/info",
        "inspector": f"{plane}/",
    }
    return msgspec.json.encode(links)


def _html(shown: AnsweredPage) -> Response:
    return Response(shown.status, [("Content-Type", "text/html; charset=utf-8"), *_HEADERS], shown.html.encode())


def _static(path: Sequence[str]) -> Response:
    kind = _STATIC.get("/".join(path))
    if kind is None:
        raise Misuse("there is no such file", status=404)
    return Response(200, [("Content-Type", kind), *_HEADERS], shipped.read(f"inspector/static/{path[0]}"))
