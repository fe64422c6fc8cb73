"""A world is an immutable value; a Change builds the next one and is committed or discarded as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import blake2b
from itertools import islice
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from . import ids
from .maps import Map, inserted
from .tables.indexes import Lookup
from .tables.states import TableState
from .tables.table import Table
from .tables.writing import Written
from .timers import Name, Timer, Timers

#: The id of a client, "" for what is shared, and the name of a table.
Place = tuple[str, str]
#: Returns the fault injected at the fault point of this name with these facts, None for none.
FaultSource = Callable[[str, Mapping[str, Any]], Any]
#: What the rooms above do at the end of each change that wrote something, before its world is made.
AT_END: list[Callable[[Change], object]] = []
#: More steps than any change takes.
UNLIMITED = 2**62
#: The hash function of a world's digest, which covers the pieces of its JSON.
Hash = partial(blake2b, digest_size=16)
#: A piece of a world as JSON: the table and the client whose records it has, both "" for the text around them.
Part = tuple[str, str, bytes]
#: Records that are encoded at once.
_BATCH = 500
#: Timers that are encoded at once, each of which Python looks at.
_TIMERS = 100


class World(Struct, frozen=True, gc=False):
    """An immutable value: tables, timers and counters at one moment.

    ``client_tables`` holds the tables of each client by their positions; the shared ones are those of the client "".
    Tables declared after a client was last written are absent from its tuple and read as empty.
    ``id_counter`` is how many ids, tokens and codes have been drawn; ``sequences`` holds the last number of each.
    ``owners`` follows from the tables: by the name of a table, it has the clients that ``Table.find_client`` finds.
    """

    seed: int = 0
    client_tables: Map[str, tuple[TableState, ...]] = {}
    timers: Timers = Timers()
    id_counter: int = 0
    sequences: Map[str, int] = {}
    owners: Map[str, Lookup] = {}

    def change(self, now: int, carried: Any = None, faults: FaultSource | None = None) -> Change:
        """Begin a change at the instant ``now`` (epoch milliseconds).

        ``carried`` is what the change carries for the rooms above.
        """
        return Change(self, now, carried, faults, self.timers, self.id_counter, self.sequences, self.owners)

    def state(self, table: Table[Any, Any], client: str = "") -> TableState:
        """Return the state of a table: of one client, or the shared one."""
        tables = self.client_tables.get(client, ())
        return tables[table.position] if table.position < len(tables) else table.empty_states[table.position]

    def holds_the_same(self, other: World) -> bool:
        """Return whether the identity of their parts proves both worlds equal. No record is compared."""
        return self is other or (
            self.client_tables is other.client_tables
            and self.timers is other.timers
            and self.sequences is other.sequences
            and self.id_counter == other.id_counter
            and self.seed == other.seed
        )

    def tables(self) -> list[tuple[Place, TableState]]:
        """Return every table that is not empty, in the order of client id and name."""
        filled = [
            ((client, table.name), state)
            for client, tables in self.client_tables.items()
            for table, state in zip(Table.by_position, tables, strict=False)
            if state.rows
        ]
        return sorted(filled, key=itemgetter(0))

    def encoded(self, version: int | None = None) -> Iterator[bytes]:
        """Yield the whole world as JSON, in pieces of some hundreds of records; the same world gives the same bytes.

        It has the fields of ``document.StateDocument``, and ``version`` if one is given.
        """
        return (piece for _, _, piece in self.parts(version))

    def parts(self, version: int | None = None) -> Iterator[Part]:
        """Yield the pieces of ``encoded``, each with the table and the client of its records."""
        encode = msgspec.json.Encoder(order="deterministic").encode
        head = {"minted": self.id_counter, "seed": self.seed, "sequences": dict(self.sequences.items())}
        yield "", "", encode(head)[:-1] + b',"tables":{'
        table = ""
        for (client, name), state in sorted(self.tables(), key=_name_first):
            if name != table:
                yield "", "", (b"}," if table else b"") + encode(name) + b":{"
            yield "", "", (b"," if name == table else b"") + encode(client) + b":["
            table = name
            for place, records in enumerate(_batches(state)):
                yield name, client, (b"," if place else b"") + encode(records)[1:-1]
            yield "", "", b"]"
        yield "", "", (b"}" if table else b"") + b'},"timers":['
        timers = iter(self.timers)
        for place, batch in enumerate(iter(lambda: [*islice(timers, _TIMERS)], [])):
            told = [(timer.due, timer.kind, timer.client, timer.subject) for timer in batch]
            yield "", "", (b"," if place else b"") + encode(told)[1:-1]
        yield "", "", b"]}" if version is None else b'],"version":' + encode(version) + b"}"

    def digest(self) -> str:
        """Return a fingerprint of the whole world, 32 hexadecimal digits; equal worlds have equal ones."""
        whole = Hash()
        for piece in self.encoded():
            whole.update(piece)
        return whole.hexdigest()


def _name_first(held: tuple[Place, TableState]) -> Place:
    (client, name), _ = held
    return name, client


def _batches(state: TableState) -> Iterator[list[Any]]:
    """Yield the records of a table in order of creation, some hundreds at a time."""
    rows = iter(sorted(state.rows.values(), key=itemgetter(0)))
    while batch := [record for _, record in islice(rows, _BATCH)]:
        yield batch


class TooLong(BaseException):
    """Raised in a change that may take no further step. It is no error: only what limited the steps catches it."""


class Change(Struct, eq=False, gc=False):
    """A world being changed at one instant; begun by ``World.change``.

    ``carried`` is a value of the rooms above, at which nothing here looks, and so is what ``collected`` lists for
    ``AT_END``. ``faults``, when given, is called at each fault point. ``tables`` holds the opened tables of each client
    in their current state; ``written`` names the clients of which something was written, "" for what is shared.
    ``touched`` lists the records that were written, ``timed`` the timers and ``counted`` the sequences, from which a
    difference is computed. ``applied`` are the rows of machines that were applied, in order. ``steps`` is how many more
    steps it may take; a transition of a machine is one, and so is reading ``views.READS_OF_A_STEP`` records.
    """

    world: World
    now: int
    carried: Any
    faults: FaultSource | None
    timers: Timers
    id_counter: int
    sequences: Map[str, int]
    owners: Map[str, Lookup]
    tables: dict[str, list[TableState]] = {}
    written: dict[str, None] = {}
    touched: list[Written] = []
    timed: list[Name] = []
    counted: list[str] = []
    applied: list[Any] = []
    collected: list[Any] = []
    steps: int = UNLIMITED

    def limit(self, steps: int) -> None:
        """Let it take at most so many further steps."""
        self.steps = steps

    def take(self, steps: int) -> None:
        """Take so many steps. Raises TooLong when they are more than it may."""
        self.steps -= steps
        if self.steps < 0:
            raise TooLong

    def open_tables(self, client: str) -> list[TableState]:
        """Return the tables of one client, or the shared ones for "", as a list that this change writes to."""
        tables = [*self.world.client_tables.get(client, ())]
        tables += Table.empty_states[len(tables) :]
        self.tables[client] = tables
        return tables

    def draw(self, size: int = 16) -> bytes:
        """Return ``size`` fresh pseudo-random bytes from the seed and the next value of ``id_counter``."""
        self.id_counter += 1
        return ids.draw(self.world.seed, self.id_counter, size)

    def uuid(self) -> str:
        """Return a fresh UUID."""
        self.id_counter += 1
        return ids.as_uuid(ids.draw(self.world.seed, self.id_counter))

    def token(self) -> str:
        """Return a fresh secret of 32 bytes as header-safe text."""
        return ids.as_token(self.draw(32))

    def digits(self, length: int) -> str:
        """Return a fresh number of ``length`` decimal digits, as text."""
        return ids.as_digits(self.draw(), length)

    def key(self, purpose: str) -> bytes:
        """Return a secret of 32 bytes for a purpose, derived from the seed alone; ``id_counter`` is not advanced."""
        return ids.derive(self.world.seed, purpose)

    def count(self, sequence: str, start: int = 1) -> int:
        """Return the next number of a sequence of the world, which begins at ``start``."""
        number = self.sequences.get(sequence, start - 1) + 1
        self.sequences = inserted(self.sequences, sequence, number)
        self.counted.append(sequence)
        return number

    def set_timer(self, name: Name, timer: Timer | None) -> None:
        """Set the timer of this name, or cancel it with None."""
        held = self.timers.live.get(name)
        if timer != (held and replace(held, retry=None)):
            self.timers = self.timers.cancel(name) if timer is None else self.timers.put(timer)
            self.timed.append(name)

    def commit(self) -> World:
        """Return the world with everything written so far; ``world`` itself when nothing was written."""
        world = self.world
        if (
            not self.written
            and self.id_counter == world.id_counter
            and self.timers is world.timers
            and self.sequences is world.sequences
        ):
            return world
        for finish in AT_END:
            finish(self)
        client_tables = world.client_tables
        for client in self.written:
            client_tables = inserted(client_tables, client, tuple(self.tables[client]))
        timers = self.timers.resume(self.now)
        return World(world.seed, client_tables, timers, self.id_counter, self.sequences, self.owners)
