"""The services of the exam, served in this process: what each shows, at which request, and for which accounts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.test import run_wsgi_app
from werkzeug.wrappers import Request

from confsim import Simulator
from confsim.testing import Accounts, accounts_of
from services import conferencing
from services.conferencing.clock import Clock
from services.conferencing.context import Service
from services.conferencing.store.db import Database
from services.conferencing.store.ids import Ids
from services.conferencing.store.seed import seed as plant
from services.conferencing.style import Style
from services.conferencing.web import Application
from services.drifts.proxy import Proxy, to_app

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class _HeldClock(Clock):
    """A clock that both of two services follow, and that stands still while a request is answered."""

    def __init__(self) -> None:
        super().__init__()
        self.hold()

    def hold(self) -> None:
        """Stand at the present instant."""
        self._held = super().now()

    def now(self) -> int:
        """The instant at which the request came, and what the clock was moved meanwhile."""
        return self._held + self._ahead_ms


class Served:
    """A service at a base URL. ``requests`` counts what it was sent, ``shown`` when it first showed what is wrong.

    ``shown`` is 0 until then, and the number of the request afterwards.
    """

    def __init__(self, accounts: Accounts, mount: str) -> None:
        self.accounts = accounts
        self.mount = mount
        self.base_url = ""
        self.requests = 0
        self.shown = 0
        self._lock = Lock()

    def answer(self, environ: WSGIEnvironment, sent: bytes) -> tuple[Iterable[bytes], str, Any]:
        """The answer to a request, and whether it shows what is wrong."""
        raise NotImplementedError

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, alone."""
        sent = Request(environ).get_data()
        with self._lock:
            self.requests += 1
            body, status, headers = self.answer(environ, sent)
        start_response(status, list(headers))
        return body


def application(style: Style, bugs: Iterable[str] = (), seed: int = 0, clock: Clock | None = None) -> Application:
    """The conferencing service as ``create_app`` makes it, in any style and by any clock."""
    service = Service(style, frozenset(bugs), clock or Clock(), Database(), Ids(seed))
    planted = plant(service)
    made = Application(service)
    made.tokens, made.client, made.seeded = planted.tokens, planted.client, planted.items
    return made


class Styled(Served):
    """The conferencing service in a style with bugs, beside the same service without them until both part."""

    def __init__(self, style: str, bugs: Iterable[str] = (), seed: int = 0) -> None:
        self._clock = _HeldClock()
        named = conferencing.STYLES[style]
        self._wrong, self._right = (application(named, each, seed, self._clock) for each in (bugs, ()))
        tokens = dict(self._wrong.tokens)
        if conferencing.STYLES[style].auth.user_header != conferencing.STYLES[style].auth.api_header:
            del tokens["api-token"]  # it has a header of its own, which an accounts file cannot say
        super().__init__(Accounts(self._wrong.client, tokens), conferencing.STYLES[style].base_path)

    def take(self, application: Application) -> None:
        """Serve an application that there is, alone."""
        self._wrong, self.shown = application, -1

    def answer(self, environ: WSGIEnvironment, sent: bytes) -> tuple[Iterable[bytes], str, Any]:
        """Let both services answer, until their answers differ."""
        self._clock.hold()
        told = run_wsgi_app(self._wrong, _again(environ, sent), buffered=True)
        if not self.shown:
            other = run_wsgi_app(self._right, _again(environ, sent), buffered=True)
            if told[1] != other[1] or b"".join(told[0]) != b"".join(other[0]):
                self.shown = self.requests
        return told


def _again(environ: WSGIEnvironment, body: bytes) -> WSGIEnvironment:
    """The request once more, with a body that was not read."""
    kept = {name: value for name, value in environ.items() if not name.startswith("werkzeug.request")}
    return {**kept, "wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body)) if body else ""}


class Drifted(Served):
    """confsim's own server under a profile, behind a proxy whose answers drift."""

    def __init__(self, drifts: Iterable[str] = (), seed: int = 0, profile: dict[str, Any] | None = None) -> None:
        self.simulator = Simulator(seed=seed, profile=profile or {})
        accounts = accounts_of(tomllib.loads(self.simulator.control("get_accounts").data.decode()))
        super().__init__(accounts, str((profile or {}).get("route.prefix", "/v1_0")))
        self._proxy = Proxy(to_app(self.simulator.wsgi), drifts, seed)

    def answer(self, environ: WSGIEnvironment, sent: bytes) -> tuple[Iterable[bytes], str, Any]:
        """Let the proxy answer, and see whether it changed the answer."""
        told = run_wsgi_app(self._proxy, _again(environ, sent), buffered=True)
        if not self.shown and self._proxy.has_changed:
            self.shown = self.requests
        return told


class _Handler(WSGIRequestHandler):
    """Keeps connections open, and writes no log."""

    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:
        """Write nothing."""


@contextmanager
def serving(served: Served) -> Iterator[Served]:
    """Serve until the end of the block."""
    server = make_server("127.0.0.1", 0, served, threaded=True, request_handler=_Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    served.base_url = f"http://127.0.0.1:{server.port}{served.mount}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
