"""Callers that are identified once: what is remembered, and what makes it forgotten."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from confsim import Simulator
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS, ServiceState
from confsim.domain.identity import credentials
from confsim.kernel.tables.table import Table
from confsim.service.checks import callers
from kit import ADMIN, API_TOKEN, CUSTOMER, MINUTE, OWNER, PARTNER, PARTNER_ADMIN, START


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tokens that were looked up in the tables, in order."""
    seen: list[str] = []
    authenticate = credentials.authenticate

    def noted(change, value):
        seen.append(value)
        return authenticate(change, value)

    monkeypatch.setattr(credentials, "authenticate", noted)
    return seen


def test_a_caller_is_looked_up_once_also_in_forks(looked_up):
    """The answers and the assumptions used are those of the first call."""
    simulator = Simulator(clock=START)
    first, again = (simulator.call("get_me", ADMIN) for _ in range(2))
    forked = simulator.fork().call("get_me", ADMIN)
    assert first.content == again.content == forked.content
    one, other = (entry.assumptions for entry in simulator.service.journal)
    assert list(one) == list(other)
    assert looked_up == [ADMIN]


def test_a_change_of_the_user_or_the_client_is_seen_at_once(looked_up):
    """A caller is looked up again after either."""
    simulator = Simulator(clock=START)
    me = simulator.call("get_me", OWNER).body
    simulator.call("set_user_full_name", OWNER, userId="me", body={"fullName": "Another Name"})
    assert simulator.call("get_me", OWNER).body == {**me, "fullName": "Another Name"}
    simulator.call("update_terms_url", API_TOKEN, body={"url": "https://terms.example/9"})
    assert simulator.call("get_user_terms", OWNER).body["termsUrl"] == "https://terms.example/9"
    assert looked_up.count(OWNER) == 3


def test_a_change_of_others_leaves_a_caller_known(looked_up, monkeypatch):
    """Of another user, token or client, also of one above, and when tables have been declared meanwhile."""
    simulator = Simulator(clock=START)
    simulator.call("get_me", OWNER)
    monkeypatch.setattr(Table, "empty_states", [*Table.empty_states, Table.empty_states[0]])
    guest = simulator.control("make_user", clientId=CUSTOMER, handle="Somebody else")
    simulator.call("set_user_full_name", guest.token, userId="me", body={"fullName": "Another Name"})
    simulator.control("make_client", name="Another", parent=PARTNER)
    simulator.call("update_terms_url", PARTNER_ADMIN, body={"url": "https://terms.example/9"})
    simulator.call("get_me", OWNER)
    assert looked_up.count(OWNER) == 1


def test_an_api_token_stays_known_while_its_client_is_served(looked_up):
    """It acts for the client as that is now; a client that is disabled, or one below such a client, is looked up."""
    simulator = Simulator(clock=START)
    for number in range(3):
        url = f"https://terms.example/{number}"
        simulator.call("promulgate_terms", API_TOKEN, body={"url": url}, expect=200)
        terms = simulator.call("get_client_terms", API_TOKEN, clientId=CUSTOMER).body
        assert (terms["version"], terms["url"]) == (number + 2, url)
    assert looked_up == [API_TOKEN]
    for disabled in (CUSTOMER, PARTNER):
        sim = simulator.fork()
        client = clients.get(sim.service.change(), disabled)
        change = sim.service.change()
        CLIENTS.of(change).put(replace(client, service=ServiceState.DISABLED))
        sim.service.commit(change)
        assert sim.call("update_terms_url", API_TOKEN, body={"url": "https://terms.example/9"}).status == 403


def test_forks_share_who_is_known_and_not_what_their_clients_are(looked_up):
    """In turns each of two forks publishes terms: it counts its own versions, whoever was identified in between."""
    simulator = Simulator(clock=START)
    simulator.call("get_client_settings", API_TOKEN)
    forks = simulator.fork(), simulator.fork()
    for number in range(4):
        for fork in forks[: 1 + number % 2]:
            fork.call("promulgate_terms", API_TOKEN, body={"url": f"https://terms.example/{number}"}, expect=200)
    versions = [fork.call("get_client_terms", clientId=CUSTOMER).body["version"] for fork in forks]
    assert versions == [1 + 4, 1 + 2]
    assert looked_up == [API_TOKEN]


def test_no_more_callers_are_remembered_than_there_is_room_for(looked_up, monkeypatch):
    """When there are so many, all are looked up again."""
    monkeypatch.setattr(callers, "_MOST", 2)
    simulator = Simulator(clock=START)
    for token in (ADMIN, OWNER, ADMIN, OWNER, API_TOKEN, API_TOKEN, ADMIN, API_TOKEN):
        simulator.call("list_channels", token)
    assert looked_up == [ADMIN, OWNER, API_TOKEN, ADMIN]


def test_one_who_was_identified_is_refused_from_the_instant_on_that_says_so():
    """The token has expired, there are new terms to accept, or the client is disabled."""
    simulator = Simulator(clock=START)
    user = simulator.call("get_me", OWNER).body["id"]
    token = simulator.control("issue_token", userId=user, ttl=MINUTE).token
    assert simulator.call("get_me", token).ok
    simulator.clock.advance(MINUTE)
    assert simulator.call("get_me", token).status == 401
    assert simulator.call("get_me", OWNER).ok
    disabled = simulator.fork()
    disabled.call("set_client_service_state", PARTNER_ADMIN, clientId=CUSTOMER, state="disable")
    simulator.call("promulgate_terms", API_TOKEN, body={"url": "https://terms.example/9"})
    assert [each.call("reserve_handle", OWNER, body={"handle": "Any"}).status for each in (simulator, disabled)] == [
        *(401, 403),
    ]
