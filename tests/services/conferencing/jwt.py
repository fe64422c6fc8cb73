"""JSON web tokens signed with HS256, made and read."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _object(text: str) -> dict[str, Any]:
    value = json.loads(_decode(text))
    if not isinstance(value, dict):
        raise ValueError(text)
    return value


def _signature(signed: str, secret: str) -> bytes:
    return hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()


def make(claims: dict[str, Any], secret: str) -> str:
    """A token with these claims."""
    signed = ".".join(_encode(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return f"{signed}.{_encode(_signature(signed, secret))}"


def read(token: str, secret: str) -> dict[str, Any]:
    """The claims of a token; a ValueError when it is none or not signed with the secret."""
    signed, _, signature = token.rpartition(".")
    head, _, payload = signed.partition(".")
    if _object(head).get("alg") != "HS256" or not hmac.compare_digest(_decode(signature), _signature(signed, secret)):
        raise ValueError(token)
    return _object(payload)
