"""The canonical form of a world: the same for two worlds that differ only in drawn names and in time.

Ids, tokens and numbers are named by what the records say of them: each name begins alike, and is told apart by the
records in which it stands, by the places where it stands there, and by the names beside it, until nothing more can be
told apart (colour refinement). The digest of a form is the same in every process and on every machine.

Code that asks whether two worlds are the same asks this module. ``World.digest`` serves only claims about bytes: the
same calls from one seed make the same ones, a refused call changes none, a stored or exported world has all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from functools import lru_cache
from hashlib import blake2b
from operator import itemgetter
from struct import pack
from typing import Any

from msgspec import Struct

from confsim.kernel.tables.states import TableState
from confsim.kernel.tables.table import Table
from confsim.kernel.world import World

from . import meaning
from .shapes import Shape, ShapeReader, name_of, shape_of

#: The number of a name.
Colours = Mapping[str, int]
#: A record, timer or sequence: the numbers of what it says, and the names in it.
Node = tuple[tuple[int, ...], tuple[str, ...]]
#: Records, and tables, that are remembered at most; a record has the same shape in every world.
_REMEMBERED = 50_000


class FormLevel(IntEnum):
    """How much a form tells apart; each level tells apart less than the one before."""

    #: Names by what is said of them, instants relative to now, and the order of creation.
    MOVED = 1
    #: The same, but instants that have passed are alike.
    PASSED = 2
    #: The same without what is over, what only remembers it, and the order of creation.
    PRESENT = 3


#: The coarsest level at which two worlds of one form answer every call alike; proofs use it.
PROVEN = FormLevel.PASSED


class WorldForm(Struct, frozen=True, gc=False):
    """The form of a world: its digest, and the number of each name in it."""

    digest: bytes
    colours: Colours


class Forms:
    """Makes the forms of worlds at a level, and remembers the shapes of their records until ``forget``."""

    __slots__ = ("_kept", "_shapes", "level")

    def __init__(self, level: FormLevel) -> None:
        self.level = level
        self.forget()

    def forget(self) -> None:
        """Drop what is remembered of records and tables."""
        #: By the identity of tables, each with the table, since another one could get its identity.
        self._shapes: dict[int, tuple[TableState, list[Shape]]] = {}
        self._kept: dict[int, tuple[Any, Shape]] = {}

    def digest(self, world: World, now: int) -> bytes:
        """Return the digest of the form of a world at an instant (epoch milliseconds), 16 bytes."""
        return self.form(world, now).digest

    def form(self, world: World, now: int) -> WorldForm:
        """Return the form of a world at an instant (epoch milliseconds)."""
        nodes = list(self._nodes(world, now))
        colours = _refined(nodes)
        lines = sorted([_mixed((*said, *[colours[name] for name in names])) for said, names in nodes])
        return WorldForm(blake2b(repr(lines).encode(), digest_size=16).digest(), colours)

    def words(self, value: Any, colours: Colours, now: int) -> int:
        """Return a number for a plain value, such as an answer, in the words of a form with these colours.

        In a plain value, a number after 1973 is an instant in epoch milliseconds, and a number of a user is a user.
        """
        reader = _PlainReader(colours)
        reader.read("", value)
        instants = [self._moment(instant, now) for instant in reader.instants]
        return _mixed((reader.text, *instants, *[colours.get(name, 0) for name in reader.names]))

    def _nodes(self, world: World, now: int) -> Iterator[Node]:
        """Yield for each record, timer and sequence what it says and names."""
        tables = self._tables(world)
        over: set[str] = set()
        if self.level is FormLevel.PRESENT:
            over = {shape.key for shapes in tables for shape in shapes if shape.over}
        ranks = self._ranks(tables)
        for shapes in tables:
            for place, shape in enumerate(shapes):
                if over and (shape.over or shape.belongs in over):
                    continue
                moments = [self._moment(instant, now) for instant in shape.instants]
                if self.level is FormLevel.PRESENT:
                    yield (shape.text, *moments), shape.names
                else:
                    counts = [ranks[count] for count in shape.counts]
                    yield (shape.text, *moments, place, *counts), shape.names
        for place, timer in enumerate(world.timers):
            subject = f"user {timer.subject}" if timer.subject.isdigit() else timer.subject
            order = 0 if self.level is FormLevel.PRESENT else place
            yield (_number(timer.kind), self._moment(timer.due, now), order), (timer.client, subject)
        if self.level is not FormLevel.PRESENT:
            for sequence, number in world.sequences.items():
                if not meaning.UNSEEN_SEQUENCES.match(sequence):
                    text, names = meaning.NAMES_IN_TEXT.sub("#", sequence), meaning.NAMES_IN_TEXT.findall(sequence)
                    yield (_number(f"{text} {number}"),), tuple(names)

    def _moment(self, instant: int, now: int) -> int:
        """Return the milliseconds until an instant; 0 for every one that has passed where these are alike."""
        return instant - now if self.level is FormLevel.MOVED else max(instant - now, 0)

    def _ranks(self, tables: Iterable[list[Shape]]) -> dict[tuple[str, int], int]:
        """Return the rank of each number that counts up among those of its sequence."""
        if self.level is FormLevel.PRESENT:
            return {}
        ordered = sorted({count for shapes in tables for shape in shapes for count in shape.counts})
        first: dict[str, int] = {}
        return {count: place - first.setdefault(count[0], place) for place, count in enumerate(ordered)}

    def _tables(self, world: World) -> list[list[Shape]]:
        """Return the shapes of the records of each table of each client, in order of creation."""
        if max(len(self._kept), len(self._shapes)) > _REMEMBERED:
            self.forget()
        found = []
        for table, state in states(world):
            remembered = self._shapes.get(id(state))
            if remembered is None:
                rows = sorted(state.rows.values(), key=itemgetter(0))
                remembered = state, [self._shape(table, record) for _, record in rows]
                self._shapes[id(state)] = remembered
            found.append(remembered[1])
        return found

    def _shape(self, table: Table[Any, Any], record: Any) -> Shape:
        remembered = self._kept.get(id(record))
        if remembered is None:
            remembered = record, shape_of(table, record, memory=self.level is not FormLevel.PRESENT)
            self._kept[id(record)] = remembered
        return remembered[1]


def states(world: World) -> Iterator[tuple[Table[Any, Any], TableState]]:
    """Yield the tables of a world that have records: the shared ones, then those of each client."""
    for client in sorted(world.client_tables, key=bool):
        for table, state in zip(Table.by_position, world.client_tables[client], strict=False):
            if state.rows:
                yield table, state


def records(world: World) -> Iterator[tuple[Table[Any, Any], Any]]:
    """Yield the records of a world with their tables, those of a table in order of creation."""
    for table, state in states(world):
        for _, record in sorted(state.rows.values(), key=itemgetter(0)):
            yield table, record


def named(world: World) -> dict[str, tuple[Table[Any, Any], Any]]:
    """Return the table and the record of each name that refers to a record of its own."""
    return {
        name_of(table, record): (table, record)
        for table, record in records(world)
        if table.key_name not in meaning.KEYS_OF_OTHERS
    }


def _refined(nodes: Iterable[Node]) -> dict[str, int]:
    """Return a number for each name: equal for names that no record, place or name beside them tells apart."""
    linked = [node for node in nodes if node[1]]
    colours = dict.fromkeys((name for _, names in linked for name in names), 0)
    told_apart = 0
    while told_apart < len(colours):
        places: dict[str, list[int]] = defaultdict(list)
        for said, names in linked:
            seen = _mixed((*said, *[colours[name] for name in names]))
            for place, name in enumerate(names):
                places[name].append(seen + place)
        colours = {name: _mixed(tuple(sorted(found))) for name, found in places.items()}
        before, told_apart = told_apart, len(set(colours.values()))
        if told_apart == before:
            break
    return colours


@lru_cache(maxsize=_REMEMBERED)  # worlds that are alike mix the same numbers: an exploration takes a tenth less
def _mixed(numbers: tuple[int, ...]) -> int:
    """Return a number of 56 bits for several of 64 bits, the same in every process and on every machine."""
    return int.from_bytes(blake2b(pack(f"<{len(numbers)}q", *numbers), digest_size=7).digest(), "big")


def _number(text: str) -> int:
    """Return a number for a text, the same in every process and on every machine."""
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big")


#: The beginning of a text that shows only the end of a secret.
_HIDDEN = "****"


class _PlainReader(ShapeReader):
    """Reads a plain value, whose fields have the names of the wire."""

    __slots__ = ("colours",)

    #: Smaller numbers are not instants.
    _FIRST_INSTANT = 10**11

    def __init__(self, colours: Colours) -> None:
        super().__init__("", memory=True)
        self.colours = colours

    def _number(self, field: str, value: int) -> None:  # noqa: ARG002  (a field of the wire has no meaning here)
        if value > self._FIRST_INSTANT:
            self.parts.append("@")
            self.instants.append(value)
        elif f"user {value}" in self.colours:
            self._name(f"user {value}")
        else:
            self.parts.append(str(value))

    def _text(self, field: str, value: str) -> None:
        if value in self.colours or value.startswith(_HIDDEN):
            self._name(value)
        else:
            super()._text(field, value)
