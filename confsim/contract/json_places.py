"""Places in a JSON text that decoders do not name: keys given twice (G065), numbers that no type holds."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

#: The end of a key: no other text is followed by a colon, though one may hold what looks like it.
_END = re.compile(rb'"\s*:')
#: The most digits of a whole number that the decoders read.
_DIGITS = 4300


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object, as they were given."""


def repeated_key(raw: bytes) -> str | None:
    """The path of a key of the JSON text that its object has had before, at whatever depth; None when there is none.

    What no decoder reads has none.
    """
    if raw.find(b",") < 0:  # no object has two keys
        return None
    try:
        if len(_END.findall(raw)) <= _count(msgspec.json.decode(raw)):
            return None
        return _repeated(json.loads(raw, object_pairs_hook=_Pairs))
    except (ValueError, RecursionError):
        return None


def oversized_number(raw: bytes) -> str | None:
    """The path of a number of the JSON text that no type holds; None when there is none."""
    unfit = object()
    try:
        value = json.loads(
            raw,
            parse_int=lambda text: unfit if len(text) > _DIGITS else 0,
            parse_float=lambda text: unfit if math.isinf(float(text)) else 0,
        )
    except (ValueError, RecursionError):
        return None
    return next((path for path, each in _walk(value) if each is unfit), None)


def _count(plain: object) -> int:
    """How many keys the objects of a JSON value have."""
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
    """Everything in a JSON value, itself first, with its path."""
    left = [("", value)]
    while left:
        path, each = left.pop()
        yield path, each
        if isinstance(each, dict | _Pairs):
            members = each if isinstance(each, _Pairs) else each.items()
            left += [(_member(path, name), member) for name, member in members]
        elif isinstance(each, list):
            left += [(f"{path}[{place}]", item) for place, item in enumerate(each)]
