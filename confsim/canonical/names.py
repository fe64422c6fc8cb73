"""Names of two runs of the same calls that stand for each other, as far as the answers have shown."""

from __future__ import annotations

from typing import Any

from . import meaning


class SameNames:
    """Learns from answers which id or secret of one run is which of another run; each stands for one only."""

    __slots__ = ("_back", "_there")

    def __init__(self) -> None:
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def alike(self, one: Any, other: Any) -> bool:
        """Return whether two plain values are the same but for names; the names in values that are alike are learned.

        A name that stands for another one already is the same only where that one stands.
        """
        pairs: dict[str, str] = {}
        if not self._alike(one, other, pairs) or len(set(pairs.values())) < len(pairs):
            return False
        self._there |= pairs
        self._back |= {value: name for name, value in pairs.items()}
        return True

    def keep(self, text: str) -> None:
        """Learn that the names in a text stand for themselves: both runs gave it alike."""
        self.alike(text, text)

    def translated(self, text: str) -> str:
        """Return a text of the first run with the names of the other one; unknown names stay."""
        if not self._there:
            return text
        return meaning.NAMES_IN_TEXT.sub(lambda match: self._there.get(match[0], match[0]), text)

    def _alike(self, one: Any, other: Any, pairs: dict[str, str]) -> bool:
        if type(one) is not type(other):
            return False
        if isinstance(one, dict):
            drawn = meaning.DRAWN_IN_ANSWERS
            return one.keys() == other.keys() and all(
                (name in drawn and isinstance(one[name], str) and isinstance(other[name], str))
                or self._alike(one[name], other[name], pairs)
                for name in one
            )
        if isinstance(one, list):
            return len(one) == len(other) and all(map(lambda a, b: self._alike(a, b, pairs), one, other))
        if not isinstance(one, str):
            return bool(one == other)
        names, others = meaning.NAMES_IN_TEXT.findall(one), meaning.NAMES_IN_TEXT.findall(other)
        rests = [meaning.NAMES_IN_TEXT.sub("#", text) for text in (one, other)]
        return (
            rests[0] == rests[1]
            and len(names) == len(others)
            and all(self._pair(name, value, pairs) for name, value in zip(names, others, strict=True))
        )

    def _pair(self, name: str, other: str, pairs: dict[str, str]) -> bool:
        """Return whether two names can stand for each other, and note that they do."""
        known = self._there.get(name) or pairs.setdefault(name, other)
        return known == other and self._back.get(other, name) == name
