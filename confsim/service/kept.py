"""What a state directory says of worlds: entries of one call each, and the worlds that they add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from confsim.kernel.difference import Difference, follow
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import World

from . import state
from .clock import Clock, Values
from .durable import Directory
from .fault import read_all
from .faults import Values as Faults
from .formats import current_difference
from .history import Snapshot


class Made(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a world was made from, in the words of whoever made it; ``start`` is the digest of its first document."""

    world: str
    seed: int
    start: str
    profile: dict[str, Any]
    scenario: str = ""


class Kept(Struct, forbid_unknown_fields=True):
    """A named snapshot: its instant, the digest of its world, and how its clock went."""

    now: int
    world: str
    frozen: bool = False
    rate: float = 1


class Entry(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What changed of one world; what did not is left out. ``origin`` and ``world`` are digests of documents."""

    made: Made | None = None
    dropped: bool = False
    origin: str | None = None
    outputs: dict[str, Any] | None = None
    world: str | None = None
    moved: Difference | None = None
    clock: Values | None = None
    snapshots: dict[str, Kept] | None = None
    faults: Faults | None = None

    def documents(self) -> set[str]:
        """The digests of the documents that it names."""
        named = {self.origin, self.world, *(each.world for each in (self.snapshots or {}).values())}
        return {digest for digest in named if digest is not None}


def plain(profile: Mapping[str, Any]) -> dict[str, Any]:
    """The choices of a profile as the plain values of JSON."""
    values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(dict(profile), enc_hook=str))
    return values


class Standing:
    """A world as the entries so far have it."""

    __slots__ = ("clock", "faults", "made", "origin", "outputs", "snapshots", "world")

    def __init__(self) -> None:
        self.made = Made("", 0, "", {})
        self.origin = self.world = World()
        self.outputs: dict[str, Any] = {}
        self.clock = Clock().values()
        self.snapshots: dict[str, Snapshot] = {}
        self.faults = Faults()

    def take(self, entry: Entry, document: Callable[[str], World]) -> None:
        """Go on by one entry. Misuse that names what cannot be."""
        if entry.made is not None:
            self.made = entry.made
        if entry.origin is not None:
            self.origin = document(entry.origin)
        if entry.outputs is not None:
            self.outputs = entry.outputs
        if entry.world is not None:
            self.world = document(entry.world)
        if entry.moved is not None:
            self.world = follow(self.world, entry.moved)
        if entry.clock is not None:
            self.clock = entry.clock
        if entry.faults is not None:
            read_all([fault for _, fault, _, _ in entry.faults.standing])
            self.faults = entry.faults
        if entry.snapshots is not None:
            self.snapshots = {
                name: Snapshot(document(kept.world), kept.now, kept.frozen, kept.rate)
                for name, kept in entry.snapshots.items()
            }


class Loaded:
    """The worlds of a directory, read from its base and its log. Misuse that names what cannot be read.

    ``base`` are the entries of the base as they were read, ``changed`` the names of the worlds that differ from them,
    ``documents`` the worlds that were read whole, by digest.
    """

    def __init__(self, directory: Directory) -> None:
        import confsim.api.catalogue  # noqa: F401 its modules declare the tables

        self.directory = directory
        self.worlds: dict[str, Standing] = {}
        self.base = dict(directory.base())
        self.changed: set[str] = set()
        self.documents: dict[str, World] = {}
        for name, body in self.base.items():
            self._take(name, body, f"world {name!r}")
        for record in directory.records():
            self._take(record.world, record.body, f"record {record.number}, {record.what}")
            self.changed.add(record.world)

    def _take(self, name: str, body: bytes, where: str) -> None:
        try:
            entry = msgspec.json.decode(body, type=Entry)
            if entry.moved is not None:
                entry.moved = current_difference(entry.moved, self.directory.format)
            if entry.dropped:
                del self.worlds[name]
            else:
                self.worlds.setdefault(name, Standing()).take(entry, self._document)
        except (Misuse, msgspec.DecodeError, KeyError) as error:
            directory = self.directory
            raise Misuse(f"{directory}, written by confsim {directory.version}: {where}: {error}") from None

    def _document(self, digest: str) -> World:
        if digest not in self.documents:
            self.documents[digest] = state.world_of(msgspec.json.decode(self.directory.document(digest)))
        return self.documents[digest]
