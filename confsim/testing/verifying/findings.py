"""The findings of a run, as plain values: a report that can be stored, without secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from confsim.api import forms
from confsim.api.catalogue import API
from confsim.contract.annotations import mark_of
from confsim.contract.types import Names
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.learning.comparing.places import Elements, Entries, ObjectShape, Shapes
from confsim.testing.learning.run import Run

#: Kinds of values that give access; they never appear in a report.
SECRETS = tuple(
    mark.kind for each in vars(forms).values() if (mark := mark_of(each, Names)) is not None and mark.secret
)
MASK = "***"


class Divergence(Struct):
    """A difference between the service and the model.

    ``place`` is a JSON Pointer into the answer, "status", "content-type" or a header; ``steps`` are the calls of the
    reproducer in words, ``curl`` and ``test`` the same as a shell script and as a test. ``explanations`` are the
    alternatives of assumptions that would explain it, by id, ``questions`` what to ask about them. ``count`` is the
    number of occurrences, ``repeatable`` says whether it occurred again with fresh things. ``also`` are the other
    operations, each with the place, that differ and are explained by the same alternatives.
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
    also: list[str] = []

    def count_again(self) -> None:
        """Count another occurrence."""
        self.count += 1

    def count_elsewhere(self, place: str, explanations: dict[str, Any]) -> None:
        """Count an occurrence at another operation, which these of its explanations explain as well."""
        self.count += 1
        self.also.append(place)
        asked = zip(self.explanations, self.questions, strict=True)
        self.questions = [question for id, question in asked if id in explanations]
        self.explanations = explanations


class VerifyReport(Struct):
    """The result of a verify run: ``left`` could not be removed, ``interrupted`` says why it ended early, else "".

    ``operations`` counts the calls of each operation, ``served`` the operations that a run may call.
    """

    base_url: str
    seed: int
    requests: int = 0
    repeated: int = 0
    waited: float = 0.0
    journeys: int = 0
    operations: dict[str, int] = {}
    served: int = 0
    divergences: list[Divergence] = []
    left: list[str] = []
    notes: list[str] = []
    interrupted: str = ""

    @property
    def drifted(self) -> bool:
        """Whether the service differs from the model."""
        return bool(self.divergences)


def masked(run: Run, value: Any, replies: Iterable[Reply] = ()) -> Any:
    """Return a plain value without the secrets of either side; ``replies`` may show some that are not known yet."""
    shown = (text for reply in replies if reply.status < 400 for text in _shown(reply.body))
    texts = [*run.accounts.tokens.values(), *run.known.texts(SECRETS), *shown]
    return _masked(value, sorted((each for each in texts if len(each) > 3), key=len, reverse=True))


@cache
def _fields() -> frozenset[str]:
    """Return the names of the fields that hold secrets, in the answer to any operation."""
    return frozenset(name for each in API for name in _fields_in(Shapes({}).answer(each)))


def _fields_in(shape: Any) -> Iterator[str]:
    if isinstance(shape, ObjectShape):
        for name, inner in shape.fields.items():
            if getattr(inner, "kind", "") in SECRETS:
                yield name
            yield from _fields_in(inner)
    elif isinstance(shape, Elements):
        yield from _fields_in(shape.element)
    elif isinstance(shape, Entries):
        yield from _fields_in(shape.value)


def _shown(body: Any) -> Iterator[str]:
    """Yield the texts of a body that stand where secrets do in any answer, whatever its shape."""
    if isinstance(body, dict):
        for name, each in body.items():
            if name in _fields() and isinstance(each, str):
                yield each
            yield from _shown(each)
    elif isinstance(body, list):
        for each in body:
            yield from _shown(each)


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
