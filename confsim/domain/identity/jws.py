"""Signed JWTs in compact form: keys as text, signatures by PyJWT's algorithms. Reads no clock and judges no claim.

PyJWT's own ``decode`` is not used: it reads the machine's time, even with its checks of time off.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from typing import Any

import msgspec

#: What a key can be for. There is no "none".
ALGORITHMS = ("HS256", "RS256", "ES256")

_COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)\Z", re.ASCII)


class NoToken(ValueError):
    """The text is no compact JWT: says what is wrong with it."""


class NotSigned(ValueError):
    """The signature is not that of the key, or the header asks for what is not done."""


@lru_cache(maxsize=256)
def parse_key(algorithm: str, text: str) -> Any:
    """The key of an algorithm out of a secret, a PEM or a JWK. ValueError that says what is wrong, without the key."""
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm {algorithm!r} is none of {', '.join(ALGORITHMS)}")
    if not text.strip():
        raise ValueError("the key is empty")
    jwk = _jwk(algorithm, text) if text.lstrip().startswith("{") else None
    if algorithm == "HS256":
        return _secret(text, jwk)
    return _public(algorithm, text, jwk)


def _jwk(algorithm: str, text: str) -> dict[str, Any]:
    try:
        jwk = msgspec.json.decode(text.encode())
    except (ValueError, RecursionError):
        raise ValueError("the key begins like a JWK, but is not JSON") from None
    if not isinstance(jwk, dict):
        raise ValueError("the key is no JWK: it is no object")
    wanted = {"HS256": "oct", "RS256": "RSA", "ES256": "EC"}[algorithm]
    if jwk.get("kty") != wanted:
        raise ValueError(f"the JWK is of type {jwk.get('kty')!r}; {algorithm} needs {wanted!r}")
    if jwk.get("alg", algorithm) != algorithm:
        raise ValueError(f"the JWK is for {jwk['alg']!r}, not {algorithm}")
    return jwk


def _secret(text: str, jwk: dict[str, Any] | None) -> bytes:
    if jwk is None:
        if "-----BEGIN " in text or text.startswith("ssh-"):
            raise ValueError("HS256 needs a secret, not a PEM")
        return text.encode()
    try:
        secret = _bytes(jwk["k"])
    except (KeyError, TypeError, AttributeError, ValueError):
        secret = b""
    if not secret:
        raise ValueError("the JWK has no secret k in base64url")
    return secret


def _public(algorithm: str, text: str, jwk: dict[str, Any] | None) -> Any:
    """The public key; of a private one its public part, so that nothing is kept that could sign."""
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    try:
        key = _from_pem(text) if jwk is None else _from_jwk(algorithm, jwk)
    except Exception:  # both libraries raise errors of many kinds for a key that they cannot read
        raise ValueError(f"the key is no {'PEM' if jwk is None else 'JWK'} that can be read") from None
    key = key.public_key() if hasattr(key, "public_key") else key
    if algorithm == "RS256":
        if not isinstance(key, RSAPublicKey):
            raise ValueError("RS256 needs an RSA key")
    elif not isinstance(key, EllipticCurvePublicKey) or not isinstance(key.curve, SECP256R1):
        raise ValueError("ES256 needs an EC key on the curve P-256")
    return key


def _from_pem(text: str) -> Any:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

    data = text.strip().encode()
    if b"PRIVATE KEY-----" in data:
        return load_pem_private_key(data, None)
    if data.startswith(b"-----BEGIN CERTIFICATE-----"):
        from cryptography.x509 import load_pem_x509_certificate

        return load_pem_x509_certificate(data)
    return load_pem_public_key(data)


def _from_jwk(algorithm: str, jwk: dict[str, Any]) -> Any:
    from jwt.algorithms import ECAlgorithm, RSAAlgorithm

    return RSAAlgorithm.from_jwk(jwk) if algorithm == "RS256" else ECAlgorithm.from_jwk(jwk)


def verify(token: str, algorithm: str, key: Any) -> dict[str, Any]:
    """The claims of a token that is signed by the key with just this algorithm.

    The header chooses nothing: another alg is refused, keys in it or behind its URLs (jwk, jku, x5c, x5u) are not
    looked at. Raises NoToken or NotSigned.
    """
    match = _COMPACT.match(token)
    if match is None:
        raise NoToken("it does not consist of three parts in base64url")
    header = _object(match[1], "header")
    if header.get("alg") != algorithm:
        raise NotSigned(f"it is not signed with {algorithm}")
    if "crit" in header:
        raise NotSigned("its header has critical extensions")
    try:
        signature = _bytes(match[3])
    except ValueError:
        raise NoToken("its signature is not base64url") from None
    signed = f"{match[1]}.{match[2]}".encode()
    if not _algorithm(algorithm).verify(signed, key, signature):
        raise NotSigned("its signature is not that of the key")
    return _object(match[2], "payload")


def sign(claims: dict[str, Any], key: bytes) -> str:
    """An HS256 token with these claims in this order: the same claims and key give the same text."""
    head = _text(msgspec.json.encode({"alg": "HS256", "typ": "JWT"}))
    signed = f"{head}.{_text(msgspec.json.encode(claims))}"
    return f"{signed}.{_text(_algorithm('HS256').sign(signed.encode(), key))}"


@lru_cache(maxsize=8)
def _algorithm(name: str) -> Any:
    from jwt.algorithms import get_default_algorithms

    return get_default_algorithms()[name]


def _object(part: str, name: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(_bytes(part))
    except (ValueError, RecursionError):
        raise NoToken(f"its {name} is not JSON in base64url") from None
    if not isinstance(value, dict):
        raise NoToken(f"its {name} is no object")
    return value


def _bytes(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
