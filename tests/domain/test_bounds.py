"""What is just within a bound and just beyond it, and choices that few profiles make, over several packages."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol import durations
from confsim.domain.events import endpoints
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OWNER, PARTNER, PARTNER_ADMIN, ROOM, USER, code, demo, ok
from kit.things.identity_tokens import CLAIMS, exchange, hs


@pytest.mark.parametrize(("more", "status"), [(0, 200), (1, 400)])
def test_the_longest_breakout_session(more, status):
    """As long as any duration may be."""
    body = {"duration": durations.LONGEST + more}
    assert demo().call("create_breakout_session", OWNER, uuid=EVENT_ROOM, body=body).status == status


@pytest.mark.parametrize(("length", "admitted"), [(255, True), (256, False)])
def test_the_longest_origin_id(length, admitted):
    """What an identity token names the person by."""
    assert exchange(demo(), hs(CLAIMS, sub="x" * length)).ok is admitted


def test_found_users_by_their_rank():
    """A Partner Admin ranks above a Customer Admin, no matter who came first."""
    sim = demo()
    ids = [sim.make_user(CUSTOMER, f"Ann {level}", levels=[level]).id for level in (20, 10)]
    listed = ok(sim, "list_users", ADMIN, search="ann", sort="level", order="desc")["results"]
    assert [each["id"] for each in listed] == ids


def test_names_of_clients_may_be_unique():
    """Then one that is taken is refused."""
    for choice, status in (("allow", 200), ("refuse", 409)):
        sim = demo(clients__names=choice)
        ok(sim, "create_client", PARTNER_ADMIN, body={"name": "Twice"})
        assert sim.call("create_client", PARTNER_ADMIN, body={"name": "Twice"}).status == status


@pytest.mark.parametrize(("inherited", "more"), [(False, []), (True, ["above"])])
def test_validators_of_the_clients_above(inherited, more):
    """After the client's own, where they are listed."""
    sim = demo(validators__inherited=inherited)
    own = [each["id"] for each in ok(sim, "list_validators")]
    sim.make_validator(PARTNER, "above", "HS256", "a secret that is long enough for everybody")
    assert [each["id"] for each in ok(sim, "list_validators")] == own + more


def test_origins_that_are_checked_have_no_case():
    """As host names have none; they are of ASCII."""
    sim = demo(embedding__check=True)
    assert sim.call("set_origins", ADMIN, clientId=CUSTOMER, body=["HTTPS://Page.Example"]).ok
    assert sim.call("set_domains", ADMIN, clientId=CUSTOMER, body=["Page.Example"]).ok
    for operation, entry in (("set_origins", "https://pag\u00e9.example"), ("set_domains", "pa\u017fe.example")):
        assert code(sim.call(operation, ADMIN, clientId=CUSTOMER, body=[entry])) == (400, "invalid_input")


def test_a_secret_counts_its_renewals():
    """None at first."""
    change = demo().service.change()
    assert endpoints._renewals(change, CUSTOMER) == 0


def test_an_admission_rests_on_who_may_admit():
    """It says so, whatever comes of it."""
    sim = demo()
    ok(sim, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    user = ok(sim, "get_me", USER)["id"]
    assert sim.presence.join(ROOM, user).state == "waiting"
    sim.presence.admit(ROOM, user)
    assert "lobby.admission" in sim.assumptions_used
