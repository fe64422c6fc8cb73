"""Pages about the present world as a whole: overview, machines, faults, worlds."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from confsim.inspector import lanes
from confsim.inspector.names import names
from confsim.inspector.page_request import AnsweredPage, PageRequest
from confsim.kernel.refusal import Misuse

from .common import part, show

#: Entries of a list on the overview.
_LISTED = 6


class Token(Struct, frozen=True):
    """A token to call with: its text, its role, and the name of its user."""

    value: str
    role: str
    name: str


def overview(asked: PageRequest) -> AnsweredPage:
    """Show what is wrong in the world, what waits and what comes next; what to do first, in one that nobody called."""
    control = asked.control
    info, summary = control("get_info"), control("get_summary", limit=_LISTED)
    people = names(asked, [{"user": each.userId} for each in info.tokens.values() if each.userId])
    tokens = [
        Token(value, each.role, people[str(each.userId)].label if str(each.userId) in people else "")
        for value, each in info.tokens.items()
    ]
    late = sum(each.overtaken for each in summary.endpoints)
    wrong = [summary.counts.refused, summary.counts.undelivered, late, summary.counts.waiting]
    calls = control("get_journal", limit=_LISTED).rows
    shown = {"info": info, "summary": summary, "tokens": tokens, "curl": _curl(info, tokens)}
    if not summary.calls.total and not summary.calls.dropped and not any(wrong):
        return show(
            asked, "empty", "Overview", **shown, scenarios=control("list_scenarios"), calls=calls, selected=None
        )
    return show(asked, "overview", "Overview", **shown, calls=calls, wrong=sum(map(bool, wrong)), selected=None)


def _curl(info: Any, tokens: list[Token]) -> str:
    """Return a call to begin with, as a command."""
    token = next((each.value for each in tokens if each.role == "owner"), tokens[0].value if tokens else "TOKEN")
    return f"curl {info.base_url}/users/me \\\n  -H 'Authorization: Bearer {token}'"


def machines(asked: PageRequest) -> AnsweredPage:
    """Show all state machines, or one as lanes and as a table."""
    declared = asked.control("list_machines")
    if asked.path:
        machine = next((each for each in declared if each.name == asked.path[0]), None)
        if machine is None:
            raise Misuse(f"there is no machine {asked.path[0]!r}", status=404)
        return show(asked, "machine", machine.name, machine=machine, drawing=lanes.of_machine(machine))
    return show(asked, "machines", "Machines", machines=declared)


def faults(asked: PageRequest) -> AnsweredPage:
    """Show the active faults, and the calls that they hold."""
    return show(asked, "faults", "Faults", faults=asked.control("list_faults"), held=asked.control("list_held"))


def worlds(asked: PageRequest) -> AnsweredPage:
    """Show the worlds of the server, and the snapshots of this one. Raises Misuse (404) for an unknown name."""
    if asked.path:
        raise Misuse(f"there is no world {asked.path[0][:80]!r}", status=404)
    found, paging = part(asked, asked.control("list_worlds"))
    return show(asked, "worlds", "Worlds", worlds=found, snapshots=asked.control("list_snapshots"), **paging)
