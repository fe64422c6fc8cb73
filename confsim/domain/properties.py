"""Properties of users and channels: values by key. A value is stored as JSON text."""

from msgspec import Struct

from confsim.assumptions import Assumption, Reason, ask, not_found, properties as assumed
from confsim.assumptions.protocol import sizes
from confsim.kernel import Change, Collection, Index, Record, Refusal, Table, View, replace

from .channels.channels import Channel
from .users.users import User

NULL = "null"


class Owner(Struct, frozen=True):
    """The owner of properties: a user or a channel of a client."""

    client: str
    name: str


class Property(Record):
    """One value under its key. ``text`` is the value as JSON text, returned unchanged."""

    owner: str
    key: str
    text: str
    client: str

    @property
    def place(self) -> tuple[str, str]:
        """The key of the record: unique in the client."""
        return (self.owner, self.key)


BY_OWNER: Index[Property] = Index("owner", "owner")
PROPERTIES: Table[tuple[str, str], Property] = Table("properties", Property, "place", BY_OWNER)


STORED: Collection[Property] = Collection(
    "property",
    "A value under a key of a user or a channel (R191, R337, R411, R412).",
    PROPERTIES,
    refused=Reason.NOT_FOUND,
)
_STORE = STORED.added("store", source="P1 L243, P2 L224, R191, R411")
#: Remove a property.
remove = STORED.removed("remove", source="P1 L247, P2 L225, R412")


@STORED.changed("replace", source="P1 L243, P2 L224, R191, R411")
def _replace(change: Change, stored: Property, text: str) -> Property:
    """The value replaces the earlier one."""
    return replace(stored, text=text)


def _find(change: Change, owner: Owner, key: str) -> Property | None:
    return PROPERTIES.of(change, owner.client).get((owner.name, key))


def of_user(user: User) -> Owner:
    """The user as an owner of properties."""
    return Owner(user.client, f"user {user.id}")


def of_channel(channel: Channel) -> Owner:
    """The channel as an owner of properties."""
    return Owner(channel.client, f"channel {channel.id}")


def get(change: Change, owner: Owner, key: str) -> Property:
    """The property of this key. Refusal NOT_FOUND (G536)."""
    return _find(change, owner, key) or not_found("property", key)


def text(change: Change, owner: Owner, key: str, missing: Assumption[str] = assumed.PROPERTY_MISSING) -> str:
    """The JSON text of the key. When there is none, Refusal NOT_FOUND or ``null``, as ``missing`` decides."""
    stored = _find(change, owner, key)
    if stored is not None:
        return stored.text
    if ask(change, missing) == NULL:
        return NULL
    return not_found("property", key)


def put(change: Change, owner: Owner, key: str, text: str) -> None:
    """Store the JSON text under the key, replacing any earlier one. Refusal PROPERTY_TOO_LARGE (G249)."""
    if text == NULL and ask(change, assumed.PROPERTY_NULL) == "removes":
        remove.if_allowed(change, _find(change, owner, key))
        return
    limit = ask(change, sizes.PROPERTY)
    if len(text.encode()) > limit:
        raise Refusal(Reason.PROPERTY_TOO_LARGE, limit=limit)
    stored = _find(change, owner, key)
    if stored is None:
        _STORE(change, Property(owner.name, key, text, owner.client))
    else:
        _replace(change, stored, text)


def list_of_owner(change: Change, owner: Owner) -> View[Property]:
    """The properties of an owner, in the order in which they were first stored."""
    return PROPERTIES.where(change, BY_OWNER, owner.name, owner.client)


def keys(change: Change, owner: Owner) -> list[str]:
    """The keys that hold a value, sorted (G097)."""
    return sorted(stored.key for stored in list_of_owner(change, owner))
