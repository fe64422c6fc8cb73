"""Access levels: who holds them, who gives them."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.users import users
from confsim.domain.users.users import Account
from kit import CUSTOMER, PARTNER, START, code
from kit.each import each

CUSTOMER_ADMIN, PARTNER_ADMIN = 10, 20
BOTH = [{"id": 10, "name": "Customer Admin"}, {"id": 20, "name": "Partner Admin"}]


def person(sim, account=Account.REGISTERED, client=CUSTOMER, **fields):
    """A new user who has accepted the terms."""
    change = sim.service.change()
    made = users.create(change, client, f"New {account.value}", account, accepted=1, **fields)
    sim.service.commit(change)
    return made.id


def levels(sim, user, who="demo-customer-admin", **query):
    """The ids of the levels of the user."""
    return [level["id"] for level in sim.call("list_user_access_levels", who, userId=user, **query).body]


def give(sim, who, user, level=CUSTOMER_ADMIN, **query):
    """Give the user the level."""
    return sim.call("add_access_level", who, userId=user, level=level, **query)


def take(sim, who, user, level=CUSTOMER_ADMIN, **query):
    """Take the level from the user."""
    return sim.call("remove_access_level", who, userId=user, level=level, **query)


@pytest.mark.rule("R209", "R056")
def test_a_level_is_added(sim, people):
    """The user then holds it, also in the user list."""
    assert give(sim, "demo-customer-admin", people["demo-user"]).status == 200
    assert levels(sim, people["demo-user"]) == [CUSTOMER_ADMIN]
    listed = sim.call("list_users", "demo-customer-admin", levels=CUSTOMER_ADMIN).body["results"]
    assert {"id": 10, "name": "Customer Admin"} in next(
        user["levels"] for user in listed if user["id"] == people["demo-user"]
    )


@pytest.mark.rule("R060")
def test_a_predefined_user_holds_levels(sim):
    """A stub account can hold a level before any authentication is attached."""
    user = person(sim, Account.PREDEFINED)
    assert give(sim, "demo-api-token", user).status == 200
    assert levels(sim, user) == [CUSTOMER_ADMIN]


@pytest.mark.rule("R210")
@pytest.mark.parametrize(("level", "status"), [("Customer Admin", 400), ("customer-admin", 400), ("", 400), (99, 404)])
def test_a_level_goes_by_its_number(sim, people, level, status):
    """A name is no id, and an id that names no level is not found (G143)."""
    assert give(sim, "demo-customer-admin", people["demo-user"], level).status == status


def test_adding_a_level_twice_changes_nothing(sim, people):
    """The level is held once (G142)."""
    for _ in range(2):
        assert give(sim, "demo-customer-admin", people["demo-user"]).status == 200
    assert levels(sim, people["demo-user"]) == [CUSTOMER_ADMIN]


@pytest.mark.rule("R211")
def test_a_level_is_removed(sim, people):
    """The user no longer holds it; removing it again finds nothing (G142)."""
    give(sim, "demo-customer-admin", people["demo-user"])
    assert take(sim, "demo-customer-admin", people["demo-user"]).status == 200
    assert levels(sim, people["demo-user"]) == []
    again = take(sim, "demo-customer-admin", people["demo-user"])
    assert code(again) == (404, "level_not_held")


@pytest.mark.rule("R212")
def test_levels_are_what_gates_look_at(sim, people):
    """The next call passes an administrator's gate when the level is there, and is refused when it is gone."""
    body = {"url": "https://terms.example/x"}
    assert sim.call("update_terms_url", "demo-user", body=body).status == 403
    give(sim, "demo-customer-admin", people["demo-user"])
    assert sim.call("update_terms_url", "demo-user", body=body).status == 200
    take(sim, "demo-customer-admin", people["demo-user"])
    assert sim.call("update_terms_url", "demo-user", body=body).status == 403


@pytest.mark.rule("R024", "R213")
@pytest.mark.parametrize(
    ("who", "found"),
    [
        ("demo-partner-admin", BOTH),
        ("demo-customer-admin", BOTH[:1]),
        ("demo-api-token", BOTH[:1]),
        ("demo-owner", []),
        ("demo-guest", []),
    ],
)
def test_the_assignable_levels_are_those_up_to_the_own(sim, who, found):
    """A bare array of id and name: nothing for callers without a level (G141)."""
    assert sim.call("list_assignable_access_levels", who).body == found


@pytest.mark.rule("R032")
def test_in_a_child_a_partner_admin_names_customer_admins(sim):
    """Partner Admins are named in the own client only (G139)."""
    assert sim.call("list_assignable_access_levels", "demo-partner-admin", for_client=CUSTOMER).body == BOTH[:1]


@pytest.mark.rule("R214")
@pytest.mark.parametrize("who", ["demo-customer-admin", "demo-api-token", "demo-partner-admin"])
def test_only_assignable_levels_are_given_and_taken(sim, people, who):
    """Whatever the list does not hold is refused, in either direction."""
    query = {"for_client": CUSTOMER} if who == "demo-partner-admin" else {}
    listed = {level["id"] for level in sim.call("list_assignable_access_levels", who, **query).body}
    for level in (CUSTOMER_ADMIN, PARTNER_ADMIN):
        for act in (give, take):
            answer = act(sim, who, people["demo-user"], level, **query)
            assert answer.status == (200 if level in listed else 403)


@pytest.mark.parametrize("who", ["demo-owner", "demo-user", "demo-guest"])
def test_others_give_and_take_nothing(sim, people, who):
    """Levels are the administrators' business."""
    assert give(sim, who, people["demo-operator"]).status == 403
    assert take(sim, who, people["demo-customer-admin"]).status == 403


@pytest.mark.rule("R211")
@pytest.mark.parametrize("act", [give, take])
def test_nobody_changes_the_own_levels(sim, people, act):
    """Levels are added and removed for others (G144)."""
    answer = act(sim, "demo-customer-admin", people["demo-customer-admin"])
    assert code(answer) == (403, "level_own")


@pytest.mark.parametrize("account", [Account.GUEST, Account.LINKED, Account.DIALLED])
def test_unregistered_users_hold_no_levels(sim, account):
    """Guests are temporary, levels administrative (G146)."""
    answer = give(sim, "demo-customer-admin", person(sim, account))
    assert code(answer) == (400, "level_for_guest")


@pytest.mark.parametrize("operation", ["add_access_level", "remove_access_level", "list_user_access_levels"])
def test_foreign_and_unknown_users_are_not_there(sim, people, operation):
    """Users of other clients are not found; the path takes a number only (G158)."""
    level = {} if operation == "list_user_access_levels" else {"level": CUSTOMER_ADMIN}
    for user in (people["demo-other-admin"], people["demo-partner-admin"], 7):
        assert sim.call(operation, "demo-customer-admin", userId=user, **level).status == 404
    assert sim.call(operation, "demo-customer-admin", userId="Me", **level).status == 400


@pytest.mark.rule("R024", "R215")
def test_levels_of_a_user_are_a_bare_array(sim, people):
    """Id and name of each level the user holds."""
    answer = sim.call("list_user_access_levels", "demo-customer-admin", userId=people["demo-customer-admin"])
    assert answer.body == BOTH[:1]


@pytest.mark.parametrize(
    ("who", "whose", "status"),
    [
        ("demo-owner", "demo-owner", 200),
        ("demo-owner", "demo-user", 403),
        ("demo-guest", "demo-owner", 403),
        ("demo-api-token", "demo-owner", 200),
        ("demo-customer-admin", "demo-owner", 200),
    ],
)
def test_who_reads_levels(sim, people, who, whose, status):
    """The user and administrators (G145)."""
    assert sim.call("list_user_access_levels", who, userId=people[whose]).status == status


def test_everybody_lists_the_own_levels(sim):
    """A user's own levels, none for most; an API token is no user (G566)."""
    assert sim.call("list_own_access_levels", "demo-partner-admin").body == BOTH[1:]
    assert sim.call("list_own_access_levels", "demo-guest").body == []
    assert sim.call("list_own_access_levels", "demo-api-token").body["code"] == "no_user_context"


@pytest.mark.rule("R032")
def test_a_partner_admin_manages_a_childs_levels(sim, people):
    """for_client runs all four calls in the child."""
    user = people["demo-user"]
    assert give(sim, "demo-partner-admin", user).status == 404
    assert give(sim, "demo-partner-admin", user, for_client=CUSTOMER).status == 200
    assert levels(sim, user, "demo-partner-admin", for_client=CUSTOMER) == [CUSTOMER_ADMIN]
    assert take(sim, "demo-partner-admin", user, for_client=CUSTOMER).status == 200
    assert levels(sim, user) == []


def test_a_partner_admin_names_another_in_the_own_client(sim):
    """The level is grantable there by who holds it (G139)."""
    user = person(sim, client=PARTNER)
    assert give(sim, "demo-partner-admin", user, PARTNER_ADMIN).status == 200
    assert levels(sim, user, "demo-partner-admin") == [PARTNER_ADMIN]


@each(
    "profile, who, query, found",
    [
        ({"levels.grantable": "below-own"}, "demo-partner-admin", {}, [10]),
        ({"levels.grantable": "below-own"}, "demo-customer-admin", {}, []),
        ({"levels.grantable": "all"}, "demo-customer-admin", {}, [10, 20]),
        ({"roles.partner-admin-granted": "children"}, "demo-partner-admin", {"for_client": CUSTOMER}, [10, 20]),
        ({"roles.partner-admin-granted": "nowhere"}, "demo-partner-admin", {}, [10]),
    ],
)
def test_alternatives_for_assignable_levels(profile, who, query, found):
    """Below the own, all of them, Partner Admins in children or nowhere (G139, G141)."""
    sim = Simulator(clock=START, profile=profile)
    assert [level["id"] for level in sim.call("list_assignable_access_levels", who, **query).body] == found


def test_other_ids_and_names_of_levels(people):
    """A profile gives the true ids, and every call goes by them (G140)."""
    table = {"customer-admin": {"id": 1, "name": "Boss"}, "partner-admin": {"id": 2, "name": "Partner"}}
    sim = Simulator(clock=START, profile={"levels.table": table})
    assert sim.call("list_own_access_levels", "demo-customer-admin").body == [{"id": 1, "name": "Boss"}]
    assert give(sim, "demo-customer-admin", people["demo-user"], 1).status == 200
    assert give(sim, "demo-customer-admin", people["demo-user"], 10).status == 404


def test_alternatives_for_the_own_levels(people):
    """Freely changed, or as long as an administrator is left (G144)."""
    free = Simulator(clock=START, profile={"levels.own": "freely"})
    assert take(free, "demo-customer-admin", people["demo-customer-admin"]).status == 200
    guarded = Simulator(clock=START, profile={"levels.own": "keep-one"})
    last = take(guarded, "demo-customer-admin", people["demo-customer-admin"])
    assert code(last) == (409, "level_last_admin")
    give(guarded, "demo-customer-admin", people["demo-user"])
    assert take(guarded, "demo-customer-admin", people["demo-customer-admin"]).status == 200


def test_alternative_that_guests_hold_levels(people):
    """A guest can be given a level where that is assumed (G146)."""
    sim = Simulator(clock=START, profile={"levels.guests": True})
    assert give(sim, "demo-customer-admin", people["demo-guest"]).status == 200


def test_alternatives_for_what_a_partner_admin_includes():
    """Without them a Partner Admin is no Customer Admin in the own client, or in children (G139)."""
    body = {"url": "https://terms.example/x"}
    sim = Simulator(clock=START, profile={"roles.partner-admin-includes": ["children"]})
    assert sim.call("update_terms_url", "demo-partner-admin", body=body).status == 403
    assert sim.call("list_api_tokens", "demo-partner-admin", for_client=CUSTOMER).status == 200
    sim = Simulator(clock=START, profile={"roles.partner-admin-includes": ["own"]})
    assert sim.call("update_terms_url", "demo-partner-admin", body=body).status == 200
    assert sim.call("list_api_tokens", "demo-partner-admin", for_client=CUSTOMER).status == 403
