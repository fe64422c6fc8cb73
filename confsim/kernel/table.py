"""Tables of frozen records: persistent maps with declared indexes and a newest-first order.

A ``Table`` is a declaration and holds no records. They are in a world, one ``TableState`` for each client, and are
read and written through the ``Rows`` that ``Table.of(change, client)`` returns; ids of other clients are not found.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from operator import attrgetter
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar, dataclass_transform

from msgspec import Struct
from rpds import HashTrieMap, HashTrieSet, List


@dataclass_transform(frozen_default=True)
class Record(Struct, frozen=True, gc=False):
    """A row of a table. Frozen; changed by ``msgspec.structs.replace``. Fields hold values only, never a cycle."""


K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=Record)

#: Removed entries are swept from the order when there are more of them than of this and than of live entries.
SWEEP = 64


#: For each index of a table, a map from a value to the keys of the records found under it.
Maps: TypeAlias = "tuple[HashTrieMap[Any, HashTrieSet[Any]], ...]"


class TableState(Struct, frozen=True, gc=False):
    """One table of one client: key to (serial, record), the order newest first, one map for each index."""

    rows: HashTrieMap[Any, tuple[int, Any]] = HashTrieMap()
    order: List[tuple[int, Any]] = List()
    dead: int = 0
    serial: int = 0
    indexes: Maps = ()


class Writer(Protocol):
    """The interface of a change that ``Rows`` uses: the tables, and the lists of what was written."""

    shared: list[TableState]
    client_tables: dict[str, list[TableState]]
    written: dict[str, None]
    touched: list[tuple[tuple[str, str], Any]]

    def open_tables(self, client: str) -> list[TableState]:
        """The tables of one client, or the shared ones for "", as a list that the change writes to."""
        ...


class Source(Protocol):
    """The interface of a world that ``Table.seen`` uses."""

    def change(self, now: int) -> Writer:
        """Begin a change at this instant."""
        ...


class Index(Generic[R]):
    """A named index of a table: ``values(record)`` returns every value under which the record is found."""

    __slots__ = ("name", "position", "values")

    def __init__(self, name: str, values: Callable[[R], tuple[Hashable, ...]]) -> None:
        self.name = name
        self.values = values
        self.position = -1


class Table(Generic[K, R]):
    """The declaration of a table of each client: its name, the record type, the key field and the indexes.

    ``position`` is its index in the list of tables that a client holds.
    """

    #: Every table by name, in order of declaration.
    declared: dict[str, Table[Any, Any]] = {}
    #: The tables of one list by their positions, and their states before anything is put.
    by_position: ClassVar[list[Table[Any, Any]]] = []
    empty_states: ClassVar[list[TableState]] = []
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
        for position, index in enumerate(indexes):
            index.position = position
        self.position = len(self.by_position)
        self.by_position.append(self)
        self.empty_states.append(TableState(indexes=tuple(HashTrieMap() for _ in indexes)))

    def of(self, change: Writer, client: str) -> Rows[K, R]:
        """The rows of one client, to read and to write in this change."""
        return Rows(self, client, change, change.client_tables.get(client) or change.open_tables(client))

    def get(self, change: Writer, key: K, client: str) -> R | None:
        """The record of this key, or None; faster than ``of`` for a single read."""
        row = (change.client_tables.get(client) or change.open_tables(client))[self.position].rows.get(key)
        return None if row is None else row[1]

    def seen(self, world: Source, client: str) -> Rows[K, R]:
        """The rows of one client, read-only: writes to them are discarded."""
        return self.of(world.change(0), client)


class SharedTable(Table[K, R]):
    """A table of the service as a whole rather than of each client (clients, credentials, mail)."""

    by_position: ClassVar[list[Table[Any, Any]]] = []
    empty_states: ClassVar[list[TableState]] = []
    shared = True

    def of(self, change: Writer, client: str = "") -> Rows[K, R]:
        """The rows, to read and to write in this change."""
        return Rows(self, client, change, change.shared or change.open_tables(client))

    def get(self, change: Writer, key: K, client: str = "") -> R | None:
        """The record of this key, or None; faster than ``of`` for a single read."""
        row = (change.shared or change.open_tables(client))[self.position].rows.get(key)
        return None if row is None else row[1]

    def seen(self, world: Source, client: str = "") -> Rows[K, R]:
        """The rows, read-only: writes to them are discarded."""
        return self.of(world.change(0), client)


class Rows(Struct, Generic[K, R], gc=False, eq=False):
    """The rows of one table of one client inside one change."""

    table: Table[K, R]
    client: str
    change: Writer
    tables: list[TableState]

    @property
    def state(self) -> TableState:
        """The current state of the table."""
        return self.tables[self.table.position]

    def get(self, key: K) -> R | None:
        """The record of this key, or None."""
        row = self.tables[self.table.position].rows.get(key)
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
        keys = self.state.indexes[index.position].get(value)
        if keys is None:
            return []
        rows = self.state.rows
        if len(keys) == 1:
            return [rows[key][1] for key in keys]
        return [record for _, record in sorted((rows[key] for key in keys), key=_serial)]

    def count(self, index: Index[R], value: Hashable) -> int:
        """The number of records found under the value."""
        keys = self.state.indexes[index.position].get(value)
        return 0 if keys is None else len(keys)

    def first(self, index: Index[R], value: Hashable) -> R | None:
        """The oldest record found under the value, or None."""
        keys = self.state.indexes[index.position].get(value)
        if keys is None:
            return None
        rows = self.state.rows
        record: R = min((rows[key] for key in keys), key=_serial)[1]
        return record

    def values(self, index: Index[R]) -> Iterator[Any]:
        """Every value of the index under which a record is found."""
        return iter(self.state.indexes[index.position])

    def put(self, record: R) -> R:
        """Insert the record, or replace the one with its key at the same place in the order; return the record."""
        table, tables = self.table, self.tables
        state = tables[table.position]
        key = table.key(record)
        before = state.rows.get(key)
        if before is None:
            serial = latest = state.serial + 1
            order = state.order.push_front((serial, key))
        else:
            serial, latest, order = before[0], state.serial, state.order
        indexes = _indexed(table, state.indexes, key, None if before is None else before[1], record)
        rows = state.rows.insert(key, (serial, record))
        tables[table.position] = TableState(rows, order, state.dead, latest, indexes)
        change = self.change
        change.written[self.client] = None
        change.touched.append(((self.client, table.name), key))
        return record

    def remove(self, key: K) -> None:
        """Remove the record of this key. Raises KeyError when there is none."""
        table, tables = self.table, self.tables
        state = tables[table.position]
        rows = state.rows.remove(key)
        order, dead = state.order, state.dead + 1
        if dead > SWEEP and dead > len(rows):
            alive = [entry for entry in order if (row := rows.get(entry[1])) is not None and row[0] == entry[0]]
            order, dead = List(alive), 0
        indexes = _indexed(table, state.indexes, key, state.rows[key][1], None)
        tables[table.position] = TableState(rows, order, dead, state.serial, indexes)
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
        keys_of = maps[index.position]
        for value in old:
            if value in new:
                continue
            left = keys_of[value].discard(key)
            keys_of = keys_of.insert(value, left) if left else keys_of.remove(value)
        for value in new:
            if value not in old:
                keys = keys_of.get(value)
                keys_of = keys_of.insert(value, HashTrieSet((key,)) if keys is None else keys.insert(key))
        maps = (*maps[: index.position], keys_of, *maps[index.position + 1 :])
    return maps


def _serial(row: tuple[int, Any]) -> int:
    return row[0]
