"""Predefined users at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.clients import clients
from confsim.domain.users import predefined, users
from confsim.domain.users.users import USERS, Account
from kit import CUSTOMER, OTHER, refused


def stage(**profile):
    """A change of the demo world, and its client."""
    change = Simulator(clock=0, profile=profile).service.change()
    return change, clients.get(change, CUSTOMER)


@pytest.mark.rule("R058", "R178")
@pytest.mark.parametrize(
    ("choice", "handle", "full_name"),
    [
        ("both", "Petra Planned", "Petra Planned"),
        ("handle", "Petra Planned", None),
        ("full-name", "user-1", "Petra Planned"),
    ],
)
def test_the_name_is_handle_full_name_or_both(choice, handle, full_name):
    """A made-up handle stands where the name is the full name alone (G209); no authentication is attached."""
    change, client = stage(**{"users.predefined-name": choice})
    user = predefined.create(change, client, "Petra Planned")
    assert (user.handle, user.full_name) == (handle, full_name)
    assert (user.account, user.auth_kind, user.identity) == (Account.PREDEFINED, None, None)


@pytest.mark.parametrize(("choice", "taken"), [("both", False), ("handle", True), ("full-name", False)])
def test_a_name_must_be_free_where_it_is_the_handle_alone(choice, taken):
    """A registered user has this handle (G209)."""
    change, client = stage(**{"users.predefined-name": choice})
    if taken:
        assert refused(predefined.create, change, client, "UMA user") is Reason.HANDLE_TAKEN
    else:
        predefined.create(change, client, "UMA user")


@pytest.mark.rule("R179", "R189")
def test_the_origin_id_finds_the_user_again():
    """In the client of the user alone, in its own case; nobody has another one."""
    change, client = stage()
    user = predefined.create(change, client, "Petra", origin_id="hr-7")
    assert predefined.get(change, client, "hr-7") == user
    for whose, id in ((client, "HR-7"), (client, "nobody"), (clients.get(change, OTHER), "hr-7")):
        assert refused(predefined.get, change, whose, id) is Reason.PREDEFINED_USER_NOT_FOUND


@pytest.mark.rule("R179")
@pytest.mark.parametrize("choice", ["refuse", "existing"])
def test_an_origin_id_is_one_users(choice):
    """A second one of the client is refused, or the first is answered unchanged (G213); another client may have it."""
    change, client = stage(**{"users.origin-id-twice": choice})
    user = predefined.create(change, client, "Petra", origin_id="hr-7")
    before = len(USERS.of(change, CUSTOMER))
    if choice == "refuse":
        assert refused(predefined.create, change, client, "Other", origin_id="hr-7") is Reason.ORIGIN_ID_TAKEN
    else:
        assert predefined.create(change, client, "Other", origin_id="hr-7") == user
    assert len(USERS.of(change, CUSTOMER)) == before
    assert predefined.create(change, clients.get(change, OTHER), "Petra", origin_id="hr-7") != user


@pytest.mark.parametrize("choice", ["any", "predefined"])
def test_whether_a_connected_user_is_found(choice):
    """Any user of the client is, or only those who are still predefined (G214)."""
    change, client = stage(**{"users.origin-lookup": choice})
    planned = predefined.create(change, client, "Petra", origin_id="hr-7")
    connected = users.create(change, CUSTOMER, "Paul", Account.REGISTERED, origin_id="hr-8")
    assert predefined.get(change, client, "hr-7") == planned
    if choice == "any":
        assert predefined.get(change, client, "hr-8") == connected
    else:
        assert refused(predefined.get, change, client, "hr-8") is Reason.PREDEFINED_USER_NOT_FOUND
