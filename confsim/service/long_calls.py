"""Calls that take long: a thread computes each on the world as it is, while a server goes on to serve others.

What the call changes is put in force as a whole when it is computed, if the world is still the same; otherwise it is
computed once more. Calls that may change something wait for it, so that this is rare; calls that read see the world
before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from msgspec import Struct

from confsim.api.call import Call

from .messages import Response

#: Most steps (of ``Change.steps``) of a call while others wait.
MOST_STEPS = 100
#: How often a call is computed beside others; then it is performed while they wait.
ATTEMPTS = 3


class ComputedCall(Struct, frozen=True):
    """A call that was computed, but not put in force yet: its response, or what it raised."""

    call: Call
    outcome: Response | Exception


def compute(call: Call, answer: Callable[[Call], Response]) -> ComputedCall:
    """Compute a call, whose change stays its own."""
    try:
        return ComputedCall(call, answer(call))
    except Exception as error:
        return ComputedCall(call, error)


class LongCall:
    """A call that a thread performs; ``over`` says whether it is done, ``locks`` whether it has the lock."""

    __slots__ = ("locks", "over")

    def __init__(self) -> None:
        self.locks = self.over = False

    @contextmanager
    def locking(self, lock: AbstractContextManager[object]) -> Iterator[None]:
        """Hold the lock; every call that comes meanwhile is to follow, so that no thread waits for the lock."""
        self.locks = True
        try:
            with lock:
                yield
        finally:
            self.locks = False

    def end(self) -> None:
        """Let the calls that follow be performed."""
        self.over = True

    def holds_up(self, *, changes: bool) -> bool:
        """Return whether a call, that may change something or not, is to follow."""
        return not self.over and (changes or self.locks)

    def follow(self, perform: Callable[[], Response], *, changes: bool) -> Response:
        """Return the pending response of another call, which is performed when this one does not hold it up."""
        waiting: list[Response] = []

        def poll() -> Response | None:
            if not waiting:
                if self.holds_up(changes=changes):
                    return None
                waiting.append(perform())
            response = waiting[0]
            return response if response.poll is None else response.poll()

        return Response(503, [], poll=poll)
