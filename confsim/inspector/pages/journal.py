"""Pages about the past: the journal as a list, and one entry of it beside that list."""

from __future__ import annotations

from typing import Any

import msgspec

from confsim.control.journal_view import EntryKind
from confsim.inspector.comparing import compared
from confsim.inspector.names import names
from confsim.inspector.page_request import PageRequest, Shown, link
from confsim.kernel.refusal import Misuse

from .common import PAGE, moments, newest, number, pager, show
from .entries import grouped_by_instant

#: Most records in the start of a world for which a call is shown as a test: the test contains them all.
_LARGEST_START = 2_000
#: The fields of the query that choose entries.
FILTERS = ("operation", "path", "status", "assumption")
_TITLES = {EntryKind.CALL: "Call", EntryKind.CONTROL: "Control call", EntryKind.TIMER: "Timer"}


def requests(asked: PageRequest) -> Shown:
    """Show the journal, newest first (calls, and events between them), or one entry beside it."""
    if asked.path:
        return _request(asked, asked.path[0])
    return show(asked, "requests", "Journal", call=None, **_listed(asked, None))


def _listed(asked: PageRequest, selected: str | None) -> dict[str, Any]:
    """Return the values of the list; a mistake in a filter is said above it, and the list is empty."""
    query = asked.query
    pattern: dict[str, Any] = {name: query[name] for name in FILTERS if query.get(name)}
    kind = query.get("kind") or EntryKind.ALL
    mistake, status = "", 200
    try:
        if "status" in pattern:
            pattern["status"] = number(asked, "status")
        entries, paging = newest(asked, "list_requests", **pattern, kind=kind)
        if selected is not None and not query.get("offset") and all(each.id != selected for each in entries):
            entries, paging = _around(asked, selected) if not pattern else (entries, paging)
    except Misuse as misuse:
        entries, paging, mistake, status = [], pager(0, more=False), str(misuse), misuse.status
    chosen = pattern or kind != EntryKind.ALL or paging["offset"]
    return {
        "groups": grouped_by_instant(entries),
        "selected": selected,
        "kind": kind,
        "chosen": {name: value for name, value in query.items() if value and name != "offset"},
        "none_here": "No entry of the journal matches." if chosen or mistake else "The journal is empty.",
        "dropped": asked.control.context.service.journal.dropped,
        "mistake": mistake,
        "status": status,
        **paging,
    }


def _around(asked: PageRequest, selected: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the part of the whole journal that has an entry, newest first."""
    ids = [each.id for each in asked.control("list_moments")]
    later = len(ids) - 1 - ids.index(selected) if selected in ids else 0
    offset = later // PAGE * PAGE
    found = asked.control("list_requests", kind=EntryKind.ALL, limit=PAGE + 1, offset=offset)[::-1]
    return found[:PAGE], pager(offset, more=len(found) > PAGE)


def _request(asked: PageRequest, id: str) -> Shown:
    control = asked.control
    call = control("get_request", id)
    around = moments(asked, id)
    assumptions = [each for each in control("list_assumptions") if each.id in call.assumptions]
    values = [side for each in call.changes for side in (each.before, each.after) if side is not None]
    known = names(asked, *values, at=id)
    changed = [
        compared(each, link(asked, "records", each.table, each.key, at=id if each.after else around["earlier"]), known)
        for each in call.changes
    ]
    return show(
        asked,
        "request",
        f"{_TITLES[call.kind]} {id}",
        call=call,
        changed=changed,
        assumptions=assumptions,
        why=control("explain_request", id),
        **around,
        **(_exported(asked, id) if call.kind == EntryKind.CALL else {"headers": None, "exports": {}, "too_large": 0}),
        **{**_listed(asked, id), "status": 200},
    )


def _exported(asked: PageRequest, id: str) -> dict[str, Any]:
    """Return the forms in which a call can be repeated, with its headers.

    A test or scenario contains the start of the world when it has no name; for a large start the page says so instead.
    """
    control = asked.control
    archive = msgspec.json.decode(control("export_requests", as_="har", ids=id).data)
    entry = archive["log"]["entries"][0] if archive["log"]["entries"] else None
    headers = None if entry is None else [(side, entry[side]["headers"]) for side in ("request", "response")]
    size = sum(len(state.rows) for _, state in control.context.service.history.origin.tables())
    exports: dict[str, str] = {}
    for form in ("curl",) if size > _LARGEST_START else ("curl", "pytest", "scenario"):
        try:
            exports[form] = control("export_requests", as_=form, ids=id).data.decode()
        except Misuse as misuse:
            exports[form] = str(misuse)
    return {"headers": headers, "exports": exports, "too_large": size if size > _LARGEST_START else 0}
