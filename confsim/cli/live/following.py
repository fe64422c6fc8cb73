"""The command that follows the journal of a world of a running server."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from confsim.cli.command import WholeNumber, confsim, noting_the_end, option
from confsim.cli.options import base_url
from confsim.cli.printing import plain
from confsim.kernel.refusal import Misuse

if TYPE_CHECKING:
    from confsim.cli.call_log import LoggedCall
    from confsim.control.journal_view import RequestInfo

    from .at_server import Remote

#: Seconds between two looks at the journal.
PAUSE = 0.5
#: Calls that one look asks for; after more of them it asks for all.
_PAGE = 100


_filter = partial(option, section="Filters")


@confsim.command(example="confsim tail --status 4xx")
@base_url()
@_filter("--operation", metavar="NAME", help="Calls of this operation.")
@_filter("--method", metavar="METHOD", help="Calls of this method.")
@_filter("--path", metavar="PATH", help="Calls of this path, where * stands for any text.")
@_filter("--status", metavar="STATUS", help="Calls with this status, or of this class, such as 4xx.")
@_filter("--caller", metavar="ID", help="Calls of this user or API token, by its id.")
@_filter("--text", metavar="TEXT", help="Calls with this text in path, query, body or answer.")
@_filter("--assumption", metavar="ID", help="Calls that used this assumption.")
@_filter("--kind", type=click.Choice(("call", "control", "timer", "all")), help="Kind of entries.  [call]")
@click.option("-n", "--lines", default=10, show_default=True, type=WholeNumber(0), help="Earlier calls to print first.")
@click.option("--once", is_flag=True, help="Print what is there, and end.")
@click.option("-v", "--verbose", is_flag=True, help="Print also queries, and all assumptions by name.")
@click.option("--json", "as_json", is_flag=True, help="Print each entry of the journal as one line of JSON.")
def tail(base_url: str, lines: int, once: bool, verbose: bool, as_json: bool, **filters: str | None) -> None:
    """Print the calls of a world as they come: instant, method, path, status, operation, and why it was refused.

    The instants are those of the world's clock. Ctrl-C ends it. Exit 0, 1 when the server ends.
    """
    from confsim.cli.call_log import terminal, text_of

    from .at_server import world_at

    with world_at(base_url) as remote, noting_the_end() as ended:
        journal = _Journal(remote, {name: value for name, value in filters.items() if value is not None})
        shown = journal.new()[-lines:] if lines else journal.new()[:0]
        style = terminal()
        while True:
            for each in shown:
                width = style["width"]() if style else None
                logged = "" if as_json else text_of(_logged(remote, each), verbose, style.get("colour", False), width)
                click.echo(plain(each) if as_json else logged)  # which ends with its reader, unlike write_line
            if once or ended():
                return
            time.sleep(PAUSE)
            shown = journal.new()


class _Journal:
    """The journal of a world; ``new`` returns the matching entries since it was last called, oldest first."""

    def __init__(self, remote: Remote, query: dict[str, Any]) -> None:
        self._remote, self._query = remote, query
        self._last: tuple[str, int] | None = None

    def new(self) -> list[RequestInfo]:
        """Return the entries that are new; after a reset, all of them."""
        from confsim.control.operations.journal import list_requests

        found = self._remote.control(list_requests, **self._query, limit=_PAGE)
        place = self._place(found)
        if place is None and len(found) == _PAGE and self._last is not None:
            found = self._remote.control(list_requests, **self._query)
            place = self._place(found)
        self._last = (found[-1].id, found[-1].at) if found else None
        return found if place is None else found[place + 1 :]

    def _place(self, entries: list[RequestInfo]) -> int | None:
        return next((place for place, each in enumerate(entries) if (each.id, each.at) == self._last), None)


def _logged(remote: Remote, entry: RequestInfo) -> LoggedCall:
    """Return an entry of the journal as a line of the log."""
    from confsim.cli.call_log import LoggedCall, LoggedFault
    from confsim.control.matching import EntryKind
    from confsim.control.why.operation import explain_request

    from .at_server import instant

    why = ""
    if entry.kind is EntryKind.CALL and entry.status >= 400:
        with suppress(Misuse):  # the journal has dropped it meanwhile
            why = remote.control(explain_request, id=entry.id).text
    timers = " and ".join(each.text or each.what for each in entry.fired) if entry.kind is EntryKind.TIMER else ""
    return LoggedCall(
        time=instant(entry.at),
        world=remote.info.name,
        id=entry.id,
        at=entry.at,
        method=entry.method or entry.kind.value,
        path=timers or entry.path,
        query="&".join(f"{name}={value}" for name, value in entry.query.items()),
        status=entry.status or None,
        ms=None,
        operation=entry.operation,
        assumptions=entry.assumptions,
        new=[],
        faults=[LoggedFault(hit.id, hit.do, hit.held or "") for hit in entry.fault],
        why=why,
    )
