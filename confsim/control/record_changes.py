"""The changes that a call made to records, as the control plane shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec

from confsim.contract.types import Wire
from confsim.kernel.tables.table import Table
from confsim.kernel.tables.writing import Written
from confsim.kernel.world import World

from .labels.label import held, key_text, label


class RecordChange(Wire):
    """A record that a call wrote: its changed fields. ``before`` is null for a new one, ``after`` for a removed one."""

    table: Annotated[str, "The table of the record."]
    client: Annotated[str, "The client of the record; empty for none."]
    key: Annotated[str, "The key of the record."]
    before: Annotated[dict[str, Any] | None, "Its changed fields before; null for a new one."]
    after: Annotated[dict[str, Any] | None, "Its changed fields after; null for a removed one."]
    label: Annotated[str, "What people call the record."] = ""


def changes(touched: Iterable[Written], before: World, after: World) -> Iterator[RecordChange]:
    """Yield what became of the records that were written between two worlds, of those that differ."""
    for client, table, key in dict.fromkeys(touched):
        was, now = (_record(world, client, table, key) for world in (before, after))
        if was == now:
            continue
        if was is not None and now is not None:
            names = [name for name in now if was.get(name) != now[name]]
            was, now = ({name: each[name] for name in names} for each in (was, now))
        yield RecordChange(
            table=table,
            client=client,
            key=key_text(key),
            before=was,
            after=now,
            label=_label(before if now is None else after, client, table, key),
        )


def _label(world: World, client: str, table: str, key: Any) -> str:
    """Return what people call a record that is in a world."""
    change = world.change(0)
    found = held(change, client, table, key)
    return "" if found is None else label(change, found)


def _record(world: World, client: str, table: str, key: Any) -> dict[str, Any] | None:
    record = Table.declared[table].seen(world, client).get(key)
    if record is None:
        return None
    fields: dict[str, Any] = msgspec.to_builtins(record, str_keys=True)
    return fields
