"""Pages about the present world or an earlier moment, and the controls of the world."""

from __future__ import annotations

from typing import Any

from confsim.inspector.diagrams import of_machine
from confsim.inspector.page_request import PageRequest
from confsim.kernel.refusal import Misuse

from .common import LOOK, PAGE, moments, newest, number, part, show

#: Channels and users that an input field suggests.
_SUGGESTED = 200


def overview(asked: PageRequest) -> str:
    """Show the world, its latest calls and its next timers."""
    control = asked.control
    return show(
        asked,
        "overview",
        "Overview",
        info=control("get_info"),
        kinds=_counted(control("list_records", limit=0).kinds),
        calls=control("list_requests", limit=10, kind="all")[::-1],
        timers=control("list_timers", limit=6),
        used=len(control.context.service.journal.assumptions()),
    )


def _counted(kinds: list[Any]) -> list[tuple[str, int]]:
    """Return the number of records of each kind over all clients."""
    counts: dict[str, int] = {}
    for each in kinds:
        counts[each.kind] = counts.get(each.kind, 0) + each.count
    return list(counts.items())


def records(asked: PageRequest) -> str:
    """Show the records of the world or of an earlier moment, or one record with its machines."""
    control, query = asked.control, asked.query
    at = query.get("at") or None
    if len(asked.path) == 2:
        return _record(asked, *asked.path, at)
    offset = number(asked, "offset")
    chosen = {name: query.get(name) or None for name in ("kind", "client", "search")}
    bounds = {"look": LOOK, "start": number(asked, "start")} if chosen["search"] else {}
    page = control("list_records", **chosen, at=at, offset=offset, limit=PAGE, **bounds)
    return show(
        asked,
        "records",
        "Records",
        page=page,
        kinds=_offered(_counted(page.kinds), chosen["kind"]),
        clients=control("get_info").clients,
        offset=offset,
        size=PAGE,
        at=at,
        **moments(asked, at),
    )


def _offered(kinds: list[tuple[str, int]], kind: str | None) -> list[tuple[str, int]]:
    """Return the kinds to choose from, including the chosen one when it has no record."""
    return kinds if kind is None or kind in dict(kinds) else [(kind, 0), *kinds]


def _record(asked: PageRequest, kind: str, id: str, at: str | None) -> str:
    control, found = asked.control, moments(asked, at)
    try:
        record = control("get_record", kind, id, at=at)
    except Misuse as misuse:
        if at is None or misuse.status != 404:
            raise
        return show(asked, "no_record", f"{kind} {id}", path=("records", kind, id), at=at, **found)
    machines = {each.name: each for each in control("list_machines")}
    drawn = [
        (machines[each.machine], each.state, of_machine(machines[each.machine], each.state)) for each in record.machines
    ]
    return show(asked, "record", f"{record.kind} {record.id}", record=record, drawn=drawn, at=at, **found)


def machines(asked: PageRequest) -> str:
    """Show all state machines, or one as a diagram and a table."""
    declared = asked.control("list_machines")
    if asked.path:
        machine = next((each for each in declared if each.name == asked.path[0]), None)
        if machine is None:
            raise Misuse(f"there is no machine {asked.path[0]!r}", status=404)
        return show(asked, "machine", machine.name, machine=machine, drawing=of_machine(machine))
    return show(asked, "machines", "Machines", machines=declared)


def time(asked: PageRequest) -> str:
    """Show the clock and the next timers."""
    timers = asked.control("list_timers", limit=PAGE + 1)
    return show(asked, "time", "Time", timers=timers[:PAGE], more=len(timers) > PAGE)


def mail(asked: PageRequest) -> str:
    """Show the mails, newest first."""
    mails, paging = newest(asked, "list_mail")
    return show(asked, "mail", "Mail", mails=mails, **paging)


def webhooks(asked: PageRequest) -> str:
    """Show the deliveries of webhooks, newest first."""
    deliveries, paging = newest(asked, "list_deliveries")
    return show(asked, "webhooks", "Webhooks", deliveries=deliveries, **paging)


def presence(asked: PageRequest) -> str:
    """Show the users in a channel: the requested one, or the latest of a client, joined or created."""
    control = asked.control
    channels = control("list_records", kind="channels", limit=_SUGGESTED)
    users = control("list_records", kind="users", limit=_SUGGESTED)
    channel = asked.query.get("channel")
    if not channel:
        there = control("list_records", kind="presences", limit=1).records
        channel = there[0].record["channel"] if there else channels.records[0].id if channels.records else None
    people, paging = part(asked, control("list_presence", channel=channel) if channel else [])
    handles = {each.userId: control("get_record", "users", str(each.userId)).record["handle"] for each in people}
    names = {each.id: each.record["name"] for each in channels.records}
    if channel and channel not in names:
        names[channel] = control("get_record", "channels", channel).record["name"]
    return show(
        asked,
        "presence",
        "Presence",
        channels=channels,
        names=names,
        channel=channel,
        people=people,
        handles={user: f"{handle} ({user})" if handle else user for user, handle in handles.items()},
        users=users,
        **paging,
    )


def faults(asked: PageRequest) -> str:
    """Show the active faults, and the calls that they hold."""
    return show(asked, "faults", "Faults", faults=asked.control("list_faults"), held=asked.control("list_held"))


def worlds(asked: PageRequest) -> str:
    """Show the worlds of the server, and the snapshots of this one. Raises Misuse (404) for an unknown name."""
    if asked.path:
        raise Misuse(f"there is no world {asked.path[0][:80]!r}", status=404)
    found, paging = part(asked, asked.control("list_worlds"))
    return show(asked, "worlds", "Worlds", worlds=found, snapshots=asked.control("list_snapshots"), **paging)
