"""What all pages have: the menu, the template around them, parts of lists, moments of the world."""

from __future__ import annotations

from difflib import unified_diff
from typing import Any

from confsim.inspector import changes, render
from confsim.inspector.page_request import PageRequest, link
from confsim.kernel.refusal import Misuse

#: Rows of a page of a list.
PAGE = 50
#: Records that a page looks through for a text; the next page looks further.
LOOK = 10_000
#: Moments that are shown before and after the one that is looked at.
_BESIDE = 4
#: The pages of the menu: name in the path, title.
MENU = (
    ("", "Overview"),
    ("requests", "Journal"),
    ("records", "Records"),
    ("machines", "Machines"),
    ("time", "Time"),
    ("mail", "Mail"),
    ("webhooks", "Webhooks"),
    ("presence", "Presence"),
    ("faults", "Faults"),
    ("assumptions", "Assumptions"),
    ("coverage", "Coverage"),
    ("worlds", "Worlds"),
    ("operations", "API"),
    ("guides", "Guides"),
    ("reference", "Reference"),
)
#: The pages of the menu that others belong to, by their templates.
_SECTIONS = {
    "overview": "",
    "request": "requests",
    "record": "records",
    "no_record": "records",
    "machine": "machines",
    "operation": "operations",
    "what_if": "assumptions",
}


def show(asked: PageRequest, template: str, title: str, **values: Any) -> str:
    """A page: a template with its values, inside of what all pages have."""
    context = asked.control.context
    return render.page(
        template,
        title=title,
        home=asked.home,
        menu=MENU,
        section=values.pop("section", _SECTIONS.get(template, template)),
        world=context.service.address.mount.removeprefix("/w/") or "root world",
        now=asked.control("get_clock"),
        tag=changes.tag(context),
        waiting=len(asked.control("list_held")),
        query=asked.query,
        link=lambda *path, **query: link(asked, *path, **query),
        **values,
    )


def problem(asked: PageRequest, status: int, text: str) -> str:
    """The page that says what was wrong."""
    return show(asked, "problem", "Not possible", status=status, text=text)


def number(asked: PageRequest, name: str, otherwise: int = 0) -> int:
    """A whole number of the query. Misuse for anything else."""
    text = asked.query.get(name, "") or str(otherwise)
    if not text.isascii() or not text.isdecimal() or len(text) > 12:
        raise Misuse(f"{name}: {text[:40]!r} is no whole number")
    return int(text)


def part(asked: PageRequest, found: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The part of a whole list that a page shows, and what its links to the other pages need."""
    offset = number(asked, "offset")
    return found[offset : offset + PAGE], pager(offset, more=len(found) > offset + PAGE)


def newest(asked: PageRequest, listing: str, /, **arguments: Any) -> tuple[list[Any], dict[str, Any]]:
    """The part of a list of the control plane that a page shows, newest first, and what its links need."""
    offset = number(asked, "offset")
    found = asked.control(listing, **arguments, limit=PAGE + 1, offset=offset)[::-1]
    return found[:PAGE], pager(offset, more=len(found) > PAGE)


def pager(offset: int, *, more: bool) -> dict[str, Any]:
    """What the links to the other parts of a list need."""
    return {"offset": offset, "page": PAGE, "more": more}


def moments(asked: PageRequest, at: str | None) -> dict[str, Any]:
    """The moments beside the one that is shown, which is now for None: those before and after it, the next of each."""
    found = asked.control("list_moments", at=at, limit=_BESIDE)
    ids = [each.id for each in found]
    place = len(ids) if at is None else ids.index(at)
    return {
        "moments": found,
        "earlier": ids[place - 1] if place else None,
        "later": ids[place + 1] if place + 1 < len(ids) else None,
    }


def diff(before: Any, after: Any) -> list[tuple[str, str]]:
    """The lines of two JSON values, each with the sign of an added or a removed line."""
    old, new = (render.pretty(each).splitlines() if each is not None else [] for each in (before, after))
    lines = list(unified_diff(old, new, lineterm="", n=1))[2:]
    return [(line[:1], line[1:]) for line in lines if not line.startswith("@@")]
