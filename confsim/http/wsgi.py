"""The app as a WSGI application (PEP 3333), of Werkzeug's input stream, headers and status phrases.

Between them stand the two records that every way in shares. Werkzeug's classes of whole messages would take a call
beyond what one of a bare Werkzeug app costs: the sans-I/O response adds a tenth of that, the request a twentieth, the
WSGI wrappers a third.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

from werkzeug.datastructures import Headers
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge
from werkzeug.http import HTTP_STATUS_CODES
from werkzeug.wsgi import get_input_stream

from confsim.service.deferred import wait_for
from confsim.service.messages import Request, Response, split_target

from .limits import Limits

#: WSGI servers that add a header Date only where the application gives none, as their software is named; others, such
#: as gunicorn, or uvicorn and hypercorn with a bridge, always add theirs, and two would be no valid response.
_TAKES_DATE = ("Cheroot/", "WSGIServer/", "Werkzeug/", "waitress")
_STATUS = {code: f"{code} {phrase}" for code, phrase in HTTP_STATUS_CODES.items()}
#: What stays as it is when a path is encoded again.
_SAFE = "/:@!$&'()*+,;=~-._"
_PLAIN = re.compile("[A-Za-z0-9/._~-]+").fullmatch


class Wsgi:
    """``handler`` behind the WSGI protocol."""

    def __init__(self, handler: Callable[[Request], Response], limits: Limits) -> None:
        self._handler = handler
        self._limits = limits

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request as PEP 3333 says."""
        request = self._request(environ)
        response = wait_for(self._handler(request))
        status, body, headers = response.status, response.body, response.headers
        if response.cut is not None and response.cut < 0:
            raise ConnectionResetError("the connection was dropped, by a fault")
        if "REMOTE_ADDR" in environ and not environ.get("SERVER_SOFTWARE", "").startswith(_TAKES_DATE):
            headers = [line for line in headers if line[0] != "Date"]
        if status not in {204, 304}:
            headers = [*headers, ("Content-Length", str(len(body)))]
        start_response(_STATUS.get(status) or f"{status} Unknown", Headers(headers).to_wsgi_list())
        return [] if request.method == "HEAD" else [body[: response.cut]]

    def _request(self, environ: dict[str, Any]) -> Request:
        authority, target = _target(environ)
        query = environ.get("QUERY_STRING", "")
        headers = {
            name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")
        }
        kind = environ.get("CONTENT_TYPE")
        if kind:
            headers["content-type"] = kind
        if authority is not None:
            headers["host"] = authority
        limits = self._limits
        if len(target) + len(query) > limits.url:
            body, fault = b"", "url_too_long"
        elif sum(map(len, headers.values())) + sum(map(len, headers)) > limits.headers:
            body, fault = b"", "headers_too_large"
        else:
            body, fault = _body(environ, limits.body)
        return Request(environ["REQUEST_METHOD"], target, query, headers, body, fault)


def _body(environ: dict[str, Any], most: int) -> tuple[bytes, str]:
    """The body of at most so many bytes, and the fault in reading it.

    Without a length there is none, unless the server ends the input by itself (``wsgi.input_terminated``).
    """
    length = environ.get("CONTENT_LENGTH")
    if length and not length.isdecimal():
        return b"", "malformed"
    # Werkzeug's stream stops in silence at the limit where the server ends the input: one byte more tells.
    limit = most + 1 if "wsgi.input_terminated" in environ else most
    expected = int(length) if length and len(length) < 16 and "wsgi.input_terminated" not in environ else 0
    try:
        stream = get_input_stream(environ, max_content_length=limit)
        # Asked for all that is declared, it makes room for that alone; a whole read makes room for 64 KiB first.
        body = stream.read(expected) if expected else b""
        if not expected or len(body) < expected:
            body += stream.read()
    except RequestEntityTooLarge:
        return b"", "body_too_large"
    except BadRequest:  # the client is gone before the body is whole
        return b"", "malformed"
    return (b"", "body_too_large") if len(body) > most else (body, "")


def _target(environ: dict[str, Any]) -> tuple[str | None, str]:
    """The authority (None for none) and the path, still percent-encoded.

    It is as the server saw it where it tells, else encoded again; an encoded slash is lost then, as WSGI loses it.
    """
    raw = environ.get("RAW_URI") or environ.get("REQUEST_URI")
    if raw:
        authority, path = split_target(raw.partition("?")[0])
        if path.startswith("/"):
            return authority, path if path.isascii() else quote(path.encode("latin-1"), safe=f"%{_SAFE}")
    text = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return None, text if _PLAIN(text) else quote(text.encode("latin-1"), safe=_SAFE) or "/"
