"""Keys and signed tokens, judged beside PyJWT: what is a secret, what a token is, and which token is accepted."""

from __future__ import annotations

import hmac
import subprocess
import sys
import warnings

import msgspec
import pytest
from hypothesis import given, strategies as st
from jwt.api_jws import PyJWS
from jwt.exceptions import InvalidTokenError
from jwt.utils import base64url_encode

from confsim.domain.identity import jws
from kit.each import each

PEM = "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----"
SECRETS = ["demo-validator-secret-of-32-bytes", "x", "-----BEGIN", "a{b}", "key-ssh-rsa", " two words ", "ünïcode"]
NO_SECRETS = [
    "",
    " ",
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    PEM,
    f"before {PEM}",
    "ssh-rsa AAAAB3NzaC1yc2E= me",
    '{"kty": "RSA"}',
    "{",
    '[{"kty":"RSA"}]',
]


@each("text", SECRETS)
def test_what_is_a_secret_to_pyjwt_is_required_to_be_one(text):
    """Neither raises."""
    jws.require_key("HS256", text)
    assert jws.parse_key("HS256", text) == text.encode()


@each("text", NO_SECRETS)
def test_what_is_none_is_refused_alike(text):
    """With the same message."""
    with pytest.raises(ValueError) as parsed:
        jws.parse_key("HS256", text)
    with pytest.raises(ValueError) as required:
        jws.require_key("HS256", text)
    assert str(required.value) == str(parsed.value)


def test_a_key_of_another_algorithm_is_parsed():
    """A secret is none."""
    for algorithm in ("RS256", "ES256", "none"):
        with pytest.raises(ValueError, match=r"key is no PEM|algorithm .none. is none of"):
            jws.require_key(algorithm, "demo-validator-secret-of-32-bytes")


CLAIMS = st.dictionaries(st.text(), st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text())


@given(CLAIMS, st.binary(min_size=1))
def test_a_token_signed_with_a_secret_is_that_of_pyjwt(claims, secret):
    """To the byte; and it is verified."""
    token = jws.sign(claims, secret)
    with warnings.catch_warnings(action="ignore"):  # of short secrets
        assert token == PyJWS().encode(msgspec.json.encode(claims), secret, "HS256")
    assert jws.verify(token, "HS256", secret) == claims


HEADERS = st.fixed_dictionaries(
    {"alg": st.sampled_from(["HS256"] * 4 + ["none", "HS512", "hs256", None])},
    optional={
        "typ": st.text(),
        "kid": st.text() | st.integers(),
        "b64": st.booleans(),
        "jku": st.just("https://keys.example/jwks"),
        "jwk": st.just({"kty": "oct", "k": "AAAA"}),
    },
)
SECRET = b"demo-validator-secret-of-32-bytes"


def _signed(*parts: object) -> str:
    """A token of any header and payload, signed with the secret by HS256."""
    signed = b".".join(base64url_encode(msgspec.json.encode(part)) for part in parts)
    return (signed + b"." + base64url_encode(hmac.digest(SECRET, signed, "sha256"))).decode()


def _is_accepted(token: str) -> bool:
    try:
        jws.verify(token, "HS256", SECRET)
    except (jws.NoToken, jws.NotSigned):
        return False
    return True


@given(HEADERS, CLAIMS | st.lists(st.none()), st.data())
def test_pyjwt_accepts_the_same_tokens(header, payload, data):
    """Those with one other character, those cut short and those of other headers included; claims are an object."""
    token = _signed(header, payload)
    place = data.draw(st.integers(0, len(token)))
    other = data.draw(st.sampled_from(["", token[place : place + 1], "A", "B", ".", "_"]))
    token = data.draw(st.sampled_from([token, token[:place] + other + token[place + 1 :]]))
    try:
        PyJWS().decode_complete(token, SECRET, ["HS256"])
        accepted = isinstance(payload, dict)
    except InvalidTokenError:
        accepted = False
    assert _is_accepted(token) is accepted


@each("header", [{"crit": ["exp"]}, {"crit": ["b64"], "b64": True}, {"crit": []}, {"b64": False}])
def test_a_critical_extension_is_refused(header):
    """Also one that PyJWT supports."""
    with pytest.raises(jws.NotSigned, match="critical extensions"):
        jws.verify(_signed({"alg": "HS256", **header}, {}), "HS256", SECRET)


def test_the_demo_world_starts_without_pyjwt():
    """Its import takes as long as a server to start."""
    code = "import sys; from confsim import Simulator; Simulator(); sys.exit('jwt' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
