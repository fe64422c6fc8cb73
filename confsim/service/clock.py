"""The clock of a world: the machine's time plus an offset, or a frozen instant, in epoch milliseconds."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime

from confsim.kernel.refusal import Misuse
from confsim.values.plain import shown

from .waiting import monotonic

#: Types that ``instant`` accepts.
Instant = int | str | datetime

#: The last millisecond of the year 9999, the latest instant of any clock.
LATEST = 253_402_300_799_999


def instant(value: object) -> int:
    """Return an instant in epoch milliseconds. Raises Misuse when it is out of range.

    It may be given as such a number, as ISO 8601 text with an offset, or as an aware datetime.
    """
    found = value if isinstance(value, int) and not isinstance(value, bool) else None
    when = value if isinstance(value, datetime) else None
    if isinstance(value, str):
        with suppress(ValueError):
            when = datetime.fromisoformat(value)
    if when is not None and when.tzinfo is not None:
        found = int(when.timestamp() * 1000)
    if found is None:
        raise Misuse(
            f"{shown(value)} is no instant: give epoch milliseconds, or ISO 8601 with an offset (2026-02-01T09:00:00Z)"
        )
    if not 0 <= found <= LATEST:
        raise Misuse(f"{shown(value)} is no instant that a clock shows: those of the years 1970 to 9999")
    return found


def seconds_to_next_minute(now: int) -> int:
    """Return the seconds until the next minute of the clock begins; ``now`` in epoch milliseconds."""
    return 60 - now % 60_000 // 1000


#: The highest rate of a clock.
FASTEST = 1_000_000


def rate(value: object) -> float:
    """Return the rate of a clock, as a multiple of the machine's time. Raises Misuse for an invalid one."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= FASTEST:
        return int(value) if value == int(value) else value
    raise Misuse(f"{shown(value)} is no rate: a number above 0, at most {FASTEST}; 60 lets a minute pass in a second")


#: A clock as plain values: offset, frozen instant and rate, now and at its start. An integer rate stays an integer.
Values = tuple[int, int | None, int | float, int, int | None, int | float]


class Clock:
    """A clock that follows ``time.time()`` plus an offset, at its speed or a multiple of it, or is frozen.

    ``Clock()`` follows the machine, so freezegun and time-machine move it; ``Clock(at)`` is frozen at an instant (epoch
    milliseconds, ISO 8601 or a datetime), which makes a run repeatable to the byte.
    """

    __slots__ = ("_offset", "_rate", "_stands", "_start")

    def __init__(self, at: Instant | None = None) -> None:
        self._offset = 0
        self._stands = None if at is None else instant(at)
        self._rate: float = 1
        self.begin()

    def __repr__(self) -> str:
        return f"<Clock at {self.now()}{' (frozen)' if self.frozen else ''}>"

    def now(self) -> int:
        """The current instant; the clock stops at the end of the year 9999."""
        if self._stands is not None:
            return self._stands
        shown = self._passed() + self._offset
        return shown if shown < LATEST else LATEST

    def _passed(self) -> int:
        """The machine's time since the epoch, multiplied by the rate."""
        return int(time.time() * 1000 * self._rate) if self._rate != 1 else int(time.time() * 1000)

    @property
    def frozen(self) -> bool:
        """Whether the clock is frozen."""
        return self._stands is not None

    @property
    def rate(self) -> float:
        """The speed as a multiple of the machine's time; for a frozen clock, the speed after it resumes."""
        return self._rate

    def move(self, to: int) -> None:
        """Set the clock to an instant; it stays frozen or goes on running."""
        if self._stands is not None:
            self._stands = to
        else:
            self._offset = to - self._passed()

    def freeze(self) -> None:
        """Stop the clock at its current instant."""
        self._stands = self.now()

    def resume(self) -> None:
        """Let the clock run from its current instant, at its earlier rate."""
        self.run(self._rate)

    def run(self, rate: float) -> None:
        """Let the clock run from its current instant, at this multiple of the machine's time."""
        at, self._stands, self._rate = self.now(), None, rate
        self.move(at)

    def follow(self, at: int, *, frozen: bool, rate: float) -> None:
        """Set the clock to an instant, frozen or running at a rate."""
        self._stands, self._rate = at if frozen else None, rate
        self.move(at)

    def begin(self) -> None:
        """Make the current state of the clock its start."""
        self._start = (self._offset, self._stands, self._rate)

    def restart(self) -> None:
        """Go back to the start: undo every move, freeze and change of rate."""
        self._offset, self._stands, self._rate = self._start

    def copy(self) -> Clock:
        """Return an independent clock in the same state, which is also its start."""
        other = Clock.__new__(Clock)
        other._offset, other._stands, other._rate = other._start = self._offset, self._stands, self._rate
        return other

    def fresh(self) -> Clock:
        """Return a clock in the state of this one's start."""
        other = Clock()
        other._start = self._start
        other.restart()
        return other

    def values(self) -> Values:
        """Return the state of the clock as plain values for ``show``."""
        return self._offset, self._stands, self._rate, *self._start

    def show(self, values: Values) -> None:
        """Set the state of the clock to these values."""
        self._offset, self._stands, self._rate = values[:3]
        self._start = values[3:]


class Usage:
    """When a world was made and last called (seconds of a monotonic clock), and the number of its API calls."""

    __slots__ = ("calls", "made", "used")

    def __init__(self) -> None:
        self.calls = 0
        self.made = self.used = monotonic()

    def count(self) -> None:
        """Note a call of the API."""
        self.calls += 1
        self.used = monotonic()

    def touch(self) -> None:
        """Note a call of any kind."""
        self.used = monotonic()
