"""Many things for the cost of two: two are made as calls make them, and the others are alike.

What two things have in common is the same in all of them; where they differ, each has a value of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import fields, replace

from confsim.kernel.maps import inserted
from confsim.kernel.tables.filling import fill
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import Change

#: Makes one thing, of this number.
Make = Callable[[Change, int], object]
#: A value of its own of the thing of a number, which is made of that of the first.
Own = Callable[[int], Any]
#: A value of the first thing, and that of the second in its place.
Pair = tuple[Any, Any]

#: Between ids in the key of a record that is composed of them.
_JOINT = "/"
#: Numbers of so many digits are far from each other, and none is met twice.
_STEP = 7919
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class _Made(Struct, frozen=True):
    """What the making of one thing wrote: the place of each record with it, in order, and by how much it counted."""

    records: dict[tuple[tuple[str, str], Any], Record]
    counted: dict[str, int]


def multiply(change: Change, make: Make, numbers: range, name: Callable[[int], str]) -> None:
    """Let there be the things of these numbers, of which the texts of each have ``name`` in them.

    Raises ValueError when the first two are not alike: they must write records of the same tables in the same order.
    """
    first, second = (_made(change, make, number) for number in numbers[:2])
    pairs = [
        (place, one, other)
        for (place, one), (again, other) in zip(first.records.items(), second.records.items(), strict=True)
        if place != again
    ]
    if change.timed:
        raise ValueError(f"timers are not multiplied: {change.timed}")
    own = _own(pairs, numbers, name)
    by_place: dict[tuple[str, str], list[Record]] = {}
    for ((client, table), _), one, other in pairs:
        varied = {field: _of(*both, own) for field, both in _values(one, other).items()}
        more = by_place.setdefault((client, table), [])
        more += [replace(one, **{field: of(number) for field, of in varied.items()}) for number in numbers[2:]]
    for (client, table), records in by_place.items():
        add(change, Table.declared[table], client, records)
    for sequence, step in second.counted.items():
        last = change.sequences.get(sequence, 0) + step * len(numbers[2:])
        change.sequences = inserted(change.sequences, sequence, last)


def add(change: Change, table: Table[Any, Any], client: str, records: Iterable[Record]) -> None:
    """Fill a table with what it holds and these records, made after them."""
    rows = table.of(change, client).tables[table.position].rows
    held = [record for _, record in sorted(rows.values(), key=itemgetter(0))]
    fill(change, table, client, [*held, *records])


def _made(change: Change, make: Make, number: int) -> _Made:
    touched, counted = len(change.touched), len(change.counted)
    make(change, number)
    places = dict.fromkeys(change.touched[touched:])
    records = {
        ((client, table), key): record
        for client, table, key in places
        if (record := Table.declared[table].of(change, client).get(key)) is not None
    }
    sequences = change.counted[counted:]
    return _Made(records, {sequence: sequences.count(sequence) for sequence in sequences})


def _own(pairs: Iterable[tuple[Any, Record, Record]], numbers: range, name: Callable[[int], str]) -> Mapping[Pair, Own]:
    """By each two values in which the things differ: that of the thing of a number."""
    differing = dict.fromkeys(
        pair for _, one, other in pairs for values in _values(one, other).values() for pair in _parts(*values)
    )
    return {pair: _value(*pair, numbers, name, place) for place, pair in enumerate(differing, 1) if pair[0] != pair[1]}


def _values(one: Record, other: Record) -> dict[str, Pair]:
    """The fields in which two records differ, with the values of both."""
    found = {field.name: (getattr(one, field.name), getattr(other, field.name)) for field in fields(one)}
    return {field: both for field, both in found.items() if both[0] != both[1]}


def _parts(one: Any, other: Any) -> list[Pair]:
    """Two values as what they are made of: the parts of tuples, and of ids that are joined."""
    if isinstance(one, tuple):
        return [part for pair in zip(one, other, strict=True) for part in _parts(*pair)]
    if isinstance(one, str) and _JOINT in one:
        return [*zip(_ids(one), _ids(other), strict=True)]
    return [(one, other)]


def _ids(joined: str) -> list[int | str]:
    return [int(part) if part.isdigit() else part for part in joined.split(_JOINT)]


def _value(one: Any, other: Any, numbers: range, name: Callable[[int], str], place: int) -> Own:
    """The value of the thing of a number, where the first has ``one`` and the second ``other``."""
    first = numbers[0]
    if isinstance(one, int):
        return lambda number: one + (number - first) * (other - one)
    if _UUID.fullmatch(one):
        return lambda number: f"{number:08x}-{place:04x}-4000-8000-000000000000"
    if name(first) in one:
        return lambda number: one.replace(name(first), name(number))
    if one.isdigit():
        top = 10 ** len(one)
        return lambda number: f"{(int(one) + number * _STEP) % top:0{len(one)}}"
    return lambda number: f"{one[:4]}{place:02x}{number:06x}"


def _of(one: Any, other: Any, own: Mapping[Pair, Own]) -> Own:
    """A whole value of the thing of a number, from those of its parts."""
    if (one, other) in own:
        return own[one, other]
    if isinstance(one, tuple):
        parts = [_of(*pair, own) for pair in zip(one, other, strict=True)]
        return lambda number: tuple([part(number) for part in parts])
    if isinstance(one, str) and _JOINT in one:
        ids = [_of(*pair, own) for pair in zip(_ids(one), _ids(other), strict=True)]
        return lambda number: _JOINT.join([str(id(number)) for id in ids])
    return lambda number: one
