"""Types of fields that several control operations share, with their descriptions."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from confsim.contract.types import Json, Keywords, Pattern, ReadAs
from confsim.domain.fault_points import FaultOutcome
from confsim.service.faults.words import WORDS, Word
from confsim.values import spans

from .declare import CommandBody

Moment = Annotated[int, "An instant, in epoch milliseconds."]
Operation = Annotated[str, "The name of an operation."]
Method = Annotated[str, "The method of the call."]
Path = Annotated[str, "The path of the call, where * stands for any text."]
Status = Annotated[int, "The status of the answer."]


def one_of(*words: str) -> Pattern:
    """Return the mark of a text that is one of some words."""
    keywords: dict[str, Any] = {"enum": [*words]}
    return Pattern(lambda profile: keywords)


#: A duration such as "15m", or a number of milliseconds.
Duration = Annotated[Json, Pattern(lambda profile: {**spans.SCHEMA})]
#: An instant in epoch milliseconds or as ISO 8601.
Instant = Annotated[Json, Pattern(lambda profile: {"anyOf": [{"type": "string"}, {"type": "integer"}]})]
Rate = Annotated[Json, Pattern(lambda profile: {"type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000})]
Object = Annotated[Json, Pattern(lambda profile: {"type": "object"})]
Key = Annotated[Json, Pattern(lambda profile: {"anyOf": [{"type": "string"}, {"type": "object"}]})]

# The effects of faults: all are read by ``service.faults``.


def _schema_of(word: Word) -> Keywords:
    return lambda profile: {**word.schema}


_EFFECT = msgspec.defstruct(
    "FaultEffect",
    [(name, Annotated[Json, Pattern(_schema_of(word)), word.description], None) for name, word in WORDS.items()],
    namespace={
        "__doc__": "The effect of a fault on a call.",
        "KEYWORDS": {
            "minProperties": 1,
            "dependentRequired": {name: [word.belongs_to] for name, word in WORDS.items() if word.belongs_to},
            "dependentSchemas": {
                name: {"properties": dict.fromkeys(word.excludes, False), "additionalProperties": True}
                for name, word in WORDS.items()
                if word.excludes
            },
        },
    },
    forbid_unknown_fields=True,
)


class InjectedOutcome(CommandBody):
    """The outcome of a fault of a thing, and its duration where it takes one."""

    outcome: Annotated[FaultOutcome, "What becomes of the thing."]
    by: Annotated[Duration, "How much later it happens."] = None


#: The ``do`` of a fault of calls, and of any fault.
FaultEffect = Annotated[Json, ReadAs(_EFFECT)]
FaultDo = Annotated[Json, ReadAs(_EFFECT | InjectedOutcome | FaultOutcome), "Its effect; of a thing, an outcome."]
