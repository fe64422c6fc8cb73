"""Pages about the past: the journal, one call, answers under other assumptions, coverage."""

from __future__ import annotations

from typing import Any

import msgspec

from confsim.control.matching import EntryKind
from confsim.inspector import render
from confsim.inspector.page_request import PageRequest
from confsim.kernel.refusal import Misuse

from .common import diff, moments, newest, number, show

#: Most records in the start of a world for which a call is shown as a test: the test contains them all.
_LARGEST_START = 2_000
#: Calls that a what-if question replays unless all are asked for.
_REPLAYED = 100
_TITLES = {EntryKind.CALL: "Call", EntryKind.CONTROL: "Control call", EntryKind.TIMER: "Timer"}


def requests(asked: PageRequest) -> str:
    """Show the journal, newest first (calls, and events between them), or one entry."""
    if asked.path:
        return _request(asked, asked.path[0])
    query = asked.query
    pattern: dict[str, Any] = {name: query[name] for name in ("operation", "path", "assumption") if query.get(name)}
    if query.get("status"):
        pattern["status"] = number(asked, "status")
    kind = query.get("kind") or EntryKind.ALL
    calls, paging = newest(asked, "list_requests", **pattern, kind=kind)
    chosen = pattern or kind != EntryKind.ALL or paging["offset"]
    none_here = "No entry of the journal matches." if chosen else "The journal is empty."
    dropped = asked.control.context.service.journal.dropped
    return show(asked, "requests", "Journal", calls=calls, kind=kind, none_here=none_here, dropped=dropped, **paging)


def _request(asked: PageRequest, id: str) -> str:
    control = asked.control
    call = control("get_request", id)
    assumptions = {each.id: each for each in control("list_assumptions") if each.id in call.assumptions}
    return show(
        asked,
        "request",
        f"{_TITLES[call.kind]} {id}",
        call=call,
        **moments(asked, id),
        assumptions=assumptions,
        nearest=_nearest(asked, call),
        **(_exported(asked, id) if call.kind == EntryKind.CALL else {"headers": None, "exports": {}, "too_large": 0}),
        diffs=[(each, diff(each.before, each.after)) for each in call.changes],
    )


def _nearest(asked: PageRequest, call: Any) -> str:
    """Return the route most similar to a call that matched none, else ""."""
    if call.kind != EntryKind.CALL or call.operation is not None:
        return ""
    found = asked.control("list_unmatched_requests", id=call.id)
    return found[0].nearest if found else ""


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


def what_if(asked: PageRequest) -> str:
    """Show the answers to calls of the journal under another alternative: the newest, or from a given one on."""
    id, text = asked.query.get("id", ""), asked.query.get("value", "")
    first = None if asked.query.get("all") == "true" else _first_replayed(asked, asked.query.get("call") or None)
    value, found = _answered(asked, id, text, first)
    sides = [(each, diff(each.was.answer, each.would_be.answer)) for each in found.differ]
    title = f"What if {id} = {render.short(value)}"
    entry = next(each for each in asked.control("list_assumptions") if each.id == id)
    shown = {"entry": entry, "id": id, "value": value, "found": found, "sides": sides}
    return show(asked, "what_if", title, **shown, first=first, dropped=asked.control.context.service.journal.dropped)


def _first_replayed(asked: PageRequest, wanted: str | None) -> str | None:
    """Return the call that a replay begins with: one of the newest, or an earlier one that it must not leave out.

    ``wanted`` is the entry of the journal that somebody came from. None for all calls. Raises Misuse (404) for an
    unknown entry, (410) for one that the journal has dropped.
    """
    found = asked.control("list_moments")
    calls = [each.id for each in found if each.kind == EntryKind.CALL]
    begin = max(0, len(calls) - _REPLAYED)
    if wanted is not None:
        (at,) = asked.control("list_moments", at=wanted, limit=0)
        so_far = sum(each.kind == EntryKind.CALL for each in found[: found.index(at) + 1])
        begin = min(begin, max(0, so_far - 1))
    return calls[begin] if begin else None


def _answered(asked: PageRequest, id: str, text: str, first: str | None) -> tuple[Any, Any]:
    """Return the value in a text (JSON, or plain text where the entry takes text), and the calls that it changes."""
    given = {} if first is None else {"from": first}
    try:
        value = msgspec.json.decode(text)
        return value, asked.control("ask_what_if", assumptions={id: value}, **given)
    except (ValueError, RecursionError, Misuse):
        return text, asked.control("ask_what_if", assumptions={id: text}, **given)


def coverage(asked: PageRequest) -> str:
    """Show what calls have covered of the API, and what is missing in the touched areas, when it is counted."""
    try:
        found = msgspec.to_builtins(asked.control("get_coverage"))
    except Misuse as misuse:
        return show(asked, "coverage", "Coverage", found=None, why=str(misuse))
    return show(asked, "coverage", "Coverage", found=found, why="")
