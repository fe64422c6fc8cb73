"""Discovery: the model has what the accounts can read of their clients."""

from __future__ import annotations

import re

import pytest

from confsim.kernel.refusal import Misuse
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.discovery import UNUSED
from confsim.testing.learning.run import Run
from kit import ADMIN, OWNER, choices
from kit.beside import Beside

#: The reads of which the model's client is made and of which no document says who may make them.
_READS = (
    "get_client",
    "get_client_settings",
    "get_config",
    "get_events_status",
    "list_available_dial_numbers",
    "list_domains",
    "list_inbound_numbers",
    "list_origins",
    "list_validators",
)
#: Those of them that name the client in the path.
_NAMING = frozenset({"get_client", "list_domains", "list_origins"})


@pytest.fixture
def changed():
    """Begin a run beside a service under a profile, whose client has settings of its own."""

    def beginning(profile):
        beside = Beside(profile)
        at = {"clientId": beside.accounts.client}
        for operation, path, body in (
            ("set_config", {}, {"color": "red"}),
            ("set_origins", at, ["https://one.example"]),
            ("set_domains", at, ["one.example"]),
            ("set_client_dial_out_state", {"state": "disable"}, None),
            ("set_events_state", {"state": "enable"}, None),
        ):
            assert beside.simulator.call(operation, ADMIN, body=body, **path).ok, operation
        known = beside.known = Correspondence()
        service = beside.service()
        service.address_under(profile)
        return Run(service, beside.accounts, profile, known, tag="cvtest", clock=beside.clock)

    return beginning


def test_a_partner_admin_alone_reads_the_client_below(monkeypatch):
    """Its name and its terms are those of the service, so that nothing there is unexpected."""
    beside = Beside()
    role = "partner-admin"
    monkeypatch.setattr(beside, "accounts", Accounts(beside.accounts.client, {role: beside.accounts.tokens[role]}))
    calibrator = beside.calibrator(journeys=1, most=60)
    report = calibrator.run()
    model = calibrator.learner.run.model
    there, here = (
        world.call("get_client", beside.accounts.tokens[role], clientId=beside.accounts.client).body["name"]
        for world in (beside.simulator, _simulator(model))
    )
    assert there == here
    assert report.contradicted == []


def test_what_users_have_accepted_does_not_depend_on_how_calls_are_admitted():
    """Where terms cannot be accepted by a call, the users of the accounts have accepted them all the same."""
    hidden = choices(terms__open_calls=[], gate__set_config=["owner"])
    beside = Beside(hidden)
    assert beside.simulator.call("set_config", OWNER, body={"color": "red"}).ok
    report = beside.verify(profile=hidden, examples=1, most=60)
    assert report.divergences == []
    assert report.requests > 40


@pytest.mark.parametrize("gate", ["api-token", "owner", "operator", "access", "self"])
@pytest.mark.parametrize("read", _READS)
def test_what_one_of_the_accounts_can_read_is_known(changed, read, gate):
    """Whoever it is: in the model everybody then reads the same of the client as in the service."""
    run = changed({f"gate.{read}": [gate]})
    for operation in {read, "list_available_dial_numbers"}:
        path = {"clientId": run.accounts.client} if operation in _NAMING else {}
        for role, token in {**run.accounts.tokens, "nobody": None}.items():
            if role not in UNUSED:
                assert run.take(ModelCall(operation, token, path)).difference is None, (operation, role)


@pytest.mark.parametrize("gate", ["customer-admin", "api-token", "owner"])
def test_addresses_of_users_are_read_by_whoever_may(changed, gate):
    """A model that took users to have no address would find what their recordings are sent to contradicted."""
    run = changed({"gate.get_user_email": [gate]})
    for user in run.things.known_users[run.accounts.client]:
        for token in run.accounts.tokens.values():
            if run.accounts.role(token) not in UNUSED:
                step = run.take(ModelCall("get_user_email", token, {"userId": str(user)}))
                assert step.difference is None, (step.call.caller, step.difference)


def test_numbers_are_planned_with_whoever_may_list_them(changed):
    """Where nobody may list those of the client, they are the ones that a channel can get."""
    expected = changed({}).numbers
    assert len(expected) > 1
    for gate in ("api-token", "self"):
        assert changed({"gate.list_inbound_numbers": [gate]}).numbers == expected


@pytest.mark.parametrize(
    ("roles", "wrong"),
    [
        ({"guest": "guest"}, "no token that can be used: the channel of the guest is not known"),
        ({"owner": "api-token"}, "or the token not one of a user: get_me of the owner is answered by 403"),
        ({"owner": "partner-admin"}, "the owner of the accounts belongs to the client 11111111-"),
    ],
)
def test_accounts_that_cannot_be_used_are_refused(monkeypatch, roles, wrong):
    """What is wrong with which of them."""
    beside = Beside()
    tokens = {role: beside.accounts.tokens[other] for role, other in roles.items()}
    monkeypatch.setattr(beside, "accounts", Accounts(beside.accounts.client, tokens))
    for run in (beside.verify, beside.calibrator(journeys=0).run):
        with pytest.raises(Misuse, match=re.escape(wrong)):
            run()


def test_a_partner_admin_may_be_of_the_client_itself(monkeypatch):
    """Then nobody is known above the parent of that client."""
    beside = Beside()
    tokens = {"partner-admin": beside.accounts.tokens["customer-admin"]}
    monkeypatch.setattr(beside, "accounts", Accounts(beside.accounts.client, tokens))
    assert beside.verify(examples=1, most=40).divergences == []


def _simulator(model):
    """A simulator of the world of a model."""
    from confsim import Simulator

    return Simulator.__new__(Simulator)._attach(model.service)
