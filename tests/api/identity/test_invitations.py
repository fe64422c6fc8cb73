"""Invitations over the wire."""

from __future__ import annotations

from typing import Any

import jwt
import pytest

from confsim import Simulator
from confsim.domain.users import users
from confsim.domain.users.users import Account
from kit import CUSTOMER, DAY, MINUTE, ROOM, START, START_MS

CALLS = ("create_invitation", "get_invitation")


@pytest.fixture
def stub(sim: Simulator) -> int:
    """The id of a predefined user."""
    return sim.call("create_predefined_user", "demo-api-token", body={"name": "Stub"}).body["id"]


@pytest.fixture
def linked(sim: Simulator) -> int:
    """The id of a channel-linked user of the demo room."""
    change = sim.service.change()
    user = users.create(change, CUSTOMER, "Linked", Account.LINKED, channel=ROOM)
    sim.service.commit(change)
    return user.id


def create(sim: Simulator, id: int, caller: str | None = "demo-customer-admin", **arguments: Any) -> Any:
    """The answer to the creation of an invitation."""
    return sim.call("create_invitation", caller, userId=id, **arguments)


def read(sim: Simulator, id: int, caller: str | None = "demo-customer-admin", **arguments: Any) -> Any:
    """The answer to the reading of an invitation."""
    return sim.call("get_invitation", caller, userId=id, **arguments)


@pytest.mark.rule("R065", "R066")
def test_an_invitation_has_a_user_a_code_an_end_and_a_kind(sim: Simulator, stub: int) -> None:
    """A Nonce for a predefined user, for seven days without ttl (G114, G233)."""
    body = create(sim, stub).body
    assert set(body) == {"userId", "code", "expires", "kind"}
    assert (body["userId"], body["kind"], body["expires"]) == (stub, "Nonce", START_MS + 7 * DAY)


@pytest.mark.rule("R038", "R039", "R040", "R183")
@pytest.mark.parametrize(
    ("ttl", "life"),
    [("1s", 1000), ("1m", MINUTE), ("90m", 90 * MINUTE), ("1h", 60 * MINUTE), ("1d", DAY), ("2w", 14 * DAY)],
)
def test_ttl_is_a_number_and_a_unit(sim: Simulator, stub: int, ttl: str, life: int) -> None:
    """1m is a minute, 1d a day; the code is pending so long and no longer."""
    assert create(sim, stub, ttl=ttl).body["expires"] == START_MS + life
    sim.service.clock.move(START_MS + life - 1)
    assert read(sim, stub).status == 200
    sim.service.clock.move(START_MS + life)
    assert read(sim, stub).status == 404


@pytest.mark.rule("R038")
@pytest.mark.parametrize("ttl", ["", "5", "m", "0m", "-1m", "1.5.5d", "1M", "1y", "1m ", "1 m", "1m1m", "9" * 20 + "d"])
def test_a_ttl_without_sense_is_refused(sim: Simulator, stub: int, ttl: str) -> None:
    """400, and no invitation is made."""
    assert create(sim, stub, ttl=ttl).status == 400
    assert read(sim, stub).status == 404


@pytest.mark.rule("R007")
def test_ttl_counts_in_the_query_alone(sim: Simulator, stub: int) -> None:
    """A ttl in the body plays no part."""
    assert create(sim, stub, body={"ttl": "1m"}).body["expires"] == START_MS + 7 * DAY


@pytest.mark.parametrize(
    ("unit", "expires"), [("epoch-ms", START_MS + MINUTE), ("epoch-s", (START_MS + MINUTE) // 1000)]
)
def test_the_unit_of_expires(unit: str, expires: int) -> None:
    """Epoch milliseconds, or seconds (G113)."""
    sim = Simulator(clock=START, profile={"units.invitation-expires": unit})
    id = sim.call("create_predefined_user", "demo-api-token", body={"name": "Stub"}).body["id"]
    assert create(sim, id, ttl="1m").body["expires"] == expires


@pytest.mark.rule("R064", "R122", "R123")
def test_re_making_leaves_one_code(sim: Simulator, stub: int) -> None:
    """The second is current and another than the first."""
    first, second = create(sim, stub).body, create(sim, stub).body
    assert first["code"] != second["code"]
    assert read(sim, stub).body == second


@pytest.mark.rule("R185", "R186", "R561")
def test_reading_tells_the_whole_pending_code_and_changes_nothing(sim: Simulator, stub: int) -> None:
    """As often as wanted, as long as it is pending; 404 when there is none (G238)."""
    answer = read(sim, stub)
    assert (answer.status, answer.body["code"]) == (404, "invitation_not_pending")
    made = create(sim, stub).body
    before = sim.service.world
    assert read(sim, stub).body == read(sim, stub).body == made
    assert sim.service.world is before


@pytest.mark.rule("R062", "R063", "R067")
def test_a_redeemed_code_is_gone(sim: Simulator, stub: int) -> None:
    """A login with it connects the user to a provider, once; later calls find no predefined user (G202, G239)."""
    from confsim.domain.clients import clients
    from confsim.domain.identity import invitations

    code = create(sim, stub).body["code"]
    change = sim.service.change()
    _, token = invitations.redeem(change, clients.get(change, CUSTOMER), code)
    sim.service.commit(change)
    sim.call("accept_terms", token.value, version=1)
    answer = sim.call("get_user_auth_method", token.value, userId="me")
    assert answer.body["provider"]["name"] == "google"
    assert read(sim, stub).body["code"] == "not_predefined"
    change = sim.service.change()
    with pytest.raises(Exception, match="invitation_code_invalid"):
        invitations.redeem(change, clients.get(change, CUSTOMER), code)


def test_a_nonce_is_not_exchanged(sim: Simulator, stub: int) -> None:
    """The exchange answers 401 to a Nonce as to any text that is not a token, and it stays pending (G234)."""
    made = create(sim, stub).body
    answer = sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": made["code"]})
    assert (answer.status, answer.body["code"]) == (401, "identity_token_malformed")
    assert read(sim, stub).body == made


@pytest.mark.rule("R068", "R470", "R548")
def test_a_channel_linked_user_counts_as_predefined(sim: Simulator, linked: int) -> None:
    """Its code is Persistent, a JWT, read and re-made by the same calls and exchanged for a service token (G443)."""
    first, made = create(sim, linked).body, create(sim, linked, ttl="1d").body
    assert made["kind"] == "Persistent"
    assert jwt.decode(made["code"], options={"verify_signature": False})["sub"] == str(linked)
    assert read(sim, linked).body == made
    for code, status in ((made["code"], 200), (first["code"], 401), (made["code"], 200)):
        assert sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": code}).status == status


@pytest.mark.rule("R181")
@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("of", ["demo-owner", "demo-customer-admin", "demo-guest"])
def test_other_users_are_not_invited(sim: Simulator, people: dict[str, int], operation: str, of: str) -> None:
    """400 for registered users and guests (G239)."""
    answer = sim.call(operation, "demo-customer-admin", userId=people[of])
    assert (answer.status, answer.body["code"]) == (400, "not_predefined")


@pytest.mark.rule("R182")
@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize(("userId", "status"), [("me", 400), ("x", 400), ("1.5", 400), ("99999", 404), ("-1", 404)])
def test_the_user_is_named_by_number(sim: Simulator, operation: str, userId: str, status: int) -> None:
    """There is no me, and an unknown number is 404."""
    assert sim.call(operation, "demo-customer-admin", userId=userId).status == status


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize(
    ("caller", "of_stub", "of_linked"),
    [
        (None, 401, 401),
        ("demo-guest", 403, 403),
        ("demo-user", 403, 403),
        ("demo-operator", 403, 200),
        ("demo-owner", 403, 200),
        ("demo-customer-admin", 200, 200),
        ("demo-api-token", 200, 200),
        ("demo-other-admin", 404, 404),
        ("demo-partner-admin", 404, 404),
    ],
)
def test_who_may_invite(
    sim: Simulator, stub: int, linked: int, operation: str, caller: str | None, of_stub: int, of_linked: int
) -> None:
    """Administrators, and for linked users the hosts of their channel (G240, G443)."""
    create(sim, stub)
    create(sim, linked)
    assert sim.call(operation, caller, userId=stub).status == of_stub
    assert sim.call(operation, caller, userId=linked).status == of_linked


@pytest.mark.rule("R032")
def test_a_partner_admin_invites_in_a_child(sim: Simulator, stub: int) -> None:
    """With for_client both calls run in the child."""
    made = create(sim, stub, "demo-partner-admin", for_client=CUSTOMER)
    assert made.status == 200
    assert read(sim, stub, "demo-partner-admin", for_client=CUSTOMER).body == made.body


@pytest.mark.rule("R057")
def test_the_user_list_tells_when_a_pending_invitation_ends(sim: Simulator, stub: int) -> None:
    """Only while it is pending, and only for the invited."""
    create(sim, stub, ttl="1d")
    listed = sim.call("list_users", "demo-customer-admin").body["results"]
    assert {each["id"]: each.get("invitationExpiry") for each in listed if "invitationExpiry" in each} == {
        stub: START_MS + DAY
    }
    sim.service.clock.move(START_MS + DAY)
    listed = sim.call("list_users", "demo-customer-admin").body["results"]
    assert not any("invitationExpiry" in each for each in listed)


def test_a_disabled_service_invites_nobody(sim: Simulator, stub: int) -> None:
    """A pending code can be read, but none is made."""
    made = create(sim, stub).body
    sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    assert create(sim, stub).status == 403
    assert read(sim, stub).body == made
