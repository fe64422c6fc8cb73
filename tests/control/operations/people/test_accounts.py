"""Clients, users, tokens and logins that come from outside the API."""

from __future__ import annotations

import pytest

from confsim import Misuse
from kit import CUSTOMER, DAY, PARTNER, ROOM, START_MS


def test_a_user_token_lives_as_long_as_any(plane, sim, people):
    """Without ttl it lives a day, and works as a login's would."""
    status, made = plane("POST", "/tokens", {"userId": people["demo-owner"]})
    assert (status, made["expires"]) == (200, START_MS + DAY)
    assert sim.call("get_me", made["token"]).body["handle"] == "Olaf Owner"


@pytest.mark.parametrize(("ttl", "life"), [("15m", 900_000), (1500, 1500), ("1h 30m", 5_400_000)])
def test_a_token_lives_as_long_as_told(plane, sim, people, ttl, life):
    """From its end on it is dead."""
    made = plane("POST", "/tokens", {"userId": people["demo-user"], "ttl": ttl})[1]
    assert made["expires"] == START_MS + life
    sim.clock.advance(life - 1)
    assert sim.call("get_user_terms", made["token"]).status == 200
    sim.clock.advance(1)
    assert sim.call("get_user_terms", made["token"]).status == 401


def test_an_api_token_of_a_client(plane, sim):
    """It never expires unless given a ttl, and is listed like any."""
    made = plane("POST", "/tokens", {"clientId": PARTNER, "kind": "api"})[1]
    assert made["expires"] is None
    assert len(sim.call("list_api_tokens", made["token"]).body) == 1
    short = plane("POST", "/tokens", {"clientId": PARTNER, "kind": "api", "ttl": "1m"})[1]
    assert short["expires"] == START_MS + 60_000
    sim.clock.advance("1m")
    assert sim.call("list_api_tokens", short["token"]).status == 401
    assert sim.call("list_api_tokens", made["token"]).ok


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"userId": 1000, "clientId": PARTNER}, 400),
        ({"userId": 1000, "kind": "api"}, 400),
        ({"clientId": PARTNER, "kind": "user"}, 400),
        ({"userId": 1000, "ttl": 0}, 400),
        ({"userId": 1000, "ttl": "soon"}, 400),
        ({"userId": "1000"}, 400),
        ({"userId": 99}, 404),
        ({"clientId": "nobody", "kind": "api"}, 404),
        ({"userId": 2**70}, 400),
    ],
)
def test_a_wrong_order_for_a_token(plane, sim, body, status):
    """The problem says what is wrong, and no token is issued."""
    before = sim.service.world
    found, problem = plane("POST", "/tokens", body)
    assert (found, problem["status"]) == (status, status)
    assert sim.service.world is before


def test_a_user_is_made_who_has_accepted_the_terms(plane, sim):
    """The token works at once, and levels and address are as ordered."""
    made = plane("POST", "/users", {"clientId": CUSTOMER, "handle": "Ada", "levels": [10], "email": "ada@x.example"})[1]
    assert sim.call("get_user_terms", made["token"]).body["isCurrent"] is True
    assert sim.call("list_own_access_levels", made["token"]).body[0]["id"] == 10
    assert sim.call("get_user_email", made["token"], userId=made["id"]).body == {
        "email": "ada@x.example",
        "verified": True,
    }


def test_an_address_that_is_not_verified_is_mailed_its_code(plane, sim):
    """The mail stands in the outbox, with the code that verifies the address."""
    body = {"clientId": CUSTOMER, "handle": "Eve", "email": "eve@x.example", "verified": False}
    made = plane("POST", "/users", body)[1]
    (mail,) = plane("GET", "/mail?to=eve@x.example")[1]
    assert mail["kind"] == "email-verification"
    assert sim.call("verify_user_email", made["token"], userId="me", code=mail["code"]).ok


def test_an_unregistered_user(plane, sim):
    """It may be made for a channel."""
    made = plane("POST", "/users", {"clientId": CUSTOMER, "handle": "G", "registered": False, "channel": ROOM})[1]
    assert sim.call("get_me", made["token"]).body["unregistered"] is True


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"clientId": "nobody"}, 404),
        ({"handle": " "}, 400),
        ({"handle": "Olaf Owner"}, 409),
        ({"levels": [11]}, 400),
        ({"levels": [10], "registered": False}, 400),
        ({"channel": "nowhere"}, 404),
        ({"email": "no address"}, 400),
        ({"role": "owner"}, 400),
        ({"registered": "yes"}, 400),
    ],
)
def test_a_wrong_order_for_a_user(plane, sim, changes, status):
    """The problem says what is wrong, and no user is made."""
    before = sim.service.world
    found, problem = plane("POST", "/users", {"clientId": CUSTOMER, "handle": "New", **changes})
    assert (found, problem["status"]) == (status, status)
    assert sim.service.world is before


def test_clients_of_any_depth(plane, sim):
    """A chain of clients, each below the last."""
    parent = CUSTOMER
    for depth in range(5):
        parent = plane("POST", "/clients", {"name": f"Depth {depth}", "parent": parent})[1]["id"]
    parents = {each["id"]: each["parent"] for each in plane("GET", "/info")[1]["clients"]}
    chain = [parent]
    while parents[chain[-1]] is not None:
        chain.append(parents[chain[-1]])
    assert (len(chain), chain[-1]) == (7, PARTNER)


@pytest.mark.parametrize(("body", "status"), [({"name": "X", "parent": "nope"}, 404), ({"parent": None}, 400)])
def test_a_wrong_order_for_a_client(plane, body, status):
    """An unknown parent and a missing name."""
    assert plane("POST", "/clients", body)[0] == status


@pytest.fixture
def invited(sim):
    """The code of a predefined user's invitation, and the user's id."""
    made = sim.call("create_predefined_user", "demo-api-token", body={"name": "Pia", "originId": "p1"}).body
    code = sim.call("create_invitation", "demo-api-token", userId=made["id"]).body["code"]
    return code, made["id"]


@pytest.mark.rule("R067")
def test_redeeming_an_invitation_is_a_login(plane, sim, invited):
    """The user gets a token, and the code is used up."""
    code, user = invited
    status, redeemed = plane("POST", "/invitations/redeem", {"code": code})
    assert (status, redeemed["userId"]) == (200, user)
    assert sim.call("get_user_terms", redeemed["token"]).ok
    assert plane("POST", "/invitations/redeem", {"code": code})[0] == 401


def test_an_unknown_code_is_reported(plane, sim):
    """As the API would refuse it, in a problem document."""
    status, problem = plane("POST", "/invitations/redeem", {"code": "nope"})
    assert (status, problem["code"]) == (401, "invitation_code_invalid")


def test_the_same_in_python(sim, people, invited):
    """Every order is a method of the simulator, refused by Misuse."""
    assert sim.call("get_user_terms", sim.token(people["demo-user"], "5m")).ok
    child = sim.make_client("Below", CUSTOMER).id
    assert sim.call("get_user_terms", sim.make_user(child, "Someone").token).ok
    assert sim.redeem(invited[0]).userId == invited[1]
    with pytest.raises(Misuse, match="no user 5"):
        sim.token(5)
    assert sim.call("promulgate_terms", sim.token(client=CUSTOMER), body={"url": "https://terms.example/2"}).ok
    with pytest.raises(Misuse, match="give userId"):
        sim.token()
    with pytest.raises(Misuse, match="unknown field"):
        sim.make_user(child, "Another", colour="red")
