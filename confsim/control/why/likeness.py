"""The id that was probably meant by one that nothing has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

from msgspec import Struct

from confsim.control.labels.label import Held
from confsim.domain.users.users import USERS
from confsim.kernel.tables.table import Table
from confsim.kernel.world import Change
from confsim.values.plain import whole_number

#: Characters at the beginning or at the end that an id shares with a similar one.
_SHARED = 8
#: Ids that are compared in full, and the similarity from which one was probably meant (1 for equal texts).
_COMPARED, _ALIKE = 50, 0.85
#: Records of a table whose ids are looked at.
_LOOKED_AT = 200_000


class Near(Struct, frozen=True):
    """A record with a similar id, and how the given id differs from it, in words."""

    held: Held
    differs: str


def nearest(change: Change, client: str, id: str, tables: Iterable[Table[Any, Any]]) -> Near | None:
    """Return the record of a client, or a shared one, whose id is most similar; None if none is."""
    best: tuple[float, Held] | None = None
    for table in tables:
        owner = "" if table.shared else client
        if not table.shared and not client:
            continue
        for key in _similar(change, table, owner, id):
            ratio = SequenceMatcher(None, id, str(key)).ratio()
            if (ratio >= _ALIKE or table is USERS) and (best is None or ratio > best[0]):
                record = table.get(change, key, owner)
                if record is not None:
                    best = ratio, Held(table, owner, record)
    return None if best is None else Near(best[1], _difference(id, best[1].id))


def _similar(change: Change, table: Table[Any, Any], owner: str, id: str) -> Iterator[Any]:
    """Yield keys that may be similar."""
    if table is USERS:
        rows = USERS.of(change, owner)
        yield from (number for number in _numbers(id) if number in rows)
        return
    if len(id) < _SHARED:
        return
    begin, end, found = id[:_SHARED].lower(), id[-_SHARED:].lower(), 0
    states = change.tables.get(owner) or change.open_tables(owner)
    rows_of = states[table.position].rows
    if len(rows_of) > _LOOKED_AT:
        return
    for key in rows_of:
        if isinstance(key, str) and (key.startswith(begin) or key.endswith(end)):
            yield key
            found += 1
            if found == _COMPARED:
                return


def _numbers(id: str) -> Iterator[int]:
    """Yield the numbers that differ from one in one digit."""
    if whole_number(id) is None or len(id) > 12:
        return
    digits = "0123456789"
    for place in range(len(id) + 1):
        for digit in digits:
            yield int(id[:place] + digit + id[place + 1 :] or "0")
            yield int(id[:place] + digit + id[place:])
        yield int(id[:place] + id[place + 1 :] or "0")


def _difference(given: str, meant: str) -> str:
    """Return how an id differs from the one that was given, in words."""
    if given.lower() == meant.lower():
        return "differs in the case of its letters"
    longer = len(meant) - len(given)
    if longer:
        count, word = abs(longer), "longer" if longer > 0 else "shorter"
        return f"is {_number(count)} {word}"
    count = sum(one != other for one, other in zip(given, meant, strict=True))
    return f"differs in {_number(count)}"


def _number(count: int) -> str:
    return "one character" if count == 1 else f"{count} characters"
