"""The effects of a fault on one call: parsing them, answering instead of the operation, altering the response.

    {"reason": "channel_private", "facts": {...}}   a refusal of the API's own, by the name of its reason
    {"status": 503, "body": ..., "headers": {...}}  another answer; without a body the envelope of errors, from 400 on
    {"retryAfter": 30}                              the rate limit: 429 with Retry-After (seconds); beside a reason or
                                                    a status only the header
    {"clock": "3s"}                                 the call takes so long on the clock of the world
    {"real": "200ms"}                               the answer takes so long in truth, at most half a minute
    {"drop": "before"}, {"drop": "after"}           the connection is dropped: nothing was done, or all of it
    {"truncate": 20}, {"truncate": true}            the body ends after so many bytes, or in its middle
    {"hold": "before"}, {"hold": "after"}           the call is held until it is released, changed or dropped: nothing
                                                    was done, or all of it; {"holdAtMost": "5s"} beside it releases it
                                                    after so long in truth, by default half a minute

With a reason, a status, a lone retryAfter or ``"drop": "before"`` the operation does not run. Words of several kinds
can be combined where both make sense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from string import Formatter
from typing import Any

import msgspec
from msgspec import Struct

from confsim.api.call import Call
from confsim.assumptions.protocol import transport, wire
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.kernel.refusal import Misuse, Refusal, suggest
from confsim.service.clock import seconds_to_next_minute, span
from confsim.service.errors import envelope, refused
from confsim.service.messages import Request, Response

#: The longest delay of a response, and the longest time for which a call is held, in milliseconds.
LONGEST = 30_000
LONGEST_HOLD = 3_600_000
#: The status of a call that was never answered, in the journal.
UNANSWERED = 0
#: The limit that a refusal by the rate limit names where the profile sets none, in calls a minute (G012).
_A_MINUTE = 60
_FRAMING = frozenset({"content-length", "transfer-encoding", "connection"})


class Effect(Struct, frozen=True, kw_only=True):
    """What a fault does to a call, ``given`` as it was written; ``clock``, ``real``, ``holdAtMost`` in milliseconds."""

    given: Mapping[str, Any]
    reason: Reason | None = None
    facts: Mapping[str, Any] = {}
    status: int | None = None
    body: Any = None
    headers: Mapping[str, str] = {}
    retryAfter: int | None = None
    clock: int = 0
    real: int = 0
    drop: str = ""
    truncate: int | bool = False
    hold: str = ""
    holdAtMost: int = 30_000

    @property
    def replaces_operation(self) -> bool:
        """Whether the operation does not run."""
        answers = (self.reason, self.status, self.retryAfter)
        return self.drop == "before" or any(each is not None for each in answers)

    def respond(self, call: Call) -> Response:
        """The response instead of the operation's."""
        if self.drop:
            return Response(UNANSWERED, [])
        if self.status is None:
            return refused(call, self._refusal(call))
        headers = [] if self.retryAfter is None else [("Retry-After", str(self.retryAfter))]
        if "body" not in self.given:
            return _bare(call, self.status, headers)
        kind, body = "application/json", b""
        if isinstance(self.body, str):
            kind, body = "text/plain; charset=utf-8", self.body.encode()
        elif self.body is not None:
            body = msgspec.json.encode(self.body)
        if body and not any(name.lower() == "content-type" for name in self.headers):
            headers.append(("Content-Type", kind))
        return Response(self.status, headers, body)

    def _refusal(self, call: Call) -> Refusal:
        """The refusal with every fact that its message names; what was not given is its own name."""
        reason = self.reason or Reason.TOO_MANY_CALLS
        facts: dict[str, Any] = {name: name for _, name, _, _ in Formatter().parse(reason.value.message) if name}
        if reason is Reason.TOO_MANY_CALLS:
            facts["limit"] = ask(call, transport.RATE) or _A_MINUTE
            facts["retryAfter"] = seconds_to_next_minute(call.now)
        facts |= self.facts
        if self.retryAfter is not None:
            facts["retryAfter"] = self.retryAfter
        return Refusal(reason, **facts)

    def alter(self, response: Response, request: Request) -> None:
        """Add the headers, the delay and the cut of the fault to a response."""
        response.headers += self.headers.items()
        response.delay = self.real / 1000
        if self.drop:
            response.cut = -1
        elif self.truncate is not False:
            sent = len(response.body) - 1 if request.method != "HEAD" else -1
            half = len(response.body) // 2
            response.cut = min(sent, half if self.truncate is True else self.truncate)


def _bare(call: Call, status: int, headers: list[tuple[str, str]]) -> Response:
    """A response of which only the status is given (G046)."""
    if status < 400 or ask(call, wire.SERVER_FAULT) == "empty":
        return Response(status, headers)
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = f"Status {status}"
    code = phrase.lower().replace(" ", "_").replace("-", "_").replace("'", "")
    body = envelope(call, status, code, f"{phrase}.", [])
    if body:
        headers.append(("Content-Type", "application/json"))
    return Response(status, headers, body)


# Reading


def read(values: object, where: str, words: Iterable[str] = ()) -> Effect:
    """The effect that plain values describe. Misuse names the place and what is wrong there, with the nearest name.

    ``words`` are those that are offered as the nearest.
    """
    if not isinstance(values, dict) or not values:
        raise Misuse(f"{where} is to be an object of {', '.join(_READERS)}")
    read: dict[str, Any] = {}
    for name, value in values.items():
        reader = _READERS.get(name)
        if reader is None:
            raise Misuse(f"{where}: a fault does no {name!r}{suggest(name, words or _READERS)}")
        try:
            read[name] = reader(value)
        except (ValueError, Misuse) as error:
            raise Misuse(f"{where}.{name}: {error}") from None
    for one, others in _APART.items():
        for other in others:
            if one in values and other in values:
                raise Misuse(f"{where}: {one} and {other} cannot both be")
    for name, owner in _NEEDS.items():
        if name in values and owner not in values:
            raise Misuse(f"{where}: {name} belongs to a {owner}, and there is none")
    if read.get("status") in {204, 304} and read.get("body") is not None:
        raise Misuse(f"{where}.body: an answer of status {read['status']} has none")
    return Effect(given=values, **read)


def _reason(value: object) -> Reason:
    name = str(value).lower()
    if name not in _REASONS:
        raise ValueError(f"{value!r} is no reason for a refusal{suggest(name, _REASONS)}")
    return _REASONS[name]


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is no object")
    return value


def _facts(value: object) -> dict[str, Any]:
    facts = _object(value)
    for name in ("allowed", "retryAfter"):  # they become header lines
        if name in facts:
            _headers({name: str(facts[name])})
    return facts


def _between(least: int, most: int, what: str) -> Callable[[object], int]:
    def check(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"{value!r} is no {what} from {least} to {most}")
        return value

    return check


def _headers(value: object) -> dict[str, str]:
    headers = _object(value)
    for name, text in headers.items():
        if not isinstance(text, str) or not name.isascii() or not (name + text).isprintable() or not name.strip():
            raise ValueError(f"{name!r}: {text!r} is no header line")
        if name.lower() in _FRAMING or set(name) & set(": "):
            raise ValueError(f"{name!r} is no header that a fault can set")
        text.encode("latin-1")
    return headers


def _real(value: object) -> int:
    milliseconds = span(value)
    if milliseconds > LONGEST:
        raise ValueError(f"{value!r} is longer than {LONGEST // 1000}s")
    return milliseconds


def _bound(value: object) -> int:
    milliseconds = span(value)
    if not 1 <= milliseconds <= LONGEST_HOLD:
        raise ValueError(f"{value!r} is no time from 1ms to 1h")
    return milliseconds


def _when(value: object) -> str:
    if value not in ("before", "after"):
        raise ValueError(f"{value!r} is neither 'before' nor 'after'")
    return str(value)


def _truncate(value: object) -> int | bool:
    return True if value is True else _length(value)


_length = _between(0, 2**31 - 1, "number of bytes")
_REASONS = {reason.name.lower(): reason for reason in Reason if reason is not Reason.INTERNAL_ERROR}
_READERS: Mapping[str, Callable[[object], Any]] = {
    "reason": _reason,
    "facts": _facts,
    "status": _between(200, 599, "status"),
    "body": lambda value: value,
    "headers": _headers,
    "retryAfter": _between(0, 86_400, "number of seconds"),
    "clock": span,
    "real": _real,
    "drop": _when,
    "truncate": _truncate,
    "hold": _when,
    "holdAtMost": _bound,
}
#: What a fault can do to a call.
WORDS = tuple(_READERS)
#: What each of the words does.
DESCRIPTIONS: Mapping[str, str] = {
    "reason": "A refusal of the API's own, by the code of its reason.",
    "facts": "The facts of that refusal, which its message and its details name.",
    "status": "Another answer, with this status; without a body the envelope of errors, from 400 on.",
    "body": "Its body: a text, or a JSON value.",
    "headers": "Header lines of the answer, by their names.",
    "retryAfter": "The header Retry-After, in seconds; alone, the refusal of the rate limit (429).",
    "clock": "The call takes so long on the clock of the world.",
    "real": "The answer takes so long in real time, at most 30s.",
    "drop": "The connection is dropped: 'before' the operation, when nothing was done, or 'after' it, when all was.",
    "truncate": "The body ends after so many bytes, or, with true, in its middle.",
    "hold": "The call is held 'before' its operation or 'after' it, until it is released, changed or dropped.",
    "holdAtMost": "After so long in real time a held call is released: from 1ms to 1h, by default 30s.",
}
_APART = {"reason": ("status", "drop"), "status": ("drop",), "retryAfter": ("drop",), "truncate": ("drop",)}
_NEEDS = {"facts": "reason", "body": "status", "holdAtMost": "hold"}
#: The connection is dropped, and nothing was done.
DROPPED = Effect(given={"drop": "before"}, drop="before")


#: The kinds of effects, each with its words.
_KINDS = (
    ("reason", "facts", "status", "body", "retryAfter"),
    ("headers",),
    ("clock",),
    ("real",),
    ("drop", "truncate"),
    ("hold", "holdAtMost"),
)


def merged(parts: list[Effect]) -> Effect:
    """The effect of several faults on one call: of each kind of words those of the first that has any."""
    if len(parts) == 1:
        return parts[0]
    given: dict[str, Any] = {}
    read: dict[str, Any] = {}
    for kind in _KINDS:
        for part in parts:
            words = [name for name in kind if name in part.given]
            if words:
                given |= {name: part.given[name] for name in words}
                read |= {name: getattr(part, name) for name in words}
                break
    return Effect(given=given, **read)
