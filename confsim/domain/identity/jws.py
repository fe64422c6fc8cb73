"""Signed JWTs in compact form (RFC 7515), without a check of their claims and times. PyJWT reads keys and signs.

Own code: a message for each way in which a key or a token is unusable, because the API answers with it.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from typing import Any

import msgspec

#: The supported algorithms, with the key that each needs and the type of its JWKs (RFC 7518 6.1). No "none".
ALGORITHMS = {
    "HS256": ("a secret, not a PEM", "oct"),
    "RS256": ("an RSA key", "RSA"),
    "ES256": ("an EC key on the curve P-256", "EC"),
}

#: Texts that are secrets for certain, since neither PEM nor JWK nor SSH key looks like them.
_PLAIN_SECRET = re.compile(r"(?!ssh-|ecdsa-)[\w-]+")
_COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)", re.ASCII)


class NoToken(ValueError):
    """The text is not a compact JWT; the message gives the cause."""


class NotSigned(ValueError):
    """The signature is not that of the key, or the header is not supported; the message gives the cause."""


def require_key(algorithm: str, text: str) -> None:
    """Raise ValueError, as ``parse_key`` does, when the text is no key of the algorithm.

    A plain secret needs no PyJWT, whose import makes a first Simulator a fifth slower (``python tests/benchmarks
    imports``).
    """
    if algorithm != "HS256" or _PLAIN_SECRET.fullmatch(text) is None:
        parse_key(algorithm, text)


@lru_cache(maxsize=256)
def parse_key(algorithm: str, text: str) -> Any:
    """The key of an algorithm from a secret, a PEM or a JWK as text; of a private key the public part alone.

    The cache saves a fifth of exchange_identity_token (``python tests/benchmarks operations``). Raises ValueError when
    the text is no such key; its message does not show the key.
    """
    key = _parse(algorithm, text)
    return key.public_key() if hasattr(key, "public_key") else key


def parse_signing_key(algorithm: str, text: str) -> Any:
    """The key that signs tokens: a secret or a private key. ValueError for a public key, and as ``parse_key``."""
    key = _parse(algorithm, text)
    if algorithm != "HS256" and not hasattr(key, "private_numbers"):
        raise ValueError("the key is a public one, which verifies and cannot sign")
    return key


def _parse(algorithm: str, text: str) -> Any:
    """The key of an algorithm as it was given, private or public. Raises ValueError when the text is no such key."""
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm {algorithm!r} is none of {', '.join(ALGORITHMS)}")
    if not text.strip():
        raise ValueError("the key is empty")
    from jwt.exceptions import InvalidKeyError

    if text.lstrip().startswith("{"):
        key = _from_jwk(algorithm, text)
    else:
        key = text.encode() if algorithm == "HS256" else _from_pem(text)
    try:
        if algorithm == "HS256" and b"-----BEGIN " in key:  # PyJWT refuses a whole PEM alone
            raise InvalidKeyError
        return _implementation(algorithm).prepare_key(key)
    except (TypeError, InvalidKeyError):
        raise ValueError(f"{algorithm} needs {ALGORITHMS[algorithm][0]}") from None


def _from_jwk(algorithm: str, text: str) -> Any:
    from jwt import PyJWK

    try:
        jwk = msgspec.json.decode(text.encode())
    except (ValueError, RecursionError):
        raise ValueError("the key begins like a JWK, but is not JSON") from None
    wanted = ALGORITHMS[algorithm][1]
    if jwk.get("kty") != wanted:
        raise ValueError(f"the JWK is of type {jwk.get('kty')!r}; {algorithm} needs {wanted!r}")
    if jwk.get("alg", algorithm) != algorithm:
        raise ValueError(f"the JWK is for {jwk['alg']!r}, not {algorithm}")
    try:
        return PyJWK(jwk, algorithm).key
    except Exception:  # PyJWT and cryptography raise errors of many kinds for a JWK that they cannot read
        problem = "JWK has no secret k in base64url" if wanted == "oct" else "key is no JWK that can be read"
        raise ValueError(f"the {problem}") from None


def _from_pem(text: str) -> Any:
    """The public or private key, or the certificate, which PyJWT does not read."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
    from cryptography.x509 import load_pem_x509_certificate

    try:
        data = text.strip().encode()
        if b"PRIVATE KEY-----" in data:
            return load_pem_private_key(data, None)
        return (
            load_pem_x509_certificate(data).public_key() if b"CERTIFICATE-----" in data else load_pem_public_key(data)
        )
    except Exception:  # cryptography raises errors of many kinds for a PEM that it cannot read
        raise ValueError("the key is no PEM that can be read") from None


def verify(token: str, algorithm: str, key: Any) -> dict[str, Any]:
    """The claims of a token that is signed by the key with just this algorithm.

    The header selects neither algorithm nor key: another alg is refused, keys in it or at its URLs (jwk, jku, x5c,
    x5u) are ignored. Raises NoToken or NotSigned for the first fault in parts, alg, crit, kid, signature, claims.
    """
    signed = _signed_by_secret if isinstance(key, bytes) else _signed
    return _object(signed(token, algorithm, key), "payload")


def _signed(token: str, algorithm: str, key: Any) -> str:
    """The payload of a token, still in base64url. Raises as ``verify``."""
    parts = _COMPACT.fullmatch(token)
    if parts is None:
        raise NoToken("it does not consist of three parts in base64url")
    header = _object(parts[1], "header")
    if header.get("alg") != algorithm:
        raise NotSigned(f"it is not signed with {algorithm}")
    if "crit" in header or header.get("b64") is False:  # b64 changes what is signed, and has to be in crit (RFC 7797)
        raise NotSigned("its header has critical extensions")
    if not isinstance(header.get("kid", ""), str):
        raise NotSigned("its header has a kid that is no text")
    if len(parts[3]) % 4 == 1:
        raise NoToken("its signature is not base64url")
    signed, signature = token.rpartition(".")[0].encode(), _decoded(parts[3])
    if signature is None or not _implementation(algorithm).verify(signed, key, signature):
        raise NotSigned("its signature is not that of the key")
    return parts[2]


#: ``_signed`` with a cache, which saves a third of list_downloadable_assets (``python tests/benchmarks operations``).
#: Keys that are not secrets cannot be hashed.
_signed_by_secret = lru_cache(maxsize=256)(_signed)


def sign(claims: dict[str, Any], key: Any, algorithm: str = "HS256") -> str:
    """A token with these claims in this order, signed by a key of the algorithm.

    The same claims and key give the same text, but for ES256, whose signatures differ each time.
    """
    header = {"alg": algorithm, "typ": "JWT"}
    signed = ".".join(_encoded(msgspec.json.encode(part)) for part in (header, claims))
    return f"{signed}.{_encoded(_implementation(algorithm).sign(signed.encode(), key))}"


def _implementation(algorithm: str) -> Any:
    """PyJWT's implementation of an algorithm, imported on first use."""
    from jwt import get_algorithm_by_name

    return get_algorithm_by_name(algorithm)


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes | None:
    """The bytes in base64url; None where another text is the canonical one for them (RFC 4648, 3.5)."""
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return data if _encoded(data) == text else None


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(_decoded(text) or b"")
    except (ValueError, RecursionError):
        raise NoToken(f"its {name} is not JSON in base64url") from None
    if not isinstance(value, dict):
        raise NoToken(f"its {name} is no object")
    return value
