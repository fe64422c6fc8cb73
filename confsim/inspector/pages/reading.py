"""Pages to read: assumptions, operations, guides, reference, explanations of names."""

from __future__ import annotations

import re
from typing import Any

from confsim import guides as written
from confsim.api.catalogue import API
from confsim.inspector import manual
from confsim.inspector.page_request import AnsweredPage, PageRequest
from confsim.inspector.trying import form_of
from confsim.kernel.refusal import Misuse, suggest

from .common import part, show
from .journal import changes_of

#: What each page of the reference is about, by its name.
_ABOUT = {
    manual.CONTROL_PLANE: "The operations at /_confsim that steer and inspect a world.",
    "faults": "What a fault can do to calls and to things in the world.",
    "world-files": "The fields of the file that a world starts from.",
    "state-documents": "The fields of an exported world.",
    "command-line": "Every command, with its options and environment variables.",
    "python": "The public classes with their methods.",
}


def assumptions(asked: PageRequest) -> AnsweredPage:
    """Show the register: all entries or those that match, with what-if questions about them."""
    wanted = asked.query.get("search", "").lower()
    used = asked.query.get("used") == "true"
    found = [
        each
        for each in asked.control("list_assumptions", used=True if used else None)
        if wanted in f"{each.id} {each.statement} {' '.join(each.gaps)}".lower()
    ]
    entries, paging = part(asked, found)
    return show(asked, "assumptions", "Assumptions", entries=entries, total=len(found), used=used, **paging)


def operations(asked: PageRequest) -> AnsweredPage:
    """Show the operations of the API, one of them with its assumptions, or one beside the API."""
    control = asked.control
    declared = control("list_operations")
    if asked.path:
        return _operation(asked, asked.path[0], declared)
    wanted = asked.query.get("search", "").lower()
    areas: dict[str, list[Any]] = {}
    for each in declared:
        if wanted in f"{each.name} {each.method} {each.path} {each.summary}".lower():
            areas.setdefault(each.area, []).append(each)
    return show(asked, "operations", "API", areas=areas)


def _operation(asked: PageRequest, name: str, declared: list[Any]) -> AnsweredPage:
    profile = asked.control.context.service.profile
    beside = manual.operation_beside(name)
    if beside is not None:
        return _read(asked, name, beside, "operations")
    if name not in API.operations:
        known = suggest(name, [each.name for each in declared])
        raise Misuse(f"there is no operation {name!r}{known}", status=404)
    control, query = asked.control, asked.query
    told = control("try_operation", name)
    call = control("get_request", query["call"]) if query.get("call") else None
    tried = control("get_request", query["tried"]) if query.get("tried") else None
    entries = [each for each in control("list_assumptions", operation=name) if each.operations]
    return show(
        asked,
        "operation",
        name,
        operation=told.operation,
        told=told,
        form=form_of(API[name], profile, told.arguments, tried or call),
        tried=tried,
        call=call,
        why=control("explain_request", tried.id) if tried else None,
        changed=changes_of(asked, tried) if tried else [],
        curl=control("export_requests", as_="curl", ids=tried.id).data.decode() if tried else "",
        counts=control("get_journal", operation=name, limit=0).counts,
        prefix=API.prefix_under(profile),
        entries=entries,
        shown=manual.shown(asked.home, manual.operation(name, profile)).html,
    )


def guides(asked: PageRequest) -> AnsweredPage:
    """Show the list of guides, or one of them."""
    if not asked.path:
        begins = {each.name: _first_sentence(each.text) for each in written.list_()}
        return show(asked, "guides", "Guides", guides=written.list_(), begins=begins)
    found = manual.guide(asked.path[0])
    return _read(asked, found.title, found.text, "guides")


def _first_sentence(text: str) -> str:
    """The first sentence below the title of a Markdown text, without marks; empty where something else stands there."""
    paragraph = text.partition("\n\n")[2].partition("\n\n")[0].replace("\n", " ")
    if paragraph.startswith(("#", "`" * 3, "|")):
        return ""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph).replace("`", "").replace("**", "")
    return plain.partition(". ")[0].removesuffix(".") + "."


def reference(asked: PageRequest) -> AnsweredPage:
    """Show the list of reference pages, or one of them; control operations have pages of their own."""
    if not asked.path:
        titles = {name: (title, _ABOUT[name]) for name, (title, _) in manual.REFERENCE.items()}
        return show(asked, "reference", "Reference", titles=titles)
    name = asked.path[0]
    text = manual.control_plane() if name == manual.CONTROL_PLANE else manual.reference(name)
    return _read(asked, manual.REFERENCE[name][0], text, "reference")


def explain(asked: PageRequest) -> AnsweredPage:
    """Show the explanation of a name."""
    found = asked.control("get_explanation", asked.path[0] if asked.path else asked.query.get("name", ""))
    return _read(asked, f"{found.name}: {found.kind}", found.text, "reference")


def _read(asked: PageRequest, title: str, text: str, section: str) -> AnsweredPage:
    """Return a page with a Markdown text, in which names are links."""
    shown = manual.shown(asked.home, text)
    about = {"guides": "Guide", "operations": "Operation beside the API"}.get(section, "Reference")
    values = {"section": section, "about": about, "picture": "api" if section == "operations" else "book"}
    return show(asked, "text", title, shown=shown.html, headings=shown.headings, **values)
