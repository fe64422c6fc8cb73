"""Ids, tokens, PINs and codes from a seed and a counter: deterministic, so equal runs give equal ids.

Own code: ``uuid`` and ``secrets`` use randomness and the clock, and ``uuid.UUID`` formats five times as slowly.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import blake2b


def draw(seed: int, count: int, size: int = 16) -> bytes:
    """``size`` pseudo-random bytes that depend on the seed and the count alone."""
    return blake2b(count.to_bytes(8, "big"), digest_size=size, key=(seed % 2**256).to_bytes(32, "big")).digest()


def derive(seed: int, purpose: str) -> bytes:
    """A secret of 32 bytes that depends on the seed and the purpose alone; count 0 of ``draw`` is reserved for it."""
    return blake2b(purpose.encode(), digest_size=32, key=draw(seed, 0, 32)).digest()


def as_uuid(raw: bytes) -> str:
    """16 bytes as a version 4 UUID in lower case (G131, G132)."""
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{'89ab'[raw[8] >> 6]}{text[17:20]}-{text[20:]}"


def as_token(raw: bytes) -> str:
    """Bytes as base64url without padding, which headers may hold (G022)."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def as_digits(raw: bytes, length: int) -> str:
    """``length`` decimal digits, the first not 0, so that a person can key them in (G133)."""
    number = int.from_bytes(raw, "big")
    low = 10 ** (length - 1)
    return str(low + number % (9 * low))
