"""Indexes of a table: orders and totals of its records, and maps from a value to the records with it.

Several records with one value are a ``Bucket``; a single one is only its (serial, key), without orders and totals.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
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


class Order(Generic[R]):
    """An order of records by ``key(record)``; by creation among equal keys, and when it has no key.

    Its entries carry ``carries(record)``, if there is such a function and a key: views read it without the record.
    """

    __slots__ = ("carries", "key", "name")

    def __init__(
        self, name: str, key: Callable[[R], Any] | None = None, *, carries: Callable[[R], Any] | None = None
    ) -> None:
        self.name = name
        self.key = key
        self.carries = carries

    def entry(self, made: Made, record: R) -> Entry:
        """The entry of a record in a sequence of this order."""
        if self.key is None:
            return made
        if self.carries is None:
            return (self.key(record), *made)
        return (self.key(record), made[0], self.carries(record), made[1])


CREATED: Order[Any] = Order("created")


def _made(entry: Entry) -> Made:
    """Return the serial and the key of a record by its entry in any order."""
    return entry[len(entry) > 2], entry[-1]


class Total(Generic[R]):
    """A sum of the whole numbers ``of(record)``."""

    __slots__ = ("name", "of")

    def __init__(self, name: str, of: Callable[[R], int]) -> None:
        self.name = name
        self.of = of


class Bucket(Struct, frozen=True, gc=False):
    """Records as their entries in each order, and their totals."""

    orders: tuple[Entries, ...]
    totals: tuple[int, ...] = ()


class Arrangement(Generic[R]):
    """The declared orders of the records, the first being the default, and their totals.

    It is ``plain`` when only the order of creation, which never changes, is maintained.
    """

    __slots__ = ("_read", "empty", "orders", "plain", "totals")

    def __init__(self, orders: tuple[Order[R], ...], totals: tuple[Total[R], ...]) -> None:
        self.orders = orders
        self.totals = totals
        self._read = tuple((order.key, order.carries) for order in orders)
        self.plain = orders == (CREATED,) and not totals
        self.empty = Bucket(((),) * len(orders), (0,) * len(totals))

    @property
    def functions(self) -> list[Callable[[R], Any]]:
        """Return the functions of a record that decide its entries and its part of the totals."""
        read = [function for functions in self._read for function in functions if function is not None]
        return [*read, *(total.of for total in self.totals)]

    def entries(self, made: Made, record: R) -> tuple[Entry, ...]:
        """Return the entries of a record, one for each order; all its buckets have the same."""
        if self.plain:
            return (made,)
        serial, id = made
        found: list[Entry] = []
        for key, carries in self._read:
            if key is None:
                found.append(made)
            elif carries is None:
                found.append((key(record), serial, id))
            else:
                found.append((key(record), serial, carries(record), id))
        return tuple(found)

    def of_two(self, one: tuple[Entry, ...], other: tuple[Entry, ...], first: R, second: R) -> Bucket:
        """Return the bucket of two records with these entries."""
        orders = tuple([(low, high) if low < high else (high, low) for low, high in zip(one, other, strict=True)])
        return Bucket(orders, tuple([total.of(first) + total.of(second) for total in self.totals]))

    def add(self, bucket: Bucket, entries: tuple[Entry, ...], record: R) -> Bucket:
        """Return the bucket with another record."""
        if self.plain:
            return Bucket((insert(bucket.orders[0], entries[0]),))
        orders = tuple(map(insert, bucket.orders, entries))
        if not self.totals:
            return Bucket(orders)
        sums = zip(self.totals, bucket.totals, strict=True)
        return Bucket(orders, tuple([number + total.of(record) for total, number in sums]))

    def discard(self, bucket: Bucket, entries: tuple[Entry, ...], record: R) -> Bucket:
        """Return the bucket without one of its records."""
        if self.plain:
            return Bucket((remove(bucket.orders[0], entries[0]),))
        orders = tuple(map(remove, bucket.orders, entries))
        if not self.totals:
            return Bucket(orders)
        sums = zip(self.totals, bucket.totals, strict=True)
        return Bucket(orders, tuple([number - total.of(record) for total, number in sums]))

    def replace(self, bucket: Bucket, old: tuple[Entry, ...], new: tuple[Entry, ...], before: R, after: R) -> Bucket:
        """Return the bucket with another value of one of its records; ``old`` and ``new`` are the two entries."""
        orders = tuple(
            [
                entries if was == now else insert(remove(entries, was), now)
                for entries, was, now in zip(bucket.orders, old, new, strict=True)
            ]
        )
        if not self.totals:
            return Bucket(orders)
        sums = zip(self.totals, bucket.totals, strict=True)
        return Bucket(orders, tuple([number - total.of(before) + total.of(after) for total, number in sums]))


class Unique(Generic[R]):
    """A named index with at most one record for each value; ``values(record)`` returns the values of a record."""

    __slots__ = ("name", "position", "values")

    plain = True

    def __init__(self, name: str, values: Callable[[R], Values]) -> None:
        self.name = name
        self.values = values
        self.position = -1

    @property
    def functions(self) -> list[Callable[[R], Any]]:
        """Return the functions of a record that decide its place in the index."""
        return [self.values]

    def enter(self, keys: Lookup, values: Values, made: Made, *_: object) -> Lookup:
        """Return the map from value to key after adding a record with these values, which other records lose."""
        for value in values:
            keys = inserted(keys, value, made[1])
        return keys

    def leave(self, keys: Lookup, values: Values, made: Made, *_: object) -> Lookup:
        """Return the map from value to key without a record that has these values."""
        key = made[1]
        for value in values:
            if keys.get(value) == key:
                keys = removed(keys, value)
        return keys

    def update(self, keys: Lookup, old: Values, new: Values, made: Made, *_: object) -> Lookup:
        """Return the map from value to key after the values of a record have changed."""
        return self.enter(self.leave(keys, tuple(value for value in old if value not in new), made), new, made)

    def require_free(self, keys: Lookup, new: Values, key: object) -> None:
        """Raise ValueError when another record has one of the values."""
        for value in new:
            if keys.get(value, key) != key:
                raise ValueError(f"{self.name} {value!r} is that of another record")


class Index(Arrangement[R]):
    """A named index with any number of records for each value; ``values(record)`` returns the values of a record."""

    __slots__ = ("name", "position", "values")

    def __init__(
        self,
        name: str,
        values: Callable[[R], Values],
        *,
        orders: tuple[Order[R], ...] = (CREATED,),
        totals: tuple[Total[R], ...] = (),
    ) -> None:
        super().__init__(orders, totals)
        self.name = name
        self.values = values
        self.position = -1

    @property
    def functions(self) -> list[Callable[[R], Any]]:
        """Return the functions of a record that decide its place in the index."""
        return [self.values, *super().functions]

    def enter(
        self,
        buckets: Lookup,
        values: Values,
        made: Made,
        record: R,
        rows: Records,
        entries: tuple[Entry, ...] = (),
    ) -> Lookup:
        """Return the map from value to bucket after adding a record with these values.

        ``rows`` are the records before, ``entries`` those of the new record if they are known.
        """
        for value in values if len(values) < 2 else dict.fromkeys(values):
            bucket = buckets.get(value)
            if bucket is None:
                bucket = made
            elif self.plain:
                bucket = Bucket((insert((bucket,) if type(bucket) is tuple else bucket.orders[0], made),))
            else:
                entries = entries or self.entries(made, record)
                if type(bucket) is tuple:
                    first = rows[bucket[1]][1]
                    bucket = self.of_two(self.entries(bucket, first), entries, first, record)
                else:
                    bucket = self.add(bucket, entries, record)
            buckets = inserted(buckets, value, bucket)
        return buckets

    def leave(self, buckets: Lookup, values: Values, made: Made, record: R, entries: tuple[Entry, ...] = ()) -> Lookup:
        """Return the map from value to bucket without a record that has these values and ``entries``."""
        for value in values if len(values) < 2 else dict.fromkeys(values):
            bucket = buckets[value]
            if type(bucket) is tuple:
                buckets = removed(buckets, value)
            else:
                entries = entries or self.entries(made, record)
                held = bucket.orders[0]
                # a single record needs no bucket
                left = _made(held[held[0] == entries[0]]) if len(held) == 2 else self.discard(bucket, entries, record)
                buckets = inserted(buckets, value, left)
        return buckets

    def update(
        self, buckets: Lookup, old: Values, new: Values, made: Made, before: R, after: R, rows: Records
    ) -> Lookup:
        """Return the map from value to bucket after a record has changed; ``rows`` are the records before."""
        were, entries = self.entries(made, before), self.entries(made, after)
        shared = old
        if old != new:
            gone, come = old, new
            shared = tuple([value for value in old if value in new]) if old and new else ()
            if shared:
                gone = tuple([value for value in old if value not in new])
                come = tuple([value for value in new if value not in old])
            buckets = self.leave(buckets, gone, made, before, were)
            buckets = self.enter(buckets, come, made, after, rows, entries)
        if were != entries or self.totals:
            for value in shared if len(shared) < 2 else dict.fromkeys(shared):
                if type(bucket := buckets[value]) is Bucket:
                    buckets = inserted(buckets, value, self.replace(bucket, were, entries, before, after))
        return buckets
