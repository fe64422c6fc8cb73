"""The past of records: which entries of the journal made, changed and removed them."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Any, TypeAlias

from msgspec import Struct

from confsim.control.labels.label import Held, held, key_text, label
from confsim.control.moments import in_order
from confsim.kernel.world import World
from confsim.service.entries import JournalEntry, Noted
from confsim.service.service import Service

#: The client of a record ("" for a shared one), the name of its table, its key.
Place: TypeAlias = "tuple[str, str, Any]"


class Gone(Struct, frozen=True):
    """A record that was removed: as it was, its label then, the entry that removed it and the one that made it."""

    held: Held
    label: str
    ended: Noted
    made: Noted | None


def worlds_of(entry: Noted) -> tuple[World, World] | None:
    """Return the worlds before and after an entry; None where the journal has not kept them."""
    return (entry.before, entry.after) if isinstance(entry, JournalEntry) else entry.worlds


class Past:
    """The entries of a journal in their order, by the records that they wrote. Made once for each question."""

    def __init__(self, service: Service) -> None:
        self.service = service

    @cached_property
    def entries(self) -> list[Noted]:
        """All entries, oldest first."""
        return in_order(self.service.journal)

    @cached_property
    def by_place(self) -> dict[Place, list[Noted]]:
        """The entries that wrote each record, oldest first."""
        found: dict[Place, list[Noted]] = defaultdict(list)
        for entry in self.entries:
            for place in dict.fromkeys(entry.touched):
                found[place].append(entry)
        return dict(found)

    @cached_property
    def _by_id(self) -> dict[str, list[Place]]:
        """The records that entries wrote, by their keys as text."""
        found: dict[str, list[Place]] = defaultdict(list)
        for place in self.by_place:
            found[key_text(place[2])].append(place)
        return dict(found)

    def made(self, place: Place) -> Noted | None:
        """Return the entry that made a record; None for one that was there before the journal begins."""
        return next((entry for entry in self._writers(place) if self._turned(entry, place) == (False, True)), None)

    def changed(self, place: Place) -> Noted | None:
        """Return the entry that changed a record last."""
        return next((entry for entry in reversed(self._writers(place)) if all(self._turned(entry, place))), None)

    def gone(self, id: str, tables: tuple[str, ...] = ()) -> Gone | None:
        """Return the record with this key, of one of the tables or of any, that was removed."""
        for place in self._by_id.get(id, ()):
            if tables and place[1] not in tables:
                continue
            for entry in reversed(self._writers(place)):
                worlds = worlds_of(entry)
                if worlds is not None and self._turned(entry, place) == (True, False):
                    change = worlds[0].change(0)
                    record = held(change, place[0], place[1], place[2])
                    if record is not None:
                        return Gone(record, label(change, record), entry, self.made(place))
        return None

    def _writers(self, place: Place) -> list[Noted]:
        return self.by_place.get(place, [])

    @staticmethod
    def _turned(entry: Noted, place: Place) -> tuple[bool, bool]:
        """Return whether the record was there before an entry, and after it."""
        worlds = worlds_of(entry)
        if worlds is None:
            return False, False
        client, table, key = place
        before, after = (held(world.change(0), client, table, key) is not None for world in worlds)
        return before, after
