"""The control operation of the full-text search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any

import msgspec

from confsim import guides
from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import REGISTER
from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CONTROL, operation
from confsim.control.explaining import is_known, written
from confsim.control.labels.label import Held, label
from confsim.control.matching import read_body
from confsim.control.moments import in_order
from confsim.control.operations.browse import Found, filled_tables, searched
from confsim.control.operations.faults import list_faults, list_held
from confsim.control.operations.state import list_snapshots
from confsim.kernel.diagram import in_words
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.tables.writing import Written
from confsim.kernel.world import Change
from confsim.reference import gaps, rules
from confsim.service.entries import ControlCall, JournalEntry, Noted
from confsim.service.masking import Mask

#: Bytes of a body that are looked through at once: meanwhile the interpreter is nobody else's.
PIECE = 64 * 2**10
#: Characters of an excerpt, and most of those before the match.
_LENGTH, _BEFORE = 140, 40


class Group(StrEnum):
    """The kind of a match."""

    NAME = "name"
    RECORD = "record"
    CALL = "call"
    FAULT = "fault"
    HELD = "held"
    WORLD = "world"
    SNAPSHOT = "snapshot"
    MACHINE = "machine"
    ASSUMPTION = "assumption"
    OPERATION = "operation"
    GUIDE = "guide"
    REFUSAL = "refusal"
    RULE = "rule"
    GAP = "gap"


class Hit(Wire):
    """A match: ``id`` identifies it in its ``group``, a record within its ``kind``."""

    group: Annotated[Group, "What it is."]
    id: Annotated[str, "Its name or id."]
    title: Annotated[str, "What it is about."]
    excerpt: Annotated[str, "The text with what stands around it."]
    kind: Annotated[str | None, "The kind of a record."] = None


class SearchResult(Wire):
    """The matches. ``next`` is the number of records searched so far if there are further ones, else null.

    ``more`` lists groups, and kinds of records, of which only the first matches were taken.
    """

    found: Annotated[list[Hit], "What was found."]
    more: Annotated[list[str], "Groups and kinds of records of which there may be more."]
    next: Annotated[int | None, "How many records were looked through; null where it was all."] = None


@operation("GET /search", beside=True)
def search(
    context: ControlContext,
    *,
    text: Annotated[str, "The text, in any case."],
    limit: Annotated[
        Count | None, "How many of a group, or of a kind of records, are listed at most; 10 by default."
    ] = None,
    look: Annotated[Count | None, "How many records are looked through at most."] = None,
    start: Annotated[Count | None, "How many records are passed over, which were looked through."] = None,
) -> SearchResult:
    """Search a text in everything: records, the journal, the server, the register, the catalogue, guides and rules.

    Records of all kinds include mails, deliveries and presence; the journal has calls, control calls and timers with
    their changes; faults, held calls, worlds and snapshots are searched too.

    A search may ``look`` through part of the records at a time, and ``start`` where the last one ended; from the
    second part on, it lists records alone. Misuse for an empty text.
    """
    wanted = text.strip().lower()
    if not wanted:
        raise Misuse("text: there is nothing to search for")
    return _found(context, wanted, 10 if limit is None else limit, look, start or 0)


def _found(context: ControlContext, wanted: str, limit: int, look: int | None, start: int) -> SearchResult:
    """Return the matches."""
    found: list[Hit] = []
    more: list[str] = []
    for group, hits in () if start else _groups(context, wanted):
        for count, hit in enumerate(hits, 1):
            if count > limit:
                more.append(group)
                break
            found.append(hit)
    change = context.view()
    tables = sorted(filled_tables(change.world, None), key=lambda each: len(each[2]))
    counts: dict[str, int] = {}
    passed, end = 0, None if look is None else start + look
    for table in tables:
        kind, size = table[0].name, len(table[2])
        first, passed = max(0, start - passed), passed + size
        if first >= size:
            continue
        last = size if end is None else min(size, end - (passed - size))
        for each in searched([table], wanted, first, last - first):
            counts[kind] = counts.get(kind, 0) + 1
            if counts[kind] > limit:
                last = size  # the group is full: skip the rest of the table
                break
            found.append(_record(change, each, wanted))
        if last < size or passed == end:
            passed -= size - last
            break
    total = sum(len(rows) for _, _, rows in tables)
    more += [kind for kind, count in counts.items() if count > limit]
    return SearchResult(found=found, more=more, next=passed if passed < total else None)


def _groups(context: ControlContext, wanted: str) -> Iterator[tuple[Group, Iterator[Hit]]]:
    """Yield the groups that are searched beside records, each with its matches."""
    name = written(wanted)
    yield Group.NAME, iter([Hit(group=Group.NAME, id=name, title=name, excerpt="")] if is_known(name) else [])
    yield Group.CALL, _calls(context, wanted)
    for group, things in _things(context).items():
        yield group, _among(group, things, wanted)


def _things(context: ControlContext) -> dict[Group, Iterable[tuple[str, str, Any]]]:
    """Return the things of the smaller groups: name, title, and all their text."""
    service = context.service
    return {
        Group.FAULT: ((each.id, each.operation or each.thing or "", each) for each in list_faults(context)),
        Group.HELD: ((each.id, f"{each.method} {each.path}", each) for each in list_held(context)),
        Group.WORLD: ((name, each.provenance.made_from, name) for name, each in context.worlds.items()),
        Group.SNAPSHOT: ((each.name, "", each) for each in list_snapshots(context)),
        Group.MACHINE: (
            (each.name, each.title, [each.title, [str(state.value) for state in each.states], in_words(each)])
            for each in Machine.declared.values()
        ),
        Group.ASSUMPTION: (
            (each.id, each.statement, [each.id, each.statement, each.gaps, service.profile.get(each.id, each.default)])
            for each in REGISTER.entries.values()
        ),
        Group.OPERATION: (
            (each.name, each.summary, [each.name, *each.route(service.profile), each.function.__doc__])
            for each in (*API, *CONTROL)
        ),
        Group.REFUSAL: ((each.name.lower(), "", f"{each.name.lower()} {each.value.message}") for each in Reason),
        Group.RULE: ((each.id, "", f"{each.id} {each.statement}") for each in rules().values()),
        Group.GAP: ((each.id, "", f"{each.id} {each.question}") for each in gaps().values()),
        Group.GUIDE: ((each.name, each.title, each.text) for each in guides.list_()),
    }


def _among(group: Group, things: Iterable[tuple[str, str, Any]], wanted: str) -> Iterator[Hit]:
    for id, title, whole in things:
        excerpt = _excerpt(whole if isinstance(whole, str) else _json(whole), wanted)
        if excerpt is None:
            excerpt = _excerpt(f"{id} {title}", wanted)
        if excerpt is not None:
            yield Hit(group=group, id=id, title=title, excerpt=excerpt)


def _json(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()


def _excerpt(text: str, wanted: str) -> str | None:
    """Return the part of a text around a match on one line; None without a match."""
    place = text.lower().find(wanted)
    if place < 0:
        return None
    begin = max(0, place - _BEFORE)
    end = max(begin + _LENGTH, place + len(wanted))
    return f"{'…' * (begin > 0)}{' '.join(text[begin:end].split())}{'…' * (end < len(text))}"


def _record(change: Change, found: Found, wanted: str) -> Hit:
    held = Held(*found)
    excerpt = _excerpt(_json(_fields(held.record)), wanted) or ""
    return Hit(group=Group.RECORD, id=held.id, title=label(change, held), excerpt=excerpt, kind=held.table.name)


def _fields(record: Record) -> Mapping[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__ if name != "data"}


def _calls(context: ControlContext, wanted: str) -> Iterator[Hit]:
    """Yield the journal entries that match, newest first."""
    for noted in reversed(in_order(context.service.journal)):
        excerpt = next(filter(None, (_excerpt(text, wanted) for text in _texts(context, noted, wanted))), None)
        if excerpt is None:
            continue
        if isinstance(noted, JournalEntry):
            target = Mask(context.service.profile, noted.after).path(noted.request.target)
            title = f"{noted.request.method} {target} {noted.response.status or 'none'}"
        else:
            title = noted.operation if isinstance(noted, ControlCall) else noted.kind
        yield Hit(group=Group.CALL, id=noted.id, title=title, excerpt=excerpt)


def _texts(context: ControlContext, noted: Noted, wanted: str) -> Iterator[str]:
    """Yield the texts of a journal entry: of a call the request, answer, assumptions and records written."""
    used = " ".join(noted.assumptions)
    if isinstance(noted, JournalEntry):
        request, response = Mask(context.service.profile, noted.after).shown(noted.request), noted.response
        line = f"{request.method} {request.target}{'?' * bool(request.query)}{request.query}"
        fault = _json(noted.fault) if noted.fault else ""
        yield f"{noted.id} {line} {response.status} {noted.operation} {used} {fault}"
        for raw in (request.body, response.body):
            yield from _body(raw, wanted)
        yield _json(list(request.headers.items()))
        if noted.after is not noted.before:
            yield from _written(noted.touched, noted.before, noted.after)
        return
    if isinstance(noted, ControlCall):
        yield f"{noted.id} {noted.operation} {' '.join(noted.path)} {_json(noted.query)} {used}"
        yield from _body(noted.body, wanted)
    else:
        yield f"{noted.id} {noted.kind} {noted.client} {noted.subject} {used}"
    if noted.worlds is not None:
        yield from _written(noted.touched, *noted.worlds)


def _body(raw: bytes, wanted: str) -> Iterator[str]:
    """Yield a body as shown; escapes of JSON are decoded if the text could be one.

    A large one is shown in pieces, each with the beginning of the next one.
    """
    if len(raw) <= PIECE and not wanted.isascii():
        yield _json(read_body(raw))
        return
    for place in range(0, len(raw), PIECE):
        yield raw[place : place + PIECE + len(wanted.encode())].decode(errors="replace")


def _written(touched: Iterable[Written], *worlds: Any) -> Iterator[str]:
    """Yield the records that were written, before and after."""
    for client, table, key in dict.fromkeys(touched):
        for world in worlds:
            record = Table.declared[table].seen(world, client).get(key)
            if record is not None:
                yield f"{table} {_json(_fields(record))}"
