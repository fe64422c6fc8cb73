"""The moments at which a world can be seen: right after each API call, control call and timer."""

from __future__ import annotations

from operator import itemgetter

from confsim.kernel.refusal import Misuse
from confsim.kernel.world import World
from confsim.service.entries import JournalEntry, Noted
from confsim.service.journal import Journal
from confsim.values.plain import whole_number

from .context import ControlContext

#: First letters of the ids of control calls and timers.
_BETWEEN = ("c", "t")


def noted(context: ControlContext, id: str) -> Noted:
    """Return the journal entry of this id. Raises Misuse (404) for an unknown id, (410) for a dropped one."""
    journal = context.service.journal
    entry = journal.find(id)
    if entry is not None and entry.id == id:
        return entry
    if id[:1] in _BETWEEN:
        for each in journal.between:
            if each.id == id:
                return each
    number = whole_number(id[1:]) or 0
    if id[:1] in _BETWEEN and 0 < number <= journal.between_count:
        raise Misuse(f"the journal has dropped {id!r}", status=410)
    if id[:1] == "r" and 0 < number <= journal.count:
        raise Misuse(f"the journal has dropped the call {id!r}", status=410)
    known = f"the journal counts from r1 to r{journal.count}" if journal.count else "the journal has no call yet"
    raise Misuse(f"there is no request {id!r}; {known}", status=404)


def entry_of(context: ControlContext, id: str) -> JournalEntry:
    """Return the API call of this id. Raises Misuse (404) for an unknown id, (410) for a dropped one."""
    found = noted(context, id)
    if not isinstance(found, JournalEntry):
        raise Misuse(f"{id!r} is no call of the API", status=404)
    return found


def world_after(context: ControlContext, at: str | None) -> World:
    """Return the world right after the journal entry of this id; None for the world in force.

    Raises Misuse (404) for an unknown id, (410) for a dropped one.
    """
    if at is None:
        return context.view().world
    found = noted(context, at)
    if isinstance(found, JournalEntry):
        return found.after
    if found.worlds is None:
        raise Misuse(f"the journal does not have the world after {at!r}", status=410)
    return found.worlds[1]


def in_order(journal: Journal) -> list[Noted]:
    """Return all entries of the journal, in the order in which they happened."""
    found: list[tuple[tuple[int, int], Noted]] = [((each.number, 0), each) for each in journal]
    found += (((each.after, place), each) for place, each in enumerate(journal.between, 1))
    found.sort(key=itemgetter(0))
    return [each for _, each in found]
