"""Durations in the forms that people write.

Own code: msgspec reads ISO 8601 except weeks, and the short forms are one regular expression.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import timedelta
from math import inf

import msgspec

from confsim.kernel import Misuse

from .plain import shown

_SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)\s*", re.ASCII)
_WEEKS = r"(?a)P(\d{1,8})W"
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}

#: The JSON Schema of what ``span`` reads, except numbers that no duration has.
SCHEMA = {
    "anyOf": [
        {
            "type": "string",
            "pattern": r"^(( *[0-9]{1,9}(\.[0-9]{1,9})? *(ms|s|m|h|d|w) *)+"
            r"|P([0-9]{1,7}W|[0-9]{1,7}D(T[0-9]{1,7}[HMS])?|T([0-9]{1,7}H)?([0-9]{1,7}M)?[0-9]{1,7}(\.[0-9]{1,6})?S"
            r"|T([0-9]{1,7}H)?[0-9]{1,7}M|T[0-9]{1,7}H))$",
        },
        {"type": "integer", "minimum": 0},
    ]
}

#: Types that ``span`` accepts.
Duration = int | str | timedelta


def span(value: object) -> int:
    """Return a duration in milliseconds. Raises Misuse for an invalid or negative one.

    It may be given as text such as ``"15m"`` and ``"1h 30m"``, ISO 8601 (``"PT15M"``, ``"P1DT12H"``, ``"P2W"``), a
    timedelta, or a number of milliseconds.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    given = value
    if isinstance(value, str) and value[:1] == "P":
        with suppress(msgspec.ValidationError):  # msgspec reads days, hours, minutes and seconds
            weeks = re.fullmatch(_WEEKS, value)
            given = msgspec.convert(value if weeks is None else f"P{int(weeks[1]) * 7}D", timedelta)
    if isinstance(given, timedelta) and given >= timedelta():
        return round(given / timedelta(milliseconds=1))
    if isinstance(value, str) and value.strip():
        total, at = 0.0, 0
        while (match := _SPAN.match(value, at)) is not None:
            total += float(match[1]) * _UNITS[match[2]]
            at = match.end()
        if at == len(value) and total < inf:
            return round(total)
    negative = value.strip().startswith("-") if isinstance(value, str) else isinstance(value, int) and value < 0
    back = "; time moves forward only, restore or reset goes back" if negative else ""
    examples = "'15m', '1h 30m', 'PT15M', 90000 for milliseconds"
    raise Misuse(f"{shown(value)} is not a valid duration (examples: {examples}){back}")
