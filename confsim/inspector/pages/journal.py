"""Pages about the past: the journal as a list, and one entry of it beside that list."""

from __future__ import annotations

from typing import Any

import msgspec

from confsim.control.matching import EntryKind
from confsim.inspector.comparing import Compared, compared
from confsim.inspector.names import names
from confsim.inspector.page_request import AnsweredPage, PageRequest, link
from confsim.kernel.refusal import Misuse

from .common import PAGE, moments, show
from .entries import grouped_by_instant

#: Most records in the start of a world for which a call is shown as a test: the test contains them all.
_LARGEST_START = 2_000
#: The fields of the query that choose entries, with the words in which a page names them.
FILTERS = {
    "text": "text",
    "caller": "caller",
    "operation": "operation",
    "path": "path",
    "status": "status",
    "assumption": "assumption",
}
#: Later entries that the list beside an entry has, where the entry is not among the newest.
_LATER = 12
_TITLES = {EntryKind.CALL: "Call", EntryKind.CONTROL: "Control call", EntryKind.TIMER: "Timer"}


def requests(asked: PageRequest) -> AnsweredPage:
    """Show the journal, newest first (calls, and events between them), or one entry beside it."""
    if asked.path:
        return _request(asked, asked.path[0])
    return show(asked, "requests", "Journal", **_listed(asked, None))


def _listed(asked: PageRequest, selected: str | None) -> dict[str, Any]:
    """Return the values of the list; a mistake in a filter is said above it, and the list is empty."""
    query, mistake, status = asked.query, "", 200
    pattern = {name: query[name] for name in FILTERS if query.get(name)}
    kind = query.get("kind") or EntryKind.ALL.value
    before = query.get("before") or None
    try:
        found = asked.control("get_journal", **pattern, kind=kind, before=before, limit=PAGE)
        if selected is not None and before is None and all(each.id != selected for each in found.rows):
            around = asked.control("list_moments", at=selected, limit=_LATER)
            before = around[-1].id if around[-1].id != selected else None
            found = asked.control("get_journal", **pattern, kind=kind, before=before, limit=PAGE)
    except Misuse as misuse:
        found = asked.control("get_journal", limit=0)
        mistake, status = str(misuse), misuse.status
    chosen = {name: value for name, value in query.items() if value and name in (*FILTERS, "kind")}
    return {
        "journal": found,
        "groups": grouped_by_instant([] if mistake else found.rows),
        "selected": selected,
        "kind": kind,
        "chosen": chosen,
        "caller_labels": {each.id: each.label for each in found.callers},
        "none_here": "No entry of the journal matches." if chosen or mistake or before else "The journal is empty.",
        "next_before": found.rows[-1].id if found.rows and found.more and not mistake else None,
        "mistake": mistake,
        "status": status,
    }


def _request(asked: PageRequest, id: str) -> AnsweredPage:
    control = asked.control
    call = control("get_request", id)
    around = moments(asked, id)
    return show(
        asked,
        "request",
        f"{_TITLES[call.kind]} {id}",
        call=call,
        changed=changes_of(asked, call, around["earlier"]),
        assumptions=[each for each in control("list_assumptions") if each.id in call.assumptions],
        why=control("explain_request", id),
        **around,
        **(
            _exported(asked, id)
            if call.kind == EntryKind.CALL
            else {"headers": None, "blocked": "", "exports": {}, "too_large": 0}
        ),
        **{**_listed(asked, id), "status": 200},
    )


def changes_of(asked: PageRequest, call: Any, earlier: str | None = None) -> list[Compared]:
    """Return what became of the records that an entry wrote; one that is gone is shown ``earlier``."""
    values = [side for each in call.changes for side in (each.before, each.after) if side is not None]
    known = names(asked, *values, at=call.id)
    return [
        compared(each, link(asked, "records", each.table, each.key, at=call.id if each.after else earlier), known)
        for each in call.changes
    ]


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
    blocked = "" if headers is None else _blocked(*(lines for _, lines in headers))
    return {
        "headers": headers,
        "blocked": blocked,
        "exports": exports,
        "too_large": size if size > _LARGEST_START else 0,
    }


def _blocked(sent: list[dict[str, str]], answered: list[dict[str, str]]) -> str:
    """Return the origin of a web page that a browser does not let see the answer; an empty text for none."""
    allowed = any(each["name"].lower() == "access-control-allow-origin" for each in answered)
    return "" if allowed else next((each["value"] for each in sent if each["name"].lower() == "origin"), "")
