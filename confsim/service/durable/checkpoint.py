"""Checkpoints: a base with the state of the worlds at one moment, written while they continue.

The state is captured at that moment, at no cost, since worlds are values. Documents are made from it afterwards; large
ones are stored in parts, without holding the lock of the store in between.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from hashlib import blake2b

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.kernel.world import Part, World
from confsim.service.files import state
from confsim.service.history import Snapshot

from .recovery import Delta, RecordedSnapshot
from .store import DIGEST_SIZE, Store

#: Documents of more bytes are stored in parts, one at a time.
LARGE = 1 << 20
#: Seconds for calls after each piece of a checkpoint that is made beside them.
REST = 0.0005


class Captured(Struct, frozen=True):
    """The state of a world at the moment of a base: its record, and the worlds that it names."""

    delta: Delta
    origin: World
    world: World
    snapshots: Mapping[str, Snapshot]

    def worlds(self) -> list[World]:
        """Return the worlds that the record names."""
        return [self.origin, self.world, *(each.world for each in self.snapshots.values())]

    def whole(self, named: Callable[[World], str]) -> Delta:
        """Return the complete record of the world; ``named`` returns the digest of a document."""
        return replace(
            self.delta,
            origin=named(self.origin),
            world=named(self.world),
            snapshots=recorded_snapshots(self.snapshots, named),
        )


def recorded_snapshots(snapshots: Mapping[str, Snapshot], named: Callable[[World], str]) -> dict[str, RecordedSnapshot]:
    """Return snapshots in the form of a record; ``named`` returns the digest of a document."""
    return {
        name: RecordedSnapshot(each.now, named(each.world), each.frozen, each.rate) for name, each in snapshots.items()
    }


class CheckpointDocument:
    """The document of a world, in parts; ``yield_to_calls`` is called after each part."""

    def __init__(self, world: World, yield_to_calls: Callable[[], object]) -> None:
        self.parts: list[Part] = []
        self.size = 0
        whole = blake2b(digest_size=DIGEST_SIZE)
        for part in state.parts(world):
            whole.update(part[-1])
            self.size += len(part[-1])
            self.parts.append(part)
            yield_to_calls()
        self.digest = whole.hexdigest()

    def add_to(self, store: Store, documents: dict[str, bytes], yield_to_calls: Callable[[], object]) -> None:
        """Add a large document to the store; collect the body of any other, to be added with the record naming it."""
        if self.size <= LARGE:
            documents[self.digest] = b"".join(part[-1] for part in self.parts)
            return
        for place, part in enumerate(self.parts):
            with store.lock:
                store.add_parts(self.digest, place, [part])
            yield_to_calls()


class Checkpoint:
    """A base in the making: the captured worlds by name, and the bodies of unchanged ones.

    ``named`` has the documents in the store, by the id() of their worlds; ``since`` the digests that the log has named
    after the moment of the base.
    """

    def __init__(
        self,
        store: Store,
        captured: Mapping[str, Captured],
        unchanged: Mapping[str, bytes],
        named: Mapping[int, tuple[World, str]],
    ) -> None:
        self.store = store
        self.captured = captured
        self.unchanged = unchanged
        self.named = dict(named)
        self.since: set[str] = set()
        self.documents: dict[str, bytes] = {}
        self.sizes: dict[str, int] = {}
        self._stored = {digest for _, digest in named.values()}

    def write(self, yield_to_calls: Callable[[], object]) -> None:
        """Make the documents that the store lacks, calling ``yield_to_calls`` after each piece. Raises Misuse (507)."""
        for each in self.captured.values():
            for world in each.worlds():
                if id(world) not in self.named:
                    self.named[id(world)] = world, self._document(world, yield_to_calls)

    def _document(self, world: World, yield_to_calls: Callable[[], object]) -> str:
        document = CheckpointDocument(world, yield_to_calls)
        if document.digest not in self._stored:
            self._stored.add(document.digest)
            self.sizes[document.digest] = document.size
            document.add_to(self.store, self.documents, yield_to_calls)
        return document.digest

    def finish(self) -> dict[str, bytes]:
        """Replace the log before the moment by the base; return the bodies of the worlds by name. Misuse (507)."""
        base = dict(self.unchanged)
        for name, each in self.captured.items():
            base[name] = msgspec.json.encode(each.whole(lambda world: self.named[id(world)][1]))
        self.digests = self.since.union(*(msgspec.json.decode(body, type=Delta).documents() for body in base.values()))
        self.store.checkpoint(base, self.documents, self.digests)
        return base


def yield_to_calls() -> None:
    """Let calls be served."""
    time.sleep(REST)
