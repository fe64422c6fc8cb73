"""The journal as a list: rows in short, with counts by class, page by page."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from msgspec.structs import replace

from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.control.journal_view import about_entry
from confsim.control.labels.label import Named, caller_label
from confsim.control.labels.timer import of_entry
from confsim.control.matching import (
    NOBODY,
    CallClasses,
    EntryKind,
    RequestPattern,
    by_class,
    has_status,
    kind_of,
    matches,
    require_known,
)
from confsim.control.moments import noted
from confsim.control.operations import bounds
from confsim.control.why.past import Past
from confsim.control.why.sentences import sentence
from confsim.kernel.refusal import Misuse
from confsim.service.entries import JournalEntry, Noted, TimerEntry
from confsim.service.masking import Mask

#: Default and largest number of rows.
SHOWN, MOST = 50, 500
#: Callers that a page offers as a filter.
_CALLERS = 50


class JournalRow(Wire, kw_only=True):
    """An entry of the journal in short, of any kind."""

    id: Annotated[str, "The id of the entry."]
    kind: Annotated[EntryKind, "The kind of entry."]
    at: Annotated[int, "The instant of it, in epoch milliseconds."]
    what: Annotated[str, "The operation, what a timer did, or the method and path that matched no route."]
    operation: Annotated[str | None, "The operation; null for a timer and where no route matched."] = None
    status: Annotated[int | None, "The status of the answer, 0 for none; null for a timer."] = None
    caller: Annotated[str, "What people call the caller; empty for none."] = ""
    about: Annotated[Named | None, "The record that it is about, by its label; null for none."] = None
    why: Annotated[str, "Why it was refused, in a sentence; empty if it was not."] = ""
    changes: Annotated[int, "The number of records that it wrote."] = 0
    faults: Annotated[int, "The number of faults that hit it."] = 0


class JournalCaller(Wire):
    """A caller in the journal."""

    id: Annotated[str, "The id of the user or API token, as the filter takes it; nobody for none."]
    label: Annotated[str, "What people call the caller; empty for none."]
    count: Annotated[int, "The number of its calls."]


class JournalCounts(CallClasses, kw_only=True):
    """How many entries match all filters but the status and the kind, by class."""

    total: Annotated[int, "All of them."]
    control: Annotated[int, "Calls of the control plane."]
    timers: Annotated[int, "Timers."]


class JournalPage(Wire):
    """A page of the journal, newest first."""

    rows: Annotated[list[JournalRow], "The entries of the page, newest first."]
    total: Annotated[int, "The number of entries that match all filters."]
    more: Annotated[bool, "Whether there are older ones that match."]
    counts: Annotated[JournalCounts, "How many match without the filters by status and kind, by class."]
    callers: Annotated[list[JournalCaller], "The callers in the journal, the busiest first."]
    dropped: Annotated[int, "The number of older calls that the journal has dropped."]


@operation("GET /journal", beside=True, bounds=bounds.PATTERN)
def get_journal(
    context: ControlContext,
    *,
    kind: EntryKind = EntryKind.ALL,
    status: Annotated[str | None, "Entries with this status, or of this class, such as 4xx."] = None,
    caller: Annotated[str | None, "Calls of this user or API token, by its id; or of nobody."] = None,
    operation: Annotated[str | None, "Calls of this operation."] = None,
    method: Annotated[str | None, "Calls of this method."] = None,
    path: Annotated[str | None, "Calls of this path, where * stands for any text."] = None,
    assumption: Annotated[str | None, "Entries that used this assumption."] = None,
    text: Annotated[str | None, "Entries with this text in path, query, body or answer, in any case."] = None,
    before: Annotated[str | None, "The id of the entry before which they are listed."] = None,
    limit: Annotated[Count | None, "The most rows; 50 by default."] = None,
) -> JournalPage:
    """Get a page of the journal in short, newest first, with the counts by class and the callers.

    Raises Misuse for a status that is not valid, (404) for an unknown operation, assumption or entry ``before``, (410)
    for one that the journal has dropped.
    """
    size = SHOWN if limit is None else limit
    if size > MOST:
        raise Misuse(f"limit is a number from 0 to {MOST}")
    pattern = RequestPattern(
        operation=operation, method=method, path=path, assumption=assumption, caller=caller, text=text
    )
    require_known(replace(pattern, status=status), EntryKind.ALL)
    past = Past(context.service)
    found = [entry for entry in past.entries if matches(context, entry, pattern)]
    chosen = [entry for entry in found if _is_chosen(entry, kind, status)]
    last = None if before is None else noted(context, before)
    older = chosen if last is None else chosen[: _place(past, chosen, last)]
    page = older[max(0, len(older) - size) :]
    return JournalPage(
        rows=[_row(context, past, entry) for entry in reversed(page)],
        total=len(chosen),
        more=len(older) > len(page),
        counts=_counts(found),
        callers=_callers(past),
        dropped=context.service.journal.dropped,
    )


def _is_chosen(entry: Noted, kind: EntryKind, status: str | None) -> bool:
    if kind not in (EntryKind.ALL, kind_of(entry)):
        return False
    return status is None or (not isinstance(entry, TimerEntry) and has_status(_status(entry), status))


def _place(past: Past, chosen: list[Noted], last: Noted) -> int:
    """Return how many of the chosen entries came before one."""
    earlier = {id(entry) for entry in past.entries[: past.entries.index(last)]}
    return sum(id(entry) in earlier for entry in chosen)


def _status(entry: Noted) -> int:
    return entry.response.status if isinstance(entry, JournalEntry) else getattr(entry, "status", 0)


def _row(context: ControlContext, past: Past, entry: Noted) -> JournalRow:
    if isinstance(entry, TimerEntry):
        what, name = of_entry(entry).text, None
    elif isinstance(entry, JournalEntry) and not entry.operation:
        mask = Mask(context.service.profile, entry.after)
        what, name = f"{entry.request.method} {mask.path(entry.request.target)}", None
    else:
        what = name = entry.operation
    call = entry if isinstance(entry, JournalEntry) else None
    return JournalRow(
        id=entry.id,
        kind=kind_of(entry),
        at=entry.at,
        what=what,
        operation=name,
        status=None if isinstance(entry, TimerEntry) else _status(entry),
        caller="" if call is None else caller_label(call.before.change(0), call.caller),
        about=about_entry(context.service, entry),
        why="" if isinstance(entry, TimerEntry) else sentence(past, entry),
        changes=len(dict.fromkeys(entry.touched)),
        faults=len(entry.fault),
    )


def _counts(found: list[Noted]) -> JournalCounts:
    kinds = Counter(kind_of(entry) for entry in found)
    return JournalCounts(
        total=len(found), control=kinds[EntryKind.CONTROL], timers=kinds[EntryKind.TIMER], **by_class(found)
    )


def _callers(past: Past) -> list[JournalCaller]:
    calls = [entry for entry in past.entries if isinstance(entry, JournalEntry)]
    counts = Counter(NOBODY if entry.caller is None else entry.caller.name for entry in calls)
    newest = {NOBODY if entry.caller is None else entry.caller.name: entry for entry in calls}
    return [
        JournalCaller(id=id, label=caller_label(newest[id].before.change(0), newest[id].caller), count=count)
        for id, count in counts.most_common(_CALLERS)
    ]
