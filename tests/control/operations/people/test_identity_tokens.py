"""Identity tokens that a simulator issues as the customer's own provider would."""

from __future__ import annotations

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from confsim import Misuse, Simulator, demo
from kit import START, START_S
from kit.things.identity_tokens import exchange, of_origin


def pem(key):
    """A private key as PEM."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def public(key):
    """The public part of a key as PEM."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


RSA, EC = rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())
KEYS = {"HS256": ("a-secret-of-at-least-32-characters", None), "RS256": (pem(RSA), RSA), "ES256": (pem(EC), EC)}


def test_a_token_names_the_person(sim):
    """The exchange takes it, and the user has the details of it."""
    token = sim.identity_token(
        "neo-1", name="Neo", email="neo@x.example", email_verified=True, picture="https://x.example/neo.png"
    )
    assert exchange(sim, token).status == 200
    user = of_origin(sim, "neo-1")
    assert (user.full_name, user.email) == ("Neo", "neo@x.example")
    assert jwt.decode(token, demo.VALIDATOR_SECRET, ["HS256"], options={"verify_exp": False, "verify_iat": False}) == {
        "iat": START_S,
        "exp": START_S + 300,
        "sub": "neo-1",
        "name": "Neo",
        "picture": "https://x.example/neo.png",
        "email": "neo@x.example",
        "email_verified": True,
    }


def test_a_token_lives_as_long_as_is_said(sim):
    """By the clock of the world."""
    token = sim.identity_token("neo-1", ttl="1m")
    sim.clock.advance("59s")
    assert exchange(sim, token).status == 200
    sim.clock.advance("1s")
    assert exchange(sim, token).status == 401


def test_a_user_with_an_origin_id_can_be_named_by_id(sim):
    """Somebody who logged in before."""
    exchange(sim, sim.identity_token("neo-1"))
    user = of_origin(sim, "neo-1")
    again = exchange(sim, sim.identity_token(user.id, name="Thomas"))
    assert again.status == 200
    assert of_origin(sim, "neo-1").full_name == "Thomas"


@pytest.mark.parametrize("algorithm", KEYS)
def test_every_kind_of_key_signs(algorithm):
    """With issuer, audience and the claims that the validator reads; ``claims`` come last."""
    sim, (key, _) = Simulator(clock=START), KEYS[algorithm]
    more = {"issuer": "https://i.example", "audience": "aud", "claims": {"originId": "oid"}}
    sim.make_validator(demo.OTHER_CLIENT, "own", algorithm, key, active=True, **more)
    token = sim.identity_token("neo-1", client=demo.OTHER_CLIENT, claims={"extra": [1]})
    claims = jwt.decode(token, options={"verify_signature": False})
    assert (claims["iss"], claims["aud"], claims["oid"], claims["extra"]) == ("https://i.example", "aud", "neo-1", [1])
    assert exchange(sim, token, demo.OTHER_CLIENT).status == 200
    wrong = sim.identity_token("neo-1", client=demo.OTHER_CLIENT, claims={"aud": "other"})
    assert exchange(sim, wrong, demo.OTHER_CLIENT).status == 401


def test_another_validator_can_be_named(sim):
    """It signs whether it is active or not; the service takes its tokens when it is."""
    token = sim.identity_token("neo-1", validator=demo.SECOND_VALIDATOR)
    assert exchange(sim, token).status == 401
    jwt.decode(token, demo.SECOND_VALIDATOR_SECRET, ["HS256"], options={"verify_exp": False, "verify_iat": False})


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_a_public_key_cannot_sign(sim, algorithm):
    """The test signs for itself then."""
    sim.make_validator(demo.OTHER_CLIENT, "own", algorithm, public(KEYS[algorithm][1]), active=True)
    with pytest.raises(Misuse, match="validator 'own': the key is a public one"):
        sim.identity_token("neo-1", client=demo.OTHER_CLIENT)


@pytest.mark.parametrize(
    ("user", "arguments", "match"),
    [
        ("x", {"validator": "nope"}, "no client has a validator 'nope'"),
        ("x", {"client": demo.OTHER_CLIENT}, f"client '{demo.OTHER_CLIENT}' does not have an active validator"),
        ("x", {"client": "nope"}, "There is no client 'nope'"),
        ("", {}, "originId: it is empty"),
        (demo.OWNER, {}, "originId: 'demo-owner' is a token of confsim, .*; did you mean user 1002?"),
        (demo.API_TOKEN, {}, "originId: 'demo-api-token' is a token of confsim, and no id of a person$"),
        (1, {}, "there is no user 1"),
        (1000, {"client": demo.CLIENT}, "user 1000 has no origin id"),
        (1000, {}, f"client '{demo.PARTNER_CLIENT}' does not have an active validator"),
        ("x", {"ttl": "soon"}, "soon"),
    ],
)
def test_what_is_not_there_is_named(sim, user, arguments, match):
    """And nothing changes."""
    before = sim.service.world
    with pytest.raises(Misuse, match=match):
        sim.identity_token(user, **arguments)
    assert sim.service.world is before


def test_several_active_validators_need_a_client(sim):
    """Which one is meant has to be said."""
    sim.make_validator(demo.OTHER_CLIENT, "own", "HS256", KEYS["HS256"][0], active=True)
    with pytest.raises(Misuse, match="more than one client has an active validator; say which"):
        sim.identity_token("x")
    assert exchange(sim, sim.identity_token(sim.demo.owner)).status == 200  # of a user it is known


def test_one_of_origin_and_user_is_needed(plane):
    """Over HTTP."""
    for body in ({}, {"originId": "x", "userId": 1002}):
        assert plane("POST", "/identity-tokens", body)[0] == 400
