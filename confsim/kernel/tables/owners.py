"""Which client has the record that is located by a value; brought up to date when it is read."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import force_setattr

from ..maps import Map, inserted, removed
from .indexes import Values
from .states import LATE

#: By value, the ids of the clients whose records of one table are found by it.
ByValue: TypeAlias = Map[Hashable, str]
#: A change of a record: the name of its table, its client, and the values by which it was located, and by which it is.
Relocated: TypeAlias = "tuple[str, str, Values, Values]"


class Owners(Struct, frozen=True, gc=False, eq=False):
    """By the name of a table and a value, the id of the client whose record is located by the value.

    Like a ``TableState`` it takes up changes when it is read: ``late`` are the latest ones, oldest first. ``known`` has
    the map from table to value to client, and how many of the late changes that map has; each reader may replace it by
    a pair with the same meaning.
    """

    known: tuple[Map[str, ByValue], int]
    late: tuple[Relocated, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Owners):
            return NotImplemented
        return self is other or self.maps() == other.maps()

    def after(self, table: str, client: str, old: Values, new: Values) -> Owners:
        """Return the owners after a record of the client, found by the old values, is found by the new ones."""
        late = (*self.late, (table, client, old, new))
        if len(late) <= LATE:
            return Owners(self.known, late)
        return Owners((self.maps(), 0), late[LATE:])

    def maps(self) -> Map[str, ByValue]:
        """Return the map from table to value to client, with every change."""
        found, number = self.known
        if number < len(self.late):
            for table, client, old, new in self.late[number:]:
                owners = found.get(table, {})
                for value in old:
                    if value not in new and owners.get(value) == client:
                        owners = removed(owners, value)
                for value in new:
                    owners = inserted(owners, value, client)
                found = inserted(found, table, owners)
            force_setattr(self, "known", (found, len(self.late)))
        return found


#: Those of a world without records.
NOBODY = Owners(({}, 0))
