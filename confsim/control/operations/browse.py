"""The records of the world, now or right after a call: list, search, and the states of their machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from confsim.canonical import meaning
from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.control.labels.label import Held, Named, key_text, label, named, references
from confsim.control.moments import world_after
from confsim.control.operations.records import EditableField, editable_fields
from confsim.domain.clients.clients import CLIENTS
from confsim.kernel.diagram import in_words
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse, suggest, suggest_near
from confsim.kernel.tables.table import Record, Rows, Table
from confsim.kernel.world import Change, World
from confsim.values.plain import whole_number

#: Default and largest number of records on a page.
PAGE = 50
LARGEST_PAGE = 500
#: Records that are encoded together for a search.
_CHUNK = 100
#: Values that are none: they stand last in every order.
_NO_VALUE = (None, "", ())


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
    label: Annotated[str, "What people call it."] = ""
    references: Annotated[dict[str, list[Named]], "The records that it names, by the field that names them."] = {}
    editable: Annotated[list[EditableField], "The fields that change_record sets; in a list of records none."] = []


class RecordKind(Wire):
    """How many records of a kind a client has; ``client`` is "" where they belong to none."""

    kind: Annotated[str, "The name of the table."]
    client: Annotated[str, "The client; empty for none."]
    count: Annotated[int, "The number of records."]


class RecordPage(Wire):
    """Records by kind and client, newest first in each. ``total`` counts all that were found, null for a search.

    ``more`` says whether there are further ones. ``kinds`` counts all records of the client, or of all, by their kinds.
    ``next`` is where to continue a search that reached its limit of records, null for one that is complete.
    """

    total: Annotated[int | None, "The number of matches; null for a search."]
    more: Annotated[bool, "Whether there are further ones."]
    records: Annotated[list[StoredRecord], "The records of this page, by kind and client, newest first in each."]
    kinds: Annotated[list[RecordKind], "The number of records of each kind."]
    next: Annotated[int | None, "How many records were looked through, where there are further ones."] = None


class MachineInfo(Wire):
    """A state machine: its states, the one in which a record begins, and its rows in words (``when``, ``on``, …)."""

    name: Annotated[str, "The name of the machine."]
    title: Annotated[str, "The subject of the machine."]
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


@operation("GET /records", beside=True)
def list_records(
    context: ControlContext,
    *,
    kind: Annotated[str | None, "The kind of the records."] = None,
    client: Annotated[str | None, "The client whose records are listed."] = None,
    search: Annotated[str | None, "A text that they contain."] = None,
    at: Annotated[str | None, "The id of the call after which they are read; now without one."] = None,
    limit: Annotated[int | None, "The largest number of them."] = None,
    offset: Annotated[int | None, "The number of skipped ones."] = None,
    look: Annotated[Count | None, "How many records a search looks through at most."] = None,
    start: Annotated[Count | None, "How many records a search passes over, which it has looked through."] = None,
    sort: Annotated[
        str | None, "The field that orders the records, or label or state; -name begins at the end."
    ] = None,
) -> RecordPage:
    """List the records of the world, or of the world right after the call ``at`` (the id of a journal entry).

    Those of a ``kind`` or a ``client`` only, and those with the text ``search`` in one of their fields, whatever its
    case. A search may ``look`` through a part of the records at a time, and ``start`` where the one before has ended.

    ``sort`` orders the records of a kind: numbers before texts, texts in any case, files by size. Records without a
    value are last. A ``look`` bounds its cost too: it orders only the newest ones of that number, and ``next`` says
    where the others begin. Raises Misuse for an unknown field, (404) for an unknown kind, client or call, (410) for a
    call that the journal has dropped.
    """
    world = world_after(context, at)
    size, first = PAGE if limit is None else limit, offset or 0
    if not 0 <= size <= LARGEST_PAGE or first < 0:
        raise Misuse(f"limit is a number from 0 to {LARGEST_PAGE}, offset one from 0")
    if kind is not None and kind not in Table.declared:
        raise _no_kind(kind)
    change, filled = world.change(0), filled_tables(world, client)
    chosen = [each for each in filled if kind in (None, each[0].name)]
    total = sum(len(rows) for _, _, rows in chosen)
    if search or sort is not None:
        found = searched(chosen, (search or "").lower(), start or 0, look)
        ordered = found if sort is None else _in_order(change, kind, found, sort)
        page = list(islice(ordered, first, first + size + 1))
    else:
        page = _newest(chosen, first, size + 1)
    looked = total if look is None else (start or 0) + look
    has_next = looked < total and (sort is not None or (search and len(page) <= size))
    return RecordPage(
        total=None if search else total,
        more=len(page) > size,
        records=[_describe(change, Held(*each)) for each in page[:size]],
        kinds=[RecordKind(kind=table.name, client=owner, count=len(rows)) for table, owner, rows in filled],
        next=looked if has_next else None,
    )


def _newest(tables: Iterable[Filled], first: int, size: int) -> list[Found]:
    """Return one page of all records, newest first in each table; only its own records are read."""
    page: list[Found] = []
    for table, owner, rows in tables:
        wanted = slice(first, first + size - len(page))
        page += [(table, owner, record) for record in rows.all.descending[wanted]]
        first = max(first - len(rows), 0)
        if len(page) >= size:
            break
    return page


@operation("GET /records/{kind}/{id}", beside=True)
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
    table, change = table_of_kind(kind), world_after(context, at).change(0)
    found = find_record(change, table, id)
    if found is None:
        raise Misuse(f"there is no record {id!r} of the kind {table.name}", status=404)
    return replace(_describe(change, found), editable=editable_fields(table.name))


def table_of_kind(kind: str) -> Table[Any, Any]:
    """Return the table of a kind of record, which can be called by its name or as one record of it is.

    Raises Misuse (404) for an unknown kind.
    """
    table = Table.declared.get(kind)
    if table is None:
        table = next((each for each in Table.declared.values() if meaning.one_of(each.name) == kind), None)
    if table is None:
        raise _no_kind(kind)
    return table


def _no_kind(kind: str) -> Misuse:
    known = suggest_near(kind, Table.declared) or f"; there are {', '.join(Table.declared)}"
    return Misuse(f"there is no kind of record {kind!r}{known}", status=404)


def find_record(change: Change, table: Table[Any, Any], id: str) -> Held | None:
    """Return the record whose key has this text, in any client; None without one."""
    number = whole_number(id)
    known = table.find_client(change, id) or table.find_client(change, number)
    owners = _owners(change, table) if known is None else (known,)
    for owner in owners:
        rows = table.of(change, owner)
        record = rows.get(id) or (None if number is None else rows.get(number))
        if record is None and " " in id:  # a compound key
            record = next((each for each in rows.all if key_text(table.key(each)) == id), None)
        if record is not None:
            return Held(table, owner, record)
    return None


#: A table that is not empty: its declaration, the id of its client, its rows.
Filled = tuple[Table[Any, Any], str, Rows[Any, Any]]
Found = tuple[Table[Any, Any], str, Record]


def _owners(change: Change, table: Table[Any, Any]) -> Iterator[str]:
    """Yield the ids of the clients for which a table can have records; "" for a shared one."""
    return iter(("",)) if table.shared else (each.id for each in CLIENTS.of(change).all)


def filled_tables(world: World, client: str | None) -> list[Filled]:
    """Return the tables that are not empty, of one client or all. Raises Misuse (404)."""
    change = world.change(0)
    if client is not None and client not in CLIENTS.of(change):
        raise Misuse(f"there is no client {client!r}", status=404)
    filled: dict[str, list[Filled]] = {name: [] for name in Table.declared}
    for owner in ("", *(each.id for each in CLIENTS.of(change).all)) if client is None else (client,):
        for table, state in zip(Table.by_position, world.client_tables.get(owner, ()), strict=False):
            if state.rows:
                filled[table.name].append((table, owner, table.of(change, owner)))
    return list(chain.from_iterable(filled.values()))


def searched(tables: Iterable[Filled], text: str, start: int = 0, look: int | None = None) -> Iterator[Found]:
    """Yield the records with the lower-case text in one of their fields.

    Skips the first ``start`` records and searches ``look`` of the others, or all. An empty text is in each.
    """
    wanted, left = text.encode(), look
    for table, owner, rows in tables:
        view = rows.all.descending
        size = len(rows)
        first, start = start, max(0, start - size)
        while first < size and left != 0:
            chunk = view[first : first + (_CHUNK if left is None else min(_CHUNK, left))]
            first += len(chunk)
            left = None if left is None else left - len(chunk)
            if not text or _says(chunk, text, wanted):
                yield from ((table, owner, each) for each in chunk if not text or _says([each], text, wanted))


def _in_order(change: Change, kind: str | None, found: Iterable[Found], sort: str) -> list[Found]:
    """Return records of a kind in the order of a field, or of their labels or states; those without a value are last.

    Raises Misuse without a kind, and for an unknown field.
    """
    if kind is None:
        raise Misuse("sort needs a kind, since records of several kinds have no field in common")
    value = _reader(change, Table.declared[kind], sort.removeprefix("-"))
    values = [(value(each), each) for each in found]
    ranked = [(_rank(value), each) for value, each in values if value not in _NO_VALUE]
    ranked.sort(key=itemgetter(0), reverse=sort.startswith("-"))
    return [each for _, each in ranked] + [each for value, each in values if value in _NO_VALUE]


def _reader(change: Change, table: Table[Any, Any], name: str) -> Callable[[Found], Any]:
    """Return what reads a field of a record, or its label or state. Raises Misuse for an unknown field."""
    fields = dict(zip(table.record.__struct_encode_fields__, table.record.__struct_fields__, strict=True))
    machine = next(iter(Machine.of(table)), None)
    if name == "label":
        return lambda each: label(change, Held(*each))
    if name == "state" and machine is not None:
        return lambda each: machine.state(each[2]).value
    if name in fields:
        return lambda each: getattr(each[2], fields[name])
    known = suggest(name, ("label", "state", *fields))
    raise Misuse(f"sort: {name[:80]!r} is not a field of {table.name}{known}")


def _rank(value: Any) -> tuple[int, Any]:
    """Return what orders a value among others of any type."""
    if isinstance(value, (int, float, bytes)):
        return 0, len(value) if isinstance(value, bytes) else value
    return 1, (value if isinstance(value, str) else msgspec.json.encode(value).decode()).casefold()


def _says(records: Sequence[Record], text: str, wanted: bytes) -> bool:
    """Return whether the JSON of the records has the text."""
    encoded = msgspec.json.encode([_without_bytes(each) for each in records])
    return wanted in encoded.lower() or (not text.isascii() and text in encoded.decode().lower())


def _without_bytes(record: Record) -> Any:
    """Return the record, or its fields without the bytes of a file."""
    if isinstance(getattr(record, "data", None), bytes):
        return {name: getattr(record, name) for name in record.__struct_fields__ if name != "data"}
    return record


def _describe(change: Change, held: Held) -> StoredRecord:
    table, record = held.table, held.record
    data = getattr(record, "data", None)
    fields: dict[str, Any] = msgspec.to_builtins(_without_bytes(record), str_keys=True)
    return StoredRecord(
        kind=table.name,
        id=held.id,
        client=held.client,
        record=fields,
        machines=[
            MachineState(machine=machine.name, state=str(machine.state(record).value)) for machine in Machine.of(table)
        ],
        size=len(data) if isinstance(data, bytes) else None,
        label=label(change, held),
        references=_references(change, held),
    )


def _references(change: Change, held: Held) -> dict[str, list[Named]]:
    """Return the records that a record names, by the field that names them."""
    fields: dict[str, list[Named]] = {}
    for field, other in references(change, held):
        fields.setdefault(field, []).append(named(change, other))
    return fields
