"""Clients of the live server whose responses are yet to come: those that leave, close their side, or send on."""

from __future__ import annotations

import socket
import time
from concurrent.futures import Future

import pytest

from confsim.service.messages import Response
from kit.wire.sockets import Connect, Echo, ServerClock, until

ASK = b"GET /wait HTTP/%s\r\nHost: h\r\n\r\n"


@pytest.fixture
def late(echo: Echo) -> Future[Response]:
    """A response that comes when it is let come."""
    echo.answer = Future()
    return echo.answer


def come(late: Future[Response]) -> None:
    """Let the response come."""
    late.set_result(Response(200, [], b"late"))


@pytest.mark.parametrize("linger", [b"\0" * 8, b"\1\0\0\0\0\0\0\0"], ids=["closed", "reset"])
def test_a_waiter_whose_client_is_gone_is_forgotten(
    connect: Connect, echo: Echo, late: Future[Response], server_clock: ServerClock, linger: bytes
) -> None:
    """Nobody waits for its response any longer, which a fault may delay for an hour."""
    client = connect().send(ASK % b"1.1")
    assert until(lambda: echo.seen)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    client.close()
    assert server_clock.advance_until(late.cancelled)


def test_a_second_waiter_whose_client_is_gone_is_forgotten(
    connect: Connect, echo: Echo, late: Future[Response], server_clock: ServerClock
) -> None:
    """The server asks soon whether the client still waits, also for a request that was sent behind another one."""
    client = connect().send(ASK % b"1.1" + ASK % b"1.1")
    assert until(lambda: echo.seen)
    client.socket.shutdown(socket.SHUT_WR)
    assert server_clock.advance_until(client.answered)
    second = echo.answer = Future[Response]()
    come(late)
    assert until(lambda: len(echo.seen) == 2)
    client.close()
    for _ in range(4):  # seconds, of which an idle connection has many more
        server_clock.advance(1)
        time.sleep(0.1)
    assert second.cancelled()


@pytest.mark.parametrize(("version", "interim"), [(b"1.0", False), (b"1.1", True)])
def test_a_half_closed_client_gets_a_late_answer(
    connect: Connect, echo: Echo, late: Future[Response], server_clock: ServerClock, version: bytes, interim: bool
) -> None:
    """Meanwhile the server sends interim responses to a client that understands them; after the answer it closes."""
    client = connect().send(ASK % version)
    assert until(lambda: echo.seen)
    client.socket.shutdown(socket.SHUT_WR)
    if interim:
        assert server_clock.advance_until(client.answered)
        assert client.head() == (100, {})
    else:
        for _ in range(3):
            server_clock.advance(1)
            time.sleep(0.05)
        assert not client.answered()
    come(late)
    status, headers = client.head()
    while status == 100:
        status, headers = client.head()
    assert (status, client.file.read()) == (200, b"late")
    assert headers["Connection"] == ("keep-alive" if interim else "close")


def test_requests_behind_a_late_answer_are_answered_after_it(
    connect: Connect, echo: Echo, late: Future[Response]
) -> None:
    """In their order, whether they came with it or while it was waited for."""
    client = connect().send(ASK % b"1.1" + b"GET /second HTTP/1.1\r\nHost: h\r\n\r\n")
    assert until(lambda: echo.seen)
    client.send(
        b"PUT /third HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcde", b"GET /fourth HTTP/1.1\r\nHost: h\r\n\r\n"
    )
    time.sleep(0.1)
    assert [request.target for request in echo.seen] == ["/wait"]
    echo.answer = None
    come(late)
    assert client.read()[2] == b"late"
    assert [client.reported()["target"] for _ in range(3)] == ["/second", "/third", "/fourth"]
