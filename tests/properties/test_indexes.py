"""Indexes, orders, totals and owners of every table follow each field of each record, as if they were made anew."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from confsim.kernel.tables.filling import filled
from confsim.kernel.tables.indexes import CREATED, Bucket, Index, Order, Total, Unique
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import Change
from kit.declared import own_tables
from kit.each import each

TABLES = own_tables()


def named(table: Table[Any, Any], records: list[Any]) -> dict[str, Any]:
    """What the indexes of a table of these records would find: by index and value the keys and the totals."""
    state = filled(table, records)
    return {index.name: contents(index, state.index(index)) for index in table.indexes} | {
        unique.name: dict(state.keys[unique.position].items()) for unique in table.uniques
    }


def found(table: Table[Any, Any], change: Change, client: str) -> dict[str, Any]:
    """What the indexes of a table find after the writes of a change."""
    state = table.of(change, client).tables[table.position]
    return {index.name: contents(index, state.index(index)) for index in table.indexes} | {
        unique.name: dict(state.keys[unique.position].items()) for unique in table.uniques
    }


def contents(index: Index[Any], lookup: Any) -> dict[Any, Any]:
    """The keys of an index by value, in each of its orders but that of creation, whose numbers tell histories apart."""
    return {value: shown(index, bucket) for value, bucket in lookup.items()}


def shown(index: Index[Any], bucket: Any) -> Any:
    """The keys of a bucket in each order, and its totals; a single record is only its key."""
    if not isinstance(bucket, Bucket):
        return bucket[-1]
    orders = [[entry[-1] for entry in entries] for entries in bucket.orders]
    return orders, bucket.totals


@pytest.fixture(scope="module")
def places(lived):
    """The tables of the lived world that have records: by table, the client and its records in order of creation."""
    found: dict[str, tuple[str, list[Any]]] = {}
    for (client, name), state in lived.service.world.tables():
        records = sorted(state.rows.values(), key=lambda row: row[0])
        if len(records) >= len(found.get(name, ("", []))[1]):
            found[name] = client, [record for _, record in records]
    return found


@each("table", TABLES, ids=lambda table: table.name.replace(" ", "-"))
def test_every_field_of_a_record_is_followed(lived, places, table):
    """After any field takes the value that another record has, each index finds what one made anew would find."""
    client, records = places.get(table.name, ("", []))
    records = records[:12]
    for place, record in enumerate(records):
        for field in table.record.__struct_fields__:
            for other in records:
                changed = replace(record, **{field: getattr(other, field)})
                if getattr(other, field) == getattr(record, field) or table.key(changed) != table.key(record):
                    continue
                after = [*records[:place], changed, *records[place + 1 :]]
                try:
                    expected = named(table, after)
                except ValueError:  # two records with one value of a unique index
                    continue
                change = lived.service.world.change(0)
                table.of(change, client).tables[table.position] = filled(table, records)
                table.of(change, client).put(changed)
                assert found(table, change, client) == expected, (field, record, changed)


def test_nearly_every_table_has_records_here(places):
    """The test above changes records of all tables but these, which the walk leaves empty."""
    assert {table.name for table in TABLES} - places.keys() <= {
        "favourites",
        "mail",
        "recording assets",
        "reservations",
    }


class Thing(Record, kw_only=True):
    """A record for the tests."""

    id: int
    size: int = 0


@pytest.mark.parametrize(
    "index",
    [
        Index("colour", "colour"),
        Unique("colour", "colour"),
        Index("size", "size", orders=(CREATED, Order("colour", "colour"))),
        Index("size", "size", totals=(Total("colours", "colour"),)),
    ],
)
def test_a_field_that_no_record_has_is_refused_at_once(index):
    """The table says which one it is."""
    with pytest.raises(ValueError, match="a record has no field colour, by which it is indexed"):
        Table("test refused", Thing, "id", index)


@pytest.mark.parametrize("fields", [(), ("size", "id")])
def test_a_function_takes_the_declared_fields_and_nothing_else(fields):
    """An index whose function takes more or fewer values than it declares fields cannot be declared."""
    with pytest.raises(TypeError):
        Index("size", *fields, of=lambda size: (size,))
