"""Ids, tokens, PINs and codes from a seed and a counter: deterministic, so equal runs give equal ids.

Own code: ``uuid`` and ``secrets`` use randomness and the clock, and formatting by ``uuid.UUID`` takes five times as
long.
"""

from base64 import urlsafe_b64encode
from functools import lru_cache
from hashlib import blake2b


def draw(seed: int, count: int, size: int = 16) -> bytes:
    """Return ``size`` pseudo-random bytes that depend only on the seed and the count."""
    drawn = _keyed(seed, size).copy()
    drawn.update(count.to_bytes(8, "big"))
    return drawn.digest()


@lru_cache(maxsize=64)
def _keyed(seed: int, size: int) -> blake2b:
    """Return the hash of nothing yet, with the seed as its key: copying it is half of the work of making it."""
    return blake2b(digest_size=size, key=(seed % 2**256).to_bytes(32, "big"))


@lru_cache(maxsize=256)
def derive(seed: int, purpose: str) -> bytes:
    """Return a secret of 32 bytes that depends only on seed and purpose; count 0 of ``draw`` is reserved for it."""
    return blake2b(purpose.encode(), digest_size=32, key=draw(seed, 0, 32)).digest()


def as_uuid(raw: bytes) -> str:
    """Return 16 bytes as a version 4 UUID in lower case."""
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{'89ab'[raw[8] >> 6]}{text[17:20]}-{text[20:]}"


def as_token(raw: bytes) -> str:
    """Return bytes as base64url without padding, which is valid in headers."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def as_digits(raw: bytes, length: int) -> str:
    """Return ``length`` decimal digits, the first not 0, which a person can key in."""
    number = int.from_bytes(raw, "big")
    low = 10 ** (length - 1)
    return str(low + number % (9 * low))
