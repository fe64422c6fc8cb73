"""Validators: what keys they take, and that one at most is active."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID
from hypothesis import given, strategies as st
from jwt.algorithms import ECAlgorithm, HMACAlgorithm, RSAAlgorithm
from msgspec.structs import replace

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.clients import clients
from confsim.domain.identity import validators
from confsim.domain.identity.validators import VALIDATORS, Validator, ValidatorState
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.world import Change, World
from kit import CUSTOMER, OTHER, START, refused


def _public(key: object) -> str:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()  # type: ignore[attr-defined]


def _private(key: object) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()  # type: ignore[attr-defined]


def _certificate(key: rsa.RSAPrivateKey) -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "issuer.example")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, datetime(2020, 1, 1), datetime(2040, 1, 1))
    return builder.sign(key, SHA256()).public_bytes(Encoding.PEM).decode()


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Keys as text, by what they are."""
    rsa_key = rsa.generate_private_key(65537, 2048)
    ec_key, other_curve = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP384R1())
    return {
        "secret": "a secret",
        "oct": HMACAlgorithm.to_jwk("a secret"),
        "rsa": _public(rsa_key),
        "rsa private": _private(rsa_key),
        "rsa certificate": _certificate(rsa_key),
        "rsa jwk": RSAAlgorithm.to_jwk(rsa_key.public_key()),
        "ec": _public(ec_key),
        "ec private": _private(ec_key),
        "ec jwk": ECAlgorithm.to_jwk(ec_key.public_key()),
        "p-384": _public(other_curve),
        "p-384 jwk": ECAlgorithm.to_jwk(other_curve.public_key()),
        "ed25519": _public(ed25519.Ed25519PrivateKey.generate()),
        "blank": " \n",
        "broken pem": "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        "broken json": '{"kty": "oct"',
        "nested json": '{"a":' * 4000,
        "list": "[]",
        "oct of a pem": HMACAlgorithm.to_jwk(_public(rsa_key)),
        "oct without k": '{"kty": "oct"}',
        "oct with an empty k": '{"kty": "oct", "k": ""}',
        "oct with a wrong k": '{"kty": "oct", "k": 7}',
        "rsa jwk without n": '{"kty": "RSA", "e": "AQAB"}',
        "oct for another alg": json.dumps({"kty": "oct", "k": "YQ", "alg": "HS512"}),
    }


@pytest.fixture
def change(sim: Simulator) -> Change:
    """A change of the demo world."""
    return sim.service.change()


def add(change: Change, algorithm: str, key: str, id: str = "v") -> Validator:
    """Set a validator up in the customer's client."""
    return validators.add(change, clients.get(change, CUSTOMER), id, algorithm, key)


@pytest.mark.parametrize(
    ("algorithm", "key"),
    [
        ("HS256", "secret"),
        ("HS256", "oct"),
        ("HS256", "list"),
        ("RS256", "rsa"),
        ("RS256", "rsa private"),
        ("RS256", "rsa certificate"),
        ("RS256", "rsa jwk"),
        ("ES256", "ec"),
        ("ES256", "ec private"),
        ("ES256", "ec jwk"),
    ],
)
def test_a_fitting_key_is_taken(change: Change, texts: dict[str, str], algorithm: str, key: str) -> None:
    """Secrets, PEMs and JWKs; a new validator is inactive."""
    assert add(change, algorithm, texts[key]).state is ValidatorState.INACTIVE


@pytest.mark.parametrize(
    ("algorithm", "key", "reported"),
    [
        ("HS256", "rsa", "needs a secret, not a PEM"),
        ("HS256", "ec private", "needs a secret, not a PEM"),
        ("HS256", "oct of a pem", "needs a secret, not a PEM"),
        ("HS256", "rsa jwk", "type 'RSA'; HS256 needs 'oct'"),
        ("HS256", "blank", "the key is empty"),
        ("HS256", "broken json", "not JSON"),
        ("HS256", "nested json", "not JSON"),
        ("HS256", "oct without k", "no secret k"),
        ("HS256", "oct with an empty k", "no secret k"),
        ("HS256", "oct with a wrong k", "no secret k"),
        ("HS256", "oct for another alg", "for 'HS512'"),
        ("RS256", "secret", "no PEM that can be read"),
        ("RS256", "broken pem", "no PEM that can be read"),
        ("RS256", "ec", "needs an RSA key"),
        ("RS256", "ed25519", "needs an RSA key"),
        ("RS256", "ec jwk", "type 'EC'; RS256 needs 'RSA'"),
        ("RS256", "rsa jwk without n", "no JWK that can be read"),
        ("ES256", "rsa", "needs an EC key"),
        ("ES256", "rsa certificate", "needs an EC key"),
        ("ES256", "p-384", "on the curve P-256"),
        ("ES256", "p-384 jwk", "on the curve P-256"),
        ("ES256", "oct", "type 'oct'"),
        ("none", "secret", "'none' is none of HS256"),
        ("HS512", "secret", "'HS512' is none of HS256"),
        ("", "secret", "'' is none of HS256"),
    ],
)
def test_a_key_that_does_not_fit_is_reported(
    change: Change, texts: dict[str, str], algorithm: str, key: str, reported: str
) -> None:
    """Misuse names the validator and what is wrong, and nothing is stored."""
    with pytest.raises(Misuse, match="validator 'v'") as caught:
        add(change, algorithm, texts[key])
    assert reported in str(caught.value)
    assert VALIDATORS.of(change, CUSTOMER).get("v") is None


@given(algorithm=st.sampled_from(["HS256", "RS256", "ES256"]), key=st.text())
def test_any_text_is_a_key_or_misuse(algorithm: str, key: str) -> None:
    """No key breaks the simulator."""
    change = DEMO.service.change()
    with suppress(Misuse):
        assert add(change, algorithm, key).key == key


DEMO = Simulator(clock=START)


def test_a_validator_needs_an_id_of_its_own(change: Change) -> None:
    """Blank and taken ids are misuse."""
    with pytest.raises(Misuse, match="needs an id"):
        add(change, "HS256", "secret", id=" ")
    with pytest.raises(Misuse, match="already") as caught:
        add(change, "HS256", "secret", id="demo-validator")
    assert caught.value.status == 409


def test_claims_are_about_what_a_user_has(change: Change) -> None:
    """A mapping of something else is misuse."""
    client = clients.get(change, CUSTOMER)
    with pytest.raises(Misuse, match="'shoeSize'"):
        validators.add(change, client, "v", "HS256", "secret", claims=(("shoeSize", "shoe"),))


def _actives(change: Change, client: str) -> list[str]:
    return [each.id for each in VALIDATORS.of(change, client).all if each.state is ValidatorState.ACTIVE]


@pytest.mark.rule("R114")
def test_one_at_most_is_active_whatever_happens(change: Change) -> None:
    """Enabling and disabling in any order never makes two."""
    client = clients.get(change, CUSTOMER)
    for step, (id, wanted) in enumerate(
        [
            ("demo-validator-2", ["demo-validator-2"]),
            ("demo-validator-2", ["demo-validator-2"]),
            ("demo-validator", ["demo-validator"]),
        ]
    ):
        validators.enable(change, validators.get(change, client, id))
        assert _actives(change, CUSTOMER) == wanted, step
    validators.disable(change, validators.get(change, client, "demo-validator-2"))
    assert _actives(change, CUSTOMER) == ["demo-validator"]
    validators.disable(change, validators.get(change, client, "demo-validator"))
    assert validators.find_active(change, client) is None


@pytest.mark.rule("R116")
def test_each_client_has_an_active_one_of_its_own(change: Change) -> None:
    """Enabling in one client leaves the other's alone, even of the same id."""
    other = clients.get(change, OTHER)
    validators.enable(change, validators.add(change, other, "demo-validator-2", "HS256", "secret"))
    assert _actives(change, OTHER) == ["demo-validator-2"]
    assert _actives(change, CUSTOMER) == ["demo-validator"]


def test_an_unknown_validator_is_not_found(change: Change) -> None:
    """Refusal NOT_FOUND, also for a validator of another client (G192)."""
    with pytest.raises(Refusal, match="not_found"):
        validators.get(change, clients.get(change, OTHER), "demo-validator")


def test_the_machine_admits_every_trigger_in_every_state(change: Change) -> None:
    """Setting the state that holds is no error by itself (G537)."""
    validator = VALIDATORS.of(change, CUSTOMER)["demo-validator"]
    triggers = ((validators.MACHINE.off, ValidatorState.INACTIVE), (validators.MACHINE.on, ValidatorState.ACTIVE))
    for trigger, then in triggers:
        for state in ValidatorState:
            moved = trigger(change, VALIDATORS.of(change, CUSTOMER).put(replace(validator, state=state)))
            assert moved.state is then


@pytest.mark.parametrize(("inherited", "found"), [(False, ["own"]), (True, ["own", "above"])])
def test_validators_of_clients_above_are_listed_by_choice(inherited: bool, found: list[str]) -> None:
    """After the client's own, the nearest first (G191)."""
    change = World(seed=1).change(0, ProfileContext({"validators.inherited": inherited}))
    above = clients.create(change, "Above", None)
    client = clients.create(change, "Client", above.id)
    for owner, id in ((above, "above"), (client, "own")):
        validators.add(change, owner, id, "HS256", "a secret")
    assert [each.id for each in validators.list_assignable(change, client)] == found
    assert [each.id for each in validators.list_assignable(change, above)] == ["above"]


def test_setting_the_state_that_holds_is_refused_by_choice() -> None:
    """Enabling the active one, disabling an inactive one; nothing changes by it (G537)."""
    change = Simulator(clock=START, profile={"states.repeated": "refuse"}).service.change()
    client = clients.get(change, CUSTOMER)
    active, other = (validators.get(change, client, id) for id in ("demo-validator", "demo-validator-2"))
    assert refused(validators.enable, change, active) is Reason.STATE_HOLDS
    assert refused(validators.disable, change, other) is Reason.STATE_HOLDS
    assert _actives(change, CUSTOMER) == ["demo-validator"]
    assert validators.enable(change, other).state is ValidatorState.ACTIVE
    assert validators.disable(change, validators.get(change, client, other.id)).state is ValidatorState.INACTIVE
