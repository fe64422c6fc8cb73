"""What may be made to go wrong in a world: the things that a fault strikes, and what becomes of them.

The documents tell of none of it: a double must be able to show it, and does so only when asked (G046).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from confsim.kernel.world import Change


class Outcome(StrEnum):
    """What becomes of a thing that is struck."""

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
TIMED = (Outcome.LATE, Outcome.OUT_OF_ORDER)


class Thing(Struct, frozen=True):
    """A kind of thing: what may become of it, each in words, and the facts by which one is told from another."""

    name: str
    outcomes: Mapping[Outcome, str]
    facts: tuple[str, ...]


class Stroke(Struct, frozen=True):
    """What becomes of one thing; ``by`` in milliseconds for those outcomes that take a duration."""

    outcome: Outcome
    by: int = 0


ADMISSION = Thing(
    "admission",
    {
        Outcome.REFUSED: "The host does not let in who waits in the lobby, and says so.",
        Outcome.IGNORED: "The host does not react: who waits goes on waiting.",
    },
    ("client", "channel", "user"),
)
CALL = Thing(
    "call",
    {
        Outcome.BUSY: "The callee is engaged.",
        Outcome.UNANSWERED: "The phone rings, and nobody answers.",
        Outcome.FAILED: "The callee is not reached.",
    },
    ("client", "channel", "user", "number"),
)
RECORDING = Thing(
    "recording",
    {
        Outcome.STUCK: "Its processing never ends.",
        Outcome.FAILED: "Its processing fails when it ends.",
        Outcome.LATE: "Its processing takes so much longer.",
    },
    ("client", "channel", "recording"),
)
PROXY = Thing(
    "proxy",
    {Outcome.CREATING: "The channel is still being created on a streaming server (P2 Errors L380)."},
    ("client", "channel"),
)
MAIL = Thing("mail", {Outcome.LOST: "It is sent, and never arrives."}, ("client", "to", "kind"))
WEBHOOK = Thing(
    "webhook",
    {
        Outcome.LOST: "It is never sent.",
        Outcome.DOUBLED: "It is sent twice.",
        Outcome.LATE: "It is sent so much later, and those behind it wait.",
        Outcome.OUT_OF_ORDER: "It is sent so much later, and those behind it pass.",
    },
    ("client", "endpoint", "kind"),
)

#: Every kind of thing by name.
THINGS: Mapping[str, Thing] = {thing.name: thing for thing in (ADMISSION, CALL, RECORDING, PROXY, MAIL, WEBHOOK)}


def struck(change: Change, thing: Thing, **facts: object) -> Stroke | None:
    """What is to become of a thing that is about to happen, None when it takes its course."""
    if change.faults is None:
        return None
    stroke: Stroke | None = change.faults(thing.name, facts)
    return stroke
