"""Spans of time in words."""

from __future__ import annotations

_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000))


def lasting(milliseconds: int) -> str:
    """Return a span in its two largest units: "15 min", "1 min 30 s", "6 d 23 h", "0.4 s"."""
    rest = abs(milliseconds)
    if rest < 10_000 and rest % 1000:
        return f"{rest / 1000:.1f} s".replace("0.0 s", "less than 0.1 s")
    words: list[str] = []
    for unit, size in _UNITS:
        number, rest = divmod(rest, size)
        if number and len(words) < 2:
            words.append(f"{number} {unit}")
        elif words:
            break
    return " ".join(words) or "0 s"
