"""The page of time: the clock, every moment of the world, and what falls due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from confsim.control.matching import EntryKind
from confsim.inspector.comparing import Compared, compared
from confsim.inspector.page_request import AnsweredPage, PageRequest, link
from confsim.kernel.refusal import Misuse

from .common import PAGE, number, show

#: Most bars of the track; where there are more moments, one bar stands for several.
_BARS = 300
#: Most records that are shown as different, and most assumptions that are offered first.
_DIFFERENT, _DECIDING = 60, 5
#: The heights of bars by what they stand for, the weightiest first.
_HEIGHTS = {"refused": 40, "timer": 26, "control": 20, "call": 30}


class Bar(Struct, frozen=True):
    """A bar of the track: its place, what it stands for, its height of 40."""

    place: int
    what: str
    height: int


def time(asked: PageRequest) -> AnsweredPage:
    """Show the clock, the moments of the world with one of them selected, and the next timers."""
    control = asked.control
    timers = control("list_timers", limit=PAGE + 1)
    found = control("list_moments")
    place = _selected(asked, [each.id for each in found])
    entry = None if place is None else control("get_request", found[place].id)
    since, different = (None, []) if entry is None else _since(asked, entry.id)
    return show(
        asked,
        "time",
        "Time",
        timers=timers[:PAGE],
        more=len(timers) > PAGE,
        total=len(found),
        first=found[0] if found else None,
        bars=_bars(found),
        place=place,
        entry=entry,
        earlier=found[place - 1].id if place else None,
        later=None if place is None or place + 1 >= len(found) else found[place + 1].id,
        snapshots=control("list_snapshots"),
        since=since,
        different=different,
        deciding=control("get_summary", limit=_DECIDING).assumptions,
        used=[each.id for each in control("list_assumptions", used=True)],
    )


def _since(asked: PageRequest, at: str) -> tuple[Any, list[tuple[bool, Compared]]]:
    """Return the difference of now to a moment, and its records, each with whether it is bookkeeping alone.

    The link of a record that is gone shows it as it was then.
    """
    found = asked.control("get_difference", from_=at, limit=_DIFFERENT)
    different = []
    for each in found.records:
        target = link(asked, "records", each.table, each.key, at=at if each.after is None else None)
        different.append((each.bookkeeping, compared(each, target, each.names, by=each.entry or "")))
    return found, different


def _selected(asked: PageRequest, ids: list[str]) -> int | None:
    """Return the place of the moment that is asked for, by its id or its place; None for now.

    Raises Misuse (404) for an id that nothing has had, (410) for one that the journal has dropped.
    """
    at = asked.query.get("at")
    if at:
        if at not in ids:
            asked.control("list_moments", at=at, limit=0)
            raise Misuse(f"there is no moment {at!r}", status=404)
        return ids.index(at)
    place = number(asked, "place", len(ids))
    return place if place < len(ids) else None


def _bars(moments: Sequence[Any]) -> list[Bar]:
    """Return the bars of the track, each for as many moments as make it fit."""
    each = max(1, -(-len(moments) // _BARS))
    bars = []
    for place in range(0, len(moments), each):
        kinds = [_kind(moment) for moment in moments[place : place + each]]
        what = min(kinds, key=[*_HEIGHTS].index)
        bars.append(Bar(place // each, what, _HEIGHTS[what]))
    return bars


def _kind(moment: Any) -> str:
    if moment.kind == EntryKind.CALL:
        return "refused" if moment.status >= 400 or not moment.status else "call"
    return "timer" if moment.kind == EntryKind.TIMER else "control"
