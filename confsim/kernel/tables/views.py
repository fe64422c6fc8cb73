"""Views: read-only sequences of records of a table in a declared order."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import compress, islice, repeat
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar, overload

from msgspec import Struct, StructMeta

from .indexes import Bucket, Index, Made, Order, Records, Total
from .ordered import Entries, Entry, position

R_co = TypeVar("R_co", covariant=True)

#: The record of a row, and the key of an entry: views are read by these without a line of Python for each record.
_FIRST: Callable[[Any], Any] = itemgetter(0)
_SECOND: Callable[[Any], Any] = itemgetter(1)
_LAST: Callable[[Any], Any] = itemgetter(-1)
#: The number of records whose reading counts as one step of a change, as a transition of a machine does.
READS_OF_A_STEP = 100
#: What an entry carries.
_CARRIED: Callable[[Any], Any] = itemgetter(2)


class Limited(Protocol):
    """The part of a change that limits its steps."""

    def take(self, steps: int) -> None:
        """Take so many steps. Raises TooLong when they are more than it may."""
        ...


class _ViewMeta(StructMeta, ABCMeta):
    """The metaclass of a struct that is a sequence."""


class View(Struct, Sequence[R_co], Generic[R_co], frozen=True, gc=False, eq=False, metaclass=_ViewMeta):
    """Records in an order, as they were when the view was made; views come from ``Rows.all`` and ``Rows.where``.

    ``bucket`` is what the ``table_index`` has of these records, None for none, and ``entries`` are those of one of its
    orders, of which the view shows the slice ``places``, or all. Reading ``READS_OF_A_STEP`` records is a step of the
    ``change``.
    """

    change: Limited
    rows: Records
    table_index: Index[Any]
    bucket: Bucket | Made | None
    entries: Entries
    places: range | None = None

    def __len__(self) -> int:
        return len(self.entries if self.places is None else self.places)

    @overload
    def __getitem__(self, place: int) -> R_co: ...
    @overload
    def __getitem__(self, place: slice) -> list[R_co]: ...
    def __getitem__(self, place: int | slice) -> R_co | list[R_co]:
        """Return the record at an index, or those of a slice as a list."""
        rows, entries = self.rows, self.entries
        places = range(len(entries)) if self.places is None else self.places
        if not isinstance(place, slice):
            record: R_co = rows[entries[places[place]][-1]][1]
            return record
        wanted = places[place]
        self.change.take(len(wanted) // READS_OF_A_STEP)
        return [rows[entry[-1]][1] for entry in _those(entries, wanted)]

    def __iter__(self) -> Iterator[R_co]:
        self.change.take(len(self) // READS_OF_A_STEP)
        entries = self.entries if self.places is None else self.shown()
        return map(_SECOND, map(self.rows.__getitem__, map(_LAST, entries)))

    def shown(self) -> Iterable[Entry]:
        """Return the entries of the records, in the order of the view."""
        entries, places = self.entries, self.places
        if places is None:
            return entries
        if places == range(len(entries) - 1, -1, -1):
            return reversed(entries)
        return _those(entries, places)

    @property
    def keys(self) -> Iterator[Any]:
        """Yield the keys of the records, in the order of the view."""
        return map(_LAST, self.shown())

    @property
    def carried(self) -> Iterator[Any]:
        """Yield what the entries carry, in the order of the view, which must be one whose entries do."""
        return map(_CARRIED, self.shown())

    def __repr__(self) -> str:
        return f"View({list(self)!r})"

    def __reversed__(self) -> Iterator[R_co]:
        return iter(self.descending)

    @property
    def descending(self) -> View[R_co]:
        """Return the same records in the opposite order."""
        places = range(len(self.entries)) if self.places is None else self.places
        return View(self.change, self.rows, self.table_index, self.bucket, self.entries, places[::-1])

    @property
    def first(self) -> R_co | None:
        """Return the first record, or None."""
        return self[0] if self else None

    @property
    def last(self) -> R_co | None:
        """Return the last record, or None."""
        return self[-1] if self else None

    def by(self, order: Order[Any], descending: bool = False) -> View[R_co]:
        """Return all records of the index or table with the value, in another declared order or in its opposite.

        Raises ValueError for an order that is not declared.
        """
        index, bucket, rows = self.table_index, self.bucket, self.rows
        place = index.orders.index(order)
        entries: Entries = ()
        if isinstance(bucket, Bucket):
            entries = bucket.orders[place]
            if entries is self.entries and self.places is None and not descending:
                return self
        elif bucket is not None:
            entries = (order.entry(bucket, rows[bucket[1]][1]),)
        places = range(len(entries) - 1, -1, -1) if descending else None
        return View(self.change, rows, index, bucket, entries, places)

    def between(self, order: Order[Any], low: Any, high: Any) -> View[R_co]:
        """Return the records whose key in a declared order (one with a key) is at least ``low`` and less than ``high``.

        None is no bound. They are in that order.
        """
        view = self.by(order)
        start = 0 if low is None else position(view.entries, (low,))
        stop = len(view.entries) if high is None else position(view.entries, (high,))
        places = range(start, max(start, stop))
        return View(view.change, view.rows, view.table_index, view.bucket, view.entries, places)

    def cut(self, start: int, stop: int) -> View[R_co]:
        """Return the records from index ``start`` to before ``stop``."""
        places = range(len(self.entries)) if self.places is None else self.places
        return View(self.change, self.rows, self.table_index, self.bucket, self.entries, places[start:stop])

    def entry(self, place: int) -> Entry:
        """Return the entry of the record at an index."""
        return self.entries[place if self.places is None else self.places[place]]

    def number_before(self, entry: Entry) -> int:
        """Return the number of records before a record, not one of them, with this entry."""
        at, places = position(self.entries, entry), self.places
        if places is None:
            return at
        if places.step < 0:
            at, places = -at, range(-places.start - 1, -places.stop - 1)
        return min(max(at - places.start, 0), len(places))

    def total(self, total: Total[Any]) -> int:
        """Return a total of all records of the index or table with the value. Raises ValueError if undeclared."""
        place = self.table_index.totals.index(total)
        bucket = self.bucket
        if isinstance(bucket, Bucket):
            return bucket.totals[place]
        return sum(map(total.of, self))


class EmptyView(View[Any], frozen=True, gc=False, eq=False):
    """The view of a value that no record has; cascades and couplings iterate over many of these."""

    __iter__ = staticmethod(().__iter__)
    __len__ = staticmethod(().__len__)


_NO_RECORDS: Records = MappingProxyType({})


class _Unlimited:
    """In the place of a change for a view that reads nothing."""

    __slots__ = ()

    def take(self, steps: int) -> None:
        """Take so many steps."""


def empty_view(index: Index[Any]) -> EmptyView:
    """Return the view of an index for every value that no record has, in any world."""
    return EmptyView(_Unlimited(), _NO_RECORDS, index, None, ())


#: The unique part of an entry: the record's key in an order, and its serial.
UNIQUE: Callable[[Entry], Any] = itemgetter(slice(2))
#: Most records that ``merged`` sorts at once.
SHORT = 32
#: The start of a page of ``Merged`` is searched for from this multiple of the number of views on.
FAR = 8


def _those(entries: Entries, places: range) -> Sequence[Entry]:
    """Return the entries at evenly spaced indexes."""
    if not places:
        return ()
    low, high = (places[0], places[-1]) if places.step > 0 else (places[-1], places[0])
    return entries[low : high + 1][:: places.step]


class Picked(Sequence[R_co]):
    """The records of a view that are ``picked``, of which there are so many; it is read from its beginning.

    ``picked(view)`` yields for each whether it is, by its key or by what its entry carries: no record is looked at.
    """

    __slots__ = ("_number", "_picked", "_view")

    def __init__(self, view: View[R_co], picked: Callable[[View[R_co]], Iterable[bool]], number: int) -> None:
        self._view = view
        self._picked = picked
        self._number = number

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[R_co]:
        return map(_SECOND, map(self._view.rows.__getitem__, self._keys()))

    @overload
    def __getitem__(self, place: int) -> R_co: ...
    @overload
    def __getitem__(self, place: slice) -> list[R_co]: ...
    def __getitem__(self, place: int | slice) -> R_co | list[R_co]:
        """Return the record at an index, or those of a slice as a list."""
        places = range(self._number)[place]
        if isinstance(places, int):
            return self[places : places + 1][0]
        if not places:
            return []
        low, high = (places[0], places[-1]) if places.step > 0 else (places[-1], places[0])
        keys = [*islice(self._keys(), low, high + 1)][:: places.step]
        return [*map(_SECOND, map(self._view.rows.__getitem__, keys))]

    def _keys(self) -> Iterator[Any]:
        return compress(self._view.keys, self._picked(self._view))


class Merged(Sequence[R_co]):
    """The records of several views that have the same order and direction, in this order.

    ``key(entry)`` is compared; of equal ones that of the earlier view comes first. A page is read by walking from the
    start to its end. The start of a distant page is found by a search, if the views are of one table, share no record,
    and are compared by ``UNIQUE``.
    """

    __slots__ = ("_key", "_length", "_reverse", "_views")

    def __init__(self, views: Sequence[View[R_co]], key: Callable[[Entry], Any], *, reverse: bool = False) -> None:
        self._views = views
        self._length = sum(map(len, views))
        self._key = key
        self._reverse = reverse

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> R_co: ...
    @overload
    def __getitem__(self, place: slice) -> list[R_co]: ...
    def __getitem__(self, place: int | slice) -> R_co | list[R_co]:
        """Return the record at an index, or those of a slice as a list."""
        places = range(self._length)[place]
        if isinstance(places, int):
            return next(islice(self, places, None))
        if not places:
            return []
        low, high = (places[0], places[-1]) if places.step > 0 else (places[-1], places[0])
        if self._key is UNIQUE and low > FAR * len(self._views):
            length = high + 1 - low
            near = [view.cut(start, start + length) for view, start in zip(self._views, self._starts(low), strict=True)]
            return list(islice(Merged(near, self._key, reverse=self._reverse), length))[:: places.step]
        return list(islice(self, low, high + 1))[:: places.step]

    def _starts(self, place: int) -> list[int]:
        """Return how many records of each view come before the one at an index."""
        views = self._views
        low, high = [0] * len(views), [*map(len, views)]
        while True:
            widest = max(range(len(views)), key=lambda at: high[at] - low[at])
            middle = (low[widest] + high[widest]) // 2
            pivot = views[widest].entry(middle)
            before = [view.number_before(pivot) for view in views]
            before[widest] = middle
            total = sum(before)
            if total == place:
                return before
            if total > place:
                high = [*map(min, high, before)]
            else:
                low = [*map(max, low, before)]
                low[widest] = middle + 1

    def __iter__(self) -> Iterator[R_co]:
        key = self._key
        parts = [zip(view.shown(), repeat(view.rows)) for view in self._views]
        found = merge(*parts, key=lambda each: key(each[0]), reverse=self._reverse)
        return (rows[entry[-1]][1] for entry, rows in found)


def merged(views: Iterable[View[R_co]], key: Callable[[Entry], Any], *, descending: bool = False) -> Sequence[R_co]:
    """Return the records of the views, which are in ascending order, as ``Merged`` does, in this order or its opposite.

    When only one view has any, it is that view.
    """
    found = [view for view in views if view.entries]
    if len(found) == 1:
        return found[0].descending if descending else found[0]
    if sum([len(view.entries if view.places is None else view.places) for view in found]) > SHORT:
        return Merged([view.descending for view in found] if descending else found, key, reverse=descending)
    together = [(key(entry), view.rows[entry[-1]][1]) for view in found for entry in view.shown()]
    together.sort(key=_FIRST, reverse=descending)
    return [*map(_SECOND, together)]
