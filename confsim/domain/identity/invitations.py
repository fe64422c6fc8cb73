"""Invitations: the one code of a predefined or channel-linked user, its kinds and its expiry."""

from enum import Enum, StrEnum

from confsim.assumptions import Reason, ask, identity as assumed
from confsim.assumptions.protocol import durations
from confsim.domain import terms
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.users import users
from confsim.domain.users.users import Account, User
from confsim.kernel import (
    ABSENT,
    Change,
    Guard,
    Machine,
    Record,
    Refusal,
    Row,
    SecretForm,
    Table,
    Unique,
    replace,
)

from . import credentials, jws
from .credentials import Credential


class InvitationKind(StrEnum):
    """The purpose of a code: a login that uses it up, or the exchange for a service token (P1 Invitation)."""

    NONCE = "Nonce"
    PERSISTENT = "Persistent"


class InvitationState(Enum):
    """The state of a user's invitation."""

    PENDING = "pending"
    CONSUMED = "consumed"
    EXPIRED = "expired"


class Invitation(Record, kw_only=True):
    """The last invitation of a user. ``expires`` is in epoch milliseconds.

    ``provider`` is the authentication provider of the login that redeemed the code, or None.
    """

    user: int
    client: str
    code: str
    kind: InvitationKind
    expires: int
    state: InvitationState = InvitationState.PENDING
    provider: str | None = None


_PENDING = InvitationState.PENDING
BY_CODE: Unique[Invitation] = Unique(
    "code", "state", "code", of=lambda state, code: (code,) if state is _PENDING else ()
)
INVITATIONS: Table[int, Invitation] = Table(
    "invitations", Invitation, "user", BY_CODE, located=BY_CODE, secrets={"code": SecretForm.TEXT}
)


def _invitable(change: Change, user: User) -> bool:
    """Whether the user may be invited: predefined without authentication, or channel-linked (R548, G443)."""
    if user.account in {Account.PREDEFINED, Account.LINKED}:
        return True
    return find_pending(change, user) is not None and ask(change, assumed.INVITATION_ON_EXCHANGE) == "kept"


MACHINE: Machine[InvitationState, Invitation] = Machine(
    "invitation",
    "The one invitation of a predefined or channel-linked user (R062-R068, R122, R123, R184, R185, R548).",
    INVITATIONS,
    InvitationState,
    state="state",
    refused=Reason.INVITATION_CODE_INVALID,
)


@MACHINE.effect("create", refused=Reason.NOT_PREDEFINED, details=lambda change, invitation, draft: {"id": draft.user})
def replace_code(change: Change, invitation: Invitation | None, draft: Invitation) -> Invitation:
    """A new code with its expiry; the earlier code is invalid."""
    return draft


#: Why a login does not take a code: the same for every reason, since whoever asks may have guessed it.
_NO_NONCE = {"problem": "it is unknown, replaced, used, expired or Persistent, which is exchanged"}


@MACHINE.effect("redeem", details=lambda change, invitation, provider: _NO_NONCE)
def _use(change: Change, invitation: Invitation, provider: str | None) -> Invitation:
    """The code has been used by a login and is invalid."""
    return replace(invitation, provider=provider)


def _no_login(change: Change, invitation: Invitation | None) -> dict[str, str]:
    return {"problem": "a Nonce is redeemed by a login"}


_READ = MACHINE.trigger("read", refused=Reason.INVITATION_NOT_PENDING)
_EXCHANGE = MACHINE.trigger("exchange", details=_no_login)
_EXCHANGE_ONCE = MACHINE.trigger("exchange once", details=_no_login)
CONNECT = MACHINE.trigger("connect")
_EXPIRE = MACHINE.trigger("expire")
WITHDRAW = MACHINE.trigger("withdraw")

_NONCE = Guard("it is Nonce", lambda change, invitation: invitation.kind is InvitationKind.NONCE)
_PERSISTENT = Guard("it is Persistent", lambda change, invitation: invitation.kind is InvitationKind.PERSISTENT)
_INVITABLE = Guard(
    "the user counts as predefined",
    lambda change, invitation, draft: _invitable(change, users.get(change, draft.client, draft.user)),
)
_END = MACHINE.deadline("invitation", lambda invitation: invitation.expires)
_CONSUMED, _EXPIRED = InvitationState.CONSUMED, InvitationState.EXPIRED
_ANY = tuple(InvitationState)

MACHINE.declare(
    Row(replace_code, ABSENT, _PENDING, only_if=_INVITABLE, source="P1 States L185, R122, R123"),
    Row(replace_code, _ANY, _PENDING, only_if=_INVITABLE, source="P1 States L185, R122, R123"),
    Row(_READ, _PENDING, _PENDING, source="P1 Users L240, R185, R186"),
    Row(_use, _PENDING, _CONSUMED, only_if=_NONCE, source="P1 L81, L90, R067, G234"),
    Row(_EXCHANGE, _PENDING, _PENDING, only_if=_PERSISTENT, source="P1 L90, L304, R068, G235"),
    Row(_EXCHANGE_ONCE, _PENDING, _CONSUMED, only_if=_PERSISTENT, source="G235"),
    Row(CONNECT, _PENDING, _CONSUMED, only_if=_NONCE, source="P1 L81, G202"),
    Row(_EXPIRE, _PENDING, _EXPIRED, at=_END, source="P1 Users L239, R184, G114"),
    Row(WITHDRAW, _PENDING, _EXPIRED, source="P2 States L171, R365"),
)


def create(change: Change, user: User, ttl: int | None = None) -> Invitation:
    """The user's new invitation; the earlier code is invalid. ``ttl`` is in milliseconds, with a default (G114).

    Refusal NOT_PREDEFINED for users other than predefined and channel-linked ones (G239, R548).
    """
    expires = change.now + (ttl if ttl is not None else ask(change, durations.INVITATION))
    kind = _kind(change, user, ttl)
    code = _code(change, user, kind, expires)
    draft = Invitation(user=user.id, client=user.client, code=code, kind=kind, expires=expires)
    replace_code(change, find(change, user), draft)
    return draft


def get_pending(change: Change, user: User) -> Invitation:
    """The pending invitation. Refusals NOT_PREDEFINED, and INVITATION_NOT_PENDING when there is none (G238)."""
    if not _invitable(change, user):
        raise Refusal(Reason.NOT_PREDEFINED, id=user.id)
    return _READ(change, find(change, user))


def find(change: Change, user: User) -> Invitation | None:
    """The user's last invitation, or None."""
    return INVITATIONS.get(change, user.id, user.client)


def find_pending(change: Change, user: User) -> Invitation | None:
    """The user's pending invitation, or None."""
    invitation = find(change, user)
    return invitation if invitation is not None and invitation.state is InvitationState.PENDING else None


def find_by_code(change: Change, client: Client, code: str) -> Invitation | None:
    """The pending invitation of this code in the client, or None."""
    return INVITATIONS.one(change, BY_CODE, code, client.id)


def redeem(change: Change, client: Client, code: str, provider: str | None = None) -> tuple[User, Credential]:
    """Redeem a Nonce by a login: the user is connected to a provider of the client; return user and token.

    Refusals INVITATION_CODE_INVALID, SERVICE_DISABLED (R111), PROVIDER_NOT_ENABLED (R062, R063, R067);
    TERMS_NOT_ACCEPTED under terms.login = refuse.
    """
    invitation = find_by_code(change, client, code)
    if invitation is None:
        raise Refusal(Reason.INVITATION_CODE_INVALID, **_NO_NONCE)
    if not clients.is_served(change, client):
        raise Refusal(Reason.SERVICE_DISABLED, client=client.id)
    _use(change, invitation, provider)
    user = users.get(change, client.id, invitation.user)
    terms.require_login(change, client, user)
    return user, credentials.issue(change, user)


def exchange(change: Change, client: Client, code: str) -> Credential | None:
    """A service token for a Persistent code, any number of times until its expiry; the account is unchanged (G235).

    None for a text that is not a code of the client. Refusal INVITATION_CODE_INVALID for a Nonce (G234), and for a code
    that is replaced, used or expired.
    """
    invitation = find_by_code(change, client, code)
    if invitation is None:
        if _was_issued(change, client, code):
            raise Refusal(Reason.INVITATION_CODE_INVALID, problem="it is replaced, used or expired")
        return None
    if invitation.kind is InvitationKind.NONCE and ask(change, assumed.NONCE_EXCHANGE) == "redeems":
        return redeem(change, client, invitation.code)[1]
    once = ask(change, assumed.PERSISTENT_EXCHANGE) == "once"
    (_EXCHANGE_ONCE if once else _EXCHANGE)(change, invitation)
    user = users.get(change, client.id, invitation.user)
    terms.require_login(change, client, user)
    return credentials.issue(change, user)


def _was_issued(change: Change, client: Client, code: str) -> bool:
    """Whether the text is a Persistent code that this world once issued for the client."""
    try:
        claims = jws.verify(code, "HS256", change.key("persistent invitations"))
    except ValueError:
        return False
    return claims.get("aud") == client.id


def _kind(change: Change, user: User, ttl: int | None) -> InvitationKind:
    when = ask(change, assumed.INVITATION_KIND)
    persistent = {
        "linked": user.account is Account.LINKED,
        "never": False,
        "always": True,
        "ttl": ttl is not None,
        "origin-id": user.origin_id is not None,
    }[when]
    return InvitationKind.PERSISTENT if persistent else InvitationKind.NONCE


def _code(change: Change, user: User, kind: InvitationKind, expires: int) -> str:
    """A unique code; the claims of a Persistent one are user, client and end (G237)."""
    if kind is InvitationKind.NONCE:
        return change.token()
    if ask(change, assumed.PERSISTENT_CODE) == "opaque":
        return ".".join(change.token() for _ in range(3))
    claims = {"sub": str(user.id), "aud": user.client, "exp": expires // 1000, "jti": change.uuid()}
    return jws.sign(claims, change.key("persistent invitations"))
