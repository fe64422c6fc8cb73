"""Credentials by their value: tokens of users, and the values of API tokens of clients."""

from msgspec import Struct

from confsim.assumptions import Reason, ask, identity as assumed, members, note
from confsim.assumptions.protocol import durations
from confsim.assumptions.protocol.transport import AT_THE_END
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.users.users import USERS, Level, User
from confsim.kernel import (
    NEVER,
    Change,
    Collection,
    Index,
    Record,
    Refusal,
    SecretForm,
    Table,
    View,
    replace,
    suggest_near,
)


class Credential(Record):
    """One token value. ``user`` is set for a user's token, ``api_token`` (its id) for an API token.

    ``expires`` is the instant in epoch milliseconds at which it expires, None for never.
    """

    value: str
    client: str
    user: int | None = None
    api_token: str | None = None
    expires: int | None = None


BY_USER: Index[Credential] = Index(
    "user", "client", "user", of=lambda client, user: () if user is None else ((client, user),)
)
#: Those that never expire, under True.
LASTING: Index[Credential] = Index("lasting", "expires", of=lambda expires: (True,) if expires is None else ())
CREDENTIALS: Table[str, Credential] = Table(
    "credentials", Credential, "value", BY_USER, LASTING, secrets={"value": SecretForm.TEXT}, shared=True
)


#: Tokens with which one that is not known is compared.
_COMPARED = 200


def suggest_token(change: Change, token: str) -> str:
    """The end of a message about an unknown token: the one that was probably meant, of those that never expire."""
    rows = CREDENTIALS.of(change)
    known = () if token in rows else rows.where(LASTING, True)[:_COMPARED]
    return suggest_near(token, (each.value for each in known))


ISSUED: Collection[Credential] = Collection(
    "user token",
    "One token of a user, from an exchange, the creation of a guest or an invitation (R069-R071); or the value of an "
    "API token (R117, R118).",
    CREDENTIALS,
    refused=Reason.CREDENTIAL_INVALID,
)
ISSUE = ISSUED.added("issue", source="P1 L304, R068, R069, R117, R175, G112")
REVOKE = ISSUED.removed("revoke", source="P1 States L183-184, P2 States L171, R118-R121, R365, G021, G236")


@ISSUED.changed("prolong", source="G020, G279")
def prolong(change: Change, credential: Credential, expires: int | None) -> Credential:
    """Let the token expire at another instant, or never.

    ``expires`` is in epoch milliseconds, None for never.
    """
    return replace(credential, expires=expires)


class Caller(Struct, frozen=True, gc=False):
    """The caller of an operation: a user, or an API token of a client, which is no user (G159)."""

    client: Client
    user: User | None = None
    api_token: str | None = None
    #: Whether the caller holds the Customer Admin level, or one that includes it (G139).
    customer_admin: bool = False
    #: The instant at which the token expires by which it called (epoch milliseconds), NEVER for one that does not.
    expires: int = NEVER

    @property
    def name(self) -> str:
        """The id of the user or of the API token, as text: unique within the client."""
        return str(self.user.id) if self.user is not None else self.api_token or ""

    @property
    def partner_admin(self) -> bool:
        """Whether the caller holds the Partner Admin level."""
        return self.user is not None and Level.PARTNER_ADMIN in self.user.levels


def authenticate(change: Change, value: str) -> Caller:
    """The caller to whom the token was issued. Refusals CREDENTIAL_INVALID, CREDENTIAL_EXPIRED (R070, R071, G020)."""
    credential = CREDENTIALS.get(change, value)
    if credential is None:
        raise Refusal(Reason.CREDENTIAL_INVALID)
    expires = NEVER if credential.expires is None else credential.expires
    if expires <= change.now:
        note(change, AT_THE_END)
        raise Refusal(Reason.CREDENTIAL_EXPIRED)
    client = clients.get(change, credential.client)
    if credential.user is None:
        return Caller(client, api_token=credential.api_token, expires=expires)
    user = USERS.get(change, credential.user, client.id)
    if user is None:
        raise Refusal(Reason.CREDENTIAL_INVALID)
    if credential.expires is not None and ask(change, assumed.TOKEN_USE) == "prolongs":
        expires = change.now + ask(change, durations.TOKEN)
        prolong(change, credential, expires)
    return caller(change, client, user, expires)


def caller(change: Change, client: Client, user: User, expires: int = NEVER) -> Caller:
    """The user of the client as a caller, by a token that expires at the instant."""
    return Caller(client, user, None, bool(user.levels) and _customer_admin(change, user), expires)


def _customer_admin(change: Change, user: User) -> bool:
    return Level.CUSTOMER_ADMIN in user.levels or "own" in ask(change, members.PARTNER_ADMIN_INCLUDES)


def manages_children(change: Change, caller: Caller) -> bool:
    """Whether the caller manages the child clients: a Partner Admin; an API token where that is assumed (G152)."""
    if caller.api_token is None:
        return caller.partner_admin
    return caller.client.reseller and ask(change, members.API_TOKEN_FOR_CLIENT)


def issue(change: Change, user: User, life: int | None = None) -> Credential:
    """A fresh token of the user; earlier ones stay valid until they expire (G021). ``life`` in milliseconds (G112)."""
    if ask(change, assumed.EARLIER_TOKENS) == "die":
        revoke(change, user)
    span = life if life is not None else ask(change, durations.TOKEN)
    return add(change, user, secret(change), change.now + span)


def add(change: Change, user: User, value: str, expires: int | None = None) -> Credential:
    """A token of the user with a given value; without ``expires`` (epoch milliseconds) it never expires."""
    return ISSUE(change, Credential(value, user.client, user=user.id, expires=expires))


def secret(change: Change) -> str:
    """A fresh secret in the format of tokens (G022), which is nobody's yet: a world may hold values from elsewhere."""
    draw = change.uuid if ask(change, assumed.TOKEN_FORMAT) == "uuid" else change.token
    value = draw()
    while CREDENTIALS.get(change, value) is not None:
        value = draw()
    return value


def list_of_user(change: Change, user: User) -> View[Credential]:
    """The tokens of the user."""
    return CREDENTIALS.where(change, BY_USER, (user.client, user.id))


def revoke(change: Change, user: User) -> None:
    """Revoke every token of the user."""
    for credential in list_of_user(change, user):
        REVOKE(change, credential)
