"""The records of worlds: a delta for each call, and the worlds recovered from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.kernel.difference import StateDifference, follow
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Part, World
from confsim.service.clock import Clock, Values
from confsim.service.faults.injection import FaultsState
from confsim.service.faults.spec import read_all
from confsim.service.files import state
from confsim.service.files.formats import current_difference, current_world
from confsim.service.history import Snapshot
from confsim.service.service import Service, Settings
from confsim.service.worlds import ServerSettings

from .store import Store


class BegunWith(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The source of a world, as requested; ``start`` is the digest of its first document."""

    world: str
    seed: int
    start: str
    profile: dict[str, Any]
    scenario: str = ""

    def differences(self, now: BegunWith) -> list[str]:
        """Return the differences from the source that a world would have now, in words, the first document aside."""
        then, chosen = self.profile, now.profile
        differs = [
            f"profile choice {id} = {then.get(id, 'the default')!r} (now {chosen.get(id, 'the default')!r})"
            for id in sorted(then.keys() | chosen.keys())
            if then.get(id) != chosen.get(id)
        ]
        if self.scenario != now.scenario:
            differs.append(f"scenario {self.scenario or None!r} (now {now.scenario or None!r})")
        if self.seed != now.seed:
            differs.append(f"seed {self.seed} (now {now.seed})")
        return differs


class RecordedSnapshot(Struct, forbid_unknown_fields=True):
    """A named snapshot: its instant, the digest of its world, and the state of its clock."""

    now: int
    world: str
    frozen: bool = False
    rate: float = 1


class Delta(
    Struct, forbid_unknown_fields=True, omit_defaults=True, rename={"begun_with": "made", "difference": "moved"}
):
    """The changed parts of one world; unchanged ones are omitted. ``origin`` and ``world`` are digests of documents.

    ``server`` has changed settings of the server.
    """

    begun_with: BegunWith | None = None
    dropped: bool = False
    origin: str | None = None
    outputs: dict[str, Any] | None = None
    world: str | None = None
    difference: StateDifference | None = None
    clock: Values | None = None
    snapshots: dict[str, RecordedSnapshot] | None = None
    faults: FaultsState | None = None
    settings: Settings | None = None
    server: ServerSettings | None = None

    def documents(self) -> set[str]:
        """Return the digests of the documents that the delta names."""
        named = {self.origin, self.world, *(each.world for each in (self.snapshots or {}).values())}
        return {digest for digest in named if digest is not None}


class RecoveredWorld:
    """A world recovered from the log up to some record."""

    __slots__ = ("begun_with", "clock", "faults", "origin", "outputs", "settings", "snapshots", "world")

    def __init__(self) -> None:
        self.begun_with = BegunWith("", 0, "", {})
        self.origin = self.world = World()
        self.outputs: dict[str, Any] = {}
        self.clock = Clock().values()
        self.snapshots: dict[str, Snapshot] = {}
        self.faults = FaultsState()
        self.settings: Settings | None = None

    def put_in_force(self, service: Service) -> None:
        """Put the recovered world in force in a service."""
        service.live.replace(self.world)
        service.history.recover(self.origin, self.snapshots)
        service.started_from(replace(service.provenance, outputs=self.outputs))
        service.clock.show(self.clock)
        if self.settings is not None:
            service.take_over(self.settings)
        service.faults.restore(self.faults)

    def apply(self, delta: Delta, document: Callable[[str], World], format: int) -> None:
        """Apply one delta in this format. Raises Misuse that names the mistake."""
        if delta.begun_with is not None:
            self.begun_with = delta.begun_with
        if delta.origin is not None:
            self.origin = document(delta.origin)
        if delta.outputs is not None:
            self.outputs = delta.outputs
        if delta.world is not None:
            self.world = document(delta.world)
        if delta.difference is not None:
            self.world = follow(self.world, current_difference(delta.difference, format, self.world))
        if delta.clock is not None:
            self.clock = delta.clock
        if delta.faults is not None:
            read_all([fault for _, fault, _, _ in delta.faults.active])
            self.faults = delta.faults
        if delta.settings is not None:
            self.settings = delta.settings
        if delta.snapshots is not None:
            self.snapshots = {
                name: Snapshot(document(each.world), each.now, each.frozen, each.rate)
                for name, each in delta.snapshots.items()
            }


class Recovery:
    """The worlds of a store, read from its base and its log. Raises Misuse that names what cannot be read.

    ``base`` has the deltas of the base as read, ``changed`` the names of worlds that differ from it, ``documents`` the
    worlds that were read whole, by digest, and ``sizes`` their bytes; ``server`` has the recorded settings of the
    server.
    """

    def __init__(self, store: Store) -> None:
        import confsim.api.catalogue  # noqa: F401 its modules declare the tables

        self.store = store
        self.worlds: dict[str, RecoveredWorld] = {}
        self.base = dict(store.base())
        self.changed: set[str] = set()
        self.documents: dict[str, World] = {}
        self.sizes: dict[str, int] = {}
        self.server: ServerSettings | None = None
        for name, body in self.base.items():
            self._apply(name, body, f"world {name!r}")
        for record in store.records():
            self._apply(record.world, record.body, f"record {record.number}, {record.what}")
            self.changed.add(record.world)
        for each in self.worlds.values():
            each.world = current_world(each.world, store.format)

    def _apply(self, name: str, body: bytes, where: str) -> None:
        try:
            delta = msgspec.json.decode(body, type=Delta)
            self.server = delta.server or self.server
            if delta.dropped:
                del self.worlds[name]
            else:
                self.worlds.setdefault(name, RecoveredWorld()).apply(delta, self._document, self.store.format)
        except (Misuse, ValueError, RecursionError, KeyError) as error:
            raise Misuse(f"{self.store}, written by confsim {self.store.version}: {where}: {error}") from None

    def _document(self, digest: str) -> World:
        if digest not in self.documents:
            self.documents[digest] = state.world_of_parts(lambda: self._parts(digest))
        return self.documents[digest]

    def _parts(self, digest: str) -> Iterator[Part]:
        self.sizes[digest] = 0
        for part in self.store.document(digest):
            self.sizes[digest] += len(part[-1])
            yield part
