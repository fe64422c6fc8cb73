"""Parsing of requests: query, JSON bodies, numbers, lists, paging parameters."""

from __future__ import annotations

from confsim.assumptions.register import Assumption, assumption

UNKNOWN_FIELDS = assumption(
    "parse.unknown-fields", "G070", "Fields of a JSON body that the call does not list.", "ignore", ("refuse",)
)
UNKNOWN_QUERY = assumption(
    "parse.unknown-query",
    "G048 G049",
    "Query parameters that the call does not list, except for_client.",
    "ignore",
    ("refuse",),
)
FOR_CLIENT = assumption(
    "parse.for-client",
    "G049",
    "for_client on a call that does not list it: refused, so that no call acts on the caller's own client by mistake; "
    "or ignored.",
    "refuse",
    ("ignore",),
)
MISSING_QUERY = assumption(
    "parse.missing-query",
    "G052",
    "A query parameter that the call needs is missing: invalid (400), or no such thing (404).",
    "400",
    ("404",),
)
EMPTY_QUERY = assumption(
    "parse.empty-query",
    "G051",
    "An empty value of a query parameter that is not free text, for_client among them: refused, or as if absent.",
    "refuse",
    ("absent",),
)
NULL_OPTION = assumption(
    "parse.null",
    "G071",
    "An explicit null for an optional field of a body: it is absent, or refused.",
    "absent",
    ("refuse",),
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
    samples=({"yes": True, "no": False},),
)


def _units(value: object) -> dict[str, int]:
    if not isinstance(value, dict) or not all(isinstance(span, int) and span > 0 for span in value.values()):
        raise ValueError(f"{value!r} is no table from unit to milliseconds")
    if not all(unit.isascii() and unit.isalpha() for unit in value):
        raise ValueError(f"{value!r} has a unit that is not made of the letters a to z")
    return value


TTL_UNITS = assumption(
    "parse.ttl-units",
    "G125 G126 G127",
    "Units of a time to live, each in milliseconds; zero and other spellings are refused.",
    {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000},
    ("any table from unit to milliseconds",),
    check=_units,
    samples=({"y": 31_536_000_000},),
)
TTL_NUMBER = assumption(
    "parse.ttl-number",
    "G126",
    "The number of a time to live: with a fraction, as 1.5h, or whole; fractions of a millisecond are cut off.",
    "fraction",
    ("whole",),
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
REPEATED_QUERY = assumption(
    "parse.repeated-query",
    "G050",
    "A query parameter that is given more than once: the first counts, the last, all joined by commas, or refused.",
    "first",
    ("last", "join", "refuse"),
)
PLUS = assumption("parse.plus", "G056", "A plus sign in the query: a space, or itself.", "space", ("plus",))
ESCAPES = assumption(
    "parse.broken-escapes",
    "G057",
    "Broken percent escapes and bytes that are not UTF-8: refused, or read with replacement characters.",
    "refuse",
    ("replace",),
)
LIST_SEPARATOR = assumption(
    "parse.list-separator",
    "G055 G075",
    "What separates the items of a list in the path or the query.",
    ",",
    (";", "|", " "),
)
EMPTY_ITEMS = assumption(
    "parse.empty-items",
    "G075",
    "Empty items of a list are left out, or refused; items are trimmed.",
    "skip",
    ("refuse",),
)
PATH_NUMBERS = assumption(
    "parse.path-numbers",
    "G060",
    "Text in a path where a number is documented: invalid (400), or a thing that is not there (404).",
    "400",
    ("404",),
)
NUMBERS = assumption(
    "parse.numbers",
    "G069",
    'Numbers in a JSON body: 5.0 is the integer 5; or it is not; or even the text "5" is.',
    "5.0 is 5",
    ("strict", "coerce"),
)
DUPLICATE_KEYS = assumption(
    "parse.duplicate-keys",
    "G065",
    "A key that a JSON object has twice, at any depth: it is refused, or the last counts.",
    "refuse",
    ("last",),
)
NO_BODY = assumption(
    "parse.no-body", "G066", "No body where every field is optional: the same as {}, or refused.", "as {}", ("refuse",)
)
PLACES = assumption(
    "parse.places",
    "G047",
    "Parameters are read only where their call states; or a call without a body takes its fields from the query too.",
    "stated",
    ("query too",),
)
BAD_SORT = assumption(
    "parse.bad-sort",
    "G084 G085",
    "A sort or an order that the call does not know: refused, or as if absent.",
    "refuse",
    ("absent",),
)
LIMIT_ZERO = assumption(
    "parse.limit-zero",
    "G081",
    "A limit of 0: an empty page with the total, or as if absent.",
    "empty page",
    ("absent",),
)
LIMIT_LARGE = assumption(
    "parse.limit-large", "G080", "A limit above the most: cut to it, or refused.", "cut", ("refuse",)
)
OUTER_BLANKS = assumption(
    "parse.outer-blanks",
    "G072 G254 G300",
    "Leading and trailing blanks of a name or handle in a call: removed, so that names that differ by them alone are "
    "equal; or kept, so that these differ. Ids of other systems, texts and URLs keep theirs.",
    "removed",
    ("kept",),
)
STATE_CASE = assumption(
    "parse.state-case", "G053 G062", "Case of state words and other enumerated values.", "exact", ("ignore",)
)


def of_unknown(name: str) -> Assumption[str]:
    """The entry that says what becomes of a query parameter that a call does not list."""
    return FOR_CLIENT if name == "for_client" else UNKNOWN_QUERY
