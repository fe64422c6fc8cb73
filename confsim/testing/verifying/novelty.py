"""The novelty of a call: the features that no earlier call has shown, each with a weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from confsim.assumptions.protocol.refusals import REASONS
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.model import Prediction

from .values import values_of

#: The ids of the codes of refusals that are about the caller.
NOT_FOR_THIS_CALLER = frozenset(id for id, reason in REASONS.items() if reason.value.of_caller)
#: Suffix of the role of a caller who belongs to another client than the thing called.
FOREIGN = "of another client"


def features(call: ModelCall, predicted: Prediction, caller: str) -> Iterator[tuple[object, float]]:
    """Yield the features of a call, each with its weight; ``caller`` is the role of the caller."""
    name, ok = call.operation, predicted.reply.status < 400
    reason = next((id for id in predicted.used if id in REASONS), "")
    if ok:
        yield (name, "succeeds"), 120
        yield (name, "succeeds for", caller), 14
        if predicted.effective:
            yield (name, "writes"), 1
        for table in predicted.wrote:
            yield (name, "writes", table), 10
        for row in predicted.applied:
            yield ("applies", *row), 16
        for move in predicted.moved:
            yield ("moves", *move), 16
            yield (name, "moves", *move), 3
        yield from (((name, "shows", each), 2.0) for each in _features_of(predicted.reply.body, "", 0))
        yield from (((name, "has", each), 2.0) for each in pointers(predicted.reply.body))
        yield from _asked(call, predicted)
        for value in values_of(call):
            yield (name, *value), 12
            if predicted.effective:
                yield (name, "effective with", value), 12
    else:
        yield ("refused", reason), 30
        yield (name, "refused", reason), 12
        if reason in NOT_FOR_THIS_CALLER and not caller.endswith(FOREIGN):
            yield (name, "denied"), 12
        if reason in NOT_FOR_THIS_CALLER or caller.endswith(FOREIGN):
            yield (name, "refused to somebody"), 12
            yield (name, "refused to", caller), 5
            if caller.endswith(FOREIGN):
                yield (name, "refused to another client"), 20
    for id in predicted.used:
        yield ("uses", id), 6
        yield (name, id), 1.5


def _asked(call: ModelCall, predicted: Prediction) -> Iterator[tuple[object, float]]:
    """Yield the features of a call's query: pages, sort orders of several elements, other parameters."""
    body, name = predicted.reply.body, call.operation
    rows = body.get("results", body.get("rows")) if isinstance(body, dict) else body
    count = len(rows) if isinstance(rows, list) else 0
    for each, text in call.query.items():
        if each == "limit" and isinstance(body, dict):
            yield (name, "cut by limit", count != body.get("total")), 12
        elif each == "offset" and text != "0":
            yield (name, "cut by offset", count > 0), 12
        elif each in {"sort", "order"}:
            yield (name, each, text, count > 1), 8 if count > 1 else 1
        else:
            yield (name, "asked", each), 5
    if count > 1:
        yield (name, "several"), 15


def pointers(body: Any, place: str = "") -> Iterator[str]:
    """Return the places of the fields of an answer, with ``*`` for any element of a list, each once."""
    if isinstance(body, dict):
        for field, value in body.items():
            yield f"{place}/{field}"
            yield from pointers(value, f"{place}/{field}")
    elif isinstance(body, list):
        yield from dict.fromkeys(each for value in body[:5] for each in pointers(value, f"{place}/*"))


def _features_of(value: Any, place: str, depth: int) -> Iterator[str]:
    """Yield the features of an answer: kinds of values, by place."""
    if isinstance(value, dict) and depth < 4:
        for name, each in value.items():
            yield from _features_of(each, f"{place}/{name}", depth + 1)
    elif isinstance(value, list):
        yield f"{place} {min(len(value), 3)}"
        for each in value[:3]:
            yield from _features_of(each, f"{place}/*", depth + 1)
    elif isinstance(value, bool):
        yield f"{place} {value}"
    else:
        yield f"{place} {type(value).__name__}"
