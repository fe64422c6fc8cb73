"""Change detection for pages: a tag of a world that browsers compare, cheap to compute."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from confsim.control.context import ControlContext
from confsim.kernel.world import World
from confsim.service.service import Service

#: For each served world: the last value seen, and the number of different values seen so far.
_SEEN: WeakKeyDictionary[Service, tuple[World, int]] = WeakKeyDictionary()


def tag(context: ControlContext) -> str:
    """Return a text that changes whenever anything shown on the pages of this world has changed, except the time."""
    service, worlds = context.service, context.worlds
    journal, clock, held = service.journal, service.clock, service.pipeline.held
    world, count = _SEEN.get(service, (None, 0))
    if world is not service.world:
        count += 1
        _SEEN[service] = service.world, count
    counts = journal.epoch, journal.count, journal.between_count, len(journal), count, len(worlds)
    waiting = ".".join(each.id for each in held)
    return f"{service.usage.made:.6f}-{'-'.join(map(str, counts))}-{waiting}-{int(clock.frozen)}-{clock.rate}"
