"""Presentation of tokens on requests, and the bodies of answers and errors."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from confsim.assumptions.register import Assumption, assumption, texts

_PRESENTATION = (
    r"(\?(?P<query>[\w-]+)=|Cookie: (?P<cookie>[\w-]+)=|(?P<header>[A-Za-z][\w-]*): ((?P<scheme>[\w-]+) )?)\{token\}\Z"
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
_OMIT: str | tuple[str, ...] = "omit"


# auth.*
class Presentation(NamedTuple):
    """Place of a token in a request: "query", "cookie" or "header", its name there, and the scheme before the token."""

    place: str
    name: str
    scheme: str = ""


def presentation(line: str) -> Presentation:
    """Parse one presentation of ``auth.presentation``, which has been checked."""
    match = re.match(_PRESENTATION, line)
    assert match is not None
    place = next(place for place in ("query", "cookie", "header") if match[place] is not None)
    return Presentation(place, match[place], match["scheme"] or "")


def _presentations(value: object) -> tuple[str, ...]:
    lines = [value] if isinstance(value, str) else value
    if not isinstance(lines, list | tuple) or not lines:
        raise ValueError(f"{value!r} is no list of presentations")
    for line in lines:
        if not isinstance(line, str) or not re.match(_PRESENTATION, line):
            raise ValueError(
                f"{line!r} is none of 'Name: Scheme {{token}}', '?name={{token}}', 'Cookie: name={{token}}'"
            )
    return tuple(lines)


PRESENTATION: Assumption[tuple[str, ...]] = assumption(
    "auth.presentation",
    "G016 G017",
    "How a token is presented on a request; API tokens and user tokens alike. By the scheme Basic it is the password, "
    "of any user name.",
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
PUBLIC_CREDENTIALS = assumption(
    "auth.on-public-calls",
    "G023",
    "A token sent to a call that needs none plays no part, or is refused when it is not valid.",
    "ignored",
    ("checked",),
)
LOGIN = assumption(
    "auth.login",
    "G033",
    "An interactive login happens outside the API: the control plane issues the token that it would give.",
    "control plane",
)


# errors.*
def _template(value: object) -> Any:
    if isinstance(value, str) and value in ERROR_BODIES:
        return value
    if isinstance(value, dict):
        return value
    raise ValueError(f"{value!r} is neither one of {', '.join(ERROR_BODIES)} nor a template object")


ERROR_BODY = assumption(
    "errors.body",
    "G002 G035 G034 G036 G041",
    "Shape of the body of an error: a named template, or an object whose texts $status, $code, $message and $details "
    "are filled in. A problem is application/problem+json (RFC 9457), any other body application/json.",
    "flat",
    ("nested", "problem", "text", "empty", "any template object"),
    check=_template,
    samples=({"fault": {"is": "$code", "says": "$message"}},),
)


def error_body(chosen: Any) -> tuple[str, Any]:
    """Return the media type of the body of an error and its template, None for no body, by ``errors.body``."""
    kind = "application/problem+json" if chosen == "problem" else "application/json"
    return kind, ERROR_BODIES[chosen] if isinstance(chosen, str) else chosen


SPENT_SECRETS = assumption(
    "errors.spent-secrets",
    "G196 G236 G241 G499 G501 G573",
    "What does a public call answer to an invitation code, an identity token, a download token or a link that is used, "
    "replaced or expired? The same as to an unknown one; or its own reason.",
    "as-unknown",
    ("told",),
    "exchange_identity_token list_downloadable_assets download_recording_asset",
    refuses={"ASSET_TOKEN_EXPIRED": ("told",), "INVITATION_CODE_INVALID": ("told",)},
)
SERVER_FAULT = assumption(
    "errors.server-fault",
    "G046",
    "No fault of the server comes by itself. The body of one that is injected by its status alone: the envelope of "
    "errors, with the words of the status as its code; or none, as where something in front of the service answers.",
    "envelope",
    ("empty",),
)

# encode.*
EMPTY = assumption(
    "encode.empty",
    "G043",
    "Status and body of a call whose response is '-': 200 without a body, 200 with {} or with true, or 204.",
    "200",
    ("200 {}", "204", "200 true"),
)


def _absent(value: object) -> str | tuple[str, ...]:
    if value in ("omit", "null"):
        return str(value)
    if not isinstance(value, list | tuple):
        raise ValueError(f"{value!r} is none of omit, null, a list of fields")
    return texts("fields")(value)


ABSENT = assumption(
    "encode.absent",
    "G077",
    "An option without a value: left out of the answer, or null, or null where its field is listed and left out else. "
    "populationLimit is left out in any case.",
    _OMIT,
    ("null", "any list of fields"),
    check=_absent,
    samples=(["description", "imageUrl"],),
)
NUMBERS = assumption(
    "encode.numbers",
    "G100",
    "Decimals, and integers beyond 32 bits, in answers: numbers, or texts.",
    "numbers",
    ("texts",),
)
