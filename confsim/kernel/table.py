"""Tables of frozen records: persistent maps with declared indexes and the newest-first order kept beside them.

A ``Table`` is a declaration and holds nothing. What it holds lives in a world, one ``TableState`` for each client, and
is read and written through the ``Rows`` that ``Table.of(change, client)`` opens: a foreign id is simply not there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar, dataclass_transform

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


#: For each index of a table the keys of the records that are found under a value.
Maps: TypeAlias = "tuple[HashTrieMap[Any, HashTrieSet[Any]], ...]"


class TableState(Struct, frozen=True, gc=False):
    """One table of one client: key to (serial, record), the order newest first, one map for each index."""

    rows: HashTrieMap[Any, tuple[int, Any]] = HashTrieMap()
    order: List[tuple[int, Any]] = List()
    dead: int = 0
    serial: int = 0
    indexes: Maps = ()


class Index(Generic[R]):
    """A named way to find records: ``values(record)`` gives every value under which the record is found."""

    __slots__ = ("name", "place", "values")

    def __init__(self, name: str, values: Callable[[R], tuple[Hashable, ...]]) -> None:
        self.name = name
        self.values = values
        self.place = -1


class Table(Generic[K, R]):
    """The declaration of a table of each client: its name, the record type, the key field and the indexes.

    ``number`` tells where it stands on the shelf of a client.
    """

    #: Every table by name, in order of declaration.
    declared: dict[str, Table[Any, Any]] = {}
    #: Those that stand on one shelf, by their numbers, and what they hold before anything is put.
    shelved: ClassVar[list[Table[Any, Any]]] = []
    empties: ClassVar[list[TableState]] = []
    shared = False

    def __init__(self, name: str, record: type[R], key: str, *indexes: Index[R]) -> None:
        if name in Table.declared:
            raise ValueError(f"table {name!r} is declared twice")
        Table.declared[name] = self
        self.name = name
        self.record = record
        self.key_name = key
        self.key: Callable[[R], K] = attrgetter(key)
        self.indexes = indexes
        for place, index in enumerate(indexes):
            index.place = place
        self.number = len(self.shelved)
        self.shelved.append(self)
        self.empties.append(TableState(indexes=tuple(HashTrieMap() for _ in indexes)))

    def of(self, change: Change, client: str) -> Rows[K, R]:
        """The rows of one client, to read and to write in this change."""
        return Rows(self, client, change, change.shelves.get(client) or change.shelf(client))

    def get(self, change: Change, key: K, client: str) -> R | None:
        """One record, or None: the quick way for what is only read."""
        row = (change.shelves.get(client) or change.shelf(client))[self.number].rows.get(key)
        return None if row is None else row[1]

    def seen(self, world: World, client: str) -> Rows[K, R]:
        """The rows of one client, to read only: what is written to them goes nowhere."""
        return self.of(world.change(0), client)


class SharedTable(Table[K, R]):
    """A table of the service as a whole rather than of each client (clients, credentials, mail)."""

    shelved: ClassVar[list[Table[Any, Any]]] = []
    empties: ClassVar[list[TableState]] = []
    shared = True

    def of(self, change: Change, client: str = "") -> Rows[K, R]:
        """The rows, to read and to write in this change."""
        return Rows(self, client, change, change.shared or change.shelf(client))

    def get(self, change: Change, key: K, client: str = "") -> R | None:
        """One record, or None: the quick way for what is only read."""
        row = (change.shared or change.shelf(client))[self.number].rows.get(key)
        return None if row is None else row[1]

    def seen(self, world: World, client: str = "") -> Rows[K, R]:
        """The rows, to read only: what is written to them goes nowhere."""
        return self.of(world.change(0), client)


class Rows(Struct, Generic[K, R], gc=False, eq=False):
    """The rows of one table of one client inside one change."""

    table: Table[K, R]
    client: str
    change: Change
    shelf: list[TableState]

    @property
    def state(self) -> TableState:
        """The table as it is by now."""
        return self.shelf[self.table.number]

    def get(self, key: K) -> R | None:
        """The record, or None."""
        row = self.shelf[self.table.number].rows.get(key)
        return None if row is None else row[1]

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
        table, shelf = self.table, self.shelf
        state = shelf[table.number]
        key = table.key(record)
        before = state.rows.get(key)
        if before is None:
            serial = latest = state.serial + 1
            order = state.order.push_front((serial, key))
        else:
            serial, latest, order = before[0], state.serial, state.order
        indexes = _indexed(table, state.indexes, key, None if before is None else before[1], record)
        rows = state.rows.insert(key, (serial, record))
        shelf[table.number] = TableState(rows, order, state.dead, latest, indexes)
        change = self.change
        change.written[self.client] = None
        change.touched.append(((self.client, table.name), key))
        return record

    def remove(self, key: K) -> None:
        """Remove the record of this key; KeyError when there is none."""
        table, shelf = self.table, self.shelf
        state = shelf[table.number]
        rows = state.rows.remove(key)
        order, dead = state.order, state.dead + 1
        if dead > SWEEP and dead > len(rows):
            alive = [entry for entry in order if (row := rows.get(entry[1])) is not None and row[0] == entry[0]]
            order, dead = List(alive), 0
        indexes = _indexed(table, state.indexes, key, state.rows[key][1], None)
        shelf[table.number] = TableState(rows, order, dead, state.serial, indexes)
        change = self.change
        change.written[self.client] = None
        change.touched.append(((self.client, table.name), key))


def _indexed(table: Table[Any, R], maps: Maps, key: object, before: R | None, after: R | None) -> Maps:
    """The indexes after a record was put, replaced or removed."""
    for index in table.indexes:
        old = () if before is None else index.values(before)
        new = () if after is None else index.values(after)
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
