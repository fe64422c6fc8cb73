"""Answers that are yet to come: how a call says so, and how long whoever asked looks again."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TypeVar

from .message import Response

T = TypeVar("T")

#: Seconds between two looks.
TICK = 0.01


class Later(Exception):
    """There is nothing to answer yet. ``again`` gives the result when there is one, else raises this again."""

    def __init__(self, again: Callable[[], object]) -> None:
        super().__init__("there is nothing to answer yet")
        self.again = again


if sys.platform == "win32":

    def steady() -> float:
        """Seconds on a clock that only goes on."""
        return time.monotonic()

else:

    def steady() -> float:
        """Seconds on the one clock that freezegun and time-machine leave alone."""
        return time.clock_gettime(time.CLOCK_MONOTONIC)


def arrived(response: Response) -> Response:
    """The answer, once it is there: blocks the calling thread until then."""
    while response.until is not None:
        answer = response.until()
        if answer is not None:
            return answer
        time.sleep(TICK)
    return response


def result(again: Callable[[], T]) -> T:
    """What a call gives, once it does: blocks the calling thread until then."""
    while True:
        try:
            return again()
        except Later:
            time.sleep(TICK)
