"""The worlds of one server: the default one and any number of others by name, each a service of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import RLock

from confsim.kernel.refusal import Misuse

from .pipeline import Service

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z", re.ASCII)


class Worlds:
    """Services by name. The default world has the empty name and stands at the root."""

    def __init__(self, default: Service) -> None:
        self._services: dict[str, Service] = {"": default}
        self._lock = RLock()

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
            service.mount = f"/w/{name}"
            self._services[name] = service
        return service

    def drop(self, name: str) -> None:
        """Forget a world. Misuse for an unknown one (404) and for the default one."""
        with self._lock:
            if name not in self._services:
                raise Misuse(f"there is no world named {name!r}", status=404)
            if not name:
                raise Misuse("the default world cannot be dropped; reset it instead")
            self._services.pop(name).mount = ""
