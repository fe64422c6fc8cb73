"""A thin layer of tables over an in-memory SQLite database: one dataclass, one table."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import types
import typing
from typing import Any, Generic, TypeVar

from services.conferencing.store import models

T = TypeVar("T")
PLAIN = (int, str, float, bytes, bool)


def _kind(hint: Any) -> str:
    """How a column of this type is stored: plain, bool or json."""
    members = [m for m in typing.get_args(hint) if m is not type(None)] if isinstance(hint, types.UnionType) else [hint]
    if members == [bool]:
        return "bool"
    return "plain" if len(members) == 1 and members[0] in PLAIN else "json"


class Table(Generic[T]):
    """Rows of one dataclass, keyed by its first field and kept in order of their making."""

    def __init__(self, connection: sqlite3.Connection, row: type[T], indexed: tuple[str, ...] = ()) -> None:
        self._connection = connection
        self._row = row
        hints = typing.get_type_hints(row)
        self._names = [f.name for f in dataclasses.fields(row)]  # type: ignore[arg-type]
        self._kinds = [_kind(hints[name]) for name in self._names]
        self._table = row.__name__.lower() + "_rows"
        self._key = self._names[0]
        columns = ", ".join(f'"{n}"' for n in self._names)
        connection.execute(f'CREATE TABLE {self._table} ({columns}, PRIMARY KEY ("{self._key}"))')
        for name in indexed:
            connection.execute(f'CREATE INDEX {self._table}_{name} ON {self._table} ("{name}")')
        marks = ", ".join("?" for _ in self._names)
        updates = ", ".join(f'"{n}" = excluded."{n}"' for n in self._names[1:])
        self._select = f"SELECT {columns} FROM {self._table}"
        insert = f"INSERT INTO {self._table} ({columns}) VALUES ({marks})"
        self._upsert = f'{insert} ON CONFLICT ("{self._key}") DO UPDATE SET {updates}'

    def _load(self, values: tuple[Any, ...]) -> T:
        loaded = []
        for value, kind in zip(values, self._kinds, strict=True):
            if kind == "json":
                value = json.loads(value)
            elif kind == "bool" and value is not None:
                value = bool(value)
            loaded.append(value)
        return self._row(*loaded)

    def _where(self, equal: dict[str, Any]) -> tuple[str, list[Any]]:
        tests = [f'"{n}" IS NULL' if v is None else f'"{n}" = ?' for n, v in equal.items()]
        return (" WHERE " + " AND ".join(tests) if tests else ""), [v for v in equal.values() if v is not None]

    def get(self, key: Any) -> T | None:
        """The row with this key."""
        found = self._connection.execute(f'{self._select} WHERE "{self._key}" = ?', (key,)).fetchone()
        return None if found is None else self._load(found)

    def find(self, **equal: Any) -> list[T]:
        """The rows whose columns have these values, oldest first."""
        where, values = self._where(equal)
        cursor = self._connection.execute(f"{self._select}{where} ORDER BY rowid", values)
        return [self._load(row) for row in cursor]

    def one(self, **equal: Any) -> T | None:
        """The oldest row whose columns have these values."""
        where, values = self._where(equal)
        found = self._connection.execute(f"{self._select}{where} ORDER BY rowid LIMIT 1", values).fetchone()
        return None if found is None else self._load(found)

    def put(self, item: T) -> T:
        """Insert the row, or update the one with its key."""
        values = [getattr(item, name) for name in self._names]
        stored = [json.dumps(v) if k == "json" else v for v, k in zip(values, self._kinds, strict=True)]
        self._connection.execute(self._upsert, stored)
        return item

    def remove(self, **equal: Any) -> None:
        """Delete the rows whose columns have these values."""
        where, values = self._where(equal)
        self._connection.execute(f"DELETE FROM {self._table}{where}", values)


class Database:
    """All tables of the service in one in-memory database."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        c = self.connection
        self.clients = Table(c, models.Client, ("parent_id",))
        self.users = Table(c, models.User, ("client_id", "channel_id"))
        self.credentials = Table(c, models.Credential, ("user_id",))
        self.api_tokens = Table(c, models.ApiToken, ("client_id", "token"))
        self.levels = Table(c, models.LevelHeld, ("user_id",))
        self.reservations = Table(c, models.Reservation, ("client_id",))
        self.invitations = Table(c, models.Invitation, ("code",))
        self.validators = Table(c, models.Validator, ("client_id",))
        self.channels = Table(c, models.Channel, ("client_id",))
        self.roles = Table(c, models.ChannelRole, ("channel_id", "user_id"))
        self.sessions = Table(c, models.Session, ("channel_id",))
        self.presences = Table(c, models.Presence, ("channel_id", "session_id"))
        self.properties = Table(c, models.Property, ("scope",))
        self.configs = Table(c, models.ConfigDocument, ("scope",))
        self.templates = Table(c, models.Template, ("client_id",))
        self.media = Table(c, models.Media, ("client_id",))
        self.breakouts = Table(c, models.Breakout, ("channel_id",))
        self.rooms = Table(c, models.Room, ("breakout_id",))
        self.assignments = Table(c, models.Assignment, ("room_id", "breakout_id"))
        self.endpoints = Table(c, models.EventsEndpoint, ("client_id",))
        self.recording_assets = Table(c, models.RecordingAsset, ("session_id",))

    def begin(self) -> None:
        """Open a transaction."""
        self.connection.execute("BEGIN")

    def commit(self) -> None:
        """Keep what the transaction did."""
        self.connection.execute("COMMIT")

    def rollback(self) -> None:
        """Undo what the transaction did."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
