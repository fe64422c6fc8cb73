"""One connection of the live server: bytes to requests by httptools, responses to bytes."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import cast

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from confsim.http.limits import Limits
from confsim.service.messages import Handler, Request, Response
from confsim.service.worker import Worker

from .bodies import SMALL, LargeBody, UnfinishedBodies
from .encoding import BROKEN, encoded
from .framing import FaultError, declared_length, request_of
from .handover import Peer, hand_over
from .log import Log, log_request
from .streams import FindStream
from .transports import release
from .turns import Turns

_LOG = logging.getLogger("confsim.http")
#: Requests of one connection that are answered before other connections get their turn.
_TURN = 32
#: Bytes of responses that are collected to be sent together.
_MOST = 65536

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
#: Seconds between two interim responses that find out whether a half-closed client still waits.
_PROBE = 1.0


class Connection(asyncio.Protocol):
    """One client of the server: the parser's ``on_…`` callbacks collect requests, which are answered in order.

    Requests wait in a queue while a response is pending (a future) or the client does not read. Meanwhile at
    most one more piece is read, which bounds the queue; while the first response is pending the socket stays open for
    reading, since a disconnect shows only there. If there are other connections, requests are answered in turns
    (``turns``).
    """

    def __init__(
        self,
        handler: Handler,
        limits: Limits,
        clock: Callable[[], float],
        peers: set[Peer],
        turns: Turns,
        log: Log | None = None,
        find_stream: FindStream | None = None,
        bodies: UnfinishedBodies | None = None,
        worker: Worker | None = None,
    ) -> None:
        self._large = LargeBody(bodies or UnfinishedBodies(), limits)
        self._handler, self._limits, self._clock, self._peers, self._log = handler, limits, clock, peers, log
        self._find_stream, self._turns, self._worker = find_stream, turns, worker
        self._begun = 0.0  # when the current request was given to the handler, if calls are logged
        self._parser = HttpRequestParser(self)
        self._leaving = False  # the last response is sent: input is discarded
        self._full = False  # the transport's buffer is full: the client does not read
        self._pending: asyncio.Future[Response] | None = None  # the response that others wait behind
        self._half_closed = False  # the client sends nothing more: it has closed its side, or both
        self._takes_interim = False  # the client speaks HTTP/1.1 and so understands interim responses
        self._queue = deque[tuple[Request, bool]]()  # requests to answer, and whether to keep the connection then
        self._outgoing: list[bytes] = []  # responses that are sent together, and their size
        self._size = 0
        self._unseen = 0  # bytes read since the last parser callback: limits what the parser buffers
        self._due = 0.0  # when the whole request must have arrived
        self._forget()

    def _forget(self) -> None:
        self._method, self._url, self._headers, self._body = "", b"", dict[str, str](), bytearray()
        self._room = self._limits.headers
        self._reading = self._in_body = self._upgrading = False
        self._expecting = False  # the client sends the body after 100 Continue
        self._large.end()
        self.deadline = self._clock() + self._limits.idle

    # Callbacks of the event loop and the server.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport of a new client."""
        self._transport = cast(asyncio.Transport, transport)
        self._peers.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  (asyncio names it)
        """Clean up after the client has disconnected."""
        self._peers.discard(self)
        self._queue.clear()
        if self._pending is not None:
            self._pending.cancel()
        self._forget()
        del self._parser  # it has methods of self: a reference cycle
        release(self._transport)

    def pause_writing(self) -> None:
        """Stop sending and reading: the transport is full because the client does not read."""
        self._full = True
        self._transport.pause_reading()  # a client that does not read responses may not send more requests
        self._set_idle_deadline()

    def resume_writing(self) -> None:
        """Continue with the queue: the client has read."""
        self._full = False
        self._set_idle_deadline()
        self._drain()

    def _set_idle_deadline(self) -> None:
        """Set the deadline of the client's next step: to continue its request, to read, or to send another."""
        if not self._leaving:
            reads = self._reading and not self._full
            self.deadline = self._clock() + (self._limits.read if reads else self._limits.idle)

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived, then answer the requests that are complete."""
        waiting = self._pending is not None
        self._unseen += len(data)
        try:
            while data and not self._leaving:
                data = self._feed(data)
        except HttpParserError as error:
            if isinstance(error.__context__, FaultError) and not self._leaving:
                self._refuse(*error.__context__.args)
            elif not self._leaving:
                self._refuse("malformed", str(error))
        if self._unseen > self._limits.url + self._limits.headers and not self._leaving:
            self._refuse("headers_too_large")
        if waiting:
            self._transport.pause_reading()
        if len(self._peers) > 1:
            self._turns.add(self)
        else:
            self._drain()

    def eof_received(self) -> bool:
        """Keep a connection that waits for a response: the client may have closed only its own side."""
        if self._pending is None:
            return False
        if self._transport.get_extra_info("sslcontext") is not None:
            return False  # TLS has no half-closed connections
        self._half_closed = True
        self.deadline = self._clock()
        return True

    def expire(self) -> None:
        """Act on a deadline that has passed.

        Only sending shows whether a half-closed client still waits: RFC 9110, 15.2, requires every HTTP/1.1 client to
        accept interim responses.
        """
        if self._pending is not None:
            if self._half_closed and self._takes_interim:
                self._transport.write(_CONTINUE)
                self.deadline = self._clock() + _PROBE
            return
        if self._reading and not self._full:
            self._refuse("timeout")
            self._drain()
        else:
            self.hang_up()

    def hang_up(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def _feed(self, data: bytes) -> bytes:
        """Parse input; if the client offers an upgrade, return the input without the offer, to be parsed again.

        The parser treats the input after such a head as another protocol; here it is the body and the next requests.
        """
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as pause:
            headers = "".join(f"{name}: {value}\r\n" for name, value in self._headers.items() if name != "upgrade")
            version = self._parser.get_http_version()
            line = f"{self._method} {self._url.decode('latin-1')} HTTP/{version}\r\n"
            rest = data[pause.args[0] :]
            if self._open_websocket(line, rest):
                return b""
            head = f"{line}{headers}\r\n".encode("latin-1")
            self._parser = HttpRequestParser(self)
            self._forget()
            return head + rest
        return b""

    def _open_websocket(self, line: str, rest: bytes) -> bool:
        """Let a websocket take over the connection, if one is requested and served; return whether it did."""
        if self._find_stream is None or self._headers.get("upgrade", "").lower() != "websocket":
            return False
        if self._queue or self._pending is not None or self._full:
            return False
        request = self._request()
        headers = "".join(f"{name}: {value}\r\n" for name, value in self._headers.items())
        head = f"{line}{headers}\r\n".encode("latin-1")
        self._begun = 0.0 if self._log is None else self._clock()
        handed = hand_over(self._find_stream, request, head, self._transport, self._limits, self._clock)
        if handed is None:
            return False
        websocket, noted, response = handed
        if websocket is None:
            self._write(noted, response, keep=False)
            return True
        self._peers.discard(self)
        self._peers.add(websocket)
        websocket.when_lost(partial(self._peers.discard, websocket))
        self._transport.set_protocol(websocket)
        self._leaving = True
        del self._parser  # as when the connection is lost
        if self._log is not None:
            log_request(self._log, noted, response, self._clock() - self._begun)
        if rest:
            websocket.data_received(rest)
        return True

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        """Start the deadline of a request."""
        self._reading = True
        now = self._clock()
        self.deadline, self._due = now + self._limits.read, now + self._limits.whole

    def on_url(self, url: bytes) -> None:
        """Add a piece of the request target."""
        self._unseen = 0
        self._method = self._parser.get_method().decode()
        self._url += url
        if len(self._url) > self._limits.url:
            raise FaultError("url_too_long")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header line; lines of one name are joined."""
        self._room -= len(name) + len(value) + 4
        if self._room < 0:
            raise FaultError("headers_too_large")
        if not self._in_body:  # otherwise it is a trailer, which is ignored
            key, text = name.lower().decode("latin-1"), value.rstrip().decode("latin-1")
            self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        """Check the head; note an offered upgrade and an expected 100 Continue; admit a large body."""
        self._in_body = True
        version = self._parser.get_http_version()
        length = declared_length(version, self._headers, self._limits)
        self._upgrading = self._parser.should_upgrade() and self._method != "CONNECT"
        self._takes_interim = version == "1.1"
        waits = self._headers.get("expect", "").lower() == "100-continue" and version == "1.1"
        self._expecting = waits and not self._upgrading
        if length > SMALL or self._expecting:
            self._begin_large(length)

    def _begin_large(self, length: int) -> None:
        """Admit a large body, or refuse it; not behind other requests, which may change the answer."""
        if not self._queue and self._pending is None:
            self._large.begin(self._request, length)

    def on_body(self, chunk: bytes) -> None:
        """Add a piece of the body."""
        self._unseen = 0
        self.deadline = min(self._clock() + self._limits.read, self._due)
        self._expecting = False
        self._body += chunk
        size = len(self._body)
        if size > self._limits.body:
            raise FaultError("body_too_large")
        if size > SMALL:
            self._begin_large(0)
        self._large.grow(size)

    def on_message_complete(self) -> None:
        """Queue the request."""
        self._unseen = 0
        if self._upgrading or self._leaving:
            return
        keep = self._parser.should_keep_alive() and self._method != "CONNECT"
        if "host" not in self._headers and self._parser.get_http_version() == "1.1":
            self._enqueue(b"", keep=keep, fault="malformed", problem="an HTTP/1.1 request has a Host header")
        else:
            self._enqueue(bytes(self._body), keep=keep)

    # Responses.

    def _refuse(self, fault: str, problem: str = "") -> None:
        self._enqueue(b"", keep=False, fault=fault, problem=problem)

    def _enqueue(self, body: bytes, *, keep: bool, fault: str = "", problem: str = "") -> None:
        self._queue.append((self._request(body, fault, problem), keep))
        self._forget()

    def _request(self, body: bytes = b"", fault: str = "", problem: str = "") -> Request:
        request = request_of(self._method, self._url, self._headers, body, fault, problem)
        request.worker = self._worker
        return request

    def _drain(self) -> None:
        """Answer the queued requests in order, as far as possible now; then continue reading."""
        self.answer()
        self.send()

    def answer(self) -> None:
        """Answer the queued requests in order, as far as possible now."""
        turn = _TURN
        while self._queue and self._pending is None and not self._full and not self._leaving:
            if not turn:
                self._transport.pause_reading()
                asyncio.get_running_loop().call_soon(self._drain)
                return
            turn -= 1
            self._handle(*self._queue.popleft())

    def send(self) -> None:
        """Send the collected responses; then continue reading, if nothing is left to answer."""
        self._flush()
        if self._pending is not None or self._full or (self._queue and not self._leaving):
            return
        if self._expecting and not self._leaving:
            self._expecting = False
            self._transport.write(_CONTINUE)
        self._transport.resume_reading()
        if self._half_closed and not self._leaving:
            self._transport.close()

    def _flush(self) -> None:
        if self._outgoing:
            self._transport.write(self._outgoing[0] if len(self._outgoing) == 1 else b"".join(self._outgoing))
            self._outgoing.clear()
            self._size = 0

    def _handle(self, request: Request, keep: bool) -> None:
        if self._log is not None:
            self._begun = self._clock()
        try:
            response = self._handler(request)
        except Exception:
            _LOG.exception("the handler failed at %s %s", request.method, request.target)
            response = BROKEN
        if isinstance(response, Future):
            if self._log is not None:
                log_request(self._log, request, response, self._clock() - self._begun)
            self._pending = asyncio.wrap_future(response)
            self._pending.add_done_callback(partial(self._arrived, request, keep))
        else:
            self._write(request, response, keep)

    def _write(self, request: Request, response: Response, keep: bool) -> None:
        bare = request.method == "HEAD"
        try:
            data = encoded(response, bare=bare, keep=keep)
        except Exception:
            _LOG.exception("the response cannot be sent: %s %s", request.method, request.target)
            data = encoded(BROKEN, bare=bare, keep=keep)
        cut, dropped = response.cut, response.dropped
        if not dropped:
            self._outgoing.append(data if cut is None else data[: len(data) - len(response.body) + cut])
            self._size += len(data)
        if cut is not None or not keep or self._size > _MOST:
            self._flush()
        if dropped:
            self._leaving = True
            self.hang_up()
        elif cut is not None or not keep:
            self._half_close()
        if self._log is not None:
            log_request(self._log, request, response, self._clock() - self._begun)

    def _arrived(self, request: Request, keep: bool, pending: asyncio.Future[Response]) -> None:
        """Send the response that was pending, and continue with the queue."""
        if pending.cancelled() or self._transport.is_closing():
            if self._log is not None:
                log_request(self._log, request, None, self._clock() - self._begun)
            return
        self._pending = None
        try:
            response = pending.result()
        except Exception:
            _LOG.exception("the handler failed at %s %s", request.method, request.target)
            response = BROKEN
        self._write(request, response, keep)
        self._set_idle_deadline()
        self._drain()

    def _half_close(self) -> None:
        """Half-close and discard input: closing with unread input sends RST, and the client may lose the response."""
        self._leaving = True
        if not self._transport.get_write_buffer_size():  # a long response may be sent for the idle time
            self.deadline = self._clock() + self._limits.linger
        if not self._transport.can_write_eof():  # TLS has its own closing handshake
            self._transport.close()
            return
        with suppress(OSError):  # the client has disconnected; connection_lost follows
            self._transport.write_eof()
