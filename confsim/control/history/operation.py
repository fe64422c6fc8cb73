"""The control operation of the history of a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.control.labels.label import Held, held, label
from confsim.control.labels.timer import FiredTimer, describe_timer
from confsim.control.matching import kind_of
from confsim.control.moments import noted
from confsim.control.operations.browse import find_record, table_of_kind
from confsim.control.record_changes import RecordChange, changes
from confsim.control.why.case import path_of
from confsim.control.why.headline import headline
from confsim.control.why.operation import Step
from confsim.control.why.past import Past, worlds_of
from confsim.domain.users.users import USERS
from confsim.kernel.refusal import Misuse
from confsim.kernel.tables.table import Table
from confsim.kernel.world import Change
from confsim.service.entries import JournalEntry, Noted

from .related import Related, concerns, related

#: Default and largest number of entries.
SHOWN, MOST = 50, 500


class HistoryEntry(Step, kw_only=True):
    """An entry of the journal that changed a record, or named it."""

    changes: Annotated[list[RecordChange], "What it changed of the record; of a timeline, of those that name it too."]
    status: Annotated[int | None, "The status of the answer; null for a timer."] = None


class RecordHistory(Wire):
    """The history of a record: the entries that changed or named it, oldest first, and what is to come.

    ``more`` says whether there are older ones in the journal. ``timers`` will change it, if nothing happens before.
    ``related`` are the records that name it.
    """

    label: Annotated[str, "What people call the record."]
    present: Annotated[bool, "Whether it is there now."]
    entries: Annotated[list[HistoryEntry], "The entries that changed or named it, oldest first."]
    more: Annotated[bool, "Whether the journal has older ones."]
    timers: Annotated[list[FiredTimer], "The timers that follow from it."]
    related: Annotated[list[Related], "The records that name it."]


@operation("GET /records/{kind}/{id}/history", beside=True)
def get_history(
    context: ControlContext,
    kind: Annotated[str, "The kind of the record."],
    id: Annotated[str, "The key of the record."],
    *,
    timeline: Annotated[
        bool | None, "Whether changes of the records that name it, and calls by it, are listed too."
    ] = None,
    before: Annotated[str | None, "The id of the entry before which they are listed."] = None,
    limit: Annotated[Count | None, "The most entries; 50 by default."] = None,
) -> RecordHistory:
    """Get the history of a record: the calls, control calls and timers that changed it, and those that named it.

    As a ``timeline``, it has the changes of records that name it too (for a user or a channel: joining, waiting, roles,
    recordings), and the calls of a user. A record that was removed has its history as long as the journal has it.
    Raises Misuse (404) for an unknown kind, record or entry, (410) for one that the journal has dropped.
    """
    size = SHOWN if limit is None else limit
    if size > MOST:
        raise Misuse(f"limit is a number from 0 to {MOST}")
    table, past, change = table_of_kind(kind), Past(context.service), context.view()
    found = find_record(change, table, id)
    gone = past.gone(id, (table.name,)) if found is None else None
    if found is None and gone is None:
        raise Misuse(f"there is no record {id!r} of the kind {table.name}", status=404)
    about = found if found is not None else gone.held  # type: ignore[union-attr]
    listed: list[HistoryEntry] = []
    for entry in _newest_first(past, context, before):
        described = _described(past, entry, about, bool(timeline))
        if described is not None:
            listed.append(described)
            if len(listed) > size:
                break
    return RecordHistory(
        label=label(change, about) if gone is None else gone.label,
        present=found is not None,
        entries=listed[:size][::-1],
        more=len(listed) > size,
        timers=_timers(change, about),
        related=[] if found is None else related(change, about),
    )


def _newest_first(past: Past, context: ControlContext, before: str | None) -> Iterator[Noted]:
    """Yield the entries before one, or all, the newest first."""
    entries = past.entries
    if before is not None:
        last = noted(context, before)
        entries = entries[: next(place for place, each in enumerate(entries) if each is last)]
    return reversed(entries)


def _described(past: Past, entry: Noted, about: Held, timeline: bool) -> HistoryEntry | None:
    """Return an entry with its changes of a record; None for one that has nothing to do with it."""
    place = (about.client, about.table.name, about.table.key(about.record))
    touched = [each for each in entry.touched if each == place or (timeline and _concerns(entry, each, about))]
    worlds = worlds_of(entry)
    changed = [] if worlds is None or not touched else list(changes(touched, *worlds))
    if not changed and not _names(entry, about, timeline):
        return None
    status = entry.response.status if isinstance(entry, JournalEntry) else getattr(entry, "status", None)
    return HistoryEntry(
        id=entry.id, kind=kind_of(entry), at=entry.at, text=headline(past, entry), changes=changed, status=status
    )


def _concerns(entry: Noted, place: tuple[str, str, object], about: Held) -> bool:
    """Return whether a record that an entry wrote names another one, before or after it."""
    client, name, key = place
    for world in worlds_of(entry) or ():
        found = held(world.change(0), client, name, key)
        if found is not None and concerns(Table.declared[name], found.record, about):
            return True
    return False


def _names(entry: Noted, about: Held, timeline: bool) -> bool:
    """Return whether a call names a record in its path; in a timeline, also whether a user called."""
    if isinstance(entry, JournalEntry):
        user = None if entry.caller is None else entry.caller.user
        if timeline and about.table is USERS and user is not None and str(user.id) == about.id:
            return True
    return about.id in path_of(entry)


def _timers(change: Change, about: Held) -> list[FiredTimer]:
    """Return the timers that follow from a record."""
    alarms = about.table.alarms
    names = [(about.table.name, about.client, about.table.key(about.record), alarm.kind) for alarm in alarms]
    live = change.world.timers.live
    found = [live[name] for name in names if name in live]
    return [describe_timer(change, each) for each in sorted(found, key=lambda each: each.due)]
