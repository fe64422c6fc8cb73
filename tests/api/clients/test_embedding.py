"""Origins and domains of a client."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.clients import clients, embedding
from kit import CUSTOMER, OTHER, PARTNER, START, code

KINDS = [("set_origins", "list_origins"), ("set_domains", "list_domains")]


@pytest.mark.rule("R018", "R229", "R230")
@pytest.mark.parametrize(("set_", "read"), KINDS)
def test_the_list_is_replaced_and_read_in_its_order(sim, set_, read):
    """A bare array in and out: order stays, duplicates go (G291), a new list takes the place of the old."""
    assert sim.call(read, "demo-customer-admin", clientId=CUSTOMER).body == []
    sim.call(set_, "demo-customer-admin", clientId=CUSTOMER, body=["old.example"])
    sim.call(set_, "demo-api-token", clientId=CUSTOMER, body=["b.example", "a.example", "b.example"])
    assert sim.call(read, "demo-api-token", clientId=CUSTOMER).body == ["b.example", "a.example"]
    assert sim.call(set_, "demo-customer-admin", clientId=CUSTOMER, body=[]).status == 200
    assert sim.call(read, "demo-customer-admin", clientId=CUSTOMER).body == []


@pytest.mark.rule("R230", "R231")
def test_only_domains_are_answered_when_set(sim):
    """Setting domains answers the array, setting origins answers nothing."""
    domains = sim.call("set_domains", "demo-customer-admin", clientId=CUSTOMER, body=["a.example", "a.example"])
    origins = sim.call("set_origins", "demo-customer-admin", clientId=CUSTOMER, body=["https://a.example"])
    assert domains.body == ["a.example"]
    assert (origins.status, origins.content) == (200, b"")


@pytest.mark.parametrize("set_", ["set_origins", "set_domains"])
@pytest.mark.parametrize("body", [{}, {"origins": []}, "a.example", [1], [None], [["a"]], None])
def test_only_an_array_of_strings_is_taken(sim, set_, body):
    """Anything else is refused."""
    assert sim.call(set_, "demo-customer-admin", clientId=CUSTOMER, body=body).status == 400


@pytest.mark.parametrize(("set_", "read"), KINDS)
@pytest.mark.parametrize("who", ["demo-owner", "demo-user", "demo-guest"])
def test_everybody_of_the_client_reads_and_administrators_write(sim, set_, read, who):
    """Embedding needs reading; lists of the whole client are changed by its administrators (G030)."""
    assert sim.call(read, who, clientId=CUSTOMER).body == []
    assert sim.call(set_, who, clientId=CUSTOMER, body=[]).body["code"] == "role_missing"
    assert sim.call(read, "demo-other-admin", clientId=CUSTOMER).status == 404


def test_only_partner_admins_read_of_a_child(sim):
    """The parent's API token, which manages no children, is refused (G157, G152)."""
    token = sim.call("create_api_token", "demo-partner-admin", body={}).body["token"]
    assert sim.call("list_origins", token, clientId=CUSTOMER).body["code"] == "role_missing"
    assert sim.call("list_origins", "demo-partner-admin", clientId=CUSTOMER).body == []


@pytest.mark.parametrize("read", ["list_origins", "list_domains"])
def test_alternative_that_reading_is_public(read):
    """The widget reads without a token then (G030)."""
    sim = Simulator(clock=START, profile={f"gate.{read}": "public"})
    assert sim.call(read, None, clientId=CUSTOMER).body == []


@pytest.mark.parametrize(("set_", "read"), KINDS)
def test_the_client_of_the_path_is_the_own_or_a_child(sim, set_, read):
    """A Partner Admin reaches children; parents, unrelated and unknown clients are not there (G157)."""
    assert sim.call(set_, "demo-partner-admin", clientId=CUSTOMER, body=["a.example"]).status == 200
    assert sim.call(read, "demo-customer-admin", clientId=CUSTOMER).body == ["a.example"]
    for client in (PARTNER, OTHER, "nobody"):
        assert sim.call(read, "demo-customer-admin", clientId=client).status == 404
        assert sim.call(set_, "demo-customer-admin", clientId=client, body=[]).status == 404


@pytest.mark.parametrize(("set_", "read"), KINDS)
def test_a_disabled_child_is_read_but_not_written(sim, set_, read):
    """The parent's administrator may look, not change (G156)."""
    sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    assert sim.call(read, "demo-partner-admin", clientId=CUSTOMER).status == 200
    answer = sim.call(set_, "demo-partner-admin", clientId=CUSTOMER, body=[])
    assert code(answer) == (403, "service_disabled")


@pytest.mark.rule("R558")
def test_a_login_leads_back_to_listed_domains_only(sim):
    """The redirect after OAuth goes to a listed domain and to no other."""
    sim.call("set_domains", "demo-customer-admin", clientId=CUSTOMER, body=["App.example"])
    client = clients.get(sim.service.change(), CUSTOMER)
    assert sim.call("list_domains", "demo-customer-admin", clientId=CUSTOMER).body == ["App.example"]
    assert embedding.may_redirect_to(client, "https://app.example:8443/back?x=1")
    for url in (
        "https://evil.example/",
        "https://app.example.evil.example/",
        "/back",
        "https://app.example@evil.example",
    ):
        assert not embedding.may_redirect_to(client, url)


@pytest.mark.parametrize(("set_", "read"), KINDS)
def test_a_disabled_child_is_not_even_read_by_choice(set_, read):
    """A disabled service may refuse everything, no matter who asks (G162)."""
    sim = Simulator(clock=START, profile={"service.refused-while-disabled": "everything"})
    assert sim.call(read, "demo-partner-admin", clientId=CUSTOMER).status == 200
    sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    answer = sim.call(read, "demo-partner-admin", clientId=CUSTOMER)
    assert code(answer) == (403, "service_disabled")


@pytest.mark.parametrize(
    ("set_", "good", "bad"),
    [
        ("set_origins", "https://a.example:8443", "a.example"),
        ("set_origins", "http://localhost", "https://a.example/path"),
        ("set_domains", "a.example", "https://a.example"),
    ],
)
def test_alternative_that_entries_are_checked(set_, good, bad):
    """Origins are scheme, host and port; domains are host names (G291)."""
    sim = Simulator(clock=START, profile={"embedding.check": True})
    assert sim.call(set_, "demo-customer-admin", clientId=CUSTOMER, body=[good]).status == 200
    assert sim.call(set_, "demo-customer-admin", clientId=CUSTOMER, body=[good, bad]).body["code"] == "invalid_input"


def test_alternative_that_only_the_own_client_is_named():
    """A child in the path is not found then (G157)."""
    sim = Simulator(clock=START, profile={"clients.path-client": "own"})
    assert sim.call("list_origins", "demo-partner-admin", clientId=CUSTOMER).status == 404
    assert sim.call("list_origins", "demo-partner-admin", clientId=PARTNER).status == 200
