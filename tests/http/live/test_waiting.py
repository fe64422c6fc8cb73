"""Clients of the live server whose responses are yet to come: those that leave, close their side, or send on."""

from __future__ import annotations

import socket
import time

import pytest

from confsim.service.messages import Response
from kit.wire.sockets import Connect, Echo, ServerClock, until

ASK = b"GET /wait HTTP/%s\r\nHost: h\r\n\r\n"


class Late:
    """A response that comes when it is let come, and counts how often it was asked for."""

    def __init__(self, echo: Echo) -> None:
        self.polls = 0
        self.ready = False
        echo.answer = Response(200, [], poll=self.poll)

    def poll(self) -> Response | None:
        """The response, or None."""
        self.polls += 1
        return Response(200, [], b"late") if self.ready else None

    def rests(self) -> bool:
        """Whether nobody asks any longer."""
        before = self.polls
        time.sleep(0.1)
        return self.polls == before


@pytest.mark.parametrize("linger", [b"\0" * 8, b"\1\0\0\0\0\0\0\0"], ids=["closed", "reset"])
def test_a_waiter_whose_client_is_gone_is_forgotten(
    connect: Connect, echo: Echo, server_clock: ServerClock, linger: bytes
) -> None:
    """Nobody asks for its response any longer, which a fault may delay for an hour."""
    late = Late(echo)
    client = connect().send(ASK % b"1.1")
    assert until(lambda: late.polls > 3)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    client.close()
    assert server_clock.advance_until(late.rests)


@pytest.mark.parametrize(("version", "interim"), [(b"1.0", False), (b"1.1", True)])
def test_a_half_closed_client_gets_a_late_answer(
    connect: Connect, echo: Echo, server_clock: ServerClock, version: bytes, interim: bool
) -> None:
    """Meanwhile the server sends interim responses to a client that understands them; after the answer it closes."""
    late = Late(echo)
    client = connect().send(ASK % version)
    assert until(lambda: late.polls > 0)
    client.socket.shutdown(socket.SHUT_WR)
    if interim:
        assert server_clock.advance_until(client.answered)
        assert client.head() == (100, {})
    else:
        for _ in range(3):
            server_clock.advance(1)
            time.sleep(0.05)
        assert not client.answered()
    late.ready = True
    status, headers = client.head()
    while status == 100:
        status, headers = client.head()
    assert (status, client.file.read()) == (200, b"late")
    assert headers["Connection"] == ("keep-alive" if interim else "close")


def test_requests_behind_a_late_answer_are_answered_after_it(connect: Connect, echo: Echo) -> None:
    """In their order, whether they came with it or while it was waited for."""
    late = Late(echo)
    client = connect().send(ASK % b"1.1" + b"GET /second HTTP/1.1\r\nHost: h\r\n\r\n")
    assert until(lambda: late.polls > 0)
    client.send(
        b"PUT /third HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcde", b"GET /fourth HTTP/1.1\r\nHost: h\r\n\r\n"
    )
    time.sleep(0.1)
    assert [request.target for request in echo.seen] == ["/wait"]
    echo.answer = None
    late.ready = True
    assert client.read()[2] == b"late"
    assert [client.reported()["target"] for _ in range(3)] == ["/second", "/third", "/fourth"]
