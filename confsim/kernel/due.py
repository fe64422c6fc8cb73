"""The firing of due timers: in order, each in a change of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from .timers import ALARMS, Timer
from .world import NO_PROFILE, Change, FaultSource, World


class Fired(Struct, frozen=True):
    """A timer that was fired, and the change that its handler made at its due instant."""

    timer: Timer
    change: Change


def fire_due_timers(
    world: World,
    until: int,
    profile: Mapping[str, Any] = NO_PROFILE,
    *,
    once: bool = False,
    failed: Callable[[Exception], object] | None = None,
    after: Callable[[World, Change], World] | None = None,
    faults: Callable[[], FaultSource | None] = lambda: None,
) -> tuple[World, list[Fired]]:
    """Fire all timers due by ``until`` (epoch milliseconds) in order, each in a change at its instant.

    Returns the world after them, and those that an advance of the clock lists. With ``once`` it stops after the first
    of these. A timer that is still there afterwards was refused, and waits for the next committed change. ``failed`` is
    called with the exception of a trigger, whose change is discarded; without it, it propagates.
    ``after(world, change)`` is called for each timer and returns the world to continue with. ``faults`` returns
    what decides at the fault points of a change.
    """
    fired: list[Fired] = []
    while world.timers.due <= until:
        timer, at = world.timers.first
        change = world.change(at, profile, faults(), timer)
        try:
            happened = ALARMS[timer.kind].fire(change, timer)
        except Exception as error:
            if failed is None:
                raise
            failed(error)
            change, happened = world.change(at, profile, faults(), timer), False
        world = change.commit()
        if world.timers.live.get(timer.name) is timer:
            world = replace(world, timers=world.timers.refuse(timer.name))
        if after is not None:
            world = after(world, change)
        if happened:
            fired.append(Fired(timer, change))
            if once:
                break
    return world, fired
