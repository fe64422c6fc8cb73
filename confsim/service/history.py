"""Earlier moments of a world."""

from __future__ import annotations

from msgspec import Struct

from confsim.kernel.world import World


class Snapshot(Struct, frozen=True):
    """A world that was kept under a name, with the instant of its clock and whether and how fast that clock ran."""

    world: World
    now: int
    frozen: bool = False
    rate: float = 1
