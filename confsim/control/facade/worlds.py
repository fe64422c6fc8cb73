"""The worlds of a server as a Python mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from confsim.control.invoke import ControlPlane
from confsim.control.operations.worlds import WorldInfo, get_worlds_limit, list_worlds
from confsim.kernel.refusal import suggest
from confsim.service.files import reading
from confsim.service.files.profile import read_profile
from confsim.service.service import Service
from confsim.values.spans import Duration

S = TypeVar("S")


class WorldsFacade(Generic[S]):
    """The worlds of a simulator's server by name, each a simulator; the root world has the empty name."""

    __slots__ = ("_control", "_of")

    def __init__(self, control: ControlPlane, of: Callable[[Service], S]) -> None:
        self._control = control
        self._of = of

    def __repr__(self) -> str:
        others = ", ".join(filter(None, self))
        return f"<worlds: the root{f', {others}' if others else ''}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self._control.context.worlds)

    def __len__(self) -> int:
        return len(self._control.context.worlds)

    def __getitem__(self, name: str) -> S:
        service = self._control.context.worlds.find(name)
        if service is None:
            __tracebackhide__ = True
            known = suggest(name, filter(None, self)) or "; worlds.add makes one"
            raise KeyError(f"there is no world {name!r}{known}")
        return self._of(service)

    def add(
        self,
        name: str,
        source: object = None,
        seed: int | None = None,
        profile: Mapping[str, Any] | str | Path | None = None,
        *,
        snapshot: str | None = None,
        moment: str | None = None,
    ) -> S:
        """Add a world to the server, made from ``source``, and return it.

        ``source`` is a shipped world or a world of this server by name, the content of a file, or the ``Path`` of one:
        a world file, a state document or a scenario, in JSON. ``snapshot`` is the name of a snapshot of a world of this
        server, by default of the root world. ``moment`` is the id of an entry in the journal of the world ``source``,
        by default of this one: the new world is as that one was right after it. ``profile`` overrides that of the world
        that this one is made from.
        """
        chosen = None if profile is None else msgspec.to_builtins(read_profile(profile))
        if snapshot is not None:
            source = {"world": source or "", "snapshot": snapshot}
        elif moment is not None:
            source = {"moment": moment} if source is None else {"moment": moment, "world": source}
        elif isinstance(source, PathLike):
            source = reading.json(str(source), "from")
        self._control("make_world", name=name, seed=seed, profile=chosen, **{"from": source})
        return self[name]

    def infos(self, idle: Duration | None = None) -> list[WorldInfo]:
        """Return the descriptions of the worlds, root world first; with ``idle`` of those idle for this duration."""
        return self._control.call(list_worlds, idle=idle)

    def drop(self, name: str | None = None, *, idle: Duration | None = None) -> list[str]:
        """Drop a world by name; without a name all of them, or those idle for this duration. Returns the names."""
        done = self._control("drop_worlds", idle=idle) if name is None else self._control("drop_world", name)
        dropped: list[str] = done.dropped
        return dropped

    @property
    def most(self) -> int:
        """The limit on the number of worlds, the root world not counted; can be set."""
        return self._control.call(get_worlds_limit).most

    @most.setter
    def most(self, most: int) -> None:
        self._control("set_worlds_limit", most=most)

    @property
    def public_url(self) -> str:
        """The start of URLs in answers, such as https://conf.example; "" for the Host name of each call.

        Can be set.
        """
        url: str | None = self._control("get_address").url
        return url or ""

    @public_url.setter
    def public_url(self, url: str) -> None:
        self._control("set_address", url=url or None)
