"""Pages of records: the kinds, the records of one in columns of its own, one record with its machines."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from confsim.inspector import lanes
from confsim.inspector.comparing import compared, in_words, is_nothing
from confsim.inspector.inputs import Input, input_of
from confsim.inspector.names import names
from confsim.inspector.page_request import AnsweredPage, PageRequest, link
from confsim.inspector.render import short
from confsim.inspector.words import date
from confsim.kernel.refusal import Misuse

from .common import LOOK, PAGE, moments, number, show

#: Entries of a history on one page.
_ENTRIES = 20
#: Most columns of a kind, beside the name, the state and the id.
_COLUMNS = 5
#: Records that one page puts in order; a link continues with older ones.
_SORTED = 20_000


class RecordRow(Struct, frozen=True):
    """A record in a table: its kind, its id, its name, its state, the values of its columns."""

    kind: str
    id: str
    name: str
    state: str
    cells: list[Any]


def records(asked: PageRequest) -> AnsweredPage:
    """Show the records of the world or of an earlier moment, or one record with its machines."""
    control, query = asked.control, asked.query
    at = query.get("at") or None
    if len(asked.path) == 2:
        return _record(asked, *asked.path, at)
    offset = number(asked, "offset")
    chosen = {name: query.get(name) or None for name in ("kind", "client", "search")}
    sort, unsorted = query.get("sort") if chosen["kind"] else None, ""
    start, limit = number(asked, "start"), PAGE if chosen["kind"] or chosen["search"] else 0

    def listed(**order: Any) -> Any:
        """Return the page; a search and an order look through a part of the records."""
        look = LOOK if chosen["search"] else _SORTED if order else None
        bounds = {} if look is None else {"look": look, "start": start}
        return control("list_records", **chosen, at=at, offset=offset, limit=limit, **bounds, **order)

    try:
        page = listed(sort=sort) if sort else listed()
    except Misuse as misuse:
        if not sort or misuse.status != 400:
            raise
        page, sort, unsorted = listed(), None, str(misuse)
    columns = _columns(page.records, (sort or "").removeprefix("-")) if chosen["kind"] else []
    return show(
        asked,
        "records",
        "Records",
        page=page,
        kind=chosen["kind"],
        columns=[(name, not any(name in each.references for each in page.records)) for name in columns],
        has_state=not chosen["kind"] or any(each.machines for each in page.records),
        rows=[_row(each, columns) for each in page.records],
        kinds=_offered(counted(page.kinds), chosen["kind"]),
        clients=control("get_info").clients,
        sort=sort,
        unsorted=unsorted,
        start=start,
        offset=offset,
        size=PAGE,
        at=at,
        **moments(asked, at),
    )


def counted(kinds: list[Any]) -> list[tuple[str, int]]:
    """Return the number of records of each kind over all clients."""
    counts: dict[str, int] = {}
    for each in kinds:
        counts[each.kind] = counts.get(each.kind, 0) + each.count
    return list(counts.items())


def _offered(kinds: list[tuple[str, int]], kind: str | None) -> list[tuple[str, int]]:
    """Return the kinds to choose from, including the chosen one when it has no record."""
    return kinds if kind is None or kind in dict(kinds) else [(kind, 0), *kinds]


def _columns(found: list[Any], sorted_by: str) -> list[str]:
    """Return the fields that tell records of a kind from each other: those whose values differ, then those with one.

    They are in the order of the record, with the one that the records are sorted by. Left out are the key and the
    client, what stands in the name or is the state, and what is no plain value.
    """
    values: dict[str, list[Any]] = {}
    for each in found:
        states = [one.state for one in each.machines[:1]]
        for name, value in each.record.items():
            told = name == "client" or str(value) == each.id or value == each.label or value in states
            if not told and not is_nothing(value) and not isinstance(value, dict):
                values.setdefault(name, []).append(value)
    differing = [name for name, those in values.items() if any(each != those[0] for each in those)]
    first = [sorted_by] if found and sorted_by in found[0].record else []
    chosen = [*dict.fromkeys((*first, *differing, *values))][:_COLUMNS]
    return [name for name in found[0].record if name in chosen] if found else []


def _row(found: Any, columns: list[str]) -> RecordRow:
    state = found.machines[0].state if found.machines else ""
    return RecordRow(found.kind, found.id, found.label, state, [_cell(found, name) for name in columns])


def _cell(found: Any, name: str) -> Any:
    """Return a value of a row: the names of the records that it refers to, an instant as a date, else in words."""
    named = found.references.get(name)
    value = found.record.get(name)
    if named:
        return ", ".join(each.label for each in named)
    return None if value is None else date(value)[:19] or in_words(value, name, {})


def _record(asked: PageRequest, kind: str, id: str, at: str | None) -> AnsweredPage:
    control, found = asked.control, moments(asked, at)
    timeline = asked.query.get("timeline") == "true"
    before = asked.query.get("before") or (found["later"] if at else None)
    try:
        record = control("get_record", kind, id, at=at)
    except Misuse as misuse:
        if misuse.status != 404:
            raise
        past = _history(asked, kind, id, timeline, before)
        if at is None and not past["history"].entries:
            raise
        title = f"{past['history'].label or id}: {kind}"
        return show(asked, "no_record", title, path=("records", kind, id), at=at, **past, **found)
    machines = {each.name: each for each in control("list_machines")}
    return show(
        asked,
        "record",
        f"{record.label or record.id}: {record.kind}",
        record=record,
        given={name: value for name, value in record.record.items() if not is_nothing(value)},
        empty=[name for name, value in record.record.items() if is_nothing(value)],
        machines=[lanes.of_machine(machines[each.machine], each.state) for each in record.machines],
        inputs=_inputs(record) if at is None else [],
        at=at,
        **_history(asked, kind, id, timeline, before),
        **found,
    )


def _history(asked: PageRequest, kind: str, id: str, timeline: bool, before: str | None) -> dict[str, Any]:
    """Return what made, changed and removed a record, newest first, with what belongs to it and its timers."""
    history = asked.control("get_history", kind, id, timeline=timeline, before=before, limit=_ENTRIES)
    changes = [each for entry in history.entries for each in entry.changes]
    known = names(asked, *(side for each in changes for side in (each.before, each.after) if side is not None))
    told = [
        (entry, [compared(each, _page(asked, entry, each), known) for each in entry.changes])
        for entry in history.entries[::-1]
    ]
    return {"history": history, "told": told, "timeline": timeline}


def _page(asked: PageRequest, entry: Any, change: Any) -> str:
    return link(asked, "records", change.table, change.key, at=None if change.after is None else entry.id)


def _inputs(record: Any) -> list[Input]:
    """Return the fields of the form that changes a record, with their present values as hints."""
    now = {name.replace("_", "").lower(): f"now {short(value)}" for name, value in record.record.items()}
    return [
        input_of(each.name, each.schema, {}, text=each.text, hint=now.get(each.name.lower(), "unchanged"))
        for each in record.editable
    ]
