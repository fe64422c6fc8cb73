"""The difference between a world and a later one as plain values, and its application to a world.

The cost depends on what the changes between the two wrote, not on the size of the worlds.
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from msgspec import Struct, field

from .document import record_of, table_of
from .maps import inserted
from .tables.table import Table
from .timers import Name
from .world import Change, Place, World

#: Table, client id, record.
Row = tuple[str, str, Any]


class StateDifference(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Rows removed (their last values), then rows put, both in order; timers cancelled, then timers set.

    Timers follow from the rows, and are told for readers alone: ``follow`` does not read them. ``id_counter`` and
    ``counted`` are the counters of the later world. Unchanged counters are omitted.
    """

    removed: list[Row] = []
    put: list[Row] = []
    cancelled: list[tuple[str, str, str]] = []
    timers: list[tuple[int, str, str, str]] = []
    id_counter: int | None = field(default=None, name="minted")
    counted: dict[str, int] = {}

    def __bool__(self) -> bool:
        return any((self.removed, self.put, self.cancelled, self.timers, self.counted)) or self.id_counter is not None


class Touched:
    """The records, timers and sequences that a series of changes wrote, whether or not they differ in the end."""

    __slots__ = ("rows", "sequences", "timers")

    def __init__(self) -> None:
        self.rows: dict[Place, dict[Any, None]] = {}
        self.timers: dict[Name, None] = {}
        self.sequences: dict[str, None] = {}

    def add(self, change: Change) -> None:
        """Add the records, timers and sequences that a change wrote."""
        for client, table, key in change.touched:
            self.rows.setdefault((client, table), {})[key] = None
        self.timers.update(dict.fromkeys(change.timed))
        self.sequences.update(dict.fromkeys(change.counted))


def difference(before: World, after: World, touched: Touched) -> StateDifference:
    """The difference from ``before`` to ``after``; ``touched`` lists what the changes between them wrote."""
    found = StateDifference([], [], [], [], None if after.id_counter == before.id_counter else after.id_counter)
    for place, keys in touched.rows.items():
        _rows(found, before, after, place, keys)
    set_timers = []
    for name in touched.timers:
        timer, earlier = after.timers.live.get(name), before.timers.live.get(name)
        if timer is not None:
            set_timers += [timer] if timer != earlier else []
        elif earlier is not None:
            found.cancelled.append((earlier.kind, earlier.client, earlier.subject))
    set_timers.sort(key=attrgetter("place"))
    found.timers = [(timer.due, timer.kind, timer.client, timer.subject) for timer in set_timers]
    found.counted = {
        name: after.sequences[name] for name in touched.sequences if before.sequences.get(name) != after.sequences[name]
    }
    return found


def _rows(found: StateDifference, before: World, after: World, place: Place, keys: Iterable[Any]) -> None:
    client, name = place
    table = Table.declared[name]
    old, new = before.state(table, client).rows, after.state(table, client).rows
    put = []
    for key in keys:
        was, row = old.get(key), new.get(key)
        if was is not None and (row is None or row[0] != was[0]):
            found.removed.append((name, client, was[1]))
        if row is not None and row is not was:
            put.append(row)
    put.sort(key=lambda row: row[0])
    found.put += [(name, client, record) for _, record in put]


def follow(world: World, found: StateDifference) -> World:
    """The world after the difference is applied. Raises Misuse, which names the place of an invalid value."""
    change = world.change(0)
    for name, client, values in found.removed:
        table = table_of(name)
        key = table.key(record_of(table, values, f"tables.{name}.{client}"))
        rows = table.of(change, client)
        if key in rows:
            rows.remove(key)
    for name, client, values in found.put:
        table = table_of(name)
        table.of(change, client).put(record_of(table, values, f"tables.{name}.{client}"), check=False)
    for sequence, number in found.counted.items():
        change.sequences = inserted(change.sequences, sequence, number)
    if found.id_counter is not None:
        change.id_counter = found.id_counter
    return change.commit()
