"""One websocket of the live server: frames by the sans-I/O protocol of websockets, on the transport of a connection."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request as Handshake
from websockets.protocol import State
from websockets.server import ServerProtocol

from confsim.http.limits import Limits
from confsim.service.masking import SUBPROTOCOL
from confsim.service.messages import Response
from confsim.service.realtime.connections import ChannelConnection, RealTime

from .streams import Stream
from .transports import release

_LOG = logging.getLogger("confsim.http")
#: Most bytes of a message from a client, and of messages that wait to be read by it.
LARGEST = 64 * 2**10
MOST_WAITING = 2**20
#: Bytes that are parsed before other connections get their turn; the client is not read meanwhile.
PIECE = 4 * 2**10
#: Headers of a handshake's answer that come from the journal's response.
_OWN_HEADERS = frozenset({"x-confsim-request-id"})


class WebSocket(asyncio.Protocol):
    """The transport of one connection to a channel.

    A client that sends nothing for a while is sent a ping, and dropped when it does not answer; one that does not read
    is dropped once too many bytes wait for it.
    """

    def __init__(self, transport: asyncio.Transport, limits: Limits, clock: Callable[[], float]) -> None:
        self._transport = transport
        self._limits, self._clock = limits, clock
        self._loop = asyncio.get_running_loop()
        self._protocol = ServerProtocol(max_size=LARGEST, select_subprotocol=_subprotocol)
        self._pinged = False
        self._ending = False
        self._pending = bytearray()
        self._message = bytearray()
        self._text = False
        self._connection: ChannelConnection | None = None
        self._realtime: RealTime | None = None
        self._lost: Callable[[], object] = lambda: None
        self.deadline = clock() + limits.idle

    def when_lost(self, call: Callable[[], object]) -> None:
        """Call ``call`` when the connection is lost."""
        self._lost = call

    # The handshake

    @property
    def is_open(self) -> bool:
        """Whether the handshake was accepted."""
        return self._connection is not None

    def open_(self, head: bytes, stream: Stream) -> Response:
        """Answer the handshake in ``head``; return the response; a refusal has yet to be sent."""
        protocol = self._protocol
        protocol.receive_data(head)
        handshake = next(iter(protocol.events_received()), None)
        if not isinstance(handshake, Handshake):
            return stream.refuse(_refusal(400, f"no handshake of a websocket: {protocol.handshake_exc}\n".encode(), {}))
        answer = protocol.accept(handshake)
        if answer.status_code != 101:
            headers = dict(answer.headers.raw_items())
            return stream.refuse(_refusal(answer.status_code, bytes(answer.body or b""), headers))
        connection, response = stream.connect(self)
        if connection is None:
            return response
        self._connection, self._realtime = connection, stream.realtime
        for name, value in response.headers:
            if name.lower() == "date":
                del answer.headers["Date"]
                answer.headers["Date"] = value
            elif name.lower() in _OWN_HEADERS:
                answer.headers[name] = value
        protocol.send_response(answer)
        self._flush()
        return response

    # Callbacks of the event loop and the server

    def data_received(self, data: bytes) -> None:
        """Queue the input; it is parsed in pieces."""
        self._pinged = False
        if not self._ending:
            self.deadline = self._clock() + self._limits.idle
        self._pending += data
        if len(self._pending) == len(data):
            self._parse()

    def _parse(self) -> None:
        if self._transport.is_closing():
            return
        piece = bytes(self._pending[:PIECE])
        del self._pending[:PIECE]
        self._protocol.receive_data(piece)
        for event in self._protocol.events_received():
            if isinstance(event, Frame):
                self._take(event)
        self._flush()
        if self._pending:
            self._transport.pause_reading()
            self._loop.call_soon(self._parse)
        else:
            self._transport.resume_reading()

    def _take(self, frame: Frame) -> None:
        """Handle a frame; a complete message is delivered."""
        if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            return
        if frame.opcode is not Opcode.CONT:
            self._message, self._text = bytearray(), frame.opcode is Opcode.TEXT
        self._message += frame.data
        if not frame.fin or self._connection is None or self._realtime is None:
            return
        whole, self._message = bytes(self._message), bytearray()
        try:
            message = whole.decode() if self._text else whole
        except UnicodeDecodeError:
            self._protocol.fail(CloseCode.INVALID_DATA, "a text is not UTF-8")
            return
        self._realtime.received(self._connection, message)

    def eof_received(self) -> bool:
        """Close the connection after the client has closed it."""
        self._protocol.receive_eof()
        self._flush()
        return False

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  (asyncio names it)
        """Let the person leave."""
        self._pending.clear()
        self._lost()
        if self._connection is not None and self._realtime is not None:
            try:
                self._realtime.disconnect(self._connection)
            except Exception:
                _LOG.exception("a connection could not be forgotten")
        self.forget()
        release(self._transport)

    def forget(self) -> None:
        """Undo what refers to itself, since the connection is over: a server may collect no garbage."""
        self._lost, self._connection, self._realtime = (lambda: None), None, None
        error: BaseException | None = self._protocol.handshake_exc
        while error is not None:  # its frames hold it
            error = error.with_traceback(None)
            error = error.__cause__ or error.__context__
        self._protocol.__dict__.clear()

    def expire(self) -> None:
        """Act on a deadline that has passed: ping an idle client, drop one that did not answer."""
        if self._ending or self._pinged or self._protocol.state is not State.OPEN:
            self.hang_up()
            return
        self._pinged = True
        self.deadline = self._clock() + self._limits.read
        self._protocol.send_ping(b"confsim")
        self._flush()

    def hang_up(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    # Messages, from any thread

    def notify(self, message: bytes) -> None:
        """Send a message about the person."""
        self._soon(self._send, message, True)

    def relay(self, message: str | bytes) -> None:
        """Send a message of another client, unless this client is slow."""
        self._soon(self._relay, message)

    def end(self, reason: str) -> None:
        """Close the connection once everything is sent."""
        self._soon(self._end, reason)

    def _soon(self, function: Callable[..., object], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed, and the connection with it
            self._loop.call_soon_threadsafe(function, *arguments)

    def _send(self, message: bytes, is_text: bool) -> None:
        if self._transport.is_closing() or self._protocol.state is not State.OPEN:
            return
        if is_text:
            self._protocol.send_text(message)
        else:
            self._protocol.send_binary(message)
        self._flush()

    def _relay(self, message: str | bytes) -> None:
        if self._transport.get_write_buffer_size() <= LARGEST:
            self._send(message.encode() if isinstance(message, str) else message, isinstance(message, str))

    def _end(self, reason: str) -> None:
        if self._transport.is_closing():
            return
        self._ending = True
        self.deadline = self._clock() + self._limits.linger
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(CloseCode.NORMAL_CLOSURE, reason)
            self._flush()

    def _flush(self) -> None:
        """Write the output of the protocol, an empty piece is its end; drop a client for which too much waits.

        Answers to pings wait like messages: a client that sends pings and does not read is slow too.
        """
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            else:
                self._ending = True
                self.deadline = self._clock() + self._limits.linger
                if not self._transport.can_write_eof():  # TLS has its own closing handshake
                    self._transport.close()
                    return
                with suppress(OSError):  # the client has disconnected; connection_lost follows
                    self._transport.write_eof()
        if self._transport.get_write_buffer_size() > MOST_WAITING:
            self.hang_up()


def _subprotocol(protocol: ServerProtocol, offered: Any) -> Any:
    """Return the agreed subprotocol of those that a client offers: a browser rejects an answer without one."""
    if SUBPROTOCOL in offered:
        return SUBPROTOCOL
    return offered[0] if offered else None


def _refusal(status: int, body: bytes, headers: dict[str, str]) -> Response:
    retained = [
        (name, value) for name, value in headers.items() if name in {"Upgrade", "Allow", "Sec-WebSocket-Version"}
    ]
    return Response(status, [*retained, ("Content-Type", "text/plain; charset=utf-8")], body)
