"""Secrets that callers present: tokens of users and API tokens of clients, found by their value."""

from __future__ import annotations

from msgspec import Struct

from confsim.assumptions import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change

from .clients import CLIENTS, Client
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
CREDENTIALS: Table[str, Credential] = Table("credentials", Credential, "value", BY_USER, shared=True)


class Caller(Struct, frozen=True, gc=False):
    """Who makes a call: a user, or an API token of a client, which is no user (G159)."""

    client: Client
    user: User | None = None
    api_token: str | None = None

    @property
    def partner_admin(self) -> bool:
        """Whether the caller holds the Partner Admin level."""
        return self.user is not None and Level.PARTNER_ADMIN in self.user.levels

    @property
    def customer_admin(self) -> bool:
        """Whether the caller holds the Customer Admin level, which Partner Admin includes (G139)."""
        return self.user is not None and bool(self.user.levels)


def authenticate(change: Change, value: str) -> Caller:
    """Whose token this is. Refusal CREDENTIAL_INVALID or CREDENTIAL_EXPIRED when it is nobody's, or no longer."""
    credential = CREDENTIALS.of(change).get(value)
    if credential is None:
        raise Refusal(Reason.CREDENTIAL_INVALID)
    if credential.expires is not None and credential.expires <= change.now:
        raise Refusal(Reason.CREDENTIAL_EXPIRED)
    client = CLIENTS.of(change)[credential.client]
    if credential.user is None:
        return Caller(client, api_token=credential.api_token)
    user = USERS.of(change, client.id).get(credential.user)
    if user is None or user.account is Account.REMOVED:
        raise Refusal(Reason.CREDENTIAL_INVALID)
    return Caller(client, user)


def issue(change: Change, user: User, life: int | None = None) -> Credential:
    """A fresh token of the user; earlier ones live on until they expire (G021). ``life`` in milliseconds (G112)."""
    span = life if life is not None else ask(change, durations.TOKEN)
    return CREDENTIALS.of(change).put(
        Credential(change.token(), user.client, user=user.id, expires=change.now + span)
    )


def revoke(change: Change, user: User) -> None:
    """Every token of the user dies (removed users)."""
    credentials = CREDENTIALS.of(change)
    for credential in credentials.find(BY_USER, (user.client, user.id)):
        credentials.remove(credential.value)
