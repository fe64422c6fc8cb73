"""The clock of the world: read, advance, set, freeze, resume, run faster. Instants are epoch milliseconds."""

from __future__ import annotations

from typing import Annotated, ClassVar

from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.fields import Duration, Instant, Rate, one_of
from confsim.control.labels.timer import FiredTimer, describe_timer
from confsim.kernel.due import Fired
from confsim.kernel.refusal import Misuse
from confsim.service import clock
from confsim.values.spans import span


class ClockState(Wire):
    """The instant of the clock, whether it is frozen, and its rate.

    At rate 60 a minute passes in a second of real time; of a frozen clock, ``rate`` is the one that it resumes at.
    """

    now: Annotated[int, "The instant of the clock, in epoch milliseconds."]
    frozen: Annotated[bool, "Whether it stands still."]
    rate: Annotated[float, "Its rate, relative to real time."]


class ClockMoved(Wire):
    """The instant of the clock after the call, and the timers that fired meanwhile, in order."""

    now: Annotated[int, "The instant of the clock, in epoch milliseconds."]
    fired: Annotated[list[FiredTimer], "The timers that fired meanwhile."]


class AdvanceClock(CommandBody):
    """Exactly one of ``by``, a duration such as "15m" or a number of milliseconds, and ``until``, which is "next"."""

    ONE_OF: ClassVar = ("by", "until")

    by: Annotated[Duration, "The duration to move by, such as 15m, or milliseconds."] = None
    until: Annotated[Annotated[str, one_of("next")] | None, "To the next timer."] = None


class SetClock(CommandBody):
    """``to`` is an instant, in epoch milliseconds or ISO 8601."""

    to: Annotated[Instant, "The instant to set, in epoch milliseconds or as ISO 8601."]


class RunClock(CommandBody):
    """``rate`` is the speed relative to real time: above 0, at most a million."""

    rate: Annotated[Rate, "The rate of the clock, relative to real time."]


@operation("GET /clock")
def get_clock(context: ControlContext) -> ClockState:
    """Get the instant, the state and the rate of the clock."""
    return _state(context)


@operation("GET /timers", beside=True)
def list_timers(context: ControlContext, *, limit: Count | None = None) -> list[FiredTimer]:
    """List the timers, in the order in which they fall due; with ``limit`` only the next ones."""
    change = context.view()
    return [
        describe_timer(change, each)
        for each in (change.world.timers if limit is None else change.world.timers.soonest(limit))
    ]


@operation("POST /clock/advance", moves_clock=True)
def advance_clock(context: ControlContext, body: AdvanceClock) -> ClockMoved:
    """Move the clock forward and fire the timers that are due by then, each at its own instant.

    ``{"by": "15m"}`` moves it by a duration, ``{"until": "next"}`` to the instant of the next timer, or not at all when
    there is none.
    """
    service = context.service
    if body.by is not None and body.until is None:
        return _moved(context, service.live.advance(span(body.by)))
    if body.until == "next" and body.by is None:
        return _moved(context, service.live.advance_to_next())
    raise Misuse("give by, a duration such as '15m', or until, which is 'next'")


@operation("POST /clock/set", moves_clock=True)
def set_clock(context: ControlContext, body: SetClock) -> ClockMoved:
    """Set the clock to an instant. Forward, due timers fire; backward, nothing is undone."""
    return _moved(context, context.service.live.show(clock.instant(body.to)))


@operation("POST /clock/freeze", moves_clock=True)
def freeze_clock(context: ControlContext) -> ClockMoved:
    """Stop the clock at its current instant."""
    context.service.clock.freeze()
    return _moved(context, [])


@operation("POST /clock/resume", moves_clock=True)
def resume_clock(context: ControlContext) -> ClockMoved:
    """Start the stopped clock at its current instant, at the rate that it had."""
    context.service.clock.resume()
    return _moved(context, [])


@operation("POST /clock/run", moves_clock=True)
def run_clock(context: ControlContext, body: RunClock) -> ClockMoved:
    """Start the clock at its current instant at a multiple of real time: at 60 a minute passes in a second.

    Timers that become due fire with the next call. Misuse for an invalid rate.
    """
    context.service.clock.run(clock.rate(body.rate))
    return _moved(context, [])


def _state(context: ControlContext) -> ClockState:
    world_clock = context.service.clock
    return ClockState(now=world_clock.now(), frozen=world_clock.frozen, rate=world_clock.rate)


def _moved(context: ControlContext, fired: list[Fired]) -> ClockMoved:
    return ClockMoved(
        now=context.service.clock.now(),
        fired=[describe_timer(each.change.world.change(0), each.timer) for each in fired],
    )
