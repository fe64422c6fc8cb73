"""The clock of the world: read, advanced, set, frozen, resumed, run faster. Instants in epoch milliseconds."""

from __future__ import annotations

from confsim.contract.types import Json, Wire
from confsim.kernel.refusal import Misuse
from confsim.kernel.timers import Timer
from confsim.kernel.world import Fired
from confsim.service import clock

from .control import Control, Order, operation


class Shown(Wire):
    """What the clock shows, whether it stands still, and its rate.

    At rate 60 a minute passes on it in a second; while it stands, ``rate`` is that at which it runs when it is resumed.
    """

    now: int
    frozen: bool
    rate: float


class Happened(Wire):
    """Something that fell due: when, what, and the client and the thing that it happened to."""

    at: int
    what: str
    client: str
    subject: str


class Moved(Wire):
    """What the clock shows now, and what fell due on the way, in order."""

    now: int
    fired: list[Happened]


class Advance(Order):
    """``by`` a duration such as "15m" or a number of milliseconds, or ``until`` "next": exactly one of them."""

    by: Json = None
    until: str | None = None


class Set(Order):
    """``to`` an instant in epoch milliseconds or ISO 8601."""

    to: Json


class Run(Order):
    """``rate`` above 0, at most a million: how many times as fast as real time."""

    rate: Json


@operation("GET /clock")
def get_clock(control: Control) -> Shown:
    """Tell what the clock shows."""
    return _shown(control)


@operation("POST /clock/advance")
def advance_clock(control: Control, body: Advance) -> Moved:
    """Move the clock on, and let what falls due by then happen, each at its own instant.

    ``{"by": "15m"}`` moves by a duration, ``{"until": "next"}`` to the next instant at which something happens (or not
    at all, when nothing is due any more).
    """
    service = control.service
    if body.by is not None and body.until is None:
        return _moved(control, service.advance(clock.span(body.by)))
    if body.until == "next" and body.by is None:
        return _moved(control, service.advance_to_next())
    raise Misuse("give by, a duration such as '15m', or until, which is 'next'")


@operation("POST /clock/set")
def set_clock(control: Control, body: Set) -> Moved:
    """Let the clock show an instant. Forward, what falls due happens; back, what has happened stays."""
    return _moved(control, control.service.show(clock.instant(body.to)))


@operation("POST /clock/freeze")
def freeze_clock(control: Control) -> Moved:
    """Let the clock stand still at the instant it shows."""
    control.service.clock.freeze()
    return _moved(control, [])


@operation("POST /clock/resume")
def resume_clock(control: Control) -> Moved:
    """Let the clock run on from the instant it shows, at the rate that it had."""
    control.service.clock.resume()
    return _moved(control, [])


@operation("POST /clock/run")
def run_clock(control: Control, body: Run) -> Moved:
    """Let the clock run from the instant it shows at a multiple of real time: 60 lets a minute pass in a second.

    What falls due does so on the calls that come. Misuse for what is no rate.
    """
    control.service.clock.run(clock.rate(body.rate))
    return _moved(control, [])


def _shown(control: Control) -> Shown:
    shown = control.service.clock
    return Shown(now=shown.now(), frozen=shown.frozen, rate=shown.rate)


def _moved(control: Control, fired: list[Fired]) -> Moved:
    return Moved(now=control.service.clock.now(), fired=[happened(each.timer) for each in fired])


def happened(timer: Timer) -> Happened:
    """What fell due, as it is told."""
    return Happened(at=timer.due, what=timer.kind, client=timer.client, subject=timer.subject)
