"""The secrets behind the stand-ins of a masked bundle, found in the world that replays it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

from .document import BundledCall, RecordedAnswer, raw
from .masking import fingerprint
from .substitution import Substitution

#: Texts in a state document that may be secrets.
_WORD = re.compile(rb"[A-Za-z0-9+/=_.~-]+")


class SecretMap:
    """The secrets that the replaying world has made, by their stand-ins.

    A secret is found in an answer, in the place of its stand-in, or in the ``state`` of the world, by its fingerprint.
    """

    def __init__(self, prints: Mapping[str, str], state: Callable[[], bytes]) -> None:
        self._unknown = dict(prints)
        self._state = state
        self._secrets, self._stand_ins = Substitution(), Substitution()
        self._pattern: re.Pattern[bytes] | None = None

    def call(self, call: BundledCall) -> BundledCall:
        """Return a call with secrets in the place of their stand-ins."""
        if self._unknown and self._found(msgspec.json.encode(call)):
            self._search()
        return self._secrets.call(call) if self._secrets else call

    def hidden(self, answer: RecordedAnswer) -> RecordedAnswer:
        """Return an answer with stand-ins in the place of their secrets."""
        return self._stand_ins.answer(answer) if self._stand_ins else answer

    def learn(self, was: RecordedAnswer, got: RecordedAnswer) -> None:
        """Find secrets in an answer: they are where the recorded answer has stand-ins."""
        if not self._unknown:
            return
        lines = zip(was.headers, got.headers, strict=False)
        pairs = ((one.encode(), other.encode()) for (_, one), (_, other) in lines)
        for one, other in ((raw(was.body), raw(got.body)), *pairs):
            for stand_in in self._found(one):
                at = one.index(stand_in.encode())
                self._take(stand_in, other[at : at + len(stand_in)].decode(errors="replace"))

    def _found(self, text: bytes) -> set[str]:
        """Return the stand-ins in a text whose secrets are not known yet."""
        if self._pattern is None:
            names = sorted((each.encode() for each in self._unknown), key=len, reverse=True)
            self._pattern = re.compile(b"|".join(map(re.escape, names)))
        return {match.decode() for match in self._pattern.findall(text)} & self._unknown.keys()

    def _search(self) -> None:
        wanted = {print: stand_in for stand_in, print in self._unknown.items()}
        for word in set(_WORD.findall(self._state())):
            stand_in = wanted.get(fingerprint(word.decode()))
            if stand_in is not None:
                self._take(stand_in, word.decode())

    def _take(self, stand_in: str, secret: str) -> None:
        if fingerprint(secret) == self._unknown.get(stand_in):
            del self._unknown[stand_in]
            self._secrets.add({stand_in: secret})
            self._stand_ins.add({secret: stand_in})
