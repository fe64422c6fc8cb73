"""How the calls of a document are read, in sentences: what a profile says of all of them and no schema can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confsim.assumptions.protocol import parsing
from confsim.assumptions.register import Assumption, in_force

#: Sentences by entry and value; a value without one is said by schemas.
_SENTENCES: tuple[tuple[Assumption[Any], Mapping[str, str]], ...] = (
    (
        parsing.UNKNOWN_QUERY,
        {
            "ignore": "Query parameters that an operation does not list are ignored.",
            "refuse": "Query parameters that an operation does not list are refused.",
        },
    ),
    (
        parsing.REPEATED_QUERY,
        {
            "first": "Of a query parameter that is given more than once the first value counts.",
            "last": "Of a query parameter that is given more than once the last value counts.",
            "join": "The values of a query parameter that is given more than once are joined by commas.",
            "refuse": "A query parameter that is given more than once is refused.",
        },
    ),
    (
        parsing.PLUS,
        {"space": "A plus sign in a query is a space.", "plus": "A plus sign in a query is a plus sign."},
    ),
    (
        parsing.ESCAPES,
        {
            "refuse": "Broken percent escapes are refused.",
            "replace": "Broken percent escapes are read as replacement characters.",
        },
    ),
    (
        parsing.NUMBERS,
        {"5.0 is 5": "In a body 5.0 is the integer 5.", "strict": "In a body 5.0 is no integer."},
    ),
    (
        parsing.DUPLICATE_KEYS,
        {
            "refuse": "A JSON object that has a key twice is refused.",
            "last": "Of a key that a JSON object has twice the last value counts.",
        },
    ),
    (parsing.PLACES, {"query too": "A call without a body takes the fields of the body from its query."}),
)


def readings(profile: Mapping[str, Any]) -> str:
    """Return how calls are read under a profile."""
    said = (sentences.get(in_force(profile, entry)) for entry, sentences in _SENTENCES)
    return " ".join(sentence for sentence in said if sentence is not None)
