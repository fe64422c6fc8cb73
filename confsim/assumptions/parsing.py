"""How requests are read where the documents do not say."""

from __future__ import annotations

from .register import assumption

UNKNOWN_FIELDS = assumption(
    "parse.unknown-fields", "G070", "Fields of a JSON body that the call does not list.", "ignore", ("refuse",)
)
UNKNOWN_QUERY = assumption(
    "parse.unknown-query",
    "G048 G049",
    "Query parameters that the call does not list, for_client among them.",
    "ignore",
    ("refuse",),
)
EMPTY_QUERY = assumption(
    "parse.empty-query",
    "G051",
    "An empty value of a query parameter that is not free text.",
    "refuse",
    ("absent",),
)
NULL_OPTION = assumption(
    "parse.null", "G071", "An explicit null for an optional field of a body means that it is absent.", "absent"
)


def _booleans(value: object) -> dict[str, bool]:
    if not isinstance(value, dict) or not all(isinstance(meaning, bool) for meaning in value.values()):
        raise ValueError(f"{value!r} is no table from word to true or false")
    return value


BOOLEANS = assumption(
    "parse.booleans",
    "G054",
    "Spellings of a boolean in the query.",
    {"true": True, "false": False, "1": True, "0": False},
    ("any table from word to true or false",),
    check=_booleans,
)


def _units(value: object) -> dict[str, int]:
    if not isinstance(value, dict) or not all(isinstance(span, int) and span > 0 for span in value.values()):
        raise ValueError(f"{value!r} is no table from unit to milliseconds")
    return value


TTL_UNITS = assumption(
    "parse.ttl-units",
    "G125 G126 G127",
    "Units of a time to live, each in milliseconds; zero and other spellings are refused.",
    {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000},
    ("any table from unit to milliseconds",),
    check=_units,
)
CONTENT_TYPE = assumption(
    "parse.content-type",
    "G009",
    "A JSON body whose Content-Type is something else; without the header it is read as JSON.",
    "refuse",
    ("ignore",),
)
ACCEPT = assumption(
    "parse.accept", "G008", "An Accept header that does not admit application/json.", "ignore", ("refuse",)
)
