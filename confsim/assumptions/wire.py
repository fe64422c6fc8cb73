"""How tokens come in and answers go out where the documents do not say."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .register import Entry, assumption, texts

_PRESENTATION = re.compile(
    r"(\?(?P<query>[\w-]+)=|Cookie: (?P<cookie>[\w-]+)=|(?P<header>[A-Za-z][\w-]*): ((?P<scheme>[\w-]+) )?)\{token\}\Z"
)


class Presentation(NamedTuple):
    """Where a token stands: in the "query", a "cookie" or a "header", by what name; after what scheme."""

    place: str
    name: str
    scheme: str = ""


def presentation(line: str) -> Presentation:
    """What a line of ``auth.presentation`` says."""
    match = _PRESENTATION.match(line)
    assert match is not None
    place = next(place for place in ("query", "cookie", "header") if match[place] is not None)
    return Presentation(place, match[place], match["scheme"] or "")


def _presentations(value: object) -> tuple[str, ...]:
    lines = [value] if isinstance(value, str) else value
    if not isinstance(lines, list | tuple) or not lines:
        raise ValueError(f"{value!r} is no list of presentations")
    for line in lines:
        if not isinstance(line, str) or not _PRESENTATION.match(line):
            raise ValueError(
                f"{line!r} is none of 'Name: Scheme {{token}}', '?name={{token}}', 'Cookie: name={{token}}'"
            )
    return tuple(lines)


PRESENTATION: Entry[tuple[str, ...]] = assumption(
    "auth.presentation",
    "G016 G017",
    "How a token is presented on a request; API tokens and user tokens alike. By the scheme Basic it is the password, "
    "of whatever user name.",
    ("Authorization: Bearer {token}",),
    (
        "Authorization: Basic {token}",
        "X-Auth-Token: {token}",
        "X-Api-Key: {token}",
        "?token={token}",
        "Cookie: session={token}",
    ),
    check=_presentations,
)


ERROR_BODIES: dict[str, Any] = {
    "flat": {"status": "$status", "code": "$code", "message": "$message", "details": "$details"},
    "nested": {"error": {"code": "$code", "message": "$message", "details": "$details"}},
    "problem": {
        "type": "about:blank",
        "title": "$message",
        "status": "$status",
        "code": "$code",
        "details": "$details",
    },
    "text": {"error": "$message"},
    "empty": None,
}


def _template(value: object) -> Any:
    if isinstance(value, str) and value in ERROR_BODIES:
        return value
    if isinstance(value, dict):
        return value
    raise ValueError(f"{value!r} is neither one of {', '.join(ERROR_BODIES)} nor a template object")


ERROR_BODY = assumption(
    "errors.body",
    "G034 G036 G041",
    "Shape of the body of an error: a named template, or an object whose texts $status, $code, $message and $details "
    "are filled in.",
    "flat",
    ("nested", "problem", "text", "empty", "any template object"),
    check=_template,
)
EMPTY = assumption(
    "encode.empty",
    "G043",
    "Status and body of a call whose response is '-': 200 without a body, 200 with {}, or 204.",
    "200",
    ("200 {}", "204"),
)


def _absent(value: object) -> str | tuple[str, ...]:
    if value in ("omit", "null"):
        return str(value)
    if not isinstance(value, list | tuple):
        raise ValueError(f"{value!r} is none of omit, null, a list of fields")
    return texts("fields")(value)


_OMIT: str | tuple[str, ...] = "omit"

ABSENT = assumption(
    "encode.absent",
    "G077",
    "An option without a value: left out of the answer, or null, or null where its field is listed and left out else.",
    _OMIT,
    ("null", "any list of fields"),
    check=_absent,
)
PREFIX = assumption(
    "route.prefix",
    "G001 G249",
    "What precedes the paths of the API; it ends with the version.",
    "/v1_0",
    ("any prefix that ends with /v1_0",),
    check=lambda value: _prefix(value),
)


def _prefix(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"(/[\w.-]+)*/v1_0", value, re.ASCII):
        raise ValueError(f"{value!r} is no prefix that ends with /v1_0")
    return value


BEFORE_TERMS: Entry[tuple[str, ...]] = assumption(
    "terms.open-calls",
    "G175",
    "Calls that a user may make before accepting the current terms; public calls need no user at all.",
    ("get_user_terms", "accept_terms"),
    ("any list of operations",),
    check=texts("operations"),
)
WHILE_DISABLED = assumption(
    "service.refused-while-disabled",
    "G162 G164 G156",
    "What a disabled service refuses: everything that changes something and the running of channels, or everything.",
    "changes",
    ("everything",),
)
OPEN_WHILE_DISABLED: Entry[tuple[str, ...]] = assumption(
    "service.open-while-disabled",
    "G162",
    "Calls that change something and yet work while the service is disabled.",
    ("accept_terms",),
    ("any list of operations",),
    check=texts("operations"),
)
