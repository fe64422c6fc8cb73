"""Properties: values under keys, of users and of channels. A value is kept as the text of its JSON."""

from __future__ import annotations

from msgspec import Struct

from confsim.assumptions import accounts, sizes
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import Entry, ask
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change

from .channels import Channel, Step, on_delete
from .users import User

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


def of_user(user: User) -> Owner:
    """The properties of a user."""
    return Owner(user.client, f"user {user.id}")


def of_channel(channel: Channel) -> Owner:
    """The properties of a channel."""
    return Owner(channel.client, f"channel {channel.id}")


def get(change: Change, owner: Owner, key: str, missing: Entry[str] = accounts.PROPERTY_MISSING) -> str:
    """The JSON text under the key. Refusal NOT_FOUND, or null, by the entry."""
    kept = PROPERTIES.of(change, owner.client).get((owner.name, key))
    if kept is not None:
        return kept.text
    if ask(change, missing) == NULL:
        return NULL
    raise Refusal(Reason.NOT_FOUND, what="property", id=key)


def put(change: Change, owner: Owner, key: str, text: str) -> None:
    """Keep the JSON text under the key, in place of what was there. Refusal PROPERTY_TOO_LARGE (G249)."""
    rows = PROPERTIES.of(change, owner.client)
    if text == NULL and ask(change, accounts.PROPERTY_NULL) == "removes":
        if (owner.name, key) in rows:
            rows.remove((owner.name, key))
        return
    limit = ask(change, sizes.PROPERTY)
    if len(text.encode()) > limit:
        raise Refusal(Reason.PROPERTY_TOO_LARGE, limit=limit)
    rows.put(Property(owner.name, key, text))


def remove(change: Change, owner: Owner, key: str) -> None:
    """Remove the value under the key. Refusal NOT_FOUND (G536)."""
    rows = PROPERTIES.of(change, owner.client)
    if (owner.name, key) not in rows:
        raise Refusal(Reason.NOT_FOUND, what="property", id=key)
    rows.remove((owner.name, key))


def keys(change: Change, owner: Owner) -> list[str]:
    """The keys that hold a value, sorted (G097)."""
    return sorted(kept.key for kept in PROPERTIES.of(change, owner.client).find(BY_OWNER, owner.name))


def forget(change: Change, owner: Owner) -> None:
    """Remove every property of an owner that goes."""
    rows = PROPERTIES.of(change, owner.client)
    for kept in rows.find(BY_OWNER, owner.name):
        rows.remove(kept.place)


@on_delete(Step.DROP)
def _forget(change: Change, channel: Channel) -> None:
    forget(change, of_channel(channel))
