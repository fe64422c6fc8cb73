"""The worlds of a server for callers in the same process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from confsim.kernel.refusal import Misuse
from confsim.service.pipeline import Service
from confsim.service.profiles import read_profile

from .control import Control
from .python import order
from .worlds import WorldInfo

S = TypeVar("S")


class WorldsOf(Generic[S]):
    """The worlds of a simulator's server by name, each a simulator; the empty name is the one at the root."""

    __slots__ = ("_control", "_of")

    def __init__(self, control: Control, of: Callable[[Service], S]) -> None:
        self._control = control
        self._of = of

    def __iter__(self) -> Iterator[str]:
        return iter(self._control.worlds)

    def __len__(self) -> int:
        return len(self._control.worlds)

    def __getitem__(self, name: str) -> S:
        service = self._control.worlds.get(name)
        if service is None:
            raise KeyError(name)
        return self._of(service)

    def add(
        self,
        name: str,
        source: object = None,
        seed: int | None = None,
        profile: Mapping[str, Any] | str | Path | None = None,
        *,
        snapshot: str | None = None,
    ) -> S:
        """Put a world on the server: a shipped one, one of this server, the content of a file, or a ``Path`` of one.

        Files are world files, state documents and scenarios, in JSON. ``snapshot`` is the name of one of a world of
        this server, by default of the one at the root. ``profile`` is over that of the world that it is made from.
        """
        chosen = None if profile is None else msgspec.to_builtins(read_profile(profile))
        if snapshot is not None:
            source = {"world": source or "", "snapshot": snapshot}
        elif isinstance(source, Path):
            source = _content(source)
        order(self._control, "make_world", name=name, seed=seed, profile=chosen, **{"from": source})
        return self[name]

    def infos(self, idle: str | int | None = None) -> list[WorldInfo]:
        """What there is to tell of each, the one at the root first; of those alone that were idle for so long."""
        found: list[WorldInfo] = order(self._control, "list_worlds", idle=idle)
        return found

    def drop(self, name: str | None = None, *, idle: str | int | None = None) -> list[str]:
        """Take a world off the server; without a name all that were idle for so long, or all. Answers their names."""
        if name is not None:
            done = order(self._control, "drop_world", name)
        else:
            done = order(self._control, "drop_worlds", idle=idle)
        dropped: list[str] = done.dropped
        return dropped

    @property
    def most(self) -> int:
        """How many worlds there may be beside the one at the root; may be set."""
        return self._control.worlds.most

    @most.setter
    def most(self, most: int) -> None:
        self._control.worlds.most = most

    @property
    def public_url(self) -> str:
        """What URLs in answers begin with, such as https://conf.example; empty: the name of each call. May be set."""
        return self._control.worlds.public_url

    @public_url.setter
    def public_url(self, url: str) -> None:
        self._control.worlds.public_url = url


def _content(path: Path) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise Misuse(f"from: {str(path)!r}: {error.strerror}", status=404) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Misuse(f"from: {str(path)!r}: it is no JSON: {error}") from None
