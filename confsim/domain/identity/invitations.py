"""Invitations: the one code of a predefined or channel-linked user, its kinds, its end."""

from __future__ import annotations

from enum import Enum, StrEnum

from msgspec.structs import replace

from confsim.assumptions import identity as assumed
from confsim.assumptions.protocol import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.clients.clients import Client
from confsim.domain.users import users
from confsim.domain.users.users import Account, AuthKind, Identity, User
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.timers import on_timer
from confsim.kernel.world import Change

from . import credentials, jws, providers
from .credentials import Credential


class Kind(StrEnum):
    """What a code is for: a login that uses it up, or the exchange for a service token (P1 Invitation)."""

    NONCE = "Nonce"
    PERSISTENT = "Persistent"


class State(Enum):
    """Where the invitation of a user stands."""

    NONE = "none"
    PENDING = "pending"
    CONSUMED = "consumed"
    EXPIRED = "expired"


class Invitation(Record, kw_only=True):
    """The last invitation of a user. ``expires`` in epoch milliseconds."""

    user: int
    client: str
    code: str
    kind: Kind
    expires: int
    state: State = State.PENDING


BY_CODE: Index[Invitation] = Index(
    "code", lambda invitation: (invitation.code,) if invitation.state is State.PENDING else ()
)
INVITATIONS: Table[int, Invitation] = Table("invitations", Invitation, "user", BY_CODE)

_TIMER = "invitation"


class Slot(Record):
    """The place of the one invitation of a user: what the machine moves."""

    client: str
    user: int
    invitation: Invitation | None
    invitable: bool = False


def _make(change: Change, slot: Slot, facts: Facts) -> Slot:
    """A new code with a new end; an earlier one is dead."""
    made: Invitation = facts["made"]
    change.schedule(_TIMER, made.expires, slot.client, str(slot.user))
    return _keep(change, slot, made)


def _use_up(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The code has been used and is dead."""
    change.cancel(_TIMER, slot.client, str(slot.user))
    return _move(change, slot, State.CONSUMED)


def _lapse(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The code is dead."""
    return _move(change, slot, State.EXPIRED)


def _withdraw(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The user is gone, and the code with it."""
    change.cancel(_TIMER, slot.client, str(slot.user))
    return _move(change, slot, State.EXPIRED)


def _move(change: Change, slot: Slot, state: State) -> Slot:
    assert slot.invitation is not None
    return _keep(change, slot, replace(slot.invitation, state=state))


def _keep(change: Change, slot: Slot, invitation: Invitation) -> Slot:
    return Slot(slot.client, slot.user, INVITATIONS.of(change, slot.client).put(invitation))


def _is(kind: Kind) -> Guard:
    return Guard(f"it is {kind.value}", lambda slot, facts: slot.invitation.kind is kind)


_NONCE = _is(Kind.NONCE)
_PERSISTENT = _is(Kind.PERSISTENT)
_INVITABLE = Guard("the user counts as predefined", lambda slot, facts: slot.invitable)

MACHINE: Machine[State, Slot] = Machine(
    "invitation",
    "The one invitation of a predefined or channel-linked user (R062-R068, R122, R123, R184, R185, R548).",
    State,
    (
        Row(
            "create", tuple(State), State.PENDING, only_if=_INVITABLE, effect=_make, source="P1 States L185, R122, R123"
        ),
        Row("read", State.PENDING, State.PENDING, source="P1 Users L240, R185, R186"),
        Row("redeem", State.PENDING, State.CONSUMED, only_if=_NONCE, effect=_use_up, source="P1 L81, L90, R067, G234"),
        Row("exchange", State.PENDING, State.PENDING, only_if=_PERSISTENT, source="P1 L90, L304, R068, G235"),
        Row("exchange once", State.PENDING, State.CONSUMED, only_if=_PERSISTENT, effect=_use_up, source="G235"),
        Row("connect", State.PENDING, State.CONSUMED, only_if=_NONCE, effect=_use_up, source="P1 L81, G202"),
        Row("expire", State.PENDING, State.EXPIRED, effect=_lapse, source="P1 Users L239, R184, G114"),
        Row("withdraw", State.PENDING, State.EXPIRED, effect=_withdraw, source="P2 States L171, R365"),
    ),
    read=lambda slot, facts: State.NONE if slot.invitation is None else slot.invitation.state,
    refusals={
        "create": Reason.NOT_PREDEFINED,
        "read": Reason.INVITATION_NOT_PENDING,
        None: Reason.INVITATION_CODE_INVALID,
    },
    initial=State.NONE,
)


def create(change: Change, user: User, ttl: int | None = None) -> Invitation:
    """The user's new invitation; the earlier code is dead. ``ttl`` in milliseconds, the default without it (G114).

    Refusal NOT_PREDEFINED for users other than predefined and channel-linked ones (G239, R548).
    """
    expires = change.now + (ttl if ttl is not None else ask(change, durations.INVITATION))
    kind = _kind(change, user, ttl)
    code = _code(change, user, kind, expires)
    made = Invitation(user=user.id, client=user.client, code=code, kind=kind, expires=expires)
    before = slot_of(change, user)
    MACHINE.fire(change, before, "create", id=user.id, made=made)
    if before.invitation is not None and ask(change, assumed.RECREATION) == "die":
        credentials.revoke(change, user)
    return made


def read(change: Change, user: User) -> Invitation:
    """The pending invitation. Refusals NOT_PREDEFINED, and INVITATION_NOT_PENDING when there is none (G238)."""
    slot = slot_of(change, user)
    if not slot.invitable:
        raise Refusal(Reason.NOT_PREDEFINED, id=user.id)
    found = MACHINE.fire(change, slot, "read").invitation
    assert found is not None
    return found


def pending(change: Change, user: User) -> Invitation | None:
    """The user's pending invitation, or None."""
    found = INVITATIONS.of(change, user.client).get(user.id)
    return found if found is not None and found.state is State.PENDING else None


def by_code(change: Change, client: Client, code: str) -> Invitation | None:
    """The pending invitation of this code in the client, or None."""
    return INVITATIONS.of(change, client.id).first(BY_CODE, code)


def redeem(change: Change, client: Client, code: str, provider: str | None = None) -> tuple[User, Credential]:
    """A login with a Nonce uses it up: the user is connected to a provider of the client and gets a token.

    Refusals INVITATION_CODE_INVALID, PROVIDER_NOT_ENABLED (R062, R063, R067).
    """
    invitation = by_code(change, client, code)
    if invitation is None:
        raise Refusal(Reason.INVITATION_CODE_INVALID, problem="it is unknown, replaced, used or expired")
    user = users.get(change, client.id, invitation.user)
    MACHINE.fire(change, slot_of(change, user), "redeem", problem="it is Persistent, which is exchanged")
    if user.account is Account.PREDEFINED:
        name = providers.to_log_in(change, client, provider)
        user = users.update(
            change,
            users.MACHINE.fire(change, user, "redeem", id=user.id),
            auth_kind=AuthKind.OAUTH,
            identity=Identity(name, user.full_name or "", user.email or ""),
        )
    return user, credentials.issue(change, user)


def exchange(change: Change, client: Client, invitation: Invitation) -> Credential:
    """A service token for a Persistent code, as often as wanted until its end; the account stays as it is (G235).

    Refusal INVITATION_CODE_INVALID for a Nonce (G234).
    """
    if invitation.kind is Kind.NONCE and ask(change, assumed.NONCE_EXCHANGE) == "redeems":
        return redeem(change, client, invitation.code)[1]
    user = users.get(change, client.id, invitation.user)
    event = "exchange once" if ask(change, assumed.PERSISTENT_EXCHANGE) == "once" else "exchange"
    MACHINE.fire(change, slot_of(change, user), event, problem="a Nonce is redeemed by a login")
    return credentials.issue(change, user)


def connected(change: Change, user: User) -> None:
    """The user has been connected by an identity token: a pending Nonce is used up (G202)."""
    found = pending(change, user)
    if found is not None and found.kind is Kind.NONCE and ask(change, assumed.INVITATION_ON_EXCHANGE) == "consumed":
        MACHINE.fire(change, slot_of(change, user), "connect")


def was_ours(change: Change, client: Client, code: str) -> bool:
    """Whether the text is a Persistent code that this world once gave out for the client."""
    try:
        claims = jws.verify(code, "HS256", change.key("persistent invitations"))
    except ValueError:
        return False
    return claims.get("aud") == client.id


@on_timer(_TIMER)
def _expire(change: Change, client: str, subject: str) -> bool:
    invitation = INVITATIONS.of(change, client).get(int(subject))
    MACHINE.fire(change, Slot(client, int(subject), invitation), "expire")
    return True


def slot_of(change: Change, user: User) -> Slot:
    """The place of the user's invitation."""
    return Slot(user.client, user.id, INVITATIONS.of(change, user.client).get(user.id), _invitable(change, user))


def _invitable(change: Change, user: User) -> bool:
    """Predefined users without authentication, and channel-linked ones (R548, G443)."""
    if user.account in {Account.PREDEFINED, Account.LINKED}:
        return True
    return pending(change, user) is not None and ask(change, assumed.INVITATION_ON_EXCHANGE) == "kept"


def _kind(change: Change, user: User, ttl: int | None) -> Kind:
    when = ask(change, assumed.INVITATION_KIND)
    persistent = {
        "linked": user.account is Account.LINKED,
        "never": False,
        "always": True,
        "ttl": ttl is not None,
        "origin-id": user.origin_id is not None,
    }[when]
    return Kind.PERSISTENT if persistent else Kind.NONCE


def _code(change: Change, user: User, kind: Kind, expires: int) -> str:
    """A code that no earlier one equals. Of a Persistent one the claims say whose, for whom, and until when (G237)."""
    if kind is Kind.NONCE:
        return change.token()
    if ask(change, assumed.PERSISTENT_CODE) == "opaque":
        return ".".join(change.token() for _ in range(3))
    claims = {"sub": str(user.id), "aud": user.client, "exp": expires // 1000, "jti": change.uuid()}
    return jws.sign(claims, change.key("persistent invitations"))
