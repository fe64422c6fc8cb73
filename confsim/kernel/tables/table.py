"""Tables of frozen records: persistent maps by key, with declared indexes, orders and totals.

A ``Table`` is a declaration and holds no records. The records are in a world, one ``TableState`` for each client, and
are read and written through the ``Rows`` that ``Table.of(change, client)`` returns; ids of other clients are not found.
``Rows.all`` and ``Rows.where`` return views: sequences in a declared order; length, ends and pages are read without the
rest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar, dataclass_transform

from msgspec import Struct

from ..maps import Map, inserted, map_of, removed
from .indexes import CREATED, Arrangement, Bucket, Index, Lookup, Made, Order, Records, Total, Unique, Values
from .read_fields import read_fields
from .views import View


@dataclass_transform(frozen_default=True)
class Record(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A record of a table. Frozen; changed by ``msgspec.structs.replace``. Its fields are values without cycles."""


K = TypeVar("K", bound=Hashable)
#: By value, the ids of the clients whose records are found by it.
Owners: TypeAlias = Map[Hashable, str]
R = TypeVar("R", bound=Record)


class SecretForm(Enum):
    """The form of a field that is secret, or has a secret in it."""

    TEXT = "text"
    CODES = "codes"  # pairs, in each of which the second is secret
    URL = "url"  # what an address has for its receiver alone
    KEYED_URL = "keyed url"  # the same, and the end of its path


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class TableState(Struct, frozen=True, gc=False):
    """One table of one client: the records, all of them in each order of the table, and one map for each index."""

    rows: Records = {}
    all: Bucket = Bucket(((),))
    serial: int = 0
    indexes: tuple[Lookup, ...] = ()


class Writer(Protocol):
    """The parts of a change that ``Rows`` uses: the tables, and the lists of what was written."""

    shared: list[TableState]
    client_tables: dict[str, list[TableState]]
    written: dict[str, None]
    touched: list[tuple[tuple[str, str], Any]]
    owners: Map[str, Owners]
    steps: int

    def take(self, steps: int) -> None:
        """Take so many steps. Raises TooLong when they are more than it may."""
        ...

    def open_tables(self, client: str) -> list[TableState]:
        """Return the tables of one client, or the shared ones for "", as a list that the change writes to."""
        ...


class ReadableWorld(Protocol):
    """The part of a world that ``Table.seen`` uses."""

    def change(self, now: int) -> Writer:
        """Begin a change at this instant."""
        ...


class Table(Generic[K, R]):
    """The declaration of a table of each client: its name, the record type, the key field, the indexes and orders.

    ``located(record)`` returns the values by which ``find_client`` finds the client of a record, at a cost independent
    of the number of clients; each value belongs to one record of all clients. ``secrets`` are the fields with secrets,
    which a masked export replaces. ``names`` are the fields that name a record of another table, of the same client or
    shared, which must be there because calls depend on it. ``position`` is the index of the table in the list that each
    client has.
    """

    #: Every table by name, in order of declaration.
    declared: dict[str, Table[Any, Any]] = {}
    #: The tables of one list by their positions, and their initial states.
    by_position: ClassVar[list[Table[Any, Any]]] = []
    empty_states: ClassVar[list[TableState]] = []
    shared = False

    def __init__(
        self,
        name: str,
        record: type[R],
        key: str,
        *indexes: Unique[R] | Index[R],
        orders: tuple[Order[R], ...] = (CREATED,),
        totals: tuple[Total[R], ...] = (),
        located: Callable[[R], Values] | None = None,
        secrets: Mapping[str, SecretForm] = _NOTHING,
        names: Mapping[str, str] = _NOTHING,
    ) -> None:
        if name in Table.declared:
            raise ValueError(f"table {name!r} is declared twice")
        Table.declared[name] = self
        self.name = name
        self.record = record
        self.key_name = key
        self.key: Callable[[R], K] = attrgetter(key)
        self.all = Arrangement(orders, totals)
        self.indexes = indexes
        self.located = located
        self.secrets = secrets
        self.names = names
        for place, index in enumerate(indexes):
            index.position = place
        self.position = len(self.by_position)
        self.by_position.append(self)
        self.empty_states.append(TableState(all=self.all.empty, indexes=(map_of({}),) * len(indexes)))

    @cached_property
    def placed_by(self) -> Callable[[R], object]:
        """Return the function of a record that returns all fields deciding its place in indexes, orders and totals."""
        located = () if self.located is None else read_fields((self.located,), self.record)
        return _deciding(*self._read, read_fields(self.all.functions, self.record), located)

    @cached_property
    def placed_in(self) -> tuple[tuple[Unique[R] | Index[R], Callable[[R], object]], ...]:
        """Return the indexes, each with the function that returns the fields deciding a record's place in it."""
        return tuple((index, _deciding(fields)) for index, fields in zip(self.indexes, self._read, strict=True))

    @cached_property
    def _read(self) -> tuple[tuple[str, ...] | None, ...]:
        """Return the fields that each index reads, None when that cannot be determined."""
        return tuple(read_fields(index.functions, self.record) for index in self.indexes)

    def of(self, change: Writer, client: str) -> Rows[K, R]:
        """Return the rows of one client, for reading and writing in this change."""
        return Rows(self, client, change, change.client_tables.get(client) or change.open_tables(client))

    def get(self, change: Writer, key: K, client: str) -> R | None:
        """Return the record of this key, or None, like ``dict.get``; faster than ``of`` for a single read."""
        row = (change.client_tables.get(client) or change.open_tables(client))[self.position].rows.get(key)
        return None if row is None else row[1]

    def find_client(self, change: Writer, value: Hashable) -> str | None:
        """Return the id of the client of the record with this value among those of ``located``, or None."""
        owners = change.owners.get(self.name)
        return None if owners is None else owners.get(value)

    def seen(self, world: ReadableWorld, client: str) -> Rows[K, R]:
        """Return the rows of one client, read-only: writes to them are discarded."""
        return self.of(world.change(0), client)


class SharedTable(Table[K, R]):
    """A table of the service as a whole rather than of each client (clients, credentials, mail)."""

    by_position: ClassVar[list[Table[Any, Any]]] = []
    empty_states: ClassVar[list[TableState]] = []
    shared = True

    def of(self, change: Writer, client: str = "") -> Rows[K, R]:
        """Return the rows, for reading and writing in this change."""
        return Rows(self, client, change, change.shared or change.open_tables(client))

    def get(self, change: Writer, key: K, client: str = "") -> R | None:
        """Return the record of this key, or None, like ``dict.get``; faster than ``of`` for a single read."""
        row = (change.shared or change.open_tables(client))[self.position].rows.get(key)
        return None if row is None else row[1]

    def seen(self, world: ReadableWorld, client: str = "") -> Rows[K, R]:
        """Return the rows, read-only: writes to them are discarded."""
        return self.of(world.change(0), client)


class Rows(Struct, Generic[K, R], gc=False, eq=False):
    """The rows of one table of one client inside one change: records by key, and views of them."""

    table: Table[K, R]
    client: str
    change: Writer
    tables: list[TableState]

    __iter__ = None

    @property
    def state(self) -> TableState:
        """The current state of the table."""
        return self.tables[self.table.position]

    @property
    def all(self) -> View[R]:
        """Return every record, in the first order of the table, by default that of creation."""
        table = self.table
        state = self.tables[table.position]
        return View(self.change, state.rows, table.all, state.all, state.all.orders[0])

    def get(self, key: K) -> R | None:
        """Return the record of this key, or None, like ``dict.get``."""
        row = self.tables[self.table.position].rows.get(key)
        return None if row is None else row[1]

    def __getitem__(self, key: K) -> R:
        record: R = self.tables[self.table.position].rows[key][1]
        return record

    def __contains__(self, key: object) -> bool:
        return key in self.tables[self.table.position].rows

    def __len__(self) -> int:
        return len(self.tables[self.table.position].rows)

    def one(self, index: Unique[R], value: Hashable) -> R | None:
        """Return the record with the value of a unique index, or None."""
        state = self.tables[self.table.position]
        key = state.indexes[index.position].get(value)
        return None if key is None else state.rows[key][1]

    def has(self, index: Unique[R] | Index[R], values: Iterable[Hashable]) -> Iterator[bool]:
        """Yield for each value whether there is a record with it."""
        return map(self.tables[self.table.position].indexes[index.position].__contains__, values)

    def where(self, index: Index[R], value: Hashable) -> View[R]:
        """Return the records with the value, in the first order of the index, by default that of creation."""
        state = self.tables[self.table.position]
        bucket = state.indexes[index.position].get(value)
        if type(bucket) is Bucket:
            return View(self.change, state.rows, index, bucket, bucket.orders[0])
        return View(self.change, state.rows, index, bucket, () if bucket is None else (bucket,))

    def number(self, index: Index[R], values: Iterable[Hashable]) -> int:
        """Return the number of records with any of these values; a record with several is counted for each."""
        find = self.state.indexes[index.position].get
        found = 0
        for value in values:
            bucket = find(value)
            if bucket is not None:
                found += len(bucket.orders[0]) if type(bucket) is Bucket else 1
        return found

    def put(self, record: R, *, check: bool = True) -> R:
        """Insert the record, or replace the one with its key at its place in the order of creation; return it.

        Raises ValueError, without a change, when another record has one of its values in a unique index. Without
        ``check`` the record takes the value over: the other record must be put next with another value.
        """
        table, tables = self.table, self.tables
        state = tables[table.position]
        rows = state.rows
        key = table.key(record)
        row = rows.get(key)
        if row is None:
            serial = latest = state.serial + 1
            everything = table.all.add(state.all, table.all.entries((serial, key), record), record)
            indexes = _entered(table, state, (serial, key), record, check)
            if table.located is not None:
                _locate(self.change, table, (), table.located(record), self.client)
        else:
            serial, before = row
            latest, everything, indexes, placed_by = state.serial, state.all, state.indexes, table.placed_by
            if placed_by(before) != placed_by(record):
                if not table.all.plain:
                    entries = table.all.entries((serial, key), before), table.all.entries((serial, key), record)
                    everything = table.all.replace(everything, *entries, before, record)
                indexes = _indexed(table, state, (serial, key), before, record, check)
                if table.located is not None:
                    _locate(self.change, table, table.located(before), table.located(record), self.client)
        tables[table.position] = TableState(inserted(rows, key, (serial, record)), everything, latest, indexes)
        change = self.change
        change.written[self.client] = None
        change.touched.append(((self.client, table.name), key))
        return record

    def remove(self, key: K) -> R:
        """Remove the record of this key and return it. Raises KeyError when there is none."""
        table, tables = self.table, self.tables
        state = tables[table.position]
        rows = state.rows
        serial, record = rows[key]
        made = (serial, key)
        indexes = _left(table, state, made, record)
        everything = table.all.discard(state.all, table.all.entries(made, record), record)
        tables[table.position] = TableState(removed(rows, key), everything, state.serial, indexes)
        change = self.change
        if table.located is not None:
            _locate(change, table, table.located(record), (), self.client)
        change.written[self.client] = None
        change.touched.append(((self.client, table.name), key))
        gone: R = record
        return gone


def _deciding(*read: tuple[str, ...] | None) -> Callable[[Any], object]:
    """Return a function of a record: the fields that are read, or the record's identity when these are unknown."""
    fields = dict.fromkeys(field for each in read if each is not None for field in each)
    if None in read:
        return id
    return attrgetter(*fields) if fields else lambda record: None


def _locate(change: Writer, table: Table[Any, Any], old: Values, new: Values, client: str) -> None:
    """Note that a record of the client has the new values instead of the old ones."""
    if old == new:
        return
    owners: Owners = change.owners.get(table.name, {})
    for value in old:
        if value not in new and owners.get(value) == client:
            owners = removed(owners, value)
    for value in new:
        owners = inserted(owners, value, client)
    change.owners = inserted(change.owners, table.name, owners)


def _entered(table: Table[Any, R], state: TableState, made: Made, record: R, check: bool) -> tuple[Lookup, ...]:
    """Return the maps of the indexes with a new record."""
    maps = [*state.indexes]
    for place, index in enumerate(table.indexes):
        values = index.values(record)
        if values:
            if check and isinstance(index, Unique):
                index.require_free(maps[place], values, made[1])
            maps[place] = index.enter(maps[place], values, made, record, state.rows)
    return tuple(maps)


def _left(table: Table[Any, R], state: TableState, made: Made, record: R) -> tuple[Lookup, ...]:
    """Return the maps of the indexes without a record."""
    maps = [*state.indexes]
    for place, index in enumerate(table.indexes):
        values = index.values(record)
        if values:
            maps[place] = index.leave(maps[place], values, made, record)
    return tuple(maps)


def _indexed(
    table: Table[Any, R], state: TableState, made: Made, before: R, after: R, check: bool
) -> tuple[Lookup, ...]:
    """Return the maps of the indexes after a record was replaced."""
    maps = [*state.indexes]
    for place, (index, placed_by) in enumerate(table.placed_in):
        if placed_by(before) == placed_by(after):
            continue
        old, new = index.values(before), index.values(after)
        if old == new and (index.plain or not new):
            continue
        if check and isinstance(index, Unique):
            index.require_free(maps[place], new, made[1])
        maps[place] = index.update(maps[place], old, new, made, before, after, state.rows)
    return tuple(maps)
