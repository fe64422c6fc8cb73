"""Properties: values under keys, of users and of channels. A value is kept as the text of its JSON."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from confsim.assumptions import properties as assumed
from confsim.assumptions.protocol import sizes
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import Entry, ask
from confsim.domain.channels.channels import Channel
from confsim.domain.users.users import User
from confsim.kernel.old_machine import Facts, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change

NULL = "null"


class Owner(Struct, frozen=True):
    """Whose properties: a user or a channel of a client."""

    client: str
    name: str


class Property(Record):
    """One value under its key. ``text`` is the value as JSON, so that it is answered as it came."""

    owner: str
    key: str
    text: str

    @property
    def place(self) -> tuple[str, str]:
        """What tells it from every other property of the client."""
        return (self.owner, self.key)


BY_OWNER: Index[Property] = Index("owner", lambda kept: (kept.owner,))
PROPERTIES: Table[tuple[str, str], Property] = Table("properties", Property, "place", BY_OWNER)


class Held(Enum):
    """Whether a value is stored under a key (P2 Channel properties)."""

    ABSENT = "absent"
    STORED = "stored"


class Slot(Record):
    """One key of an owner, with or without a value: what the machine moves."""

    client: str
    owner: str
    key: str
    text: str | None


def _store(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The value is there, in place of what was."""
    PROPERTIES.of(change, slot.client).put(Property(slot.owner, slot.key, facts["text"]))
    return replace(slot, text=facts["text"])


def _remove(change: Change, slot: Slot, facts: Facts) -> Slot:
    """Nothing is under the key any more."""
    PROPERTIES.of(change, slot.client).remove((slot.owner, slot.key))
    return replace(slot, text=None)


MACHINE: Machine[Held, Slot] = Machine(
    "property",
    "A value under a key of a user or a channel (R191, R337, R411, R412).",
    Held,
    (
        Row("store", (Held.ABSENT, Held.STORED), Held.STORED, effect=_store, source="P1 L243, P2 L224, R191, R411"),
        Row("remove", Held.STORED, Held.ABSENT, effect=_remove, source="P1 L247, P2 L225, R412"),
    ),
    read=lambda slot, facts: Held.ABSENT if slot.text is None else Held.STORED,
    refusals={None: Reason.NOT_FOUND},
    initial=Held.ABSENT,
)


def _slot(change: Change, owner: Owner, key: str) -> Slot:
    kept = PROPERTIES.of(change, owner.client).get((owner.name, key))
    return Slot(owner.client, owner.name, key, None if kept is None else kept.text)


def of_user(user: User) -> Owner:
    """The properties of a user."""
    return Owner(user.client, f"user {user.id}")


def of_channel(channel: Channel) -> Owner:
    """The properties of a channel."""
    return Owner(channel.client, f"channel {channel.id}")


def get(change: Change, owner: Owner, key: str, missing: Entry[str] = assumed.PROPERTY_MISSING) -> str:
    """The JSON text under the key. Refusal NOT_FOUND, or null, by the entry."""
    kept = PROPERTIES.of(change, owner.client).get((owner.name, key))
    if kept is not None:
        return kept.text
    if ask(change, missing) == NULL:
        return NULL
    raise Refusal(Reason.NOT_FOUND, what="property", id=key)


def put(change: Change, owner: Owner, key: str, text: str) -> None:
    """Keep the JSON text under the key, in place of what was there. Refusal PROPERTY_TOO_LARGE (G249)."""
    if text == NULL and ask(change, assumed.PROPERTY_NULL) == "removes":
        MACHINE.follow(change, _slot(change, owner, key), "remove")
        return
    limit = ask(change, sizes.PROPERTY)
    if len(text.encode()) > limit:
        raise Refusal(Reason.PROPERTY_TOO_LARGE, limit=limit)
    MACHINE.fire(change, _slot(change, owner, key), "store", text=text)


def remove(change: Change, owner: Owner, key: str) -> None:
    """Remove the value under the key. Refusal NOT_FOUND (G536)."""
    MACHINE.fire(change, _slot(change, owner, key), "remove", what="property", id=key)


def keys(change: Change, owner: Owner) -> list[str]:
    """The keys that hold a value, sorted (G097)."""
    return sorted(kept.key for kept in PROPERTIES.of(change, owner.client).find(BY_OWNER, owner.name))


def forget(change: Change, owner: Owner) -> None:
    """Remove every property of an owner that goes."""
    for kept in PROPERTIES.of(change, owner.client).find(BY_OWNER, owner.name):
        MACHINE.fire(change, Slot(owner.client, owner.name, kept.key, kept.text), "remove")


def remove_of_channel(change: Change, channel: Channel) -> None:
    """The properties of a channel go with it (G309)."""
    forget(change, of_channel(channel))
