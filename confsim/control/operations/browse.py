"""The records of the world, now or right after a call: listed, searched, each with the states of its machines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

import msgspec

from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.control.journal_view import key_text, world_after
from confsim.domain.clients.clients import CLIENTS
from confsim.kernel.diagram import in_words
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse
from confsim.kernel.table import Record, Rows, Table
from confsim.kernel.world import World

#: Records of a page by default and at most.
PAGE = 50
LARGEST_PAGE = 500


class MachineState(Wire):
    """A state machine of a record, and its state."""

    machine: Annotated[str, "The name of the machine."]
    state: Annotated[str, "The state that the record is in."]


class StoredRecord(Wire):
    """A record: its ``kind`` (the name of its table), its key as text, its client ("" for none), its fields.

    ``size`` is the number of bytes of a file, whose content is left out; null for other records.
    """

    kind: Annotated[str, "The name of its table."]
    id: Annotated[str, "Its key, as text."]
    client: Annotated[str, "Its client; empty for none."]
    record: Annotated[dict[str, Any], "Its fields."]
    machines: Annotated[list[MachineState], "Its machines and their states."]
    size: Annotated[int | None, "The bytes of a file, whose content is left out."] = None


class RecordKind(Wire):
    """How many records of a kind a client has; ``client`` is "" where they belong to none."""

    kind: Annotated[str, "The name of the table."]
    client: Annotated[str, "The client; empty where records belong to none."]
    count: Annotated[int, "How many records there are."]


class RecordPage(Wire):
    """Records in the order of their creation, newest first. ``total`` counts all that were found, null for a search.

    ``more`` says whether there are further ones. ``kinds`` counts all records of the client, or of all, by their kinds.
    """

    total: Annotated[int | None, "How many were found; null for a search."]
    more: Annotated[bool, "Whether there are further ones."]
    records: Annotated[list[StoredRecord], "The records of this page, newest first."]
    kinds: Annotated[list[RecordKind], "How many records there are of each kind."]


class MachineInfo(Wire):
    """A state machine: its states, the one in which a record begins, and its rows in words (``when``, ``on``, …)."""

    name: Annotated[str, "The name of the machine."]
    title: Annotated[str, "What the machine is about."]
    states: Annotated[list[str], "The states."]
    initial: Annotated[str, "The state in which a record begins."]
    rows: Annotated[list[dict[str, str]], "The rows of its transition table, in words."]


@operation("GET /machines")
def list_machines(context: ControlContext) -> list[MachineInfo]:
    """List the state machines as tables. A transition that no row names is refused."""
    return [
        MachineInfo(
            name=each.name,
            title=each.title,
            states=[str(state.value) for state in each.states],
            initial=str(each.initial.value),
            rows=in_words(each),
        )
        for each in Machine.declared.values()
    ]


@operation("GET /records")
def list_records(
    context: ControlContext,
    *,
    kind: Annotated[str | None, "The kind of the records."] = None,
    client: Annotated[str | None, "The client whose records are listed."] = None,
    search: Annotated[str | None, "A text that they contain."] = None,
    at: Annotated[str | None, "The id of the call after which they are read; now without one."] = None,
    limit: Annotated[int | None, "How many there are at most."] = None,
    offset: Annotated[int | None, "How many are skipped."] = None,
) -> RecordPage:
    """List the records of the world, or of the world right after the call ``at`` (the id of a journal entry).

    Those of a ``kind`` or a ``client`` only, and those with the text ``search`` in one of their fields, whatever its
    case. Misuse (404) for an unknown kind, client or call, (410) for a call that the journal has dropped.
    """
    world = world_after(context, at)
    size, first = PAGE if limit is None else limit, offset or 0
    if not 0 <= size <= LARGEST_PAGE or first < 0:
        raise Misuse(f"limit is a number from 0 to {LARGEST_PAGE}, offset one from 0")
    tables = list(_tables(world, client))
    chosen = [(table, owner, rows) for table, owner, rows in tables if kind in (None, table.name)]
    if kind is not None and kind not in Table.declared:
        raise Misuse(f"there is no kind of record {kind!r}; there are {', '.join(Table.declared)}", status=404)
    if search:
        page = list(islice(_searched(chosen, search.lower()), first, first + size + 1))
    else:
        page = list(_paged(chosen, first, size + 1))
    return RecordPage(
        total=None if search else sum(len(rows) for _, _, rows in chosen),
        more=len(page) > size,
        records=[_describe(table, owner, record) for table, owner, record in page[:size]],
        kinds=[RecordKind(kind=table.name, client=owner, count=len(rows)) for table, owner, rows in tables],
    )


@operation("GET /records/{kind}/{id}")
def get_record(
    context: ControlContext,
    kind: Annotated[str, "The kind of the record."],
    id: Annotated[str, "The key of the record."],
    *,
    at: Annotated[str | None, "The id of the call after which it is read; now without one."] = None,
) -> StoredRecord:
    """Get a record with the states of its machines, as it is or as it was right after the call ``at``.

    ``id`` is its key as ``list_records`` shows it, in any client. Misuse (404) for an unknown kind, record or call,
    (410) for a call that the journal has dropped.
    """
    if kind not in Table.declared:
        raise Misuse(f"there is no kind of record {kind!r}; there are {', '.join(Table.declared)}", status=404)
    number = int(id) if id.isascii() and id.isdigit() and len(id) < 20 else None
    for table, owner, rows in _tables(world_after(context, at), None):
        if table.name == kind:
            record = rows.get(id) or (None if number is None else rows.get(number))
            if record is None and " " in id:  # a compound key
                record = next((each for each in rows.all if key_text(table.key(each)) == id), None)
            if record is not None:
                return _describe(table, owner, record)
    raise Misuse(f"there is no record {id!r} of the kind {kind}", status=404)


def _tables(world: World, client: str | None) -> Iterator[tuple[Table[Any, Any], str, Rows[Any, Any]]]:
    """The tables that hold something, of one client or of all, with the id of the client. Misuse (404)."""
    change = world.change(0)
    owners = [each.id for each in CLIENTS.of(change).all]
    if client is not None and client not in owners:
        raise Misuse(f"there is no client {client!r}", status=404)
    for table in Table.declared.values():
        for owner in ("",) if table.shared else owners:
            if client in (None, owner) and (rows := table.of(change, owner)):
                yield table, owner, rows


Found = tuple[Table[Any, Any], str, Record]


def _paged(tables: list[tuple[Table[Any, Any], str, Rows[Any, Any]]], first: int, size: int) -> Iterator[Found]:
    for table, owner, rows in tables:
        length = len(rows)
        for record in rows.all.descending[first : first + size]:
            yield table, owner, record
            size -= 1
        first = max(first - length, 0)


def _searched(tables: list[tuple[Table[Any, Any], str, Rows[Any, Any]]], text: str) -> Iterator[Found]:
    wanted = text.encode()
    for table, owner, rows in tables:
        for record in rows.all.descending:
            encoded = msgspec.json.encode(_without_bytes(record))
            if wanted in encoded.lower() or (not text.isascii() and text in encoded.decode().lower()):
                yield table, owner, record


def _without_bytes(record: Record) -> Any:
    """The record, or its fields without the bytes of a file."""
    if isinstance(getattr(record, "data", None), bytes):
        return {name: getattr(record, name) for name in record.__struct_fields__ if name != "data"}
    return record


def _describe(table: Table[Any, Any], owner: str, record: Record) -> StoredRecord:
    data = getattr(record, "data", None)
    fields: dict[str, Any] = msgspec.to_builtins(_without_bytes(record), str_keys=True)
    return StoredRecord(
        kind=table.name,
        id=key_text(table.key(record)),
        client=owner,
        record=fields,
        machines=[
            MachineState(machine=machine.name, state=str(machine.state(record).value)) for machine in Machine.of(table)
        ],
        size=len(data) if isinstance(data, bytes) else None,
    )
