"""What one needs to try an operation: tokens and records."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from confsim.api.catalogue import API
from confsim.kernel.tables.table import Table
from kit import API_TOKEN, CUSTOMER, GUEST, OWNER, ROOM, START, USER


@pytest.fixture(scope="module")
def sim():
    """The demo world."""
    return Simulator(clock=START)


def verdicts(sim, operation):
    """Whether the gate of an operation admits each token."""
    return {each.token: each.admitted for each in sim.control("try_operation", operation).tokens}


def test_the_tokens_that_a_gate_admits_come_first(sim):
    """With the names and roles of their holders; whom the gate admits is told in words."""
    found = sim.control("try_operation", "create_channel")
    assert found.may == "registered users and API tokens"
    assert [each.admitted for each in found.tokens] == ["yes"] * 7 + ["no"]
    guest = found.tokens[-1]
    assert (guest.token, guest.label, guest.role, guest.client) == (GUEST, "Guest Gwen", "guest", CUSTOMER)
    assert found.operation.path == "/channels/create"


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("get_me", {OWNER: "yes", USER: "yes"}),
        ("get_channel", {OWNER: "depends", GUEST: "depends", API_TOKEN: "yes"}),
        ("add_operator", {OWNER: "depends", API_TOKEN: "yes"}),
        ("create_client", {OWNER: "no", "demo-partner-admin": "yes"}),
        ("get_client_terms", {GUEST: "yes", OWNER: "yes"}),
    ],
)
def test_a_gate_that_depends_on_the_path_says_so(sim, operation, expected):
    """A role in the channel of the path counts there alone; that of a client counts everywhere."""
    assert expected.items() <= verdicts(sim, operation).items()


@pytest.mark.parametrize("operation", ["create_channel", "get_me", "create_client", "list_users"])
def test_a_verdict_is_that_of_a_call(operation):
    """Whoever is admitted is not refused for the role, and whoever is not, is."""
    sim = Simulator(clock=START)
    for token, verdict in verdicts(sim, operation).items():
        body = {"name": f"by {token}"} if operation.startswith("create") else None
        refused = (
            sim.call(operation, token, body=body).status == 403 if body else sim.call(operation, token).status == 403
        )
        assert verdict == ("no" if refused else "yes"), token


def test_arguments_have_records_to_choose_from(sim):
    """Those of the path, and those of query and body that name a thing; the newest records first."""
    found = {each.name: each for each in sim.control("try_operation", "add_operator").arguments}
    assert [each.label for each in found["uuid"].suggestions] == ["Demo Event Room", "Demo Room"]
    assert (found["uuid"].where, found["uuid"].kind, found["uuid"].suggestions[1].id) == ("path", "channels", ROOM)
    assert "Uma User" in [each.label for each in found["userId"].suggestions]
    ours = sim.control("try_operation", "add_operator", client=CUSTOMER).arguments[1].suggestions
    assert {each.client for each in ours} == {CUSTOMER}


def test_every_operation_can_be_tried(sim):
    """No secret is suggested."""
    for operation in API:
        found = sim.control("try_operation", operation.name)
        assert found.may
        for argument in found.arguments:
            for named in argument.suggestions:
                assert Table.declared[named.kind].key_name not in Table.declared[named.kind].secrets


def test_an_unknown_operation_or_client_is_refused(sim):
    """With what was probably meant."""
    with pytest.raises(Misuse, match="did you mean 'create_channel'"):
        sim.control("try_operation", "create_chanel")
    with pytest.raises(Misuse, match="there is no client"):
        sim.control("try_operation", "create_channel", client="x")
