"""The transport to a WSGI application in this process."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

from confsim.api.call import HOST
from confsim.service.messages import Request, Response

from .transport import WireTransport

#: A WSGI application (PEP 3333).
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class WsgiTransport(WireTransport):
    """Calls a WSGI application; the world is below the path ``mount``, "" for the root."""

    def __init__(self, application: Application, mount: str = "") -> None:
        self._application = application
        self._mount = mount
        self.root = f"http://{HOST}{mount}"

    def exchange(self, request: Request) -> Response:
        """Send one request and return the response. Raises ConnectionResetError when fewer bytes came than declared."""
        started: list[Any] = []
        environ = environ_of(self._mount + request.target, request)
        body = b"".join(self._application(environ, lambda status, lines: started.extend((status, lines))))
        status, headers = started
        length = dict(headers).get("Content-Length")
        if length is not None and request.method != "HEAD" and len(body) < int(length):
            raise ConnectionResetError("the body was cut off")
        return Response(int(status[:3]), headers, body)


def environ_of(target: str, request: Request) -> dict[str, Any]:
    """Return the WSGI environment of a request; ``target`` is its path, percent-encoded."""
    lines = {name.upper().replace("-", "_"): value for name, value in request.headers.items()}
    return {
        "REQUEST_METHOD": request.method,
        "RAW_URI": target,
        "PATH_INFO": target,
        "QUERY_STRING": request.query,
        "CONTENT_LENGTH": str(len(request.body)),
        "CONTENT_TYPE": lines.pop("CONTENT_TYPE", ""),
        "HTTP_HOST": HOST,
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.url_scheme": "http",
        **{f"HTTP_{name}": value for name, value in lines.items()},
    }
