"""Pages of what was not: answers under other assumptions; and of what calls have covered."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

import msgspec

from confsim.control.matching import EntryKind
from confsim.inspector import render
from confsim.inspector.page_request import AnsweredPage, PageRequest
from confsim.kernel.refusal import Misuse

from .common import part, show

#: Calls that a what-if question replays unless all are asked for.
_REPLAYED = 100
#: Lines of two answers that are compared and shown, and equal ones shown before the first that differs.
_LINES, _BEFORE = 200, 3


def what_if(asked: PageRequest) -> AnsweredPage:
    """Show the answers to calls of the journal under another alternative: the newest, or from a given one on."""
    id, text = asked.query.get("id", ""), asked.query.get("value", "")
    if not id:
        raise Misuse("no assumption is chosen: Assumptions lists them, each with its other values")
    first = None if asked.query.get("all") == "true" else _first_replayed(asked, asked.query.get("call") or None)
    value, found = _answered(asked, id, text, first)
    differ, paging = part(asked, found.differ)
    sides = [(each, *_halves(each.was.answer, each.would_be.answer)) for each in differ]
    title = f"What if {id} = {render.short(value)}"
    entry = next(each for each in asked.control("list_assumptions") if each.id == id)
    shown = {"entry": entry, "id": id, "value": value, "found": found, "sides": sides}
    dropped = asked.control.context.service.journal.dropped
    return show(asked, "what_if", title, **shown, **paging, first=first, dropped=dropped)


def _halves(was: Any, would_be: Any) -> tuple[list[tuple[bool, str]], list[tuple[bool, str]]]:
    """Return the lines of two answers from where they differ, each line with whether the other answer lacks it."""
    old, new = (render.pretty(each).split("\n") for each in (was, would_be))
    pairs = enumerate(zip(old, new, strict=False))
    begin = max(0, next((place for place, (one, other) in pairs if one != other), min(len(old), len(new))) - _BEFORE)
    old, new = (_piece(lines, begin) for lines in (old, new))
    left, right = list[tuple[bool, str]](), list[tuple[bool, str]]()
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        left += [(kind != "equal", line) for line in old[i:j]]
        right += [(kind != "equal", line) for line in new[k:m]]
    return left, right


def _piece(lines: list[str], begin: int) -> list[str]:
    """Return the lines of an answer that are shown, with how many are left out before and after them."""
    after = len(lines) - begin - _LINES
    piece = lines[begin : begin + _LINES]
    return [*([f"… {begin} equal lines"] if begin else []), *piece, *([f"… {after} more lines"] if after > 0 else [])]


def _first_replayed(asked: PageRequest, wanted: str | None) -> str | None:
    """Return the call that a replay begins with: one of the newest, or an earlier one that it must not leave out.

    ``wanted`` is the entry of the journal that somebody came from. None for all calls. Raises Misuse (404) for an
    unknown entry, (410) for one that the journal has dropped.
    """
    found = asked.control("list_moments")
    calls = [each.id for each in found if each.kind == EntryKind.CALL]
    begin = max(0, len(calls) - _REPLAYED)
    if wanted is not None:
        (at,) = asked.control("list_moments", at=wanted, limit=0)
        so_far = sum(each.kind == EntryKind.CALL for each in found[: found.index(at) + 1])
        begin = min(begin, max(0, so_far - 1))
    return calls[begin] if begin else None


def _answered(asked: PageRequest, id: str, text: str, first: str | None) -> tuple[Any, Any]:
    """Return the value in a text (JSON, or plain text where the entry takes text), and the calls that it changes."""
    given = {} if first is None else {"from": first}
    try:
        value = msgspec.json.decode(text)
        return value, asked.control("ask_what_if", assumptions={id: value}, **given)
    except (ValueError, RecursionError, Misuse):
        return text, asked.control("ask_what_if", assumptions={id: text}, **given)


def coverage(asked: PageRequest) -> AnsweredPage:
    """Show what calls have covered of the API, and what is missing in the touched areas, when it is counted."""
    try:
        found = msgspec.to_builtins(asked.control("get_coverage"))
    except Misuse as misuse:
        return show(asked, "coverage", "Coverage", found=None, why=str(misuse))
    return show(asked, "coverage", "Coverage", found=found, why="")
