"""The findings of a run, as plain values: a report that can be stored, without secrets."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from confsim.testing.learning.run import Run

#: Kinds of values that give access; their texts never stand in a report.
SECRETS = ("tokens", "secrets", "asset_tokens", "codes", "reservations")
MASK = "***"


class Divergence(Struct):
    """One way in which the service differs from the model.

    ``place`` is a JSON Pointer into the answer, "status", "content-type" or a header; ``steps`` are the calls of the
    reproducer in words, ``curl`` and ``test`` the same as a shell script and as a test. ``explanations`` are the
    alternatives of assumptions that would explain it, by id, ``questions`` what to ask about them. ``count`` says how
    often it was met, ``repeatable`` whether it came again on fresh things.
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


class VerifyReport(Struct):
    """The result of a verify run. ``left`` lists what it made and could not remove, ``interrupted`` says why it
    ended early, "" when it did not.
    """

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
    """A plain value without the texts of secrets of either side."""
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
    """A report as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(report, enc_hook=str), indent=2) + b"\n"
