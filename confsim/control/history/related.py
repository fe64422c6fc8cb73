"""The records that belong to a record: those that name it, found by the indexes of their tables."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import Annotated, Any

from confsim.canonical import meaning
from confsim.contract.types import Wire
from confsim.control.labels.label import Held, Named, named
from confsim.domain.channels.channels import CHANNELS, ROOMS
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.users.users import USERS
from confsim.kernel.tables.indexes import Index
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.tables.views import View
from confsim.kernel.world import Change

#: Records of a kind that are shown.
SHOWN = 5


class Related(Wire):
    """The records of one kind that name a record: how many there are, and the newest of them."""

    kind: Annotated[str, "The name of their table."]
    field: Annotated[str, "The field that names the record."]
    total: Annotated[int, "How many there are."]
    records: Annotated[list[Named], "The newest of them, at most five."]


def related(change: Change, held: Held) -> list[Related]:
    """Return the records of the same client, and the shared ones, that name a record.

    Only tables with an index by the record are looked at, so that the cost does not depend on the size of the world.
    """
    owner = held.client or (held.id if held.table is CLIENTS else "")
    found = []
    for table in Table.by_position:
        for index in table.indexes[1:]:
            field = _field(table, index, held)
            if field is None:
                continue
            records = _where(change, table, index, owner, held)
            if records is not None and len(records):
                newest = [Held(table, "" if table.shared else owner, each) for each in records.descending[:SHOWN]]
                if newest[0].record is not held.record:
                    shown = [named(change, each) for each in newest]
                    found.append(Related(kind=table.name, field=field, total=len(records), records=shown))
                break
    return found


def _field(table: Table[Any, Any], index: Index[Any], held: Held) -> str | None:
    """Return the field of an index that can name a record; None for an index by anything else."""
    return next((field for field in _fields(table.name, held.table.name) if field in index.placing), None)


def _named_by(field: str) -> tuple[str, ...]:
    """Return the tables that a field names."""
    fixed = {
        "channel": (CHANNELS.name, ROOMS.name),
        "place": (ROOMS.name,),
        "parent": (CHANNELS.name, CLIENTS.name),
    }
    return fixed.get(field, tuple(name for name in Table.declared if meaning.one_of(name).endswith(field)))


def _where(change: Change, table: Table[Any, Any], index: Index[Any], owner: str, held: Held) -> View[Record] | None:
    """Return the records whose value in an index is the key of a record; None for an index of other values."""
    if not table.shared and not owner:
        return None
    key, rows = held.table.key(held.record), table.of(change, "" if table.shared else owner)
    values: tuple[Hashable, ...] = (key, (owner, key), str(key))
    for value in values:
        view = rows.where(index, value)
        if len(view) and any(_names(each, key) for each in view[:1]):
            return view
    return None


def _names(record: Record, key: Any) -> bool:
    return any(_is(getattr(record, field), key) for field in record.__struct_fields__)


def _is(value: Any, key: Any) -> bool:
    return value == key or str(value) == str(key) or (isinstance(value, tuple) and key in value)


def concerns(table: Table[Any, Any], record: Record | None, held: Held) -> bool:
    """Return whether a record is this one, or names it."""
    if record is None:
        return False
    key = held.table.key(held.record)
    if table is held.table and table.key(record) == key:
        return True
    return any(_is(getattr(record, field), key) for field in _fields(table.name, held.table.name))


@cache
def _fields(table: str, named: str) -> tuple[str, ...]:
    """Return the fields of a table that can name a record of another one."""
    fields = Table.declared[table].record.__struct_fields__
    users = named == USERS.name
    return tuple(field for field in fields if (field in meaning.USERS if users else named in _named_by(field)))
