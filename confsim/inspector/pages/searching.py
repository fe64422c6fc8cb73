"""The page of the full-text search."""

from __future__ import annotations

from typing import Any

from confsim.control.search.operation import Group
from confsim.inspector import render
from confsim.inspector.page_request import AnsweredPage, PageRequest, link

from .common import LOOK, number, show

#: Matches of a group that are listed before a "more" link.
_LISTED = 10
#: The headings in their order, the groups below each, and their icons.
_HEADINGS = (
    ("Named so", Group.NAME, "search"),
    ("Records", Group.RECORD, "stack"),
    ("Mail", "mail", "mail"),
    ("Webhooks", "webhook deliveries", "hook"),
    ("People", "presences", "person"),
    ("Journal", Group.CALL, "list"),
    ("Held calls", Group.HELD, "hand"),
    ("Faults", Group.FAULT, "bolt"),
    ("Assumptions", Group.ASSUMPTION, "rule"),
    ("Operations", Group.OPERATION, "api"),
    ("Machines", Group.MACHINE, "states"),
    ("Worlds", Group.WORLD, "fork"),
    ("Snapshots", Group.SNAPSHOT, "clock"),
    ("Guides", Group.GUIDE, "book"),
    ("Refusals", Group.REFUSAL, "no"),
    ("Rules", Group.RULE, "book"),
    ("Gaps", Group.GAP, "rule"),
)
#: Kinds of records that have a heading of their own.
_OWN = {group for _, group, _ in _HEADINGS if not isinstance(group, Group)}


def search(asked: PageRequest) -> AnsweredPage:
    """Show the matches for a text in everything that pages show, with a link to continue the search."""
    wanted = asked.query.get("q", "").strip()
    if not wanted:
        return show(asked, "search", "Search", wanted="", found={}, more=None, total=0)
    start, limit = number(asked, "start"), number(asked, "limit", _LISTED)
    result = asked.control("search", text=wanted, limit=limit, look=LOOK, start=start)
    found: dict[str, list[Any]] = {heading: [] for heading, _, _ in _HEADINGS}
    headings = {str(group): heading for heading, group, _ in _HEADINGS}
    for hit in result.found:
        found[headings[hit.kind if hit.kind in _OWN else hit.group]].append((hit, _target(asked, hit)))
    further = {headings[each if each in _OWN or each in headings else "record"] for each in result.more}
    return show(
        asked,
        "search",
        f"Search: {render.short(wanted)}",
        wanted=wanted,
        pictures={heading: picture for heading, _, picture in _HEADINGS},
        found={heading: hits for heading, hits in found.items() if hits},
        further=further,
        more=result.next,
        limit=limit * 10,
        total=len(result.found),
    )


def _target(asked: PageRequest, hit: Any) -> str:
    """Return the path of the page that shows a match."""
    match hit.group:
        case Group.RECORD:
            return link(asked, "records", hit.kind, hit.id)
        case Group.CALL:
            return link(asked, "requests", hit.id)
        case Group.FAULT | Group.HELD:
            return link(asked, "faults")
        case Group.WORLD:
            return f"{f'/w/{hit.id}' if hit.id else ''}/_confsim/"
        case Group.SNAPSHOT:
            return link(asked, "worlds")
        case Group.NAME | Group.REFUSAL | Group.RULE | Group.GAP:
            return link(asked, "explain", hit.id)
        case Group.ASSUMPTION:
            return link(asked, "assumptions", search=hit.id)
        case _:
            return link(asked, f"{hit.group}s", hit.id)
