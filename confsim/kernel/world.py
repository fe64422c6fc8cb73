"""A world is an immutable value; a Change is the only way to the next one, dropped or committed whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct
from rpds import HashTrieMap

from . import ids
from .table import Rows, TableState
from .timers import DUE, Name, Timer, Timers

Place = tuple[str, str]
#: Tells what is to go wrong with a thing of this name and these facts, None for nothing.
Strike = Callable[[str, Mapping[str, Any]], Any]
NO_PROFILE: Mapping[str, Any] = {}


class World(Struct, frozen=True, gc=False):
    """Everything there is at one moment: records by (client id, table name), timers, and what minting has used up."""

    seed: int = 0
    tables: HashTrieMap[Place, TableState] = HashTrieMap()
    timers: Timers = Timers()
    minted: int = 0
    sequences: HashTrieMap[str, int] = HashTrieMap()

    def change(self, now: int, profile: Mapping[str, Any] = NO_PROFILE) -> Change:
        """Begin a change at the instant ``now`` (epoch milliseconds)."""
        return Change(self, now, profile)

    def export(self) -> dict[str, Any]:
        """The whole world as plain values in a fixed order; the same world gives the same bytes."""
        tables: dict[str, dict[str, list[Any]]] = {}
        for client, name in sorted(self.tables):
            state = self.tables[client, name]
            if state.rows:
                rows = sorted(state.rows.values(), key=lambda row: row[0])
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


class Change:
    """A world being changed at one instant.

    ``profile`` holds the alternatives chosen for assumptions and ``used`` collects the ids of those that were asked;
    ``touched`` lists the rows that were written, ``timed`` the timers and ``counted`` the sequences, so that a reader
    can tell afterwards what changed. ``strike`` is asked where something may be made to go wrong, if there is one.
    """

    __slots__ = (
        "counted",
        "minted",
        "now",
        "opened",
        "profile",
        "sequences",
        "strike",
        "timed",
        "timers",
        "touched",
        "used",
        "world",
    )

    def __init__(self, world: World, now: int, profile: Mapping[str, Any], strike: Strike | None = None) -> None:
        self.world = world
        self.now = now
        self.profile = profile
        self.strike = strike
        self.used: dict[str, None] = {}
        self.opened: dict[Place, Rows[Any, Any]] = {}
        self.touched: list[tuple[Place, Any]] = []
        self.timed: list[Name] = []
        self.counted: list[str] = []
        self.timers = world.timers
        self.minted = world.minted
        self.sequences = world.sequences

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
        if kind not in DUE:
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
        tables = world.tables
        for place, rows in self.opened.items():
            if rows.state is not rows.base:
                tables = tables.insert(place, rows.state)
        if (
            tables is world.tables
            and self.minted == world.minted
            and self.timers is world.timers
            and self.sequences is world.sequences
        ):
            return world
        return World(world.seed, tables, self.timers, self.minted, self.sequences)


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
            happened = DUE[timer.kind](change, timer.client, timer.subject)
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
    change = Change(world, timer.due, profile, strike)
    change.timers = timers
    change.cancel(timer.kind, timer.client, timer.subject)
    return change
