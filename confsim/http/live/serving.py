"""The serving of worlds: the app, its server, the Host names it answers to, the sender of webhooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from confsim.assumptions.protocol import transport
from confsim.assumptions.register import ProfileContext, in_force
from confsim.http import hosts
from confsim.http.app import App, limits_under
from confsim.http.mount import Mount
from confsim.http.routing import Found
from confsim.kernel.refusal import Refusal
from confsim.service.messages import Handler, Request
from confsim.service.service import OfOneProcess, Service
from confsim.service.webhooks.http_sender import HttpSender
from confsim.service.worlds import Worlds
from confsim.values.urls import host_name, path_segments

from .log import Log
from .server import LiveServer
from .streams import Streams

if TYPE_CHECKING:
    from ssl import SSLContext


class Serving(OfOneProcess):
    """Serves worlds between ``start`` and ``stop``; as a context manager, inside the block.

    Meanwhile webhooks are sent over HTTP, to loopback hosts and those of ``allow_webhooks``. With ``tls`` the server
    speaks HTTPS, and URLs in answers begin with its address unless there is a ``public_url``. Web pages of
    ``allow_origins`` may call every world. With ``trust_proxy`` URLs in answers begin with what the headers
    X-Forwarded-* of a request say. Raises Misuse for an invalid name, host, URL or origin.
    """

    def __init__(
        self,
        worlds: Worlds,
        mount: Mount,
        host: str = "127.0.0.1",
        port: int = 0,
        names: Iterable[str] = (),
        allow_webhooks: Iterable[str] = (),
        public_url: str = "",
        tls: SSLContext | None = None,
        allow_origins: Iterable[str] = (),
        trust_proxy: bool = False,
    ) -> None:
        self.worlds = worlds
        self._mount = mount
        self._on_tick: list[Callable[[], object]] = [worlds.tick]
        self._allowed = tuple(map(host_name, allow_webhooks))
        names = tuple(map(host_name, names))
        if allowed := tuple(allow_origins):
            worlds.allow_origins(*allowed)
        if public_url:
            worlds.serve_at(public_url)
        self._trusts_proxy = trust_proxy
        self._sender: HttpSender | None = None
        self.answer_to(*names)
        self._app = App(worlds, mount, hosts.known(host, worlds.names))
        self._profile = worlds.default.profile
        self._server = LiveServer(
            self._app, host, port, self._app.limits, self._tick, tls, Streams(self._app), self._app.needs_body
        )

    def __repr__(self) -> str:
        return f"<Serving at {self.base_url}>" if self._sender is not None else "<Serving, stopped>"

    @property
    def root(self) -> str:
        """The URL of the mount of the default world, without a slash at its end."""
        return self._server.url

    @property
    def base_url(self) -> str:
        """The base URL of the API of the default world."""
        prefix = in_force(self.worlds.default.profile, transport.PREFIX)
        return self.root + prefix

    def answer_to(self, *names: str) -> None:
        """Add Host names that the server answers to."""
        self.worlds.answer_to(*names)

    def log_to(self, log: Log) -> None:
        """Call ``log`` with each request of later connections: answered, pending, or None when its client has gone."""
        self._server.log_to(log)

    def handle_through(self, around: Callable[[Handler], Handler]) -> None:
        """Wrap the handler of requests with ``around``."""
        self._server.handle_through(around)

    def on_tick(self, call: Callable[[], object]) -> None:
        """Call ``call`` about twice a second, between two requests; its exceptions are logged."""
        self._on_tick.append(call)

    def _tick(self) -> None:
        for call in self._on_tick:
            call()
        if self.worlds.default.profile is not self._profile:  # the root world was replaced
            self._profile = self.worlds.default.profile
            limits = limits_under(self._profile)
            self._app.limit(limits)
            self._server.limit(limits)

    def operation_name(self, request: Request) -> str:
        """Return the name of the operation of a request, "" when there is none."""
        segments = path_segments(request.target)[1:]
        service: Service | None = self.worlds.default
        if segments[:1] == ["w"]:
            service, segments = self.worlds.find(segments[1] if len(segments) > 1 else ""), segments[2:]
        if service is None:
            return ""
        method = "GET" if request.method == "HEAD" else request.method
        try:
            routes = self._mount.routes_of(segments, service.profile)
            found = routes.match(ProfileContext({}), method, segments, request.query)
        except Refusal:  # an invalid escape in the path
            return ""
        return found.operation.name if isinstance(found, Found) else ""

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        return self._server.port

    def start(self) -> None:
        """Serve in a thread of its own. Raises OSError when the port is in use."""
        self._server.start()
        self._attach()

    def run(self, ready: Callable[[], object]) -> None:
        """Serve in this thread until SIGINT, SIGTERM or SIGHUP. Raises OSError when the port is in use."""

        def listening(_: LiveServer) -> None:
            self._attach()
            ready()

        try:
            self._server.run(listening)
        finally:
            self._detach()

    def stop(self) -> None:
        """Close the port and all connections."""
        self._server.stop()
        self._detach()

    def _attach(self) -> None:
        """Register the server with the worlds: its address and its webhook sender."""
        self._sender = HttpSender(self._allowed)
        if self._server.tls is not None and not self.worlds.public_url:
            self.worlds.serve_at(self.root)
        if self._trusts_proxy:
            self.worlds.trust_proxy(True)
        self.worlds.attach_server(self.root.partition("://")[2], self._sender)

    def _detach(self) -> None:
        if self._sender is not None:
            self._sender.close()
            self.worlds.detach_server(self._sender)
            self._sender = None
            if self._trusts_proxy:
                self.worlds.trust_proxy(False)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
