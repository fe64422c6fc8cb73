"""The list of users: pages, orders, filters, and what it shows."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.users import users as assumed
from confsim.domain.identity import invitations
from confsim.domain.users.users import Account, Level
from kit import ADMIN, CUSTOMER, OWNER, PARTNER_ADMIN, ROOM
from kit.things.people import made_user, under, updated


# The user list
def listed(sim: Simulator, caller: str = ADMIN, **query) -> list[str]:
    """The handles in the order of the list."""
    answer = sim.call("list_users", caller, **query)
    assert answer.status == 200, answer
    return [item["handle"] for item in answer.body["results"]]


@pytest.mark.rule("R021", "R055", "R056", "R151")
def test_the_user_list_holds_whoever_has_a_role(sim, people):
    """Level holders, owners and operators are listed; plain users and guests are not."""
    answer = sim.call("list_users", ADMIN)
    assert answer.body.keys() == {"total", "results"}
    assert answer.body["total"] == 3
    assert answer.body["results"][0] == {
        "levels": [{"id": 10, "name": "Customer Admin"}],
        "id": people[ADMIN],
        "authKind": "OAuth",
        "kind": "User",
        "handle": "Carla Customer",
    }
    assert [item["levels"] for item in answer.body["results"][1:]] == [[], []]


@pytest.mark.rule("R053", "R151")
def test_a_guest_who_is_operator_is_listed_without_auth_kind(sim, people):
    """A channel role is a role, no matter who has it."""
    assert sim.call("add_operator", OWNER, uuid=ROOM, userId=people["demo-guest"]).ok
    (item,) = sim.call("list_users", ADMIN, search="gwen").body["results"]
    assert "authKind" not in item


@pytest.mark.rule("R057")
def test_predefined_users_are_listed_with_the_end_of_their_invitation(sim):
    """A predefined user is listed; a pending invitation shows when it expires, in epoch milliseconds."""
    stub = made_user(sim, CUSTOMER, "Stub", Account.PREDEFINED)
    (before,) = sim.call("list_users", ADMIN, search="stub").body["results"]
    change = sim.service.change()
    invitations.create(change, stub, 60_000)
    sim.service.commit(change)
    (after,) = sim.call("list_users", ADMIN, search="stub").body["results"]
    assert "invitationExpiry" not in before
    assert after == {**before, "invitationExpiry": sim.service.clock.now() + 60_000}


@pytest.mark.parametrize(
    ("choice", "handles"),
    [
        ("registered", ["Carla Customer", "Olaf Owner", "Opal Operator", "Uma User"]),
        ("everybody", ["Carla Customer", "Guest Gwen", "Olaf Owner", "Opal Operator", "Uma User"]),
    ],
)
def test_a_profile_lists_more_users(choice, handles):
    """Where a profile says so, users without a role are listed too."""
    assert listed(under({assumed.LISTED.id: choice}), sort="handle", order="asc") == handles


@pytest.mark.rule("R032")
def test_the_user_list_of_a_child(sim):
    """With for_client the list is that of the child."""
    assert listed(sim, PARTNER_ADMIN) == ["Paula Partner"]
    assert set(listed(sim, PARTNER_ADMIN, for_client=CUSTOMER)) == {"Carla Customer", "Olaf Owner", "Opal Operator"}


@pytest.mark.parametrize("caller", ["demo-owner", "demo-operator", "demo-user", "demo-guest"])
def test_the_user_list_is_for_administrators(sim, caller):
    """Anyone who is no administrator is refused."""
    assert sim.call("list_users", caller).status == 403


@pytest.mark.rule("R152")
@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("OPERATOR", ["Opal Operator"]),
        ("o", ["Carla Customer", "Olaf Owner", "Opal Operator"]),
        ("f O", ["Olaf Owner"]),
        ("%", []),
        ("zoë", ["Carla Customer"]),
    ],
)
def test_search_filters_handles_and_names(sim, people, search, found):
    """A search matches a part of the handle or of the full name, without case."""
    updated(sim, people[ADMIN], CUSTOMER, full_name="Zoë C")
    assert sorted(listed(sim, search=search)) == found


@pytest.mark.rule("R153", "R154", "R019")
def test_the_default_order_is_by_level_downwards(sim, people):
    """Partner Admin, Customer Admin, owner, operator, none; sending the defaults is the same."""
    updated(sim, people["demo-user"], CUSTOMER, levels=(Level.PARTNER_ADMIN,))
    made_user(sim, CUSTOMER, "Stub", Account.PREDEFINED)
    expected = ["Uma User", "Carla Customer", "Olaf Owner", "Opal Operator", "Stub"]
    assert listed(sim) == listed(sim, sort="level", order="desc") == expected
    assert listed(sim, order="asc") == expected[::-1]


@pytest.mark.parametrize(("choice", "first"), [("id", "Carla Customer"), ("count", "Uma User")])
def test_a_profile_chooses_what_levels_are_compared_by(people, choice, first):
    """Levels are compared by their highest id, or by how many a user holds."""
    table = {"customer-admin": {"id": 9, "name": "A"}, "partner-admin": {"id": 4, "name": "B"}}
    sim = under({assumed.LEVEL_ORDER.id: choice, "levels.table": table})
    updated(sim, people[ADMIN], CUSTOMER, levels=(Level.CUSTOMER_ADMIN,))
    updated(sim, people["demo-operator"], CUSTOMER, levels=(Level.PARTNER_ADMIN,))
    if choice == "count":
        both = (Level.CUSTOMER_ADMIN, Level.PARTNER_ADMIN)
        updated(sim, people["demo-user"], CUSTOMER, levels=both)
    assert listed(sim)[0] == first


@pytest.mark.rule("R153")
def test_sorting_by_handle_ignores_case(sim):
    """Handles stand in the order of their letters, capital or not."""
    for handle in ("ada", "Bea", "cy"):
        made_user(sim, CUSTOMER, handle, Account.PREDEFINED)
    expected = ["ada", "Bea", "Carla Customer", "cy", "Olaf Owner", "Opal Operator"]
    assert listed(sim, sort="handle", order="asc") == expected
    assert listed(sim, sort="handle") == expected[::-1]


@pytest.mark.rule("R027", "R028")
@pytest.mark.parametrize(
    "query", [{"sort": "name"}, {"sort": ""}, {"sort": "LEVEL"}, {"order": "up"}, {"order": "ASC"}]
)
def test_other_columns_and_orders_are_refused(sim, query):
    """Only the columns and orders that the call states are allowed."""
    assert sim.call("list_users", ADMIN, **query).status == 400


@pytest.mark.rule("R155")
@pytest.mark.parametrize(
    ("levels", "found"),
    [
        ("10", ["Carla Customer"]),
        ("20", ["Olaf Owner"]),
        ("10,20", ["Carla Customer", "Olaf Owner"]),
        ("77", []),
        ("77, 10", ["Carla Customer"]),
    ],
)
def test_levels_keeps_holders_of_one_of_them(sim, people, levels, found):
    """A user with at least one of the levels stays; an unknown level is nobody's."""
    updated(sim, people["demo-owner"], CUSTOMER, levels=(Level.PARTNER_ADMIN,))
    assert sorted(listed(sim, levels=levels)) == found


def test_an_empty_list_of_levels_is_refused(sim):
    """An empty value is rarely meant (G051); items that are empty are left out (G075)."""
    answer = sim.call("list_users", ADMIN, levels="")
    assert (answer.status, answer.body["details"][0]["where"]) == (400, "query levels")
    assert sim.call("list_users", ADMIN, levels="10,").body["total"] == 1


@pytest.mark.rule("R151")
@pytest.mark.parametrize(
    ("gate", "callers"),
    [("operator", {"demo-owner", "demo-operator"}), ("owner", {"demo-owner"}), ("customer-admin", {ADMIN})],
)
def test_any_role_may_call_by_choice(gate, callers):
    """Roles in a channel count where the path names no channel: any of the client will do (G219)."""
    sim = under({"gate.list_users": [gate], "roles.api-token-passes": []})
    tokens = ("demo-owner", "demo-operator", ADMIN, "demo-user", "demo-guest", "demo-api-token")
    assert {token for token in tokens if sim.call("list_users", token).status == 200} == callers


def test_levels_are_numbers(sim):
    """A level id that is no number is refused."""
    assert sim.call("list_users", ADMIN, levels="10,admin").status == 400


@pytest.mark.rule("R020", "R022", "R023", "R156")
def test_pages_of_the_user_list(sim):
    """Total counts everyone who matches every filter, whatever page is asked for."""
    for place in range(25):
        made_user(sim, CUSTOMER, f"Stub {place:02}", Account.PREDEFINED)
    made_user(sim, CUSTOMER, "Stub boss", levels=(Level.CUSTOMER_ADMIN,))
    page = sim.call("list_users", ADMIN, search="stub", sort="handle", order="asc", limit="2", offset="23").body
    assert (page["total"], [item["handle"] for item in page["results"]]) == (26, ["Stub 23", "Stub 24"])
    assert sim.call("list_users", ADMIN, search="stub", levels="10").body["total"] == 1
    assert len(listed(sim)) == 20
    assert listed(sim, offset="99") == []
