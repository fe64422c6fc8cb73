"""Kinds of things of which a container can hold many, and how a world gets so many more of them.

Most are copies of the one that the prepared world has, each with an id of its own, with which the table is filled at
once: a hundred thousand take a second or two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from confsim import Simulator
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.members import linked_users, roles
from confsim.domain.runtime import presence
from confsim.domain.users import users
from confsim.domain.users.users import Account, User
from confsim.kernel.tables.table import Table
from confsim.kernel.world import Change
from kit import CUSTOMER, START_MS, USER
from kit.growth.multiplying import add, multiply
from kit.growth.prepared import Names

#: Adds the things of these numbers, which no other call of it has.
Grow = Callable[[Change, Names, range], None]


class Kind(Struct, frozen=True):
    """Things of one kind in one container; ``most`` is the documented limit of how many it holds, None for none."""

    name: str
    grow: Grow
    most: int | None = None

    def add(self, sim: Simulator, names: Names, numbers: range) -> None:
        """Put things of these numbers into the world."""
        change = sim.service.change()
        self.grow(change, names, numbers)
        sim.service.commit(change)


def id_of(number: int) -> str:
    """The id of the thing of this number."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def scattered(number: int) -> int:
    """A number of seven digits in an order that is not that of creation; each has its own."""
    return number * 7919 % 9_999_991


def copies(table: str, of: str, **fields: Callable[[int], Any]) -> Grow:
    """Grow by copies of the record that the prepared world calls ``of``, with these fields of the number."""

    def grow(change: Change, names: Names, numbers: range) -> None:
        declared = Table.declared[table]
        rows = declared.of(change, "" if declared.shared else CUSTOMER)
        model = rows[names.get(of, of)]
        made = [replace(model, **{field: value(number) for field, value in fields.items()}) for number in numbers]
        add(change, declared, rows.client, made)

    return grow


def _of_key(table: str, key: Callable[[Names], Any], /, **fields: Callable[[int], Any]) -> Grow:
    """As ``copies``, of the record of a key that is composed of names."""
    return lambda change, names, numbers: copies(table, "it", **fields)(change, {"it": key(names)}, numbers)


def _both(*grown: Grow) -> Grow:
    def grow(change: Change, names: Names, numbers: range) -> None:
        for each in grown:
            each(change, names, numbers)

    return grow


def _made(make: Callable[[Change, Names, int], object]) -> Grow:
    """Grow by what ``make`` makes: two of them, and others that are alike."""

    def grow(change: Change, names: Names, numbers: range) -> None:
        multiply(change, lambda change, number: make(change, names, number), numbers, lambda n: str(scattered(n)))

    return grow


def _room(change: Change, names: Names, number: int) -> Channel:
    client, owner = clients.get(change, CUSTOMER), users.get(change, CUSTOMER, names["owner"])
    return channels.create(change, client, f"Room {scattered(number)}", None, owner)


def _room_of_nobody(change: Change, names: Names, number: int) -> None:
    channels.create(change, clients.get(change, CUSTOMER), f"Room {scattered(number)}", None, None)


def _busy_room(change: Change, names: Names, number: int) -> None:
    room = _room(change, names, number)
    presence.join(change, clients.get(change, CUSTOMER), room, users.get(change, CUSTOMER, names["user"]), host=True)


def _user(change: Change, names: Names, number: int) -> User:
    return users.create(
        change, CUSTOMER, f"User {scattered(number)}", Account.REGISTERED, full_name=f"Name {scattered(number)}"
    )


def _guest(change: Change, names: Names, number: int) -> None:
    users.create(change, CUSTOMER, f"Guest {scattered(number)}", Account.GUEST, channel=names["room"])


def _people(change: Change, names: Names, numbers: range) -> None:
    client = clients.get(change, CUSTOMER)
    room = channels.get(change, CUSTOMER, names["room"])
    for number in numbers:
        user = users.create(change, CUSTOMER, f"User {scattered(number)}", Account.REGISTERED, accepted=1)
        presence.join(change, client, room, user)


def _child(change: Change, names: Names, number: int) -> None:
    clients.create(change, f"Client {scattered(number)}", names["partner"])


def _linked(change: Change, names: Names, number: int) -> None:
    linked_users.link(change, channels.get(change, CUSTOMER, names["room"]), _user(change, names, number))


def _operator(change: Change, names: Names, number: int) -> None:
    roles.add_operator(change, channels.get(change, CUSTOMER, names["room"]), _user(change, names, number))


def _at(number: int) -> int:
    return START_MS - 1000 * (number + 1)


def _ended(number: int) -> int:
    return _at(number) + 500


def _odd(number: int) -> bool:
    return number % 2 == 1


def _tags(number: int) -> tuple[str, ...]:
    return ("a",) if number % 2 else ()


_ID: Mapping[str, Callable[[int], Any]] = {"id": id_of}
_NAMED: Mapping[str, Callable[[int], Any]] = {**_ID, "name": lambda number: f"File {scattered(number)}"}

KINDS = (
    Kind("rooms of a host", _made(_room)),
    Kind("rooms without a host", _made(_room_of_nobody)),
    Kind("rooms in session", _made(_busy_room)),
    Kind("users", _made(_user)),
    Kind("guests of a room", _made(_guest)),
    Kind("people in a room", _people, most=90),
    Kind(
        "sessions of a room", copies("sessions", "past_session", **_ID, started=_at, ended=_ended, had_recording=_odd)
    ),
    Kind(
        "participants of a session",
        _of_key("attendances", lambda names: f"{names['past_session']}/{names['user']}", user=lambda n: -n - 1),
    ),
    Kind("recordings of a room", copies("recordings", "recording", **_ID, session=id_of, started=_at)),
    Kind("assets of a recording", copies("recording assets", "asset", **_ID), most=90),
    Kind("media of a room", copies("channel media", "media", **_NAMED, created=_at, tags=_tags)),
    Kind("media of a client", copies("client media", "client_media", **_NAMED, created=_at, tags=_tags)),
    Kind("app sessions", copies("app sessions", "app_session", **_ID, started=lambda n: n)),
    Kind(
        "logs of an app session",
        _of_key("app session logs", lambda names: (names["app_session"], 1), number=lambda n: n + 2),
    ),
    Kind(
        "templates",
        _both(
            copies("templates", "template", **_ID, name=lambda n: f"Template {scattered(n)}", inheritable=_odd),
            copies("template choices", "template", template=id_of),
        ),
    ),
    Kind("rooms of a template", copies("template selections", "room", channel=id_of)),
    Kind("themes", _of_key("configuration", lambda names: (CUSTOMER, "light", None), theme=lambda n: f"theme {n}")),
    Kind("breakout sessions of a room", copies("breakout sessions", "breakout", **_ID)),
    Kind("rooms of a breakout session", copies("breakout rooms", "breakout_room", **_ID, name=lambda n: f"Room {n}")),
    Kind("linked users of a room", _made(_linked)),
    Kind("operators of a room", _made(_operator)),
    Kind("inbound numbers", copies("inbound numbers", "+442079460123", number=lambda n: f"+4420{70000000 + n}")),
    Kind(
        "numbers of a room",
        _both(
            copies("inbound numbers", "+442079460123", number=lambda n: f"+4420{70000000 + n}"),
            _of_key(
                "number assignments",
                lambda names: f"+12025550123/{names['room']}",
                number=lambda n: f"+4420{70000000 + n}",
            ),
        ),
    ),
    Kind("PINs of a room", _of_key("pins", lambda names: f"{names['room']}/1234", pin=lambda n: f"{n + 100000}")),
    Kind("broadcasts of a room", copies("broadcasts", "broadcast", **_ID, created=_at, started=_at)),
    Kind("destinations of a room", copies("broadcast destinations", "destination", **_ID)),
    Kind("events endpoints", copies("events endpoints", "endpoint", **_ID)),
    Kind("API tokens", copies("api tokens", "api_token", **_ID, value=lambda n: f"token-{n}")),
    Kind("tokens of a user", copies("credentials", USER, value=lambda n: f"token-{n}")),
    Kind("validators", copies("validators", "demo-validator-2", id=lambda n: f"validator-{n}")),
    Kind("child clients", _made(_child)),
    Kind("properties of a room", _of_key("properties", lambda names: (f"channel {names['room']}", "colour"), key=str)),
    Kind("properties of a user", _of_key("properties", lambda names: (f"user {names['user']}", "colour"), key=str)),
    Kind("handle reservations", copies("reservations", "nonce", token=id_of, folded=id_of, handle=id_of)),
    Kind("sources of a user", copies("gateway endpoints", "source", uuid=id_of)),
    Kind("calls of a room", copies("calls", "call", **_ID)),
    Kind("webhook deliveries", copies("webhook deliveries", "delivery", **_ID, number=lambda n: n + 100), most=900),
    Kind("events", copies("event log", "event", number=lambda n: n + 100), most=900),
    Kind("mails", copies("mail", "mail", id=lambda n: n + 100), most=900),
)
