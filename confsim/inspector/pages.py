"""The pages: what each shows, asked from the control plane."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import unified_diff
from typing import Any

import msgspec

from confsim import guides as written
from confsim.kernel.refusal import Misuse

from . import manual, render
from .asked import Asked, Page, link
from .diagrams import of_machine

#: Rows of a page of a list.
PAGE = 50
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


def _render(asked: Asked, template: str, title: str, **values: Any) -> str:
    service = asked.control.context.service
    return render.page(
        template,
        title=title,
        home=asked.home,
        menu=MENU,
        section=values.pop("section", _SECTIONS.get(template, template)),
        world=service.address.mount.removeprefix("/w/") or "root world",
        now=asked.control("get_clock"),
        waiting=len(service.pipeline.held),
        query=asked.query,
        link=lambda *path, **query: link(asked, *path, **query),
        **values,
    )


def problem(asked: Asked, status: int, text: str) -> str:
    """The page that says what was wrong."""
    return _render(asked, "problem", "Not possible", status=status, text=text)


def _offset(asked: Asked) -> int:
    text = asked.query.get("offset", "0")
    if not text.isdecimal() or len(text) > 12:
        raise Misuse(f"offset: {text[:40]!r} is no whole number")
    return int(text)


def _paged(asked: Asked, found: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The part of a list that a page shows, and what its links to the other pages need."""
    offset = _offset(asked)
    return found[offset : offset + PAGE], {"offset": offset, "page": PAGE, "more": len(found) > offset + PAGE}


def overview(asked: Asked) -> str:
    """What the world is, what happened last and what falls due next."""
    control = asked.control
    return _render(
        asked,
        "overview",
        "Overview",
        info=control("get_info"),
        kinds=_counted(control("list_records", limit=0).kinds),
        calls=control("list_requests", limit=10)[::-1],
        timers=control("list_timers", limit=5),
        used=len(control.context.service.journal.assumptions()),
    )


def _counted(kinds: list[Any]) -> list[tuple[str, int]]:
    """The number of records of each kind over all clients."""
    counts: dict[str, int] = {}
    for each in kinds:
        counts[each.kind] = counts.get(each.kind, 0) + each.count
    return list(counts.items())


def requests(asked: Asked) -> str:
    """The journal, newest first; one call of it; what changed in a call."""
    if asked.path:
        return _request(asked, asked.path[0])
    query = asked.query
    pattern: dict[str, Any] = {name: query[name] for name in ("operation", "path") if query.get(name)}
    if query.get("status", "").isdecimal():
        pattern["status"] = int(query["status"])
    calls = asked.control("list_requests", **pattern, limit=_offset(asked) + PAGE + 1)[::-1]
    shown, paging = _paged(asked, calls)
    return _render(asked, "requests", "Journal", calls=shown, **paging)


def _request(asked: Asked, id: str) -> str:
    control = asked.control
    call = control("get_request", id)
    assumptions = {each.id: each for each in control("list_assumptions") if each.id in call.assumptions}
    exports = {}
    for form in ("curl", "pytest", "scenario"):
        try:
            exported = control("export_requests", as_=form, ids=id)
        except Misuse as misuse:
            exports[form] = str(misuse)
        else:
            exports[form] = exported.data.decode()
    return _render(
        asked,
        "request",
        f"Call {id}",
        call=call,
        **_neighbours(asked, id),
        assumptions=assumptions,
        exports=exports,
        diffs=[(each, _diff(each.before, each.after)) for each in call.changes],
    )


def _diff(before: Any, after: Any) -> list[tuple[str, str]]:
    """The lines of two JSON values, each with the sign that tells whether it is new or gone."""
    old, new = (render.pretty(each).splitlines() if each is not None else [] for each in (before, after))
    lines = list(unified_diff(old, new, lineterm="", n=1))[2:]
    return [(line[:1], line[1:]) for line in lines if not line.startswith("@@")]


def records(asked: Asked) -> str:
    """The records of the world, or of an earlier moment; one record with its machines."""
    control, query = asked.control, asked.query
    at = query.get("at") or None
    if len(asked.path) == 2:
        try:
            record = control("get_record", *asked.path, at=at)
        except Misuse as misuse:
            if at is None or misuse.status != 404:
                raise
            control("get_request", at)  # the moment there was
            title = " ".join(asked.path)
            return _render(asked, "no_record", title, path=("records", *asked.path), at=at, **_moments(asked))
        machines = {each.name: each for each in control("list_machines")}
        drawn = [
            (machines[each.machine], each.state, of_machine(machines[each.machine], each.state))
            for each in record.machines
        ]
        title = f"{record.kind} {record.id}"
        return _render(asked, "record", title, record=record, drawn=drawn, at=at, **_moments(asked))
    offset = _offset(asked)
    chosen = {name: query.get(name) or None for name in ("kind", "client", "search")}
    page = control("list_records", **chosen, at=at, offset=offset, limit=PAGE)
    return _render(
        asked,
        "records",
        "Records",
        page=page,
        kinds=_counted(page.kinds),
        clients=control("get_info").clients,
        offset=offset,
        size=PAGE,
        at=at,
        **_moments(asked),
    )


def _moments(asked: Asked) -> dict[str, Any]:
    """The moments beside the one that is shown: the calls before and after it."""
    return _neighbours(asked, asked.query.get("at") or None)


def _neighbours(asked: Asked, id: str | None) -> dict[str, Any]:
    """The ids of the calls before and after a call; before now for None."""
    newest = asked.control("list_requests", limit=1)
    last = int(newest[0].id[1:]) if newest else 0
    number = last + 1 if id is None else int(id[1:])
    return {
        "earlier": f"r{number - 1}" if 1 < number <= last + 1 else None,
        "later": f"r{number + 1}" if number < last else None,
    }


def machines(asked: Asked) -> str:
    """All state machines, or one as a diagram and a table."""
    declared = asked.control("list_machines")
    if asked.path:
        machine = next((each for each in declared if each.name == asked.path[0]), None)
        if machine is None:
            raise Misuse(f"there is no machine {asked.path[0]!r}", status=404)
        return _render(asked, "machine", machine.name, machine=machine, drawing=of_machine(machine))
    return _render(asked, "machines", "Machines", machines=declared)


def time(asked: Asked) -> str:
    """The clock, and what falls due next."""
    return _render(asked, "time", "Time", timers=asked.control("list_timers", limit=PAGE))


def mail(asked: Asked) -> str:
    """The mails, newest first."""
    mails, paging = _paged(asked, asked.control("list_mail")[::-1])
    return _render(asked, "mail", "Mail", mails=mails, **paging)


def webhooks(asked: Asked) -> str:
    """The deliveries of webhooks, newest first."""
    deliveries, paging = _paged(asked, asked.control("list_deliveries")[::-1])
    return _render(asked, "webhooks", "Webhooks", deliveries=deliveries, **paging)


def presence(asked: Asked) -> str:
    """Who is in a channel."""
    control = asked.control
    channels = control("list_records", kind="channels", limit=200).records
    channel = asked.query.get("channel") or (channels[0].id if channels else None)
    people = control("list_presence", channel=channel) if channel else []
    users = control("list_records", kind="users", limit=200).records
    return _render(asked, "presence", "Presence", channels=channels, channel=channel, people=people, users=users)


def faults(asked: Asked) -> str:
    """The active faults, and the calls that they hold."""
    return _render(asked, "faults", "Faults", faults=asked.control("list_faults"), held=asked.control("list_held"))


def assumptions(asked: Asked) -> str:
    """The register: all entries, or those that match; what-if questions about them."""
    wanted = asked.query.get("search", "").lower()
    used = asked.query.get("used") == "true"
    found = [
        each
        for each in asked.control("list_assumptions", used=True if used else None)
        if wanted in f"{each.id} {each.statement} {' '.join(each.gaps)}".lower()
    ]
    entries, paging = _paged(asked, found)
    return _render(asked, "assumptions", "Assumptions", entries=entries, total=len(found), used=used, **paging)


def what_if(asked: Asked) -> str:
    """What the calls of the journal would have been answered under another alternative."""
    id, text = asked.query.get("id", ""), asked.query.get("value", "")
    value, found = _answered(asked, id, text)
    sides = [(each, _diff(each.was.answer, each.would_be.answer)) for each in found.differ]
    title = f"What if {id} = {render.short(value)}"
    return _render(asked, "what_if", title, id=id, value=value, found=found, sides=sides)


def _answered(asked: Asked, id: str, text: str) -> tuple[Any, Any]:
    """The value that the text stands for, and what it would have changed: as JSON, or as text where that is meant."""
    try:
        value = msgspec.json.decode(text)
        return value, asked.control("ask_what_if", assumptions={id: value})
    except (msgspec.DecodeError, Misuse):
        return text, asked.control("ask_what_if", assumptions={id: text})


def worlds(asked: Asked) -> str:
    """The worlds of the server, and the snapshots of this one."""
    return _render(
        asked, "worlds", "Worlds", worlds=asked.control("list_worlds"), snapshots=asked.control("list_snapshots")
    )


def operations(asked: Asked) -> str:
    """The operations of the API; one of them with its assumptions."""
    control = asked.control
    declared = control("list_operations")
    if asked.path:
        operation = next((each for each in declared if each.name == asked.path[0]), None)
        if operation is None:
            raise Misuse(f"there is no operation {asked.path[0]!r}", status=404)
        entries = control("list_assumptions", operation=operation.name)
        own = [each for each in entries if each.operations]
        text = manual.operation(operation.name, control.context.service.profile)
        shown = manual.shown(asked.home, text).html
        return _render(asked, "operation", operation.name, operation=operation, entries=own, shown=shown)
    wanted = asked.query.get("search", "").lower()
    areas: dict[str, list[Any]] = {}
    for each in declared:
        if wanted in f"{each.name} {each.method} {each.path} {each.summary}".lower():
            areas.setdefault(each.area, []).append(each)
    return _render(asked, "operations", "API", areas=areas)


def guides(asked: Asked) -> str:
    """The guides, or one of them."""
    if not asked.path:
        return _render(asked, "guides", "Guides", guides=written.list_())
    found = manual.guide(asked.path[0])
    return _read(asked, found.title, found.text, "guides")


def reference(asked: Asked) -> str:
    """The pages of the reference, or one of them."""
    if not asked.path:
        titles = {name: title for name, (title, _) in manual.REFERENCE.items()}
        return _render(asked, "reference", "Reference", titles=titles)
    text = manual.reference(asked.path[0])
    return _read(asked, f"Reference: {manual.REFERENCE[asked.path[0]][0]}", text, "reference")


def explain(asked: Asked) -> str:
    """What a name stands for."""
    found = asked.control("get_explanation", asked.path[0] if asked.path else asked.query.get("name", ""))
    return _read(asked, f"{found.name}: {found.kind}", found.text, "reference")


def _read(asked: Asked, title: str, text: str, section: str) -> str:
    """A page with a text in Markdown, whose names lead to what they stand for."""
    shown = manual.shown(asked.home, text)
    return _render(asked, "text", title, section=section, shown=shown.html, headings=shown.headings)


def search(asked: Asked) -> str:
    """A text in everything that is shown."""
    wanted = asked.query.get("q", "").strip()
    control, low = asked.control, wanted.lower()
    if not wanted:
        return _render(asked, "search", "Search", wanted="", found=None)

    def matches(value: Any) -> bool:
        return low in msgspec.json.encode(value).decode(errors="replace").lower()

    found = {"records": control("list_records", search=wanted, limit=20)}
    for name, operation in (
        ("calls", "list_requests"),
        ("mails", "list_mail"),
        ("deliveries", "list_deliveries"),
        ("assumptions", "list_assumptions"),
        ("operations", "list_operations"),
    ):
        found[name] = control.chosen(name, control(operation)[::-1], matches)[:20]
    return _render(asked, "search", f"Search: {wanted}", wanted=wanted, found=found)


#: Every page by its name in the path.
PAGES: Mapping[str, Page] = {
    "": overview,
    "requests": requests,
    "records": records,
    "machines": machines,
    "time": time,
    "mail": mail,
    "webhooks": webhooks,
    "presence": presence,
    "faults": faults,
    "assumptions": assumptions,
    "what-if": what_if,
    "worlds": worlds,
    "operations": operations,
    "search": search,
    "guides": guides,
    "reference": reference,
    "explain": explain,
}


def find(name: str) -> Page:
    """The page of this name. Misuse (404) when there is none."""
    page = PAGES.get(name)
    if page is None:
        raise Misuse(f"there is no page {name!r}", status=404)
    return page
