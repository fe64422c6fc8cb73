"""The app as a WSGI application (PEP 3333), made of Werkzeug's input streams and its sans-I/O response.

They are converted to the shared records of a request and a response. Werkzeug's sans-I/O request is made only when a
header must be parsed (``inputs``, ``representation``): for every call it would cost too much.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from werkzeug.exceptions import BadRequest, RequestEntityTooLarge
from werkzeug.sansio.response import Response as WerkzeugResponse
from werkzeug.wsgi import LimitedStream, get_input_stream

from confsim.service.messages import Handler, Request, split_target
from confsim.service.waiting import wait_for

from .limits import Limits, Unread
from .stamps import PHRASES

#: WSGI servers, by their software names, that add a Date header only if the application sets none. Others (gunicorn, or
#: uvicorn and hypercorn with a bridge) always add one, and two would make the response invalid.
_TAKES_DATE = ("Cheroot/", "WSGIServer/", "Werkzeug/", "waitress")
_STATUS = {code: f"{code} {phrase}" for code, phrase in PHRASES.items()}
#: Characters that stay unencoded when a path is encoded again.
_SAFE = "/:@!$&'()*+,;=~-._"
_PLAIN = re.compile("[A-Za-z0-9/._~-]+").fullmatch


class _Sent(WerkzeugResponse):
    """A response as Werkzeug's, which refuses invalid headers; without a default media type."""

    default_mimetype = None


class WsgiApp:
    """A handler behind the WSGI protocol."""

    def __init__(self, handler: Handler, limits: Limits) -> None:
        self._handler = handler
        self._limits = limits

    def __repr__(self) -> str:
        return f"<WsgiApp of {self._handler!r}>"

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request by PEP 3333."""
        request = self._request(environ)
        response = wait_for(self._handler(request))
        status, body, headers = response.status, response.body, response.headers
        if response.dropped:
            raise ConnectionResetError("the connection was dropped, by a fault")
        if "REMOTE_ADDR" in environ and not environ.get("SERVER_SOFTWARE", "").startswith(_TAKES_DATE):
            headers = [line for line in headers if line[0] != "Date"]
        if status not in {204, 304}:
            headers = [*headers, ("Content-Length", str(len(body)))]
        sent = _Sent(_STATUS.get(status) or f"{status} Unknown", headers)
        start_response(sent.status, sent.headers.to_wsgi_list())
        return [] if request.method == "HEAD" else [body[: response.cut]]

    def _request(self, environ: dict[str, Any]) -> Request:
        authority, target = _target(environ)
        query = environ.get("QUERY_STRING", "")
        headers = {_header(name): value for name, value in environ.items() if name[:5] == "HTTP_"}
        kind = environ.get("CONTENT_TYPE")
        if kind:
            headers["content-type"] = kind
        if authority is not None:
            headers["host"] = authority
        limits, fault = self._limits, ""
        if len(target) + len(query) > limits.url:
            body, fault = b"", Unread.URL_TOO_LONG
        elif len("".join(headers)) + len("".join(headers.values())) > limits.headers:
            body, fault = b"", Unread.HEADERS_TOO_LARGE
        else:
            body, fault = _body(environ, limits.body)
        scheme = environ.get("wsgi.url_scheme", "http")
        return Request(environ["REQUEST_METHOD"], target, query, headers, body, fault, scheme=scheme)


@lru_cache(maxsize=256)
def _header(name: str) -> str:
    """Return the lower-case header name for a key of the environment."""
    return name[5:].replace("_", "-").lower()


def _body(environ: dict[str, Any], most: int) -> tuple[bytes, str]:
    """Return the body, of at most ``most`` bytes, and the fault in reading it.

    Without a length the body is empty, unless the server ends the input itself (``wsgi.input_terminated``).
    """
    length = environ.get("CONTENT_LENGTH")
    if length and not length.isdecimal():
        return b"", Unread.MALFORMED
    try:
        if "wsgi.input_terminated" in environ:
            # Werkzeug's stream stops silently at the limit when the server ends the input: one byte more reveals it.
            body = get_input_stream(environ, max_content_length=most + 1).read()
            return (b"", Unread.BODY_TOO_LARGE) if len(body) > most else (body, "")
        if not length:
            return b"", ""
        if len(length) > 15 or int(length) > most:
            return b"", Unread.BODY_TOO_LARGE
        return _declared(environ["wsgi.input"], int(length)), ""
    except RequestEntityTooLarge:
        return b"", Unread.BODY_TOO_LARGE
    except (BadRequest, OSError, ValueError):  # the client disconnected before the body was complete
        return b"", Unread.MALFORMED


def _declared(source: Any, length: int) -> bytes:
    """Return this many bytes of an input, in one read if possible. Raises BadRequest when there are fewer."""
    body: bytes = source.read(length)
    return body if len(body) == length else body + LimitedStream(source, length - len(body)).readall()


def _target(environ: dict[str, Any]) -> tuple[str | None, str]:
    """Return the authority (None for none) and the path, still percent-encoded.

    The raw target is used if the server provides it. Otherwise the path is encoded again; an encoded slash is lost
    then, as always in WSGI.
    """
    raw = environ.get("RAW_URI") or environ.get("REQUEST_URI")
    if raw:
        authority, path = split_target(raw.partition("?")[0])
        if path.startswith("/"):
            return authority, path if path.isascii() else quote(path.encode("latin-1"), safe=f"%{_SAFE}")
    text = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return None, text if _PLAIN(text) else quote(text.encode("latin-1"), safe=_SAFE) or "/"
