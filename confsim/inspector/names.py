"""Names for ids: what pages call the records that values refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from confsim.canonical.meaning import NAMES_IN_TEXT, USERS

from .page_request import PageRequest

#: Most ids of a page whose names are asked for; others stay ids.
_MOST = 500
#: Fields that hold the number of a user, also as answers and events spell them.
_PEOPLE = USERS | {"userId", "user_id", "ownerId", "userIds"}


def names(asked: PageRequest, *values: Any, at: str | None = None) -> Mapping[str, Any]:
    """Return the records that values refer to, by id: each with its kind, id and label; ids of nothing are left out."""
    ids = list(dict.fromkeys(id for value in values for id in _ids(value)))[:_MOST]
    if not ids:
        return {}
    found: Mapping[str, Any] = asked.control("find_labels", ids=ids, at=at).labels
    return found


def _ids(value: Any, field: str = "") -> Iterator[str]:
    """Yield the ids in a value of a field."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _ids(each, name)
    elif isinstance(value, str):
        if (field in _PEOPLE and value.isdecimal()) or (
            NAMES_IN_TEXT.fullmatch(value) and not value.startswith("user ")
        ):
            yield value
    elif isinstance(value, Iterable):
        for each in value:
            yield from _ids(each, field)
    elif field in _PEOPLE and isinstance(value, int) and not isinstance(value, bool):
        yield str(value)


def said(value: Any, field: str, known: Mapping[str, Any]) -> str | None:
    """Return the name of what a value of a field refers to; None where it refers to nothing that is known."""
    found = known.get(next(_ids(value, field), ""), None) if isinstance(value, (str, int)) else None
    label = found if found is None or isinstance(found, str) else found.label
    return str(label) if label else None
