"""Conversion of the values of ``World.encoded`` into a world; errors name the place of the invalid value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct, field

from .maps import map_of
from .refusal import Misuse
from .tables.filling import fill
from .tables.table import Record, Rows, Table
from .world import Part, World

_CLIENT = attrgetter("client")
#: Counters of a world, and due instants of its timers (epoch milliseconds).
_Count = Annotated[int, Meta(ge=0, le=2**53)]
#: Last numbers of sequences, such as the ids of users.
_Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]
#: The records of a table of a client, oldest first.
_Part = tuple[Table[Any, Any], str, list[Any]]


class _Counters(Struct, forbid_unknown_fields=True):
    """The counters of an export, and its timers; these follow from the records, and are not read."""

    seed: int
    id_counter: _Count = field(name="minted")
    sequences: dict[str, _Number]
    timers: list[tuple[_Count, str, str, str]]


class StateDocument(_Counters, forbid_unknown_fields=True):
    """An export of a world: tables by name and client id, each a list of records, oldest first."""

    tables: dict[str, dict[str, list[dict[str, Any]]]]


class _Encoded(_Counters, forbid_unknown_fields=True):
    """An export of which the tables are not decoded yet, with the number of its format."""

    version: int
    tables: dict[str, dict[str, Raw]]


def restored(values: object) -> World:
    """The world of an export. Raises Misuse, which names the place of the first invalid value.

    Every table and timer kind must be declared, every field known, and every client id that of a client in the export.
    """
    try:
        document = msgspec.convert(values, StateDocument)
    except msgspec.ValidationError as error:
        raise Misuse(f"state: {error}") from None
    of_shared = document.tables.get(Table.clients.name, {}).get("", [])
    clients = {str(values.get(Table.clients.key_name)) for values in of_shared}

    def parts() -> Iterator[_Part]:
        for name, of_clients in document.tables.items():
            table = _table(name)
            for client, records in of_clients.items():
                _check_client(table, client, clients)
                where = f"tables.{name}.{client}"
                yield table, client, [record_of(table, each, f"{where}[{at}]") for at, each in enumerate(records)]

    return _assembled(document, parts(), clients)


def decoded(body: bytes, version: int) -> World:
    """Return the world of an export (JSON) and its format number, many times faster than from plain values.

    Raises msgspec.DecodeError, without a place, unless all records are valid, and Misuse for other mistakes; a document
    of another version is one.
    """
    document = msgspec.json.decode(body, type=_Encoded)
    if document.version != version:
        raise Misuse(f"state: the document is of version {document.version}")
    of_shared = document.tables.get(Table.clients.name, {}).get("")
    clients = set() if of_shared is None else {*map(Table.clients.key, _records(Table.clients, of_shared))}

    def parts() -> Iterator[_Part]:
        for name, of_clients in document.tables.items():
            table = _table(name)
            for client in tuple(of_clients):
                _check_client(table, client, clients)
                yield table, client, _records(table, of_clients.pop(client))

    return _assembled(document, parts(), clients)


def decoded_parts(encoded: Iterable[Part], version: int) -> World:
    """Return the world of an export in parts, as ``World.parts`` yields them. Raises as ``decoded``."""
    around: list[bytes] = []
    records: dict[tuple[str, str], list[Any]] = {}
    for name, client, body in encoded:
        if name:
            made = _records(_table(name), b"[" + body.removeprefix(b",") + b"]")
            records.setdefault((name, client), []).extend(made)
        else:
            around.append(body)
    document = msgspec.json.decode(b"".join(around), type=_Encoded)
    if document.version != version:
        raise Misuse(f"state: the document is of version {document.version}")
    clients = {*map(Table.clients.key, records.get((Table.clients.name, ""), ()))}

    def parts() -> Iterator[_Part]:
        for name, client in tuple(records):
            table = _table(name)
            _check_client(table, client, clients)
            yield table, client, records.pop((name, client))

    return _assembled(document, parts(), clients)


def _records(table: Table[Any, Any], encoded: Raw | bytes) -> list[Any]:
    record: Any = table.record
    return msgspec.json.decode(encoded, type=list[record])


def _table(name: str) -> Table[Any, Any]:
    table = Table.declared.get(name)
    if table is None:
        raise Misuse(f"state: tables.{name} is no table; there are {', '.join(Table.declared)}")
    return table


def _check_client(table: Table[Any, Any], client: str, clients: set[str]) -> None:
    if (client == "") is not table.shared or not (table.shared or client in clients):
        raise Misuse(f"state: tables.{table.name}.{client!r} belongs to no client of the state")


def _assembled(counters: _Counters, parts: Iterable[_Part], clients: set[str]) -> World:
    """Return the world of these records. Raises Misuse for a record under a wrong client or with the key of another."""
    change = World(counters.seed).change(0)
    for table, client, records in parts:
        where = f"tables.{table.name}.{client}"
        _check_records(table, records, {client} if client else {*clients, None}, where)
        try:
            fill(change, table, client, records)
        except ValueError:  # of a unique index
            _put_each(table.of(change, client), records, where)
    change.id_counter = counters.id_counter
    change.sequences = map_of(counters.sequences)
    return change.commit()


def _check_records(table: Table[Any, Any], records: Sequence[Any], clients: set[str | None], where: str) -> None:
    """Raise Misuse for a record of another client than these, and for one with the key of an earlier one."""
    if "client" in table.record.__struct_fields__ and not clients.issuperset(map(_CLIENT, records)):
        place = next(place for place, record in enumerate(records) if record.client not in clients)
        raise Misuse(f"state: {where}[{place}].client is not the client it stands under")
    if len(set(map(table.key, records))) < len(records):
        first = {key: place for place, key in reversed([*enumerate(map(table.key, records))])}
        place = next(place for place, key in enumerate(map(table.key, records)) if first[key] != place)
        raise Misuse(f"state: {where}[{place}] has the key of an earlier record")


def _put_each(rows: Rows[Any, Any], records: Iterable[Any], where: str) -> None:
    """Put the records one by one. Raises Misuse with the place of the first invalid one."""
    for place, record in enumerate(records):
        try:
            rows.put(record)
        except ValueError as error:
            raise Misuse(f"state: {where}[{place}]: {error}") from None


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
