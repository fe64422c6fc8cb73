"""The translation of channels in format 2: their hosts, and the users whose favourite they are, are now records.

A channel had the ids of its ``owners`` and ``operators``, in the order of their appointment, and of the users in
``favourites``. Now ``hosts`` and ``favourites`` are tables, a channel has the number of its creation, and a user the
highest role.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from confsim.domain.channels.channels import CHANNELS
from confsim.domain.channels.favourites import FAVOURITES, FAVOURITES_OF
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.members.roles import APPOINTED, HOSTS, OF_USER, Role
from confsim.domain.runtime.sessions import ATTENDANCES
from confsim.domain.users.users import USERS
from confsim.kernel.difference import Row, StateDifference
from confsim.kernel.tables.table import Record
from confsim.kernel.world import World

Values = dict[str, Any]
_MOVED = {"owners", "operators", "favourites"}


def document(values: Values) -> Values:
    """Return a state document of format 2 in format 3."""
    tables = dict(values["tables"])
    number = 0
    highest: dict[int, str] = {}
    hosts: dict[str, list[Values]] = {}
    favourites: dict[str, list[Values]] = {}
    channels: dict[str, list[Values]] = {}
    for client, records in tables.get("channels", {}).items():
        for record in records:
            number += 1
            channels.setdefault(client, []).append(_channel(record, number))
            found = _hosts(client, record, number)
            hosts.setdefault(client, []).extend(found)
            favourites.setdefault(client, []).extend(_favourites(client, record))
            _raise(highest, found)
    rooms = tables.get("room channels", {})
    tables |= {
        "channels": channels,
        "room channels": {client: [_channel(each, 0) for each in records] for client, records in rooms.items()},
        "hosts": hosts,
        "favourites": favourites,
        "users": {
            client: [{**user, "hosting": highest.get(user["id"], "none")} for user in people]
            for client, people in tables.get("users", {}).items()
        },
    }
    return {**values, "tables": tables, "sequences": {**values["sequences"], "channel": number}}


def _channel(record: Values, number: int) -> Values:
    return {**{name: value for name, value in record.items() if name not in _MOVED}, "number": number}


def _hosts(client: str, channel: Values, number: int) -> list[Values]:
    """Return the hosts of a channel, owners first."""
    about = {"client": client, "channel": channel["id"], "number": number, "name": channel["name"]}
    return [
        {**about, "user": user, "role": role}
        for role, users in (("owner", channel.get("owners", ())), ("operator", channel.get("operators", ())))
        for user in users
    ]


def _favourites(client: str, channel: Values) -> list[Values]:
    return [{"client": client, "channel": channel["id"], "user": user} for user in channel.get("favourites", ())]


def _raise(highest: dict[int, str], hosts: Iterable[Values]) -> None:
    """Raise the users' highest roles to these."""
    for host in hosts:
        if highest.get(host["user"]) != "owner":
            highest[host["user"]] = host["role"]


class _Differences:
    """The state of the translation of one difference from format 2."""

    def __init__(self, found: StateDifference, world: World) -> None:
        self.change = world.change(0)
        self.number = world.sequences.get("channel", 0)
        self.removed: list[Row] = []
        self.put: list[Row] = []
        #: The hosts after the difference, for the channels in it, and the users concerned.
        self.hosts: dict[tuple[str, str], list[Values]] = {}
        self.people: dict[tuple[str, int], Values | None] = {}
        for table, client, values in found.removed:
            self.remove(table, client, values)
        for table, client, values in found.put:
            self.replace(table, client, values)
        for (client, user), given in self.people.items():
            self.put_user(client, user, given)

    def remove(self, table: str, client: str, values: Values) -> None:
        """Translate the removal of a record."""
        if table == "channels":
            self.set_related(client, values["id"], [], [])
        channel = table in {"channels", "room channels"}
        self.removed.append((table, client, _channel(values, 0) if channel else values))

    def replace(self, table: str, client: str, values: Values) -> None:
        """Translate a record that was put."""
        if table == "users":
            self.people[client, values["id"]] = values
        elif table == "channels":
            before = CHANNELS.get(self.change, values["id"], client)
            if before is None:
                self.number += 1
            number = self.number if before is None else before.number
            self.set_related(client, values["id"], _hosts(client, values, number), _favourites(client, values))
            self.put.append((table, client, _channel(values, number)))
        else:
            self.put.append((table, client, _channel(values, 0) if table == "room channels" else values))

    def set_related(self, client: str, channel: str, hosts: list[Values], favourites: list[Values]) -> None:
        """Set the hosts of a channel, and the users whose favourite it is."""
        rows = HOSTS.of(self.change, client)
        were = [_values(each) for role in Role for each in rows.where(APPOINTED, (channel, role))]
        liked = [_values(each) for each in FAVOURITES.where(self.change, FAVOURITES_OF, channel, client)]
        if (client, channel) not in self.hosts:
            self.removed += [("hosts", client, each) for each in were]
            self.removed += [("favourites", client, each) for each in liked]
        self.hosts[client, channel] = hosts
        for each in (*were, *hosts):
            self.people.setdefault((client, each["user"]), None)
        self.put += [("hosts", client, each) for each in hosts]
        self.put += [("favourites", client, each) for each in favourites]

    def put_user(self, client: str, user: int, given: Values | None) -> None:
        """Put a user with the highest role; ``given`` is the record that was put, None for none."""
        record = USERS.get(self.change, user, client)
        gone = any(row[0] == "users" and row[2]["id"] == user for row in self.removed)
        if given is None:
            if record is None or gone:
                return
            given = _values(record)
        held = [_values(each) for each in HOSTS.where(self.change, OF_USER, user, client)]
        held = [each for each in held if (client, each["channel"]) not in self.hosts]
        held += [each for hosts in self.hosts.values() for each in hosts if each["user"] == user]
        highest: dict[int, str] = {}
        _raise(highest, held)
        self.put.append(("users", client, {**given, "hosting": highest.get(user, "none")}))


def _values(record: Record) -> Values:
    values: Values = msgspec.to_builtins(record, str_keys=True)
    return values


def difference(found: StateDifference, world: World) -> StateDifference:
    """Return a difference of format 2, from this world of format 3, in format 3."""
    moved = _Differences(found, world)
    counted = dict(found.counted)
    if moved.number != world.sequences.get("channel", 0):
        counted["channel"] = moved.number
    return StateDifference(moved.removed, moved.put, found.cancelled, found.timers, found.id_counter, counted)


def world(found: World) -> World:
    """Return a world read from format 2, whose attendances did not mark a user's latest in a channel."""
    change = found.change(0)
    for client in CLIENTS.of(change).all:
        rows = ATTENDANCES.of(change, client.id)
        latest: set[tuple[str, int]] = set()
        for attendance in sorted(rows.all, key=lambda each: each.joins[-1], reverse=True):
            visit = (attendance.channel, attendance.user)
            if visit in latest:
                rows.put(replace(attendance, latest=False))
            latest.add(visit)
    return change.commit()
