"""Paths of duplicate keys (G065) and of too large numbers in a JSON text. Own code: no decoder reports their paths."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

#: The end of a key: no other string is followed by a colon, although one may contain these characters.
_KEY_END = re.compile(rb'"\s*:')
#: The most digits of an integer that Python converts.
_MAX_DIGITS = 4300


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object, duplicate keys included."""


def repeated_key(raw: bytes) -> str | None:
    """Return the path of a duplicate key in one object, at any depth; None without one, and for malformed JSON."""
    try:
        keys = len(_KEY_END.findall(raw))
        if keys < 2 or keys <= _count(msgspec.json.decode(raw)):
            return None
        return _repeated(json.loads(raw, object_pairs_hook=_Pairs))
    except (ValueError, RecursionError):
        return None


def oversized_number(raw: bytes) -> str | None:
    """Return the path of a number too large for every type; None without one, and for malformed JSON."""
    too_large = object()
    try:
        value = json.loads(
            raw,
            parse_int=lambda text: too_large if len(text) > _MAX_DIGITS else 0,
            parse_float=lambda text: too_large if math.isinf(float(text)) else 0,
        )
    except (ValueError, RecursionError):
        return None
    return next((path for path, each in _walk(value) if each is too_large), None)


def _count(plain: object) -> int:
    """Return the number of keys of all objects in a JSON value."""
    count, left = 0, [plain]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            count += len(value)
            left += value.values()
        elif isinstance(value, list):
            left += value
    return count


def _repeated(value: object) -> str | None:
    for path, each in _walk(value):
        if isinstance(each, _Pairs):
            counts = Counter(name for name, _ in each)
            for name, count in counts.items():
                if count > 1:
                    return _member(path, name)
    return None


def _member(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _walk(value: object) -> Iterator[tuple[str, object]]:
    """Yield every value in a JSON value, itself first, with its path."""
    left = [("", value)]
    while left:
        path, each = left.pop()
        yield path, each
        if isinstance(each, dict | _Pairs):
            members = each if isinstance(each, _Pairs) else each.items()
            left += [(_member(path, name), member) for name, member in members]
        elif isinstance(each, list):
            left += [(f"{path}[{place}]", item) for place, item in enumerate(each)]
