"""Conversion of the values of ``World.encoded`` into a world; errors name the place of the invalid value."""

from collections.abc import Iterable, Sequence
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
#: By the name of a table and a client, the records, oldest first.
_Records = dict[tuple[str, str], list[Any]]


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
    records: _Records = {}
    for name, of_clients in document.tables.items():
        table = table_of(name)
        for client, rows in of_clients.items():
            where = f"tables.{name}.{client}"
            records[name, client] = [record_of(table, each, f"{where}[{at}]") for at, each in enumerate(rows)]
    return _assembled(document, records)


def decoded(body: bytes, version: int) -> World:
    """Return the world of an export (JSON) and its format number, many times faster than from plain values.

    Raises msgspec.DecodeError, without a place, unless all records are valid, and Misuse for other mistakes; a document
    of another version is one.
    """
    document = _decoded(body, version)
    records: _Records = {}
    for name, of_clients in document.tables.items():
        for client, encoded in of_clients.items():
            records[name, client] = _records(table_of(name), encoded)
    return _assembled(document, records)


def decoded_parts(encoded: Iterable[Part], version: int) -> World:
    """Return the world of an export in parts, as ``World.parts`` yields them. Raises as ``decoded``."""
    around: list[bytes] = []
    records: _Records = {}
    for name, client, body in encoded:
        if name:
            made = _records(table_of(name), b"[" + body.removeprefix(b",") + b"]")
            records.setdefault((name, client), []).extend(made)
        else:
            around.append(body)
    return _assembled(_decoded(b"".join(around), version), records)


def _decoded(body: bytes, version: int) -> _Encoded:
    document = msgspec.json.decode(body, type=_Encoded)
    if document.version != version:
        raise Misuse(f"state: the document is of version {document.version}")
    return document


def _records(table: Table[Any, Any], encoded: Raw | bytes) -> list[Any]:
    record: Any = table.record
    return msgspec.json.decode(encoded, type=list[record])


def table_of(name: str) -> Table[Any, Any]:
    """Return the table of a name. Raises Misuse if there is none."""
    table = Table.declared.get(name)
    if table is None:
        raise Misuse(f"state: tables.{name} is no table; there are {', '.join(Table.declared)}")
    return table


def _assembled(counters: _Counters, held: _Records) -> World:
    """Return the world of these records. Raises Misuse for a record under a wrong client or with the key of another."""
    clients = {*map(Table.clients.key, held.get((Table.clients.name, ""), ()))}
    change = World(counters.seed).change(0)
    for name, client in tuple(held):
        table, records, where = table_of(name), held.pop((name, client)), f"tables.{name}.{client}"
        if table.shared is not (client == "") or client not in {"", *clients}:
            raise Misuse(f"state: tables.{name}.{client!r} belongs to no client of the state")
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
