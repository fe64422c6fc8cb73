"""Answers that are not there at once: each is a future, which a server awaits, and other callers wait for."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from .messages import Outcome, Response
from .worker import Thread, complete, follow, serving

T = TypeVar("T")
R = TypeVar("R")

#: Seconds between two times that a thread asks for what somebody waits for.
POLL_INTERVAL = 0.01


if sys.platform == "win32":

    def monotonic() -> float:
        """Return the seconds of a monotonic clock."""
        return time.monotonic()

else:
    #: Return the seconds of a monotonic clock that freezegun and time-machine leave alone.
    monotonic = partial(time.clock_gettime, time.CLOCK_MONOTONIC)


class Waiters:
    """Those who wait for something in a world. A thread asks whether it is there; it lives while anybody waits."""

    __slots__ = ("_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[Callable[[], Any], Future[Any]]] = []

    def until(self, ready: Callable[[], T | None]) -> T | Future[T]:
        """Return the first result of ``ready`` that is not None: at once, or as a future, for which the thread asks."""
        found = ready()
        if found is not None:
            return found
        future: Future[T] = Future()
        with self._lock:
            self._waiting.append((ready, future))
            if len(self._waiting) == 1:
                Thread(self._run).start()
        return future

    def _run(self) -> None:
        with serving():
            while True:
                time.sleep(POLL_INTERVAL)
                over = [each for each in tuple(self._waiting) if _is_over(*each)]
                with self._lock:
                    self._waiting = [each for each in self._waiting if each not in over]
                    if not self._waiting:
                        return


def _is_over(ready: Callable[[], Any], future: Future[Any]) -> bool:
    """Ask once; return whether the future is complete, or nobody waits for it any more."""
    if not future.cancelled():
        try:
            found = ready()
        except Exception as error:
            complete(future, partial(_raise, error))
        else:
            if found is not None:
                complete(future, lambda: found)
    return future.done()


def _raise(error: Exception) -> None:
    raise error


def after(future: Future[T], act: Callable[[Future[T]], R | Future[R]]) -> Future[R]:
    """Return the future of what ``act`` makes of a future that is done. Who cancels it, cancels that one."""
    later: Future[R] = Future()
    follow(later, future, act)
    return later


def wait_for(outcome: T | Future[T]) -> T:
    """Return the result, for which the calling thread waits if it is a future."""
    if not isinstance(outcome, Future):
        return outcome
    try:
        return outcome.result()
    finally:
        outcome.cancel()  # where the thread was interrupted


def delayed(waiters: Waiters, response: Response) -> Outcome:
    """Return the response, or its future if a fault delays it."""
    if not response.delay:
        return response
    due = monotonic() + response.delay
    whole = replace(response, delay=0.0)
    return waiters.until(lambda: whole if monotonic() >= due else None)


def delivered(waiters: Waiters, outcome: Outcome) -> Response:
    """Return the response for a caller in this process, once ready. Raises ConnectionResetError when it is cut off."""
    response = wait_for(outcome)
    if response.delay:
        response = wait_for(delayed(waiters, response))
    if response.cut is not None:
        raise ConnectionResetError("the connection was dropped, by a fault")
    return response
