"""Secrets that callers present: tokens of users and API tokens of clients, found by their value."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from confsim.assumptions import identity as assumed
from confsim.assumptions import members
from confsim.assumptions.protocol import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.users.users import USERS, Account, Level, User
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, SharedTable
from confsim.kernel.world import Change


class Credential(Record):
    """One token value. ``user`` is set for a user's token, ``api_token`` (its id) for an API token.

    ``expires`` is the instant in epoch milliseconds from which it is dead, None when it never is.
    """

    value: str
    client: str
    user: int | None = None
    api_token: str | None = None
    expires: int | None = None


def _holder(credential: Credential) -> tuple[object, ...]:
    return ((credential.client, credential.user),) if credential.user is not None else ()


BY_USER: Index[Credential] = Index("user", _holder)
CREDENTIALS: SharedTable[str, Credential] = SharedTable("credentials", Credential, "value", BY_USER)


class Life(Enum):
    """Whether a user's token has been issued; one that was dies at its end (P1 Token result)."""

    ABSENT = "absent"
    ISSUED = "issued"


class Slot(Record):
    """The place of one token of a user, taken or not: what the machine moves. ``user`` is the user's id."""

    client: str
    user: int
    credential: Credential | None


def _mint(change: Change, slot: Slot, facts: Facts) -> Slot:
    """A fresh value that opens what the user may, until its end."""
    minted = Credential(secret(change), slot.client, user=slot.user, expires=facts["expires"])
    return Slot(slot.client, slot.user, CREDENTIALS.of(change).put(minted))


def _die(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The value opens nothing any more."""
    assert slot.credential is not None
    CREDENTIALS.of(change).remove(slot.credential.value)
    return Slot(slot.client, slot.user, None)


_BEFORE_END = Guard("its end has not come", lambda slot, facts: facts["alive"])

MACHINE: Machine[Life, Slot] = Machine(
    "user token",
    "One token of a user, from an exchange, the making of a guest or an invitation (R069-R071).",
    Life,
    (
        Row("issue", Life.ABSENT, Life.ISSUED, effect=_mint, source="P1 L304, R068, R069, R175, G112"),
        Row("present", Life.ISSUED, Life.ISSUED, only_if=_BEFORE_END, source="P1 L99, R070, R071, G020"),
        Row("revoke", Life.ISSUED, Life.ABSENT, effect=_die, source="P2 States L171, R365, G021, G236"),
    ),
    read=lambda slot, facts: Life.ABSENT if slot.credential is None else Life.ISSUED,
    refusals={("present", Life.ISSUED): Reason.CREDENTIAL_EXPIRED, None: Reason.CREDENTIAL_INVALID},
    initial=Life.ABSENT,
)


class Caller(Struct, frozen=True, gc=False):
    """Who makes a call: a user, or an API token of a client, which is no user (G159)."""

    client: Client
    user: User | None = None
    api_token: str | None = None
    #: Whether the caller holds the Customer Admin level, or one that includes it (G139).
    customer_admin: bool = False

    @property
    def name(self) -> str:
        """What tells the caller from every other of the client: a user id or the id of an API token."""
        return str(self.user.id) if self.user is not None else self.api_token or ""

    @property
    def partner_admin(self) -> bool:
        """Whether the caller holds the Partner Admin level."""
        return self.user is not None and Level.PARTNER_ADMIN in self.user.levels


def authenticate(change: Change, value: str) -> Caller:
    """Whose token this is. Refusal CREDENTIAL_INVALID or CREDENTIAL_EXPIRED when it is nobody's, or no longer.

    Presenting a token moves nothing, so nothing is fired: what the table does not admit is refused by its reasons.
    """
    credential = CREDENTIALS.get(change, value)
    if credential is None:
        raise Refusal(MACHINE.reason(Life.ABSENT, "present"))
    if credential.expires is not None and credential.expires <= change.now:
        raise Refusal(MACHINE.reason(Life.ISSUED, "present"))
    client = clients.get(change, credential.client)
    if credential.user is None:
        return Caller(client, api_token=credential.api_token)
    user = USERS.get(change, credential.user, client.id)
    if user is None or user.account is Account.REMOVED:
        raise Refusal(Reason.CREDENTIAL_INVALID)
    return caller(change, client, user)


def caller(change: Change, client: Client, user: User) -> Caller:
    """The user of the client as somebody who calls."""
    return Caller(client, user, customer_admin=bool(user.levels) and _customer_admin(change, user))


def _customer_admin(change: Change, user: User) -> bool:
    return Level.CUSTOMER_ADMIN in user.levels or "own" in ask(change, members.PARTNER_ADMIN_INCLUDES)


def manages_children(change: Change, caller: Caller) -> bool:
    """Whether the caller manages the child clients: a Partner Admin; an API token where that is assumed (G152)."""
    if caller.api_token is None:
        return caller.partner_admin
    return caller.client.reseller and ask(change, members.API_TOKEN_FOR_CLIENT)


def issue(change: Change, user: User, life: int | None = None) -> Credential:
    """A fresh token of the user; earlier ones live on until they expire (G021). ``life`` in milliseconds (G112)."""
    if ask(change, assumed.EARLIER_TOKENS) == "die":
        revoke(change, user)
    span = life if life is not None else ask(change, durations.TOKEN)
    issued = MACHINE.fire(change, Slot(user.client, user.id, None), "issue", expires=change.now + span).credential
    assert issued is not None
    return issued


def secret(change: Change) -> str:
    """A fresh secret in the form of all tokens (G022)."""
    return change.uuid() if ask(change, assumed.TOKEN_FORMAT) == "uuid" else change.token()


def revoke(change: Change, user: User) -> None:
    """Every token of the user dies (removed users)."""
    for credential in CREDENTIALS.of(change).find(BY_USER, (user.client, user.id)):
        MACHINE.fire(change, Slot(user.client, user.id, credential), "revoke")
