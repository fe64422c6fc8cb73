"""Validators that are set up outside the API."""

from __future__ import annotations

import jwt
import pytest

from kit import CUSTOMER

SECRET = "a secret of at least thirty-two bytes"
JWK = {"kty": "oct", "k": "YSBzZWNyZXQgb2YgYXQgbGVhc3QgdGhpcnR5LXR3byBieXRlcw"}
GIVEN = {"clientId": CUSTOMER, "validatorId": "mine", "algorithm": "HS256"}


@pytest.mark.parametrize("key", [SECRET, JWK])
def test_a_validator_vouches_once_it_is_active(plane, sim, key):
    """Its tokens are exchanged; the secret may come as text or as a JWK."""
    body = {**GIVEN, "key": key, "active": True}
    assert plane("POST", "/validators", body) == (200, {"validatorId": "mine"})
    token = jwt.encode({"sub": "someone", "name": "Some One", "exp": 1_800_000_000}, SECRET, algorithm="HS256")
    answer = sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": token})
    assert answer.ok, answer


def test_a_validator_is_inactive_unless_told(plane, sim):
    """It is listed with the others and does not vouch."""
    plane("POST", "/validators", {**GIVEN, "key": SECRET})
    listed = sim.call("list_validators", "demo-customer-admin").body
    assert {each["id"]: each["active"] for each in listed}["mine"] is False


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"clientId": "nobody"}, 404),
        ({"validatorId": " "}, 400),
        ({"validatorId": "demo-validator"}, 409),
        ({"algorithm": "none"}, 400),
        ({"algorithm": "RS256"}, 400),
        ({"key": 5}, 400),
        ({"key": {"kty": "??"}}, 400),
        ({"claims": {"shoe": "size"}}, 400),
        ({"colour": "red"}, 400),
    ],
)
def test_a_validator_that_cannot_be_is_refused(plane, sim, changes, status):
    """Never with alg none, never with a key of another kind; the world stays."""
    before = sim.service.world
    actual, problem = plane("POST", "/validators", {**GIVEN, "key": SECRET, **changes})
    assert (actual, problem["status"]) == (status, status)
    assert sim.service.world is before
