"""The label of a record: "Uma User", "Board daily", "Uma User in Board daily"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any
from urllib.parse import urlsplit

from msgspec import Struct

from confsim.canonical import meaning
from confsim.contract.types import Wire
from confsim.domain.channels.channels import CHANNELS, ROOMS
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.events.deliveries import DELIVERIES
from confsim.domain.events.endpoints import ENDPOINTS
from confsim.domain.events.event_log import EVENTS
from confsim.domain.identity.credentials import CREDENTIALS, Caller
from confsim.domain.mail import MAILS
from confsim.domain.runtime.sessions import SESSIONS
from confsim.domain.users.users import USERS
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import Change
from confsim.values.plain import whole_number

#: Fields with the name of a record, the best first.
_OWN = ("name", "handle", "subject", "label", "full_name", "origin_id", "email")
#: Fields that name the record that one belongs to, the nearest first.
_OF = ("user", "channel", "recording", "breakout", "session", "template", "number", "key")
#: Most characters of a label.
_LONGEST = 80
#: Most clients whose tables are searched for an id that no index locates.
_SEARCHED = 500


class Named(Wire):
    """A record and its label. ``id`` is its key as text, as ``list_records`` shows it."""

    kind: Annotated[str, "The name of its table."]
    id: Annotated[str, "Its key, as text."]
    client: Annotated[str, "Its client; empty for none."]
    label: Annotated[str, "What people call it."]


class Held(Struct, frozen=True):
    """A record with its table and its client ("" for a shared one)."""

    table: Table[Any, Any]
    client: str
    record: Record

    @property
    def id(self) -> str:
        """The key of the record, as text."""
        return key_text(self.table.key(self.record))


def key_text(key: Any) -> str:
    """Return the key of a record as text, the parts of a compound key separated by spaces."""
    return " ".join("" if part is None else str(part) for part in key) if isinstance(key, tuple) else str(key)


def label(change: Change, held: Held) -> str:
    """Return what people call a record: its own name, else what it belongs to. It shows no secret."""
    table, record = held.table, held.record
    special = _SPECIAL.get(table.name)
    if special is not None:
        return special(change, record)[:_LONGEST]
    user, channel = getattr(record, "user", None), getattr(record, "channel", None)
    client = held.client or getattr(record, "client", "")
    own = next((text for name in _OWN if isinstance(text := getattr(record, name, None), str) and text), "")
    if own and own != client and table.key_name != "key":
        return own[:_LONGEST]
    if table.key_name == "key" and user is not None and channel is not None:
        return f"{user_label(change, client, user)} in {channel_label(change, client, channel)}"[:_LONGEST]
    return _belonging(change, held, client)[:_LONGEST]


def _belonging(change: Change, held: Held, client: str) -> str:
    """Return what a record without a name is called: by its kind, and by what it belongs to."""
    table, record = held.table, held.record
    one = meaning.one_of(table.name)
    kind = one[:1].upper() + one[1:]
    for field in _OF:
        value = getattr(record, field, None)
        if value in (None, "") or field in table.secrets:
            continue
        found = None if field == table.key_name == "key" else _referred(change, client, field, value)
        if found is not None and found.record is not record:
            return f"{kind} of {label(change, found)}"
        if field in ("number", "key") and isinstance(value, str):
            return f"{kind} {value}"
    return kind if table.key_name in table.secrets else f"{kind} {key_text(table.key(record))}"


def _user(change: Change, record: Any) -> str:
    own = next((text for text in (record.handle, record.full_name, record.origin_id, record.email) if text), "")
    return str(own) or f"User {record.id}"


def _credential(change: Change, record: Any) -> str:
    if record.user is not None:
        return f"Token of {user_label(change, record.client, record.user)}"
    found = find(change, record.api_token, record.client)
    return "An API token" if found is None else f"API token {label(change, found)}"


def _event(change: Change, record: Any) -> str:
    about = _about(change, record.client, record.payload)
    return f"{record.kind.value}: {about}" if about else str(record.kind.value)


def _about(change: Change, client: str, payload: Any) -> str:
    """Return the label of what an event is about."""
    data = payload.get("data", payload) if isinstance(payload, dict) else None
    if not isinstance(data, dict):
        return ""
    user, channel = data.get("user"), data.get("channel")
    there = channel_label(change, client, channel) if isinstance(channel, str) else ""
    who = user_label(change, client, user) if isinstance(user, int) else ""
    own = data.get("name")
    return f"{who} in {there}" if who and there else who or there or (own if isinstance(own, str) else "")


def _session(change: Change, record: Any) -> str:
    return f"Session in {channel_label(change, record.client, record.channel)}"


def _endpoint(change: Change, record: Any) -> str:
    return address(record.url)


def _mail(change: Change, record: Any) -> str:
    return f"{record.subject}, to {record.to}"


_SPECIAL: dict[str, Callable[[Change, Any], str]] = {
    USERS.name: _user,
    CREDENTIALS.name: _credential,
    DELIVERIES.name: _event,
    EVENTS.name: _event,
    ENDPOINTS.name: _endpoint,
    SESSIONS.name: _session,
    MAILS.name: _mail,
}


def address(url: str) -> str:
    """Return where a URL leads, without the user, the query and other secrets of its receiver."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url[:_LONGEST]
    return f"{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}" or url[:_LONGEST]


def user_label(change: Change, client: str, id: int) -> str:
    """Return what people call the user of this id: "User 7" for one who is gone."""
    user = USERS.get(change, id, client) if client else None
    return f"User {id}" if user is None else _user(change, user)


def channel_label(change: Change, client: str, id: str) -> str:
    """Return what people call the channel of this id."""
    for table in (CHANNELS, ROOMS):
        channel = table.get(change, id, client)
        if channel is not None:
            return channel.name or f"Channel {id[:8]}"
    return f"Channel {id[:8]}"


def caller_label(change: Change, caller: Caller | None) -> str:
    """Return what people call a caller; "" for none."""
    if caller is None:
        return ""
    held = find(change, caller.api_token if caller.user is None else caller.user.id, caller.client.id)
    return "" if held is None else label(change, held)


def named(change: Change, held: Held) -> Named:
    """Return a record with its label."""
    return Named(kind=held.table.name, id=held.id, client=held.client, label=label(change, held))


def held(change: Change, client: str, table: str, key: Any) -> Held | None:
    """Return the record of a table with this key, None without one."""
    record = Table.declared[table].get(change, key, client)
    return None if record is None else Held(Table.declared[table], client, record)


def find(change: Change, id: str | int | None, client: str = "") -> Held | None:
    """Return the record with this id, of this client or shared; without a client, of any; None without one.

    A whole number, also as text, is the id of a user.
    """
    if id is None:
        return None
    number = whole_number(id) if isinstance(id, str) else id
    if number is not None:
        owner = USERS.find_client(change, number)
        user = None if owner is None or client not in ("", owner) else USERS.get(change, number, owner)
        return None if user is None or owner is None else Held(USERS, owner, user)
    if client:
        own = None if id == client else _in_tables(change, str(id), client)  # tables of a client can be keyed by its id
        return own or _in_tables(change, str(id), "")
    for table in Table.by_position:
        owner = table.find_client(change, id) if table.located is not None else None
        record = None if owner is None else table.get(change, id, owner)
        if record is not None and owner is not None:
            return Held(table, owner, record)
    shared = _in_tables(change, str(id), "")
    if shared is not None:
        return shared
    for each in CLIENTS.of(change).all[:_SEARCHED]:
        found = _in_tables(change, str(id), each.id)
        if found is not None:
            return found
    return None


def _in_tables(change: Change, id: str, client: str) -> Held | None:
    """Return the record with this key in the tables of a client, or in the shared ones."""
    states = change.tables.get(client) or change.open_tables(client)
    keyed = [
        (table, row[1])
        for table, state in zip(Table.by_position, states, strict=False)
        if state.rows and (row := state.rows.get(id)) is not None
    ]
    if not keyed:
        return None
    table, record = min(keyed, key=lambda each: each[0].key_name in meaning.KEYS_OF_OTHERS)
    return Held(table, client, record)


def _referred(change: Change, client: str, field: str, value: Any) -> Held | None:
    """Return the record that a value names in a field of a record of this client."""
    if field in meaning.USERS:
        number = value if isinstance(value, int) else whole_number(value) if isinstance(value, str) else None
        return None if number is None or isinstance(value, bool) else find(change, number, client)
    if isinstance(value, str) and meaning.NAMES_IN_TEXT.fullmatch(value) is not None:
        return find(change, value, client) if client else None
    return None


def references(change: Change, held: Held) -> Iterator[tuple[str, Held]]:
    """Yield the records that a record names, each with the field that names it; in the order of the fields."""
    owner = held.client or getattr(held.record, "client", "")
    for field in held.record.__struct_fields__:
        if field in held.table.secrets:
            continue
        value = getattr(held.record, field)
        for part in value if isinstance(value, tuple) else (value,):
            found = _referred(change, owner, field, part)
            if found is not None and found.record is not held.record:
                yield field, found
