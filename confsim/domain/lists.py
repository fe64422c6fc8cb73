"""Rules common to all lists of the API: matching of searches, order of texts and of ties."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar, overload

from confsim.assumptions import Context, ask
from confsim.assumptions.protocol import conventions
from confsim.kernel import Order, Record, View

R = TypeVar("R", bound=Record)
T = TypeVar("T")


def described(context: Context, description: str | None) -> str | None:
    """The description, if a search looks at it; else None (G092)."""
    return description if description and ask(context, conventions.SEARCHED) == "descriptions" else None


def matches(context: Context, wanted: str, *texts: str | None) -> bool:
    """Whether one of the texts matches the search, without case and without wildcards (G092)."""
    sought = wanted.casefold()
    how = ask(context, conventions.SEARCH)
    for text in texts:
        if text is None:
            continue
        folded = text.casefold()
        if how == "anywhere":
            hit = sought in folded
        elif how == "beginning":
            hit = folded.startswith(sought)
        else:
            hit = any(folded.startswith(sought, word.start()) for word in re.finditer(r"\b\w", folded))
        if hit:
            return True
    return False


class MappedSequence(Sequence[T]):
    """The sequence of ``get(record)`` for the records of another, computed for those that are requested."""

    def __init__(self, records: Sequence[R], get: Callable[[R], T]) -> None:
        self._records: Sequence[Any] = records
        self._get: Callable[[Any], T] = get

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[T]:
        return map(self._get, self._records)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        """The result for the record at a place, or those of a slice as a list."""
        if isinstance(place, slice):
            return [self._get(record) for record in self._records[place]]
        return self._get(self._records[place])


def text_key(context: Context, text: str) -> str:
    """The sort key of a text (G087)."""
    return text.casefold() if ask(context, conventions.TEXT_ORDER) == "caseless" else text


def ordered(context: Context, oldest_first: Iterable[T], key: Callable[[T], Any], *, descending: bool) -> list[T]:
    """The elements sorted by their key; the order of equal keys is by G086."""
    if descending and ask(context, conventions.TIES) == "direction":
        found = sorted(oldest_first, key=key)
        found.reverse()
        return found
    return sorted(oldest_first, key=key, reverse=descending)


def in_order(
    context: Context,
    view: View[R],
    order: Order[R],
    *,
    text: Callable[[R], str] | None = None,
    low: Any = None,
    high: Any = None,
    descending: bool,
) -> Sequence[R]:
    """The records of a view in an order that it declares, of equal keys by G086.

    ``text`` is the text that an order without case compares. Where texts are compared otherwise (G087), or equal keys
    do not follow the direction, the records are sorted. ``low`` and ``high`` limit the keys, as of ``View.between``.
    """
    found = view.by(order) if low is None and high is None else view.between(order, low, high)
    in_direction = not descending or ask(context, conventions.TIES) == "direction"
    without_case = text is None or not view or ask(context, conventions.TEXT_ORDER) == "caseless"
    if in_direction and without_case:
        return found.descending if descending else found
    key = order.key if text is None else lambda record: text_key(context, text(record))
    assert key is not None
    return ordered(context, found if without_case else view, key, descending=descending)


class FilteredSequence(Sequence[T]):
    """A sequence but for the ``number`` of its elements that are ``out``; it is read from its beginning."""

    __slots__ = ("_found", "_number", "_out")

    def __init__(self, found: Sequence[T], out: Callable[[T], bool], number: int) -> None:
        self._found = found
        self._out = out
        self._number = number

    def __len__(self) -> int:
        return len(self._found) - self._number

    def __iter__(self) -> Iterator[T]:
        return (each for each in self._found if not self._out(each))

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        """The element at a place, or those of a slice as a list."""
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return list(islice(self, start, stop, step))
        return next(islice(self, range(len(self))[place], None))
