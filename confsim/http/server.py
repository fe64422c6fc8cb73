"""The live server: bytes off a socket into a ``Request``, a ``Response`` back onto it.

One thread, one event loop, and the handler called inline: it is fast and owns the state, so a task or a thread for
each request would cost more than the request. The parser is httptools (llhttp, as in Node and uvicorn); what stands
around it is one ``asyncio.Protocol``. An answer that is yet to come (``Response.until``) is looked for now and then; it
holds up its own connection and nobody else.

Why not a whole server, in requests/s as multiples of a bare Werkzeug app on run_simple, at 1 and 16 connections:
waitress 1.8 and 1.9, uvicorn on h11 1.7 and 2.5, uvicorn on httptools 2.6 and 8.1, this 3.0 and 15. Only uvicorn on
httptools is fast enough; but it doubles the import, takes 150 ms to stop, and has no limits on URL, headers, body or
slow clients: those would have to be grafted onto the insides of its protocol class.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Self, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from confsim.service.message import Request, Response, origin_form
from confsim.service.waiting import TICK

from .limits import DEFAULT_LIMITS, Limits

Handler = Callable[[Request], Response]
Ready = Callable[["LiveServer"], object]
Until = Callable[[], Response | None]

_LOG = logging.getLogger("confsim.http")
_REASONS = {int(status): status.phrase for status in HTTPStatus}
_BROKEN = Response(500, [("Content-Type", "application/json")], b'{"error":"the handler failed; see the log"}')


class LiveServer:
    """Serves ``handler`` over HTTP/1.1: in a thread of its own (``start``, ``stop``, ``with``), or here (``run``).

    ``port`` 0 takes a free one; ``port`` and ``url`` tell which, once it listens. The handler is called in the serving
    thread, one request at a time. The server writes Content-Length and Connection; the handler all other headers.
    ``beat`` is called there too, on every tick; what it raises is logged.
    """

    def __init__(
        self,
        handler: Handler,
        host: str = "127.0.0.1",
        port: int = 0,
        limits: Limits = DEFAULT_LIMITS,
        beat: Callable[[], object] = lambda: None,
    ) -> None:
        self.handler, self.host, self.port, self.limits, self.beat = handler, host, port, limits, beat
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def url(self) -> str:
        """Where a client on this machine reaches the server, without a slash at the end."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def start(self) -> None:
        """Serve from a daemon thread; returns once clients can connect."""
        listener = self._listen()
        self._thread = threading.Thread(target=self._serve, args=(listener,), name="confsim-server", daemon=True)
        self._thread.start()

    def run(self, ready: Ready = lambda server: None) -> None:
        """Serve in this thread until SIGINT, SIGTERM or ``stop``; ``ready`` is called once clients can connect."""
        listener = self._listen()
        main = threading.current_thread() is threading.main_thread()  # no other thread may set signal handlers
        numbers = (signal.SIGINT, signal.SIGTERM) if main else ()
        before = {number: signal.signal(number, lambda *_: self.stop()) for number in numbers}
        try:
            self._serve(listener, ready)
        finally:
            for number, action in before.items():
                signal.signal(number, action)

    def stop(self) -> None:
        """Close the port and every connection; twice, or before the start, is fine."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed: stopped already
                self._loop.call_soon_threadsafe(self._stopping.set)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _listen(self) -> socket.socket:
        if self._loop is not None and not self._loop.is_closed():
            raise RuntimeError(f"the server is running already, at {self.url}")
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            listener = socket.create_server((self.host, self.port), family=family, backlog=1024)
        except OSError as error:
            raise OSError(error.errno, f"cannot listen on {self.host}:{self.port}: {error.strerror}") from error
        self.port = listener.getsockname()[1]
        self._loop, self._stopping = _Loop(), asyncio.Event()
        return listener

    def _serve(self, listener: socket.socket, ready: Ready = lambda server: None) -> None:
        assert self._loop is not None
        try:
            self._loop.run_until_complete(self._main(self._loop, listener, ready))
        finally:
            self._loop.close()

    async def _main(self, loop: asyncio.AbstractEventLoop, listener: socket.socket, ready: Ready) -> None:
        peers: set[_Connection] = set()
        port = await loop.create_server(
            lambda: _Connection(self.handler, self.limits, loop.time, peers), sock=listener, backlog=1024
        )
        try:
            ready(self)
            while not self._stopping.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), self.limits.tick)
                for peer in [peer for peer in peers if peer.deadline <= loop.time()]:
                    peer.expire()
                try:
                    self.beat()
                except Exception:
                    _LOG.exception("the beat failed")
        finally:
            loop.remove_reader(listener)
            for _ in range(4):  # a connection just accepted takes some turns of the loop to appear, and one to close
                for peer in peers:
                    peer.hang_up()
                await asyncio.sleep(0)
            port.close()  # not before: asyncio trips over connections that appear afterwards


class _Loop(asyncio.SelectorEventLoop):
    """An event loop whose clock goes on when a test in the same process freezes time."""

    if sys.platform != "win32":

        def time(self) -> float:
            """Read the one clock that freezegun and time-machine leave alone."""
            return time.clock_gettime(time.CLOCK_MONOTONIC)


class _LimitError(Exception):
    """Raised inside a parser callback to stop reading; its text is the fault."""


class _Connection(asyncio.Protocol):
    """One client: its bytes go to the parser, whose ``on_…`` callbacks gather a request and answer it."""

    def __init__(self, handler: Handler, limits: Limits, clock: Callable[[], float], peers: set[_Connection]) -> None:
        self._handler, self._limits, self._clock, self._peers = handler, limits, clock, peers
        self._parser = HttpRequestParser(self)
        self._leaving = self._stuck = False  # stuck are answers that are not taken
        self._until: Until | None = None  # gives the answer that is yet to come, and that all others wait for
        self._behind: deque[tuple[Request, bool]] = deque()
        self._unseen = 0  # bytes read since the parser last showed us anything: bounds what it holds back
        self._forget()

    def _forget(self) -> None:
        self._method, self._url, self._headers, self._body = "", b"", dict[str, str](), bytearray()
        self._room = self._limits.headers
        self._reading = self._in_body = self._upgrading = False
        self.deadline = self._clock() + self._limits.idle

    # What the event loop and the server tell it.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._peers.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  (asyncio names it)
        self._peers.discard(self)
        del self._parser  # it holds our methods: a cycle

    def pause_writing(self) -> None:
        self._stuck = True
        self._transport.pause_reading()  # who does not take answers may not send more requests

    def resume_writing(self) -> None:
        self._stuck = False
        self._go_on()

    def _go_on(self) -> None:
        if self._until is None and not self._stuck:
            self._transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        self._unseen += len(data)
        try:
            while data and not self._leaving:
                data = self._feed(data)
        except HttpParserError as error:
            if isinstance(error.__context__, _LimitError) and not self._leaving:
                self._refuse(str(error.__context__))
            elif not self._leaving:
                self._refuse("malformed", str(error))
        if self._unseen > self._limits.url + self._limits.headers and not self._leaving:
            self._refuse("headers_too_large")

    def expire(self) -> None:
        """Act on a deadline that has passed."""
        if self._until is not None:
            return
        if self._reading:
            self._refuse("timeout")
        else:
            self.hang_up()

    def hang_up(self) -> None:
        """Drop the connection, whatever is under way."""
        self._transport.abort()

    def _feed(self, data: bytes) -> bytes:
        """Parse; when the client offers an upgrade, return the same input without the offer, to be parsed instead.

        The parser takes what follows such a head for another protocol; for us it is the body and the next requests.
        """
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as pause:
            headers = "".join(f"{name}: {value}\r\n" for name, value in self._headers.items() if name != "upgrade")
            head = b"%s %s HTTP/1.1\r\n%s\r\n" % (self._method.encode(), self._url, headers.encode("latin-1"))
            self._parser = HttpRequestParser(self)
            self._forget()
            return head + data[pause.args[0] :]
        return b""

    # What the parser tells it.

    def on_message_begin(self) -> None:
        self._reading = True
        self.deadline = self._clock() + self._limits.read

    def on_url(self, url: bytes) -> None:
        self._unseen = 0
        self._method = self._parser.get_method().decode()
        self._url += url
        if len(self._url) > self._limits.url:
            raise _LimitError("url_too_long")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._room -= len(name) + len(value) + 4
        if self._room < 0:
            raise _LimitError("headers_too_large")
        if not self._in_body:  # otherwise a trailer, for which nobody here asks
            key, text = name.lower().decode("latin-1"), value.rstrip().decode("latin-1")
            self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        self._in_body = True
        self._upgrading = self._parser.should_upgrade() and self._method != "CONNECT"
        if int(self._headers.get("content-length", 0)) > self._limits.body:
            raise _LimitError("body_too_large")
        waits = self._headers.get("expect", "").lower() == "100-continue" and self._parser.get_http_version() == "1.1"
        if waits and not self._upgrading:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, chunk: bytes) -> None:
        self._unseen = 0
        self.deadline = self._clock() + self._limits.read
        self._body += chunk
        if len(self._body) > self._limits.body:
            raise _LimitError("body_too_large")

    def on_message_complete(self) -> None:
        self._unseen = 0
        if not self._upgrading and not self._leaving:
            self._answer(bytes(self._body), keep=self._parser.should_keep_alive() and self._method != "CONNECT")

    # What it answers.

    def _refuse(self, fault: str, problem: str = "") -> None:
        self._answer(b"", keep=False, fault=fault, problem=problem)

    def _answer(self, body: bytes, *, keep: bool, fault: str = "", problem: str = "") -> None:
        target, _, query = self._url.decode("latin-1").partition("?")
        request = Request(self._method, origin_form(target), query, self._headers, body, fault, problem)
        if self._until is None:
            self._handle(request, keep)
        else:
            self._behind.append((request, keep))  # no more than what was read at once: reading rests
        self._forget()
        if self._until is None and not keep:
            self._leave()

    def _handle(self, request: Request, keep: bool) -> None:
        try:
            response = self._handler(request)
        except Exception:
            _LOG.exception("the handler failed at %s %s", request.method, request.target)
            response = _BROKEN
        if response.until is None:
            self._write(request, response, keep)
        else:
            self._until = response.until
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(TICK, self._look, request, keep)

    def _write(self, request: Request, response: Response, keep: bool) -> None:
        bare = request.method == "HEAD"
        try:
            answer = _encode(response, bare=bare, keep=keep)
        except Exception:
            _LOG.exception("the answer cannot be sent: %s %s", request.method, request.target)
            answer = _encode(_BROKEN, bare=bare, keep=keep)
        if response.cut is None:
            self._transport.write(answer)
        elif response.cut < 0:
            self._leaving = True
            self.hang_up()
        else:
            self._transport.write(answer[: len(answer) - len(response.body) + response.cut])
            self._leave()

    def _look(self, request: Request, keep: bool) -> None:
        """See whether the answer that all others wait for is there, and then go on where it held us up."""
        if self._transport.is_closing():
            return
        assert self._until is not None
        try:
            response = self._until()
        except Exception:
            _LOG.exception("the handler failed at %s %s", request.method, request.target)
            response = _BROKEN
        if response is None:
            asyncio.get_running_loop().call_later(TICK, self._look, request, keep)
            return
        self._until = None
        self._write(request, response, keep)
        while keep and self._behind and self._until is None and not self._leaving:
            request, keep = self._behind.popleft()
            self._handle(request, keep)
        self._go_on()
        if self._until is None:
            if not self._leaving:
                self.deadline = self._clock() + (self._limits.read if self._reading else self._limits.idle)
            if not keep:
                self._leave()

    def _leave(self) -> None:
        """Close our half and go on reading for a while: closing on unread input would reset the answer away."""
        self._leaving = True
        if not self._transport.get_write_buffer_size():  # a long answer still has the idle time to get out
            self.deadline = self._clock() + self._limits.linger
        with suppress(OSError):  # the client is gone, and connection_lost on its way
            self._transport.write_eof()


def _encode(response: Response, *, bare: bool, keep: bool) -> bytes:
    """The answer as it goes out; ``bare`` leaves the body away and still tells its length."""
    status, body = response.status, response.body
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, '')}", f"Connection: {'keep-alive' if keep else 'close'}"]
    lines += [f"{name}: {value}" for name, value in response.headers]
    if status in (204, 304):
        bare = True
    else:
        lines.append(f"Content-Length: {len(body)}")
    head = "\r\n".join(lines)
    if not head.count("\r") == head.count("\n") == len(lines) - 1:
        raise ValueError("a response header contains a line break")
    return f"{head}\r\n\r\n".encode("latin-1") + (b"" if bare else body)
