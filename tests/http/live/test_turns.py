"""Turns: what several connections have read is answered together, then sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from confsim.http.live.turns import Turns
from kit.wire.sockets import Connect


class Noted:
    """A connection that notes when it is asked to answer and to send."""

    def __init__(self, name: str, notes: list[str], then: Callable[[], object] = lambda: None) -> None:
        self.name, self.notes, self.then = name, notes, then

    def answer(self) -> None:
        """Note it, and do what is to be done then."""
        self.notes.append(f"answer {self.name}")
        self.then()

    def send(self) -> None:
        """Note it."""
        self.notes.append(f"send {self.name}")


def turn(clock: Callable[[], float], *connections: Noted) -> None:
    """One turn of a loop in which these connections have something to answer."""

    async def run() -> None:
        turns = Turns(clock)
        for connection in connections:
            turns.add(connection)
        await asyncio.sleep(0)

    asyncio.run(run())


def test_all_connections_of_a_turn_are_answered_before_anything_is_sent() -> None:
    """In the order in which their requests came."""
    notes: list[str] = []
    turn(lambda: 0.0, Noted("a", notes), Noted("b", notes), Noted("c", notes))
    assert notes == ["answer a", "answer b", "answer c", "send a", "send b", "send c"]


def test_an_answer_does_not_wait_for_slow_ones() -> None:
    """What is answered is sent before the next connection has its turn, once answers have taken a while."""
    notes: list[str] = []
    instant = [0.0]

    def slow() -> None:
        instant[0] += 1.0

    turn(lambda: instant[0], Noted("a", notes), Noted("b", notes, slow), Noted("c", notes))
    assert notes == ["answer a", "answer b", "send a", "send b", "answer c", "send c"]


def test_connections_that_ask_at_once_get_what_they_asked_for(connect: Connect) -> None:
    """Each its own answers, in the order of its requests."""
    clients = [connect() for _ in range(5)]
    for turn_ in range(3):
        for number, client in enumerate(clients):
            asked = (f"GET /{turn_}/{number}/{each} HTTP/1.1\r\nHost: h\r\n\r\n".encode() for each in range(3))
            client.send(b"".join(asked))
        for number, client in enumerate(clients):
            got = [client.reported()["target"] for _ in range(3)]
            assert got == [f"/{turn_}/{number}/{each}" for each in range(3)]
