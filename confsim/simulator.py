"""The Simulator: one world in this process, with its API, its control plane and its servers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from .api.call import HOST
from .assumptions.protocol import transport as assumed_transport
from .assumptions.register import in_force
from .controls import Controls
from .service.messages import Answer
from .service.service import OfOneProcess
from .service.waiting import delivered

# The modules that worlds consist of are imported with the first world: ``transport.in_process``.
if TYPE_CHECKING:
    from ssl import SSLContext

    import requests

    from .control.facade.worlds import WorldsFacade
    from .control.invoke import ControlPlane
    from .http.app import App
    from .http.clients import Client
    from .http.clients_httpx import HttpxTransport
    from .http.live.serving import Serving
    from .http.wsgi import WsgiApp
    from .operation_names import OperationName
    from .service.clock import Clock, Instant
    from .service.durable.recorder import DurableWorlds
    from .service.service import Service
    from .service.worlds import Worlds
    from .transport.in_process import Caller
    from .transport.transport import Transport

    _Make = Callable[["Simulator"], Transport]


@cache
def _worlds() -> ModuleType:
    """Return the module that makes and calls worlds, imported on first use."""
    from .transport import in_process

    return in_process


@cache
def _control() -> Callable[[Service, Worlds, Transport | None], ControlPlane]:
    """Return the control plane of a world, with the worlds of its server and the transport; imported on first use."""
    from .control.catalogue import CONTROL
    from .control.context import ControlContext
    from .control.invoke import ControlPlane

    def control(service: Service, worlds: Worlds, over: Transport | None) -> ControlPlane:
        return ControlPlane(CONTROL, ControlContext(service, worlds, service.address.host), over)

    return control


class Simulator(OfOneProcess, Controls):
    """A simulated world of the conferencing API in this process.

    ``world`` is the name of a shipped world, the path of a world file or its content. ``seed`` determines every id.
    ``clock`` is a ``Clock``, or an instant (epoch milliseconds, ISO 8601, a datetime) at which it is frozen.
    ``profile`` chooses alternatives of assumptions: a mapping, or the path of a TOML file. ``scenario`` is the name of
    a shipped scenario or the path of an Arazzo file; the world starts in the state after it. Raises Misuse when the
    scenario fails.

    ``transport`` is a function of the simulator that returns the transport of its calls and control calls; the default
    is ``default_transport``, which a test suite can set. Without one, calls are performed in process, without HTTP.
    """

    default_transport: ClassVar[_Make | None] = None

    def __init__(
        self,
        world: str | Path | Mapping[str, Any] = "demo",
        seed: int = 0,
        clock: Clock | Instant | None = None,
        profile: Mapping[str, Any] | str | Path | None = None,
        scenario: str | Path | None = None,
        transport: _Make | None = None,
    ) -> None:
        self._attach(_worlds().make(world, seed, clock, profile), through=transport)
        if scenario is not None:
            from .control.scenarios import start_from

            start_from(scenario, self.control.context)

    def _attach(self, service: Service, worlds: Worlds | None = None, through: _Make | None = None) -> Simulator:
        self.service = service
        self._make_transport = through
        self._through: Transport | None = None
        self._prefix = in_force(service.profile, assumed_transport.PREFIX)
        self._worlds = worlds
        self._app: App | None = None
        self._inspecting: Serving | None = None
        return self

    def call(
        self,
        operation: OperationName,
        caller: Caller = None,
        *,
        body: object = None,
        content_type: str | None = None,
        expect: int | Collection[int] | None = None,
        **arguments: object,
    ) -> Answer:
        """Call an operation of the API by name, as a request would, and return its answer.

        ``caller`` is a token, or a user who has one; ``body`` is the JSON body as plain values, or bytes of the media
        type ``content_type``; every other argument is a path or query parameter by its name on the wire. Raises
        StatusError when the status is not the one, or one of those, that ``expect`` names; Misuse for an unknown
        operation, a missing path parameter, a value that cannot be sent, or one with which the path is that of another
        operation; ConnectionResetError when a fault drops the connection. Warns (IgnoredInputWarning) of fields and
        parameters that the API ignores as it does not know them.
        """
        answer: Answer
        if self._make_transport or self.default_transport:
            over = self._over()
            answer = _worlds().send(over, self.service, operation, arguments, caller, body, content_type)
        else:
            outcome = _worlds().perform(self.service, operation, arguments, caller, body, content_type)
            answer = Answer(delivered(self.service.live.waiters, outcome), operation)
        return answer if expect is None else _worlds().expected(self.service, answer, expect, arguments, caller, body)

    def __repr__(self) -> str:
        made = self.service.provenance.made_from or "a world"
        now = datetime.fromtimestamp(self.service.clock.now() / 1000, UTC).isoformat(timespec="seconds")
        calls = len(self.service.journal)
        return f"<Simulator of {made}, {calls} {'call' if calls == 1 else 'calls'}, at {now}>"

    def _over(self) -> Transport | None:
        make = self._make_transport or type(self).default_transport
        if make is None:
            return None
        self._through = self._through or make(self)
        return self._through

    # HTTP, in this process and over a socket

    @property
    def app(self) -> App:
        """The application that answers HTTP requests: this world at the root, and the worlds added to its server."""
        if self._app is None:
            from .http.app import App
            from .inspector.mount import mounted

            self._app = App(self._all(), mounted())
        return self._app

    @property
    def wsgi(self) -> WsgiApp:
        """The WSGI application."""
        from .http.wsgi import WsgiApp

        return WsgiApp(self.app, self.app.limits)

    def client(self, token: Caller = None) -> Client:
        """A test client of werkzeug that calls as the holder of the token, or a user who has one.

        Paths are relative to the base address: ``client.get("/users/me")``. Those that start with /_confsim, /files or
        /v1_0 are relative to the mount of the world; those that start with /w are absolute.
        """
        from .http.clients import Client

        headers, query = self.presented(token)
        roots = (self._prefix, "/_confsim", "/files", "/openapi.json")
        return Client(self.wsgi, self._mount, self._prefix, roots, headers, query)

    def transport(self) -> HttpxTransport:
        """A transport for ``httpx.Client`` and ``httpx.AsyncClient``, for any host name."""
        from .http.clients_httpx import HttpxTransport

        return HttpxTransport(self.app)

    def session(self, token: Caller = None) -> requests.Session:
        """A session of requests that calls as the holder of the token, for any host name."""
        from .http.clients import requests_session

        return requests_session(self.app, *self.presented(token))

    def serve(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        names: Iterable[str] = (),
        allow_webhooks: Iterable[str] = (),
        public_url: str = "",
        tls: SSLContext | None = None,
        allow_origins: Iterable[str] = (),
        trust_proxy: bool = False,
    ) -> Serving:
        """A live server of this world: ``with sim.serve() as server: server.base_url``.

        Port 0 chooses a free port; ``names`` are further Host names to accept. Webhooks are sent over HTTP, to loopback
        hosts and to those in ``allow_webhooks``. ``public_url`` is the start of URLs in answers, for a server behind
        another address, such as that of a proxy. With a ``tls`` context it speaks HTTPS. Web pages of
        ``allow_origins`` may call it from a browser, whatever its clients allow; "*" stands for all. With
        ``trust_proxy`` the headers X-Forwarded-Proto, -Host, -Port and -Prefix of a request are the start of URLs in
        its answer.
        """
        from .http.live.serving import Serving
        from .inspector.mount import mounted

        return Serving(
            self._all(), mounted(), host, port, names, allow_webhooks, public_url, tls, allow_origins, trust_proxy
        )

    def inspect(self, *, browser: bool = True) -> str:
        """Show the inspector of this world in the browser; returns its URL.

        It is served from a thread of this process, at a free port of loopback, until ``stop_inspecting`` or the end of
        the process. ``browser`` False only serves it.
        """
        if self._inspecting is None:
            self._inspecting = self.serve()
            self._inspecting.start()
        url = f"{self._inspecting.root}{self._mount}/_confsim/"
        if browser:
            import webbrowser

            webbrowser.open(url)
        return url

    def stop_inspecting(self) -> None:
        """Stop the server of ``inspect``, if it runs."""
        serving, self._inspecting = self._inspecting, None
        if serving is not None:
            serving.stop()

    @property
    def base_url(self) -> str:
        """The URL that in-process clients use for the base address of the API."""
        return f"http://{HOST}{self._mount}{self._prefix}"

    @property
    def _mount(self) -> str:
        """The path of the world's mount in its app."""
        return "" if self._all().default is self.service else self.service.address.mount

    def presented(self, token: Caller) -> tuple[dict[str, str], dict[str, str]]:
        """Return the headers and the query parameters by which a client presents the token."""
        held: str | None = _worlds().token_of(token)
        if held is None:
            return {}, {}
        from .assumptions.protocol import wire
        from .service.checks.credentials import present

        return present(in_force(self.service.profile, wire.PRESENTATION), held)

    # The control plane

    @property
    def control(self) -> ControlPlane:
        """The operations of the control plane: ``simulator.control("set_clock", to=0)`` invokes one by its name."""
        return _control()(self.service, self._all(), self._over())

    @property
    def worlds(self) -> WorldsFacade[Simulator]:
        """The worlds of the server, this one included."""
        from .control.facade.worlds import WorldsFacade

        worlds, through = self._all(), self._make_transport
        return WorldsFacade(
            self.control, lambda service: Simulator.__new__(Simulator)._attach(service, worlds, through)
        )

    @property
    def assumptions_used(self) -> list[str]:
        """The sorted ids of the assumptions that the world was built on and has used since."""
        return self.service.assumptions_used()

    @property
    def outputs(self) -> dict[str, Any]:
        """The outputs of the scenario that the world starts from."""
        return dict(self.service.provenance.outputs)

    def reset(self) -> None:
        """Restore the world and the clock of the start, and empty the journal."""
        self.control("reset_world")

    def start_again(
        self,
        world: str | Path | Mapping[str, Any] = "demo",
        seed: int = 0,
        profile: Mapping[str, Any] | str | Path | None = None,
        scenario: str | Path | None = None,
    ) -> None:
        """Replace the world, also on its servers, at the instant of the clock.

        The arguments are those of the constructor. The journal is empty, there are no faults and no snapshots; other
        worlds of the server stay. Raises Misuse without a change.
        """
        from .control.world_sources import start_again

        worlds, app = self._all(), self._app
        made = start_again(self.control.context, world, seed, profile, scenario)
        self._attach(made, worlds, self._make_transport)._app = app

    def fork(self, clock: Clock | Instant | None = None) -> Simulator:
        """Another simulator of the world as it is now; neither sees later changes of the other.

        ``clock`` is that of the other, as for ``Simulator``; without one it continues from this one's.
        """
        when = None if clock is None else _worlds().clock_of(clock)
        return Simulator.__new__(Simulator)._attach(self.service.fork(clock=when), through=self._make_transport)

    def snapshot(self, name: str = "snapshot") -> None:
        """Save the world and its clock under a name."""
        self.control("take_snapshot", name=name)

    def restore(self, name: str = "snapshot") -> None:
        """Restore the world and the clock of a snapshot. Raises Misuse (404) for an unknown name."""
        self.control("restore_snapshot", name)

    @property
    def snapshots(self) -> dict[str, int]:
        """The instant of each snapshot, by its name."""
        return {each.name: each.now for each in self.control("list_snapshots")}

    def drop_snapshot(self, name: str) -> None:
        """Delete a snapshot. Raises Misuse (404) for an unknown name."""
        self.control("drop_snapshot", name)

    @property
    def state(self) -> Any:
        """The whole world as one document of plain values; can be set."""
        return msgspec.json.decode(self.control("get_state").data)

    @state.setter
    def state(self, document: Mapping[str, Any]) -> None:
        self.control("put_state", **document)

    def save(self, path: str | Path) -> None:
        """Write the world to a state file. Raises Misuse when the file cannot be written."""
        from .service.files.state import write

        write(path, self.service.change().world)

    def load(self, path: str | Path) -> None:
        """Start from the world of a state file; a reset restores it. Raises Misuse with the mistake in the file."""
        from .service.files.state import read

        self.service.begin_with(read(path), str(path))

    def keep_in(self, directory: str | Path, scenario: str = "") -> DurableWorlds:
        """Store the worlds in a state directory from now on, and continue with those in it: a context manager.

        ``scenario`` is the one that this world started from. Raises Misuse when the directory belongs to other worlds,
        is in use, is of a version that cannot be read, or is damaged.
        """
        from .service.durable.recorder import DurableWorlds
        from .service.durable.sqlite import SqliteStore

        return DurableWorlds(SqliteStore(directory), self._all(), scenario)

    def _all(self) -> Worlds:
        if self._worlds is None:
            from .service.worlds import Worlds

            with self.service.lock:  # two threads that ask at the same time get the same one
                self._worlds = self._worlds or Worlds(self.service)
        return self._worlds
