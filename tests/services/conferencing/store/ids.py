"""Identifiers and tokens in the forms that a style names."""

from __future__ import annotations

import random
import re
import string
import unicodedata
import uuid

BASE62 = string.digits + string.ascii_letters
PATTERNS = {
    "uuid": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "hex": r"[0-9a-f]{%s}",
    "digits": r"[1-9][0-9]{%s}",
    "base62": r"[0-9A-Za-z]{%s}",
    "grouped": r"[0-9]{3}(-[0-9]{3})+",
}


class Ids:
    """A source of identifiers; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._last = 0

    def make(self, form: str) -> str:
        """A new identifier of the form."""
        prefix, _, bare = form.rpartition("+")
        kind, _, size = bare.partition(":")
        if kind == "uuid":
            return prefix + str(uuid.UUID(int=self._random.getrandbits(128), version=4))
        if kind == "hex":
            return prefix + self._letters("0123456789abcdef", int(size))
        if kind == "digits":
            return prefix + self._letters("123456789", 1) + self._letters(string.digits, int(size) - 1)
        if kind == "grouped":
            digits = self._letters("123456789", 1) + self._letters(string.digits, int(size) - 1)
            return prefix + "-".join(digits[i : i + 3] for i in range(0, len(digits), 3))
        return prefix + self._letters(BASE62, int(size))

    def _letters(self, letters: str, size: int) -> str:
        return "".join(self._random.choice(letters) for _ in range(size))

    def number(self, form: str, now_ms: int) -> int:
        """A new user number: counted from a first one, of N digits, or a snowflake of the instant."""
        kind, _, size = form.partition(":")
        if kind == "sequence":
            self._last = max(self._last + 1, int(size))
            return self._last
        if kind == "digits":
            return int(self.make(form))
        self._last = max(self._last + 1, (now_ms - 1_577_836_800_000) << 12)
        return self._last

    def counter(self) -> int:
        """A number for rows that are never shown."""
        return self._random.getrandbits(52)


def conforms(text: str, form: str) -> bool:
    """Whether a text has the form of an identifier."""
    prefix, _, bare = form.rpartition("+")
    kind, _, size = bare.partition(":")
    pattern = PATTERNS[kind]
    if "%s" in pattern:
        pattern = pattern % (int(size) - 1 if kind == "digits" else size)
    return re.fullmatch(re.escape(prefix) + pattern, text) is not None


def slug(text: str, joint: str = "-") -> str:
    """A text in lower case with accents taken off and everything else than letters and digits made a joint."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", joint, plain).strip(joint)
