"""Numbers, instants and spans of time as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

#: Milliseconds of the epoch that are taken for an instant: those of the years 2001 to 2128.
_INSTANTS = range(10**12, 5 * 10**12)
#: Units of a span of time with their milliseconds.
_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000))


def instant(milliseconds: int) -> str:
    """Return an instant (epoch milliseconds) as date and time in UTC."""
    return _date_of(milliseconds).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def date(value: Any) -> str:
    """Return the date of a value that can only be an instant; an empty text for any other."""
    return instant(value) if type(value) is int and value in _INSTANTS else ""


def time_of_day(milliseconds: int) -> str:
    """Return the time of the day of an instant, in UTC."""
    return _date_of(milliseconds).strftime("%H:%M:%S")


def day(milliseconds: int) -> str:
    """Return the day of an instant, without the year."""
    found = _date_of(milliseconds)
    return f"{found:%a} {found.day} {found:%b}"


def since(milliseconds: int, now: int) -> str:
    """Return an instant by its time, with its day where that is another one than today, and its year where that is."""
    found, today = _date_of(milliseconds), _date_of(now)
    if found.date() == today.date():
        return time_of_day(milliseconds)
    year = "" if found.year == today.year else f" {found.year}"
    return f"{found.day} {found:%b}{year} {found:%H:%M:%S}"


def lapse(milliseconds: int) -> str:
    """Return a span of time in its two largest units, such as "9 min 57 s"; less than a second is "0 s"."""
    rest, parts = max(0, int(milliseconds)), list[str]()
    for unit, size in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count} {unit}")
        if parts and (len(parts) == 2 or not count):
            break
    return " ".join(parts) or "0 s"


def grouped(number: int) -> str:
    """Return a number with its digits in groups of three, once it has five of them."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") if number >= 10_000 else str(number)


def _date_of(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
