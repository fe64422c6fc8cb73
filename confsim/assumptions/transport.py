"""HTTP around the operations where the documents do not say: routes, methods, headers, retries."""

from __future__ import annotations

from .register import any_status, any_text, assumption

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
STATE_CASE = assumption(
    "parse.state-case", "G053 G062", "Case of state words and other enumerated values.", "exact", ("ignore",)
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
    check=any_text,
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
    check=any_text,
)
SERVER_FAULT = assumption(
    "errors.server-fault",
    "G046",
    "No fault of the server comes by itself. The body of one that is injected by its status alone: the envelope of "
    "errors, with the words of the status as its code; or none, as where something in front of the service answers.",
    "envelope",
    ("empty",),
)
CREATED = assumption(
    "status.created",
    "G044",
    "Status of a call that makes or adds something and answers it (create_... and add_...).",
    200,
    (201,),
    check=any_status,
)
ORDER = assumption(
    "checks.order",
    "G040",
    "Order of the checks: credential, terms, service, path, for_client, existence, role, input, state; or input first.",
    "credential first",
    ("input first",),
)
LAG = assumption(
    "time.visibility-lag",
    "G015",
    "Milliseconds until a change shows in what is read; 0 shows it to the next call.",
    0,
    (1000,),
)
TIME = assumption(
    "time.source",
    "G128",
    "The clock of a world that is made without one: it follows the machine's, or stands still; either can be moved.",
    "machine",
    ("standing",),
)
RESET_CLOCK = assumption(
    "world.reset-clock",
    "G540",
    "Whether a reset brings the clock back too; a world lives in memory and ends with its process.",
    True,
    (False,),
)
LOGIN = assumption(
    "auth.login",
    "G033",
    "An interactive login happens outside the API: the control plane mints the token that it would give.",
    "control plane",
)
