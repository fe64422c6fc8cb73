"""The app as a WSGI application, for any server or test client that speaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from confsim.service.message import Request, Response, split_target
from confsim.service.waiting import arrived

from .limits import Limits

_PHRASES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}
#: What stays as it is when a path is encoded again.
_SAFE = "/:@!$&'()*+,;=~-._"


class Wsgi:
    """``handler`` behind the WSGI protocol (PEP 3333)."""

    def __init__(self, handler: Callable[[Request], Response], limits: Limits) -> None:
        self._handler = handler
        self._limits = limits

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request as PEP 3333 says."""
        request = self._request(environ)
        response = arrived(self._handler(request))
        status, body, headers = response.status, response.body, response.headers
        if response.cut is not None and response.cut < 0:
            raise ConnectionResetError("the connection was dropped, by a fault")
        if status not in {204, 304}:
            headers = [*headers, ("Content-Length", str(len(body)))]
        start_response(_PHRASES.get(status) or f"{status} Unknown", headers)
        return [] if request.method == "HEAD" else [body[: response.cut]]

    def _request(self, environ: dict[str, Any]) -> Request:
        headers = {
            name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")
        }
        kind = environ.get("CONTENT_TYPE")
        if kind:
            headers["content-type"] = kind
        target, query = _target(environ), environ.get("QUERY_STRING", "")
        limits = self._limits
        if len(target) + len(query) > limits.url:
            body, fault = b"", "url_too_long"
        elif sum(map(len, headers.values())) + sum(map(len, headers)) > limits.headers:
            body, fault = b"", "headers_too_large"
        else:
            body, fault = self._body(environ)
        return Request(environ["REQUEST_METHOD"], target, query, headers, body, fault)

    def _body(self, environ: dict[str, Any]) -> tuple[bytes, str]:
        length = environ.get("CONTENT_LENGTH")
        most = self._limits.body
        if not length:
            chunked = environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked"
            if not chunked and not environ.get("wsgi.input_terminated"):
                return b"", ""
            body = environ["wsgi.input"].read(most + 1)
            return (b"", "body_too_large") if len(body) > most else (body, "")
        try:
            size = int(length)
        except ValueError:
            return b"", "malformed"
        if size < 0:
            return b"", "malformed"
        if size > most:
            return b"", "body_too_large"
        return environ["wsgi.input"].read(size), ""


def _target(environ: dict[str, Any]) -> str:
    """The path, still percent-encoded: as the server saw it where it tells, else encoded again.

    An encoded slash is lost on that way, as WSGI loses it.
    """
    raw = environ.get("RAW_URI") or environ.get("REQUEST_URI")
    if raw:
        path = split_target(raw.partition("?")[0])[1]
        if path.startswith("/"):
            return path if path.isascii() else quote(path.encode("latin-1"), safe=f"%{_SAFE}")
    text = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return quote(text.encode("latin-1"), safe=_SAFE) or "/"
