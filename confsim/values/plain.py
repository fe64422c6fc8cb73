"""The bounds of plain values that people write: what a file, a mapping or the body of a control call may hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from confsim.kernel import Misuse

#: Lists and objects within each other; functions that call themselves walk these values.
DEEPEST = 100
#: Values of a document. Aliases of YAML can stand for more than any file could hold.
MOST = 1_000_000
#: Digits of an integer; Python itself reads and prints some thousands.
DIGITS = 1000
_LARGEST = 10**DIGITS
#: Most characters of a place in a message.
_SHOWN = 120
#: The names and numbers that lead to a value, the last first: ``(place of the list or object, name or number)``.
_Place = tuple[Any, object] | None

#: A text of JSON, which may not be closed, and all bytes but the brackets of lists and objects.
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_OTHERS = bytes(set(range(256)) - set(b"[]{}"))
#: Levels of most documents.
_USUAL = 8


def is_deep(raw: bytes, deepest: int = DEEPEST) -> bool:
    """Return whether a JSON document, whole or broken off, is nested deeper than some levels."""
    if len(raw) <= deepest or raw.count(b"[") + raw.count(b"{") <= deepest:
        return False
    brackets = _TEXT.sub(b"", raw).translate(None, _OTHERS)
    for _ in range(_USUAL):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return any(depth + _USUAL > deepest for depth in accumulate(1 if each in b"[{" else -1 for each in brackets))


def whole_number(text: str) -> int | None:
    """Return the number that a text of at most 19 digits is; None for any other text."""
    return int(text) if len(text) < 20 and text.isascii() and text.isdigit() else None


def shown(value: object) -> str:
    """Return a value as a message shows it: cut off if it is long; what Python does not print is a remark."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a list that is nested too deeply
        return f"a very large {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def check_plain(value: object, what: str) -> None:
    """Raise Misuse that names the place if a value is too deep or too large, or if it has what JSON cannot have.

    ``what`` begins the message. Integers that Python does not print are refused, and halves of surrogate pairs.
    """
    waiting: list[tuple[object, _Place, int]] = [(value, None, 0)]
    count = 0
    while waiting:
        one, place, depth = waiting.pop()
        count += 1
        problem = _problem(one)
        if depth > DEEPEST:
            problem = f"it is nested deeper than {DEEPEST} levels"
        elif count > MOST:
            problem = f"it has more than {MOST:,} values"
        if problem:
            raise Misuse(f"{what}: {problem}{_at(place)}")
        waiting.extend((part, (place, name), depth + 1) for name, part in _parts(one))


def _parts(value: object) -> Iterator[tuple[object, object]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list | tuple):
        yield from enumerate(value)


def _problem(value: object) -> str:
    """Return what is wrong with a value by itself, "" when nothing is."""
    if isinstance(value, str):
        return "" if _is_text(value) else "a text holds half a surrogate pair"
    if isinstance(value, int):
        return "" if -_LARGEST < value < _LARGEST else f"an integer has more than {DIGITS:,} digits"
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                return f"the name {str(name)[:_SHOWN]!r} is not a text; write it in quotes"
            if not _is_text(name):
                return "a name holds half a surrogate pair"
    return ""


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _at(place: _Place) -> str:
    """Return the end of a message that says where a value is, as ``- at `$.a[0]` ``; "" for the whole."""
    steps: list[str] = []
    while place is not None:
        place, name = place
        steps.append(f"[{name}]" if isinstance(name, int) else f".{name}")
    if not steps:
        return ""
    path = "$" + "".join(reversed(steps))
    return f" - at `{path if len(path) <= _SHOWN else path[:_SHOWN] + '…'}`"
