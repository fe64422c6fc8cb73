"""The fields that functions of a record read: found through calls, properties and closures, or not known at all."""

from __future__ import annotations

from enum import Enum
from operator import attrgetter

from msgspec import Struct

from confsim.api.catalogue import API
from confsim.kernel.tables.read_fields import deciding, read_fields
from confsim.kernel.tables.table import Table
from kit.each import each


class Colour(Enum):
    """A field of the record."""

    RED = 1


class Thing(Struct):
    """A record for the tests."""

    name: str
    size: int
    colour: Colour = Colour.RED
    other: str = ""

    @property
    def large(self) -> bool:
        """Reads ``size``."""
        return self.size > 10


def folded(text: str) -> str:
    """Reads no field."""
    return text.casefold()


def coloured(thing: Thing) -> bool:
    """Reads ``colour``."""
    return thing.colour is Colour.RED


def name(thing: Thing) -> str:
    """Has the name of a field, and reads another."""
    return thing.other


def _closure():
    inner = coloured
    return lambda thing: inner(thing)


@each(
    "function, fields",
    [
        (lambda thing: (), ()),
        (lambda thing: (folded(thing.name),) if thing.size else (), ("name", "size")),
        (lambda thing: tuple(thing.size for _ in "ab"), ("size",)),
        (lambda thing: coloured(thing), ("colour",)),
        (lambda thing: thing.large, ("size",)),
        (lambda thing: [each * 2 for each in thing.name], ("name",)),
        (lambda thing: name(thing) + thing.name, ("name", "other")),
        (_closure(), ("colour",)),
        (lambda thing: getattr(thing, "na" + "me"), None),
        (lambda thing: attrgetter("name")(thing), None),
        (attrgetter("name"), None),
        (lambda thing: Table.of(thing, "", ""), None),
    ],
)
def test_fields_are_those_that_the_code_names(function, fields):
    """A superset is right, None where code is hidden."""
    assert read_fields([function], Thing) == fields


def test_where_a_record_stands_is_reported_for_every_table():
    """No table of the house falls back on the identity of its records, which costs every change an evaluation."""
    assert len(API)
    assert [name for name, table in Table.declared.items() if table.placed_by is id] == []
    indexes = [index for table in Table.declared.values() for index in table.indexes]
    assert [index.name for index in indexes if deciding(read_fields(index.functions, index.record)) is id] == []
