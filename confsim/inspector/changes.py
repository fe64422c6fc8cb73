"""Whether a world has changed since a page of it was shown: a tag, which browsers compare, for next to nothing."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from confsim.control.context import ControlContext
from confsim.kernel.world import World
from confsim.service.service import Service

#: For each served world: the value that was seen last, and how many different ones were seen.
_SEEN: WeakKeyDictionary[Service, tuple[World, int]] = WeakKeyDictionary()


def tag(context: ControlContext) -> str:
    """A text that is another one after whatever changed what pages of this world show, the passing of time aside."""
    service, worlds = context.service, context.worlds
    journal, clock, held = service.journal, service.clock, service.pipeline.held
    world, count = _SEEN.get(service, (None, 0))
    if world is not service.world:
        count += 1
        _SEEN[service] = service.world, count
    counts = journal.epoch, journal.count, journal.between_count, len(journal), count, len(worlds)
    waiting = ".".join(each.id for each in held)
    return f"{service.usage.made:.6f}-{'-'.join(map(str, counts))}-{waiting}-{int(clock.frozen)}-{clock.rate}"
