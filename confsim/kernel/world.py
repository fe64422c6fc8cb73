"""A world is an immutable value; a Change is the only way to the next one, dropped or committed whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct
from rpds import HashTrieMap

from . import ids
from .table import SharedTable, Table, TableState
from .timers import HANDLERS, Name, Timer, Timers

Place = tuple[str, str]
#: Tells what is to go wrong with a thing of this name and these facts, None for nothing.
Strike = Callable[[str, Mapping[str, Any]], Any]
NO_PROFILE: Mapping[str, Any] = {}


class World(Struct, frozen=True, gc=False):
    """Everything there is at one moment: tables, timers, and what minting has used up.

    ``shared`` holds the tables of the service as a whole by their numbers, ``shelves`` those of each client by its id;
    what was declared after the last write may be missing at the end.
    """

    seed: int = 0
    shared: tuple[TableState, ...] = ()
    shelves: HashTrieMap[str, tuple[TableState, ...]] = HashTrieMap()
    timers: Timers = Timers()
    minted: int = 0
    sequences: HashTrieMap[str, int] = HashTrieMap()

    def change(self, now: int, profile: Mapping[str, Any] = NO_PROFILE, strike: Strike | None = None) -> Change:
        """Begin a change at the instant ``now`` (epoch milliseconds)."""
        return Change(self, now, profile, strike, self.timers, self.minted, self.sequences)

    def state(self, table: Table[Any, Any], client: str = "") -> TableState:
        """What a table holds: of one client, or of them all when it is shared."""
        shelf = self.shared if table.shared else self.shelves.get(client, ())
        return shelf[table.number] if table.number < len(shelf) else table.empties[table.number]

    def tables(self) -> list[tuple[Place, TableState]]:
        """Every table that holds something, in the order of its client id and its name."""
        filled = [
            ((client, table.name), state)
            for client, shelf in (("", self.shared), *self.shelves.items())
            for table, state in zip(Table.shelved if client else SharedTable.shelved, shelf, strict=False)
            if state.rows
        ]
        return sorted(filled, key=itemgetter(0))

    def export(self) -> dict[str, Any]:
        """The whole world as plain values in a fixed order; the same world gives the same bytes."""
        tables: dict[str, dict[str, list[Any]]] = {}
        for (client, name), state in self.tables():
            rows = sorted(state.rows.values(), key=itemgetter(0))
            tables.setdefault(name, {})[client] = [record for _, record in rows]
        return {
            "seed": self.seed,
            "minted": self.minted,
            "sequences": dict(sorted(self.sequences.items())),
            "timers": [(timer.due, timer.kind, timer.client, timer.subject) for timer in self.timers],
            "tables": tables,
        }

    def digest(self) -> str:
        """A fingerprint of the whole world: equal for equal worlds, whatever road led to them."""
        return blake2b(msgspec.json.encode(self.export(), order="deterministic"), digest_size=16).hexdigest()


class Change(Struct, eq=False):
    """A world being changed at one instant; begun by ``World.change``.

    ``profile`` holds the alternatives chosen for assumptions and ``used`` collects the ids of those that were asked;
    ``shared`` and ``shelves`` hold the tables as they are by now, where they were looked at; ``written`` names the
    clients of which something was written, "" for what is shared. ``touched`` lists the rows that were written,
    ``timed`` the timers and ``counted`` the sequences, so that a reader can tell afterwards what changed. ``strike`` is
    asked where something may be made to go wrong, if there is one.
    """

    world: World
    now: int
    profile: Mapping[str, Any]
    strike: Strike | None
    timers: Timers
    minted: int
    sequences: HashTrieMap[str, int]
    used: dict[str, None] = {}
    shared: list[TableState] = []
    shelves: dict[str, list[TableState]] = {}
    written: dict[str, None] = {}
    touched: list[tuple[Place, Any]] = []
    timed: list[Name] = []
    counted: list[str] = []

    def shelf(self, client: str) -> list[TableState]:
        """Take the tables of one client up, or the shared ones, to be changed."""
        shelf = [*(self.world.shelves.get(client, ()) if client else self.world.shared)]
        shelf += (Table if client else SharedTable).empties[len(shelf) :]
        if client:
            self.shelves[client] = shelf
        else:
            self.shared = shelf
        return shelf

    def draw(self, size: int = 16) -> bytes:
        """Fresh bytes from the world's seed and counter."""
        self.minted += 1
        return ids.draw(self.world.seed, self.minted, size)

    def uuid(self) -> str:
        """A fresh UUID."""
        return ids.as_uuid(self.draw())

    def token(self) -> str:
        """A fresh secret of 32 bytes as header-safe text."""
        return ids.as_token(self.draw(32))

    def digits(self, length: int) -> str:
        """A fresh number of so many digits."""
        return ids.as_digits(self.draw(), length)

    def key(self, purpose: str) -> bytes:
        """The world's own secret of 32 bytes for a purpose: the same while the world lives, minted from nothing."""
        return ids.derive(self.world.seed, purpose)

    def count(self, sequence: str, start: int = 1) -> int:
        """The next number of a sequence of the world."""
        number = self.sequences.get(sequence, start - 1) + 1
        self.sequences = self.sequences.insert(sequence, number)
        self.counted.append(sequence)
        return number

    def schedule(self, kind: str, due: int, client: str, subject: str) -> None:
        """Let a timer of this kind fall due at ``due``; one of the same name is replaced."""
        if kind not in HANDLERS:
            raise ValueError(f"timer kind {kind!r} is not declared")
        self.timers = self.timers.add(kind, due, client, subject)
        self.timed.append((kind, client, subject))

    def cancel(self, kind: str, client: str, subject: str) -> None:
        """Forget the timer of this name, if there is one."""
        self.timers = self.timers.cancel(kind, client, subject)
        self.timed.append((kind, client, subject))

    def commit(self) -> World:
        """The world with everything written so far; the very same world when nothing was."""
        world = self.world
        shared, shelves = world.shared, world.shelves
        for client in self.written:
            if client:
                shelves = shelves.insert(client, tuple(self.shelves[client]))
            else:
                shared = tuple(self.shared)
        if (
            not self.written
            and self.minted == world.minted
            and self.timers is world.timers
            and self.sequences is world.sequences
        ):
            return world
        return World(world.seed, shared, shelves, self.timers, self.minted, self.sequences)


class Fired(Struct, frozen=True):
    """A timer that fell due, and the change it made at its own instant."""

    timer: Timer
    change: Change


def settle(
    world: World,
    until: int,
    profile: Mapping[str, Any] = NO_PROFILE,
    *,
    once: bool = False,
    failed: Callable[[Exception], object] | None = None,
    after: Callable[[World, Change], World] | None = None,
    strike: Strike | None = None,
) -> tuple[World, list[Fired]]:
    """Let everything due by ``until`` (epoch milliseconds) fall due, in order, each at its own instant.

    With ``once`` it stops after the first timer that made something happen. ``failed`` is told what a timer raised,
    which then counts as fallen due without effect; else it is raised.
    ``after`` is told each world that a timer left behind and the change that led there, and answers the world to go on
    with. ``strike`` is that of every change.
    """
    fired: list[Fired] = []
    while world.timers.due <= until:
        timer, timers = world.timers.next()
        if timer is None or timer.due > until:
            return msgspec.structs.replace(world, timers=timers), fired
        change = _falling(world, timer, timers, profile, strike)
        try:
            happened = HANDLERS[timer.kind](change, timer.client, timer.subject)
        except Exception as error:
            if failed is None:
                raise
            failed(error)
            change, happened = _falling(world, timer, timers, profile, strike), False
        world = change.commit()
        if after is not None:
            world = after(world, change)
        if happened:
            fired.append(Fired(timer, change))
            if once:
                break
    return world, fired


def _falling(world: World, timer: Timer, timers: Timers, profile: Mapping[str, Any], strike: Strike | None) -> Change:
    """A change at the instant of a timer, which is taken off the timers."""
    change = world.change(timer.due, profile, strike)
    change.timers = timers
    change.cancel(timer.kind, timer.client, timer.subject)
    return change
