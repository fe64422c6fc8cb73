"""The shape of a record: its content, apart from the names and instants in it."""

from __future__ import annotations

from enum import Enum
from hashlib import blake2b
from typing import Any

from msgspec import Struct

from confsim.kernel.tables.table import Table

from . import meaning


class Shape(Struct, frozen=True, gc=False):
    """A record without its names and instants: ``text`` is a number that stands for the rest of it.

    ``names`` are the ids, secrets and users in the record, in order of their places, ``instants`` its instants (epoch
    milliseconds), ``counts`` its numbers that count up, with their sequences. ``key`` is the name of the record itself,
    ``over`` says whether it is over, ``belongs`` names the record with which it is over.
    """

    text: int
    names: tuple[str, ...]
    instants: tuple[int, ...]
    counts: tuple[tuple[str, int], ...]
    key: str
    over: bool
    belongs: str


class ShapeReader:
    """Reads the shape of one value; ``memory`` says whether fields that only remember are read."""

    __slots__ = ("counts", "drawn", "instants", "memory", "names", "parts", "table")

    def __init__(self, table: str, *, memory: bool) -> None:
        self.table = table
        self.drawn = meaning.DRAWN.get(table, frozenset())
        self.memory = frozenset() if memory else meaning.MEMORY.get(table, frozenset())
        self.parts: list[str] = [table]
        self.names: list[str] = []
        self.instants: list[int] = []
        self.counts: list[tuple[str, int]] = []

    def read(self, field: str, value: Any) -> None:
        """Read a value that stands in a field, or within one."""
        if value is None or isinstance(value, bool):
            self.parts.append(str(value))
        elif isinstance(value, Enum):
            self.parts.append(value.name)
        elif isinstance(value, Struct):
            for name in value.__struct_fields__:
                self._field(name, getattr(value, name))
        elif isinstance(value, dict):
            self.parts.append(f"{{{len(value)}")
            for name in sorted(value):
                self.parts.append(name)
                self._field(name, value[name])
        elif isinstance(value, tuple | list):
            self._several(field, value)
        elif isinstance(value, bytes):
            self.parts.append(blake2b(value, digest_size=8).hexdigest())
        elif isinstance(value, int):
            self._number(field, value)
        else:
            self._text(field, str(value))

    def _field(self, name: str, value: Any) -> None:
        if name not in self.memory:
            self.read(name, value)

    def _several(self, field: str, values: tuple[Any, ...] | list[Any]) -> None:
        self.parts.append(f"({len(values)}")
        pairs = field in self.drawn
        for value in values:
            if pairs and isinstance(value, tuple):
                self.parts.append(str(value[0]))
                self._name(str(value[1]))
            else:
                self.read(field, value)

    def _number(self, field: str, value: int) -> None:
        if (sequence := meaning.COUNTED.get((self.table, field))) is not None:
            self.parts.append("+")
            self.counts.append((sequence, value))
        elif field in meaning.INSTANTS:
            self.parts.append("@")
            self.instants.append(value)
        elif field in meaning.USERS or (field == "id" and self.table == "users"):
            self._name(f"user {value}")
        else:
            self.parts.append(str(value))

    def _text(self, field: str, value: str) -> None:
        if field in self.drawn:
            self._name(value)
        elif field in meaning.USERS and value.isdigit():
            self._name(f"user {value}")
        elif len(value) < meaning.SHORTEST_NAME:
            self.parts.append(value)
        else:
            self.parts.append(meaning.NAMES_IN_TEXT.sub("#", value))
            self.names += meaning.NAMES_IN_TEXT.findall(value)

    def _name(self, name: str) -> None:
        self.parts.append("#")
        self.names.append(name)

    @property
    def text(self) -> int:
        """A number for all that was read but names, instants and counts; the same in every process."""
        whole = "\0".join(self.parts).encode()
        return int.from_bytes(blake2b(whole, digest_size=7).digest(), "big")


def shape_of(table: Table[Any, Any], record: Any, *, memory: bool) -> Shape:
    """Return the shape of a record; without ``memory``, fields that only remember what has happened are left out."""
    reader = ShapeReader(table.name, memory=memory)
    reader.read("", record)
    field, values = meaning.OVER.get(table.name, ("", frozenset()))
    owner = meaning.BELONGS.get(table.name, "")
    return Shape(
        text=reader.text,
        names=tuple(reader.names),
        instants=tuple(reader.instants),
        counts=tuple(reader.counts),
        key=name_of(table, record),
        over=table.name in meaning.HISTORY or (bool(field) and getattr(record, field).value in values),
        belongs=str(getattr(record, owner)) if owner else "",
    )


def name_of(table: Table[Any, Any], record: Any) -> str:
    """Return the name by which other records refer to this one."""
    key = table.key(record)
    return f"user {key}" if table.key_name in meaning.USERS or table.name == "users" else str(key)
