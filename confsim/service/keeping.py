"""Worlds that outlive their process: what a call changed is in a state directory before the call is answered.

What is recorded is what a call changed, not the call: the rows as they are afterwards, timers, counters, the clock.
Replaying calls would be exact too, as long as the same code runs under the same profile; but then every way in which a
world moves would need a replay of its own (the API, the control plane, timers, what the receiver of a webhook said),
and a rule that a later version corrects would lead somewhere else. Changes have one seam, load without running
anything, and are exact by construction: a ``Keeper`` believes what it is told of changes only when they lead, world by
world, from the one in the directory to the one in force. Where they do not (a reset, a restored snapshot, a state that
was put), it records the world in force whole.

Faults come along, with what they met and hit. Journals and bugs are of the process and are not kept, nor is what is
said of the server rather than of a world: limits, names, hosts that webhooks reach. Nor are the counts of a rate limit
and the answers kept for idempotency keys, which only a profile brings in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from confsim.assumptions.register import REGISTER
from confsim.kernel.difference import Touched, difference
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change, World

from . import state
from .clock import Clock, Values
from .durable import Directory, name_of
from .formats import FORMAT
from .history import Snapshot
from .kept import Entry, Kept, Loaded, Made, Standing, plain
from .pipeline import Service

if TYPE_CHECKING:
    from .worlds import Worlds

#: A new base is due after so many bytes, or as many as the last one took if that is more: start-up stays short, and
#: what bases cost stays in proportion to what was recorded.
LEAST = 1 << 20


class Keeper:
    """What a state directory knows of one world, and what it is yet to be told."""

    __slots__ = (
        "_count",
        "_end",
        "_lock",
        "_touched",
        "clock",
        "faults",
        "keeping",
        "made",
        "name",
        "origin",
        "service",
        "snapshots",
        "world",
    )

    def __init__(self, keeping: Keeping, name: str, service: Service, made: Made | None = None) -> None:
        self.keeping = keeping
        self.name = name
        self.service = service
        self.made = made or keeping.made_of(name, service)
        self._known()

    def take(self) -> None:
        """Hear of what changes from now on."""
        service = self.service
        self._lock = service.lock
        service.keeper, service.lock = self, Sealing(service.lock, self)

    def let_go(self) -> None:
        """Hear of nothing any more."""
        self.service.keeper, self.service.lock = None, self._lock

    def _known(self) -> None:
        """Whatever the service is now, the directory knows."""
        service = self.service
        self.world = self._end = service.world
        self.origin = service.origin
        self.clock = service.clock.values()
        self.faults = service.faults.values()
        self.snapshots = dict(service.snapshots)
        self._touched = Touched()
        self._count = service.journal.count

    def moved(self, after: World, change: Change) -> None:
        """Hear that this change, and nothing else, led to a world."""
        if _same(change.world, self._end):
            self._end = after
            self._touched.add(change)

    def seal(self) -> None:
        """Record what changed since the last time; it is on disk when this returns."""
        service = self.service
        if service.keeper is not self:
            return
        clock = service.clock.values()
        same = service.world is self.world and service.origin is self.origin and clock == self.clock
        if same and not self._resnapped() and service.faults.values() == self.faults:
            return
        documents: dict[str, bytes] = {}
        with self.keeping.recording(documents) as directory:
            entry = self._entry(clock, documents)
            if entry != Entry():
                directory.append(self.name, *self._cause(), msgspec.json.encode(entry), documents)
            self._known()
        self.keeping.changed(self.name)

    def _cause(self) -> tuple[int, str]:
        """The instant, and the operation of the API that brought it about, if it was one."""
        journal = self.service.journal
        last = journal.last() if journal.count != self._count else None
        return (self.service.clock.now(), "") if last is None else (last.at, last.operation)

    def _entry(self, clock: Values, documents: dict[str, bytes]) -> Entry:
        service, entry = self.service, Entry()
        world = service.world
        if world is not self.world:
            if _same(world, self._end):
                entry.moved = difference(self.world, world, self._touched) or None
            else:
                entry.world = self.keeping.named(world, documents)
        if service.origin is not self.origin:
            entry.origin = self.keeping.named(service.origin, documents)
            entry.outputs = service.outputs
        if clock != self.clock:
            entry.clock = clock
        if self._resnapped():
            entry.snapshots = self._snapshots(service.snapshots, documents)
        if (faults := service.faults.values()) != self.faults:
            entry.faults = faults
        return entry

    def whole(self, documents: dict[str, bytes]) -> Entry:
        """Everything about the world as the directory knows it; ``documents`` takes up the bodies that are new."""
        keeping = self.keeping
        entry = Entry(self.made, clock=self.clock, outputs=self.service.outputs, faults=self.faults)
        entry.origin = keeping.named(self.origin, documents)
        entry.world = keeping.named(self.world, documents)
        entry.snapshots = self._snapshots(self.snapshots, documents)
        return entry

    def _resnapped(self) -> bool:
        there, known = self.service.snapshots, self.snapshots
        return len(there) != len(known) or any(known.get(name) is not each for name, each in there.items())

    def _snapshots(self, snapshots: Mapping[str, Snapshot], documents: dict[str, bytes]) -> dict[str, Kept]:
        return {
            name: Kept(each.now, self.keeping.named(each.world, documents), each.frozen, each.rate)
            for name, each in snapshots.items()
        }


class Sealing:
    """The lock of a service whose changes are recorded whenever it is let go: nobody sees what is not on disk."""

    __slots__ = ("_depth", "_keeper", "_lock")

    def __init__(self, lock: AbstractContextManager[object], keeper: Keeper) -> None:
        self._lock = lock
        self._keeper = keeper
        self._depth = 0

    def __enter__(self) -> None:
        self._lock.__enter__()
        self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._depth == 1:
                self._keeper.seal()
        finally:
            self._depth -= 1
            self._lock.__exit__(None, None, None)


class Keeping:
    """The worlds of a server, kept in a state directory: what is there is put in force, what comes is recorded.

    ``scenario`` names the one that the world at the root starts from. Misuse when the directory is of other worlds,
    in use, damaged, or of a version that cannot be read.
    """

    def __init__(self, path: str | Path, worlds: Worlds, scenario: str = "") -> None:
        self.worlds = worlds
        self.scenario = scenario
        self._keepers: dict[str, Keeper] = {}
        self._named: dict[int, tuple[World, str]] = {}
        self._base: dict[str, bytes] = {}
        self._changed: set[str] = set()
        self._made: dict[str, Made] = {}
        self._least = LEAST
        self.directory = Directory(path)
        try:
            self._load()
            for name, service in worlds.items():
                keeper = self._keepers[name] = Keeper(self, name, service, self._made.get(name))
                keeper.take()
            worlds.keeping = self
            if self.directory.weight or self.directory.foreign or set(self._keepers) != set(self._base):
                self.rebase()
        except BaseException:
            self._let_go()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave a directory that the next start loads at once, and let go of it and of the worlds."""
        with self.directory.lock:
            try:
                if self.directory.weight:
                    self.rebase()
            finally:
                self._let_go()

    def _let_go(self) -> None:
        for keeper in self._keepers.values():
            keeper.let_go()
        self.worlds.keeping = None
        self.directory.close()

    # What worlds and their keepers tell

    def made(self, name: str, service: Service) -> None:
        """Record a world that joins the others."""
        keeper = Keeper(self, name, service)
        documents: dict[str, bytes] = {}
        with self.recording(documents) as directory:
            body = msgspec.json.encode(keeper.whole(documents))
            directory.append(name, service.clock.now(), "make_world", body, documents)
            keeper.take()
            self._keepers[name] = keeper
        self.changed(name)

    def dropped(self, name: str) -> None:
        """Record that a world is no more."""
        with self.recording({}) as directory:
            body = msgspec.json.encode(Entry(dropped=True))
            directory.append(name, self._keepers[name].service.clock.now(), "drop_world", body, {})
            self._keepers.pop(name).let_go()

    def changed(self, name: str) -> None:
        """Note that a world differs from the base, and make a new base when one is due."""
        with self.directory.lock:
            self._changed.add(name)
            if self.directory.weight >= self._least:
                self.rebase()

    def named(self, world: World, documents: dict[str, bytes]) -> str:
        """The digest of the world's document; ``documents`` takes up its body when the directory may not have it."""
        known = self._named.get(id(world))
        if known is None:
            body = state.document(world)
            known = self._named[id(world)] = world, name_of(body)
            documents[known[1]] = body
        return known[1]

    def rebase(self) -> None:
        """Begin a new log after a base of the worlds as they are; only those that have changed are written."""
        documents: dict[str, bytes] = {}
        with self.recording(documents) as directory:
            base = {
                name: msgspec.json.encode(keeper.whole(documents))
                if name in self._changed or name not in self._base
                else self._base[name]
                for name, keeper in self._keepers.items()
            }
            named = set[str]().union(*(msgspec.json.decode(body, type=Entry).documents() for body in base.values()))
            directory.rebase(base, documents, named)
            self._base = base
            self._changed.clear()
            self._named = {place: known for place, known in self._named.items() if known[1] in named}
            self._least = max(LEAST, sum(map(len, documents.values())))

    @contextmanager
    def recording(self, documents: Mapping[str, bytes]) -> Iterator[Directory]:
        """The directory, to oneself; that it has these documents is forgotten when the recording fails."""
        with self.directory.lock:
            try:
                yield self.directory
            except BaseException:
                self._named = {place: known for place, known in self._named.items() if known[1] not in documents}
                raise

    # Loading

    def _load(self) -> None:
        """Put the worlds of the directory in force."""
        loaded = Loaded(self.directory)
        self._named = {id(world): (world, digest) for digest, world in loaded.documents.items()}
        self._base, self._changed = loaded.base, loaded.changed
        self._made = {name: standing.made for name, standing in loaded.worlds.items()}
        if not loaded.worlds:
            return
        root = self.worlds.default
        standing = loaded.worlds.pop("")
        self._check(root, standing)
        _put(root, standing)
        for name, other in loaded.worlds.items():
            same = other.made.profile == plain(root.profile)
            profile = (
                root.profile if same else REGISTER.profile(other.made.profile, f"{self.directory}: world {name!r}")
            )
            _put(self.worlds.add(name, Service(other.world, Clock(), profile, other.made.world)), other)

    def made_of(self, name: str, service: Service) -> Made:
        """What a world is made from that begins to be kept."""
        origin = service.origin
        known = self._named.get(id(origin))
        start = name_of(state.document(origin)) if known is None else known[1]
        scenario = "" if name else self.scenario
        return Made(service.made_from, origin.seed, start, plain(service.profile), scenario)

    def _check(self, root: Service, standing: Standing) -> None:
        """Refuse a directory that was begun with another world, seed, scenario or profile. Misuse that names them."""
        made, now = standing.made, self.made_of("", root)
        profile = now.profile
        told = [
            f"profile choice {id} = {made.profile.get(id, 'the default')!r} (now {profile.get(id, 'the default')!r})"
            for id in sorted(made.profile.keys() | profile.keys())
            if made.profile.get(id) != profile.get(id)
        ]
        if made.scenario != self.scenario:
            told.append(f"scenario {made.scenario or None!r} (now {self.scenario or None!r})")
        if made.seed != now.seed:
            told.append(f"seed {made.seed} (now {now.seed})")
        if self.directory.format != FORMAT:  # digests of documents say nothing of those of another format
            made.start = now.start
        elif not told and not made.scenario and made.start != now.start:
            same = made.world == now.world
            told.append(f"world {made.world!r}" + (", which has changed" if same else f" (now {now.world!r})"))
        if told:
            raise Misuse(
                f"{self.directory} was begun with {', '.join(told)}, by confsim {self.directory.version}. "
                "Start with what it was begun with, or with a new directory"
            )


def _same(one: World, other: World) -> bool:
    """Whether the worlds hold the same. What is dead in the heap of the timers may be cleared away between them."""
    return one is other or (
        one.shared is other.shared
        and one.client_tables is other.client_tables
        and one.timers.live is other.timers.live
        and one.sequences is other.sequences
        and one.id_counter == other.id_counter
        and one.seed == other.seed
    )


def _put(service: Service, standing: Standing) -> None:
    service.origin, service.world = standing.origin, standing.world
    service.outputs = standing.outputs
    service.snapshots = dict(standing.snapshots)
    service.clock.show(standing.clock)
    service.faults.show(standing.faults)
