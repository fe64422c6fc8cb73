"""One connection of the live server: it answers the requests of its client in order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import cast

from confsim.http.limits import Limits, Unread
from confsim.service.messages import Handler, Request, Response
from confsim.service.worker import Worker

from .bodies import UnfinishedBodies
from .encoding import BROKEN, encoded
from .handover import Peer, hand_over
from .log import Log, log_request
from .reader import RequestReader
from .states import ConnectionEvent, Doing, Part, Reading
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
    """One client of the server, whose requests a ``RequestReader`` collects. Its machine is ``ROWS``.

    Requests wait in a queue while a response is
    yet to come or the client does not read. Meanwhile at most one more piece is read, which bounds the queue; while the
    first response is yet to come the socket stays open for reading, since a disconnect shows only there. If there are
    other connections, requests are answered in turns (``turns``).
    """

    deadline: float

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
        self._handler, self._limits, self._clock, self._peers, self._log = handler, limits, clock, peers, log
        self._find_stream, self._turns = find_stream, turns
        self._begun = 0.0  # when the current request was given to the handler, if calls are logged
        self._doing = Doing.ANSWERING
        self._full = False  # the transport's buffer is full: the client does not read
        self._pending: asyncio.Future[Response] | None = None  # the response that others wait behind
        self._queue = deque[tuple[Request, bool]]()  # requests to answer, and whether to keep the connection then
        self._outgoing: list[bytes] = []  # responses that are sent together, and their size
        self._size = 0
        self._reader = RequestReader(self, limits, clock, bodies or UnfinishedBodies(), worker)

    def _on(self, event: ConnectionEvent) -> None:
        """Change the state by an event, and act."""
        self._doing, act = ROWS[self._doing, event]
        act(self)

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
        self._reader.close()
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
        if self._doing is not Doing.LEAVING:
            reads = self._reader.state is not Reading.NOTHING and not self._full
            self.deadline = self._clock() + (self._limits.read if reads else self._limits.idle)

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived, then answer the requests that are complete."""
        waiting = self._doing is Doing.WAITING
        while data and self._doing is not Doing.LEAVING:
            data = self._feed(data)
        if waiting:
            self._transport.pause_reading()
        if len(self._peers) > 1:
            self._turns.add(self)
        else:
            self._drain()

    def eof_received(self) -> bool:
        """Keep a connection that waits for a response: the client may have closed only its own side."""
        if self._transport.get_extra_info("sslcontext") is None:  # TLS has no half-closed connections
            self._on(ConnectionEvent.CLIENT_ENDED)
        return self._doing is Doing.HALF_CLOSED

    def expire(self) -> None:
        """Act on a deadline that has passed."""
        self._on(ConnectionEvent.EXPIRED)

    def hang_up(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def _feed(self, data: bytes) -> bytes:
        """Parse input; if the client offers an upgrade, return the input without the offer, to be parsed again.

        The parser treats the input after such a head as another protocol; here it is the body and the next requests.
        """
        rest = self._reader.feed(data)
        if rest is None or self._open_websocket(rest):
            return b""
        head = self._reader.head(without="upgrade")
        self._reader.restart()
        return head + rest

    def _open_websocket(self, rest: bytes) -> bool:
        """Let a websocket take over the connection, if one is offered and served; return whether it did."""
        if self._find_stream is None or not self._reader.offers_websocket or not self.is_ready or self._full:
            return False
        request, head = self._reader.request(), self._reader.head()
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
        self._doing = Doing.LEAVING
        self._reader.close()  # as when the connection is lost
        if self._log is not None:
            log_request(self._log, noted, response, self._clock() - self._begun)
        if rest:
            websocket.data_received(rest)
        return True

    # Responses.

    @property
    def is_ready(self) -> bool:
        """Whether it would answer a request at once."""
        return not self._queue and self._doing is Doing.ANSWERING

    def take(self, request: Request, keep: bool) -> None:
        """Queue a request."""
        if self._doing is not Doing.LEAVING:
            self._queue.append((request, keep))

    def _drain(self) -> None:
        """Answer the queued requests in order, as far as possible now; then continue reading."""
        self.answer()
        self.send()

    def answer(self) -> None:
        """Answer the queued requests in order, as far as possible now."""
        turn = _TURN
        while self._queue and not self._full and self._doing in (Doing.ANSWERING, Doing.FINISHING):
            if not turn:
                self._transport.pause_reading()
                self._turns.add(self)
                return
            turn -= 1
            self._handle(*self._queue.popleft())

    def send(self) -> None:
        """Send the collected responses; then continue reading, if nothing is left to answer."""
        self._flush()
        if not self._full and (not self._queue or self._doing is Doing.LEAVING):
            self._on(ConnectionEvent.ALL_SENT)

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
            self._on(ConnectionEvent.LATER)
        else:
            self._write(request, response, keep)

    def _write(self, request: Request, response: Response, keep: bool) -> None:
        bare = request.method == "HEAD"
        try:
            head, body = encoded(response, bare=bare, keep=keep)
        except Exception:
            _LOG.exception("the response cannot be sent: %s %s", request.method, request.target)
            head, body = encoded(BROKEN, bare=bare, keep=keep)
        cut, dropped = response.cut, response.dropped
        large = len(body) > _MOST
        if not dropped:
            self._outgoing.append(head if large else head + body)
            self._size += len(head) + len(body)
        if cut is not None or not keep or self._size > _MOST:
            self._flush()
        if large and not dropped:
            self._transport.write(memoryview(body))  # which is not copied
        if dropped:
            self._on(ConnectionEvent.DROPPED)
        elif cut is not None or not keep:
            self._on(ConnectionEvent.LAST_SENT)
        if self._log is not None:
            log_request(self._log, request, response, self._clock() - self._begun)

    def _arrived(self, request: Request, keep: bool, pending: asyncio.Future[Response]) -> None:
        """Send the response that was pending, and continue with the queue."""
        if pending.cancelled() or self._transport.is_closing():
            if self._log is not None:
                log_request(self._log, request, None, self._clock() - self._begun)
            return
        self._on(ConnectionEvent.CAME)
        try:
            response = pending.result()
        except Exception:
            _LOG.exception("the handler failed at %s %s", request.method, request.target)
            response = BROKEN
        self._write(request, response, keep)
        self._set_idle_deadline()
        self._drain()

    # What it does on an event

    def _stay(self) -> None:
        """Do nothing."""

    def _await(self) -> None:
        """Forget the response that has come."""
        self._pending = None

    def _read_on(self) -> None:
        """Read what the client sends, which may wait to be told so."""
        if self._reader.state is Reading.EXPECTING:
            self._reader.advance(Part.CONTINUE)
            self._transport.write(_CONTINUE)
        self._transport.resume_reading()

    def _discard(self) -> None:
        self._transport.resume_reading()

    def _close(self) -> None:
        self._transport.close()

    def _probe_soon(self) -> None:
        self.deadline = self._clock()

    def _probe(self) -> None:
        """Send an interim response: only that shows whether a half-closed client still waits.

        RFC 9110, 15.2, requires every HTTP/1.1 client to accept it.
        """
        if self._reader.version == "1.1":
            self._transport.write(_CONTINUE)
            self.deadline = self._clock() + _PROBE

    def _give_up(self) -> None:
        """Refuse a request that does not arrive in time; close a connection that is idle."""
        if self._reader.state is Reading.NOTHING or self._full:
            self.hang_up()
        else:
            self._reader.refuse(Unread.TIMEOUT)
            self._drain()

    def _half_close(self) -> None:
        """Half-close and discard input: closing with unread input sends RST, and the client may lose the response."""
        if not self._transport.get_write_buffer_size():  # a long response may be sent for the idle time
            self.deadline = self._clock() + self._limits.linger
        if not self._transport.can_write_eof():  # TLS has its own closing handshake
            self._transport.close()
            return
        with suppress(OSError):  # the client has disconnected; connection_lost follows
            self._transport.write_eof()


#: The machine of a connection: its state, an event, its next state, what it does.
ROWS: Mapping[tuple[Doing, ConnectionEvent], tuple[Doing, Callable[[Connection], None]]] = {
    (Doing.ANSWERING, ConnectionEvent.LATER): (Doing.WAITING, Connection._stay),
    (Doing.ANSWERING, ConnectionEvent.CLIENT_ENDED): (Doing.ANSWERING, Connection._stay),  # the transport closes
    (Doing.ANSWERING, ConnectionEvent.ALL_SENT): (Doing.ANSWERING, Connection._read_on),
    (Doing.ANSWERING, ConnectionEvent.LAST_SENT): (Doing.LEAVING, Connection._half_close),
    (Doing.ANSWERING, ConnectionEvent.DROPPED): (Doing.LEAVING, Connection.hang_up),
    (Doing.ANSWERING, ConnectionEvent.EXPIRED): (Doing.ANSWERING, Connection._give_up),
    (Doing.WAITING, ConnectionEvent.CAME): (Doing.ANSWERING, Connection._await),
    (Doing.WAITING, ConnectionEvent.CLIENT_ENDED): (Doing.HALF_CLOSED, Connection._probe_soon),
    (Doing.WAITING, ConnectionEvent.ALL_SENT): (Doing.WAITING, Connection._stay),
    (Doing.WAITING, ConnectionEvent.EXPIRED): (Doing.WAITING, Connection._stay),
    (Doing.HALF_CLOSED, ConnectionEvent.CAME): (Doing.FINISHING, Connection._await),
    (Doing.HALF_CLOSED, ConnectionEvent.ALL_SENT): (Doing.HALF_CLOSED, Connection._stay),
    (Doing.HALF_CLOSED, ConnectionEvent.EXPIRED): (Doing.HALF_CLOSED, Connection._probe),
    (Doing.FINISHING, ConnectionEvent.LATER): (Doing.HALF_CLOSED, Connection._probe_soon),
    (Doing.FINISHING, ConnectionEvent.ALL_SENT): (Doing.FINISHING, Connection._close),
    (Doing.FINISHING, ConnectionEvent.LAST_SENT): (Doing.LEAVING, Connection._half_close),
    (Doing.FINISHING, ConnectionEvent.DROPPED): (Doing.LEAVING, Connection.hang_up),
    (Doing.FINISHING, ConnectionEvent.EXPIRED): (Doing.FINISHING, Connection._give_up),
    (Doing.LEAVING, ConnectionEvent.CLIENT_ENDED): (Doing.LEAVING, Connection._stay),  # the transport closes
    (Doing.LEAVING, ConnectionEvent.ALL_SENT): (Doing.LEAVING, Connection._discard),
    (Doing.LEAVING, ConnectionEvent.EXPIRED): (Doing.LEAVING, Connection.hang_up),
}
