"""Stale reads: readers see changes only after a delay (G015)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from confsim.assumptions.protocol import transport
from confsim.assumptions.register import ProfileContext, in_force, note
from confsim.kernel.world import Change, World
from confsim.service.live import WorldObserver


class StaleReads(WorldObserver):
    """Remembers the last worlds, each with the instant at which it was put in force."""

    def __init__(self, lag: int) -> None:
        self._lag = lag
        self.replaced()

    @staticmethod
    def lag(profile: Mapping[str, Any]) -> int:
        """The delay in milliseconds."""
        return in_force(profile, transport.LAG)

    def replaced(self) -> None:
        """Forget every earlier world."""
        self._worlds: deque[tuple[int, World]] = deque()

    def changed(self, before: World, change: Change, after: World) -> None:
        """Remember the world that a change made."""
        if after is before:
            return
        worlds = self._worlds
        if not worlds:
            worlds.append((0, before))
        elif len(worlds) > 1 and worlds[-1][0] == change.now:
            worlds.pop()  # changes of one instant become visible together
        worlds.append((change.now, after))
        self._forget(change.now)

    def visible(self, change: Change) -> Change:
        """Return a change of the world visible by now, for a reader; it is never put in force."""
        if not self._worlds:
            return change
        note(change, transport.LAG)
        self._forget(change.now)
        if len(self._worlds) == 1:
            return change
        carried = change.carried
        seen = ProfileContext(carried.profile, {**carried.used})
        return self._worlds[0][1].change(change.now, seen, change.faults)

    def _forget(self, now: int) -> None:
        """Forget the worlds before the one visible at this instant."""
        while len(self._worlds) > 1 and self._worlds[1][0] <= now - self._lag:
            self._worlds.popleft()
