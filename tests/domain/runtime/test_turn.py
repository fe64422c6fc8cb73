"""TURN credentials."""

from __future__ import annotations

import hmac
from base64 import b64encode

import pytest

from confsim import Simulator
from confsim.domain.identity.credentials import authenticate
from confsim.domain.runtime import streaming


@pytest.mark.rule("R328", "R389")
def test_the_password_is_the_hmac_of_the_user_name():
    """As coturn works it out from the shared secret: base64 of HMAC-SHA1."""
    change = Simulator(clock=5_000).service.change()
    made = streaming.issue_turn(change, authenticate(change, "demo-user"))
    expected = b64encode(hmac.new(change.key("turn"), made.username.encode(), "sha1").digest()).decode()
    assert made.username.startswith("86405:")
    assert made.password == expected == streaming.turn_password(change, made.username)


def test_worlds_of_other_seeds_share_no_secret():
    """The same caller at the same instant gets another password."""
    made = []
    for seed in (1, 2):
        change = Simulator(clock=5_000, seed=seed).service.change()
        made.append(streaming.issue_turn(change, authenticate(change, "demo-user")))
    assert made[0].username == made[1].username
    assert made[0].password != made[1].password


def test_an_api_token_gets_credentials_too():
    """Its id stands where a user's would."""
    change = Simulator(clock=0).service.change()
    caller = authenticate(change, "demo-api-token")
    assert streaming.issue_turn(change, caller).username == f"86400:{caller.api_token}"
