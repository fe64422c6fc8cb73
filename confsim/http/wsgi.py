"""The app as a WSGI application, for any server or test client that speaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from confsim.service.message import Request, Response

_PHRASES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class Wsgi:
    """``handler`` behind the WSGI protocol (PEP 3333)."""

    def __init__(self, handler: Callable[[Request], Response], body_limit: int) -> None:
        self._handler = handler
        self._body_limit = body_limit

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        request = self._request(environ)
        response = self._handler(request)
        body = response.body
        headers = response.headers
        if response.status != 204:
            headers = [*headers, ("Content-Length", str(len(body)))]
        start_response(_PHRASES[response.status], headers)
        return [] if request.method == "HEAD" else [body]

    def _request(self, environ: dict[str, Any]) -> Request:
        headers = {
            name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")
        }
        kind = environ.get("CONTENT_TYPE")
        if kind:
            headers["content-type"] = kind
        body, fault = self._body(environ)
        return Request(
            environ["REQUEST_METHOD"], _target(environ), environ.get("QUERY_STRING", ""), headers, body, fault
        )

    def _body(self, environ: dict[str, Any]) -> tuple[bytes, str]:
        length = environ.get("CONTENT_LENGTH")
        if not length:
            if environ.get("HTTP_TRANSFER_ENCODING", "").lower() != "chunked" and not environ.get(
                "wsgi.input_terminated"
            ):
                return b"", ""
            body = environ["wsgi.input"].read(self._body_limit + 1)
            return (b"", "body_too_large") if len(body) > self._body_limit else (body, "")
        try:
            size = int(length)
        except ValueError:
            return b"", "malformed"
        if size < 0:
            return b"", "malformed"
        if size > self._body_limit:
            return b"", "body_too_large"
        return environ["wsgi.input"].read(size), ""


def _target(environ: dict[str, Any]) -> str:
    """The path still percent-encoded: as the server saw it where it tells, else encoded again (an encoded slash is
    then lost, as WSGI loses it)."""
    raw = environ.get("RAW_URI") or environ.get("REQUEST_URI")
    if raw:
        path: str = raw.partition("?")[0]
        if path.startswith("/"):
            return path
    text = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return quote(text.encode("latin-1"), safe="/:@!$&'()*+,;=~-._") or "/"
