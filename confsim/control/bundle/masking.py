"""Secrets in a bundle: which there are, and what stands in their place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

import msgspec

from confsim.service.journal import Entry

#: A signed JWT in a text: identity tokens, which no stand-in could take the place of.
JWT = re.compile(rb"eyJ[\w-]{8,}\.[\w-]+\.[\w-]*")
#: Headers whose values are secrets, whatever they are called in the profile.
_SECRET_HEADERS = re.compile(r"authorization|cookie|token|secret|password|api-?key", re.IGNORECASE)
#: Fields of records that are secrets, by table.
_SECRET_FIELDS = {"credentials": "value", "api tokens": "value", "validators": "key"}
#: Shorter texts are no secrets, and stand in too many places.
_SHORTEST = 6


def in_document(document: bytes) -> list[str]:
    """The secrets in a state document, in its order."""
    tables = msgspec.json.decode(document)["tables"]
    found = []
    for table, field in _SECRET_FIELDS.items():
        for records in tables.get(table, {}).values():
            found += [each[field] for each in records]
    return found


def in_request(entry: Entry) -> list[str]:
    """The secrets that a request presents, as far as its headers show them."""
    found = [] if entry.token is None else [entry.token]
    for name, value in entry.request.headers.items():
        if _SECRET_HEADERS.search(name):
            found += [part.partition("=")[2] or part for part in re.split(r"[;,]\s*|\s+", value)]
    return found


def is_signed(entry: Entry) -> bool:
    """Whether a request carries an identity token."""
    request = entry.request
    texts = (request.body, request.query.encode(), *(value.encode() for value in request.headers.values()))
    return any(JWT.search(text) for text in texts)


def mask(whole: bytes, secrets: Iterable[str]) -> bytes:
    """The document with a stand-in for each secret, the same in every place; signed tokens have one of their own."""
    stand_ins: dict[str, str] = {}
    for secret in secrets:
        if len(secret) >= _SHORTEST and secret not in _WORDS:
            stand_ins.setdefault(secret, f"masked-{len(stand_ins) + 1}")
    whole = JWT.sub(b"masked-identity-token", whole)
    for secret in sorted(stand_ins, key=len, reverse=True):
        stand_in = stand_ins[secret]
        for form in {quote(secret, safe=""): stand_in, _in_json(secret): stand_in}:
            whole = whole.replace(form.encode(), stand_in.encode())
    return whole


def _in_json(secret: str) -> str:
    """A text as it stands inside a JSON string that is itself in a JSON string, or nowhere."""
    text: Any = msgspec.json.encode(secret).decode()[1:-1]
    return str(text)


#: Words of headers that hold secrets and are none.
_WORDS = frozenset({"Bearer", "Basic", "bearer", "basic", "Digest", "digest"})
