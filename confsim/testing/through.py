"""Lets every call of this process go over HTTP, so that a suite written for one way in runs over another.

What ``Simulator.call`` and ``Simulator.order`` are asked becomes a request, to the WSGI app or over a socket to a live
server, and what comes back is what they would have answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.client import HTTPConnection, IncompleteRead
from queue import Queue
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from confsim.api.catalogue import API
from confsim.assumptions.register import Asking
from confsim.contract.encode import Raw
from confsim.contract.operation import Operation
from confsim.control import python
from confsim.control.catalogue import CONTROL
from confsim.control.control import PREFIX, Control
from confsim.http.app import App
from confsim.http.routing import Found
from confsim.http.server import LiveServer
from confsim.http.wsgi import Wsgi
from confsim.kernel.refusal import Misuse
from confsim.service.answer import Answer
from confsim.service.message import Request, Response
from confsim.service.pipeline import HOST
from confsim.service.places import in_body, in_query, places
from confsim.simulator import Simulator, _mount

from .targets import environ

#: Sends a request to an app.
Send = Callable[[App, Request], Response]
#: Waiting is done where others may call meanwhile: there is one connection.
_STAYS = frozenset({"wait"})


def through(way: str) -> Callable[[], None]:
    """Send every call, of API and control plane, by "wsgi" or over a "socket" from now on; answers what undoes it."""
    direct, ordered = Simulator.call, python._called
    server = _Socket() if way == "socket" else None
    send: Send = _wsgi if server is None else server.send

    def call(self: Simulator, operation: str, caller: str | None = None, **told: Any) -> Answer:
        busy = server is not None and server.busy()
        request = None if busy else _request(self, operation, caller, **told)
        return direct(self, operation, caller, **told) if request is None else _answer(send(self.app, request))

    def order(control: Control, operation: str, path: tuple[str, ...], parameters: dict[str, object], body: Any) -> Any:
        busy = server is not None and server.busy()
        request = None if busy else _order(control, operation, path, parameters, body)
        if request is None:
            return ordered(control, operation, path, parameters, body)
        return _result(CONTROL[operation], send(App(control.worlds, _mount()), request))

    def undo() -> None:
        setattr(Simulator, "call", direct)  # noqa: B010  (mypy knows that methods are not to be replaced)
        setattr(python, "_called", ordered)  # noqa: B010
        if server is not None:
            server.stop()

    setattr(Simulator, "call", call)  # noqa: B010
    setattr(python, "_called", order)  # noqa: B010
    return undo


def _order(
    control: Control, operation: str, path: tuple[str, ...], parameters: dict[str, object], body: Any
) -> Request | None:
    """The request that is the order; None where no request can say it."""
    declared, service, worlds = CONTROL.get(operation), control.service, control.worlds
    if declared is None or operation in _STAYS or not any(each is service for _, each in worlds.items()):
        return None
    if (declared.body is None and body) or not all(path) or len(path) != len(declared.placeholders):
        return None
    target = ("" if worlds.default is service else service.mount) + PREFIX + declared.path
    for name, text in zip(declared.placeholders, path, strict=True):
        target = target.replace(f"{{{name}}}", quote(text, safe=""), 1)
    try:
        raw = b"" if declared.body is None else msgspec.json.encode(body)
    except (TypeError, ValueError, RecursionError):
        return None
    return Request(declared.method, target, urlencode(in_query(parameters)), {"Host": control.host}, raw)


def _result(declared: Operation, response: Response) -> Any:
    """What the order answers in process; Misuse where it cannot be."""
    _told(response)
    kind = declared.hints["return"]
    if kind is Raw:
        return Raw(dict(response.headers)["Content-Type"], response.body)
    return msgspec.convert(msgspec.json.decode(response.body), kind)


def _request(
    simulator: Simulator,
    operation: str,
    caller: str | None,
    body: object = None,
    content_type: str | None = None,
    **arguments: object,
) -> Request | None:
    """The request that is the call; None where no request can say it.

    An empty text is no part of a path, another operation may have that path, and a world that was dropped has none.
    """
    declared, worlds = API.get(operation), simulator._all()
    if declared is None or not any(each is simulator.service for _, each in worlds.items()):
        return None
    if caller is not None and not isinstance(caller, str):
        return None
    profile = simulator.service.profile
    method, target = declared.route(profile)
    path, query = places(declared, dict(arguments))
    for name, text in zip(declared.placeholders, path, strict=True):
        target = target.replace(f"{{{name}}}", quote(text, safe=""), 1)
    headers, more = simulator.presented(caller)
    if content_type is not None:
        headers["Content-Type"] = content_type
    try:
        raw = b"" if body is None else in_body(body)
    except Misuse:
        return None
    target = simulator.base_url.removeprefix(f"http://{HOST}") + target
    request = Request(method, target, urlencode({**query, **more}), {**headers, "Host": HOST}, raw)
    return request if _reaches(simulator, declared, request) else None


def _reaches(simulator: Simulator, declared: Operation, request: Request) -> bool:
    """Whether the request is one of this operation."""
    below = request.target.removeprefix(simulator._mount)
    profile = simulator.service.profile
    routes = simulator.app.mount.routes(profile)
    try:
        found = routes.find(Asking(profile), request.method, below.split("/")[1:], request.query)
    except Exception:  # what is wrong with it, its answer tells
        return True
    return isinstance(found, Found) and found.operation is declared


def _wsgi(app: App, request: Request) -> Response:
    """By the WSGI app."""
    told: list[Any] = []
    asked = environ(request.method, request.target, request.query, request.headers, request.body)
    body = b"".join(Wsgi(app, app.limits)(asked, lambda status, lines: told.extend((status, lines))))
    length = dict(told[1]).get("Content-Length", len(body))
    if len(body) < int(length):
        raise ConnectionResetError("the body was cut off")
    return Response(int(told[0][:3]), told[1], body)


class _Socket:
    """A live server that answers in the thread of whoever calls, which may hold the lock of its world.

    Both ends of it are there before the first test, which may leave no way to open another.
    """

    def __init__(self) -> None:
        self._came: Queue[Request] = Queue()
        self._answered: Queue[Response] = Queue()
        self._lock = threading.Lock()
        self._caller = 0
        self._server = LiveServer(self._handle)
        self._server.start()
        self._connection = HTTPConnection("127.0.0.1", self._server.port, timeout=60)
        self._connection.connect()

    def busy(self) -> bool:
        """Whether this very thread is in the middle of an answer, which a receiver of webhooks can be."""
        return self._caller == threading.get_ident()

    def _handle(self, request: Request) -> Response:
        self._came.put(request)
        return self._answered.get()

    def send(self, app: App, request: Request) -> Response:
        """Over the socket, one request at a time."""
        with self._lock:
            self._caller = threading.get_ident()
            try:
                return self._sent(app, request)
            except BaseException:
                self._connection.close()
                raise
            finally:
                self._caller = 0

    def _sent(self, app: App, request: Request) -> Response:
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


def _answer(response: Response) -> Answer:
    """The answer; Misuse where confsim says that it is wrongly used, as a call in process would."""
    _told(response)
    headers = [line for line in response.headers if line[0] not in {"Connection", "Content-Length"}]
    return Answer(Response(response.status, headers, response.body))


def _told(response: Response) -> None:
    """Raise the Misuse that the answer tells of, if it does."""
    if dict(response.headers).get("Content-Type") == "application/problem+json":
        problem = msgspec.json.decode(response.body)
        facts = {name: value for name, value in problem.items() if name not in {"type", "title", "status", "detail"}}
        raise Misuse(problem["detail"], response.status, **facts)
