"""Indexes of a table: orders and totals of its records, and maps from a value to the records with it.

Several records with one value are a ``Bucket``; a single one is only its (serial, key), without orders and totals.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from inspect import signature
from operator import attrgetter
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
#: A change of a record: its key, and its (serial, record) before, None when there was none.
Changed: TypeAlias = "tuple[Any, tuple[int, Any] | None]"


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


#: What changes in a map from value to bucket: buckets, or None for what is left of none.
Buckets: TypeAlias = "dict[Hashable, Bucket | Made | None]"


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

    def after(self, keys: Lookup, key: object, old: Values, new: Values, check: bool) -> Lookup:
        """Return the map from value to key after the values of a record have changed.

        When another record has one of the new values, it loses that; ValueError is raised instead if ``check``.
        """
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

    It has the declared orders of the records with a value, the first being the default, and their totals. It is
    ``plain`` when only the order of creation, which never changes, is maintained. ``placed_by(record)`` returns
    everything that decides the place of a record.
    """

    __slots__ = ("orders", "placed_by", "placing", "plain", "totals")

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
        self.plain = orders == (CREATED,) and not totals
        ordering = [field for order in orders for field in order.fields]
        self.placing = tuple(dict.fromkeys([*fields, *ordering, *(total.field for total in totals)]))
        self.placed_by = fields_of(self.placing)

    def entries(self, made: Made, record: R) -> tuple[Entry, ...]:
        """Return the entries of a record, one for each order; all its buckets have the same."""
        return tuple([order.entry(made, record) for order in self.orders])

    def after(self, buckets: Lookup, changes: Iterable[Changed], rows: Records) -> Lookup:
        """Return the map from value to bucket after some changes of records; ``rows`` are the records after them.

        What goes goes first: a bucket of one record does not say which entries it had.
        """
        found: Buckets = {}
        come: list[tuple[Values, Made, R]] = []
        values_of, placed = self.values, self.placed_by
        for key, was in changes:
            row = rows.get(key)
            if was is None:
                if row is not None:
                    come.append((values_of(row[1]), (row[0], key), row[1]))
            elif row is None or row[0] != was[0]:
                self._leave(found, buckets, values_of(was[1]), (was[0], key), was[1])
                if row is not None:
                    come.append((values_of(row[1]), (row[0], key), row[1]))
            elif placed(was[1]) != placed(row[1]):
                made, before, after = (row[0], key), was[1], row[1]
                old, new = values_of(before), values_of(after)
                if old != new:
                    self._leave(found, buckets, tuple([value for value in old if value not in new]), made, before)
                    come.append((tuple([value for value in new if value not in old]), made, after))
                    old = tuple([value for value in old if value in new])
                if old and not self.plain:
                    self._replace(found, buckets, old, made, before, after)
        for values, made, record in come:
            self._enter(found, buckets, values, made, record, rows)
        for value, bucket in found.items():
            buckets = removed(buckets, value) if bucket is None else inserted(buckets, value, bucket)
        return buckets

    # Each of these sets in ``found`` what becomes of ``buckets``: by value the bucket, None when nothing is left of it.

    def _enter(self, found: Buckets, buckets: Lookup, values: Values, made: Made, record: R, rows: Records) -> None:
        """Add a record with these values."""
        entries: tuple[Entry, ...] = ()
        for value in values if len(values) < 2 else dict.fromkeys(values):
            held = found[value] if value in found else buckets.get(value)
            if held is None:
                found[value] = made
            elif self.plain:
                found[value] = Bucket((insert(held.orders[0] if isinstance(held, Bucket) else (held,), made),))
            else:
                if not isinstance(held, Bucket):
                    held = self._alone(held, rows[held[1]][1])
                entries = entries or self.entries(made, record)
                found[value] = Bucket(tuple(map(insert, held.orders, entries)), self._sums(held, 1, record))

    def _leave(self, found: Buckets, buckets: Lookup, values: Values, made: Made, record: R) -> None:
        """Remove a record that has these values."""
        entries: tuple[Entry, ...] = ()
        for value in values if len(values) < 2 else dict.fromkeys(values):
            held = found.get(value) or buckets[value]
            if not isinstance(held, Bucket):
                found[value] = None
                continue
            entries = entries or self.entries(made, record)
            first = held.orders[0]
            if len(first) == 2:  # a single record needs no bucket
                found[value] = first[first[0] == entries[0]][-2:]
            else:
                found[value] = Bucket(tuple(map(remove, held.orders, entries)), self._sums(held, -1, record))

    def _replace(self, found: Buckets, buckets: Lookup, values: Values, made: Made, before: R, after: R) -> None:
        """Replace a record with these values by another one with them."""
        old, new = self.entries(made, before), self.entries(made, after)
        for value in values if len(values) < 2 else dict.fromkeys(values):
            held = found.get(value) or buckets[value]
            if isinstance(held, Bucket):
                orders = tuple(
                    [
                        entries if was == now else insert(remove(entries, was), now)
                        for entries, was, now in zip(held.orders, old, new, strict=True)
                    ]
                )
                less = Bucket(orders, self._sums(held, -1, before))
                found[value] = Bucket(orders, self._sums(less, 1, after))

    def _alone(self, made: Made, record: R) -> Bucket:
        """Return the bucket of a single record."""
        return Bucket(tuple([(entry,) for entry in self.entries(made, record)]), self._sums(None, 1, record))

    def _sums(self, bucket: Bucket | None, sign: int, record: R) -> tuple[int, ...]:
        """Return the totals of a bucket, None for an empty one, with (1) or without (-1) a record."""
        if not self.totals:
            return ()
        sums = (0,) * len(self.totals) if bucket is None else bucket.totals
        return tuple([number + sign * total.of(record) for total, number in zip(self.totals, sums, strict=True)])
