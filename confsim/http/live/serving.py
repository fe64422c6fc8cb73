"""Worlds served live: the app, its server, the Host names it answers to, the sender of webhooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from confsim.assumptions.protocol import transport
from confsim.assumptions.register import in_force
from confsim.http import hosts
from confsim.http.app import App
from confsim.http.mount import Mount
from confsim.service.webhooks.http_sender import HttpSender
from confsim.service.worlds import Worlds

from .server import LiveServer


class Serving:
    """Serves worlds between ``start`` and ``stop``; as a context manager, inside the block.

    Webhooks are sent over HTTP meanwhile, to loopback hosts and to those of ``allow_webhooks``.
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
    ) -> None:
        self.worlds = worlds
        if public_url:
            worlds.serve_at(public_url)
        self._allowed = tuple(allow_webhooks)
        self._sender: HttpSender | None = None
        self.answer_to(*names)
        app = App(worlds, mount, hosts.known(host, worlds.names))
        self._server = LiveServer(app, host, port, app.limits, worlds.tick)

    @property
    def root(self) -> str:
        """URL of the mount of the default world, without a slash at its end."""
        return self._server.url

    @property
    def base_url(self) -> str:
        """Base URL of the API of the default world."""
        prefix = in_force(self.worlds.default.profile, transport.PREFIX)
        return self.root + prefix

    def answer_to(self, *names: str) -> None:
        """Add Host names that the server answers to."""
        self.worlds.names.update(name.lower() for name in names)

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        return self._server.port

    def start(self) -> None:
        """Serve in a thread of its own. OSError when the port is taken."""
        self._server.start()
        self._stand()

    def run(self, ready: Callable[[], object]) -> None:
        """Serve in this thread until SIGINT or SIGTERM. OSError when the port is taken."""

        def listening(_: LiveServer) -> None:
            self._stand()
            ready()

        try:
            self._server.run(listening)
        finally:
            self._leave()

    def stop(self) -> None:
        """Close the port and all connections."""
        self._server.stop()
        self._leave()

    def _stand(self) -> None:
        """The worlds stand on the server: they know its address, and their webhooks go out."""
        self._sender = HttpSender(self._allowed)
        self.worlds.attach_server(self.root.partition("://")[2], self._sender)

    def _leave(self) -> None:
        if self._sender is not None:
            self._sender.close()
            self.worlds.detach_server(self._sender)
            self._sender = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
