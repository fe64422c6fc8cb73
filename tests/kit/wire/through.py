"""Transports for a whole suite: ``pytest --through wsgi`` and ``--through socket`` send every call over HTTP.

What no request can say is performed in process instead: a path parameter that is empty, or a world that was dropped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, IncompleteRead
from queue import Queue
from typing import Protocol

from msgspec.structs import replace

from confsim import Simulator
from confsim.api.call import HOST
from confsim.assumptions.register import ProfileContext
from confsim.control.scenarios import direct
from confsim.http.live.server import LiveServer
from confsim.http.routing import Found
from confsim.service.messages import Request, Response
from confsim.transport.address import OperationRequest
from confsim.transport.wsgi import WsgiTransport


class Wire(Protocol):
    """Sends a request to the app of a simulator."""

    def send(self, simulator: Simulator, request: Request) -> Response:
        """Send one request, its target from the root of the app."""

    def busy(self) -> bool:
        """Return whether another request would have to wait; it is performed in process then."""

    def stop(self) -> None:
        """Release what is held."""


@contextmanager
def through(way: str, log: Callable[[Request], object] = lambda request: None) -> Iterator[None]:
    """Send the calls of all simulators by "wsgi", or over a "socket" to a live server, while the block runs.

    ``log`` is called with each request that was answered.
    """
    wire: Wire = OverSocket() if way == "socket" else OverWsgi()
    before = Simulator.default_transport
    Simulator.default_transport = staticmethod(partial(Through, wire=wire, log=log))
    try:
        yield
    finally:
        Simulator.default_transport = before and staticmethod(before)
        wire.stop()


class Through:
    """The transport of one simulator."""

    def __init__(self, simulator: Simulator, wire: Wire, log: Callable[[Request], object]) -> None:
        self._simulator = simulator
        self._wire = wire
        self._log = log

    @property
    def root(self) -> str:
        """The URL of the mount."""
        return f"http://{HOST}{self._simulator._mount}"

    def send(self, call: OperationRequest) -> Response:
        """Send one request, in process where no request over HTTP says the same."""
        simulator, request = self._simulator, call.request
        if self._wire.busy() or not self._reached(call):
            return direct(simulator.control.context).send(call)
        headers = {"host": HOST, **request.headers}
        request = replace(request, target=simulator._mount + request.target, headers=headers)
        response = self._wire.send(simulator, request)
        self._log(request)
        return response

    def _reached(self, call: OperationRequest) -> bool:
        """Whether the request over HTTP is one of this operation."""
        simulator, operation = self._simulator, call.operation
        if not any(each is simulator.service for _, each in simulator._all().items()) or not all(call.path):
            return False
        if operation.catalogue.prefix_under({}) == "/_confsim":
            return True
        profile, request = simulator.service.profile, call.request
        routes = simulator.app.mount.routes(profile)
        try:
            found = routes.match(ProfileContext(profile), request.method, request.target.split("/")[1:], request.query)
        except Exception:  # what is wrong with it, its answer says
            return True
        return isinstance(found, Found) and found.operation is operation

    def wait(self, seconds: float) -> None:
        """Move the clock of the world on."""
        self._simulator.service.live.advance(int(seconds * 1000))

    def close(self) -> None:
        """The connection belongs to the suite."""


class OverWsgi:
    """Sends requests to the WSGI app."""

    def send(self, simulator: Simulator, request: Request) -> Response:
        """Send one request."""
        return WsgiTransport(simulator.wsgi).exchange(request)

    def busy(self) -> bool:
        """Return False: a WSGI app may be called in the middle of a call."""
        return False

    def stop(self) -> None:
        """Nothing is held."""


class OverSocket:
    """A live server that answers in the thread of the caller, which may hold the lock of its world.

    Both ends of it are there before the first test, which may leave no way to open another.
    """

    def __init__(self) -> None:
        self._came: Queue[Request] = Queue()
        self._answered: Queue[Response] = Queue()
        self._lock = threading.Lock()
        self._server = LiveServer(self._handle)
        self._server.start()
        self._connection = HTTPConnection("127.0.0.1", self._server.port, timeout=60)
        self._connection.connect()

    def busy(self) -> bool:
        """Return whether a call is under way: by another thread, or by this one, in a receiver of webhooks."""
        return self._lock.locked()

    def _handle(self, request: Request) -> Response:
        self._came.put(request)
        return self._answered.get()

    def send(self, simulator: Simulator, request: Request) -> Response:
        """Send one request over the socket; others wait."""
        with self._lock:
            try:
                return self._sent(simulator.app, request)
            except BaseException:
                self._connection.close()
                raise

    def _sent(self, app: Callable[[Request], Response], request: Request) -> Response:
        url = request.target + (f"?{request.query}" if request.query else "")
        self._connection.request(request.method, url, request.body or None, request.headers)
        came = self._came.get(timeout=60)
        try:
            response = app(came)
        except BaseException:
            self._answered.put(Response(500, []))
            raise
        self._answered.put(response)
        answer = self._connection.getresponse()
        try:
            return Response(answer.status, answer.getheaders(), answer.read())
        except IncompleteRead as error:
            raise ConnectionResetError(str(error)) from None

    def stop(self) -> None:
        """Close both ends."""
        self._connection.close()
        self._server.stop()
