"""Answers that are yet to come: how a call says so, and how long whoever asked looks again."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

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
    #: Seconds on the one clock that freezegun and time-machine leave alone.
    steady = partial(time.clock_gettime, time.CLOCK_MONOTONIC)


def held(response: Response) -> Response:
    """The answer as one that is yet to come, when a fault keeps it on its way for a while."""
    if not response.after:
        return response
    due = steady() + response.after
    whole = replace(response, after=0.0)
    return replace(whole, until=lambda: whole if steady() >= due else None)


def delivered(response: Response) -> Response:
    """The answer as a caller in this process gets it: when it is there, or ConnectionResetError when it is cut off."""
    if response.after or response.cut is not None:
        response = arrived(held(response))
        if response.cut is not None:
            raise ConnectionResetError("the connection was dropped, by a fault")
    return response


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
