"""The secrets of a journal, and the stand-in for each.

A given secret (from the start of the world, or a request) is replaced in the start and in requests, so that the world
knows only the stand-in. A secret that the world makes is made again by the replay: its stand-in is for readers, and has
a fingerprint by which the replay finds the secret.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from confsim.domain.identity import jws
from confsim.kernel.tables.table import Table
from confsim.kernel.tables.writing import Written
from confsim.kernel.world import World
from confsim.service.entries import JournalEntry
from confsim.service.masking import CREDENTIAL_HEADERS, CREDENTIAL_NAMES, DISTINCTIVE, MASK

from .substitution import of_record, of_url, secrets_of

#: A signed JWT in a text.
JWT = re.compile(rb"(eyJ[\w-]{8,}\.[\w-]+)\.([\w-]*)")
#: Names of fields and parameters whose values are secrets, known to the world or not.
_GIVEN = re.compile(rf"({CREDENTIAL_NAMES}|.*pin)", re.IGNORECASE)
#: Fields of answers that are secrets and follow from the seed.
_MADE = re.compile(r"password|secret|jwt|token|reservationToken")
#: A field of a JSON text with its value, which may be incomplete.
_FIELD = re.compile(r'"(\w+)"\s*:\s*"((?:[^"\\]|\\.)+)')
_WEBHOOK_SECRET = re.compile(rb"whsec_[A-Za-z0-9+/]{40,}=*")
#: Words that precede a secret in a header and are none themselves.
_WORDS = frozenset({"bearer", "basic", "digest"})
#: Private members of a JWK (RFC 7517, RFC 7518), except the secret of a symmetric key.
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth"})
_PRINTS = 32
#: Schemes of URLs that end with a stream key.
_STREAMED = ("rtmp://", "rtmps://")


def fingerprint(secret: str) -> str:
    """Return the fingerprint of a secret, by which those who know the secret recognise it."""
    return hashlib.sha256(secret.encode()).hexdigest()[:_PRINTS]


# Places of secrets


def in_document(document: Any) -> Iterator[str]:
    """Yield the secrets in a state document (plain values), in its order."""
    tables = document.get("tables") if isinstance(document, dict) else None
    for table, clients in tables.items() if isinstance(tables, dict) else ():
        for record in chain.from_iterable(clients.values()) if secrets_of(table) else ():
            yield from of_record(table, record)


def in_writes(touched: Iterable[Written], world: World) -> Iterator[str]:
    """Yield the secrets in what a change has written."""
    for client, table, key in touched:
        if secrets_of(table):
            record = Table.declared[table].seen(world, client).get(key)
            if record is not None:
                yield from of_record(table, msgspec.to_builtins(record, enc_hook=str))


def in_request(entry: JournalEntry) -> Iterator[str]:
    """Yield the secrets of a request, found by the names of headers, parameters and fields."""
    request = entry.request
    if entry.token is not None:
        yield entry.token
    for name, value in request.headers.items():
        if CREDENTIAL_HEADERS.search(name):
            for part in re.split(r"[;,]\s*|\s+", value):
                word = part.partition("=")[2] or part
                if word.lower() not in _WORDS and word != MASK:
                    yield _password(word) if value.lower().startswith("basic ") else word
    for name, value in parse_qsl(request.query):
        if _GIVEN.fullmatch(name) and value not in ("", MASK):
            yield value
    yield from in_body(request.body)


def in_body(body: bytes) -> Iterator[str]:
    """Yield the secrets in a JSON body, by field names; invalid JSON is searched as text."""
    value = _json(body)
    if value is None:
        return (text for name, text in _FIELD.findall(body.decode(errors="replace")) if _GIVEN.fullmatch(name))
    return chain(_named(value, _GIVEN), _in_urls(value))


def in_answer(body: bytes) -> Iterator[str]:
    """Yield the secrets in an answer that the world does not store."""
    yield from (match[0].decode() for match in JWT.finditer(body))
    yield from (match[0].decode() for match in _WEBHOOK_SECRET.finditer(body))
    yield from (each for each in _named(_json(body), _MADE) if "*" not in each)


def identity_tokens(entry: JournalEntry) -> Iterator[str]:
    """Yield the signed JWTs in a request."""
    request = entry.request
    texts = (request.target.encode(), request.query.encode(), *(each.encode() for each in request.headers.values()))
    for text in (*texts, request.body, (entry.token or "").encode()):
        yield from (match[0].decode() for match in JWT.finditer(text))


def _named(value: Any, names: re.Pattern[str]) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            if isinstance(part, str) and part and names.fullmatch(name):
                yield part
            else:
                yield from _named(part, names)
    elif isinstance(value, list):
        for part in value:
            yield from _named(part, names)


def _in_urls(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if "://" in value:
            yield from of_url(value, keyed=value.startswith(_STREAMED))
    else:
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from _in_urls(part)


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return None


def _password(credentials: str) -> str:
    try:
        return b64decode(credentials, validate=True).decode().partition(":")[2] or credentials
    except ValueError:
        return credentials


# Stand-ins


class StandIns:
    """Stand-ins of secrets: each is unique, and has the length and the kind of characters of its secret.

    A JWT is signed with the stand-in of the key that signed it; one signed by an unknown key gets an invalid signature.
    Public keys stay; a private key is replaced by its public part.
    """

    def __init__(self, known: Callable[[str], bool]) -> None:
        self._known = known
        self._taken: set[str] = set()
        self._count = 0
        self._keys: dict[str, str] = {}

    def of(self, secret: str) -> str:
        """Return the stand-in for a secret."""
        if JWT.fullmatch(secret.encode()):
            return self._of_identity_token(secret)
        made = self._keys[secret] = _public(secret) or self._symmetric(secret) or self._fresh(secret)
        return made

    def _fresh(self, secret: str) -> str:
        while True:
            self._count += 1
            found = _candidate(secret, self._count)
            if found is None:  # every stand-in of this form is in use
                return secret
            if found != secret and found not in self._taken and not self._known(found):
                self._taken.add(found)
                return found

    def _of_identity_token(self, token: str) -> str:
        signed, _, signature = token.rpartition(".")
        for key, made in self._keys.items():
            try:
                jws.verify(token, "HS256", jws.parse_key("HS256", key))
                new = hmac.new(jws.parse_key("HS256", made), signed.encode(), "sha256").digest()
            except (ValueError, TypeError):
                continue
            return f"{signed}.{urlsafe_b64encode(new).rstrip(b'=').decode()}"
        return f"{signed}.{self._fresh(signature)}" if len(signature) >= DISTINCTIVE else token

    def _symmetric(self, key: str) -> str | None:
        """Return a symmetric JWK with a stand-in of its secret; None for another key."""
        jwk = _json(key.encode())
        if not isinstance(jwk, dict) or not isinstance(jwk.get("k"), str):
            return None
        return key.replace(jwk["k"], self._fresh(jwk["k"]))


#: The last digits of a secret that is a number, by which its stand-ins differ.
_DIGITS = 18


def _candidate(secret: str, number: int) -> str | None:
    """Return the stand-in of this number in the form of the secret; None when there are fewer."""
    size = len(secret)
    if secret.isascii() and secret.isdigit():
        least = 10 ** (min(size, _DIGITS) - 1)
        return str(least + number - 1).rjust(size, "1") if number <= 9 * least else None
    prefix = "whsec_" if secret.startswith("whsec_") else ""
    text = f"{prefix}masked-{number}"
    if len(text) > size:
        text = f"m{number:x}"
    return text.ljust(size, "x") if len(text) <= size else None


def _public(key: str) -> str | None:
    """Return the public part of a PEM or JWK; None for a text that is a secret."""
    if "-----BEGIN " in key:
        if "PRIVATE KEY-----" not in key:
            return key
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        for algorithm in ("RS256", "ES256"):
            try:
                public = jws.parse_key(algorithm, key)
                text: str = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
                return text
            except (ValueError, AttributeError):
                continue
        return None
    jwk = _json(key.encode()) if key.lstrip().startswith("{") else None
    if not isinstance(jwk, dict) or "k" in jwk or "kty" not in jwk:
        return None
    rest = {name: value for name, value in jwk.items() if name not in _PRIVATE}
    return key if len(rest) == len(jwk) else msgspec.json.encode(rest).decode()
