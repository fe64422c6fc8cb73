"""Routing and HTTP around the operations: paths, methods, headers, retries, order of checks, time."""

from __future__ import annotations

import re

from confsim.assumptions.register import assumption, duration, text

# route.*
TRAILING_SLASH = assumption(
    "route.trailing-slash",
    "G004 G007",
    "A slash at the end of a path or two in a row: no route, the same route, or a redirect (308) to it.",
    "404",
    ("same", "redirect"),
)
WRONG_METHOD = assumption(
    "route.wrong-method",
    "G003",
    "A method that the path does not answer: 405 with Allow, 404, or PUT and PATCH taken for POST.",
    "405",
    ("404", "as POST"),
)
CASE = assumption(
    "route.case", "G062", "Case of the literal words of a path: exact, or of no weight.", "exact", ("ignore",)
)
ENCODED_SLASH = assumption(
    "route.encoded-slash",
    "G058",
    "An encoded slash (%2F) in a path: data inside its segment, no route, or a slash like any other.",
    "data",
    ("404", "slash"),
)
PRECEDENCE = assumption(
    "route.precedence",
    "G064",
    "Where a literal word and a parameter both match: the literal wins, from left to right, or what is declared first.",
    "literal",
    ("declared",),
)


def _prefix(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"(/[\w.-]+)*/v1_0", value, re.ASCII):
        raise ValueError(f"{value!r} is no prefix that ends with /v1_0")
    return value


PREFIX = assumption(
    "route.prefix",
    "G001 G249",
    "What precedes the paths of the API; it ends with the version.",
    "/v1_0",
    ("any prefix that ends with /v1_0",),
    check=_prefix,
    samples=("/api/v1_0",),
)
SESSION_WITHOUT_ID = assumption(
    "route.session-without-id",
    "G361",
    "The path that ends the active session is that of one session without its last segment, with its slash or not; so "
    "is the path that links a channel alone to an app session; or the word current stands in its place.",
    "either",
    ("no-slash", "current"),
    "end_session end_active_session link_app_session_to_channel_session link_app_session_to_channel",
)

# http.*
HEAD = assumption("http.head", "G005", "HEAD is GET without its body, or no method of any path.", "as GET", ("405",))
OPTIONS = assumption(
    "http.options", "G005", "OPTIONS answers 204 with Allow, or is no method of any path.", "204", ("405",)
)
CORS = assumption(
    "http.cors",
    "G005 G006",
    "Whether browsers get CORS headers, for the origins that were set with set_origins.",
    True,
    (False,),
)
CACHING = assumption(
    "http.caching",
    "G010",
    "Caching of answers: forbidden (Cache-Control: no-store), not spoken of, or by ETag and If-None-Match.",
    "no-store",
    ("silent", "etag"),
)
REQUEST_ID = assumption(
    "http.request-id",
    "G013",
    "A second header, beside X-Confsim-Request-Id, that carries the id of the request; empty for none.",
    "",
    ("X-Request-Id",),
    check=text,
)
SCHEME = assumption("http.scheme", "G014", "Scheme of the URLs in answers.", "http", ("https",))
RATE = assumption(
    "http.rate-limit",
    "G012",
    "Calls that a token may make in a minute before 429 with Retry-After; 0 for any.",
    0,
    (60,),
)
IDEMPOTENCY = assumption(
    "http.idempotency-key",
    "G074",
    "Header by which a repeated POST is known and gets the first answer again; empty: each POST counts.",
    "",
    ("Idempotency-Key",),
    check=text,
    samples=("Idempotency-Key",),
)

# checks.*
CHECKS_ORDER = assumption(
    "checks.order",
    "G040",
    "Order of the checks: credential, terms, service, path, for_client, existence, role, input, state; with input, or "
    "with the role before existence. Existence is that of the objects in the path; secrets in it are always input.",
    "credential first",
    ("input first", "role first"),
)

# time.*
LAG = assumption(
    "time.visibility-lag",
    "G015",
    "Milliseconds until a change shows in what is read; 0 shows it to the next call.",
    0,
    (1000,),
    check=duration(),
)
TIME_SOURCE = assumption(
    "time.source",
    "G128",
    "The clock of a world for which its maker chose none (serve --clock, Simulator(clock=…)): it follows the clock of "
    "the machine, or stands still at the start; either can be moved.",
    "machine",
    ("standing",),
    decides="instants",
)

# world.*
RESET_CLOCK = assumption(
    "world.reset-clock",
    "G540",
    "Whether a reset brings the clock back too; a world lives in memory and ends with its process.",
    True,
    (False,),
)
AT_THE_END = assumption(
    "time.at-the-end",
    "G129",
    "At the very instant at which a thing runs out it is over: an instant is a millisecond, which no caller can meet.",
    "over",
    (),
)
LANGUAGE = assumption(
    "http.accept-language",
    "G076",
    "Accept-Language: not read, or the language of a configuration that is read without one.",
    "ignored",
    ("configuration",),
    "get_config get_channel_config get_template_config",
)
