"""Views: read-only sequences of records of a table in a declared order, and several of them merged."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice, repeat
from operator import itemgetter
from typing import Any, Generic, Protocol, TypeVar, overload

from msgspec import Struct, StructMeta
from msgspec.structs import replace

from .indexes import Bucket, Index, Order, Records, Total
from .ordered import Entries, Entry, position

R_co = TypeVar("R_co", covariant=True)

#: The key of an entry, and the record of a row.
_LAST: Callable[[Any], Any] = itemgetter(-1)
_SECOND: Callable[[Any], Any] = itemgetter(1)
#: The key in an order, of an entry and its rows.
_KEY: Callable[[Any], Any] = lambda part: part[0][0]  # noqa: E731
#: The number of records whose reading counts as one step of a change, as a transition of a machine does.
READS_OF_A_STEP = 100


class Limited(Protocol):
    """The part of a change that limits its steps."""

    def take(self, steps: int) -> None:
        """Take so many steps. Raises TooLong when they are more than it may."""
        ...


class _ViewMeta(StructMeta, ABCMeta):
    """The metaclass of a struct that is a sequence."""


class View(Struct, Sequence[R_co], Generic[R_co], frozen=True, gc=False, eq=False, metaclass=_ViewMeta):
    """Records in an order, as they were when the view was made; views come from ``Rows.all`` and ``Rows.where``.

    ``bucket`` is what the ``table_index`` has of these records, and ``entries`` are those of one of its
    orders, of which the view shows ``places``. Reading ``READS_OF_A_STEP`` records is a step of the ``change``.
    """

    change: Limited
    rows: Records
    table_index: Index[Any]
    bucket: Bucket
    entries: Entries
    places: range

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> R_co: ...
    @overload
    def __getitem__(self, place: slice) -> list[R_co]: ...
    def __getitem__(self, place: int | slice) -> R_co | list[R_co]:
        """Return the record at an index, or those of a slice as a list."""
        if isinstance(place, slice):
            return list(replace(self, places=self.places[place]))
        record: R_co = self.rows[self.entries[self.places[place]][-1]][1]
        return record

    def __iter__(self) -> Iterator[R_co]:
        self.change.take(len(self.places) // READS_OF_A_STEP)
        return map(_SECOND, map(self.rows.__getitem__, map(_LAST, self.shown())))

    def shown(self) -> Iterable[Entry]:
        """Return the entries of the records, in the order of the view."""
        entries, places = self.entries, self.places
        if len(places) == len(entries):
            return entries if places.step > 0 else reversed(entries)
        low, high = sorted((places[0], places[-1])) if places else (0, -1)
        return entries[low : high + 1][:: places.step]

    @property
    def keys(self) -> Iterator[Any]:
        """Yield the keys of the records, in the order of the view."""
        return map(_LAST, self.shown())

    def __repr__(self) -> str:
        return f"View({list(self)!r})"

    def __reversed__(self) -> Iterator[R_co]:
        return iter(self.descending)

    @property
    def descending(self) -> View[R_co]:
        """Return the same records in the opposite order."""
        return replace(self, places=self.places[::-1])

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
        entries = self.bucket.orders[self.table_index.orders.index(order)]
        places = range(len(entries))
        return replace(self, entries=entries, places=places[::-1] if descending else places)

    def between(self, order: Order[Any], low: Any, high: Any) -> View[R_co]:
        """Return the records whose key in a declared order (one with a key) is at least ``low`` and less than ``high``.

        None is no bound. They are in that order.
        """
        view = self.by(order)
        start = 0 if low is None else position(view.entries, (low,))
        stop = len(view) if high is None else position(view.entries, (high,))
        return replace(view, places=range(start, max(start, stop)))

    def total(self, total: Total[Any]) -> int:
        """Return a total of all records of the index or table with the value. Raises ValueError if undeclared."""
        return self.bucket.totals[self.table_index.totals.index(total)]


class Merged(Sequence[R_co]):
    """The records of several views that are all in the same order, or all ``descending``, read from the first on.

    Compared is the ``key`` of (entry, rows), without one the entry; of equal ones that of the earlier view comes first.
    """

    __slots__ = ("_descending", "_key", "_views")

    def __init__(self, views: Sequence[View[R_co]], key: Callable[[Any], Any] | None, *, descending: bool) -> None:
        self._views = views
        self._key = key
        self._descending = descending

    def __len__(self) -> int:
        return sum(map(len, self._views))

    @overload
    def __getitem__(self, place: int) -> R_co: ...
    @overload
    def __getitem__(self, place: slice) -> list[R_co]: ...
    def __getitem__(self, place: int | slice) -> R_co | list[R_co]:
        """Return the record at an index, or those of a slice as a list."""
        if not isinstance(place, slice):
            return next(islice(self, range(len(self))[place], None))
        places = range(len(self))[place]
        low, high = sorted((places[0], places[-1])) if places else (0, -1)
        self._views[0].change.take((len(self._views) + high) // READS_OF_A_STEP)
        return list(islice(self, low, high + 1))[:: places.step]

    def __iter__(self) -> Iterator[R_co]:
        parts = [zip(view.shown(), repeat(view.rows)) for view in self._views]
        found = merge(*parts, key=self._key, reverse=self._descending)
        return (rows[entry[-1]][1] for entry, rows in found)


def merged(views: Iterable[View[R_co]], *, one_table: bool = True, descending: bool = False) -> Sequence[R_co]:
    """Return the records of views that are all in the same order, in this order or its opposite.

    Records with equal keys stand in order of creation; those of different tables, which have none, in the order of the
    views.
    """
    found = [view.descending if descending else view for view in views if view]
    if len(found) > 1:
        return Merged(found, None if one_table else _KEY, descending=descending)
    return found[0] if found else []
