"""The state of one table of one client: a value, of which the indexes are brought up to date when they are read."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from .indexes import Bucket, Changed, Index, Lookup, Records
from .ordered import Entries
from .views import Limited, View

#: Changes of records that the indexes of a table need not have. With more, each change brings one index up to date.
LATE = 16


class TableState(Struct, frozen=True, gc=False, eq=False):
    """One table of one client: the records, and the maps of its indexes. Those with the same records are equal.

    ``keys`` are those of the unique indexes. The others take up changes of records when they are read: ``late`` are the
    latest changes, oldest first, and ``lookups`` has for each index its map and the number of late changes in it. Each
    reader of a stale index replaces ``lookups`` by a tuple with the same meaning, so that the state is a value all the
    same. Forks in other threads share it: each replacement is whole, and may undo one that was made meanwhile.
    """

    rows: Records
    serial: int
    keys: tuple[Lookup, ...]
    lookups: tuple[tuple[Lookup, int], ...]
    late: tuple[Changed, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TableState):
            return NotImplemented
        return self is other or (self.serial == other.serial and self.rows == other.rows)

    def index(self, index: Index[Any]) -> Lookup:
        """Return the map from value to bucket of an index."""
        lookups, late, place = self.lookups, self.late, index.position
        found, number = lookups[place]
        if number < len(late):
            changes: Iterable[Changed] = late[number:]
            if number < len(late) - 1:  # of each record the first one counts
                changes = reversed(dict(reversed(late[number:])).items())
            found = index.after(found, changes, self.rows)
            force_setattr(self, "lookups", (*lookups[:place], (found, len(late)), *lookups[place + 1 :]))
        return found

    def where(self, change: Limited, index: Index[Any], value: Hashable) -> View[Any]:
        """Return the records with the value of an index, in its first order, by default that of creation."""
        found, number = self.lookups[index.position]
        bucket = (found if number == len(self.late) else self.index(index)).get(value)
        entries: Entries = () if bucket is None else bucket.orders[0] if isinstance(bucket, Bucket) else (bucket,)
        return View(change, self.rows, index, bucket, entries, range(len(entries)))

    def after(
        self, indexes: tuple[Index[Any], ...], changed: Changed, rows: Records, serial: int, keys: tuple[Lookup, ...]
    ) -> TableState:
        """Return the state after a change of a record: with these records, latest serial and maps of unique indexes."""
        late = (*self.late, changed)
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
