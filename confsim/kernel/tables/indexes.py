"""Indexes of a table: orders and totals of its records, and maps from a value to the records with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from inspect import signature
from operator import add, attrgetter, sub
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from ..maps import Map, inserted, removed
from .ordered import Entries, Entry, insert, remove

R = TypeVar("R")

#: (serial, key) of a record. Serials count up in a table, so that these are in order of creation.
Made: TypeAlias = "tuple[int, Any]"
#: The records of a table: key to (serial, record).
Records: TypeAlias = Map[Any, tuple[int, Any]]
#: The content of an index: value to key for a unique one, else value to bucket.
Lookup: TypeAlias = Map[Any, Any]
Values: TypeAlias = "tuple[Hashable, ...]"
#: The serial of a record, and the record.
Row: TypeAlias = "tuple[int, Any]"
#: How a row changes the entries of an order, and a total.
_Write: TypeAlias = Callable[[Entries, Entry], Entries]
_Count: TypeAlias = Callable[[int, int], int]


def fields_of(fields: tuple[str, ...], of: Callable[..., Any] | None = None) -> Callable[[Any], Any]:
    """Return the function of a record that returns ``of(*fields)``, or without ``of`` a field, or several as a tuple.

    ``fields`` are names of fields or of properties. Nothing else of a record is read. Raises TypeError unless ``of``
    takes as many values as there are fields.
    """
    if of is not None:
        signature(of).bind(*fields)
    if not fields:
        same = None if of is None else of()
        return lambda record: same
    read = attrgetter(*fields)
    if of is None:
        return read
    return (lambda record: of(read(record))) if len(fields) == 1 else (lambda record: of(*read(record)))


class Order(Generic[R]):
    """An order of records by some of their fields, or by ``key(*fields)``; by creation among equal ones."""

    __slots__ = ("fields", "key", "name")

    def __init__(self, name: str, *fields: str, key: Callable[..., Any] | None = None) -> None:
        self.name = name
        self.fields = fields
        self.key: Callable[[R], Any] | None = fields_of(fields, key) if fields else None

    def entry(self, made: Made, record: R) -> Entry:
        """The entry of a record in a sequence of this order."""
        return made if self.key is None else (self.key(record), *made)


CREATED: Order[Any] = Order("created")


class Total(Generic[R]):
    """A sum of a field that holds a whole number."""

    __slots__ = ("field", "name", "of")

    def __init__(self, name: str, field: str) -> None:
        self.name = name
        self.field = field
        self.of: Callable[[R], int] = attrgetter(field)


class Bucket(Struct, frozen=True, gc=False):
    """Records as their entries in each order, and their totals."""

    orders: tuple[Entries, ...]
    totals: tuple[int, ...] = ()


class _ByValue(Generic[R]):
    """The base of both kinds of index: the values of a record follow from some of its fields.

    The values are ``of(*fields)``. Without ``of``, the value is the field, or the tuple of several fields; a record
    whose only field is None has no value. ``values(record)`` returns the values of a record.
    """

    __slots__ = ("fields", "name", "position", "values")

    def __init__(self, name: str, *fields: str, of: Callable[..., Values] | None = None) -> None:
        self.name = name
        self.fields = fields
        self.values: Callable[[R], Values]
        self.values = _values_of(fields) if of is None else fields_of(fields, of)
        self.position = -1


def _values_of(fields: tuple[str, ...]) -> Callable[[Any], Values]:
    """Return the function of a record that returns its field as the one value, unless that is None, or its fields."""
    read = attrgetter(*fields)
    if len(fields) > 1:
        return lambda record: (read(record),)

    def values(record: Any) -> Values:
        value = read(record)
        return () if value is None else (value,)

    return values


class Unique(_ByValue[R]):
    """A named index with at most one record for each value."""

    __slots__ = ()

    def after(self, keys: Lookup, key: object, was: Row | None, row: Row | None, check: bool = False) -> Lookup:
        """Return the map from value to key after the row of a record has changed.

        When another record has one of the new values, it loses that; ValueError is raised instead if ``check``.
        """
        old = self.values(was[1]) if was else ()
        new = self.values(row[1]) if row else ()
        if old == new:
            return keys
        for value in old:
            if value not in new and keys.get(value) == key:
                keys = removed(keys, value)
        for value in new:
            if check and keys.get(value, key) != key:
                raise ValueError(f"{self.name} {value!r} is that of another record")
            keys = inserted(keys, value, key)
        return keys


class Index(_ByValue[R]):
    """A named index with any number of records for each value.

    It has the declared orders of the records with a value, the first being the default, and their totals.
    ``placed_by(record)`` returns the fields ``placing`` that decide its place; ``empty`` is the bucket of no records.
    """

    __slots__ = ("empty", "orders", "placed_by", "placing", "totals")

    def __init__(
        self,
        name: str,
        *fields: str,
        of: Callable[..., Values] | None = None,
        orders: tuple[Order[R], ...] = (CREATED,),
        totals: tuple[Total[R], ...] = (),
    ) -> None:
        super().__init__(name, *fields, of=of)
        self.orders = orders
        self.totals = totals
        ordering = [field for order in orders for field in order.fields]
        self.placing = tuple(dict.fromkeys([*fields, *ordering, *(total.field for total in totals)]))
        self.placed_by = fields_of(self.placing)
        self.empty = Bucket(((),) * len(orders), (0,) * len(totals))

    def after(self, buckets: Lookup, key: object, was: Row | None, row: Row | None) -> Lookup:
        """Return the map from value to bucket after the row of a record has changed."""
        if was and row and was[0] == row[0] and self.placed_by(was[1]) == self.placed_by(row[1]):
            return buckets
        if was:
            for value in dict.fromkeys(self.values(was[1])):
                held = buckets[value]
                if len(held.orders[0]) == 1:
                    buckets = removed(buckets, value)
                else:
                    buckets = inserted(buckets, value, self._changed(held, remove, sub, key, was))
        if row:
            for value in dict.fromkeys(self.values(row[1])):
                held = buckets.get(value, self.empty)
                buckets = inserted(buckets, value, self._changed(held, insert, add, key, row))
        return buckets

    def _changed(self, bucket: Bucket, write: _Write, count: _Count, key: object, row: Row) -> Bucket:
        """Return the bucket with or without a row: as its entries are written, and its record counts in the totals."""
        made, record = (row[0], key), row[1]
        entries = [order.entry(made, record) for order in self.orders]
        amounts = [total.of(record) for total in self.totals]
        return Bucket(tuple(map(write, bucket.orders, entries)), tuple(map(count, bucket.totals, amounts)))
