"""The transport to a server over HTTP."""

from __future__ import annotations

from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection, InvalidURL, RemoteDisconnected
from urllib.parse import SplitResult

from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request, Response
from confsim.values.urls import uri

from .transport import WireTransport

#: The code of a Misuse for a server that cannot be reached.
UNREACHABLE = "unreachable"


def parsed_root(url: str, such_as: str) -> SplitResult:
    """Return the parts of a server's address in ASCII. Raises Misuse, without the password, for an unusable one."""
    try:
        parts = uri(url)
    except ValueError as error:
        raise Misuse(f"{url.rpartition('@')[2]!r} is not a server URL such as {such_as}: {error}") from None
    if parts.username is not None:
        raise Misuse(f"the URL of {parts.hostname} must not contain a user name; tokens belong into the accounts file")
    if parts.scheme not in ("http", "https"):
        raise Misuse(f"{url!r} is not a server URL such as {such_as}")
    if parts.query or parts.fragment:
        raise Misuse(f"{url!r} is not a server URL such as {such_as}: it has a query or a fragment")
    return parts


class RemoteTransport(WireTransport):
    """Calls any server of the API by the URL of its mount (a confsim server or a real service) over one connection.

    ``timeout`` is in seconds. Raises Misuse for an unusable URL.
    """

    def __init__(self, root: str, timeout: float = 30) -> None:
        self.root = root.rstrip("/")
        parts = parsed_root(self.root, "http://127.0.0.1:8080")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connect = partial(kind, parts.netloc, timeout=timeout)
        try:
            self._connection: HTTPConnection = self._connect()
        except InvalidURL as error:
            raise Misuse(f"{self.root!r} is not a server URL such as http://127.0.0.1:8080: {error}") from None
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
            if isinstance(error, RemoteDisconnected | ConnectionResetError):
                raise Misuse(f"{self.root} closed the connection without an answer", code="no_answer") from None
            reason = getattr(error, "strerror", None) or error or type(error).__name__
            raise Misuse(f"{self.root} cannot be reached: {reason}", code=UNREACHABLE) from None
        except KeyboardInterrupt:
            connection.close()
            self._connection = self._connect()  # the other has half a request, or awaits its answer
            raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
