"""The live server: HTTP/1.1 over asyncio, with the parser of httptools (llhttp).

One thread with one event loop calls the handler inline: it is fast, and a task or a thread for each request would cost
more than the request. The future of a response is awaited by its own connection only.

Other servers were measured with the same app, in multiples of the requests/s of a bare Werkzeug app on its own server,
at 1 and 16 connections: waitress 1.8 and 1.9, uvicorn with h11 1.7 and 2.5, uvicorn with httptools 2.6 and 8.1, this
one 3.0 and 15. Uvicorn with httptools doubles the import time, takes 150 ms to stop, and has no limits on URL, headers,
body or slow clients.
"""

from __future__ import annotations

import asyncio
import errno
import faulthandler
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Self

from confsim.http.limits import DEFAULT_LIMITS, Limits
from confsim.http.live import signals
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Handler, Outcome, Request
from confsim.service.waiting import monotonic
from confsim.service.worker import Worker, serving

from .bodies import NeedsBody, UnfinishedBodies
from .connection import Connection
from .handover import Peer
from .log import Log
from .streams import FindStream
from .turns import Turns

if TYPE_CHECKING:
    from ssl import SSLContext

Ready = Callable[["LiveServer"], object]

_LOG = logging.getLogger("confsim.http")
#: Seconds that a running call has to finish after a SIGTERM or SIGHUP.
_GRACE = 2.0
#: Errors of a machine without IPv6, and how often a port is sought that is free in both address families.
_NO_FAMILY = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)
_ATTEMPTS = 20


class LiveServer:
    """Serves ``handler`` over HTTP/1.1, in its own thread (``start``, ``stop``, ``with``) or in this one (``run``).

    ``port`` 0 chooses a free one: ``port`` and ``url`` name it once the server listens. The handler is called in the
    serving thread, one request at a time. The server writes Content-Length and Connection, the handler all other
    headers. ``on_tick`` is called in the same thread on every tick; its exceptions are logged. With ``tls`` the server
    speaks HTTPS. ``log``, which can be set until a client connects, is called with each request once its response is
    written. ``find_stream`` finds the stream for a websocket; without it, none is served.
    ``needs_body`` says whether the answer to a request with a large body may depend on it; else it is not read.
    """

    def __init__(
        self,
        handler: Handler,
        host: str = "127.0.0.1",
        port: int = 0,
        limits: Limits = DEFAULT_LIMITS,
        on_tick: Callable[[], object] = lambda: None,
        tls: SSLContext | None = None,
        find_stream: FindStream | None = None,
        needs_body: NeedsBody = lambda request: True,
    ) -> None:
        self._bodies = UnfinishedBodies(needs_body)
        self.handler = handler if tls is None else _by_tls(handler)
        self.host, self.port, self.limits, self.on_tick = host, port, limits, on_tick
        self.tls = tls
        self._find_stream = find_stream
        self._worker = Worker()
        self.log: Log | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._dying = False  # a SIGTERM or SIGHUP has arrived

    def log_to(self, log: Log) -> None:
        """Call ``log`` with the requests of later connections."""
        self.log = log

    def handle_through(self, around: Callable[[Handler], Handler]) -> None:
        """Wrap the handler of requests with ``around``."""
        self.handler = around(self.handler)

    def limit(self, limits: Limits) -> None:
        """Set the limits of later connections."""
        self.limits = limits

    @property
    def url(self) -> str:
        """The URL of the server for clients on this machine, without a slash at the end."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        scheme = "http" if self.tls is None else "https"
        return f"{scheme}://[{host}]:{self.port}" if ":" in host else f"{scheme}://{host}:{self.port}"

    def start(self) -> None:
        """Serve from a daemon thread; returns once clients can connect."""
        listeners = self._listen()
        self._thread = threading.Thread(target=self._serve, args=(listeners,), name="confsim-server", daemon=True)
        self._thread.start()

    def run(self, ready: Ready = lambda server: None) -> None:
        """Serve in this thread until SIGINT, SIGTERM, SIGHUP or ``stop``; ``ready`` is called once clients can connect.

        A call that does not end cannot keep the process alive: a second signal kills it, SIGHUP aside, and a SIGTERM or
        SIGHUP kills it after ``_GRACE`` seconds, with the traceback of the call on stderr.
        """
        listeners = self._listen()
        main = threading.current_thread() is threading.main_thread()  # only the main thread may set signal handlers
        numbers = (signal.SIGINT, *signals.ending()) if main else ()
        before = {number: signal.signal(number, self._signalled) for number in numbers}
        try:
            self._serve(listeners, ready)
        finally:
            if self._dying:
                faulthandler.cancel_dump_traceback_later()
            for number, action in before.items():
                if signal.getsignal(number) is not signal.SIG_IGN:  # a SIGHUP that was noted stays ignored
                    signal.signal(number, action)

    def _signalled(self, number: int, _frame: FrameType | None) -> None:
        for each in (signal.SIGINT, *signals.ending()):
            signal.signal(each, signal.SIG_DFL)
        signals.note(number)
        if number != signal.SIGINT:  # faulthandler needs no GIL, which a regular expression may hold for ever
            self._dying = True
            faulthandler.dump_traceback_later(_GRACE, exit=True, file=sys.__stderr__ or sys.stderr)
        self.stop()

    def stop(self) -> None:
        """Close the port and all connections. No effect on a server that is not running."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed: it has stopped already
                self._loop.call_soon_threadsafe(self._stopping.set)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _listen(self) -> list[socket.socket]:
        if self._loop is not None and not self._loop.is_closed():
            raise RuntimeError(f"the server is running already, at {self.url}")
        if not 0 <= self.port <= 65535:
            raise Misuse(f"port: {self.port} is not from 0 to 65535")
        try:
            listeners = _listeners(self.host, self.port)
        except OSError as error:
            unknown = error.errno == socket.EAI_NONAME
            why = "it is neither an address nor the name of a host" if unknown else os.strerror(error.errno or 0)
            raise OSError(error.errno, f"cannot listen on {self.host}:{self.port}: {why}") from error
        self.port = listeners[0].getsockname()[1]
        self._loop, self._stopping = _Loop(), asyncio.Event()
        return listeners

    def _serve(self, listeners: list[socket.socket], ready: Ready = lambda server: None) -> None:
        assert self._loop is not None
        try:
            with serving():
                self._loop.run_until_complete(self._main(self._loop, listeners, ready))
        finally:
            self._loop.close()

    async def _main(self, loop: asyncio.AbstractEventLoop, listeners: list[socket.socket], ready: Ready) -> None:
        peers: set[Peer] = set()
        turns = Turns(loop.time)

        def connection() -> Connection:
            return Connection(
                self.handler,
                self.limits,
                loop.time,
                peers,
                turns,
                self.log,
                self._find_stream,
                self._bodies,
                self._worker,
            )

        ports = [await loop.create_server(connection, sock=each, backlog=1024, ssl=self.tls) for each in listeners]
        try:
            ready(self)
            while not self._stopping.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), self.limits.tick)
                _expire(peers, loop.time())
                try:
                    self.on_tick()
                except Exception:
                    _LOG.exception("the call on a tick failed")
        finally:
            for each in listeners:
                loop.remove_reader(each)
            for _ in range(4):  # an accepted connection takes some turns of the loop to appear, and one more to close
                for peer in tuple(peers):
                    peer.hang_up()
                await asyncio.sleep(0)
            for port in ports:
                port.close()  # only now: asyncio fails on connections that appear after it


def _listeners(host: str, port: int) -> list[socket.socket]:
    """Return the sockets that listen at a host: for localhost one of each address family that the machine has.

    Clients resolve localhost to either; port 0 takes one that is free in both. Raises OSError if it is in use.
    """
    if host.lower() != "localhost":
        return [_listener(host, port)]
    for attempt in range(_ATTEMPTS):
        first = _listener("127.0.0.1", port)
        try:
            return [first, _listener("::1", first.getsockname()[1])]
        except OSError as error:
            if error.errno in _NO_FAMILY:
                return [first]
            first.close()
            if port or attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=1024)


def _expire(peers: set[Peer], now: float) -> None:
    """Act on deadlines that have passed, in a function of its own: its frame keeps no peer."""
    for peer in [peer for peer in peers if peer.deadline <= now]:
        peer.expire()


class _Loop(asyncio.SelectorEventLoop):
    """An event loop whose clock is not affected by freezegun and time-machine."""

    def time(self) -> float:
        """Return the seconds of that clock."""
        return monotonic()


def _by_tls(handler: Handler) -> Handler:
    """Return a handler of requests that came by TLS."""

    def handle(request: Request) -> Outcome:
        request.scheme = "https"
        return handler(request)

    return handle
