"""The control operation that says what is different at one moment from another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from confsim.canonical.difference import difference
from confsim.canonical.form import FormLevel
from confsim.canonical.meaning import BOOKKEEPING
from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.control.labels.label import held, label, references
from confsim.control.moments import noted, world_after
from confsim.control.operations.state import put_state
from confsim.control.record_changes import RecordChange, changes
from confsim.control.why.headline import headline
from confsim.control.why.past import Past
from confsim.kernel.refusal import Misuse
from confsim.kernel.tables.table import Table
from confsim.kernel.tables.writing import Written
from confsim.kernel.world import World
from confsim.service.entries import ControlCall

#: Default and largest number of records that are shown.
SHOWN, MOST = 100, 500
#: Records of a table, in both worlds together, from which on only those are compared that the journal notes.
_LARGE = 10_000


class DifferentRecord(RecordChange, kw_only=True):
    """A record that differs, with the entry of the journal that changed it last.

    ``names`` are the labels of the ids in its values. A record of ``bookkeeping`` only keeps account of what happens
    elsewhere.
    """

    entry: Annotated[str | None, "The id of the entry that changed it last; null where the journal has none."] = None
    entryText: Annotated[str, "What that entry did, in a sentence without a full stop."] = ""
    names: Annotated[dict[str, str], "What people call the records that it names, by their ids."] = {}
    bookkeeping: Annotated[bool, "Whether it only keeps account of what happens elsewhere."] = False


class DifferentMoment(Wire):
    """What is different at one moment from another: records by kind, those of bookkeeping last.

    ``words`` say it in short, for the records that are shown and are no bookkeeping.
    """

    added: Annotated[int, "The number of new records, without bookkeeping."]
    removed: Annotated[int, "The number of removed records, without bookkeeping."]
    changed: Annotated[int, "The number of changed records, without bookkeeping."]
    bookkeeping: Annotated[int, "The number of records of bookkeeping that differ."]
    records: Annotated[list[DifferentRecord], "The records that differ, at most limit of them."]
    more: Annotated[bool, "Whether there are further ones."]
    words: Annotated[list[str], "The difference in words, a line for each part."]


@operation("GET /difference", beside=True)
def get_difference(
    context: ControlContext,
    *,
    from_: Annotated[str, "The id of the journal entry right after which the earlier moment is."],
    to: Annotated[str | None, "That of the later moment; now without one."] = None,
    limit: Annotated[Count | None, "The most records that are shown; 100 by default."] = None,
) -> DifferentMoment:
    """Get what is different in the world right after one entry of the journal from right after another, or from now.

    Raises Misuse (404) for an unknown entry, (410) for one that the journal has dropped.
    """
    size = SHOWN if limit is None else limit
    if size > MOST:
        raise Misuse(f"limit is a number from 0 to {MOST}")
    before, after = world_after(context, from_), world_after(context, to)
    past = Past(context.service)
    places = [*written((past,), before, after)]
    ordered = sorted(places, key=lambda place: (place[1] in BOOKKEEPING, place[1]))
    counts = [0, 0, 0]
    for client, table, key in places:
        if table not in BOOKKEEPING:
            there = [held(world.change(0), client, table, key) is not None for world in (before, after)]
            counts[2 if all(there) else 0 if there[1] else 1] += 1
    shown = ordered[:size]
    writers = {entries[-1].id: entries[-1] for place in shown if (entries := past.by_place.get(place))}
    said = {id: headline(past, entry) for id, entry in writers.items()}
    now = context.service.clock.now() if to is None else noted(context, to).at
    return DifferentMoment(
        added=counts[0],
        removed=counts[1],
        changed=counts[2],
        bookkeeping=len(places) - sum(counts),
        records=[
            _described(past, said, place, change, before, after)
            for place in shown
            for change in changes((place,), before, after)
        ],
        more=len(ordered) > len(shown),
        words=in_words(before, after, [place for place in shown if place[1] not in BOOKKEEPING], now),
    )


def written(pasts: tuple[Past, ...], before: World, after: World) -> Iterator[Written]:
    """Yield the places of the records that differ. Tables that both worlds have are not looked through.

    Of a large table only the records that entries of the journal wrote are compared, unless a state document was put.
    """
    everything = any(
        entry.operation == put_state.__name__
        for past in pasts
        for entry in past.entries
        if isinstance(entry, ControlCall)
    )
    for client in dict.fromkeys((*before.client_tables, *after.client_tables)):
        tables = (before.client_tables.get(client, ()), after.client_tables.get(client, ()))
        for position, table in enumerate(Table.by_position):
            one, other = (each[position].rows if position < len(each) else {} for each in tables)
            if one is other:
                continue
            known = len(one) + len(other) > _LARGE and not everything
            keys = _noted(pasts, client, table.name) if known else dict.fromkeys((*other, *one))
            for key in keys:
                was, row = one.get(key), other.get(key)
                if was is not row and (was is None or row is None or was[1] != row[1]):
                    yield client, table.name, key


def _noted(pasts: tuple[Past, ...], client: str, table: str) -> list[Any]:
    """Return the keys of the records of a table that entries of the journal wrote."""
    places = dict.fromkeys(place for past in pasts for place in past.by_place)
    return [key for owner, name, key in places if (owner, name) == (client, table)]


def in_words(before: World, after: World, places: list[Written], now: int) -> list[str]:
    """Return the difference of two worlds in words, as far as these records go."""
    wanted = dict.fromkeys(places)
    for world in (before, after):
        change = world.change(0)
        for place in places:
            found = held(change, *place)
            for _, other in () if found is None else references(change, found):
                wanted[other.client, other.table.name, other.table.key(other.record)] = None
    one, other_one = (_only(world, wanted) for world in (before, after))
    return difference(one, other_one, now, now, FormLevel.PASSED).lines()


def _only(world: World, places: Iterable[Written]) -> World:
    """Return a world with these records and nothing else."""
    change, whole = World(world.seed).change(0), world.change(0)
    for place in places:
        found = held(whole, *place)
        if found is not None:
            found.table.of(change, found.client).put(found.record, check=False)
    return change.commit()


def _described(
    past: Past, said: Mapping[str, str], place: Written, change: RecordChange, before: World, after: World
) -> DifferentRecord:
    """Return a record that differs, with the entry that changed it last; ``said`` has the words for the entries."""
    entries = past.by_place.get(place, ())
    names: dict[str, str] = {}
    for world in (before, after):
        whole = world.change(0)
        found = held(whole, *place)
        for _, other in () if found is None else references(whole, found):
            names[other.id] = label(whole, other)
    return DifferentRecord(
        table=change.table,
        client=change.client,
        key=change.key,
        before=change.before,
        after=change.after,
        label=change.label,
        entry=entries[-1].id if entries else None,
        entryText=said[entries[-1].id] if entries else "",
        names=names,
        bookkeeping=change.table in BOOKKEEPING,
    )
