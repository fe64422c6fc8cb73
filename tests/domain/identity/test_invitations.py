"""Invitations: the machine, the kinds, the codes, their end."""

from __future__ import annotations

from enum import Enum
from typing import Any

import jwt
import pytest
from msgspec.structs import replace

from confsim import Simulator
from confsim.assumptions.register import ProfileContext, context_of
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.identity import credentials, invitations, providers, token_exchange
from confsim.domain.identity.invitations import INVITATIONS, MACHINE, Invitation, InvitationKind, InvitationState
from confsim.domain.users import users
from confsim.domain.users.users import Account, AuthKind, User
from confsim.kernel.due import fire_due_timers
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change
from kit import CUSTOMER, DAY, MINUTE, OTHER, ROOM, START_MS, choices
from kit.each import each
from kit.tables import fire


def opened(**profile: Any) -> tuple[Change, Client]:
    """A change of the demo world with alternatives chosen, and the customer's client."""
    chosen = choices(**profile)
    change = Simulator(clock=START_MS, profile=chosen).service.change()
    return change, clients.get(change, CUSTOMER)


def person(change: Change, account: Account = Account.PREDEFINED, **fields: Any) -> User:
    """A user of the account in the customer's client."""
    if account is Account.LINKED:
        fields["channel"] = ROOM
    return users.create(change, CUSTOMER, "Somebody", account, full_name="Somebody", **fields)


@pytest.mark.rule("R064", "R122", "R123")
def test_a_new_code_kills_the_old_one() -> None:
    """One invitation of a user is pending at a time, and it is the last."""
    change, client = opened()
    user = person(change)
    first, second = invitations.create(change, user), invitations.create(change, user)
    assert first.code != second.code
    assert invitations.find_pending(change, user) == second
    assert invitations.find_by_code(change, client, first.code) is None
    assert len(INVITATIONS.of(change, CUSTOMER)) == 1


@pytest.mark.rule("R183", "R184")
@pytest.mark.parametrize(
    ("profile", "ttl", "life"),
    [({}, None, 7 * DAY), ({}, 1, 1), ({}, MINUTE, MINUTE), ({"duration__invitation": DAY}, None, DAY)],
)
def test_when_an_invitation_ends(profile: dict[str, Any], ttl: int | None, life: int) -> None:
    """After its ttl, or the default without one; there always is an end (G114, G115)."""
    change, _ = opened(**profile)
    user = person(change)
    made = invitations.create(change, user, ttl)
    assert made.expires == START_MS + life
    world, fired = fire_due_timers(change.commit(), made.expires - 1)
    assert not fired
    world, fired = fire_due_timers(world, made.expires)
    assert [(each.timer.kind, each.timer.due) for each in fired] == [("invitation", made.expires)]
    after = world.change(made.expires)
    assert invitations.find_pending(after, user) is None
    with pytest.raises(Refusal, match="invitation_not_pending"):
        invitations.get_pending(after, user)


def test_a_re_made_invitation_ends_at_its_own_end() -> None:
    """The first end passes without effect."""
    change, _ = opened()
    user = person(change)
    invitations.create(change, user, MINUTE)
    made = invitations.create(change, user, 3 * MINUTE)
    world, fired = fire_due_timers(change.commit(), START_MS + 2 * MINUTE)
    assert not fired
    assert invitations.find_pending(world.change(START_MS + 2 * MINUTE), user) == made


@pytest.mark.rule("R066")
@pytest.mark.parametrize(
    ("choice", "persistent"),
    [
        ("linked", {"linked"}),
        ("never", set()),
        ("always", {"linked", "plain", "origin", "ttl"}),
        ("ttl", {"ttl"}),
        ("origin-id", {"origin"}),
    ],
)
def test_which_kind_is_made(choice: str, persistent: set[str]) -> None:
    """Persistent for linked users, or as the profile says; Nonce else (G233)."""
    change, _ = opened(invitations__kind=choice)
    made = {
        "linked": invitations.create(change, person(change, Account.LINKED)),
        "plain": invitations.create(change, person(change)),
        "origin": invitations.create(change, person(change, origin_id="o")),
        "ttl": invitations.create(change, person(change), MINUTE),
    }
    assert {name for name, each in made.items() if each.kind is InvitationKind.PERSISTENT} == persistent


@pytest.mark.rule("R181", "R548")
@each("account", list(Account))
def test_for_whom_invitations_are(account: Account) -> None:
    """Predefined and channel-linked users alone (R548); everybody else is refused in both calls."""
    change, _ = opened()
    user = person(change, Account.LINKED)
    user = users.update(change, user, account=account)
    if account in {Account.PREDEFINED, Account.LINKED}:
        assert invitations.create(change, user) == invitations.get_pending(change, user)
        return
    for act in (invitations.create, invitations.get_pending):
        with pytest.raises(Refusal, match="not_predefined"):
            act(change, user)


@pytest.mark.parametrize("state", MACHINE.states)
@pytest.mark.parametrize("trigger", MACHINE.triggers)
@pytest.mark.parametrize("kind", InvitationKind)
def test_every_pair_of_state_and_trigger(state: Enum, trigger: str, kind: InvitationKind) -> None:
    """A code is used while it is pending, a Nonce by a login or a connection, a Persistent one by the exchange."""
    change, _ = opened()
    user = person(change, Account.LINKED)
    draft = Invitation(user=user.id, client=CUSTOMER, code="c", kind=kind, expires=START_MS + 1)
    invitation = None if state is ABSENT else replace(draft, state=state)
    for_kind = {
        "redeem": InvitationKind.NONCE,
        "connect": InvitationKind.NONCE,
        "exchange": InvitationKind.PERSISTENT,
        "exchange once": InvitationKind.PERSISTENT,
    }
    admitted = trigger == "create" or (state is InvitationState.PENDING and for_kind.get(trigger, kind) is kind)
    if invitation is not None:
        INVITATIONS.of(change, CUSTOMER).put(invitation)
    given = {"draft": draft, "provider": None}
    if admitted:
        assert fire(MACHINE, trigger, change, invitation, **given).user == user.id
    else:
        with pytest.raises(Refusal):
            fire(MACHINE, trigger, change, invitation, **given)


def test_a_persistent_code_is_a_jwt() -> None:
    """HS256, with the user as sub, the client as aud and its end as exp; fresh each time (G237)."""
    change, _ = opened()
    user = person(change, Account.LINKED)
    first, second = invitations.create(change, user, MINUTE), invitations.create(change, user, MINUTE)
    claims = jwt.decode(second.code, options={"verify_signature": False})
    assert jwt.get_unverified_header(second.code) == {"alg": "HS256", "typ": "JWT"}
    assert (claims["sub"], claims["aud"], claims["exp"]) == (str(user.id), CUSTOMER, (START_MS + MINUTE) // 1000)
    assert first.code != second.code


def test_codes_come_from_the_seed() -> None:
    """The same calls give the same codes, another seed others."""
    codes = set()
    for seed in (1, 1, 2):
        change = Simulator(seed=seed, clock=START_MS).service.change()
        codes.add(invitations.create(change, person(change, Account.LINKED)).code)
    assert len(codes) == 2


def test_an_opaque_persistent_code_by_choice() -> None:
    """Three parts that say nothing, exchanged all the same (G237)."""
    change, client = opened(invitations__persistent_code="opaque")
    made = invitations.create(change, person(change, Account.LINKED))
    assert made.code.count(".") == 2
    with pytest.raises(jwt.InvalidTokenError):
        jwt.decode(made.code, options={"verify_signature": False})
    assert token_exchange.exchange(change, client, made.code).user == made.user


@pytest.mark.parametrize("account", [Account.LINKED, Account.PREDEFINED])
def test_a_persistent_code_is_exchanged_until_its_end(account: Account) -> None:
    """Again and again, without a change of the account; then no more (G235, G241)."""
    change, client = opened(invitations__kind="always", errors__spent_secrets="told")
    user = person(change, account)
    made = invitations.create(change, user, MINUTE)
    tokens = {token_exchange.exchange(change, client, made.code).value for _ in range(3)}
    assert len(tokens) == 3
    assert users.get(change, CUSTOMER, user.id).account is account
    world, _ = fire_due_timers(change.commit(), START_MS + MINUTE)
    with pytest.raises(Refusal, match="invitation_code_invalid"):
        token_exchange.exchange(
            world.change(START_MS + MINUTE, ProfileContext(context_of(change).profile)), client, made.code
        )


def test_a_persistent_code_needs_no_validator() -> None:
    """The service itself has signed it (G235)."""
    change, _ = opened()
    partner = clients.get(change, OTHER)
    user = users.create(change, OTHER, "L", Account.LINKED)
    assert token_exchange.exchange(change, partner, invitations.create(change, user).code).user == user.id


def test_a_persistent_code_is_good_in_its_client_alone() -> None:
    """In another client it is a token like any other, and no validator vouches for it."""
    change, _ = opened()
    made = invitations.create(change, person(change, Account.LINKED))
    with pytest.raises(Refusal, match="no_active_validator"):
        token_exchange.exchange(change, clients.get(change, OTHER), made.code)


def test_a_persistent_code_serves_once_by_choice() -> None:
    """The second exchange is refused (G235)."""
    change, client = opened(invitations__persistent_exchange="once", errors__spent_secrets="told")
    made = invitations.create(change, person(change, Account.LINKED))
    token_exchange.exchange(change, client, made.code)
    with pytest.raises(Refusal, match="invitation_code_invalid"):
        token_exchange.exchange(change, client, made.code)


@pytest.mark.parametrize(("choice", "lives"), [("stay", True), ("die", False)])
def test_service_tokens_when_the_code_is_re_made(choice: str, lives: bool) -> None:
    """The old code is refused in either case; tokens it led to stay, or die with it (G236)."""
    change, client = opened(invitations__recreation=choice, errors__spent_secrets="told")
    user = person(change, Account.LINKED)
    made = invitations.create(change, user)
    token = token_exchange.exchange(change, client, made.code).value
    invitations.create(change, user)
    with pytest.raises(Refusal, match="invitation_code_invalid"):
        token_exchange.exchange(change, client, made.code)
    assert (token in credentials.CREDENTIALS.of(change)) is lives


@pytest.mark.rule("R062", "R067")
def test_a_nonce_connects_its_user_once() -> None:
    """A login with it attaches authentication, id and roles stay, and the code is used up."""
    change, client = opened()
    user = person(change)
    made = invitations.create(change, user)
    redeemed, token = invitations.redeem(change, client, made.code)
    assert (redeemed.id, redeemed.account, redeemed.auth_kind) == (user.id, Account.REGISTERED, AuthKind.OAUTH)
    assert credentials.authenticate(change, token.value).user == redeemed
    with pytest.raises(Refusal, match="invitation_code_invalid"):
        invitations.redeem(change, client, made.code)
    assert invitations.find_pending(change, redeemed) is None


@pytest.mark.rule("R063")
def test_the_invited_person_chooses_among_the_enabled_providers() -> None:
    """The chosen one stands behind the user; one that is not enabled is refused."""
    change, client = opened()
    client = providers.choose(change, client, ["github", "apple"])
    made = invitations.create(change, person(change))
    with pytest.raises(Refusal, match="provider_not_enabled"):
        invitations.redeem(change, client, made.code, "google")
    change, client = opened()
    client = providers.choose(change, client, ["github", "apple"])
    made = invitations.create(change, person(change))
    redeemed, _ = invitations.redeem(change, client, made.code, "apple")
    assert redeemed.identity is not None
    assert redeemed.identity.provider == "apple"


def test_a_persistent_code_is_not_redeemed() -> None:
    """It is for the exchange."""
    change, client = opened()
    made = invitations.create(change, person(change, Account.LINKED))
    with pytest.raises(Refusal, match="invitation_code_invalid"):
        invitations.redeem(change, client, made.code)


def test_a_nonce_of_a_linked_user_gives_a_token_alone() -> None:
    """Where linked users get a Nonce, a login uses it up; the account stays guest-like."""
    change, client = opened(invitations__kind="never")
    user = person(change, Account.LINKED)
    redeemed, token = invitations.redeem(change, client, invitations.create(change, user).code)
    assert (redeemed, token.user) == (user, user.id)


@pytest.mark.parametrize(("choice", "accepted"), [("refused", False), ("redeems", True)])
def test_a_nonce_sent_to_the_exchange(choice: str, accepted: bool) -> None:
    """It is refused and stays pending, or redeems there (G234)."""
    change, client = opened(invitations__nonce_exchange=choice, errors__spent_secrets="told")
    user = person(change)
    made = invitations.create(change, user)
    if accepted:
        assert token_exchange.exchange(change, client, made.code).user == user.id
        assert users.get(change, CUSTOMER, user.id).account is Account.REGISTERED
    else:
        with pytest.raises(Refusal, match="invitation_code_invalid"):
            token_exchange.exchange(change, client, made.code)
        assert invitations.find_pending(change, user) == made


@pytest.mark.parametrize(
    ("choice", "kind", "pending"),
    [("consumed", "never", False), ("consumed", "always", True), ("kept", "never", True)],
)
def test_what_a_connection_does_to_the_code(choice: str, kind: str, pending: bool) -> None:
    """A pending Nonce is used up by an identity token, or stays; a Persistent code stays (G202)."""
    change, client = opened(invitations__on_exchange=choice, invitations__kind=kind)
    user = person(change, origin_id="o")
    made = invitations.create(change, user)
    token = jwt.encode({"sub": "o", "exp": START_MS // 1000 + 9}, "demo-validator-secret-of-32-bytes", "HS256")
    token_exchange.exchange(change, client, token)
    user = users.get(change, CUSTOMER, user.id)
    assert user.account is Account.REGISTERED
    assert (invitations.find_pending(change, user) == made) is pending
    if choice == "kept":
        assert invitations.get_pending(change, user) == made
        assert invitations.redeem(change, client, made.code)[0] == user
    else:
        with pytest.raises(Refusal, match="not_predefined"):
            invitations.get_pending(change, user)


def test_the_code_goes_with_its_user() -> None:
    """A removed linked user leaves no code that works and no timer (R365)."""
    change, client = opened(errors__spent_secrets="told")
    user = person(change, Account.LINKED)
    made = invitations.create(change, user, MINUTE)
    users.END(change, user)
    assert invitations.find_pending(change, user) is None
    with pytest.raises(Refusal, match="invitation_code_invalid"):
        token_exchange.exchange(change, client, made.code)
    assert not fire_due_timers(change.commit(), START_MS + DAY)[1]
