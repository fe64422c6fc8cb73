"""The findings of a run, as plain values: a report that can be stored, without secrets."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from confsim.api import ids
from confsim.contract.annotations import mark_of
from confsim.contract.types import Names
from confsim.testing.learning.run import Run

#: Kinds of values that give access; they never appear in a report.
SECRETS = tuple(mark.kind for each in vars(ids).values() if (mark := mark_of(each, Names)) is not None and mark.secret)
MASK = "***"


class Divergence(Struct):
    """A difference between the service and the model.

    ``place`` is a JSON Pointer into the answer, "status", "content-type" or a header; ``steps`` are the calls of the
    reproducer in words, ``curl`` and ``test`` the same as a shell script and as a test. ``explanations`` are the
    alternatives of assumptions that would explain it, by id, ``questions`` what to ask about them. ``count`` is the
    number of occurrences, ``repeatable`` says whether it occurred again with fresh things.
    """

    operation: str
    place: str
    expected: Any
    got: Any
    why: str
    steps: list[str]
    curl: str
    test: str
    explanations: dict[str, Any]
    questions: list[str]
    repeatable: bool
    count: int = 1

    def count_again(self) -> None:
        """Count another occurrence."""
        self.count += 1


class VerifyReport(Struct):
    """The result of a verify run: ``left`` could not be removed, ``interrupted`` says why it ended early, else ""."""

    base_url: str
    seed: int
    requests: int = 0
    repeated: int = 0
    waited: float = 0.0
    journeys: int = 0
    operations: dict[str, int] = {}
    divergences: list[Divergence] = []
    left: list[str] = []
    notes: list[str] = []
    interrupted: str = ""

    @property
    def drifted(self) -> bool:
        """Whether the service differs from the model."""
        return bool(self.divergences)


def masked(run: Run, value: Any) -> Any:
    """Return a plain value without the secrets of either side."""
    texts = [*run.accounts.tokens.values(), *run.known.texts(SECRETS)]
    return _masked(value, sorted((each for each in texts if len(each) > 3), key=len, reverse=True))


def _masked(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            if secret in value:
                value = value.replace(secret, MASK)
        return value
    if isinstance(value, dict):
        return {name: _masked(each, secrets) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(each, secrets) for each in value]
    return f"{len(value)} bytes" if isinstance(value, bytes) else value


def encoded(report: Struct) -> bytes:
    """Return a report as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(report, enc_hook=str), indent=2) + b"\n"
