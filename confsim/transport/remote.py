"""The transport to a server over HTTP."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request, Response

from .transport import WireTransport


class RemoteTransport(WireTransport):
    """Calls any server of the API by the URL of its mount (a confsim server or a real service) over one connection.

    ``timeout`` is in seconds. Raises Misuse for an unusable URL.
    """

    def __init__(self, root: str, timeout: float = 30) -> None:
        self.root = root.rstrip("/")
        parts = urlsplit(self.root)
        kinds = {"http": HTTPConnection, "https": HTTPSConnection}
        if parts.scheme not in kinds or not parts.netloc:
            raise Misuse(f"{root!r} is no address such as http://127.0.0.1:8080")
        self._connection = kinds[parts.scheme](parts.netloc, timeout=timeout)
        self._base = parts.path

    def exchange(self, request: Request) -> Response:
        """Send one request and return the response. Raises Misuse when the server cannot be reached."""
        url = self._base + request.target + (f"?{request.query}" if request.query else "")
        connection = self._connection
        try:
            connection.request(request.method, url, request.body or None, request.headers)
            response = connection.getresponse()
            return Response(response.status, response.getheaders(), response.read())
        except (OSError, HTTPException) as error:
            connection.close()
            raise Misuse(f"{self.root} cannot be reached: {error or type(error).__name__}") from None

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
