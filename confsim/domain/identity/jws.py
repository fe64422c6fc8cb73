"""Signed JWTs in compact form (RFC 7515): PyJWS verifies signature, alg and crit, not claims or times.

Own code: a message for each way in which a key or a token is unusable, because the API answers with it.
"""

from __future__ import annotations

import binascii
import hmac
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from jwt.api_jws import PyJWS

#: The supported algorithms, with the key that each needs and the type of its JWKs (RFC 7518 6.1). No "none".
ALGORITHMS = {
    "HS256": ("a secret, not a PEM", "oct"),
    "RS256": ("an RSA key", "RSA"),
    "ES256": ("an EC key on the curve P-256", "EC"),
}

#: A secret that is no JWK, no PEM, which has blanks in it, and no SSH key.
_PLAIN_SECRET = r"(?!ssh-|ecdsa-)[^\s{]\S*"
_COMPACT = r"(?a)([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)\Z"


class NoToken(ValueError):
    """The text is not a compact JWT; the message gives the cause."""


class NotSigned(ValueError):
    """The signature is not that of the key, or the header is not supported; the message gives the cause."""


def require_key(algorithm: str, text: str) -> None:
    """Raise ValueError, as ``parse_key`` does, when the text is no key of the algorithm.

    A plain secret is known to be one without PyJWT, whose import takes as long as a server to start.
    """
    if algorithm != "HS256" or re.fullmatch(_PLAIN_SECRET, text) is None:
        parse_key(algorithm, text)


@lru_cache(maxsize=256)
def parse_key(algorithm: str, text: str) -> Any:
    """The key of an algorithm from a secret, a PEM or a JWK as text; of a private key the public part alone.

    Raises ValueError when the text is no such key; its message does not show the key.
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
    from jwt.algorithms import get_default_algorithms
    from jwt.exceptions import InvalidKeyError

    if text.lstrip().startswith("{"):
        key = _from_jwk(algorithm, text)
    else:
        key = text.encode() if algorithm == "HS256" else _from_pem(text)
    if hasattr(key, "public_bytes"):  # a public key, or a certificate
        key = key if not hasattr(key, "subject") else key.public_key()
    try:
        if algorithm == "HS256" and b"-----BEGIN " in key:  # PyJWT refuses a whole PEM alone
            raise InvalidKeyError
        return get_default_algorithms()[algorithm].prepare_key(key)
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
        return load_pem_x509_certificate(data) if b"CERTIFICATE-----" in data else load_pem_public_key(data)
    except Exception:  # cryptography raises errors of many kinds for a PEM that it cannot read
        raise ValueError("the key is no PEM that can be read") from None


def verify(token: str, algorithm: str, key: Any) -> dict[str, Any]:
    """The claims of a token that is signed by the key with just this algorithm.

    The header selects neither algorithm nor key: another alg is refused, keys in it or at its URLs (jwk, jku, x5c,
    x5u) are ignored. Raises NoToken or NotSigned.
    """
    payload = (_signed_by_secret if isinstance(key, bytes) else _signed)(token, algorithm, key)
    if payload is None:
        raise _problem(token, algorithm)
    return _object(payload, "payload")


def _signed(token: str, algorithm: str, key: Any) -> bytes | None:
    """The payload of a token of three parts that PyJWS accepts, else None."""
    from jwt.exceptions import InvalidTokenError

    if re.match(_COMPACT, token) is None:
        return None
    try:
        payload: bytes = _jws().decode_complete(token, key, [algorithm])["payload"]
    except (InvalidTokenError, RecursionError):
        return None
    return payload


#: ``_signed`` with a cache, for keys that are secrets: tokens and links are used again and again.
_signed_by_secret = lru_cache(maxsize=256)(_signed)


def _problem(token: str, algorithm: str) -> NoToken | NotSigned:
    """The error for a refused token, by its first fault in parts, alg, crit, kid, signature. May raise NoToken."""
    from jwt.utils import base64url_decode

    match = re.match(_COMPACT, token)
    if match is None:
        return NoToken("it does not consist of three parts in base64url")
    try:
        header = _object(base64url_decode(match[1]), "header")
    except binascii.Error:
        return NoToken("its header is not JSON in base64url")
    if header.get("alg") != algorithm:
        return NotSigned(f"it is not signed with {algorithm}")
    if "crit" in header:
        return NotSigned("its header has critical extensions")
    if not isinstance(header.get("kid", ""), str):
        return NotSigned("its header has a kid that is no text")
    if len(match[3]) % 4 == 1:
        return NoToken("its signature is not base64url")
    return NotSigned("its signature is not that of the key")


def sign(claims: dict[str, Any], key: Any, algorithm: str = "HS256") -> str:
    """A token with these claims in this order, signed by a key of the algorithm.

    The same claims and key give the same text, but for ES256, whose signatures differ each time. With a secret it is
    two steps (RFC 7515, A.1.1), which take a third of the time without PyJWS.
    """
    payload = msgspec.json.encode(claims)
    if algorithm != "HS256":
        return _jws().encode(payload, key, algorithm)
    text = _HS256 + _base64url(payload)
    return (text + b"." + _base64url(hmac.digest(key, text, "sha256"))).decode()


#: The two characters of base64 that base64url has others for (RFC 4648, 5).
_URL = bytes.maketrans(b"+/", b"-_")


def _base64url(data: bytes) -> bytes:
    return binascii.b2a_base64(data, newline=False).translate(_URL).rstrip(b"=")


#: The header of a token that is signed with a secret, as PyJWS writes it.
_HS256 = _base64url(b'{"alg":"HS256","typ":"JWT"}') + b"."


@lru_cache(maxsize=1)
def _jws() -> PyJWS:
    """PyJWS for keys that ``parse_key`` has prepared; short ones, which tests use, cause no warning."""
    from jwt.algorithms import ECAlgorithm, HMACAlgorithm, RSAAlgorithm
    from jwt.api_jws import PyJWS

    class Prepared:
        def prepare_key(self, key: Any) -> Any:
            return key

        def check_key_length(self, key: Any) -> None:  # noqa: ARG002  (PyJWT names it)
            return None

    class Secret(Prepared, HMACAlgorithm):
        def sign(self, msg: bytes, key: bytes) -> bytes:
            return hmac.digest(key, msg, "sha256")  # in one call of C, unlike PyJWT's own

    class Rsa(Prepared, RSAAlgorithm):
        pass

    class Curve(Prepared, ECAlgorithm):
        pass

    jws = PyJWS([])
    jws.register_algorithm("HS256", Secret(HMACAlgorithm.SHA256))
    jws.register_algorithm("RS256", Rsa(RSAAlgorithm.SHA256))
    jws.register_algorithm("ES256", Curve(ECAlgorithm.SHA256))
    return jws


def _object(text: bytes, name: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        raise NoToken(f"its {name} is not JSON in base64url") from None
    if not isinstance(value, dict):
        raise NoToken(f"its {name} is no object")
    return value
