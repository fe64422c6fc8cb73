"""The words of a fault's ``do``: how each is read, what it does, and how those of several faults are merged.

With a reason, a status, a lone retryAfter or ``"drop": "before"`` the operation does not run. Words of several kinds
can be combined if the combination makes sense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.refusal import Misuse, suggest
from confsim.values.spans import SCHEMA as DURATION, span

from .effects import Effect

#: Longest delay of a response, and longest time for which a call is held, in milliseconds.
LONGEST = 30_000
LONGEST_HOLD = 3_600_000
_FRAMING = frozenset({"content-length", "transfer-encoding", "connection"})


def read_effect(values: object, where: str, words: Iterable[str] = ()) -> Effect:
    """Return the effect in plain values. Raises Misuse with the place, the mistake and the nearest name.

    ``words`` are the candidates for the nearest name.
    """
    if not isinstance(values, dict) or not values:
        raise Misuse(f"{where} is to be an object of {', '.join(WORDS)}")
    read: dict[str, Any] = {}
    for name, value in values.items():
        word = WORDS.get(name)
        if word is None:
            raise Misuse(f"{where}: a fault does no {name!r}{suggest(name, words or WORDS)}")
        try:
            read[name] = word.read(value)
        except (ValueError, Misuse) as error:
            raise Misuse(f"{where}.{name}: {error}") from None
    for name, word in WORDS.items():
        for other in word.excludes:
            if name in values and other in values:
                raise Misuse(f"{where}: {name} and {other} cannot both be")
    for name, word in WORDS.items():
        if word.belongs_to and name in values and word.belongs_to not in values:
            raise Misuse(f"{where}: {name} belongs to a {word.belongs_to}, and there is none")
    if read.get("status") in {204, 304} and read.get("body") is not None:
        raise Misuse(f"{where}.body: an answer of status {read['status']} has none")
    return Effect(given=values, **read)


def merged(parts: list[Effect]) -> Effect:
    """Return the effect of several faults on one call: words of each kind come from the first fault that has any."""
    if len(parts) == 1:
        return parts[0]
    given: dict[str, Any] = {}
    read: dict[str, Any] = {}
    for kind in dict.fromkeys(word.kind for word in WORDS.values()):
        of_kind = [name for name, word in WORDS.items() if word.kind == kind]
        for part in parts:
            names = [name for name in of_kind if name in part.given]
            if names:
                given |= {name: part.given[name] for name in names}
                read |= {name: getattr(part, name) for name in names}
                break
    return Effect(given=given, **read)


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
    for name in ("allowed", "retryAfter"):  # these values become header lines
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


def _hold_limit(value: object) -> int:
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


class Word(Struct, frozen=True):
    """A word of a fault's ``do``, with its value."""

    #: Returns the value in the form of Effect; raises ValueError or Misuse.
    read: Callable[[object], Any]
    #: The JSON Schema of the value.
    schema: Mapping[str, Any]
    description: str
    #: The kind of effect: of several faults on one call, the first with words of this kind decides them.
    kind: str
    #: Words that cannot be combined with it.
    excludes: tuple[str, ...] = ()
    #: The word that it requires.
    belongs_to: str = ""


_length = _between(0, 2**31 - 1, "number of bytes")
_REASONS = {reason.name.lower(): reason for reason in Reason if reason is not Reason.INTERNAL_ERROR}
_BEFORE_OR_AFTER = {"type": "string", "enum": ["before", "after"]}
#: The effects of a fault on a call.
WORDS: Mapping[str, Word] = {
    "reason": Word(
        _reason,
        {"type": "string", "enum": list(_REASONS)},
        "A refusal of the API's own, by the code of its reason.",
        "answer",
        excludes=("status", "drop"),
    ),
    "facts": Word(
        _facts,
        {"type": "object"},
        "The facts of that refusal, which its message and its details name.",
        "answer",
        belongs_to="reason",
    ),
    "status": Word(
        _between(200, 599, "status"),
        {"type": "integer", "minimum": 200, "maximum": 599},
        "Another answer, with this status; without a body the envelope of errors, from 400 on.",
        "answer",
        excludes=("drop",),
    ),
    "body": Word(lambda value: value, {}, "Its body: a text, or a JSON value.", "answer", belongs_to="status"),
    "headers": Word(
        _headers,
        {"type": "object", "additionalProperties": {"type": "string"}},
        "Header lines of the answer, by their names.",
        "headers",
    ),
    "retryAfter": Word(
        _between(0, 86_400, "number of seconds"),
        {"type": "integer", "minimum": 0, "maximum": 86_400},
        "The header Retry-After, in seconds; alone, the refusal of the rate limit (429).",
        "answer",
        excludes=("drop",),
    ),
    "clock": Word(span, DURATION, "The duration of the call on the clock of the world.", "clock"),
    "real": Word(_real, DURATION, "The delay of the answer in real time, at most 30s.", "real"),
    "drop": Word(
        _when,
        _BEFORE_OR_AFTER,
        "The connection is dropped: 'before' the operation, when nothing was done, or 'after' it, when all was.",
        "connection",
    ),
    "truncate": Word(
        _truncate,
        {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 2**31 - 1}, {"type": "boolean", "enum": [True]}]},
        "The body ends after this number of bytes, or, with true, in its middle.",
        "connection",
        excludes=("drop",),
    ),
    "hold": Word(
        _when,
        _BEFORE_OR_AFTER,
        "The call is held 'before' its operation or 'after' it, until it is released, changed or dropped.",
        "hold",
    ),
    "holdAtMost": Word(
        _hold_limit,
        DURATION,
        "The real time after which a held call is released: from 1ms to 1h, by default 30s.",
        "hold",
        belongs_to="hold",
    ),
}
assert WORDS.keys() == {*Effect.__struct_fields__} - {"given"}, (
    "each word is a field of an effect, which carries it out"
)
