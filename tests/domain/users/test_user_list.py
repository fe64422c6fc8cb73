"""The list of users against a plain list that is filtered and sorted."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.members import roles
from confsim.domain.users import user_list, users
from confsim.domain.users.user_list import UserSort
from confsim.domain.users.users import USERS, Account, Level
from confsim.kernel.world import World
from kit import refused

LEVELS = (Level.CUSTOMER_ADMIN, Level.PARTNER_ADMIN)
#: Handle, the levels held, whether operator of a channel, account.
USER = st.tuples(
    st.sampled_from(["ann", "Bob", "bea", "Ann 2"]),
    st.sampled_from([(), LEVELS[:1], LEVELS[1:], LEVELS]),
    st.booleans(),
    st.sampled_from([Account.REGISTERED, Account.PREDEFINED, Account.GUEST]),
)
#: Who is listed, by the choice.
LISTED = {
    "roles": lambda user, hosts: bool(user.levels) or hosts,
    "registered": lambda user, hosts: user.account is not Account.GUEST,
    "everybody": lambda user, hosts: True,
}


@given(
    st.lists(USER, max_size=8),
    st.sampled_from([None, "", "an", "B", "z"]),
    st.sampled_from([None, [10], [20], [10, 20], [99], [10, 99]]),
    st.booleans(),
    st.sampled_from(list(LISTED)),
    st.booleans(),
)
def test_users_are_those_who_match_by_handle(found, search, levels, ignored, whom, descending):
    """Members, registered ones or all, as it is assumed; holders of one of the levels; part of the handle."""
    chosen = {"users.listed": whom, "levels.filter": "ignore" if ignored else "strict"}
    change = World(seed=1).change(0, ProfileContext(chosen))
    client = clients.create(change, "C", None)
    room = channels.create(change, client, "Room", None, None)
    hosts = set()
    for handle, held, hosting, account in found:
        user = users.create(change, client.id, handle, account, levels=held)
        if hosting:
            roles.add_operator(change, room, user)
            hosts.add(user.id)
    if ignored and levels is not None:
        levels = [level for level in levels if level in {10, 20}] or None
    held = None if levels is None else {level for id, level in zip((10, 20), LEVELS, strict=True) if id in levels}
    expected = [
        user
        for user in USERS.of(change, client.id).all
        if LISTED[whom](user, user.id in hosts)
        and (held is None or held & set(user.levels))
        and (not search or search.lower() in user.handle.lower())
    ]
    expected.sort(key=lambda user: user.handle.casefold(), reverse=descending)
    shown = user_list.list_users(change, client, search, levels, UserSort.HANDLE, descending=descending)
    assert [user.handle.casefold() for user in shown] == [user.handle.casefold() for user in expected]
    assert {user.id for user in shown} == {user.id for user in expected}


@pytest.mark.parametrize("choice", ["left-out", "refused"])
def test_users_of_several_ids(choice):
    """Each once, in the order asked; an id that names nobody in the client is left out, or refused (G216, G217)."""
    change = World(seed=1).change(0, ProfileContext({"users.several-unknown": choice}))
    mine, other = (clients.create(change, name, None) for name in ("C", "D"))
    ann, bob, foreign = (
        users.create(change, client.id, handle, Account.REGISTERED)
        for client, handle in ((mine, "ann"), (mine, "bob"), (other, "cid"))
    )
    assert user_list.list_by_ids(change, mine, [bob.id, ann.id, bob.id]) == [bob, ann]
    asked = [bob.id, foreign.id, ann.id]
    if choice == "refused":
        assert refused(user_list.list_by_ids, change, mine, asked) is Reason.NOT_FOUND
    else:
        assert user_list.list_by_ids(change, mine, asked) == [bob, ann]


def test_a_registered_user_is_found_by_handle():
    """In any case; a guest of the handle is not (G257), nor a user of another client."""
    change = World(seed=1).change(0)
    mine, other = (clients.create(change, name, None) for name in ("C", "D"))
    ann = users.create(change, mine.id, "Ann", Account.REGISTERED)
    users.create(change, mine.id, "Gus", Account.GUEST)
    assert user_list.get_by_handle(change, mine, "aNN") == ann
    for client, handle in ((mine, "Gus"), (other, "Ann")):
        assert refused(user_list.get_by_handle, change, client, handle) is Reason.NOT_FOUND


@pytest.mark.rule("R153")
@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("rank", ["nobody", "operator", "customer", "partner", "both"]),
        ("id", ["nobody", "operator", "partner", "customer", "both"]),
        ("count", ["nobody", "operator", "customer", "partner", "both"]),
    ],
)
def test_levels_are_compared_by_rank_by_id_or_by_their_number(choice, expected):
    """A Customer Admin's id may be the higher one; who holds none is before those who hold one (G090)."""
    table = {"customer-admin": {"id": 9, "name": "A"}, "partner-admin": {"id": 4, "name": "B"}}
    change = World(seed=1).change(
        0, ProfileContext({"users.level-order": choice, "users.listed": "everybody", "levels.table": table})
    )
    client = clients.create(change, "C", None)
    room = channels.create(change, client, "Room", None, None)
    held = {"nobody": (), "operator": (), "customer": LEVELS[:1], "partner": LEVELS[1:], "both": LEVELS}
    for handle, levels in held.items():
        user = users.create(change, client.id, handle, Account.REGISTERED, levels=levels)
        if handle == "operator":
            roles.add_operator(change, room, user)
    shown = user_list.list_users(change, client, None, None, UserSort.LEVEL, descending=False)
    assert [user.handle for user in shown] == expected


@pytest.mark.parametrize(
    ("choice", "levels", "expected"),
    [
        ("strict", [77], []),
        ("strict", [77, 10], ["customer"]),
        ("ignore", [77], ["customer", "nobody"]),
        ("ignore", [77, 10], ["customer"]),
        ("strict", None, ["customer", "nobody"]),
    ],
)
def test_an_unknown_level_matches_nobody_or_is_ignored(choice, levels, expected):
    """The known ones beside it filter as ever (G091)."""
    change = World(seed=1).change(0, ProfileContext({"levels.filter": choice, "users.listed": "registered"}))
    client = clients.create(change, "C", None)
    for handle, held in (("nobody", ()), ("customer", LEVELS[:1])):
        users.create(change, client.id, handle, Account.REGISTERED, levels=held)
    shown = user_list.list_users(change, client, None, levels, UserSort.HANDLE, descending=False)
    assert [user.handle for user in shown] == expected
