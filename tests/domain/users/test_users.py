from __future__ import annotations

from enum import Enum
from itertools import product

import pytest
from msgspec.structs import replace

from confsim.assumptions.register import ProfileContext
from confsim.assumptions.users import users as assumed
from confsim.domain.clients import clients
from confsim.domain.users import users
from confsim.domain.users.users import (
    BY_HANDLE,
    CREATED_BY,
    MACHINE,
    USERS,
    Account,
    AuthKind,
    Identity,
    Level,
    User,
    folded,
)
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change, World
from kit.tables import fire

#: Every move of an account that P1 and P2 know; everything else is refused.
MOVES = {
    (ABSENT, "create guest"): Account.GUEST,
    (ABSENT, "link"): Account.LINKED,
    (ABSENT, "dial"): Account.DIALLED,
    (ABSENT, "predefine"): Account.PREDEFINED,
    (ABSENT, "create registered"): Account.REGISTERED,
    (Account.GUEST, "register"): Account.REGISTERED,
    (Account.PREDEFINED, "exchange"): Account.REGISTERED,
    (Account.REGISTERED, "exchange"): Account.REGISTERED,
    (Account.PREDEFINED, "redeem"): Account.REGISTERED,
    (Account.LINKED, "end"): ABSENT,
    (Account.GUEST, "end"): ABSENT,
    (Account.DIALLED, "end"): ABSENT,
    (Account.GUEST, "limit"): Account.GUEST,
}


@pytest.fixture
def change() -> Change:
    """A change of an empty world."""
    return World().change(1_000)


def _made(change: Change, account: Account, client: str = "c", **fields) -> User:
    return users.create(change, client, "Ann", account, **fields)


@pytest.mark.parametrize(("state", "trigger"), sorted(product(MACHINE.states, MACHINE.triggers), key=str))
def test_the_account_moves_as_stated_and_in_no_other_way(change: Change, state: Enum, trigger: str):
    """Each trigger leads each state where the documents say, and is refused everywhere else."""
    rows = USERS.of(change, "c")
    draft = User(id=1, client="c", handle="Ann", account=Account.GUEST, origin_id="o-1", reputation=1)
    user = None if state is ABSENT else rows.put(replace(draft, account=state))
    every = {"origin": "o-1", "handle": "Bob", "draft": draft, "identity": Identity("google"), "ends": 2_000}
    if (state, trigger) in MOVES:
        fire(MACHINE, trigger, change, user, **every)
        assert MACHINE.state(rows.get(1)) is MOVES[state, trigger]
    else:
        with pytest.raises(Refusal):
            fire(MACHINE, trigger, change, user, **every)


def test_a_login_attaches_its_identity(change: Change):
    """Roles and id stay, and the account is one of OAuth."""
    user = _made(change, Account.PREDEFINED)
    users.redeem(change, user, Identity("github"))
    found = users.get(change, "c", user.id)
    assert (found.identity, found.auth_kind) == (Identity("github"), AuthKind.OAUTH)


def test_an_identity_of_another_origin_connects_nobody(change: Change):
    """An identity token attaches to the predefined user of its own origin id alone."""
    user = _made(change, Account.PREDEFINED, origin_id="o-1")
    with pytest.raises(Refusal):
        users.connect(change, user, "o-2")


def test_every_kind_of_account_is_created(change: Change):
    """Each has a trigger that creates it, in that state."""
    assert {account: _made(change, account).account for account in CREATED_BY} == {
        account: account for account in CREATED_BY
    }
    assert set(Account) == set(CREATED_BY)


@pytest.mark.rule("R044")
def test_user_ids_are_unique_over_all_clients(change: Change):
    """No two users of the service have the same id, whatever client they belong to."""
    ids = [_made(change, Account.REGISTERED, client).id for client in ("a", "b", "a", "c")]
    assert ids == [1000, 1001, 1002, 1003]


@pytest.mark.rule("R096")
def test_a_guest_who_registers_keeps_id_and_leaves_the_channel(change: Change):
    """Registration gives the guest the handle and frees him from the channel he was made for."""
    guest = _made(change, Account.GUEST, channel="room", full_name="Ann A")
    user = users.register(change, guest, "Ann the First")
    assert (user.id, user.handle, user.channel, user.full_name) == (guest.id, "Ann the First", None, "Ann A")
    assert USERS.of(change, "c").where(BY_HANDLE, folded("ann the first")).first == user


@pytest.mark.parametrize("account", sorted(set(CREATED_BY) - {Account.GUEST}, key=str))
def test_only_guests_register_themselves(change: Change, account: Account):
    """Anyone who is no guest cannot become registered by an own call."""
    with pytest.raises(Refusal, match="not_a_guest"):
        users.register(change, _made(change, account), "Bob")


@pytest.mark.parametrize("account", CREATED_BY)
def test_registered_users_alone_occupy_their_handle(change: Change, account: Account):
    """Guests, linked, dialled and predefined users share handles freely."""
    user = _made(change, account)
    expected = user if account is Account.REGISTERED else None
    assert USERS.of(change, "c").where(BY_HANDLE, folded("ANN")).first == expected


def test_a_removed_user_is_not_found(change: Change):
    """A user who was removed is as unknown as one who never was."""
    linked = _made(change, Account.LINKED)
    users.END(change, linked)
    for id in (linked.id, 99, -1):
        with pytest.raises(Refusal, match="not_found"):
            users.get(change, "c", id)


def test_a_user_of_another_client_is_not_found(change: Change):
    """A foreign id is simply not there."""
    user = _made(change, Account.REGISTERED, "a")
    with pytest.raises(Refusal, match="not_found"):
        users.get(change, "b", user.id)


@pytest.mark.parametrize(
    ("one", "other"), [("Neo", "nEO"), ("Straße", "STRASSE"), ("é", "é"), ("Ångström", "ångström")]
)
def test_handles_that_look_alike_are_equal(one: str, other: str):
    """Case and the Unicode form of composition make no difference between handles."""
    assert folded(one) == folded(other)


def test_levels_have_the_ids_and_names_of_the_table():
    """Access levels are shown by the ids and names in force."""
    levels = {"customer-admin": {"id": 7, "name": "Boss"}, "partner-admin": {"id": 9, "name": "Over-boss"}}
    change = World().change(0, ProfileContext({"levels.table": levels}))
    assert users.level_id(change, Level.CUSTOMER_ADMIN) == 7
    assert users.level_name(change, Level.PARTNER_ADMIN) == "Over-boss"


def test_the_first_id_and_the_reputation_are_assumptions():
    """A profile chooses where ids start and what reputation new users have."""
    change = World().change(0, ProfileContext({assumed.FIRST_USER_ID.id: 7, assumed.REPUTATION.id: 3}))
    client = clients.create(change, "C", None)
    user = users.create(change, client.id, "Ann", Account.REGISTERED)
    assert (user.id, user.reputation) == (7, 3)


def test_the_kinds_of_authentication_are_those_that_have_a_word():
    """A public provider's and custom authentication, under the names by which a profile gives other words (G204)."""
    assert {kind.name: kind.value for kind in AuthKind} == {"OAUTH": "OAuth", "CUSTOM": "Custom"}
    assert {kind.value for kind in AuthKind} == set(assumed.AUTH_KINDS)
