"""Fault points of the domain, at which faults can be injected, and the outcomes that each supports.

The documents describe none of them; a fault is injected only when one is set (G046). The type of a point has its
outcomes. The code at the point names each of them and ends in ``assert_never``, so that a type checker refuses an
outcome that nothing carries out.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from confsim.kernel import Change


class FaultOutcome(StrEnum):
    """The outcome of an operation with an injected fault."""

    REFUSED = "refused"
    IGNORED = "ignored"
    BUSY = "busy"
    UNANSWERED = "unanswered"
    FAILED = "failed"
    STUCK = "stuck"
    LATE = "late"
    CREATING = "creating"
    LOST = "lost"
    DOUBLED = "doubled"
    OUT_OF_ORDER = "out of order"


#: The outcomes that take a duration.
TIMED = (FaultOutcome.LATE, FaultOutcome.OUT_OF_ORDER)


Outcome = TypeVar("Outcome", bound=FaultOutcome)


class FaultPoint(Struct, Generic[Outcome], frozen=True):
    """A fault point: its outcomes with their descriptions, and the names of the facts that faults match on."""

    name: str
    outcomes: Mapping[Outcome, str]
    facts: tuple[str, ...]


class InjectedFault(Struct, Generic[Outcome], frozen=True):
    """An injected fault. ``by`` is the duration in milliseconds, for the outcomes in ``TIMED``."""

    outcome: Outcome
    by: int = 0


ADMISSION: FaultPoint[Literal[FaultOutcome.REFUSED, FaultOutcome.IGNORED]] = FaultPoint(
    "admission",
    {
        FaultOutcome.REFUSED: "The host does not let in who waits in the lobby, and says so.",
        FaultOutcome.IGNORED: "The host does not react: who waits goes on waiting.",
    },
    ("client", "channel", "user"),
)
CALL: FaultPoint[Literal[FaultOutcome.BUSY, FaultOutcome.UNANSWERED, FaultOutcome.FAILED]] = FaultPoint(
    "call",
    {
        FaultOutcome.BUSY: "The callee is engaged.",
        FaultOutcome.UNANSWERED: "The phone rings, and nobody answers.",
        FaultOutcome.FAILED: "The callee is not reached.",
    },
    ("client", "channel", "user", "number"),
)
RECORDING: FaultPoint[Literal[FaultOutcome.STUCK, FaultOutcome.FAILED, FaultOutcome.LATE]] = FaultPoint(
    "recording",
    {
        FaultOutcome.STUCK: "Its processing never ends.",
        FaultOutcome.FAILED: "Its processing fails when it ends.",
        FaultOutcome.LATE: "Its processing takes longer by this duration.",
    },
    ("client", "channel", "recording"),
)
PROXY: FaultPoint[Literal[FaultOutcome.CREATING]] = FaultPoint(
    "proxy",
    {FaultOutcome.CREATING: "The channel is still being created on a streaming server (P2 Errors L380)."},
    ("client", "channel"),
)
MAIL: FaultPoint[Literal[FaultOutcome.LOST]] = FaultPoint(
    "mail", {FaultOutcome.LOST: "It is sent, and never arrives."}, ("client", "to", "kind")
)
WEBHOOK: FaultPoint[Literal[FaultOutcome.LOST, FaultOutcome.DOUBLED, FaultOutcome.LATE, FaultOutcome.OUT_OF_ORDER]] = (
    FaultPoint(
        "webhook",
        {
            FaultOutcome.LOST: "It is never sent.",
            FaultOutcome.DOUBLED: "It is sent twice.",
            FaultOutcome.LATE: "It is sent later by this duration, and those behind it wait.",
            FaultOutcome.OUT_OF_ORDER: "It is sent later by this duration, and those behind it pass.",
        },
        ("client", "endpoint", "kind"),
    )
)

#: Every fault point by name.
FAULT_POINTS: Mapping[str, FaultPoint[Any]] = {
    point.name: point for point in (ADMISSION, CALL, RECORDING, PROXY, MAIL, WEBHOOK)
}


def fault_for(change: Change, point: FaultPoint[Outcome], **facts: object) -> InjectedFault[Outcome] | None:
    """The fault injected at the point for these facts; None when there is none.

    A thing with an ``id`` meets its fault once, however often it comes to the point.
    """
    if change.faults is None:
        return None
    fault: InjectedFault[Outcome] | None = change.faults(point.name, facts)
    return fault
