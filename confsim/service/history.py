"""Earlier moments of a world: the start, for a reset, and named snapshots."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from confsim.assumptions.protocol import transport
from confsim.assumptions.register import in_force
from confsim.kernel.refusal import Misuse, require_at_most, suggest_near
from confsim.kernel.world import World

from .live import LiveWorld

#: Most snapshots of a world.
MOST = 1000


class Snapshot(Struct, frozen=True):
    """A world saved under a name, with the instant and the state of its clock."""

    world: World
    now: int
    frozen: bool
    rate: float


class History:
    """The start and the snapshots of a live world. ``origin`` is the world that a reset restores."""

    __slots__ = ("_live", "_snapshots", "origin")

    def __init__(self, live: LiveWorld) -> None:
        self._live = live
        self.origin = live.world
        self._snapshots: dict[str, Snapshot] = {}

    @property
    def snapshots(self) -> Mapping[str, Snapshot]:
        """Return the snapshots by name, in the order in which the names were first used."""
        return self._snapshots

    def begin(self) -> None:
        """Make this world and this instant the start."""
        live = self._live
        with live.lock:
            self.origin = live.world
            live.begin()
            live.clock.begin()

    def reset(self) -> None:
        """Restore the world of the start and, if the profile says so, its clock. Snapshots stay."""
        live = self._live
        with live.lock:
            live.replace(self.origin)
            if in_force(live.profile, transport.RESET_CLOCK):
                live.clock.restart()

    def take(self, name: str) -> Snapshot:
        """Save the world and the state of its clock under a name; an earlier snapshot of this name is replaced.

        Raises Misuse (409) for one too many.
        """
        live = self._live
        with live.lock:
            require_at_most(len(self._snapshots.keys() | {name}), MOST, "snapshots of the world", 409)
            change = live.change()
            snapshot = Snapshot(change.world, change.now, live.clock.frozen, live.clock.rate)
            self._snapshots[name] = snapshot
            return snapshot

    def restore(self, name: str) -> Snapshot:
        """Restore the world and the clock of a snapshot. Raises Misuse (404) for an unknown name."""
        snapshot = self._get(name)
        self._put(snapshot)
        return snapshot

    def go_back(self, world: World, now: int) -> None:
        """Restore an earlier world and its instant; the clock runs as before, or stands still as before."""
        with self._live.lock:
            clock = self._live.clock
            self._put(Snapshot(world, now, clock.frozen, clock.rate))

    def _put(self, snapshot: Snapshot) -> None:
        live = self._live
        with live.lock:
            live.replace(snapshot.world)
            live.clock.follow(snapshot.now, frozen=snapshot.frozen, rate=snapshot.rate)
            live.settle(snapshot.now, None)

    def drop(self, name: str) -> Snapshot:
        """Delete a snapshot. Raises Misuse (404) for an unknown name."""
        snapshot = self._get(name)
        self._snapshots.pop(name, None)
        return snapshot

    def clear(self) -> None:
        """Delete every snapshot."""
        self._snapshots.clear()

    def recover(self, origin: World, snapshots: Mapping[str, Snapshot]) -> None:
        """Set the start and the snapshots to recorded ones."""
        self.origin, self._snapshots = origin, dict(snapshots)

    def _get(self, name: str) -> Snapshot:
        snapshot = self._snapshots.get(name)
        if snapshot is None:
            raise Misuse(f"there is no snapshot {name!r}{suggest_near(name, self._snapshots)}", status=404)
        return snapshot
