"""Results and responses that are not ready yet, and how to wait for them."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from .messages import Response

T = TypeVar("T")
R = TypeVar("R")

#: Seconds between two polls.
POLL_INTERVAL = 0.01
#: Seconds between two polls of pending work that uses the processor; others are served in between.
BREATH = 0.002
#: Seconds of one slice of long work.
SLICE = 0.01


class Pending(Exception):
    """Raised when a result is not ready; call ``again`` to retry."""

    def __init__(self, again: Callable[[], object]) -> None:
        super().__init__("the result is not ready")
        self.again = again


def in_steps(work: Generator[bool | None, None, R]) -> R:
    """Return the result of a generator that yields between steps, so that others can be served, and True to wait.

    Raises ``Pending`` when it waits, and after each slice of time except the last.
    """
    end = monotonic() + SLICE
    try:
        while not next(work) and monotonic() < end:
            pass
    except StopIteration as done:
        result: R = done.value
        return result
    raise Pending(partial(in_steps, work))


def in_slices(items: Iterable[T | None], result: Callable[[list[T]], R]) -> R:
    """Return the items that are not None; each is one step. Raises ``Pending`` like ``in_steps``."""

    def work() -> Generator[None, None, R]:
        made: list[T] = []
        for item in items:
            if item is not None:
                made.append(item)
            yield
        return result(made)

    return in_steps(work())


def newest(items: Iterable[T | None], limit: int | None, offset: int | None = None) -> Iterator[T | None]:
    """Yield ``limit`` items after the first ``offset``, None in place of each other; the newest item comes first.

    Without a limit, yields all after ``offset``.
    """
    first = offset or 0
    last = None if limit is None else first + limit
    count = 0
    for item in items:
        if item is not None:
            count += 1
            if last is not None and count > last:
                return
        yield item if count > first else None


def turned(items: list[T]) -> list[T]:
    """Return the items in reverse order."""
    return items[::-1]


if sys.platform == "win32":

    def monotonic() -> float:
        """Return the seconds of a monotonic clock."""
        return time.monotonic()

else:
    #: Return the seconds of a monotonic clock that freezegun and time-machine leave alone.
    monotonic = partial(time.clock_gettime, time.CLOCK_MONOTONIC)


def delayed(response: Response) -> Response:
    """Return the response, as a pending one if a fault delays it."""
    if not response.delay:
        return response
    due = monotonic() + response.delay
    whole = replace(response, delay=0.0)
    return replace(whole, poll=lambda: whole if monotonic() >= due else None)


def in_thread(perform: Callable[[], Response]) -> Response:
    """Let a thread make a response, and return the pending one; its poll raises what the thread raised."""
    made: Future[Response] = Future()

    def run() -> None:
        try:
            made.set_result(perform())
        except BaseException as error:
            made.set_exception(error)

    def poll() -> Response | None:
        response = made.result() if made.done() else None
        return response if response is None or response.poll is None else response.poll()

    threading.Thread(target=run, daemon=True, name="confsim-call").start()
    return Response(503, [], poll=poll)


def delivered(response: Response) -> Response:
    """Return the response for a caller in this process, once ready. Raises ConnectionResetError when it is cut off."""
    if response.poll is not None or response.delay or response.cut is not None:
        response = wait_for(delayed(response))
        if response.cut is not None:
            raise ConnectionResetError("the connection was dropped, by a fault")
    return response


class _Polling(threading.local):
    """Whether the present thread polls pending responses and serves others in between."""

    here = False


_POLLING = _Polling()


def polls_here() -> bool:
    """Return whether the present thread must not block for a pending response."""
    return _POLLING.here


@contextmanager
def polling() -> Iterator[None]:
    """In the block, the present thread polls pending responses and serves others in between."""
    before, _POLLING.here = _POLLING.here, True
    try:
        yield
    finally:
        _POLLING.here = before


def wait_for(response: Response) -> Response:
    """Block the calling thread until the response is ready, and return it."""
    while response.poll is not None:
        begun = monotonic()
        answer = response.poll()
        if answer is not None:
            return answer
        _pause(begun)
    return response


def wait_for_result(again: Callable[[], Any]) -> Any:
    """Block the calling thread until ``again``, or what continues it after ``Pending``, has a result; return it."""
    while True:
        begun = monotonic()
        try:
            return again()
        except Pending as pending:
            again = pending.again
        _pause(begun)


def until_next_poll(begun: float) -> float:
    """Return the seconds until the next poll; few if the last poll, begun at ``begun``, worked rather than waited.

    Others are served meanwhile.
    """
    return BREATH if monotonic() - begun >= SLICE / 2 else POLL_INTERVAL


def _pause(begun: float) -> None:
    """Sleep until the next poll, unless the last one worked rather than waited."""
    if monotonic() - begun < SLICE / 2:
        time.sleep(POLL_INTERVAL)
