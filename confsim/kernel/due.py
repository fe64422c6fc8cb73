"""The firing of due timers: in order, each in a change of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from .timers import HANDLERS, Timer
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
    faults: FaultSource | None = None,
) -> tuple[World, list[Fired]]:
    """Fire all timers due by ``until`` (epoch milliseconds) in order of due instant, each in a change at that instant.

    Returns the world after them, and those whose handlers returned True. With ``once`` it stops after the first of
    these. ``failed`` is called with the exception of a handler, whose change is discarded; without it, it propagates.
    ``after(world, change)`` is called for each timer and returns the world to continue with. ``faults`` is passed to
    every change.
    """
    fired: list[Fired] = []
    while world.timers.due <= until:
        timer = world.timers.first
        assert timer is not None
        change = _change_of(world, timer, profile, faults)
        try:
            happened = HANDLERS[timer.kind](change, timer.client, timer.subject)
        except Exception as error:
            if failed is None:
                raise
            failed(error)
            change, happened = _change_of(world, timer, profile, faults), False
        world = change.commit()
        if after is not None:
            world = after(world, change)
        if happened:
            fired.append(Fired(timer, change))
            if once:
                break
    return world, fired


def _change_of(world: World, timer: Timer, profile: Mapping[str, Any], faults: FaultSource | None) -> Change:
    """A change at the due instant of the timer, from which the timer is removed."""
    change = world.change(timer.due, profile, faults)
    change.cancel(timer.kind, timer.client, timer.subject)
    return change
