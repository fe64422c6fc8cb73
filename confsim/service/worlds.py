"""The worlds of one server: the default one and any number of others by name, each a service of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import RLock
from typing import TYPE_CHECKING

from confsim.kernel.refusal import Misuse

from .pipeline import HOST, Service
from .senders import Courier

if TYPE_CHECKING:
    from .keeping import Keeping

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z", re.ASCII)


class Worlds:
    """Services by name. The default world has the empty name and stands at the root.

    ``keeping``, where there is one, records which worlds there are. ``courier`` is there while they stand on a live
    server, and carries their webhooks.
    """

    def __init__(self, default: Service) -> None:
        self._services: dict[str, Service] = {"": default}
        self._host = HOST
        self._lock = RLock()
        self.keeping: Keeping | None = None
        self.courier: Courier | None = None

    @property
    def default(self) -> Service:
        """The world at the root."""
        return self._services[""]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._services))

    def __len__(self) -> int:
        return len(self._services)

    def get(self, name: str) -> Service | None:
        """The world of this name, or None."""
        return self._services.get(name)

    def add(self, name: str, service: Service) -> Service:
        """Take a world up under a new name. Misuse for a bad name (400) or a taken one (409)."""
        if not _NAME.match(name):
            raise Misuse(f"{name!r} is no name of a world: 1 to 64 of A-Z a-z 0-9 _ -")
        with self._lock:
            if name in self._services:
                raise Misuse(f"a world named {name!r} exists already", status=409)
            service.mount, service.host = f"/w/{name}", self._host
            if self.keeping is not None:
                self.keeping.made(name, service)
            self._services[name] = service
        service.webhooks.carried_by(self.courier)
        return service

    def served_at(self, host: str = HOST) -> None:
        """Note host and port of the live server that the worlds stand on; without them there is none any more."""
        with self._lock:
            self._host = host
            for service in self._services.values():
                service.host = host

    def carried_by(self, courier: Courier | None) -> None:
        """Let the webhooks of all worlds be carried by a courier from now on; with None they stay in the process."""
        self.courier = courier
        for service in tuple(self._services.values()):
            service.webhooks.carried_by(courier)

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
        service.mount, service.host = "", HOST
        service.webhooks.carried_by(None)
