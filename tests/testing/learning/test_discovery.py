"""Discovery: the model has what the accounts can read of their clients."""

from __future__ import annotations

import re

import pytest

from confsim.kernel.refusal import Misuse
from confsim.testing.learning.accounts import Accounts
from kit import OWNER, choices
from kit.beside import Beside


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
