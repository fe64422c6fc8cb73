"""Limits of the live server: sizes and times."""

from __future__ import annotations

import time

import pytest
from freezegun import freeze_time

from confsim.http.limits import DEFAULT_LIMITS, Limits
from kit.wire.sockets import FAULTS, TIGHT, Connect, Echo, ServerClock, until

PUT = b"PUT /p?q HTTP/1.1\r\nHost: h\r\n"
LIMITS = {
    "declared body": ("body_too_large", PUT + b"Content-Length: 1001\r\n\r\n", b"x"),
    "chunked body": ("body_too_large", PUT + b"Transfer-Encoding: chunked\r\n\r\n", b"100\r\n%s\r\n" % (b"x" * 256)),
    "long URL": ("url_too_long", b"PUT /", b"x"),
    "many headers": ("headers_too_large", PUT, b"a: b\r\n"),
    "one long header": ("headers_too_large", PUT + b"a: ", b"x"),
    "long header name": ("headers_too_large", PUT, b"x"),
    "padding": ("headers_too_large", PUT + b"a:", b" "),
    "trailers": ("headers_too_large", PUT + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n"),
    "one long trailer": ("headers_too_large", PUT + b"Transfer-Encoding: chunked\r\n\r\n0\r\na: ", b"x"),
    "blank lines": ("headers_too_large", b"", b"\r\n"),
    "method": ("malformed", b"", b"get / HTTP/1.1\r\nHost: h\r\n\r\n"),
    "version": ("malformed", b"PUT /p?q HTTP/7.1\r\n\r\n", b"x"),
    "TLS": ("malformed", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x00"),
    "two lengths": ("malformed", PUT + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", b"x"),
    "length and chunks": ("malformed", PUT + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", b"x"),
    "bad chunk": ("malformed", PUT + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"x"),
}


def sized(url: int = 0, headers: int = 0, body: int = 0) -> bytes:
    """A request that reaches every tight limit, and exceeds some by so many bytes."""
    pad = 1_000 - len("Host: h\r\nContent-Length: 1000\r\nX: \r\n")
    head = b"PUT /%s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\nX: %s\r\n\r\n"
    return head % (b"u" * (199 + url), 1_000 + body, b"h" * (pad + headers)) + b"b" * (1_000 + body)


@pytest.mark.parametrize(("fault", "start", "more"), LIMITS.values(), ids=LIMITS)
def test_a_refusal_can_be_read(connect: Connect, echo: Echo, fault: str, start: bytes, more: bytes) -> None:
    """The handler hears the fault, and its answer survives a client that sends megabytes before it reads."""
    client = connect(TIGHT).send(start, more * (2_000_000 // len(more)))
    status, headers, _ = client.read()
    assert (status, headers["Connection"]) == (FAULTS[fault], "close")
    assert client.ended()
    assert [(request.fault, request.body) for request in echo.seen] == [(fault, b"")]
    if start.startswith(PUT):
        assert (echo.seen[0].method, echo.seen[0].target, echo.seen[0].query) == ("PUT", "/p", "q")


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (b"GET /\xc3\xa9 HTTP/1.1\r\nHost: h\r\n\r\n", "url"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nX A: b\r\n\r\n", "header"),
        (PUT + b"Content-Length: -1\r\n\r\n", "content-length"),
        (PUT + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "chunk"),
    ],
)
def test_what_is_no_http_is_reported_with_its_place(connect: Connect, echo: Echo, raw: bytes, place: str) -> None:
    """In the words of the parser; for a limit that is exceeded only its name."""
    connect().send(raw).read()
    assert place in echo.seen[0].problem.lower()
    connect(TIGHT).send(b"GET /" + b"x" * 500).read()
    assert (echo.seen[1].fault, echo.seen[1].problem) == ("url_too_long", "")


@pytest.mark.parametrize(
    ("version", "line", "status"),
    [
        (b"2.0", b"X: y", 505),
        (b"0.9", b"X: y", 505),
        (b"1.1", b"Transfer-Encoding: gzip, chunked", 501),
        (b"1.1", b"Transfer-Encoding: Chunked", 200),
        (b"1.0", b"Transfer-Encoding: chunked", 400),
    ],
)
def test_what_a_server_of_http_1_cannot_take(connect: Connect, version: bytes, line: bytes, status: int) -> None:
    """Other versions, and framing that it does not know (RFC 9110, 15.6.2 and 15.6.6; RFC 9112, 6.1)."""
    client = connect().send(b"PUT / HTTP/%s\r\nHost: h\r\n%s\r\n\r\n0\r\n\r\n" % (version, line))
    assert client.read()[0] == status
    assert status == 200 or client.ended()


def test_a_refused_body_is_not_asked_for(connect: Connect) -> None:
    """A client that waits for leave to send too large a body is refused at once."""
    client = connect(TIGHT).send(PUT + b"Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n")
    assert client.reported()["fault"] == "body_too_large"


def test_a_refusal_waits_its_turn(connect: Connect) -> None:
    """A fault behind good pipelined requests is answered after them."""
    client = connect(TIGHT).send(b"GET /good HTTP/1.1\r\nHost: h\r\n\r\n" * 2 + b"bad\r\n\r\n")
    assert [client.reported()["fault"] for _ in range(3)] == ["", "", "malformed"]
    assert client.ended()


@pytest.mark.parametrize("split", [False, True], ids=["one piece", "split"])
def test_what_just_fits_is_served(connect: Connect, split: bool) -> None:
    """Each limit is reached without a refusal, however the input is cut, and again on the same connection."""
    client, raw = connect(TIGHT), sized()
    for _ in range(2):
        client.send(*([raw[:150], raw[150:900], raw[900:1212], raw[1212:2000], raw[2000:]] if split else [raw]))
        reported = client.reported()
        assert (reported["fault"], reported["length"], len(str(reported["target"]))) == ("", 1_000, 200)


@pytest.mark.parametrize(
    ("excess", "fault"),
    [({"url": 1}, "url_too_long"), ({"headers": 1}, "headers_too_large"), ({"body": 1}, "body_too_large")],
    ids=["url", "headers", "body"],
)
def test_one_byte_more_is_refused(connect: Connect, excess: dict[str, int], fault: str) -> None:
    """Beyond a limit by one byte, a request is refused even if it has arrived whole."""
    assert connect(TIGHT).send(sized(**excess)).reported()["fault"] == fault


def test_padding_is_no_second_request(connect: Connect) -> None:
    """A head padded beyond the limits, but completed, is answered once."""
    client = connect(TIGHT).send(b"GET /padded HTTP/1.1\r\nHost: h\r\nA:")
    time.sleep(0.01)
    assert client.send(b" " * 1_300 + b"\r\n\r\n").reported()["target"] == "/padded"
    assert client.send(b"GET /next HTTP/1.1\r\nHost: h\r\n\r\n").reported()["target"] == "/next"


def test_long_bodies_in_tiny_chunks_are_served(connect: Connect) -> None:
    """What chunking adds to a body counts neither as body nor as headers."""
    chunks = [b"1\r\nx\r\n" * 100] * 10 + [b"0\r\n\r\n"]
    reported = connect(TIGHT).send(PUT + b"Transfer-Encoding: chunked\r\n\r\n", *chunks).reported()
    assert (reported["fault"], reported["length"]) == ("", 1_000)


@pytest.mark.parametrize(
    "part", [b"G", b"GET /late HTTP/1.1\r\nHost: h\r\nA: b\r\n", PUT + b"Content-Length: 9\r\n\r\nabc"]
)
def test_a_stalled_request_times_out(connect: Connect, server_clock: ServerClock, part: bytes) -> None:
    """A client that stops inside a request is answered 408, in time."""
    start = time.perf_counter()
    client = connect().send(part)
    assert server_clock.advance_until(client.answered)
    assert client.reported()["fault"] == "timeout"
    assert client.ended()
    assert time.perf_counter() - start + server_clock.ahead >= DEFAULT_LIMITS.read


def test_a_timed_out_request_is_over(connect: Connect, echo: Echo, server_clock: ServerClock) -> None:
    """The rest of a request that came too late is dropped."""
    client = connect().send(b"GET /late HTTP/1.1\r\nHost: h\r\n")
    assert server_clock.advance_until(client.answered)
    assert client.reported()["fault"] == "timeout"
    client.send(b"\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n")
    assert client.ended()
    assert not until(lambda: len(echo.seen) > 1, seconds=0.05)


def test_a_dripping_head_times_out(connect: Connect, server_clock: ServerClock) -> None:
    """Sending a byte now and then does not keep a head open for ever."""
    client = connect().send(b"GET /")

    def dripped() -> bool:
        client.send(b"x")
        return client.answered()

    assert server_clock.advance_until(dripped)
    assert client.reported()["fault"] == "timeout"


def test_a_slow_body_that_goes_on_is_served(connect: Connect, server_clock: ServerClock) -> None:
    """A body may take longer than the read timeout as long as it keeps coming."""
    client, other = connect(), connect()
    client.send(PUT + b"Content-Length: 6\r\n\r\n")
    for _ in range(6):
        other.send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").read()  # the server has read what came before
        server_clock.advance(DEFAULT_LIMITS.read * 0.6)
        client.send(b"x")
    assert client.reported()["length"] == 6


def test_an_idle_connection_is_closed(connect: Connect, echo: Echo, server_clock: ServerClock) -> None:
    """Between requests the connection ends without a word, and not before its time."""
    fresh, used = connect(), connect().send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    used.read()
    start = time.perf_counter()
    assert server_clock.advance_until(used.answered)
    assert used.ended()
    assert time.perf_counter() - start + server_clock.ahead >= DEFAULT_LIMITS.idle * 0.9
    assert fresh.ended()
    assert len(echo.seen) == 1


def test_a_client_that_lingers_is_dropped(connect: Connect) -> None:
    """A refused client that never closes its side loses the connection after a while."""
    client = connect(Limits(linger=0.1)).send(b"bad\r\n\r\n")
    client.read()
    assert client.ended()

    def dropped() -> bool:
        try:
            client.send(b"x")
        except OSError:
            return True
        return False

    assert until(dropped)


def test_frozen_time_does_not_reach_the_server(connect: Connect, server_clock: ServerClock) -> None:
    """Freezing the clock of the process neither drops an idle connection nor stops the timeouts for good."""
    with freeze_time("2020-01-01"):
        pass  # the first freeze of a process is slow
    client = connect()
    for instant in ("2001-01-01", "2040-01-01"):
        with freeze_time(instant):
            assert client.send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").read()[0] == 200
    assert server_clock.advance_until(client.answered)
    assert client.ended()
