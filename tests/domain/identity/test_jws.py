"""Keys of validators: what counts as a secret is decided without PyJWT, with the same result."""

from __future__ import annotations

import subprocess
import sys
import warnings

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jwt.api_jws import PyJWS

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


def test_the_demo_world_starts_without_pyjwt():
    """Its import takes as long as a server to start."""
    code = "import sys; from confsim import Simulator; Simulator(); sys.exit('jwt' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
