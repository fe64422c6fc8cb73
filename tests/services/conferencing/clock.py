"""The service's own clock: real time plus whatever the staging call has added."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """Milliseconds since 1970, movable forwards."""

    def __init__(self) -> None:
        self._ahead_ms = 0

    def now(self) -> int:
        """The present instant in epoch milliseconds."""
        return time.time_ns() // 1_000_000 + self._ahead_ms

    def advance(self, milliseconds: int) -> None:
        """Move the clock forwards."""
        self._ahead_ms += milliseconds


def iso(instant_ms: int) -> str:
    """An instant as ISO 8601 in UTC with milliseconds."""
    moment = datetime.fromtimestamp(instant_ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{instant_ms % 1000:03d}Z"


def instant(instant_ms: int | None, form: str, now_ms: int = 0) -> int | str | None:
    """An instant in one of the forms: ms, s, iso, or left-s and left-ms (what remains of it)."""
    if instant_ms is None:
        return None
    if form == "ms":
        return instant_ms
    if form == "s":
        return instant_ms // 1000
    if form == "left-s":
        return max(0, -((now_ms - instant_ms) // 1000))
    if form == "left-ms":
        return max(0, instant_ms - now_ms)
    return iso(instant_ms)
