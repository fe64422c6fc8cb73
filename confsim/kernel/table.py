"""Tables of frozen records: persistent maps with declared indexes and the newest-first order kept beside them.

A ``Table`` is a declaration and holds nothing. What it holds lives in a world, one ``TableState`` for each client, and
is read and written through the ``Rows`` that ``Table.of(change, client)`` opens: a foreign id is simply not there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, dataclass_transform

from msgspec import Struct
from rpds import HashTrieMap, HashTrieSet, List

if TYPE_CHECKING:
    from .world import Change, World


@dataclass_transform(frozen_default=True)
class Record(Struct, frozen=True, gc=False):
    """A row of a table. Frozen; changed by ``msgspec.structs.replace``. Fields hold values only, never a cycle."""


K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=Record)

#: Tombstones in the order are swept when they outnumber the living, and are more than these.
SWEEP = 64


class TableState(Struct, frozen=True, gc=False):
    """One table of one client: key to (serial, record), the order newest first, one map for each index."""

    rows: HashTrieMap[Any, tuple[int, Any]] = HashTrieMap()
    order: List[tuple[int, Any]] = List()
    dead: int = 0
    serial: int = 0
    indexes: tuple[HashTrieMap[Any, HashTrieSet[Any]], ...] = ()


class Index(Generic[R]):
    """A named way to find records: ``values(record)`` gives every value under which the record is found."""

    __slots__ = ("name", "place", "values")

    def __init__(self, name: str, values: Callable[[R], tuple[Hashable, ...]]) -> None:
        self.name = name
        self.values = values
        self.place = -1


class Table(Generic[K, R]):
    """The declaration of a table: its name, the record type, the key field and the indexes.

    ``shared`` tables belong to the world as a whole rather than to one client (clients, credentials, mail).
    """

    #: Every table by name, in order of declaration.
    declared: dict[str, Table[Any, Any]] = {}

    def __init__(self, name: str, record: type[R], key: str, *indexes: Index[R], shared: bool = False) -> None:
        if name in Table.declared:
            raise ValueError(f"table {name!r} is declared twice")
        Table.declared[name] = self
        self.name = name
        self.record = record
        self.key: Callable[[R], K] = attrgetter(key)
        self.indexes = indexes
        self.shared = shared
        for place, index in enumerate(indexes):
            index.place = place
        self.empty = TableState(indexes=tuple(HashTrieMap() for _ in indexes))

    def of(self, change: Change, client: str = "") -> Rows[K, R]:
        """The rows of one client, to read and to write in this change."""
        place = (client, self.name)
        rows = change.opened.get(place)
        if rows is None:
            rows = change.opened[place] = Rows(self, place, change)
        return rows

    def get(self, change: Change, key: K, client: str = "") -> R | None:
        """One record, or None: the quick way for what is only read."""
        place = (client, self.name)
        rows = change.opened.get(place)
        state = change.world.tables.get(place) if rows is None else rows.state
        row = None if state is None else state.rows.get(key)
        return None if row is None else row[1]

    def seen(self, world: World, client: str = "") -> Rows[K, R]:
        """The rows of one client, to read only: what is written to them goes nowhere."""
        return Rows(self, (client, self.name), world.change(0))


class Rows(Generic[K, R]):
    """The rows of one table of one client inside one change."""

    __slots__ = ("base", "change", "place", "state", "table")

    def __init__(self, table: Table[K, R], place: tuple[str, str], change: Change) -> None:
        self.table = table
        self.place = place
        self.change = change
        self.base: TableState = change.world.tables.get(place) or table.empty
        self.state = self.base

    def get(self, key: K) -> R | None:
        """The record, or None."""
        row = self.state.rows.get(key)
        return row[1] if row is not None else None

    def __getitem__(self, key: K) -> R:
        record: R = self.state.rows[key][1]
        return record

    def __contains__(self, key: object) -> bool:
        return key in self.state.rows

    def __len__(self) -> int:
        return len(self.state.rows)

    def __iter__(self) -> Iterator[R]:
        """Every record, newest first."""
        rows = self.state.rows
        for serial, key in self.state.order:
            row = rows.get(key)
            if row is not None and row[0] == serial:
                yield row[1]

    def oldest(self) -> list[R]:
        """Every record in order of creation."""
        return [record for _, record in sorted(self.state.rows.values(), key=_serial)]

    def find(self, index: Index[R], value: Hashable) -> list[R]:
        """The records found under the value, in order of creation."""
        keys = self.state.indexes[index.place].get(value)
        if keys is None:
            return []
        rows = self.state.rows
        if len(keys) == 1:
            return [rows[key][1] for key in keys]
        return [record for _, record in sorted((rows[key] for key in keys), key=_serial)]

    def count(self, index: Index[R], value: Hashable) -> int:
        """How many records are found under the value."""
        keys = self.state.indexes[index.place].get(value)
        return 0 if keys is None else len(keys)

    def first(self, index: Index[R], value: Hashable) -> R | None:
        """The oldest record found under the value, or None."""
        keys = self.state.indexes[index.place].get(value)
        if keys is None:
            return None
        rows = self.state.rows
        record: R = min((rows[key] for key in keys), key=_serial)[1]
        return record

    def values(self, index: Index[R]) -> Iterator[Any]:
        """Every value of the index that finds something."""
        return iter(self.state.indexes[index.place])

    def put(self, record: R) -> R:
        """Insert the record, or replace the one with its key, which then keeps its place in the order."""
        table, state = self.table, self.state
        key = table.key(record)
        before = state.rows.get(key)
        if before is None:
            serial = state.serial + 1
            order = state.order.push_front((serial, key))
        else:
            serial, order = before[0], state.order
        indexes = state.indexes
        if indexes:
            indexes = self._indexed(key, None if before is None else before[1], record)
        self.state = TableState(
            state.rows.insert(key, (serial, record)),
            order,
            state.dead,
            serial if before is None else state.serial,
            indexes,
        )
        self.change.touched.append((self.place, key))
        return record

    def remove(self, key: K) -> None:
        """Remove the record of this key; KeyError when there is none."""
        state = self.state
        rows = state.rows.remove(key)
        order, dead = state.order, state.dead + 1
        if dead > SWEEP and dead > len(rows):
            alive = [entry for entry in order if (row := rows.get(entry[1])) is not None and row[0] == entry[0]]
            order, dead = List(alive), 0
        indexes = self._indexed(key, state.rows[key][1], None) if state.indexes else state.indexes
        self.state = TableState(rows, order, dead, state.serial, indexes)
        self.change.touched.append((self.place, key))

    def _indexed(self, key: K, before: R | None, after: R | None) -> tuple[HashTrieMap[Any, HashTrieSet[Any]], ...]:
        maps = self.state.indexes
        for index in self.table.indexes:
            old = index.values(before) if before is not None else ()
            new = index.values(after) if after is not None else ()
            if old == new:
                continue
            found = maps[index.place]
            for value in old:
                if value in new:
                    continue
                left = found[value].discard(key)
                found = found.insert(value, left) if left else found.remove(value)
            for value in new:
                if value not in old:
                    keys = found.get(value)
                    found = found.insert(value, HashTrieSet((key,)) if keys is None else keys.insert(key))
            maps = (*maps[: index.place], found, *maps[index.place + 1 :])
        return maps


def _serial(row: tuple[int, Any]) -> int:
    return row[0]
