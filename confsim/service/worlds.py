"""The worlds of one server: the default world and named ones, each a service of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from threading import RLock
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from confsim.api.call import HOST, NOWHERE, Address
from confsim.kernel.refusal import Misuse, require_at_most, suggest_near
from confsim.kernel.world import World
from confsim.values.urls import host_name, uri, web_origin

from .clock import Values
from .live import EventObserver, Observers
from .service import OfOneProcess, Service, Settings
from .waiting import monotonic
from .webhooks.http_sender import HttpSender

#: Default limit of worlds beside the root world, and the highest that can be set.
MOST, MOST_EVER = 10_000, 1_000_000
#: Most Host names that live servers answer to beside their own.
MOST_NAMES = 1000
#: Most control calls of a server that wait at once.
MOST_WAITING = 1000
#: Seconds for which a world must be idle before it may be evicted.
GRACE = 60.0
_NAME = r"(?a)(?!limit\Z)[A-Za-z0-9_-]{1,64}\Z"  # reserved: the path /worlds/limit


def _public(url: str) -> tuple[str, str]:
    """Return the start of URLs in ASCII, and its Host name in lower case. Raises Misuse for an invalid one."""
    wrong = f"{url[:200]!r} is not a URL such as https://conf.example or http://127.0.0.1:8080/conf"
    if not url.isprintable() or set(url) & set(" \\?#@<>\"'"):
        raise Misuse(wrong)
    try:
        parts = uri(url)
    except ValueError as error:
        raise Misuse(f"{wrong}: {error}") from None
    if parts.scheme not in {"http", "https"}:
        raise Misuse(wrong)
    return url if url.isascii() else parts.geturl(), parts.hostname or ""


#: Milliseconds, on a monotonic clock, for which the run of a scenario is reused.
FRESH = 1000


class ScenarioRun(Struct, frozen=True):
    """A run of a scenario: the world before it, the instant of the clock then (``at``), and the world after it.

    ``settings`` are those that a fork inherits, as they were before the scenario.
    """

    origin: World
    profile: Mapping[str, Any]
    settings: Settings
    clock: Values
    at: int
    after: Service

    def equals(self, other: ScenarioRun) -> bool:
        """Return whether another run would have the same result, instants within a second aside."""
        same = self.origin is other.origin and self.profile == other.profile and self.settings == other.settings
        return same and self.clock == other.clock and 0 <= other.at - self.at < FRESH


class ServerSettings(Struct, frozen=True):
    """The settings of a server, beside those of its worlds: limit of worlds, Host names, public URL."""

    most: int
    names: frozenset[str]
    public_url: str


class ServerObserver(EventObserver):
    """Hears which worlds a server has; a subclass has the methods that concern it. Misuse prevents the event."""

    def before_serve(self, service: Service) -> None:
        """A world is to be added, or to be the root world."""

    def before_add(self, name: str, service: Service) -> None:
        """A world is about to be added."""

    def before_drop(self, name: str) -> None:
        """A world is about to be dropped."""


class Worlds(OfOneProcess):
    """Services by name. The default world has the empty name and is served at the root.

    There are at most ``most`` others. Adding one more evicts the one idle for longest, if that is at least a minute;
    otherwise it is refused.

    ``names`` are the Host names, in lower case, that a live server answers to beside its own; that of the
    ``public_url`` is one of them. ``runs`` caches the last runs of scenarios.
    """

    def __init__(self, default: Service, most: int = MOST) -> None:
        self._services: dict[str, Service] = {"": default}
        self._most = most
        self.names: set[str] = set()
        self._public_url = self._public_name = ""
        self._origins = frozenset[str]()
        self._trusts_proxy = False
        self._lock = RLock()
        self.observers = Observers(ServerObserver)
        self._servers: list[tuple[str, HttpSender]] = []
        self.runs: dict[str, ScenarioRun] = {}
        self._waiting = set[Future[Any]]()

    @property
    def default(self) -> Service:
        """The world at the root."""
        return self._services[""]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._services))

    def __len__(self) -> int:
        return len(self._services)

    @property
    def most(self) -> int:
        """The limit of worlds beside the root world."""
        return self._most

    def limit(self, most: int) -> None:
        """Set the limit of worlds beside the root world; existing ones stay. Raises Misuse."""
        if most < 0:
            raise Misuse(f"there cannot be {most} worlds")
        require_at_most(most, MOST_EVER, "worlds of the server")
        self._most = most

    def count_waiting(self, call: Future[Any]) -> None:
        """Count a control call until it no longer waits. Raises Misuse (409), and cancels it, if it is one too many."""
        if len(self._waiting) == MOST_WAITING:
            call.cancel()
        require_at_most(len(self._waiting) + 1, MOST_WAITING, "waiting calls of the server", 409)
        self._waiting.add(call)
        call.add_done_callback(self._waiting.discard)

    def items(self) -> tuple[tuple[str, Service], ...]:
        """Return every world with its name."""
        return tuple(self._services.items())

    @property
    def public_url(self) -> str:
        """The start of URLs in responses; "" for the Host name of each call."""
        return self._public_url

    def answer_to(self, *names: str) -> None:
        """Let live servers answer to more Host names. Raises Misuse for an invalid one, and (409) for one too many."""
        more = self.names | {host_name(name) for name in names}
        require_at_most(len(more), MOST_NAMES, "host names of the server", 409)
        self.names |= more

    def stop_answering_to(self, *names: str) -> None:
        """Let live servers no longer answer to Host names."""
        self.names.difference_update([host_name(name) for name in names])

    def allow_origins(self, *origins: str) -> None:
        """Let web pages of these origins, in place of earlier ones, call every world, "*" for all. Raises Misuse."""
        allowed = frozenset(origin if origin == "*" else web_origin(origin) for origin in origins)
        with self._lock:
            self._origins = allowed
            for service in self._services.values():
                service.pipeline.serve_at(replace(service.address, origins=self._origins))

    def serve_at(self, url: str) -> None:
        """Set the start of URLs in responses; "" for the Host name of each call. Raises Misuse for an invalid URL."""
        url, name = _public(url.rstrip("/")) if url else ("", "")
        with self._lock:
            self.names.discard(self._public_name)
            self._public_name = "" if name in self.names else name
            self.names |= {name} - {""}
            self._public_url = url
            for service in self._services.values():
                service.pipeline.serve_at(replace(service.address, public_url=url))

    def trust_proxy(self, trusts: bool) -> None:
        """Set whether URLs in responses start as the headers X-Forwarded-* of a request say, if it has any."""
        with self._lock:
            self._trusts_proxy = trusts
            for service in self._services.values():
                service.pipeline.serve_at(replace(service.address, trusts_proxy=trusts))

    @property
    def settings(self) -> ServerSettings:
        """The settings of the server."""
        return ServerSettings(self._most, frozenset(self.names - {self._public_name}), self._public_url)

    def take_over(self, settings: ServerSettings) -> None:
        """Copy the settings of another server; existing Host names stay."""
        self.limit(settings.most)
        self.names |= settings.names
        self.serve_at(settings.public_url)

    def find(self, name: str) -> Service | None:
        """Return the world of this name, or None."""
        return self._services.get(name)

    def add(self, name: str, service: Service) -> Service:
        """Add a world under a new name.

        Raises Misuse for an invalid name (400), a taken one, and at the limit when all worlds are in use (409).
        """
        if not re.match(_NAME, name):
            raise Misuse(f"{name!r} is no name of a world: 1 to 64 of A-Z a-z 0-9 _ -")
        with self._lock:
            if name in self._services:
                raise Misuse(f"a world named {name!r} exists already", status=409)
            for observer in self.observers.of["before_serve"]:
                observer.before_serve(service)
            while len(self._services) > self._most:
                self._evict()
            service.pipeline.serve_at(
                Address(f"/w/{name}", self._server[0], self._public_url, self._origins, self._trusts_proxy)
            )
            for observer in self.observers.of["before_add"]:
                observer.before_add(name, service)
            self._services[name] = service
        self._announce(service)
        return service

    def replace_default(self, service: Service) -> None:
        """Replace the root world. Raises Misuse for a profile that cannot be served."""
        with self._lock:
            for observer in self.observers.of["before_serve"]:
                observer.before_serve(service)
            before = self.default
            service.pipeline.serve_at(before.address)
            self._services[""] = service
        self._announce(service)
        before.pipeline.serve_at(NOWHERE)
        before.webhooks.send_with(None)

    def _evict(self) -> None:
        """Drop the world that was idle for longest. Raises Misuse (409) when all are in use."""
        others = [name for name in self._services if name]
        name = max(others, key=self.idle, default="")
        if not name or self.idle(name) < GRACE:
            raise Misuse(
                f"there are {len(others)} worlds, and no more may be; all were used in the last {GRACE:.0f}s: drop one",
                status=409,
                code="too_many_worlds",
                most=self._most,
            )
        self.drop(name)

    def idle(self, name: str) -> float:
        """Return the seconds since the last call of a world."""
        return monotonic() - self._services[name].usage.used

    @property
    def _server(self) -> tuple[str, HttpSender | None]:
        """Host and port of the live server, the last of several, and its sender of webhooks."""
        return self._servers[-1] if self._servers else (HOST, None)

    def attach_server(self, host: str, sender: HttpSender) -> None:
        """Register the live server at this host and port; webhooks are sent by its sender from now on."""
        with self._lock:
            self._servers.append((host, sender))
        self._announce(*self._services.values())

    def detach_server(self, sender: HttpSender) -> None:
        """Unregister the live server of this sender; without another, webhooks stay in the process."""
        with self._lock:
            self._servers = [each for each in self._servers if each[1] is not sender]
        self._announce(*self._services.values())

    def _announce(self, *services: Service) -> None:
        """Inform the services about the server, and again if it changed meanwhile.

        Not called under the lock of the worlds. Lock order: that lock may be taken while holding a service's lock, not
        the other way round.
        """
        announced: object = None
        while announced != (server := self._server):
            for service in services:
                service.pipeline.serve_at(replace(service.address, host=server[0]))
                service.webhooks.send_with(server[1])
            announced = server

    def tick(self) -> None:
        """Fire due timers of worlds with webhook retries; everything else can wait for the next call."""
        for service in tuple(self._services.values()):
            if service.webhooks.may_wait and service.world.timers.due <= service.clock.now():
                service.live.fire_due_timers(service.clock.now())

    def drop(self, name: str) -> None:
        """Drop a world. Raises Misuse for an unknown one (404) and for the default one."""
        with self._lock:
            if name not in self._services:
                meant = suggest_near(name, filter(None, self._services))
                raise Misuse(f"there is no world named {name!r}{meant}", status=404)
            if not name:
                raise Misuse("the default world cannot be dropped; reset it instead")
            for observer in self.observers.of["before_drop"]:
                observer.before_drop(name)
            service = self._services.pop(name)
        service.shut_down()
        service.pipeline.serve_at(NOWHERE)
        service.webhooks.send_with(None)
