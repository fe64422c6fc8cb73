"""The common parts of pages: menu, outer template, paged lists, moments of the world."""

from __future__ import annotations

from typing import Any

from confsim.inspector import changes, render
from confsim.inspector.page_request import AnsweredPage, PageRequest, link, own
from confsim.kernel.refusal import Misuse

#: Rows on one page of a list.
PAGE = 50
#: Records that one page searches for a text; a link continues the search.
LOOK = 10_000
#: Moments that are shown before and after the selected one.
_BESIDE = 4
#: The menu: groups, each of entries with the name in the path, the title and the icon.
MENU = (
    ("", (("", "Overview", "home"),)),
    (
        "What happened",
        (("requests", "Journal", "list"), ("webhooks", "Webhooks", "hook"), ("mail", "Mail", "mail")),
    ),
    (
        "The world",
        (("records", "Records", "stack"), ("presence", "People", "person"), ("time", "Time", "clock")),
    ),
    ("Steer it", (("faults", "Faults", "bolt"), ("worlds", "Worlds", "fork"))),
    (
        "The contract",
        (
            ("operations", "Operations", "api"),
            ("machines", "Machines", "states"),
            ("assumptions", "Assumptions", "rule"),
            ("coverage", "Coverage", "aim"),
        ),
    ),
    ("Learn", (("guides", "Guides", "book"), ("reference", "Reference", "list"))),
)
#: The names of the pages in the menu.
NAMES = tuple(name for _, entries in MENU for name, _, _ in entries)
#: The menu entry of each page that is not in the menu, by template.
_SECTIONS = {
    "overview": "",
    "empty": "",
    "request": "requests",
    "record": "records",
    "no_record": "records",
    "machine": "machines",
    "operation": "operations",
    "what_if": "time",
}


def show(asked: PageRequest, template: str, title: str, **values: Any) -> AnsweredPage:
    """Return a page: a template with its values inside the outer template. ``status`` is that of the answer."""
    context, status = asked.control.context, values.get("status", 200)
    summary = values.get("summary") or asked.control("get_summary", limit=1)
    html = render.page(
        template,
        title=title,
        home=asked.home,
        here=own(asked),
        menu=MENU,
        numbers=_numbers(summary.counts),
        section=values.pop("section", _SECTIONS.get(template, template)),
        world=context.service.address.mount.removeprefix("/w/") or "Root world",
        now=asked.control("get_clock"),
        tag=changes.tag(context),
        held_calls=summary.counts.held,
        query=asked.query,
        link=lambda *path, **query: link(asked, *path, **query),
        **values,
    )
    return AnsweredPage(html, status)


def _numbers(counts: Any) -> dict[str, tuple[int, str, str]]:
    """Return the number beside menu entries: how many, its colour, and what it counts for screen readers."""
    return {
        "requests": (counts.refused, "alert", "refused") if counts.refused else (counts.requests, "", "entries"),
        "webhooks": (counts.undelivered, "alert", "not made")
        if counts.undelivered
        else (counts.deliveries, "", "made"),
        "mail": (counts.mails, "", "sent"),
        "records": (counts.records, "", ""),
        "presence": (counts.waiting, "wait", "waiting") if counts.waiting else (counts.present, "", "present"),
        "time": (counts.timers, "", "timers"),
        "faults": (counts.faults, "", "active"),
        "worlds": (counts.worlds, "", ""),
        "assumptions": (counts.assumptions, "", "used"),
    }


def problem(asked: PageRequest, status: int, text: str) -> AnsweredPage:
    """Return an error page."""
    title = {403: "Refused", 404: "Not found", 410: "No longer there"}.get(status, "Not possible")
    return show(asked, "problem", title, status=status, text=text)


def number(asked: PageRequest, name: str, otherwise: int = 0) -> int:
    """Return a whole number of the query. Raises Misuse for anything else."""
    text = asked.query.get(name, "") or str(otherwise)
    if not text.isascii() or not text.isdecimal() or len(text) > 12:
        raise Misuse(f"{name}: {text[:40]!r} is not a whole number")
    return int(text)


def part(asked: PageRequest, found: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return one page of a list that is complete, and the values of its pager."""
    offset = number(asked, "offset")
    return found[offset : offset + PAGE], pager(offset, more=len(found) > offset + PAGE)


def newest(asked: PageRequest, listing: str, /, **arguments: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return one page of a list that the control plane limits, newest first, and the values of its pager."""
    offset = number(asked, "offset")
    found = asked.control(listing, **arguments, limit=PAGE + 1, offset=offset)[::-1]
    return found[:PAGE], pager(offset, more=len(found) > PAGE)


def pager(offset: int, *, more: bool) -> dict[str, Any]:
    """Return the values of the links to the other pages of a list."""
    return {"offset": offset, "page": PAGE, "more": more}


def moments(asked: PageRequest, at: str | None) -> dict[str, Any]:
    """Return the moments around the one that is shown (None for now): those before and after it, and the neighbours."""
    found = asked.control("list_moments", at=at, limit=_BESIDE)
    ids = [each.id for each in found]
    place = len(ids) if at is None else ids.index(at)
    return {
        "moments": found,
        "earlier": ids[place - 1] if place else None,
        "later": ids[place + 1] if place + 1 < len(ids) else None,
    }
