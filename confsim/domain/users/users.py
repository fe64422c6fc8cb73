"""Users of a client: the record, its indexes, and the account machine."""

from collections.abc import Mapping
from enum import Enum, IntEnum, StrEnum
from functools import cached_property
from typing import Any
from unicodedata import normalize

from confsim.assumptions import Context, Reason, ask, identity as assumed_identity, not_found, note
from confsim.assumptions.users import users as assumed
from confsim.kernel import (
    ABSENT,
    CREATED,
    Change,
    Creation,
    Guard,
    Index,
    Machine,
    Order,
    Record,
    Row,
    SecretForm,
    Table,
    Unique,
    replace,
)


class Account(StrEnum):
    """The kinds of accounts (P1 Predefined user, Users; P2 linked users, telephony)."""

    GUEST = "guest"
    LINKED = "linked"
    DIALLED = "dialled"
    PREDEFINED = "predefined"
    REGISTERED = "registered"


class AuthKind(StrEnum):
    """The kind of a user's authentication (G204); guests have none."""

    OAUTH = "OAuth"
    CUSTOM = "Custom"


class Level(Enum):
    """The access levels: administrative roles within a client (G139, G140)."""

    CUSTOMER_ADMIN = 10
    PARTNER_ADMIN = 20

    @cached_property
    def word(self) -> str:
        """The name of the level in profiles and world files."""
        return self.name.lower().replace("_", "-")


def level_id(context: Context, level: Level) -> int:
    """The id of an access level on the wire (G140)."""
    levels: Any = ask(context, assumed_identity.LEVELS)
    return int(levels[level.word]["id"])


def level_name(context: Context, level: Level) -> str:
    """The display name of an access level (G140)."""
    levels: Any = ask(context, assumed_identity.LEVELS)
    return str(levels[level.word]["name"])


class Hosting(StrEnum):
    """The highest role of a user in any channel (G090)."""

    NONE = "none"
    OPERATOR = "operator"
    OWNER = "owner"


class UserRank(IntEnum):
    """The rank that sort=level of the user list compares, lowest first (G090)."""

    NONE = 0
    OPERATOR = 1
    OWNER = 2
    CUSTOMER_ADMIN = 3
    PARTNER_ADMIN = 4


class Identity(Record):
    """The details last received from the user's authentication provider (P1 Authentication provider)."""

    provider: str
    name: str = ""
    email: str = ""
    picture: str = ""


class User(Record, kw_only=True):
    """One user of one client.

    ``channel`` is the channel that a guest, linked or dialled user was made for. ``accepted`` is the version of the
    terms last accepted, ``accepts_again`` whether newer ones have been published since. ``image`` is the key of stored
    bytes or a URL; ``email`` the verified address and ``pending`` the addresses waiting for their code, as (address,
    code). ``follows`` are user ids (G207). ``inbound`` is whether the call of a dialled user came in. ``ends`` is when
    a guest is removed (epoch milliseconds), None for never. ``hosting`` follows from the user's roles in channels.
    """

    id: int
    client: str
    handle: str
    account: Account
    full_name: str | None = None
    description: str | None = None
    image: str | None = None
    languages: tuple[str, ...] = ()
    auth_kind: AuthKind | None = None
    identity: Identity | None = None
    origin_id: str | None = None
    levels: tuple[Level, ...] = ()
    accepted: int | None = None
    accepts_again: bool = False
    channel: str | None = None
    email: str | None = None
    pending: tuple[tuple[str, str], ...] = ()
    reputation: int
    follows: tuple[int, ...] = ()
    inbound: bool = False
    ends: int | None = None
    hosting: Hosting = Hosting.NONE


def folded(handle: str) -> str:
    """The handle for comparison, in Unicode NFC and casefolded: equal handles give equal results (G254)."""
    return normalize("NFC", normalize("NFC", handle).casefold())


_RANKS = {hosting: UserRank[hosting.name] for hosting in Hosting}


def rank(user: User) -> UserRank:
    """The rank of the user by access levels and channel roles (G090)."""
    return _rank(user.levels, user.hosting)


def _rank(levels: tuple[Level, ...], hosting: Hosting) -> UserRank:
    if Level.PARTNER_ADMIN in levels:
        return UserRank.PARTNER_ADMIN
    return UserRank.CUSTOMER_ADMIN if Level.CUSTOMER_ADMIN in levels else _RANKS[hosting]


def _member(levels: tuple[Level, ...], account: Account, hosting: Hosting) -> tuple[bool, ...]:
    listed = levels or account is Account.PREDEFINED or hosting is not Hosting.NONE
    return (True,) if listed else ()


def _occupied(handle: str, account: Account) -> tuple[str, ...]:
    return (folded(handle),) if account is Account.REGISTERED else ()


def _belonging(channel: str | None, account: Account) -> tuple[str | tuple[str, Account], ...]:
    if channel is None:
        return ()
    return (channel, (channel, account)) if account is Account.LINKED else (channel,)


#: Handles that are taken: registered users alone occupy theirs (G257).
BY_HANDLE: Index[User] = Index("handle", "handle", "account", of=_occupied)
BY_ORIGIN: Unique[User] = Unique("origin", "origin_id")
#: Verified addresses without case.
BY_EMAIL: Index[User] = Index("email", "email", of=lambda email: (email.casefold(),) if email is not None else ())
HANDLE: Order[User] = Order("handle", "handle", key=str.casefold)
RANK: Order[User] = Order("rank", "levels", "hosting", key=_rank)
BY_LEVEL: Index[User] = Index("level", "levels", of=lambda levels: levels, orders=(CREATED, HANDLE, RANK))
#: Users in the user list: holders of levels, predefined users, and users with a role in a channel (G219).
MEMBERS: Index[User] = Index("members", "levels", "account", "hosting", of=_member, orders=(CREATED, HANDLE, RANK))
#: Users who belong to one channel, guests, linked and dialled users: under its id; linked ones under (id, LINKED) too.
BY_CHANNEL: Index[User] = Index("channel", "channel", "account", of=_belonging)
USERS: Table[int, User] = Table(
    *("users", User, "id", BY_HANDLE, BY_ORIGIN, BY_EMAIL, BY_LEVEL, MEMBERS, BY_CHANNEL),
    located="id",
    secrets={"pending": SecretForm.CODES},
)

UNREGISTERED = (Account.GUEST, Account.LINKED, Account.DIALLED)

MACHINE: Machine[Account, User] = Machine(
    "account",
    "The life of a user account (P1 Predefined user, States; R058-R063, R096, R143, R175, R365).",
    USERS,
    Account,
    state="account",
    refused={ABSENT: Reason.NOT_FOUND, None: Reason.NOT_PREDEFINED},
)
_CREATE_GUEST = MACHINE.draft("create guest")
_LINK = MACHINE.draft("link")
_DIAL = MACHINE.draft("dial")
_PREDEFINE = MACHINE.draft("predefine")
_CREATE_REGISTERED = MACHINE.draft("create registered")
END = MACHINE.trigger("end")


@MACHINE.effect(
    "register",
    refused=Reason.NOT_A_GUEST,
    details=lambda change, user, handle: {"id": user.id, "handle": handle},
)
def register(change: Change, user: User, handle: str) -> User:
    """Make the guest a registered user with this handle, bound to no channel; id, token and roles stay.

    Refusal NOT_A_GUEST.
    """
    return replace(user, handle=handle, channel=None)


_NOT_CONNECTED = "its origin id is that of an unregistered user"


@MACHINE.effect(
    "exchange",
    refused=Reason.IDENTITY_TOKEN_INVALID,
    details=lambda change, user, origin: {"origin": origin, "problem": _NOT_CONNECTED},
)
def connect(change: Change, user: User, origin: str) -> User:
    """Attach authentication by an identity token of that origin id; roles and id stay.

    Refusal IDENTITY_TOKEN_INVALID for an unregistered user.
    """
    return user


@MACHINE.effect("redeem")
def redeem(change: Change, user: User, identity: Identity) -> User:
    """Attach a login by OAuth; roles and id stay."""
    return replace(user, auth_kind=AuthKind.OAUTH, identity=identity)


@MACHINE.effect("limit")
def limit(change: Change, user: User, ends: int) -> User:
    """Let the guest be removed at the instant ``ends`` (epoch milliseconds)."""
    return replace(user, ends=ends)


_ORIGIN_MATCHES = Guard("the identity carries the origin id", lambda change, user, origin: origin == user.origin_id)
_GUEST_ENDS = MACHINE.deadline("guest", lambda user: user.ends)
_GUEST, _LINKED, _DIALLED, _PREDEFINED, _REGISTERED = Account
_CONNECTED = (_PREDEFINED, _REGISTERED)

MACHINE.declare(
    Row(_CREATE_GUEST, ABSENT, _GUEST, source="P1 L236, R175"),
    Row(_LINK, ABSENT, _LINKED, source="P2 L287, R469"),
    Row(_DIAL, ABSENT, _DIALLED, source="P2 L305, G203"),
    Row(_PREDEFINE, ABSENT, _PREDEFINED, source="P1 L237, R178"),
    Row(_CREATE_REGISTERED, ABSENT, _REGISTERED, source="P1 States L173, R096, G033, G199, G244"),
    Row(register, _GUEST, _REGISTERED, source="P1 States L173, R096, G244"),
    Row(connect, _CONNECTED, _REGISTERED, only_if=_ORIGIN_MATCHES, source="P1 L81, R061, R143"),
    Row(redeem, _PREDEFINED, _REGISTERED, source="P1 L81, R062, G234"),
    Row(limit, _GUEST, _GUEST, source="G231"),
    Row(END, _GUEST, ABSENT, at=_GUEST_ENDS, source="G231, G309"),
    Row(END, _DIALLED, ABSENT, source="G231, G309"),
    Row(END, _LINKED, ABSENT, source="P2 States L171, R365"),
)

#: The trigger that creates an account of each kind.
CREATED_BY: Mapping[Account, Creation[User, [User]]] = {
    _GUEST: _CREATE_GUEST,
    _LINKED: _LINK,
    _DIALLED: _DIAL,
    _PREDEFINED: _PREDEFINE,
    _REGISTERED: _CREATE_REGISTERED,
}


def create(change: Change, client: str, handle: str, account: Account, **fields: Any) -> User:
    """Create a user; ids are numbered over the whole service (G130)."""
    fields.setdefault("reputation", ask(change, assumed.REPUTATION))
    id = change.count("user", ask(change, assumed.FIRST_USER_ID))
    return CREATED_BY[account](change, User(id=id, client=client, handle=handle, account=account, **fields))


def get(change: Change, client: str, id: int) -> User:
    """The user of this id in the client. Refusal NOT_FOUND when there is none."""
    note(change, assumed.FIRST_USER_ID)
    return USERS.get(change, id, client) or not_found("user", id)


def update(change: Change, user: User, **fields: object) -> User:
    """The user with these fields changed."""
    return USERS.of(change, user.client).update(user, **fields)


def unregistered(user: User) -> bool:
    """Whether the account is temporary: guests, linked and dialled users (P1 User, G210)."""
    return user.account in UNREGISTERED
