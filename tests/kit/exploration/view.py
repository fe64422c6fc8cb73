"""The records of a world as invariants and acts read them: by plain scans, never by the functions that wrote them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from enum import Enum
from functools import cached_property
from typing import Any

from confsim.canonical.form import states
from confsim.kernel.tables.table import Table
from confsim.kernel.world import World

#: Finds a value in the present world, None when there is none.
Finder = Callable[["View"], Any]


class View:
    """A world at an instant (epoch milliseconds): ``view["sessions"]`` are its sessions in order of creation.

    Nothing here fails on a broken world: what a record names may be missing.
    """

    def __init__(self, world: World, now: int) -> None:
        self.world = world
        self.now = now
        self._states: dict[str, list[Any]] = defaultdict(list)
        for table, state in states(world):
            self._states[table.name].append(state)
        self._records: dict[str, list[Any]] = {}

    def __getitem__(self, table: str) -> list[Any]:
        found = self._records.get(table)
        if found is None:
            found = [
                row[1]
                for state in self._states.get(table, ())
                for row in sorted(state.rows.values(), key=lambda row: row[0])
            ]
            self._records[table] = found
        return found

    def keyed(self, table: str) -> dict[Any, Any]:
        """Return the records of a table by their keys."""
        key = Table.declared[table].key
        return {key(record): record for record in self[table]}

    def other_tables(self, other: View) -> frozenset[str]:
        """Return the names of the tables that both worlds do not share, so that a record may differ."""
        mine, others = self._identities, other._identities
        return frozenset(table for table in mine.keys() | others if mine.get(table) != others.get(table))

    @cached_property
    def _identities(self) -> dict[str, list[int]]:
        return {table: list(map(id, held)) for table, held in self._states.items()}

    @cached_property
    def clients(self) -> dict[str, Any]:
        """The clients by id."""
        return {client.id: client for client in self["clients"]}

    @cached_property
    def users(self) -> dict[int, Any]:
        """The users of all clients by number."""
        return {user.id: user for user in self["users"]}

    @cached_property
    def holders(self) -> dict[str, int]:
        """The numbers of users by their tokens."""
        return {credential.value: credential.user for credential in self["credentials"] if credential.user is not None}

    @cached_property
    def channels(self) -> dict[str, Any]:
        """The channels by id, with those of breakout rooms."""
        return {channel.id: channel for channel in (*self["channels"], *self["room channels"])}

    @cached_property
    def hosts(self) -> set[tuple[str, int]]:
        """The owners and operators, as channel and user."""
        return {(host.channel, host.user) for host in self["hosts"]}

    @cached_property
    def inside(self) -> dict[tuple[str, int], Any]:
        """The presences of those inside a channel or one of its rooms, by channel and user."""
        return {(each.channel, each.user): each for each in self["presences"] if word(each.state) != "waiting"}

    @cached_property
    def waiting(self) -> dict[tuple[str, int], Any]:
        """The presences of those in a lobby, by channel and user."""
        return {(each.channel, each.user): each for each in self["presences"] if word(each.state) == "waiting"}

    @cached_property
    def sessions(self) -> dict[str, Any]:
        """The sessions that have not ended, by channel."""
        return {session.channel: session for session in self["sessions"] if word(session.state) != "ended"}

    @cached_property
    def attended(self) -> set[tuple[str, int]]:
        """Who took part in which session, as session and user."""
        return {(attendance.session, attendance.user) for attendance in self["attendances"]}

    @cached_property
    def active_rooms(self) -> dict[str, Any]:
        """The rooms of breakout sessions that are active, by the id of their channel."""
        active = {each.id for each in self["breakout sessions"] if word(each.phase) == "active"}
        return {room.place: room for room in self["breakout rooms"] if room.breakout in active and room.place}

    def above(self, client_id: str | None) -> list[str]:
        """Return a client and those above it by their ids, the nearest first; one that is unknown is the last."""
        found: list[str] = []
        while client_id is not None and client_id not in found:
            found.append(client_id)
            client = self.clients.get(client_id)
            client_id = None if client is None else client.parent
        return found

    def is_served(self, client_id: str | None) -> bool:
        """Return whether the service of a client and of all above it is enabled; no for an unknown client."""
        clients = [self.clients.get(each) for each in self.above(client_id)]
        return all(client is not None and word(client.service) == "enabled" for client in clients)


def word(value: Any) -> Any:
    """Return the word of a state; another value as it is."""
    return value.value if isinstance(value, Enum) else value


def matching(view: View, table: str, equal: dict[str, Any]) -> list[Any]:
    """Return the records of a table whose fields have these values, states by their words."""
    values = {name: value(view) if callable(value) else value for name, value in equal.items()}
    return [
        record for record in view[table] if all(word(getattr(record, name)) == value for name, value in values.items())
    ]


def first(table: str, field: str = "id", **equal: Any) -> Finder:
    """Return the finder of a field of the first record with these values, which may be finders."""

    def find(view: View) -> Any:
        return next((getattr(record, field) for record in matching(view, table, equal)), None)

    return find


def newest(table: str, field: str = "id", **equal: Any) -> Finder:
    """Return the finder of a field of the last record with these values, which may be finders."""

    def find(view: View) -> Any:
        return next((getattr(record, field) for record in reversed(matching(view, table, equal))), None)

    return find


def some(table: str, **equal: Any) -> Finder:
    """Return the finder of whether there is a record with these values."""
    return lambda view: bool(matching(view, table, equal))


def fewer(table: str, number: int, **equal: Any) -> Finder:
    """Return the finder of whether there are fewer records with these values than a number."""
    return lambda view: len(matching(view, table, equal)) < number


def none(table: str, **equal: Any) -> Finder:
    """Return the finder of whether there is no record with these values."""
    return fewer(table, 1, **equal)


def both(*conditions: Finder) -> Finder:
    """Return the finder of whether all conditions hold."""
    return lambda view: all(condition(view) for condition in conditions)
