"""The entries of a journal: calls of the API, control calls, timers, and the steps of webhook deliveries."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import ClassVar

from msgspec import Struct

from confsim.domain.identity.credentials import Caller
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.tables.writing import Written
from confsim.kernel.timers import Timer
from confsim.kernel.world import World

from .faults.interceptor import FaultHit
from .faults.spec import FaultSpec
from .messages import Request, Response

#: Bytes above which the bodies of an entry are large.
LARGE = 64 << 10


class JournalEntry(Struct, frozen=True, gc=False):
    """One call, with its final response; that of a call which is still held is the one withheld.

    ``operation`` is empty when no route matched; ``touched`` lists the records written. ``fired`` are the timers that
    made something happen since the call before, in order.
    """

    id: str
    at: int
    operation: str
    request: Request
    response: Response
    assumptions: Mapping[str, None]
    touched: Collection[Written]
    before: World
    after: World
    caller: Caller | None = None
    fault: tuple[FaultHit, ...] = ()
    #: The token of a call made in Python; otherwise the request has it.
    token: str | None = None
    fired: tuple[Timer, ...] = ()
    #: The remaining faults, None for none.
    remaining_faults: tuple[FaultSpec, ...] | None = None
    #: Whether it was a websocket handshake; the journal has its request without the token.
    handshake: bool = False
    #: Why it was refused, also where its caller was told less; None for an answer, and where a fault answered.
    refusal: Refusal | None = None

    @property
    def number(self) -> int:
        """The number of the call, counted from 1."""
        return int(self.id[1:])

    @property
    def is_preflight(self) -> bool:
        """Whether it is a browser's CORS preflight, which changes nothing."""
        return self.request.method == "OPTIONS" and "access-control-request-method" in self.request.headers

    @property
    def weight(self) -> int:
        """The bytes of its bodies, if they are large."""
        size = len(self.request.body) + len(self.response.body)
        return size if size > LARGE else 0


class ControlCall(Struct, frozen=True):
    """A control call that a replay repeats, that changed something, or that used an assumption.

    ``after`` is the number of the last API call before it; ``at`` is the instant at which it changed the world, or the
    clock after a call that moved it; ``status`` is that of its answer. ``touched`` lists the records written,
    ``worlds`` are those before and after it, and ``fault`` the faults that hit things in it.
    """

    after: int
    at: int
    operation: str
    path: tuple[str, ...]
    body: bytes
    query: Mapping[str, str] = {}
    status: int = 200
    id: str = ""
    assumptions: Mapping[str, None] = {}
    touched: Collection[Written] = ()
    worlds: tuple[World, World] | None = None
    fault: tuple[FaultHit, ...] = ()
    #: Why it was refused.
    refusal: Misuse | None = None

    @property
    def weight(self) -> int:
        """The bytes of its body, if it is large."""
        return len(self.body) if len(self.body) > LARGE else 0


class TimerEntry(Struct, frozen=True):
    """A timer that fired: its kind, its client and thing, the assumptions used, the records written, and its faults.

    ``after`` is the number of the last API call before it, ``at`` its due instant.
    """

    after: int
    at: int
    id: str
    kind: str
    client: str
    subject: str
    assumptions: Mapping[str, None]
    touched: Collection[Written]
    worlds: tuple[World, World]
    fault: tuple[FaultHit, ...] = ()
    #: The bytes of its large bodies: it has none.
    weight: ClassVar[int] = 0


#: An entry of any kind.
Noted = JournalEntry | ControlCall | TimerEntry


class DeliveryStep(StrEnum):
    """Outcome of an attempt to deliver a webhook that did not simply count as delivered."""

    #: handed to the sender, which reports its result later, or never
    SENT = "sent"
    #: result reported by the sender
    RESULT = "result"
    #: answered at once by a receiver in this process
    ANSWERED = "answered"
    #: not allowed to be sent to its destination
    REFUSED = "refused"


class DeliveryNote(Struct, frozen=True):
    """A step of attempt ``number`` (from 0) to deliver the webhook ``id`` to ``url``.

    ``after`` is the number of the last API call before it, ``between`` that of the last event between calls, ``at`` the
    instant of the step, ``sent`` that of the attempt, in epoch milliseconds.
    """

    after: int
    between: int
    at: int
    step: DeliveryStep
    id: str
    number: int
    sent: int
    status: int | None
    problem: str | None
    url: str
