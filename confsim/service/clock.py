"""The clock of a world: the machine's time plus an offset, or a frozen instant. All in epoch milliseconds."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime

from confsim.kernel.refusal import Misuse

#: What ``instant`` takes for an instant.
Instant = int | str | datetime

#: The last millisecond of the year 9999: no clock goes beyond it.
LATEST = 253_402_300_799_999


def instant(value: object) -> int:
    """An instant in epoch milliseconds. Misuse when no clock shows it.

    It may be a number of them, ISO 8601 text with an offset, or an aware datetime.
    """
    found = value if isinstance(value, int) and not isinstance(value, bool) else None
    when = value if isinstance(value, datetime) else None
    if isinstance(value, str):
        with suppress(ValueError):
            when = datetime.fromisoformat(value)
    if when is not None and when.tzinfo is not None:
        found = int(when.timestamp() * 1000)
    if found is None:
        raise Misuse(f"{value!r} is no instant: epoch milliseconds, or ISO 8601 with an offset")
    if not 0 <= found <= LATEST:
        raise Misuse(f"{value!r} is no instant that a clock shows: those of the years 1970 to 9999")
    return found


def seconds_to_next_minute(now: int) -> int:
    """Seconds until the next minute of the clock begins; ``now`` in epoch milliseconds."""
    return 60 - now % 60_000 // 1000


#: How many times as fast as the machine's time a clock may run.
FASTEST = 1_000_000


def rate(value: object) -> float:
    """How many times as fast as the machine's time a clock is to run. Misuse when it is no such number."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= FASTEST:
        return int(value) if value == int(value) else value
    raise Misuse(f"{value!r} is no rate: a number above 0, at most {FASTEST}; 60 lets a minute pass in a second")


#: A clock as plain values: offset, frozen instant and rate, now and at its start. An integer rate stays an integer.
Values = tuple[int, int | None, int | float, int, int | None, int | float]


class Clock:
    """A clock that follows ``time.time()`` plus an offset, at its pace or a multiple of it, or is frozen.

    ``Clock()`` follows the machine, so freezegun and time-machine move it; ``Clock(at)`` is frozen at an instant (epoch
    milliseconds, ISO 8601 or a datetime), which makes a run repeatable to the byte.
    """

    __slots__ = ("_offset", "_rate", "_stands", "_start")

    def __init__(self, at: Instant | None = None) -> None:
        self._offset = 0
        self._stands = None if at is None else instant(at)
        self._rate: float = 1
        self.begin()

    def now(self) -> int:
        """The instant it shows; at the end of the year 9999 it stops."""
        if self._stands is not None:
            return self._stands
        shown = self._passed() + self._offset
        return shown if shown < LATEST else LATEST

    def _passed(self) -> int:
        """The machine's time, at the rate of the clock."""
        return int(time.time() * 1000 * self._rate) if self._rate != 1 else int(time.time() * 1000)

    @property
    def frozen(self) -> bool:
        """Whether the clock is frozen."""
        return self._stands is not None

    @property
    def rate(self) -> float:
        """How many times as fast as the machine's time it runs, or will when it is resumed."""
        return self._rate

    def move(self, to: int) -> None:
        """Show this instant from now on, and go on as before: standing, or running at its rate."""
        if self._stands is not None:
            self._stands = to
        else:
            self._offset = to - self._passed()

    def freeze(self) -> None:
        """Stand still at the instant it shows."""
        self._stands = self.now()

    def resume(self) -> None:
        """Run on from the instant it shows, at the rate that it had."""
        self.run(self._rate)

    def run(self, rate: float) -> None:
        """Run on from the instant it shows, at this multiple of the machine's time."""
        at, self._stands, self._rate = self.now(), None, rate
        self.move(at)

    def follow(self, at: int, *, frozen: bool, rate: float) -> None:
        """Show an instant, and from there on stand still, or run at a rate."""
        self._stands, self._rate = at if frozen else None, rate
        self.move(at)

    def begin(self) -> None:
        """Let what it shows now be its start."""
        self._start = (self._offset, self._stands, self._rate)

    def restart(self) -> None:
        """Return to the start: undo every move, freeze and change of rate."""
        self._offset, self._stands, self._rate = self._start

    def copy(self) -> Clock:
        """A clock that shows the same and goes on by itself; to restart it is to come back to this."""
        other = Clock.__new__(Clock)
        other._offset, other._stands, other._rate = other._start = self._offset, self._stands, self._rate
        return other

    def fresh(self) -> Clock:
        """A clock as this one was at its start."""
        other = Clock()
        other._start = self._start
        other.restart()
        return other

    def values(self) -> Values:
        """Everything about it as plain values, for ``show`` to bring back."""
        return self._offset, self._stands, self._rate, *self._start

    def show(self, values: Values) -> None:
        """Be as the clock that gave these values."""
        self._offset, self._stands, self._rate = values[:3]
        self._start = values[3:]
