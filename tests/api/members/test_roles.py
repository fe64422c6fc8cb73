"""Channel roles: operators and owners."""

from __future__ import annotations

import pytest

from confsim.domain.users import users
from confsim.domain.users.users import Account
from kit import CUSTOMER, EVENT_ROOM, ROOM, code, demo

OPERATORS = ("add_operator", "remove_operator")
OWNERS = ("add_owner", "remove_owner", "demote_owner")


def operators(sim, who="demo-owner", channel=ROOM):
    """The ids in the list of operators, and whether each is owner."""
    return {host["id"]: host["isOwner"] for host in sim.call("list_operators", who, uuid=channel).body}


def person(sim, account):
    """A new user of this sort in the demo customer."""
    change = sim.service.change()
    made = users.create(change, CUSTOMER, "New", account, channel=ROOM if account in users.UNREGISTERED else None)
    sim.service.commit(change)
    return made.id


@pytest.mark.rule("R201", "R259")
def test_an_owner_makes_a_user_operator(sim, people):
    """The user is in the list, and sees so in the details of the channel."""
    assert sim.call("add_operator", "demo-owner", uuid=ROOM, userId=people["demo-user"]).status == 200
    assert operators(sim)[people["demo-user"]] is False
    details = sim.call("get_channel", "demo-user", uuid=ROOM).body
    assert (details["isOperator"], details["isOwner"]) == (True, False)


@pytest.mark.rule("R060", "R202")
@pytest.mark.parametrize(
    "account", [Account.REGISTERED, Account.PREDEFINED, Account.GUEST, Account.LINKED, Account.DIALLED]
)
def test_any_user_can_be_made_operator(sim, account):
    """Registered and predefined users, guests, linked and dialled users can hold the role."""
    user = person(sim, account)
    assert sim.call("add_operator", "demo-operator", uuid=ROOM, userId=user).status == 200
    assert user in operators(sim)


@pytest.mark.rule("R203", "R543", "R544")
@pytest.mark.parametrize("operation", OPERATORS)
def test_owners_operators_and_api_tokens_pass_the_host_gate(sim, people, operation):
    """An operator is a host, an owner ranks above, an API token has administrative access (G149)."""
    for who in ("demo-owner", "demo-operator", "demo-api-token"):
        sim.call("add_operator", "demo-owner", uuid=ROOM, userId=people["demo-user"])
        assert sim.call(operation, who, uuid=ROOM, userId=people["demo-user"]).status == 200


@pytest.mark.rule("R203", "R205")
@pytest.mark.parametrize("operation", OPERATORS)
@pytest.mark.parametrize("who", ["demo-user", "demo-guest", "demo-customer-admin"])
def test_others_do_not_pass_the_host_gate(sim, people, operation, who):
    """Neither users nor guests without the role, nor administrators: only by an owner or an operator."""
    answer = sim.call(operation, who, uuid=ROOM, userId=people["demo-operator"])
    assert code(answer) == (403, "role_missing")


@pytest.mark.rule("R204")
def test_nobody_makes_himself_operator(sim, people):
    """A user without the role cannot take it."""
    answer = sim.call("add_operator", "demo-user", uuid=ROOM, userId=people["demo-user"])
    assert answer.body["code"] == "role_missing"
    assert people["demo-user"] not in operators(sim)


@pytest.mark.rule("R201")
@pytest.mark.parametrize(("who", "owner"), [("demo-operator", False), ("demo-owner", True)])
def test_making_a_host_operator_again_changes_nothing(sim, people, who, owner):
    """An operator stays one, and an owner stays owner (G270)."""
    assert sim.call("add_operator", "demo-owner", uuid=ROOM, userId=people[who]).status == 200
    assert operators(sim)[people[who]] is owner


@pytest.mark.rule("R205", "R206")
def test_a_removed_operator_loses_host_rights_at_once(sim, people):
    """The very next call of the user is refused."""
    assert sim.call("list_operators", "demo-operator", uuid=ROOM).status == 200
    assert sim.call("remove_operator", "demo-owner", uuid=ROOM, userId=people["demo-operator"]).status == 200
    assert sim.call("list_operators", "demo-operator", uuid=ROOM).status == 403


def test_an_operator_may_leave(sim, people):
    """Operators may remove themselves (G273)."""
    assert sim.call("remove_operator", "demo-operator", uuid=ROOM, userId=people["demo-operator"]).status == 200


@pytest.mark.rule("R205")
def test_who_is_no_plain_operator_is_not_removed(sim, people):
    """A user without the role is not found, and an owner is to be demoted first (G272, G273)."""
    nobody = sim.call("remove_operator", "demo-owner", uuid=ROOM, userId=people["demo-user"])
    owner = sim.call("remove_operator", "demo-operator", uuid=ROOM, userId=people["demo-owner"])
    assert code(nobody) == (404, "not_operator")
    assert code(owner) == (409, "operator_is_owner")
    assert operators(sim)[people["demo-owner"]] is True


@pytest.mark.parametrize("operation", OPERATORS + OWNERS)
def test_users_and_channels_of_other_clients_are_not_there(sim, people, operation):
    """Foreign and unknown users, foreign and unknown channels are all not found (G271)."""
    for user in (people["demo-other-admin"], people["demo-partner-admin"], 1):
        assert sim.call(operation, "demo-owner", uuid=ROOM, userId=user).status == 404
    assert sim.call(operation, "demo-other-admin", uuid=ROOM, userId=people["demo-other-admin"]).status == 404
    assert sim.call(operation, "demo-owner", uuid="nope", userId=people["demo-user"]).status == 404
    assert sim.call(operation, "demo-owner", uuid=ROOM, userId="me").status == 400


@pytest.mark.rule("R547")
def test_a_guest_operator_passes_host_gates(sim, people):
    """A guest who was made operator may do what hosts may."""
    sim.call("add_operator", "demo-owner", uuid=ROOM, userId=people["demo-guest"])
    assert sim.call("list_operators", "demo-guest", uuid=ROOM).status == 200
    assert sim.call("add_operator", "demo-guest", uuid=ROOM, userId=people["demo-user"]).status == 200


@pytest.mark.rule("R024", "R207")
def test_operators_are_a_bare_array_with_owners(sim, people):
    """Each host has id, handle and isOwner, and imageUrl when set; owners stand first (G274)."""
    sim.call("set_user_image", "demo-operator", userId="me", url="https://images.example/a.png")
    answer = sim.call("list_operators", "demo-operator", uuid=ROOM, imgSize="small").body
    assert answer[0] == {"id": people["demo-owner"], "handle": "Olaf Owner", "isOwner": True}
    assert answer[1].pop("imageUrl").endswith("size=small")
    assert answer[1:] == [{"id": people["demo-operator"], "handle": "Opal Operator", "isOwner": False}]


@pytest.mark.rule("R207")
@pytest.mark.parametrize(
    ("who", "status"),
    [("demo-customer-admin", 200), ("demo-api-token", 200), ("demo-user", 403), ("demo-guest", 403)],
)
def test_who_may_read_operators(sim, who, status):
    """Operators and administrators may (G276)."""
    assert sim.call("list_operators", who, uuid=ROOM).status == status


@pytest.mark.rule("R024", "R208")
@pytest.mark.parametrize("who", ["demo-owner", "demo-user", "demo-guest", "demo-api-token", "demo-customer-admin"])
def test_whoever_has_access_reads_owners(sim, people, who):
    """The owners alone, in the same shape (G275)."""
    owners = [{"id": people["demo-owner"], "handle": "Olaf Owner", "isOwner": True}]
    assert sim.call("list_owners", who, uuid=ROOM).body == owners


@pytest.mark.rule("R545")
def test_the_creator_is_the_owner(sim, people):
    """A channel made by a user has that owner; one made by an API token has none."""
    made = sim.call("create_channel", "demo-user", body={"name": "Mine"}).body["channelUuid"]
    assert [host["id"] for host in sim.call("list_owners", "demo-user", uuid=made).body] == [people["demo-user"]]
    bare = sim.call("create_channel", "demo-api-token", body={"name": "Bare"}).body["channelUuid"]
    assert sim.call("list_owners", "demo-api-token", uuid=bare).body == []


def test_owners_are_added_demoted_and_removed(sim, people):
    """A user becomes owner, then plain operator, then owner again, then nothing."""
    at = {"uuid": ROOM, "userId": people["demo-user"]}
    assert sim.call("add_owner", "demo-owner", **at).status == 200
    assert operators(sim)[people["demo-user"]] is True
    assert sim.call("demote_owner", "demo-owner", **at).status == 200
    assert operators(sim)[people["demo-user"]] is False
    sim.call("add_owner", "demo-api-token", **at)
    assert sim.call("remove_owner", "demo-customer-admin", **at).status == 200
    assert people["demo-user"] not in operators(sim)


def test_adding_an_owner_twice_changes_nothing(sim, people):
    """An owner stays owner, once."""
    sim.call("add_owner", "demo-owner", uuid=ROOM, userId=people["demo-owner"])
    assert len(sim.call("list_owners", "demo-owner", uuid=ROOM).body) == 1


@pytest.mark.parametrize("operation", ["remove_owner", "demote_owner"])
def test_the_last_owner_stays(sim, people, operation):
    """A channel that has an owner keeps one (G562, G563); who is no owner is not found."""
    last = sim.call(operation, "demo-owner", uuid=ROOM, userId=people["demo-owner"])
    none = sim.call(operation, "demo-owner", uuid=ROOM, userId=people["demo-operator"])
    assert code(last) == (409, "last_owner")
    assert code(none) == (404, "not_owner")


@pytest.mark.parametrize("operation", OWNERS)
@pytest.mark.parametrize("who", ["demo-operator", "demo-user", "demo-guest"])
def test_only_owners_and_administrators_change_owners(sim, people, operation, who):
    """Operators do not reach above themselves."""
    assert sim.call(operation, who, uuid=ROOM, userId=people["demo-user"]).body["code"] == "role_missing"


@pytest.mark.parametrize(("choice", "status", "left"), [("take", 200, False), ("nothing", 200, True)])
def test_alternatives_for_removing_an_owner_from_the_operators(people, choice, status, left):
    """The ownership goes with it, or nothing happens (G272)."""
    sim = demo(roles__remove_operator_on_owner=choice)
    at = {"uuid": ROOM, "userId": people["demo-owner"]}
    assert sim.call("remove_operator", "demo-operator", **at).status == status
    assert (people["demo-owner"] in operators(sim, "demo-operator")) is left


def test_alternatives_for_lists_and_gates(people):
    """Operators without owners (G274), owners no operators (G148), admins who pass (G151), owners who go (G562)."""
    plain = demo(roles__operators_list="operators-only")
    assert operators(plain) == {people["demo-operator"]: False}
    separate = demo(roles__owner_is_operator=False)
    assert separate.call("list_dial_pins", "demo-owner", uuid=ROOM).status == 200
    assert separate.call("list_operators", "demo-owner", uuid=ROOM).status == 403
    assert separate.call("get_channel", "demo-owner", uuid=ROOM).body["isOperator"] is False
    passes = demo(roles__customer_admin_passes=["operator"])
    assert passes.call("add_operator", "demo-customer-admin", uuid=ROOM, userId=people["demo-user"]).status == 200
    going = demo(roles__last_owner="let-go")
    assert going.call("remove_owner", "demo-owner", uuid=ROOM, userId=people["demo-owner"]).status == 200


@pytest.mark.rule("R203", "R205")
def test_an_owner_makes_operators_even_where_owners_are_none(people):
    """Only by an owner or an operator: the words name both, whatever owners count as (G148)."""
    separate = demo(roles__owner_is_operator=False)
    for operation in OPERATORS:
        assert separate.call(operation, "demo-owner", uuid=ROOM, userId=people["demo-user"]).status == 200


def test_alternative_that_guests_of_other_channels_are_not_found(people):
    """A guest made for one channel is no candidate in another (G271)."""
    sim = demo(roles__guests_elsewhere=False)
    assert sim.call("add_operator", "demo-owner", uuid=EVENT_ROOM, userId=people["demo-guest"]).status == 404
    assert sim.call("add_operator", "demo-owner", uuid=ROOM, userId=people["demo-guest"]).status == 200


def test_api_tokens_pass_only_what_the_profile_lets_them(people):
    """Without the operator grant an API token is refused at the host gate (G149)."""
    sim = demo(roles__api_token_passes=["customer-admin"])
    assert sim.call("add_operator", "demo-api-token", uuid=ROOM, userId=people["demo-user"]).status == 403
