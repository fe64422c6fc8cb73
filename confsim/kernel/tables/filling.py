"""Bulk filling of tables: the same result as putting the records one by one, for a fraction of the cost."""

from collections.abc import Sequence
from typing import Any, TypeVar

from confsim.kernel.world import Change

from ..maps import inserted, joined, map_of
from .indexes import Bucket, Index, Lookup, Made, Unique
from .ordered import sequence
from .states import TableState
from .table import Record, Table

R = TypeVar("R", bound=Record)


def fill(change: Change, table: Table[Any, R], client: str, records: Sequence[R]) -> None:
    """Set the records of a client's table, in the order of their creation. Raises ValueError.

    The change does not list them as written: this is for the initial content of a world.
    """
    if records:
        table.of(change, client).tables[table.position] = filled(table, records)
        change.written[client] = None
        if table.located is not None:
            located = map_of({value: client for record in records for value in table.located.values(record)})
            owners = joined(located, change.owners.get(table.name, {}))
            change.owners = inserted(change.owners, table.name, owners)
        for alarm in table.alarms:
            for serial, record in enumerate(records, 1):
                timer = alarm.timer((table.name, client, table.key(record), alarm.kind), serial, record)
                if timer is not None:
                    change.timers = change.timers.put(timer)


def filled(table: Table[Any, R], records: Sequence[R]) -> TableState:
    """Return the state of a table with these records, in the order of their creation.

    Raises ValueError for two records with the same key, or the same value of a unique index.
    """
    made = [*enumerate(map(table.key, records), 1)]
    rows = dict(zip(map(table.key, records), enumerate(records, 1), strict=True))
    if len(rows) < len(records):
        raise ValueError("a record has the key of an earlier one")
    keys = tuple(_keys(index, made, records) for index in table.uniques)
    lookups = tuple((_buckets(index, made, records), 0) for index in table.indexes)
    return TableState(map_of(rows), len(made), keys, lookups)


def _keys(index: Unique[R], made: Sequence[Made], records: Sequence[R]) -> Lookup:
    keys: dict[Any, Any] = {}
    for (_, key), values in zip(made, map(index.values, records), strict=True):
        for value in values:
            if keys.setdefault(value, key) != key:
                raise ValueError(f"{index.name} {value!r} is that of another record")
    return map_of(keys)


def _buckets(index: Index[R], made: Sequence[Made], records: Sequence[R]) -> Lookup:
    places: dict[Any, list[int]] = {}
    for place, values in enumerate(map(index.values, records)):
        for value in dict.fromkeys(values):
            places.setdefault(value, []).append(place)
    entries = [[order.entry(*each) for each in zip(made, records, strict=True)] for order in index.orders]

    def bucket(places: list[int]) -> Bucket:
        orders = tuple(sequence(tuple(sorted([of_order[place] for place in places]))) for of_order in entries)
        return Bucket(orders, tuple(sum(total.of(records[place]) for place in places) for total in index.totals))

    return map_of({value: bucket(found) for value, found in places.items()})
