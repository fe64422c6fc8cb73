"""Worlds that outlive their process: the changes of a call are in a store before the call is answered.

Changes are recorded, not calls: the rows after the call, timers, counters, the clock. A replay of calls would be exact
only with the same code and profile, and every other source of changes (control plane, timers, webhook results) would
need a replay of its own. Changes have one source, are loaded without running anything, and are exact by construction: a
``WorldRecorder`` uses the changes that it observed only if they lead, world by world, from the recorded world to the
one in force. Otherwise (after a reset, a restored snapshot, a state that was put), it records the whole world.

Faults are recorded with their counts, and so are the settings of a world (size of its journal, webhook hosts) and of
the server (limit of worlds, Host names, public URL). Journals and bugs belong to the process and are not recorded; nor
are the counts of a rate limit and the responses stored for idempotency keys, which exist only under a profile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Self

import msgspec

from confsim.assumptions.register import REGISTER
from confsim.kernel.difference import Touched, difference
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change, World
from confsim.service.clock import Clock, Values
from confsim.service.files import state
from confsim.service.files.formats import FORMAT
from confsim.service.files.profile import plain
from confsim.service.live import WorldObserver
from confsim.service.service import Provenance, Service
from confsim.service.worlds import ServerObserver, Worlds

from .checkpoint import LARGE, Captured, Checkpoint, CheckpointDocument, recorded_snapshots, yield_to_calls
from .recovery import BegunWith, Delta, RecoveredWorld, Recovery
from .store import Store, digest_of

#: A checkpoint is due after this number of bytes, or after this share of the size of the documents if that is more:
#: start-up stays short, and the cost of checkpoints stays in proportion to what was recorded.
LEAST = 1 << 20
SHARE = 8


class WorldRecorder(WorldObserver):
    """The recording of one world: its stored state, and the changes not recorded yet. ``begun_with`` is its source."""

    __slots__ = (
        "_calls",
        "_clock",
        "_durable",
        "_end",
        "_faults",
        "_origin",
        "_settings",
        "_snapshots",
        "_touched",
        "_world",
        "begun_with",
        "name",
        "service",
    )

    def __init__(self, durable: DurableWorlds, name: str, service: Service, begun_with: BegunWith) -> None:
        self._durable = durable
        self.name = name
        self.service = service
        self.begun_with = begun_with
        self._recorded()

    def attach(self) -> None:
        """Attach to the world and record its changes."""
        self.service.live.observers.add(self)

    def detach(self) -> None:
        """Detach from the world."""
        self.service.live.observers.remove(self)

    def _recorded(self) -> None:
        """Mark the current state as recorded."""
        service = self.service
        self._world = self._end = service.world
        self._origin = service.history.origin
        self._clock = service.clock.values()
        self._faults = service.faults.state()
        self._settings = service.stored_settings
        self._snapshots = dict(service.history.snapshots)
        self._touched = Touched()
        self._calls = service.journal.count

    def changed(self, before: World, change: Change, after: World) -> None:
        """Note one committed change, so that the next record can be a delta."""
        if before.holds_the_same(self._end):
            self._end = after
            self._touched.add(change)

    def releasing(self) -> None:
        """Record the changes since the last time; they are on disk when this returns."""
        service = self.service
        clock = service.clock.values()
        same = service.world is self._world and service.history.origin is self._origin and clock == self._clock
        durable = self._durable
        same = same and service.stored_settings == self._settings and durable.server_settings == durable.worlds.settings
        if same and not self._has_other_snapshots() and service.faults.state() == self._faults:
            return
        documents: dict[str, bytes] = {}
        with durable.recording(documents) as store:
            delta = self._delta(clock, documents)
            if delta != Delta():
                store.append(self.name, *self._cause(), msgspec.json.encode(delta), documents)
            self._recorded()
            if delta.server is not None:
                durable.server_settings = delta.server
        durable.changed(self.name, *([""] if delta.server is not None else []))

    def _cause(self) -> tuple[int, str]:
        """Return the instant, and the operation of the API that caused the change, "" for none."""
        journal = self.service.journal
        last = journal.last() if journal.count != self._calls else None
        return (self.service.clock.now(), "") if last is None else (last.at, last.operation)

    def _delta(self, clock: Values, documents: dict[str, bytes]) -> Delta:
        service, delta = self.service, Delta()
        world, history = service.world, service.history
        if world is not self._world:
            if world.holds_the_same(self._end):
                delta.difference = difference(self._world, world, self._touched) or None
            else:
                delta.world = self._durable.named(world, documents)
        if history.origin is not self._origin:
            delta.origin = self._durable.named(history.origin, documents)
            delta.outputs = dict(service.provenance.outputs)
        if clock != self._clock:
            delta.clock = clock
        if self._has_other_snapshots():
            delta.snapshots = recorded_snapshots(history.snapshots, lambda world: self._durable.named(world, documents))
        if (faults := service.faults.state()) != self._faults:
            delta.faults = faults
        if (settings := service.stored_settings) != self._settings:
            delta.settings = settings
        if (server := self._durable.worlds.settings) != self._durable.server_settings:
            delta.server = server
        return delta

    def captured(self) -> Captured:
        """Return the complete state of the world for a base."""
        outputs = dict(self.service.provenance.outputs)
        delta = Delta(self.begun_with, clock=self._clock, outputs=outputs, faults=self._faults)
        delta.settings = self._settings
        delta.server = self._durable.server_settings if not self.name else None
        return Captured(delta, self._origin, self._world, self._snapshots)

    def _has_other_snapshots(self) -> bool:
        there, known = self.service.history.snapshots, self._snapshots
        return len(there) != len(known) or any(known.get(name) is not each for name, each in there.items())


class DurableWorlds(ServerObserver):
    """The worlds of a server with their store: stored worlds are recovered, changes are recorded.

    ``scenario`` is the name of the one that the root world starts from. Raises Misuse when the store belongs to other
    worlds, is damaged or has an unreadable version; the store is closed then.
    """

    def __init__(self, store: Store, worlds: Worlds, scenario: str = "") -> None:
        self.worlds = worlds
        self.scenario = scenario
        self.store = store
        self._recorders: dict[str, WorldRecorder] = {}
        self._named: dict[int, tuple[World, str]] = {}
        self._base: dict[str, bytes] = {}
        self._changed: set[str] = set()
        self._begun_with: dict[str, BegunWith] = {}
        self._sizes: dict[str, int] = {}
        self._under_way: Checkpoint | None = None
        self._thread: threading.Thread | None = None
        self.server_settings = worlds.settings  # captured as the store has them
        try:
            self._recover()
            for name, service in worlds.items():
                self._attach(name, service)
            worlds.observers.add(self)
            if store.outdated or not self._recorders.keys() <= self._begun_with.keys():
                self.checkpoint()
            self.changed()
        except BaseException:
            self._release()
            raise

    def __repr__(self) -> str:
        return f"<DurableWorlds in {self.store}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Make a checkpoint if needed, then release the store and the worlds."""
        self.wait()
        with self.store.lock:
            try:
                if self.store.size > (0 if self._weight <= LARGE else LEAST):
                    self.checkpoint()
            finally:
                self._release()

    @property
    def under_way(self) -> bool:
        """Return whether a checkpoint is being made."""
        return self._under_way is not None

    def wait(self) -> None:
        """Wait until no checkpoint is being made."""
        if self._thread is not None:
            self._thread.join()

    def _release(self) -> None:
        self.wait()
        for recorder in self._recorders.values():
            recorder.detach()
        self.worlds.observers.remove(self)
        self.store.close()

    def _attach(self, name: str, service: Service) -> None:
        begun_with = self._begun_with.get(name) or self._beginning(name, service)
        recorder = self._recorders[name] = WorldRecorder(self, name, service, begun_with)
        recorder.attach()

    # Called by worlds and their recorders

    def before_add(self, name: str, service: Service) -> None:
        """Record a world before it is added."""
        recorder = WorldRecorder(self, name, service, self._beginning(name, service))
        documents: dict[str, bytes] = {}
        with self.recording(documents) as store:
            body = msgspec.json.encode(recorder.captured().whole(lambda world: self.named(world, documents)))
            store.append(name, service.clock.now(), "make_world", body, documents)
            recorder.attach()
            self._recorders[name] = recorder
        self.changed(name)

    def before_drop(self, name: str) -> None:
        """Record the removal of a world."""
        with self.recording({}) as store:
            body = msgspec.json.encode(Delta(dropped=True))
            store.append(name, self._recorders[name].service.clock.now(), "drop_world", body, {})
            self._recorders.pop(name).detach()

    def changed(self, *names: str) -> None:
        """Note which worlds differ from the base, and make a checkpoint when one is due."""
        with self.store.lock:
            self._changed.update(names)
            if self.store.size < self._least or self._under_way is not None:
                return
            if self._weight <= LARGE:
                self.checkpoint()
            else:
                checkpoint = self._begin()
                self._thread = threading.Thread(target=self._make_aside, args=(checkpoint,), daemon=True)
                self._thread.start()

    @property
    def _weight(self) -> int:
        """The bytes of all stored documents."""
        return sum(self._sizes.values())

    @property
    def _least(self) -> int:
        """The bytes of log at which a checkpoint is due."""
        return max(LEAST, self._weight // SHARE)

    def named(self, world: World, documents: dict[str, bytes]) -> str:
        """Return the digest of the world's document; add its body to ``documents`` if the store may not have it."""
        known = self._named.get(id(world))
        if known is None:
            document = CheckpointDocument(world, lambda: None)
            known = self._named[id(world)] = world, document.digest
            if document.digest not in self._sizes:
                document.add_to(self.store, documents, lambda: None)
                self._sizes[document.digest] = document.size
        if self._under_way is not None:
            self._under_way.since.add(known[1])
        return known[1]

    def checkpoint(self) -> None:
        """Replace the log by a base of the worlds as they are; only changed worlds are written."""
        with self.store.lock:
            checkpoint = self._begin()
            self._make(checkpoint, lambda: None)

    def _begin(self) -> Checkpoint:
        """Begin a checkpoint of this moment. Raises Misuse (507)."""
        self.store.mark()
        written = {
            name: recorder.captured()
            for name, recorder in self._recorders.items()
            if name in self._changed or name not in self._base
        }
        unchanged = {name: self._base[name] for name in self._recorders if name not in written}
        checkpoint = self._under_way = Checkpoint(self.store, written, unchanged, self._named)
        self._changed.clear()
        return checkpoint

    def _make(self, checkpoint: Checkpoint, yield_to_calls: Callable[[], object]) -> None:
        """Make a checkpoint that was begun; if it fails, the store is as before. Raises Misuse (507)."""
        try:
            checkpoint.write(yield_to_calls)
            with self.store.lock:
                self._base = checkpoint.finish()
                known = {**self._named, **checkpoint.named}
                self._named = {place: each for place, each in known.items() if each[1] in checkpoint.digests}
                self._sizes = {
                    digest: size
                    for digest, size in (self._sizes | checkpoint.sizes).items()
                    if digest in checkpoint.digests
                }
        except BaseException:
            self._changed.update(checkpoint.captured)
            raise
        finally:
            self._under_way = None
        while True:
            with self.store.lock:
                if not self.store.trim():
                    return
            yield_to_calls()

    def _make_aside(self, checkpoint: Checkpoint) -> None:
        """Make a checkpoint beside calls. If it fails, the next change repeats it, and that caller gets the error."""
        with suppress(Misuse):
            self._make(checkpoint, yield_to_calls)

    @contextmanager
    def recording(self, documents: Mapping[str, bytes]) -> Iterator[Store]:
        """The locked store; if the block fails, these documents count as not stored."""
        with self.store.lock:
            try:
                yield self.store
            except BaseException:
                self._named = {place: known for place, known in self._named.items() if known[1] not in documents}
                raise

    # Recovery

    def _recover(self) -> None:
        """Put the stored worlds in force."""
        recovery = Recovery(self.store)
        self._named = {id(world): (world, digest) for digest, world in recovery.documents.items()}
        self._base, self._changed, self._sizes = recovery.base, recovery.changed, recovery.sizes
        self._begun_with = {name: each.begun_with for name, each in recovery.worlds.items()}
        if not recovery.worlds:
            return
        root = self.worlds.default
        recovered = recovery.worlds.pop("")
        self._check(root, recovered)
        recovered.put_in_force(root)
        self.worlds.limit(max(self.worlds.most, len(recovery.worlds)))
        for name, other in recovery.worlds.items():
            made = other.begun_with
            same = made.profile == plain(root.profile)
            profile = root.profile if same else REGISTER.profile(made.profile, f"{self.store}: world {name!r}")
            service = Service(other.world, Clock(), profile, Provenance(made.world))
            other.put_in_force(self.worlds.add(name, service))
        if recovery.server is not None:
            self.worlds.take_over(recovery.server)
        self.server_settings = self.worlds.settings

    def _beginning(self, name: str, service: Service) -> BegunWith:
        """Return the source of a world whose recording begins."""
        origin = service.history.origin
        known = self._named.get(id(origin))
        start = digest_of(state.document(origin)) if known is None else known[1]
        scenario = "" if name else self.scenario
        return BegunWith(service.provenance.made_from, origin.seed, start, plain(service.profile), scenario)

    def _check(self, root: Service, recovered: RecoveredWorld) -> None:
        """Raise Misuse for a store that was begun with another world, seed, scenario or profile."""
        made, now = recovered.begun_with, self._beginning("", root)
        differs = made.differences(now)
        if self.store.format != FORMAT:  # the digest of a document in another format cannot be compared
            made = self._begun_with[""] = msgspec.structs.replace(made, start=now.start)
        elif not differs and not made.scenario and made.start != now.start:
            same = made.world == now.world
            differs.append(f"world {made.world!r}" + (", which has changed" if same else f" (now {now.world!r})"))
        if differs:
            raise Misuse(
                f"{self.store} was begun with {', '.join(differs)}, by confsim {self.store.version}. "
                "Start with what it was begun with, or with a new directory"
            )
