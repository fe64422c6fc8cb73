"""Records before and after something, field by field, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import Any

from msgspec import Struct

from confsim.canonical.meaning import one_of

from .names import said
from .render import short, spaced
from .words import date

#: Most fields that are shown of a new or a removed record.
_MOST = 8


class ComparedField(Struct, frozen=True):
    """A field that differs: its name, the value before and the value now, each as text, None where there is none."""

    name: str
    was: str | None
    now: str | None


class Compared(Struct, frozen=True):
    """What became of a record: "New", "Changed" or "Removed", its kind, its name, its page, its fields.

    ``more`` counts the fields of a new or removed record that are not shown. ``by`` is the entry of the journal that
    did it, where that is told.
    """

    verb: str
    kind: str
    name: str
    target: str
    fields: list[ComparedField]
    more: int = 0
    by: str = ""


def compared(change: Any, target: str, known: Mapping[str, Any], by: str = "") -> Compared:
    """Return what became of a record, by a change as the control plane describes it; ``target`` is its page."""
    kind, key, before, after = one_of(change.table), change.key, change.before, change.after
    name = change.label or key
    if before is None or after is None:
        there = after if before is None else before
        given = {
            each: value for each, value in there.items() if not is_nothing(value) and each != "client" and value != key
        }
        fields = [_field(each, value, before is None, known) for each, value in given.items()]
        verb = "New" if before is None else "Removed"
        shown = fields[:_MOST]
        return Compared(verb, kind, name, target, shown, len(there) - len(shown), by)
    return Compared("Changed", kind, name, target, list(_differing(before, after, known)), by=by)


def is_nothing(value: Any) -> bool:
    """Return whether a value of a field says nothing: none, no, or empty."""
    return value is None or value is False or (isinstance(value, Sized) and not len(value))


def _field(name: str, value: Any, is_new: bool, known: Mapping[str, Any]) -> ComparedField:
    text = in_words(value, name, known)
    return ComparedField(spaced(name), None if is_new else text, text if is_new else None)


def _differing(
    before: Mapping[str, Any], after: Mapping[str, Any], known: Mapping[str, Any]
) -> Iterable[ComparedField]:
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was != now:
            yield ComparedField(spaced(name), *(in_words(each, name, known) for each in (was, now)))


def in_words(value: Any, field: str, known: Mapping[str, Any]) -> str:
    """Return a value of a field as text: the name of what it refers to, an instant as a date, else JSON on a line."""
    if value is None or (isinstance(value, (list, tuple, dict)) and not value):
        return "nothing"
    if isinstance(value, bool):
        return ("no", "yes")[value]
    if isinstance(value, (list, tuple)):
        return short(", ".join(said(each, field, known) or short(each) for each in value))
    return said(value, field, known) or date(value) or short(value) or "empty"
