"""Held calls: each waits, holding no lock, until it is released, changed, dropped, or its time is over.

A call held before its operation has changed nothing; one held after it is committed, and its answer is withheld. The
thread that decides performs the rest of the call, so that the journal has it when the decision returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from confsim.kernel.refusal import Misuse, require_at_most
from confsim.service.clock import LATEST
from confsim.service.entries import JournalEntry
from confsim.service.incoming import Incoming
from confsim.service.live import LiveWorld
from confsim.service.messages import Outcome, Request, Response
from confsim.service.waiting import monotonic
from confsim.service.worker import complete, in_thread, nobody_else

from .effects import Effect
from .interceptor import Injection

#: Most held calls of a world.
MOST = 1000
#: Outcomes of a held call.
RELEASED, CHANGED, DROPPED, EXPIRED = "released", "changed", "dropped", "expired"


class Performer(Protocol):
    """Performs the rest of a held call."""

    def perform(self, incoming: Incoming, injected: Injection) -> Outcome:
        """Perform a call with these faults."""
        ...

    def answer_held(
        self, incoming: Incoming, entry: JournalEntry, injection: Injection, effect: Effect | None, *, dropped: bool
    ) -> Response:
        """Answer a call whose operation has been performed, and whose place in the journal this entry reserves."""
        ...


class HeldCall:
    """A call that is held before its operation, or after it: then ``entry`` reserves its place in the journal.

    ``since`` is the instant of its world at which it came in; ``outcome`` is empty while it is held. ``performer``
    does what is left of it, which completes ``answer``.
    """

    def __init__(
        self,
        id: str,
        performer: Performer,
        incoming: Incoming,
        injection: Injection,
        entry: JournalEntry | None,
        since: int,
    ) -> None:
        self.id = id
        self.performer = performer
        self.incoming = incoming
        self.injection = injection
        self.entry = entry
        self.since = since
        self.outcome = ""
        self._due = monotonic() + injection.effect.holdAtMost / 1000
        self.answer: Future[Response] = Future()
        self.answer.set_running_or_notify_cancel()  # it is held even if its client has disconnected

    @property
    def remaining(self) -> int:
        """Return the milliseconds of real time until it is released automatically."""
        return max(0, int((self._due - monotonic()) * 1000))

    @property
    def over(self) -> bool:
        """Return whether its time is over."""
        return monotonic() >= self._due


def take_time(live: LiveWorld, injection: Injection) -> None:
    """Advance the clock of a world by the time that the faults of a call take."""
    if injection.effect.clock:
        live.advance(min(injection.effect.clock, LATEST - live.clock.now()))


class HeldCalls:
    """The held calls of a world, in the order in which they came. ``enabled`` says whether any call is held."""

    __slots__ = ("_count", "_held", "_live", "enabled")

    def __init__(self, live: LiveWorld) -> None:
        self._live = live
        self._held: dict[str, HeldCall] = {}
        self._count = 0
        self.enabled = True

    def __iter__(self) -> Iterator[HeldCall]:
        return iter(tuple(self._held.values()))

    def __len__(self) -> int:
        return len(self._held)

    def get(self, id: str) -> HeldCall:
        """Return the held call of this id. Raises Misuse (404) when there is none."""
        found = self._held.get(id)
        if found is None:
            raise Misuse(f"no call {id!r} is held", status=404)
        return found

    def hold_none(self) -> None:
        """Let every call pass from now on, whatever faults say."""
        self.enabled = False

    def check(self, request: Request) -> None:
        """Raise Misuse (409) for one too many, or when holding a call would block the only thread, so that nobody could
        release it.
        """
        require_at_most(len(self._held) + 1, MOST, "held calls of the world", 409)
        if request.worker is None and nobody_else():
            raise Misuse(
                "a fault is to hold this call, and nobody could release it: this is the only thread; make the call on "
                "another one, or through a live server",
                status=409,
            )

    def hold(
        self, performer: Performer, incoming: Incoming, injection: Injection, entry: JournalEntry | None = None
    ) -> Future[Response]:
        """Hold a call; return its future. Called under the lock of the world."""
        self._count += 1
        held = HeldCall(f"h{self._count}", performer, incoming, injection, entry, self._live.clock.now())
        self._held[held.id] = held
        self._live.waiters.until(lambda: self._outcome(held))
        return held.answer

    def release(self, id: str, body: bytes | None = None) -> HeldCall:
        """Let a call continue; ``body`` replaces that of a call held before its operation.

        Raises Misuse (404) when no call of this id is held, (409) for a body when the operation has run.
        """
        held = self.get(id)
        if body is None:
            return self._end(held, RELEASED, None)
        if held.entry is not None:
            raise Misuse(f"the call {id!r} has been performed: its body cannot be changed any more", status=409)
        held.incoming = replace(held.incoming, request=replace(held.incoming.request, body=body))
        return self._end(held, CHANGED, None)

    def change(self, id: str, effect: Effect) -> HeldCall:
        """Replace the effect of the fault by another one. Raises Misuse (404) when no such call is held."""
        return self._end(self.get(id), CHANGED, effect)

    def drop(self, id: str) -> HeldCall:
        """Close the connection of a call; its changes stay. Raises Misuse (404) when no call of this id is held."""
        return self._end(self.get(id), DROPPED, None)

    def drop_all(self) -> None:
        """Close the connections of all held calls."""
        for held in self:
            self._end(held, DROPPED, None)

    def _outcome(self, held: HeldCall) -> str | None:
        """Return the outcome of a call, which is released when its time is over; None while it is held."""
        if held.over and not held.outcome:
            in_thread(partial(self._expire, held))
            return EXPIRED
        return held.outcome or None

    def _expire(self, held: HeldCall) -> None:
        with self._live.lock:
            if not held.outcome:
                self._end(held, EXPIRED, None)

    def _end(self, held: HeldCall, outcome: str, effect: Effect | None) -> HeldCall:
        """Perform the rest of a call, and answer it."""
        with self._live.lock:
            self._held.pop(held.id, None)
            held.outcome = outcome
            incoming, entry, dropped = held.incoming, held.entry, outcome == DROPPED
            injection = held.injection.after_hold(outcome, effect, dropped=dropped)
            rest: Callable[[], Outcome]
            if entry is None:
                take_time(self._live, injection)
                rest = partial(held.performer.perform, incoming, injection)
            else:
                rest = partial(held.performer.answer_held, incoming, entry, injection, effect, dropped=dropped)
            complete(held.answer, rest)
        return held
