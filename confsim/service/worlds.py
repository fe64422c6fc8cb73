"""The worlds of one server: the default one and any number of others by name, each a service of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from confsim.kernel.refusal import Misuse
from confsim.kernel.world import World

from .clock import Values
from .pipeline import HOST, Service
from .waiting import steady

if TYPE_CHECKING:
    from .courier import Courier
    from .keeping import Keeping

#: Worlds that one server holds beside the one at the root, unless it is told otherwise.
MOST = 10_000
#: Seconds for which a world must have been idle before another may take its room.
GRACE = 60.0
_NAME = re.compile(r"(?!limit\Z)[A-Za-z0-9_-]{1,64}\Z", re.ASCII)  # /worlds/limit is a path of its own


def _host_of(url: str) -> str:
    """The Host name in a URL, in lower case. Misuse for what URLs in answers cannot begin with."""
    try:
        parts = urlsplit(url)
        name, _ = (parts.hostname or "").lower(), parts.port
    except ValueError:
        parts, name = urlsplit(""), ""
    plain = url.isascii() and url.isprintable() and not set(url) & set(" \\?#@<>\"'")
    if parts.scheme not in {"http", "https"} or not name or not plain:
        raise Misuse(f"{url[:200]!r} is no URL such as https://conf.example or http://127.0.0.1:8080/conf")
    return name


#: Milliseconds for which a run of a scenario stands for another, on a clock that goes on.
FRESH = 1000


class Run(Struct, frozen=True):
    """What a scenario was run from, what the clock showed then (``at``), and the world after it.

    ``settings`` are what a fork takes over beside the world, as they were before the scenario.
    """

    origin: World
    profile: Mapping[str, Any]
    settings: tuple[object, ...]
    clock: Values
    at: int
    after: Service

    def stands_for(self, other: Run) -> bool:
        """Whether the other would lead to the same, but for instants that differ by less than a second."""
        same = self.origin is other.origin and self.profile == other.profile and self.settings == other.settings
        return same and self.clock == other.clock and 0 <= other.at - self.at < FRESH


class Worlds:
    """Services by name. The default world has the empty name and stands at the root.

    There are at most ``most`` beside it. One that is added beyond them takes the room of the one that was idle for
    longest, if that was for a minute; else it is refused, for all are in use.

    ``keeping``, where there is one, records which worlds there are. ``names`` are the Host names, in lower case, that a
    live server of theirs answers to beside its own; that of the ``public_url`` is one of them. ``runs`` are the last of
    scenarios by name. ``check`` raises Misuse for a profile that cannot be served.
    """

    def __init__(self, default: Service, most: int = MOST) -> None:
        self._services: dict[str, Service] = {"": default}
        self._most = most
        self.names: set[str] = set()
        self._public_url = self._public_name = ""
        self.check: Callable[[Mapping[str, Any]], object] = lambda profile: None
        self._lock = RLock()
        self.keeping: Keeping | None = None
        self._stands: list[tuple[str, Courier]] = []
        self.runs: dict[str, Run] = {}

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
        """How many there may be beside the one at the root."""
        return self._most

    @most.setter
    def most(self, most: int) -> None:
        if most < 0:
            raise Misuse(f"there cannot be {most} worlds")
        self._most = most

    def items(self) -> tuple[tuple[str, Service], ...]:
        """Every world that there is, with its name."""
        return tuple(self._services.items())

    @property
    def public_url(self) -> str:
        """What URLs in answers begin with, whoever asks; empty for the name that each call was made by."""
        return self._public_url

    @public_url.setter
    def public_url(self, url: str) -> None:
        url = url.rstrip("/")
        name = _host_of(url) if url else ""
        with self._lock:
            self.names.discard(self._public_name)
            self._public_name = "" if name in self.names else name
            self.names |= {name} - {""}
            self._public_url = url
            for service in self._services.values():
                service.public_url = url

    def get(self, name: str) -> Service | None:
        """The world of this name, or None."""
        return self._services.get(name)

    def add(self, name: str, service: Service) -> Service:
        """Take a world up under a new name.

        Misuse for a bad name (400), a taken one, and when there are as many as may be and all are in use (409).
        """
        if not _NAME.match(name):
            raise Misuse(f"{name!r} is no name of a world: 1 to 64 of A-Z a-z 0-9 _ -")
        with self._lock:
            if name in self._services:
                raise Misuse(f"a world named {name!r} exists already", status=409)
            self.check(service.profile)
            while len(self._services) > self._most:
                self._make_room()
            service.mount, service.host, service.public_url = f"/w/{name}", self._stand[0], self._public_url
            if self.keeping is not None:
                self.keeping.made(name, service)
            self._services[name] = service
        self._tell(service)
        return service

    def _make_room(self) -> None:
        """Drop the world that was idle for longest. Misuse (409) when all are in use."""
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
        """For how many seconds a world has not been called."""
        return steady() - self._services[name].used

    @property
    def _stand(self) -> tuple[str, Courier | None]:
        """Host and port of the live server that they stand on, of several the last, and what carries webhooks there."""
        return self._stands[-1] if self._stands else (HOST, None)

    def stand(self, host: str, courier: Courier) -> None:
        """Stand on the live server at this host and port; the courier carries the webhooks from now on."""
        with self._lock:
            self._stands.append((host, courier))
        self._tell(*self._services.values())

    def leave(self, courier: Courier) -> None:
        """Stand no more on the live server of this courier; where it was the only one, webhooks stay in the process."""
        with self._lock:
            self._stands = [each for each in self._stands if each[1] is not courier]
        self._tell(*self._services.values())

    def _tell(self, *services: Service) -> None:
        """Let the services know where they stand, and again where a server has come or gone meanwhile.

        Not under the lock of the worlds: who waits for that may hold the one of a service.
        """
        told: object = None
        while told != (stand := self._stand):
            for service in services:
                service.host = stand[0]
                service.webhooks.carried_by(stand[1])
            told = stand

    def beat(self) -> None:
        """Let what is due fall due where webhooks may wait to be sent again; all else can wait for the next call."""
        for service in tuple(self._services.values()):
            if service.webhooks.may_wait and service.world.timers.due <= service.clock.now():
                service.settle(service.clock.now())

    def drop(self, name: str) -> None:
        """Forget a world. Misuse for an unknown one (404) and for the default one."""
        with self._lock:
            if name not in self._services:
                raise Misuse(f"there is no world named {name!r}", status=404)
            if not name:
                raise Misuse("the default world cannot be dropped; reset it instead")
            if self.keeping is not None:
                self.keeping.dropped(name)
            service = self._services.pop(name)
        service.mount, service.host, service.public_url = "", HOST, ""
        service.webhooks.carried_by(None)
