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

from ..maps import map_of
from .indexes import CREATED, Bucket, Index, Lookup, Order, Total, Unique, fields_of
from .states import TableState
from .views import View
from .writing import Layout, Writer


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
        computed = getattr(record, key)  # a property is called by its function: at every write
        self.key: Callable[[R], K] = (isinstance(computed, property) and computed.fget) or attrgetter(key)
        self.all: Index[R] = Index("all", of=lambda: (None,), orders=orders, totals=totals)
        self.indexes: tuple[Index[R], ...] = (self.all, *(each for each in indexes if isinstance(each, Index)))
        self.uniques: tuple[Unique[R], ...] = tuple(each for each in indexes if isinstance(each, Unique))
        self.located: Unique[R] | None = Unique(located, located) if isinstance(located, str) else located
        self.secrets = secrets
        self.names = names
        located_by = () if self.located is None else self.located.fields
        finding = dict.fromkeys([*located_by, *(field for unique in self.uniques for field in unique.fields)])
        placing = dict.fromkeys([*finding, *(field for index in self.indexes for field in index.placing)])
        unknown = [field for field in placing if not hasattr(record, field)]
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
        self.layout = Layout(
            *(name, self.position, self.key, self.all, self.indexes, self.uniques, self.located),
            *(fields_of(tuple(placing)), fields_of(tuple(finding))),
        )
        nothing: Lookup = map_of({})
        self.empty_states.append(TableState({}, 0, (nothing,) * len(self.uniques), ((nothing, 0),) * len(self.indexes)))

    def of(self, change: Writer, client: str = "") -> Rows[K, R]:
        """Return the rows of one client, or those of a shared table, for reading and writing in this change.

        Raises ValueError for a client that a shared table is given, or that a table of each client is not.
        """
        if self.shared is (client != ""):
            belongs = "is shared, and of no client" if self.shared else "is of each client, and none is given"
            raise ValueError(f"table {self.name!r} {belongs}")
        return Rows(self.layout, client, change, self.layout.tables(change, client))

    def get(self, change: Writer, key: K, client: str = "") -> R | None:
        """Return the record of this key, or None, like ``dict.get``."""
        row = (change.client_tables.get(client) or change.open_tables(client))[self.position].rows.get(key)
        return None if row is None else row[1]

    def one(self, change: Writer, index: Unique[R], value: Hashable, client: str = "") -> R | None:
        """Return the record with the value of a unique index, or None."""
        state = (change.client_tables.get(client) or change.open_tables(client))[self.position]
        key = state.keys[index.position].get(value)
        return None if key is None else state.rows[key][1]

    def where(self, change: Writer, index: Index[R], value: Hashable, client: str = "") -> View[R]:
        """Return the records with the value, as ``Rows.where``."""
        return (change.client_tables.get(client) or change.open_tables(client))[self.position].where(
            change, index, value
        )

    def has(self, change: Writer, index: Index[R], value: Hashable, client: str = "") -> bool:
        """Return whether there is a record with the value."""
        return value in (change.client_tables.get(client) or change.open_tables(client))[self.position].index(index)

    def find_client(self, change: Writer, value: Hashable) -> str | None:
        """Return the id of the client of the record with this value among those of ``located``, or None."""
        owners = change.owners.maps().get(self.name)
        return None if owners is None else owners.get(value)

    def seen(self, world: ReadableWorld, client: str = "") -> Rows[K, R]:
        """Return the rows as ``of`` does, read-only: writes to them are discarded."""
        return self.of(world.change(0), client)


class Rows(Struct, Generic[K, R], gc=False, eq=False):
    """The rows of one table of one client inside one change: records by key, and views of them."""

    layout: Layout
    client: str
    change: Writer
    tables: list[TableState]

    __iter__ = None

    @property
    def state(self) -> TableState:
        """The current state of the table."""
        return self.tables[self.layout.position]

    @property
    def all(self) -> View[R]:
        """Return every record, in the first order of the table, by default that of creation."""
        return self.tables[self.layout.position].where(self.change, self.layout.all, None)

    def get(self, key: K) -> R | None:
        """Return the record of this key, or None, like ``dict.get``."""
        row = self.tables[self.layout.position].rows.get(key)
        return None if row is None else row[1]

    def __getitem__(self, key: K) -> R:
        record: R = self.tables[self.layout.position].rows[key][1]
        return record

    def __contains__(self, key: object) -> bool:
        return key in self.tables[self.layout.position].rows

    def __len__(self) -> int:
        return len(self.tables[self.layout.position].rows)

    def one(self, index: Unique[R], value: Hashable) -> R | None:
        """Return the record with the value of a unique index, or None."""
        state = self.tables[self.layout.position]
        key = state.keys[index.position].get(value)
        return None if key is None else state.rows[key][1]

    def where(self, index: Index[R], value: Hashable) -> View[R]:
        """Return the records with the value, in the first order of the index, by default that of creation."""
        return self.tables[self.layout.position].where(self.change, index, value)

    def each(self, index: Index[R], values: Iterable[Hashable], order: Order[R]) -> Iterator[View[R]]:
        """Yield the records of each of these values that any record has, in a declared order of the index."""
        state, place = self.state, index.orders.index(order)
        buckets, rows = state.index(index), state.rows
        for value in values:
            bucket = buckets.get(value)
            if bucket is not None:
                many = isinstance(bucket, Bucket)
                entries = bucket.orders[place] if many else (order.entry(bucket, rows[bucket[1]][1]),)
                yield View(self.change, rows, index, bucket, entries, range(len(entries)))

    def put(self, record: R, *, check: bool = True) -> R:
        """Insert the record, or replace the one with its key at its place in the order of creation; return it.

        Raises ValueError, without a change, when another record has one of its values in a unique index. Without
        ``check`` the record takes the value over: the other record must be put next with another value.
        """
        self.layout.put(self.change, self.client, record, check=check)
        return record

    def update(self, record: R, **fields: object) -> R:
        """Replace fields of a record and return the new one. Raises StaleRecord if it is no longer the stored one."""
        changed = replace(record, **fields)
        self.layout.put(self.change, self.client, changed, instead_of=record)
        return changed

    def remove(self, key: K) -> R:
        """Remove the record of this key and return it. Raises KeyError when there is none."""
        gone: R = self.layout.remove(self.change, self.client, key)
        return gone
