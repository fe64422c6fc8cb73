"""The writing of a record: its place in the table, in the unique indexes, and among the values that locate it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from ..maps import inserted, removed
from ..timers import Alarm, Name, Timer
from .indexes import Index, Lookup, Unique
from .owners import Owners
from .states import TableState

#: The serial of a record, and the record.
_Row: TypeAlias = "tuple[int, Any]"
#: A record that was written: its client, "" for a shared one, the name of its table, and its key.
Written: TypeAlias = "tuple[str, str, Any]"


class StaleRecord(LookupError):
    """Raised for a write by a record that is no longer the stored one: it would undo what was written since."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name}: this is not the record that is stored now; read it again")


class Writer(Protocol):
    """The parts of a change by which records are written: the tables, and the lists of what was written."""

    client_tables: dict[str, list[TableState]]
    written: dict[str, None]
    touched: list[Written]
    owners: Owners

    def take(self, steps: int) -> None:
        """Take so many steps. Raises TooLong when they are more than it may."""
        ...

    def open_tables(self, client: str) -> list[TableState]:
        """Return the tables of one client, or the shared ones for "", as a list that the change writes to."""
        ...

    def set_timer(self, name: Name, timer: Timer | None) -> None:
        """Set the timer of this name, or cancel it with None."""
        ...


class Layout(Struct, gc=False, eq=False):
    """The part of a table's declaration by which its records are written; ``alarms`` make the timers of its records.

    ``placed_by`` returns the fields of a record that decide its place in indexes, orders and totals; ``found_by`` those
    that decide by which values it alone is found.
    """

    name: str
    position: int
    key: Callable[[Any], Any]
    all: Index[Any]
    indexes: tuple[Index[Any], ...]
    uniques: tuple[Unique[Any], ...]
    located: Unique[Any] | None
    placed_by: Callable[[Any], object]
    found_by: Callable[[Any], object]
    alarms: tuple[Alarm, ...] = ()

    def tables(self, change: Writer, client: str) -> list[TableState]:
        """Return the tables of a client, or the shared ones for "", opened in the change."""
        return change.client_tables.get(client) or change.open_tables(client)

    def put(
        self,
        change: Writer,
        client: str,
        record: Any,
        to_end: bool = False,
        check: bool = True,
        instead_of: Any = None,
    ) -> None:
        """Insert or replace a record of a client, as ``Rows.put``.

        With ``to_end`` it becomes the latest of its table, as if it was created now. Raises StaleRecord, without a
        change, if the record that it is put ``instead_of`` is not the stored one.
        """
        tables = self.tables(change, client)
        position, key_of = self.position, self.key
        state, key = tables[position], key_of(record)
        keys, row = state.keys, state.rows.get(key)
        if instead_of is not None and (row is None or row[1] is not instead_of):
            raise StaleRecord(self.name)
        if row is None or to_end:
            serial = state.serial + 1
            rows = inserted(state.rows, key, (serial, record))
            if keys or self.located is not None:
                keys = self._found(change, keys, client, (key, None if row is None else row[1], record), check)
            tables[position] = state.after(self.indexes, (key, row), rows, serial, keys)
        else:
            serial, before = row
            rows = inserted(state.rows, key, (serial, record))
            placed, found = self.placed_by, self.found_by
            if placed(before) == placed(record):
                tables[position] = TableState(rows, state.serial, keys, state.lookups, state.late)
            else:
                if (keys or self.located is not None) and found(before) != found(record):
                    keys = self._found(change, keys, client, (key, before, record), check)
                tables[position] = state.after(self.indexes, (key, row), rows, state.serial, keys)
        change.written[client] = None
        change.touched.append((client, self.name, key))
        if self.alarms:
            self._time(change, client, key, row, (serial, record))

    def remove(self, change: Writer, client: str, key: object) -> Any:
        """Remove a record of a client and return it, as ``Rows.remove``."""
        tables = self.tables(change, client)
        position = self.position
        state = tables[position]
        row = state.rows[key]
        keys = state.keys
        if keys or self.located is not None:
            keys = self._found(change, keys, client, (key, row[1], None))
        tables[position] = state.after(self.indexes, (key, row), removed(state.rows, key), state.serial, keys)
        change.written[client] = None
        change.touched.append((client, self.name, key))
        self._time(change, client, key, row, None)
        return row[1]

    def _time(self, change: Writer, client: str, key: object, was: _Row | None, row: _Row | None) -> None:
        """Set and cancel the timers of a record whose row changes; None stands for no record."""
        for alarm in self.alarms:
            before = None if was is None else alarm.set_for(was[1])
            after = None if row is None else alarm.set_for(row[1])
            if before != after or (after and was and row and was[0] != row[0]):
                name = (self.name, client, key, alarm.kind)
                change.set_timer(name, None if row is None or after is None else alarm.timer(name, *row))

    def _found(
        self,
        change: Writer,
        keys: tuple[Lookup, ...],
        client: str,
        written: tuple[object, Any, Any],
        check: bool = False,
    ) -> tuple[Lookup, ...]:
        """Return the maps of the unique indexes after a change of a record, and note where it is located.

        ``written`` is its key, and the record before and after, None for none. Raises ValueError like ``Rows.put``,
        without a change.
        """
        key, before, after = written
        for place, index in enumerate(self.uniques):
            values = index.values
            old = () if before is None else values(before)
            new = () if after is None else values(after)
            if old != new:
                keys = (*keys[:place], index.after(keys[place], key, old, new, check), *keys[place + 1 :])
        located = self.located
        if located is not None:
            old = () if before is None else located.values(before)
            new = () if after is None else located.values(after)
            if old != new:
                change.owners = change.owners.after(self.name, client, old, new)
        return keys
