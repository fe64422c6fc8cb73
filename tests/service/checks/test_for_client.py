"""for_client: which operations run in a child's context, and who may ask for it."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.api import admission
from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.refusal import Refusal
from confsim.service.checks import checks
from kit import CUSTOMER, OTHER, PARTNER, START, code, demo
from kit.each import by_name, each

#: P1: the calls whose Query column lists for_client.
LISTED = {
    "get_user_auth_method", "list_validators", "enable_validator", "disable_validator", "get_user", "list_users",
    "check_handle_unique", "create_predefined_user", "create_invitation", "get_invitation", "add_access_level",
    "remove_access_level", "list_assignable_access_levels", "list_user_access_levels", "create_api_token",
    "list_api_tokens", "regenerate_api_token", "delete_api_token",
}  # fmt: skip
OPERATIONS = list(API)
WITH = [operation for operation in OPERATIONS if operation.for_client]
WITHOUT = [operation for operation in OPERATIONS if not operation.for_client]


def path(operation, user="1001"):
    """Texts for the path parameters, which parse whatever their types are."""
    values = dict.fromkeys(operation.placeholders, "1")
    for name in ("userId", "level"):
        if name in values:
            values[name] = user
    if "state" in values:
        values["state"] = "enable"
    return values


@pytest.fixture
def contexts(sim, monkeypatch):
    """The clients in which calls looked up their path and stood at their gate, where all of them are refused."""
    seen = []

    def admit(call, grants, *, missing=False):
        seen.append(call.client.id)
        raise Refusal(Reason.ROLE_MISSING, operation=call.operation.name, gate="nobody")

    monkeypatch.setattr(admission, "admit", admit)
    monkeypatch.setattr(checks, "_resolve", lambda call, *rest: seen.append(call.client.id))
    return seen


def test_exactly_the_listed_calls_take_it():
    """Those whose Query column says so, and no other."""
    assert {operation.name for operation in WITH} == LISTED


@pytest.mark.rule("R032")
@each("operation", WITH, ids=by_name)
def test_the_call_runs_in_the_child(sim, contexts, people, operation):
    """Everything that the path names is looked up there, and the gate is asked there."""
    contexts.clear()
    arguments = path(operation, str(people["demo-owner"]))
    sim.call(operation.name, "demo-partner-admin", body={}, for_client=CUSTOMER, **arguments)
    assert set(contexts) == {CUSTOMER}


@pytest.mark.rule("R036")
@each("operation", WITH, ids=by_name)
def test_without_it_the_call_runs_in_the_own_client(sim, contexts, people, operation):
    """The client is inferred from the credentials."""
    contexts.clear()
    arguments = path(operation, str(people["demo-partner-admin"]))
    sim.call(operation.name, "demo-partner-admin", body={}, **arguments)
    assert set(contexts) == {PARTNER}


@pytest.mark.rule("R037")
@each("operation", WITHOUT, ids=by_name)
def test_other_calls_ignore_it(sim, monkeypatch, operation):
    """A call that does not list it never enters a child: any value of it is passed over (G049)."""
    entered = []
    monkeypatch.setattr(checks, "_enter_child", lambda call, named: entered.append(named))
    sim.fork().call(operation.name, "demo-partner-admin", body={}, for_client=CUSTOMER, **path(operation))
    assert entered == []


@pytest.mark.rule("R037")
@pytest.mark.parametrize(("choice", "made"), [("refuse", 0), ("ignore", 1)])
def test_no_channel_is_made_in_the_own_client_by_a_for_client(choice, made):
    """POST /channels/create does not list it: refused, or by assumption ignored."""
    sim = demo(parse__for_client=choice)
    answer = sim.call("create_channel", "demo-partner-admin", body={"name": "Here"}, for_client=CUSTOMER)
    assert answer.status == (200 if made else 400)
    assert sim.call("list_channels", "demo-partner-admin").body["total"] == made


def test_it_counts_in_the_query_only(sim):
    """In the body it is no field of the call."""
    body = {"name": "Ada", "for_client": CUSTOMER}
    made = sim.call("create_predefined_user", "demo-partner-admin", body=body).body["id"]
    assert (
        sim.call("get_invitation", "demo-partner-admin", userId=made, for_client=CUSTOMER).body["code"] == "not_found"
    )


@pytest.mark.rule("R034")
@each("operation", WITH, ids=by_name)
@each("who", ["demo-customer-admin", "demo-api-token", "demo-owner", "demo-guest", "demo-other-admin"])
def test_only_partner_admins_use_it(sim, operation, who):
    """No other role will do, an API token neither (G152)."""
    answer = sim.call(operation.name, who, body={}, for_client=CUSTOMER, **path(operation))
    assert code(answer) == (403, "role_missing")


@pytest.mark.rule("R033", "R035")
@each("operation", WITH, ids=by_name)
@each("client", [OTHER, PARTNER, "nobody"])
def test_it_names_a_child_only(sim, operation, client):
    """Unrelated, unknown and the own client are refused alike (G153, G155)."""
    answer = sim.call(operation.name, "demo-partner-admin", body={}, for_client=client, **path(operation))
    assert code(answer) == (403, "for_client_refused")


@pytest.mark.rule("R035")
def test_a_child_reaches_neither_parent_nor_sibling(sim):
    """A Partner Admin of a child with the reseller interface has only what is below."""
    sim = Simulator(clock=START, profile={"initial.reseller": True})
    child = sim.call("create_client", "demo-partner-admin", body={"name": "Child"}).body["id"]
    admin = sim.make_user(child, "Sub", levels=[20]).token
    below = sim.call("create_client", admin, body={"name": "Below"}).body["id"]
    statuses = [sim.call("list_users", admin, for_client=each).status for each in (PARTNER, CUSTOMER, below)]
    assert statuses == [403, 403, 200]


def test_an_empty_one_is_refused(sim):
    """A parameter without a value names no client (G051)."""
    assert sim.call("list_users", "demo-partner-admin", for_client="").body["code"] == "invalid_input"


def test_alternative_that_it_may_name_the_own_client():
    """The call then runs as without it (G155)."""
    sim = Simulator(clock=START, profile={"roles.for-client-own": True})
    assert sim.call("list_users", "demo-partner-admin", for_client=PARTNER).status == 200
