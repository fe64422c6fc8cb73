"""A proxy that forwards everything, and gives each exchange to an observer once it is over.

Own code over ``http.server``: mitmproxy is a program with dozens of dependencies, and this one only forwards.
"""

from __future__ import annotations

import contextlib
import select
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead, parse_headers
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

from confsim.control.problems import problem
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request, Response
from confsim.transport.remote import parsed_root

from .queueing import Put, Queued

#: Bytes that are forwarded at a time, and the most bytes of a body that are stored for the observer.
_PIECE, _STORED = 64 << 10, 1 << 20
#: Seconds after which the thread of the observer lets one of a client run that waits.
_SWITCH = 0.0002
#: Headers of a single connection (RFC 9110, 7.6.1), which are not forwarded.
_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
     "upgrade", "proxy-connection"}
)  # fmt: skip
#: What is not escaped in a target: the bytes that are ASCII.
_ASCII = bytes(range(128))
_CLIENT_BROKE_OFF = "the client broke its request off"
#: Called with an exchange; without the response when a body was too large to store.
Notify = Callable[[Request, Response | None], object]
Missed = Callable[[str, Request | None], object]


class _BrokenOff(Exception):
    """Raised with the reason when a request or a response does not come to its end."""


class _HTTPResponse(HTTPResponse):
    """A response that is not one of those that come before it, such as 103 (RFC 9110, 15.2)."""

    def _read_status(self) -> tuple[str, int, str]:
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not 100 < status < 200 or status == HTTPStatus.SWITCHING_PROTOCOLS:
                return version, status, reason
            parse_headers(self.fp)


class _HTTPConnection(HTTPConnection):
    """A connection that sends the bytes of a request's target as they came, and not those of ASCII alone."""

    response_class = _HTTPResponse

    def _encode_request(self, request: str) -> bytes:
        return request.encode("latin-1")


class _HTTPSConnection(_HTTPConnection, HTTPSConnection):
    """The same over TLS."""


class Proxy:
    """Forwards requests to ``upstream``, and responses back, as they arrive.

    ``notify`` is called with each exchange, ``missed`` with why a request was not answered, or not to the end, and the
    request, None for one of which nothing was sent: both in order, in a thread of its own, so that no client waits.
    ``timeout`` is in seconds. Raises Misuse for an unusable address or a port in use.
    """

    def __init__(
        self,
        upstream: str,
        notify: Notify,
        *,
        missed: Missed = lambda why, request: None,
        host: str = "127.0.0.1",
        port: int = 0,
        timeout: float = 60,
    ) -> None:
        self.upstream = upstream.rstrip("/")
        parts = parsed_root(self.upstream, "https://service.example/v1_0")
        self.notify, self.missed = notify, missed
        self._parts = parts
        self._timeout = timeout
        try:
            self._server = _Server((host, port), self._handler())
        except OSError as error:
            raise Misuse(f"{host}:{port} cannot be listened at: {error.strerror or error}") from None
        self._queue = Queued()

    @property
    def base_url(self) -> str:
        """Return the base URL of the API at the proxy."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}{self._parts.path}"

    def connection(self) -> HTTPConnection:
        """Return a new connection to the service."""
        kind = _HTTPSConnection if self._parts.scheme == "https" else _HTTPConnection
        return kind(self._parts.netloc, timeout=self._timeout)

    @contextlib.contextmanager
    def serving(self) -> Iterator[Proxy]:
        """Serve until the end of the block, then wait until the observer has every exchange.

        One that takes longer than a while counts as missed.
        """
        thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH)
        try:
            yield self
        finally:
            sys.setswitchinterval(before)
            self._server.shutdown()
            self._server.server_close()
            thread.join()
            for _ in range(self._queue.close()):
                self.missed("it was not over when the observation ended", None)

    def drain(self) -> None:
        """Wait until the observer has every finished exchange."""
        self._queue.drain()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(_Handler):
            def __init__(self, *args: Any) -> None:
                self.proxy = proxy
                self.netloc = proxy._parts.netloc
                self.exchange = proxy._queue.exchange
                super().__init__(*args)

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print the traceback of a defect; a client that goes away is none."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    proxy: Proxy
    netloc: str
    exchange: Callable[[], contextlib.AbstractContextManager[Put]]

    def setup(self) -> None:
        """Open the connection to the service."""
        super().setup()
        self._there = self.proxy.connection()

    def finish(self) -> None:
        """Close both connections."""
        self._there.close()
        with contextlib.suppress(OSError):
            super().finish()

    def __getattr__(self, name: str) -> Any:
        """Return the method that forwards a request, for every HTTP method."""
        if name.startswith("do_"):
            return self._pass_on
        raise AttributeError(name)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with a problem document, and close the connection."""
        response = problem(code, message or explain or HTTPStatus(code).phrase)
        self.send_response_only(code)
        for name, value in (*response.headers, ("Content-Length", str(len(response.body))), ("Connection", "close")):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    @property
    def _target(self) -> str:
        """The target of the request as it came; ``path`` has one slash at its beginning, where the client sent more."""
        return self.requestline.split()[1]

    def _pass_on(self) -> None:
        sent = bytearray()
        length = self.headers.get("Content-Length") or "0"
        if not (length.isascii() and length.isdigit()):
            self._give_up("a request states a length that is no number", None)
            self.send_error(HTTPStatus.BAD_REQUEST, f"Content-Length: {length!r} is no number")
            return
        if self._there.sock is not None and select.select([self._there.sock], [], [], 0)[0]:
            self._there.close()  # the service has closed the idle connection; the next request opens another
        try:
            if self._there.sock is None:
                self._there.connect()
        except OSError as error:
            self._refuse(f"{self.proxy.upstream} cannot be reached: {_reason(error)}", None)
            return
        failed: OSError | None = None
        try:
            try:
                self._send(sent, int(length))
            except OSError as error:  # it may have answered before it had the whole body
                failed, self.close_connection = error, True
            response = self._there.getresponse()
        except _BrokenOff as broken:
            self._give_up(str(broken), self._request(sent))
            return
        except (OSError, HTTPException) as error:
            self._refuse(f"{self.proxy.upstream} did not answer: {_reason(failed or error)}", self._request(sent))
            return
        with self.exchange() as put:
            try:
                got = self._give_back(response)
            except _BrokenOff as broken:
                self._give_up(str(broken), self._request(sent))
                return
            is_stored = len(sent) <= _STORED and got is not None and failed is None
            answer = Response(response.status, response.getheaders(), got or b"") if is_stored else None
            put(partial(self.proxy.notify, self._request(sent), answer))
        if failed is not None:
            self._there.close()

    def _refuse(self, why: str, request: Request | None) -> None:
        """Tell the client why there is no answer."""
        self._give_up(why, request)
        self.send_error(HTTPStatus.BAD_GATEWAY, why)

    def _give_up(self, why: str, request: Request | None) -> None:
        """Put a request as missed, and close both connections: that of the client once nothing more is written."""
        self._there.close()
        self.close_connection = True
        with self.exchange() as put:
            put(partial(self.proxy.missed, why, request))

    def _request(self, sent: bytearray) -> Request:
        """Return the request of the client, with its body as far as it was sent."""
        target, _, query = quote(self._target.encode("latin-1"), safe=_ASCII).partition("?")
        headers: dict[str, str] = {}
        for name, value in self.headers.items():
            lower = name.lower()
            headers[lower] = f"{headers[lower]}, {value}" if lower in headers else value
        return Request(self.command, target, query, headers, bytes(sent))

    def _send(self, sent: bytearray, length: int) -> None:
        """Forward the request, its body of this length in pieces, or in chunks."""
        there = self._there
        there.putrequest(self.command, self._target, skip_host=True, skip_accept_encoding=True)
        there.putheader("Host", self.netloc)
        chunked = "chunked" in self.headers.get("Transfer-Encoding", "").lower()
        for name, value in self.headers.items():
            if name.lower() not in _HOP and name.lower() != "host":
                there.putheader(name, value)
        if chunked:
            there.putheader("Transfer-Encoding", "chunked")
        there.endheaders()
        for piece in self._chunks() if chunked else self._body(length):
            if len(sent) <= _STORED:
                sent += piece
            there.send(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            there.send(b"0\r\n\r\n")

    def _body(self, length: int) -> Iterator[bytes]:
        """Yield so many bytes of the request as they arrive. Raises _BrokenOff when the client ends it early."""
        while length > 0:
            piece = b""
            with contextlib.suppress(OSError):
                piece = self.rfile.read1(min(length, _PIECE))
            if not piece:
                raise _BrokenOff(_CLIENT_BROKE_OFF)
            length -= len(piece)
            yield piece

    def _chunks(self) -> Iterator[bytes]:
        """Yield the chunks of the request as they arrive. Raises _BrokenOff when the client ends them early."""
        try:
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                yield from self._body(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
        except (OSError, ValueError):  # what should be the size of a chunk is none
            raise _BrokenOff(_CLIENT_BROKE_OFF) from None

    def _give_back(self, response: HTTPResponse) -> bytes | None:
        """Forward the response to the client, its body in pieces; return it, None when it was too large to store.

        Raises _BrokenOff when the service or the client ends it early.
        """
        is_open = response.length is None  # it is 0 for a response that has no body
        chunked = is_open and self.request_version != "HTTP/1.0"
        self.close_connection = self.close_connection or chunked != is_open  # its end is that of the connection then
        hidden = _HOP | {"content-length"} if is_open else _HOP
        got = bytearray()
        try:
            self.send_response_only(response.status, response.reason)
            for name, value in response.getheaders():
                if name.lower() not in hidden:
                    self.send_header(name, value)
            if chunked:
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in self._pieces(response):
                if len(got) <= _STORED:
                    got += piece
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            if chunked:
                self.wfile.write(b"0\r\n\r\n")
        except OSError:
            raise _BrokenOff("the client went away before the end of the answer") from None
        response.close()  # which ends it for the connection, that can then be used again
        return bytes(got) if len(got) <= _STORED else None

    def _pieces(self, response: HTTPResponse) -> Iterator[bytes]:
        """Yield the body of a response as it arrives. Raises _BrokenOff when the service ends it early."""
        try:
            while piece := response.read1(_PIECE):
                yield piece
            if response.length:
                raise IncompleteRead(b"", response.length)
        except (OSError, HTTPException) as error:
            raise _BrokenOff(f"{self.proxy.upstream} broke its answer off: {_reason(error)}") from None


def _reason(error: OSError | HTTPException) -> str:
    """Return a failure in words; those of an HTTPException may quote what was sent or answered."""
    if isinstance(error, IncompleteRead):
        return "the connection was closed"
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return type(error).__name__
