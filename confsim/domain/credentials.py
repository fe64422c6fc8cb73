"""Secrets that callers present: tokens of users and API tokens of clients, found by their value."""

from __future__ import annotations

from msgspec import Struct

from confsim.assumptions import durations, identity, roles
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, SharedTable
from confsim.kernel.world import Change

from . import clients
from .clients import Client
from .users import USERS, Account, Level, User


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
    """Whose token this is. Refusal CREDENTIAL_INVALID or CREDENTIAL_EXPIRED when it is nobody's, or no longer."""
    credential = CREDENTIALS.get(change, value)
    if credential is None:
        raise Refusal(Reason.CREDENTIAL_INVALID)
    if credential.expires is not None and credential.expires <= change.now:
        raise Refusal(Reason.CREDENTIAL_EXPIRED)
    client = clients.get(change, credential.client)
    if credential.user is None:
        return Caller(client, api_token=credential.api_token)
    user = USERS.get(change, credential.user, client.id)
    if user is None or user.account is Account.REMOVED:
        raise Refusal(Reason.CREDENTIAL_INVALID)
    return Caller(client, user, customer_admin=bool(user.levels) and _customer_admin(change, user))


def _customer_admin(change: Change, user: User) -> bool:
    return Level.CUSTOMER_ADMIN in user.levels or "own" in ask(change, roles.PARTNER_ADMIN_INCLUDES)


def manages_children(change: Change, caller: Caller) -> bool:
    """Whether the caller manages the child clients: a Partner Admin; an API token where that is assumed (G152)."""
    if caller.api_token is None:
        return caller.partner_admin
    return caller.client.reseller and ask(change, roles.API_TOKEN_FOR_CLIENT)


def issue(change: Change, user: User, life: int | None = None) -> Credential:
    """A fresh token of the user; earlier ones live on until they expire (G021). ``life`` in milliseconds (G112)."""
    if ask(change, identity.EARLIER_TOKENS) == "die":
        revoke(change, user)
    span = life if life is not None else ask(change, durations.TOKEN)
    return CREDENTIALS.of(change).put(Credential(secret(change), user.client, user=user.id, expires=change.now + span))


def secret(change: Change) -> str:
    """A fresh secret in the form of all tokens (G022)."""
    return change.uuid() if ask(change, identity.TOKEN_FORMAT) == "uuid" else change.token()


def revoke(change: Change, user: User) -> None:
    """Every token of the user dies (removed users)."""
    credentials = CREDENTIALS.of(change)
    for credential in credentials.find(BY_USER, (user.client, user.id)):
        credentials.remove(credential.value)
