"""Tables of frozen records: persistent maps by key, with declared indexes, orders and totals.

A ``Table`` is a declaration and holds no records. The records are in a world, one ``TableState`` for each client, and
are read and written through the ``Rows`` that ``Table.of(change, client)`` returns; ids of other clients are not found.
``Rows.all`` and ``Rows.where`` return views: sequences in a declared order; length, ends and pages are read without the
rest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from enum import Enum
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Protocol, TypeVar, dataclass_transform

from msgspec import Struct
from msgspec.structs import replace

from ..maps import inserted
from ..timers import Alarm
from .indexes import CREATED, Index, Lookup, Order, Row, Total, Unique, fields_of
from .states import TableState
from .views import View
from .writing import StaleRecord, Writer


@dataclass_transform(frozen_default=True)
class Record(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A record of a table. Frozen; changed by ``msgspec.structs.replace``. Its fields are values without cycles."""


K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=Record)


class SecretForm(Enum):
    """The form of a field that is secret, or has a secret in it."""

    TEXT = "text"
    CODES = "codes"  # pairs, in each of which the second is secret
    URL = "url"  # what an address has for its receiver alone
    KEYED_URL = "keyed url"  # the same, and the end of its path


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class ReadableWorld(Protocol):
    """The part of a world that ``Table.seen`` uses."""

    def change(self, now: int) -> Writer:
        """Begin a change at this instant."""
        ...


class Table(Generic[K, R]):
    """The declaration of a table: its name, the record type, the key field, the indexes and orders.

    Each client has a table of its own. A ``shared`` one is of the service as a whole (clients, credentials, mail), and
    stands among the tables of the client "".

    ``located`` is the field, or the unique index, by whose values ``find_client`` finds the client of a record, at a
    cost independent of the number of clients; each value belongs to one record of all clients. ``secrets`` are the
    fields with secrets, which a masked export replaces. ``names`` are the fields that name a record of another table,
    of the same client or shared, which must be there because calls depend on it. The keys of the one shared table
    ``of_clients`` are the ids of the clients. ``position`` is the index of the table
    in the list that each client has.
    """

    #: Every table by name, in order of declaration.
    declared: dict[str, Table[Any, Any]] = {}
    #: The tables by their positions, and their initial states.
    by_position: ClassVar[list[Table[Any, Any]]] = []
    empty_states: ClassVar[list[TableState]] = []
    #: The table of the clients, once it is declared.
    clients: ClassVar[Table[Any, Any]]

    def __init__(
        self,
        name: str,
        record: type[R],
        key: str,
        *indexes: Unique[R] | Index[R],
        orders: tuple[Order[R], ...] = (CREATED,),
        totals: tuple[Total[R], ...] = (),
        located: Unique[R] | str | None = None,
        secrets: Mapping[str, SecretForm] = _NOTHING,
        names: Mapping[str, str] = _NOTHING,
        shared: bool = False,
        of_clients: bool = False,
    ) -> None:
        if name in Table.declared:
            raise ValueError(f"table {name!r} is declared twice")
        self.shared = shared
        self.name = name
        self.record = record
        self.key_name = key
        self.key: Callable[[R], K] = attrgetter(key)
        self.all: Index[R] = Index("all", of=lambda: (None,), orders=orders, totals=totals)
        self.indexes: tuple[Index[R], ...] = (self.all, *(each for each in indexes if isinstance(each, Index)))
        self.uniques: tuple[Unique[R], ...] = tuple(each for each in indexes if isinstance(each, Unique))
        self.located: Unique[R] | None = Unique(located, located) if isinstance(located, str) else located
        self.secrets = secrets
        self.names = names
        placing = sorted({field for index in self.indexes for field in index.placing})
        finding = sorted({field for unique in (*self.uniques, self.located) if unique for field in unique.fields})
        #: The fields of a record that decide its place in indexes, and those by whose values it alone is found.
        self.placed_by, self.found_by = fields_of(tuple(placing)), fields_of(tuple(finding))
        unknown = [field for field in (*placing, *finding) if not hasattr(record, field)]
        if unknown:
            raise ValueError(f"table {name!r}: a record has no field {', '.join(unknown)}, by which it is indexed")
        Table.declared[name] = self
        if of_clients:
            Table.clients = self
        for place, unique in enumerate(self.uniques):
            unique.position = place
        for place, index in enumerate(self.indexes):
            index.position = place
        self.position = len(self.by_position)
        self.by_position.append(self)
        self.alarms: tuple[Alarm, ...] = ()
        self.empty_states.append(TableState({}, 0, ({},) * len(self.uniques), (({}, 0),) * len(self.indexes)))

    def of(self, change: Writer, client: str = "") -> Rows[K, R]:
        """Return the rows of one client, or those of a shared table, for reading and writing in this change.

        Raises ValueError for a client that a shared table is given, or that a table of each client is not.
        """
        if self.shared is (client != ""):
            belongs = "is shared, and of no client" if self.shared else "is of each client, and none is given"
            raise ValueError(f"table {self.name!r} {belongs}")
        return Rows(self, client, change, change.tables.get(client) or change.open_tables(client))

    def get(self, change: Writer, key: K, client: str = "") -> R | None:
        """Return the record of this key, or None, like ``dict.get``."""
        row = (change.tables.get(client) or change.open_tables(client))[self.position].rows.get(key)
        return None if row is None else row[1]

    def one(self, change: Writer, index: Unique[R], value: Hashable, client: str = "") -> R | None:
        """Return the record with the value of a unique index, or None."""
        found: R | None = (change.tables.get(client) or change.open_tables(client))[self.position].one(index, value)
        return found

    def where(self, change: Writer, index: Index[R], value: Hashable, client: str = "") -> View[R]:
        """Return the records with the value, as ``Rows.where``."""
        return (change.tables.get(client) or change.open_tables(client))[self.position].where(change, index, value)

    def has(self, change: Writer, index: Index[R], value: Hashable, client: str = "") -> bool:
        """Return whether there is a record with the value."""
        return value in (change.tables.get(client) or change.open_tables(client))[self.position].index(index)

    def find_client(self, change: Writer, value: Hashable) -> str | None:
        """Return the id of the client of the record with this value among those of ``located``, or None."""
        found: Lookup = change.owners.get(self.name, {})
        return found.get(value)

    def seen(self, world: ReadableWorld, client: str = "") -> Rows[K, R]:
        """Return the rows as ``of`` does, read-only: writes to them are discarded."""
        return self.of(world.change(0), client)

    def put(
        self,
        change: Writer,
        client: str,
        record: R,
        *,
        to_end: bool = False,
        check: bool = True,
        instead_of: R | None = None,
    ) -> None:
        """Insert or replace a record of a client, as ``Rows.put``.

        With ``to_end`` it becomes the latest of its table, as if it was created now. Raises StaleRecord, without a
        change, if the record that it is put ``instead_of`` is not the stored one.
        """
        tables, key = change.tables.get(client) or change.open_tables(client), self.key(record)
        state = tables[self.position]
        was = state.rows.get(key)
        if instead_of is not None and (was is None or was[1] is not instead_of):
            raise StaleRecord(self.name)
        serial = state.serial + 1 if was is None or to_end else was[0]
        tables[self.position] = self._after(change, client, state, key, was, (serial, record), check)

    def remove(self, change: Writer, client: str, key: K) -> R:
        """Remove a record of a client and return it, as ``Rows.remove``."""
        tables = change.tables[client]
        state = tables[self.position]
        was = state.rows[key]
        tables[self.position] = self._after(change, client, state, key, was, None, check=False)
        record: R = was[1]
        return record

    def _after(
        self, change: Writer, client: str, state: TableState, key: K, was: Row | None, row: Row | None, check: bool
    ) -> TableState:
        """Return the state after a row has changed, and note what else follows: the client it is located at, timers.

        Raises ValueError like ``Rows.put``, without a change.
        """
        keys = state.keys
        if not (was and row and self.found_by(was[1]) == self.found_by(row[1])):
            keys = self._found(change, client, keys, key, was, row, check)
        if was and row and was[0] == row[0] and self.placed_by(was[1]) == self.placed_by(row[1]):
            state = TableState(inserted(state.rows, key, row), state.serial, keys, state.lookups, state.late)
        else:
            state = state.after(self.indexes, key, was, row, keys)
        change.written[client] = None
        change.touched.append((client, self.name, key))
        for alarm in self.alarms:
            name = (self.name, client, key, alarm.kind)
            change.set_timer(name, None if row is None else alarm.timer(name, *row))
        return state

    def _found(
        self,
        change: Writer,
        client: str,
        keys: tuple[Lookup, ...],
        key: K,
        was: Row | None,
        row: Row | None,
        check: bool,
    ) -> tuple[Lookup, ...]:
        """Return the maps of the unique indexes after a row has changed, and note the client that it is located at."""
        found = [*keys]
        for unique in self.uniques:
            found[unique.position] = unique.after(found[unique.position], key, was, row, check)
        if self.located is not None:
            held: Lookup = change.owners.get(self.name, {})
            change.owners = inserted(change.owners, self.name, self.located.after(held, client, was, row))
        return tuple(found)


class Rows(Struct, Generic[K, R], gc=False, eq=False):
    """The rows of one table of one client inside one change: records by key, and views of them."""

    table: Table[K, R]
    client: str
    change: Writer
    tables: list[TableState]

    __iter__ = None

    @property
    def all(self) -> View[R]:
        """Return every record, in the first order of the table, by default that of creation."""
        return self.tables[self.table.position].where(self.change, self.table.all, None)

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
        found: R | None = self.tables[self.table.position].one(index, value)
        return found

    def where(self, index: Index[R], value: Hashable) -> View[R]:
        """Return the records with the value, in the first order of the index, by default that of creation."""
        return self.tables[self.table.position].where(self.change, index, value)

    def each(self, index: Index[R], values: Iterable[Hashable], order: Order[R]) -> Iterator[View[R]]:
        """Yield the records of each of these values that any record has, in a declared order of the index."""
        state, place = self.tables[self.table.position], index.orders.index(order)
        buckets = state.index(index)
        for value in values:
            bucket = buckets.get(value)
            if bucket is not None:
                entries = bucket.orders[place]
                yield View(self.change, state.rows, index, bucket, entries, range(len(entries)))

    def put(self, record: R, *, check: bool = True) -> R:
        """Insert the record, or replace the one with its key at its place in the order of creation; return it.

        Raises ValueError, without a change, when another record has one of its values in a unique index. Without
        ``check`` the record takes the value over: the other record must be put next with another value.
        """
        self.table.put(self.change, self.client, record, check=check)
        return record

    def update(self, record: R, **fields: object) -> R:
        """Replace fields of a record and return the new one. Raises StaleRecord if it is no longer the stored one."""
        changed = replace(record, **fields)
        self.table.put(self.change, self.client, changed, instead_of=record)
        return changed

    def remove(self, key: K) -> R:
        """Remove the record of this key and return it. Raises KeyError when there is none."""
        return self.table.remove(self.change, self.client, key)
