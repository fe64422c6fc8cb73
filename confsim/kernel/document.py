"""Conversion of the plain values of ``World.export`` into a world; errors name the place of the invalid value."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from rpds import HashTrieMap

from .refusal import Misuse
from .table import Record, Table
from .timers import HANDLERS
from .world import World

#: Counters of a world, and due instants of its timers (epoch milliseconds).
_Count = Annotated[int, Meta(ge=0, le=2**53)]


class Document(Struct, forbid_unknown_fields=True):
    """An export of a world: tables by name and client id, each a list of records, oldest first."""

    seed: int
    minted: _Count
    sequences: dict[str, _Count]
    timers: list[tuple[_Count, str, str, str]]
    tables: dict[str, dict[str, list[dict[str, Any]]]]


def restored(values: object) -> World:
    """The world of an export. Raises Misuse, which names the place of the first invalid value.

    Every table and timer kind must be declared, every field known, and every client id that of a client in the export.
    """
    try:
        document = msgspec.convert(values, Document)
    except msgspec.ValidationError as error:
        raise Misuse(f"state: {error}") from None
    change = World(document.seed).change(0)
    clients = {str(each.get("id")) for each in document.tables.get("clients", {}).get("", [])}
    for name, parts in document.tables.items():
        table = Table.declared.get(name)
        if table is None:
            raise Misuse(f"state: tables.{name} is no table; there are {', '.join(Table.declared)}")
        for client, records in parts.items():
            if (client == "") is not table.shared or not (table.shared or client in clients):
                raise Misuse(f"state: tables.{name}.{client!r} belongs to no client of the state")
            rows = table.of(change, client)
            for place, values in enumerate(records):
                record = record_of(table, values, f"tables.{name}.{client}[{place}]")
                if getattr(record, "client", client or None) not in ({client} if client else clients | {None}):
                    raise Misuse(f"state: tables.{name}.{client}[{place}].client is not the client it stands under")
                if table.key(record) in rows:
                    raise Misuse(f"state: tables.{name}.{client}[{place}] has the key of an earlier record")
                try:
                    rows.put(record)
                except ValueError as error:  # of a unique index
                    raise Misuse(f"state: tables.{name}.{client}[{place}]: {error}") from None
    for due, kind, client, subject in document.timers:
        if kind not in HANDLERS:
            raise Misuse(f"state: timers know no kind {kind!r}; there are {', '.join(HANDLERS)}")
        change.schedule(kind, due, client, subject)
    change.id_counter = document.minted
    change.sequences = HashTrieMap(document.sequences)
    return change.commit()


def record_of(table: Table[Any, Any], values: dict[str, Any], where: str) -> Record:
    """The record of the table from plain values. Raises Misuse, which names ``where``, when a field is invalid."""
    unknown = sorted(values.keys() - set(table.record.__struct_encode_fields__))
    if unknown:
        raise Misuse(f"state: {where}.{unknown[0]} is no field of a record of {table.name}")
    try:
        record: Record = msgspec.convert(values, table.record, str_keys=True)
    except msgspec.ValidationError as error:
        raise Misuse(f"state: {where}: {error}") from None
    return record
