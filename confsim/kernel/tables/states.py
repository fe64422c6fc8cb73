"""The state of one table of one client: a value, of which the indexes are brought up to date when they are read."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from ..maps import inserted, removed
from .indexes import Index, Lookup, Records, Row, Unique
from .views import Limited, View

#: Changes of records that the indexes of a table need not have. With more, each change brings one index up to date.
LATE = 16


class TableState(Struct, frozen=True, gc=False, eq=False):
    """One table of one client: the records, and the maps of its indexes. Those with the same records are equal.

    ``keys`` are those of the unique indexes. The others take up changes of records when they are read, which saves a
    third of a first call that creates or deletes (benchmark ``operations``): ``late`` has the keys and earlier rows of
    the latest changes, oldest first, and ``lookups`` for each index its map and the number of late changes in it. Each
    reader of a stale index replaces ``lookups`` by a tuple with the same meaning, so that the state is a value all the
    same. Forks in other threads share it: each replacement is whole, and may undo one that was made meanwhile.
    """

    rows: Records
    serial: int
    keys: tuple[Lookup, ...]
    lookups: tuple[tuple[Lookup, int], ...]
    late: tuple[tuple[Any, Row | None], ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TableState):
            return NotImplemented
        return self is other or (self.serial == other.serial and self.rows == other.rows)

    def one(self, index: Unique[Any], value: Hashable) -> Any:
        """Return the record with the value of a unique index, or None."""
        key = self.keys[index.position].get(value)
        return None if key is None else self.rows[key][1]

    def index(self, index: Index[Any]) -> Lookup:
        """Return the map from value to bucket of an index."""
        found, number = self.lookups[index.position]
        if number == len(self.late):
            return found
        for key, was in dict(reversed(self.late[number:])).items():  # of each record the first one counts
            found = index.after(found, key, was, self.rows.get(key))
        lookups, place = self.lookups, index.position  # once: a fork in another thread may replace them meanwhile
        force_setattr(self, "lookups", (*lookups[:place], (found, len(self.late)), *lookups[place + 1 :]))
        return found

    def where(self, change: Limited, index: Index[Any], value: Hashable) -> View[Any]:
        """Return the records with the value of an index, in its first order, by default that of creation."""
        bucket = self.index(index).get(value, index.empty)
        entries = bucket.orders[0]
        return View(change, self.rows, index, bucket, entries, range(len(entries)))

    def after(
        self, indexes: tuple[Index[Any], ...], key: object, was: Row | None, row: Row | None, keys: tuple[Lookup, ...]
    ) -> TableState:
        """Return the state after the row of a record has changed, with these maps of the unique indexes."""
        if row is None:
            rows, serial = removed(self.rows, key), self.serial
        else:
            rows, serial = inserted(self.rows, key, row), max(self.serial, row[0])
        late = (*self.late, (key, was))
        if len(late) <= LATE:
            return TableState(rows, serial, keys, self.lookups, late)
        lookups = self.lookups  # once: a fork in another thread may replace them meanwhile
        numbers = [number for _, number in lookups]
        oldest = numbers.index(min(numbers))
        fresh = self.index(indexes[oldest]), len(self.late)
        lookups = (*lookups[:oldest], fresh, *lookups[oldest + 1 :])
        everywhere = min([number for _, number in lookups])
        lookups = tuple([(lookup, number - everywhere) for lookup, number in lookups])
        return TableState(rows, serial, keys, lookups, late[everywhere:])
