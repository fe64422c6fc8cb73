"""A proxy that forwards everything, and gives each exchange to an observer once it is over.

Own code over ``http.server``: mitmproxy is a program with dozens of dependencies, and this one only forwards.
"""

from __future__ import annotations

import contextlib
import select
import sys
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request, Response
from confsim.transport.remote import parsed_root

#: Bytes that are forwarded at a time, and the most bytes of a body that are stored for the observer.
_PIECE, _STORED = 64 << 10, 1 << 20
#: Seconds after which the thread of the observer lets one of a client run that waits.
_SWITCH = 0.0002
#: Headers of a single connection (RFC 9110, 7.6.1), which are not forwarded.
_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
     "upgrade", "proxy-connection"}
)  # fmt: skip
Notify = Callable[[Request, Response], object]


class Proxy:
    """Forwards requests to ``upstream``, and responses back, as they arrive.

    ``notify`` is called with each exchange, in order, in a thread of its own, so that no client waits for it;
    ``missed`` with why the service did not answer a request. ``timeout`` is in seconds. Raises Misuse for an unusable
    address or a port in use.
    """

    def __init__(
        self,
        upstream: str,
        notify: Notify,
        *,
        missed: Callable[[str], object] = lambda why: None,
        host: str = "127.0.0.1",
        port: int = 0,
        timeout: float = 60,
    ) -> None:
        self.upstream = upstream.rstrip("/")
        parts = parsed_root(self.upstream, "https://service.example/v1_0")
        self.missed = missed
        self._parts = parts
        self._timeout = timeout
        try:
            self._server = _Server((host, port), self._handler())
        except OSError as error:
            raise Misuse(f"{host}:{port} cannot be listened at: {error.strerror or error}") from None
        self._queue = Queued(notify)

    @property
    def base_url(self) -> str:
        """Return the base URL of the API at the proxy."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}{self._parts.path}"

    def connection(self) -> HTTPConnection:
        """Return a new connection to the service."""
        kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
        return kind(self._parts.netloc, timeout=self._timeout)

    @contextlib.contextmanager
    def serving(self) -> Iterator[Proxy]:
        """Serve until the end of the block, then wait until the observer has every exchange."""
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
            self._queue.close()

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


class Queued:
    """Calls a function with each item that is put, in order, in a thread of its own."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._waiting: list[tuple[Request, Response]] = []
        self._open = True
        self._under_way = 0
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def exchange(self) -> Iterator[Callable[[Request, Response], None]]:
        """Mark an exchange as under way until the end of the block, which puts it with the function that it gets."""
        with self._changed:
            self._under_way += 1
        try:
            yield self._put
        finally:
            self._over()

    def _put(self, request: Request, response: Response) -> None:
        with self._changed:
            self._under_way += 1
            self._waiting.append((request, response))
            self._changed.notify_all()

    def _over(self) -> None:
        with self._changed:
            self._under_way -= 1
            self._changed.notify_all()

    def drain(self) -> None:
        """Wait until no exchange is under way and the function has been called with each."""
        with self._changed:
            self._changed.wait_for(lambda: not self._under_way)

    def close(self) -> None:
        """Wait until the observer has every exchange, and end the thread."""
        self.drain()
        with self._changed:
            self._open = False
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or not self._open)
                if not self._waiting:
                    return
                exchange = self._waiting.pop(0)
            try:
                self._notify(*exchange)
            finally:
                self._over()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    proxy: Proxy
    netloc: str
    exchange: Callable[[], contextlib.AbstractContextManager[Callable[[Request, Response], None]]]

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

    def _pass_on(self) -> None:
        sent = bytearray()
        if self._there.sock is not None and select.select([self._there.sock], [], [], 0)[0]:
            self._there.close()  # the service has closed the idle connection; the next request opens another
        try:
            self._send(sent)
            response = self._there.getresponse()
        except (OSError, HTTPException) as error:
            self._there.close()
            self.close_connection = True
            why = f"{self.proxy.upstream} cannot be reached: {error or type(error).__name__}"
            self.proxy.missed(why)
            self.send_error(502, why)
            return
        with self.exchange() as put:
            self._hand_on(response, sent, put)

    def _hand_on(self, response: HTTPResponse, sent: bytearray, put: Callable[[Request, Response], None]) -> None:
        """Forward the response to the client and put the exchange."""
        got = self._give_back(response)
        target, _, query = self.path.partition("?")
        headers: dict[str, str] = {}
        for name, value in self.headers.items():
            lower = name.lower()
            headers[lower] = f"{headers[lower]}, {value}" if lower in headers else value
        if len(sent) <= _STORED and got is not None:
            put(
                Request(self.command, target, query, headers, bytes(sent)),
                Response(response.status, response.getheaders(), got),
            )

    def _send(self, sent: bytearray) -> None:
        """Forward the request, its body in pieces."""
        there = self._there
        there.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        there.putheader("Host", self.netloc)
        chunked = "chunked" in self.headers.get("Transfer-Encoding", "").lower()
        for name, value in self.headers.items():
            if name.lower() not in _HOP and name.lower() != "host":
                there.putheader(name, value)
        if chunked:
            there.putheader("Transfer-Encoding", "chunked")
        there.endheaders()
        for piece in self._chunks() if chunked else self._body(int(self.headers.get("Content-Length") or 0)):
            if len(sent) <= _STORED:
                sent += piece
            there.send(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            there.send(b"0\r\n\r\n")

    def _body(self, length: int) -> Iterator[bytes]:
        while length > 0:
            piece = self.rfile.read1(min(length, _PIECE))
            if not piece:
                raise ConnectionError("the client went away")
            length -= len(piece)
            yield piece

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            yield from self._body(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def _give_back(self, response: HTTPResponse) -> bytes | None:
        """Forward the response to the client, its body in pieces; return it, None when it was too large to store."""
        self.send_response_only(response.status, response.reason)
        known = response.getheader("Content-Length") is not None
        for name, value in response.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, value)
        bodiless = self.command == "HEAD" or response.status in (204, 304)
        chunked = not known and not bodiless
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        got = bytearray()
        while piece := response.read1(_PIECE):
            if len(got) <= _STORED:
                got += piece
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")
        response.close()  # which ends it for the connection, that can then be used again
        return bytes(got) if len(got) <= _STORED else None
