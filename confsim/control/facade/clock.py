"""The clock of a world as a Python object."""

from __future__ import annotations

from confsim.control.invoke import ControlPlane
from confsim.control.labels.timer import FiredTimer
from confsim.control.operations.clock import advance_clock, set_clock
from confsim.service.clock import Instant
from confsim.values.spans import Duration


class ClockFacade:
    """The clock of a world.

    Durations are texts ("15m", "PT15M"), timedeltas, or milliseconds; instants are epoch milliseconds.
    """

    __slots__ = ("_control",)

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<clock at {self.now}{' (frozen)' if self.frozen else ''}>"

    @property
    def now(self) -> int:
        """The current instant."""
        return self._control.context.service.clock.now()

    @property
    def frozen(self) -> bool:
        """Whether the clock is frozen."""
        return self._control.context.service.clock.frozen

    @property
    def rate(self) -> float:
        """The speed relative to real time; for a frozen clock, the speed after it resumes."""
        return self._control.context.service.clock.rate

    def advance(self, by: Duration | None = None, *, until: str | None = None) -> list[FiredTimer]:
        """Move the clock by a duration, or to the "next" timer; return the timers that fired."""
        return self._control.call(advance_clock, by=by, until=until).fired

    def set(self, to: Instant) -> list[FiredTimer]:
        """Set the clock to an instant (epoch milliseconds, ISO 8601, aware datetime); return the timers that fired."""
        return self._control.call(set_clock, to=to).fired

    def freeze(self) -> None:
        """Stop the clock at its current instant."""
        self._control("freeze_clock")

    def resume(self) -> None:
        """Let the clock run from its current instant, at its earlier rate."""
        self._control("resume_clock")

    def run(self, rate: float) -> None:
        """Let the clock run from its current instant at a multiple of real time: at 60 a minute passes in a second."""
        self._control("run_clock", rate=rate)
