"""The firing of due timers: in order, each in a change of its own."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from .timers import ALARMS, Timer
from .world import Change, World


def _begin(world: World, at: int, timer: Timer) -> Change:
    return world.change(at, timer=timer)


class Fired(Struct, frozen=True):
    """A timer that was fired, and the change that its handler made at its due instant."""

    timer: Timer
    change: Change


def fire_due_timers(
    world: World,
    until: int,
    begin: Callable[[World, int, Timer], Change] = _begin,
    *,
    once: bool = False,
    failed: Callable[[Exception], object] | None = None,
    after: Callable[[World, Change], World] | None = None,
) -> tuple[World, list[Fired]]:
    """Fire all timers due by ``until`` (epoch milliseconds) in order, each in a change at its instant.

    ``begin(world, instant, timer)`` begins this change; without it, the change carries nothing.

    Returns the world after them, and those that an advance of the clock lists. With ``once`` it stops after the first
    of these. A timer that is still there afterwards was refused, and waits for the next committed change. ``failed`` is
    called with the exception of a trigger, whose change is discarded; without it, it propagates.
    ``after(world, change)`` is called for each timer and returns the world to continue with.
    """
    fired: list[Fired] = []
    while world.timers.due <= until:
        timer, at = world.timers.first
        change = begin(world, at, timer)
        try:
            happened = ALARMS[timer.kind].fire(change, timer)
        except Exception as error:
            if failed is None:
                raise
            failed(error)
            change, happened = begin(world, at, timer), False
        world = change.commit()
        if world.timers.live.get(timer.name) is timer:
            world = replace(world, timers=world.timers.refuse(timer))
        if after is not None:
            world = after(world, change)
        if happened:
            fired.append(Fired(timer, change))
            if once:
                break
    return world, fired
