"""The Simulator that people import: one world in process, with everything around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from confsim.assumptions.protocol import transport as assumed_transport
from confsim.assumptions.protocol import wire
from confsim.assumptions.protocol.transport import TIME_SOURCE
from confsim.assumptions.register import in_force
from confsim.kernel.refusal import Misuse
from confsim.service.answer import Answer
from confsim.service.clock import Clock
from confsim.service.credential import present
from confsim.service.loading import load
from confsim.service.pipeline import HOST, Service
from confsim.service.profiles import read_profile
from confsim.service.state import read, write
from confsim.service.waiting import delivered
from confsim.service.worlds import Worlds
from confsim.transport.address import address

if TYPE_CHECKING:
    import httpx
    import requests

    from confsim.control.control import Control
    from confsim.control.mail import Mail
    from confsim.control.people import MadeClient, MadeUser, Redeemed
    from confsim.control.python import CallsOf, ClockOf, FaultsOf, PresenceOf, Requests, WebhooksOf
    from confsim.control.python_worlds import WorldsOf
    from confsim.control.validators import MadeValidator
    from confsim.http.app import App
    from confsim.http.clients import Client
    from confsim.http.serving import Serving
    from confsim.http.wsgi import Wsgi
    from confsim.service.keeping import Keeping
    from confsim.transport.transport import Transport

    _Make = Callable[["Simulator"], Transport]


class Simulator:
    """A simulated world of the conferencing API in this process.

    ``world`` is the name of a shipped world, the path of a world file or its content as plain data; ``seed`` pins every
    id and token; ``clock`` is a ``Clock``, or an instant (epoch milliseconds or ISO 8601) at which it stands still;
    ``profile`` chooses alternatives of assumptions: a mapping, or the path of a TOML file; after ``scenario``, the name
    of a shipped scenario or the path of an Arazzo file, the world starts. Misuse when the scenario fails.
    ``transport`` makes, from the simulator, the transport of its calls and those of its control plane; by default it is
    ``default_transport``, which a test suite may set, or else they are performed here, without HTTP.
    """

    default_transport: ClassVar[_Make | None] = None

    def __init__(
        self,
        world: str | Path | Mapping[str, Any] = "demo",
        seed: int = 0,
        clock: Clock | int | str | None = None,
        profile: Mapping[str, Any] | str | Path | None = None,
        scenario: str | Path | None = None,
        transport: _Make | None = None,
    ) -> None:
        chosen = read_profile(profile)
        when = clock if isinstance(clock, Clock) else Clock(clock)
        if clock is None and in_force(chosen, TIME_SOURCE) == "standing":
            when.freeze()
        made_from = "" if isinstance(world, Mapping) else str(world)
        self._attach(Service(load(world, seed, chosen), when, chosen, made_from), through=transport)
        if scenario is not None:
            from confsim.control.scenarios import start_from

            start_from(scenario, self.control)

    def _attach(self, service: Service, worlds: Worlds | None = None, through: _Make | None = None) -> Simulator:
        # Imported with the first world: the catalogue imports the whole API.
        from confsim.api.catalogue import API

        self.service = service
        self._operations = API.operations
        self._make_transport = through
        self._through: Transport | None = None
        self._prefix = in_force(service.profile, assumed_transport.PREFIX)
        self._worlds = worlds
        self._app: App | None = None
        return self

    def call(
        self,
        operation: str,
        caller: str | None = None,
        *,
        body: object = None,
        content_type: str | None = None,
        **arguments: object,
    ) -> Answer:
        """Call an operation by name, as a request would, without HTTP.

        ``caller`` is a token; ``body`` is the JSON body as plain values, or bytes, of the type ``content_type``; every
        other argument is a path or query parameter by its name on the wire. Misuse for an unknown operation, a path
        parameter that is missing, or what cannot be sent; ConnectionResetError when a fault drops the connection.
        """
        declared = self._operations.get(operation)
        if declared is None:
            raise Misuse(f"there is no operation {operation!r}", status=404)
        if caller is not None and not isinstance(caller, str):
            raise Misuse(f"caller is the token of somebody, not {caller!r}")
        service, over = self.service, self._over()
        token = None if over is None else caller
        asked = address(declared, arguments, service.profile, body=body, content_type=content_type, token=token)
        if over is not None:
            from confsim.transport.results import answer_of

            return answer_of(over.send(asked))
        return Answer(delivered(service.perform(declared, asked.path, asked.query, asked.request, caller)))

    def _over(self) -> Transport | None:
        make = self._make_transport or type(self).default_transport
        if make is None:
            return None
        self._through = self._through or make(self)
        return self._through

    # HTTP, in this process and over a socket

    @property
    def app(self) -> App:
        """What answers HTTP requests, whatever the transport: this world at the root, and those added to it."""
        if self._app is None:
            from confsim.control import mount
            from confsim.http.app import App

            self._app = App(self._all(), mount.whole())
        return self._app

    @property
    def wsgi(self) -> Wsgi:
        """The WSGI application."""
        from confsim.http.wsgi import Wsgi

        return Wsgi(self.app, self.app.limits)

    def client(self, token: str | None = None) -> Client:
        """A test client of werkzeug that calls as the holder of the token.

        Paths are taken to be below the base address: ``client.get("/users/me")``; those that start with /_confsim or
        /files, or with /v1_0 itself, below the mount of the world; those that start with /w as they are.
        """
        from confsim.http.clients import Client

        headers, query = self.presented(token)
        roots = (self._prefix, "/_confsim", "/files", "/openapi.json")
        return Client(self.wsgi, self._mount, self._prefix, roots, headers, query)

    def transport(self) -> httpx.BaseTransport:
        """A transport for ``httpx.Client`` and ``httpx.AsyncClient``, for any host name."""
        from confsim.http.clients import httpx_transport

        return httpx_transport(self.app)

    def session(self, token: str | None = None) -> requests.Session:
        """A session of requests that calls as the holder of the token, for any host name."""
        from confsim.http.clients import requests_session

        return requests_session(self.app, *self.presented(token))

    def serve(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        names: Iterable[str] = (),
        allow_webhooks: Iterable[str] = (),
        public_url: str = "",
    ) -> Serving:
        """A live server of this world: ``with sim.serve() as server: server.base_url``.

        Port 0 takes a free one; ``names`` are further Host names to answer to. Webhooks go out over HTTP, to loopback
        hosts and to those that ``allow_webhooks`` names. ``public_url`` is what URLs in answers begin with, for whoever
        reaches the server by another address, such as that of a proxy.
        """
        from confsim.control import mount
        from confsim.http.serving import Serving

        return Serving(self._all(), mount.whole(), host, port, names, allow_webhooks, public_url)

    @property
    def base_url(self) -> str:
        """The URL that in-process clients use for the base address of the API."""
        return f"http://{HOST}{self._mount}{self._prefix}"

    @property
    def _mount(self) -> str:
        """Where the world stands in its app."""
        return "" if self._all().default is self.service else self.service.mount

    def presented(self, token: str | None) -> tuple[dict[str, str], dict[str, str]]:
        """The headers and the query parameters by which a client presents the token."""
        if token is None:
            return {}, {}
        return present(in_force(self.service.profile, wire.PRESENTATION), token)

    # What the control plane does

    @property
    def control(self) -> Control:
        """What the operations of the control plane are called with."""
        from confsim.control.control import Control

        return Control(self.service, self._all(), self.service.host, self._over())

    def order(self, operation: str, /, *path: str, **body: object) -> Any:
        """Call an operation of the control plane by name, with its path parameters and the fields of its body.

        Where it takes no body, what is named are the parameters of its query. Misuse says what cannot be.
        """
        from confsim.control.python import order

        return order(self.control, operation, *path, **body)

    @property
    def clock(self) -> ClockOf:
        """The clock of the world."""
        from confsim.control.python import ClockOf

        return ClockOf(self.control)

    @property
    def worlds(self) -> WorldsOf[Simulator]:
        """The worlds beside this one."""
        from confsim.control.python_worlds import WorldsOf

        worlds, through = self._all(), self._make_transport
        return WorldsOf(self.control, lambda service: Simulator.__new__(Simulator)._attach(service, worlds, through))

    @property
    def requests(self) -> Requests:
        """The calls of the API so far, newest last."""
        from confsim.control.python import Requests

        return Requests(self.control)

    @property
    def assumptions_used(self) -> list[str]:
        """The ids of the assumptions that calls have leaned on, in alphabetical order."""
        return self.service.journal.assumptions()

    @property
    def outputs(self) -> dict[str, Any]:
        """The outputs of the scenario that the world starts from."""
        return dict(self.service.outputs)

    @property
    def mail(self) -> list[Mail]:
        """The mails that were sent, newest last."""
        mails: list[Mail] = self.order("list_mail")
        return mails

    @property
    def webhooks(self) -> WebhooksOf:
        """What was delivered to endpoints of the events interface, newest last, and where it goes."""
        from confsim.control.python import WebhooksOf

        return WebhooksOf(self.control)

    def wait(self, *, count: int = 1, timeout: str | int = "5s", **wanted: object) -> list[Any]:
        """Wait until so many of something are seen, and answer them: calls, mails, deliveries or records.

        ``request``, ``mail``, ``delivery`` or ``state`` says which, as the body of ``POST /_confsim/wait`` does:
        ``sim.wait(mail={"to": "a@example.com"})``. ``timeout`` is real time; when it is over, Misuse (409).
        """
        body: dict[str, object] = {"for": wanted, "count": count, "timeout": timeout}
        seen: list[Any] = self.order("wait", **body).seen
        return seen

    @property
    def faults(self) -> FaultsOf:
        """What goes wrong by request: with calls of operations, and with things in the world."""
        from confsim.control.python import FaultsOf

        return FaultsOf(self.control)

    @property
    def presence(self) -> PresenceOf:
        """Who comes into the channels of the world and goes."""
        from confsim.control.python import PresenceOf

        return PresenceOf(self.control)

    @property
    def calls(self) -> CallsOf:
        """The phones that dial in to the channels of the world, and those that they call."""
        from confsim.control.python import CallsOf

        return CallsOf(self.control)

    def reset(self) -> None:
        """Bring back the world, the clock and the empty journal of the start."""
        self.service.reset()

    def fork(self) -> Simulator:
        """Another simulator of the world as it is now: what happens in one, the other never sees."""
        return Simulator.__new__(Simulator)._attach(self.service.fork(), through=self._make_transport)

    def snapshot(self, name: str = "snapshot") -> None:
        """Keep the world and its clock under a name."""
        self.order("take_snapshot", name=name)

    def restore(self, name: str = "snapshot") -> None:
        """Bring the world and the clock of a snapshot back. Misuse for an unknown name."""
        self.order("restore_snapshot", name)

    @property
    def snapshots(self) -> dict[str, int]:
        """The instant of each snapshot that is kept, by its name."""
        return {name: snapshot.now for name, snapshot in self.service.snapshots.items()}

    def drop_snapshot(self, name: str) -> None:
        """Forget a snapshot. Misuse for an unknown name."""
        self.order("drop_snapshot", name)

    @property
    def state(self) -> Any:
        """The whole world as one document of plain values; may be set."""
        return msgspec.json.decode(self.order("get_state").data)

    @state.setter
    def state(self, document: Mapping[str, Any]) -> None:
        self.order("put_state", **document)

    def save(self, path: str | Path) -> None:
        """Write the world to a state file. Misuse when that cannot be."""
        write(path, self.service.change().world)

    def load(self, path: str | Path) -> None:
        """Start from the world of a state file: it is what a reset brings back. Misuse that names what is wrong."""
        self.service.replace(read(path))
        self.service.made_from = str(path)
        self.service.begin()

    def keep_in(self, directory: str | Path, scenario: str = "") -> Keeping:
        """Keep the worlds in a state directory from now on, and go on with what is in it: a context manager.

        ``scenario`` is the one that this world started from. Misuse when the directory is of other worlds, in use, of
        another version that cannot be read, or damaged.
        """
        from confsim.service.keeping import Keeping

        return Keeping(directory, self._all(), scenario)

    def token(self, user_id: int | None = None, ttl: str | int | None = None, *, client: str | None = None) -> str:
        """Mint a token of a user, as a login would, or an API token of a ``client``. ``ttl`` is such as "15m"."""
        token: str = self.order("issue_token", userId=user_id, clientId=client, ttl=ttl).token
        return token

    def make_client(self, name: str, parent: str | None = None, **fields: object) -> MadeClient:
        """Make a client, at any depth."""
        made: MadeClient = self.order("make_client", name=name, parent=parent, **fields)
        return made

    def make_user(self, client: str, handle: str, **fields: object) -> MadeUser:
        """Make a user who has accepted the terms: ``registered``, ``levels``, ``email``, ``verified``, …."""
        made: MadeUser = self.order("make_user", clientId=client, handle=handle, **fields)
        return made

    def make_validator(self, client: str, id: str, algorithm: str, key: str, **fields: object) -> MadeValidator:
        """Set a validator of identity tokens up."""
        made: MadeValidator = self.order(
            "make_validator", clientId=client, validatorId=id, algorithm=algorithm, key=key, **fields
        )
        return made

    def make_number(self, client: str, number: str, **fields: object) -> str:
        """Give a client an inbound number: ``code`` (its country), ``isDefault``; answers it as +E164."""
        made: str = self.order("make_number", clientId=client, number=number, **fields).number
        return made

    def redeem(self, code: str, provider: str | None = None) -> Redeemed:
        """Do what a login with a Nonce invitation does."""
        redeemed: Redeemed = self.order("redeem_invitation", code=code, provider=provider)
        return redeemed

    def change_record(self, kind: str, id: str | int, **fields: object) -> Any:
        """Set fields of a record (user, channel, client, …) that no documented call sets; answers the record."""
        return self.order("change_record", kind, str(id), **fields)

    def _all(self) -> Worlds:
        if self._worlds is None:
            with self.service.lock:  # of two threads that ask first, both get the same
                self._worlds = self._worlds or Worlds(self.service)
        return self._worlds
