"""The live server over real sockets: what reaches the handler, what reaches the client, and what neither may notice."""

from __future__ import annotations

import asyncio
import gc
import http.client
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from subprocess import PIPE
from typing import TypeAlias

import pytest
from freezegun import freeze_time

from confsim.http.limits import Limits
from confsim.http.live.server import LiveServer
from confsim.service.message import Request, Response

FAULTS = {"body_too_large": 413, "url_too_long": 414, "headers_too_large": 431, "malformed": 400, "timeout": 408}
TIGHT = Limits(body=1_000, url=200, headers=1_000, idle=0.4, read=0.3, linger=1.0)
SOURCES = Path(__file__).parents[2]


class Echo:
    """A handler that tells back what it was asked, remembers it, and can be told to answer otherwise."""

    def __init__(self) -> None:
        self.seen: list[Request] = []
        self.answer: Response | None = None

    def __call__(self, request: Request) -> Response:
        """Answer 200, or the status of the fault, with the request as JSON."""
        self.seen.append(request)
        if request.target == "/broken":
            raise RuntimeError("as asked")
        told = {"method": request.method, "target": request.target, "query": request.query, "fault": request.fault}
        body = json.dumps(told | {"headers": request.headers, "length": len(request.body)}).encode()
        return self.answer or Response(FAULTS.get(request.fault, 200), [("X-Kind", "echo")], body)


class Client:
    """A socket with just enough HTTP to read one answer at a time."""

    def __init__(self, server: LiveServer) -> None:
        self.socket = socket.create_connection((server.host, server.port), timeout=5)
        self.file = self.socket.makefile("rb")

    def send(self, *pieces: bytes) -> Client:
        """Send the pieces, each in a segment of its own."""
        for piece in pieces:
            self.socket.sendall(piece)
        return self

    def head(self) -> tuple[int, dict[str, str]]:
        """Read a status line and headers."""
        line, _, rest = b"".join(iter(self.file.readline, b"\r\n")).decode("latin-1").partition("\r\n")
        headers = dict(header.split(": ", 1) for header in rest.splitlines())
        return int(line.split()[1]), headers

    def read(self) -> tuple[int, dict[str, str], bytes]:
        """Read a whole answer."""
        status, headers = self.head()
        return status, headers, self.file.read(int(headers["Content-Length"]))

    def told(self) -> dict[str, object]:
        """Read an answer of the echo handler, as data."""
        told = json.loads(self.read()[2])
        assert isinstance(told, dict)
        return told

    def ended(self) -> bool:
        """Tell whether the server says nothing more and has closed its side."""
        return self.file.read() == b""

    def close(self) -> None:
        """Close both ends of the wrapping."""
        self.file.close()
        self.socket.close()


def serves(server: LiveServer) -> bool:
    """Tell whether a new client of the server gets an answer."""
    with closing(Client(server)) as client:
        return client.send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").read()[0] == 200


Connect: TypeAlias = Callable[..., Client]


@pytest.fixture
def echo() -> Echo:
    """A fresh echo handler."""
    return Echo()


@pytest.fixture
def connect(echo: Echo) -> Iterator[Connect]:
    """Give connections to a server of the echo handler, one server for each set of limits."""
    with ExitStack() as stack:
        servers: dict[Limits, LiveServer] = {}

        def connection(limits: Limits = Limits()) -> Client:  # noqa: B008 - a frozen value
            if limits not in servers:
                servers[limits] = stack.enter_context(LiveServer(echo, limits=limits))
            client = Client(servers[limits])
            stack.callback(client.close)
            return client

        yield connection


def until(condition: Callable[[], bool], seconds: float = 5) -> bool:
    """Wait for the condition, no longer than it takes."""
    end = time.perf_counter() + seconds
    while not condition() and time.perf_counter() < end:
        time.sleep(0.002)
    return condition()


# What reaches the handler


def test_a_request_arrives_whole(connect: Connect, echo: Echo) -> None:
    """Method, path, query, headers and body come through as they were sent."""
    connect().send(b"POST /a/b?x=1&y=%20 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello").read()
    expected = Request("POST", "/a/b", "x=1&y=%20", {"host": "h", "content-length": "5"}, b"hello")
    assert echo.seen == [expected]


@pytest.mark.parametrize(
    ("raw", "target", "query"),
    [
        ("/a%2Fb/%C3%A9?q=%3F", "/a%2Fb/%C3%A9", "q=%3F"),
        ("/a?", "/a", ""),
        ("/a?b?c", "/a", "b?c"),
        ("//a//b", "//a//b", ""),
        ("/at/http://x/y", "/at/http://x/y", ""),
        ("http://host:80/p%20q?x=http://y/z", "/p%20q", "x=http://y/z"),
        ("http://host", "/", ""),
        ("http://host?x=1", "/", "x=1"),
        ("*", "*", ""),
    ],
)
def test_the_target_stays_encoded(connect: Connect, raw: str, target: str, query: str) -> None:
    """The path and the query are raw, and an absolute form is reduced to them."""
    told = connect().send(f"OPTIONS {raw} HTTP/1.1\r\nHost: h\r\n\r\n".encode()).told()
    assert (told["target"], told["query"]) == (target, query)


def test_headers_are_lowered_trimmed_and_joined(connect: Connect) -> None:
    """Names are lower-case, values are trimmed Latin-1, repetitions are joined in order."""
    told = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\nX-A:  one \t\r\nX-B:\r\nx-a: tw\xf6\r\nX-a: 3\r\n\r\n").told()
    assert told["headers"] == {"host": "h", "x-a": "one, tw\xf6, 3", "x-b": ""}


def test_a_chunked_body_is_put_together(connect: Connect, echo: Echo) -> None:
    """Chunks make one body, and trailers do not pass for headers."""
    head = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    told = connect().send(head + b"3\r\nabc\r\n4;ext=1\r\ndefg\r\n0\r\nX-Late: 1\r\n\r\n").told()
    assert echo.seen[0].body == b"abcdefg"
    assert told["headers"] == {"host": "h", "transfer-encoding": "chunked"}


@pytest.mark.parametrize("upgrade", [b"", b"Connection: Upgrade\r\nUpgrade: h2c\r\n"], ids=["plain", "upgrade"])
def test_a_request_may_come_byte_by_byte(connect: Connect, echo: Echo, upgrade: bytes) -> None:
    """Where the segments are cut changes nothing."""
    raw = b"POST /path?q=1 HTTP/1.1\r\nHost: host\r\n%sContent-Length: 3\r\n\r\nabc" % upgrade
    connect().send(*(bytes([byte]) for byte in raw)).read()
    assert [(r.method, r.target, r.query, r.headers["host"], r.body) for r in echo.seen] == [
        ("POST", "/path", "q=1", "host", b"abc")
    ]


def test_a_large_body_arrives_whole(connect: Connect, echo: Echo) -> None:
    """Megabytes are gathered without loss."""
    body = os.urandom(1 << 20) * 8
    connect().send(b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % len(body), body).read()
    assert echo.seen[0].body == body


def test_an_offered_upgrade_is_passed_over(connect: Connect) -> None:
    """A request that offers another protocol is answered in this one, its body and successors included."""
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    client = connect().send(b"POST /one HTTP/1.1\r\nHost: h\r\n" + offer)
    assert client.head() == (100, {})
    client.send(b"helloGET /two HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n")
    first, second = client.told(), client.told()
    assert (first["target"], first["length"], second["target"]) == ("/one", 5, "/two")


def test_many_offered_upgrades_in_one_piece(connect: Connect) -> None:
    """Hundreds of pipelined offers are just that many requests."""
    client = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" * 1_500)
    assert {client.read()[0] for _ in range(1_500)} == {200}


# What reaches the client


def test_a_connection_is_kept(connect: Connect) -> None:
    """One connection serves one request after another."""
    client = connect()
    for number in range(3):
        assert client.send(b"GET /%d HTTP/1.1\r\nHost: h\r\n\r\n" % number).told()["target"] == f"/{number}"


def test_pipelined_requests_are_answered_in_order(connect: Connect) -> None:
    """Requests sent without waiting get their answers in their order."""
    one = b"POST /%d HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok"
    client = connect().send(b"".join(one % number for number in range(200)))
    assert [client.told()["target"] for _ in range(200)] == [f"/{number}" for number in range(200)]


def test_a_pipelined_burst_is_answered_as_it_is_read(connect: Connect, echo: Echo) -> None:
    """No more is answered than the client takes, others have their turn meanwhile, and no request is lost."""
    echo.answer = Response(200, [], b"x" * 300_000)
    burst = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n" * 2_000)
    assert until(lambda: len(echo.seen) > 0)
    assert not until(lambda: len(echo.seen) > 100, 0.2)
    assert connect().send(b"GET /other HTTP/1.1\r\nHost: h\r\n\r\n").read()[0] == 200
    for _ in range(2_000):
        assert burst.read()[0] == 200
    assert len(echo.seen) == 2_001


def test_a_burst_of_small_requests_lets_others_in(connect: Connect, echo: Echo) -> None:
    """Requests that came at once are answered in turns with those of other connections."""
    other = connect()
    other.send(b"GET /first HTTP/1.1\r\nHost: h\r\n\r\n").read()
    echo.answer = Response(204, [])
    burst = connect()

    class Slow(list[Request]):
        def append(self, request: Request) -> None:
            super().append(request)
            if len(self) == 1:
                other.send(b"GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
                time.sleep(0.05)

    echo.seen = Slow()
    burst.send(b"GET /burst HTTP/1.1\r\nHost: h\r\n\r\n" * 1_000)
    assert until(lambda: len(echo.seen) == 1_001)
    assert [request.target for request in echo.seen].index("/other") < 200


def test_continue_does_not_overtake_an_answer(connect: Connect, echo: Echo) -> None:
    """The interim answer of a pipelined request comes after the answer of the one before."""
    due = time.monotonic() + 0.1
    whole = Response(200, [], b"x")
    echo.answer = Response(200, [], until=lambda: whole if time.monotonic() > due else None)
    head = b"PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    client = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n" + head)
    assert client.read()[0] == 200
    assert client.head() == (100, {})
    assert client.send(b"ok").read()[0] == 200


def test_head_tells_the_length_only(connect: Connect) -> None:
    """HEAD has the headers of GET and no body."""
    client = connect().send(b"HEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n")
    status, headers = client.head()
    assert (status, int(headers["Content-Length"]) > 0) == (200, True)
    assert client.told()["target"] == "/next"


@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_without_content_has_no_length(connect: Connect, echo: Echo, status: int) -> None:
    """Where HTTP allows no body, none is announced and none sent."""
    echo.answer = Response(status, [], b"never sent")
    client = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    assert client.head() == (status, {"Connection": "keep-alive"})
    echo.answer = None
    assert client.send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").read()[0] == 200


def test_an_answer_goes_out_as_given(connect: Connect, echo: Echo) -> None:
    """Status, header order, repeated headers and body are the handler's; the length is counted."""
    echo.answer = Response(299, [("X-B", "\xe9"), ("Set-Cookie", "a"), ("Set-Cookie", "b")], b"\x00\xff")
    client = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    assert client.file.read() == (
        b"HTTP/1.1 299 \r\nConnection: close\r\nX-B: \xe9\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
        b"Content-Length: 2\r\n\r\n\x00\xff"
    )


def test_continue_is_said_before_the_body(connect: Connect) -> None:
    """A client that waits for leave to send its body gets it."""
    client = connect().send(b"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    assert client.head() == (100, {})
    assert client.send(b"abc").told()["length"] == 3


@pytest.mark.parametrize("offer", [b"", b"Connection: Upgrade\r\nUpgrade: h2c\r\n"], ids=["plain", "upgrade"])
def test_continue_is_not_said_to_an_old_client(connect: Connect, offer: bytes) -> None:
    """HTTP/1.0 knows no interim answers, and its offers of an upgrade are passed over."""
    client = connect().send(b"POST / HTTP/1.0\r\n" + offer + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    time.sleep(0.05)
    assert client.send(b"abc").told()["length"] == 3


def test_a_request_names_its_host(connect: Connect, echo: Echo) -> None:
    """An HTTP/1.1 request without a Host header is malformed (RFC 9112, 3.2); an older one may be without."""
    client = connect().send(b"GET / HTTP/1.1\r\n\r\n")
    assert client.told()["fault"] == "malformed"
    assert "Host" in echo.seen[0].problem
    assert client.send(b"GET http://h/ HTTP/1.1\r\n\r\n").told()["fault"] == "malformed"
    assert client.send(b"GET / HTTP/1.0\r\n\r\n").told()["fault"] == ""


def test_the_authority_of_an_absolute_target_is_the_host(connect: Connect) -> None:
    """Whatever the Host header says (RFC 9112, 3.2.2)."""
    told = connect().send(b"GET http://real:8/p HTTP/1.1\r\nHost: other\r\n\r\n").told()
    assert (told["target"], told["headers"]) == ("/p", {"host": "real:8"})


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        ("GET / HTTP/1.1\r\nHost: h\r\n", True),
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n", False),
        ("GET / HTTP/1.0\r\n", False),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n", True),
        ("GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n", False),
        ("CONNECT host:80 HTTP/1.1\r\nHost: h\r\n", False),
    ],
)
def test_who_keeps_the_connection(connect: Connect, head: str, kept: bool) -> None:
    """The version and the Connection header decide, and the answer says so."""
    client = connect().send(f"{head}\r\n".encode())
    status, headers, _ = client.read()
    assert (status, headers["Connection"]) == (200, "keep-alive" if kept else "close")
    if kept:
        assert client.send(b"GET /again HTTP/1.1\r\nHost: h\r\n\r\n").told()["target"] == "/again"
    else:
        assert client.ended()


def test_nothing_is_answered_after_close(connect: Connect, echo: Echo) -> None:
    """What a client sends behind its own Connection: close is dropped."""
    client = connect().send(
        b"GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /more HTTP/1.1\r\nHost: h\r\n\r\n"
    )
    assert client.told()["target"] == "/last"
    assert client.ended()
    assert len(echo.seen) == 1


def test_a_half_closed_client_gets_its_answer(connect: Connect) -> None:
    """A client may close its sending side before it reads."""
    client = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    client.socket.shutdown(socket.SHUT_WR)
    assert client.read()[0] == 200


def test_an_ordinary_client_library_works(echo: Echo) -> None:
    """The client of the standard library uploads by chunks, downloads megabytes, and reuses its connection."""
    with LiveServer(echo) as server:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=5)
        connection.request("POST", "/", body=iter([b"abc", b"def"]))
        assert json.loads(connection.getresponse().read())["length"] == 6
        echo.answer = Response(200, [], b"x" * 5_000_000)
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"x" * 5_000_000
        connection.close()


# Failures


def test_a_failing_handler_is_answered_500(connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    """An exception is logged and answered, and the connection lives on."""
    client = connect()
    status, headers, body = client.send(b"GET /broken HTTP/1.1\r\nHost: h\r\n\r\n").read()
    assert (status, headers["Content-Type"]) == (500, "application/json")
    assert "error" in json.loads(body)
    assert "as asked" in caplog.text
    assert client.send(b"GET /fine HTTP/1.1\r\nHost: h\r\n\r\n").read()[0] == 200


def test_a_failing_beat_stops_nobody(echo: Echo, caplog: pytest.LogCaptureFixture) -> None:
    """An exception is logged, and clients are served on."""
    beats: list[int] = []

    def beat() -> None:
        beats.append(1)
        raise RuntimeError("as asked")

    with LiveServer(echo, limits=TIGHT, beat=beat) as server:
        assert until(lambda: len(beats) > 1)
        assert serves(server)
    assert "as asked" in caplog.text


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "\u20ac"])
def test_a_header_that_cannot_be_sent_is_answered_500(connect: Connect, echo: Echo, value: str) -> None:
    """A value that would split the answer, or is no Latin-1, is not sent."""
    echo.answer = Response(200, [("X", value)])
    status, headers, _ = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").read()
    assert (status, "Set-Cookie" in headers) == (500, False)


@pytest.mark.parametrize(
    "part", [b"GE", b"GET /a HTTP/1.1\r\nHost: h\r\nHo", b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc"]
)
def test_a_client_that_leaves_is_forgotten(
    connect: Connect, echo: Echo, caplog: pytest.LogCaptureFixture, part: bytes
) -> None:
    """Half a request followed by a close or a reset reaches neither the handler nor the log."""
    polite, rude = connect().send(part), connect().send(part)
    rude.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    polite.close()
    rude.close()
    assert connect().send(b"GET /whole HTTP/1.1\r\nHost: h\r\n\r\n").read()[0] == 200
    assert [request.target for request in echo.seen] == ["/whole"]
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_slow_clients_stop_nobody(connect: Connect) -> None:
    """While clients stand in the middle of a head, a body and an answer, others are served."""
    connect().send(b"GET /slow HT")
    connect().send(b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\nabc")
    clients = [connect() for _ in range(50)]
    for client in clients:
        client.send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    assert {client.read()[0] for client in clients} == {200}


@pytest.mark.parametrize(("later", "total", "seconds"), [(False, 500, 0.25), (True, 60, 1.0)])
def test_who_does_not_read_is_not_read(connect: Connect, echo: Echo, later: bool, total: int, seconds: float) -> None:
    """Answers that pile up stop the reading of requests until they are taken, and none is lost."""
    whole = Response(200, [], b"x" * (100_000_000 // total))
    echo.answer = Response(200, [], until=lambda: whole) if later else whole
    client = connect()
    request = b"GET /%s HTTP/1.1\r\nHost: h\r\n\r\n" % (b"y" * 60_000)
    sender = threading.Thread(target=client.send, args=(request,) * total, daemon=True)
    sender.start()
    assert not until(lambda: len(echo.seen) > total / 2, seconds)
    for _ in range(total):
        assert client.read()[0] == 200
    assert len(echo.seen) == total


def test_a_slow_reader_gets_all_of_a_last_answer(connect: Connect, echo: Echo) -> None:
    """A long answer before a close may take longer than lingering lasts."""
    echo.answer = Response(200, [], b"x" * 20_000_000)
    client = connect(Limits(linger=0.05)).send(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    time.sleep(0.2)
    assert client.read()[2] == echo.answer.body


def test_a_closed_connection_leaves_nothing_behind(connect: Connect) -> None:
    """What belongs to a connection goes with it, without waiting for the garbage collector."""

    def connections() -> int:
        return sum(type(thing).__name__ == "Connection" for thing in gc.get_objects())

    gc.collect()
    gc.disable()
    others = connections()
    try:
        client = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        client.read()
        assert connections() == others + 1
        client.close()
        assert until(lambda: connections() == others)
    finally:
        gc.enable()


# Limits


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
def test_what_is_no_http_is_told_with_its_place(connect: Connect, echo: Echo, raw: bytes, place: str) -> None:
    """In the words of the parser; a limit that is exceeded tells no more than its name."""
    connect().send(raw).read()
    assert place in echo.seen[0].problem.lower()
    connect(TIGHT).send(b"GET /" + b"x" * 500).read()
    assert (echo.seen[1].fault, echo.seen[1].problem) == ("url_too_long", "")


def test_a_refused_body_is_not_asked_for(connect: Connect) -> None:
    """A client that waits for leave to send too large a body is refused at once."""
    client = connect(TIGHT).send(PUT + b"Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n")
    assert client.told()["fault"] == "body_too_large"


def test_a_refusal_waits_its_turn(connect: Connect) -> None:
    """A fault behind good pipelined requests is answered after them."""
    client = connect(TIGHT).send(b"GET /good HTTP/1.1\r\nHost: h\r\n\r\n" * 2 + b"bad\r\n\r\n")
    assert [client.told()["fault"] for _ in range(3)] == ["", "", "malformed"]
    assert client.ended()


@pytest.mark.parametrize("split", [False, True], ids=["one piece", "split"])
def test_what_just_fits_is_served(connect: Connect, split: bool) -> None:
    """Each limit is reached without a refusal, however the input is cut, and again on the same connection."""
    client, raw = connect(TIGHT), sized()
    for _ in range(2):
        client.send(*([raw[:150], raw[150:900], raw[900:1212], raw[1212:2000], raw[2000:]] if split else [raw]))
        told = client.told()
        assert (told["fault"], told["length"], len(str(told["target"]))) == ("", 1_000, 200)


@pytest.mark.parametrize(
    ("excess", "fault"),
    [({"url": 1}, "url_too_long"), ({"headers": 1}, "headers_too_large"), ({"body": 1}, "body_too_large")],
    ids=["url", "headers", "body"],
)
def test_one_byte_more_is_refused(connect: Connect, excess: dict[str, int], fault: str) -> None:
    """Beyond a limit by one byte, a request is refused even if it has arrived whole."""
    assert connect(TIGHT).send(sized(**excess)).told()["fault"] == fault


def test_padding_is_no_second_request(connect: Connect) -> None:
    """A head padded beyond the limits, but completed, is answered once."""
    client = connect(TIGHT).send(b"GET /padded HTTP/1.1\r\nHost: h\r\nA:")
    time.sleep(0.01)
    assert client.send(b" " * 1_300 + b"\r\n\r\n").told()["target"] == "/padded"
    assert client.send(b"GET /next HTTP/1.1\r\nHost: h\r\n\r\n").told()["target"] == "/next"


def test_long_bodies_in_tiny_chunks_are_served(connect: Connect) -> None:
    """What chunking adds to a body counts neither as body nor as headers."""
    chunks = [b"1\r\nx\r\n" * 100] * 10 + [b"0\r\n\r\n"]
    told = connect(TIGHT).send(PUT + b"Transfer-Encoding: chunked\r\n\r\n", *chunks).told()
    assert (told["fault"], told["length"]) == ("", 1_000)


@pytest.mark.parametrize(
    "part", [b"G", b"GET /late HTTP/1.1\r\nHost: h\r\nA: b\r\n", PUT + b"Content-Length: 9\r\n\r\nabc"]
)
def test_a_stalled_request_times_out(connect: Connect, part: bytes) -> None:
    """A client that stops inside a request is told so, in time."""
    start = time.perf_counter()
    client = connect(TIGHT).send(part)
    assert client.told()["fault"] == "timeout"
    assert client.ended()
    assert TIGHT.read <= time.perf_counter() - start < TIGHT.read * 5


def test_a_timed_out_request_is_over(connect: Connect, echo: Echo) -> None:
    """The rest of a request that came too late is dropped."""
    client = connect(TIGHT).send(b"GET /late HTTP/1.1\r\nHost: h\r\n")
    assert client.told()["fault"] == "timeout"
    client.send(b"\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n")
    assert client.ended()
    assert not until(lambda: len(echo.seen) > 1, seconds=0.05)


def test_a_dripping_head_times_out(connect: Connect) -> None:
    """Sending a byte now and then does not keep a head open for ever."""
    client = connect(TIGHT).send(b"GET /")
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.03):
            client.send(b"x")

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        assert client.told()["fault"] == "timeout"
    finally:
        stop.set()
        thread.join()


def test_a_slow_body_that_goes_on_is_served(connect: Connect) -> None:
    """A body may take longer than the read timeout as long as it keeps coming."""
    client = connect(TIGHT).send(PUT + b"Content-Length: 6\r\n\r\n")
    for _ in range(6):
        time.sleep(TIGHT.read / 4)
        client.send(b"x")
    assert client.told()["length"] == 6


def test_an_idle_connection_is_closed(connect: Connect, echo: Echo) -> None:
    """Between requests the connection ends without a word, and not before its time."""
    fresh, used = connect(TIGHT), connect(TIGHT).send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    used.read()
    start = time.perf_counter()
    assert used.ended()
    assert TIGHT.idle * 0.9 <= time.perf_counter() - start < TIGHT.idle * 4
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


def test_frozen_time_does_not_reach_the_server(connect: Connect) -> None:
    """Freezing the clock of the process neither drops a kept connection nor stops the timeouts for good."""
    with freeze_time("2020-01-01"):
        pass  # the first freeze of a process is slow
    client = connect(TIGHT)
    for instant in ("2001-01-01", "2040-01-01"):
        with freeze_time(instant):
            assert client.send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").read()[0] == 200
    assert client.ended()


# Starting and stopping


def test_the_server_knows_its_address(echo: Echo) -> None:
    """Port 0 becomes a real one, which the URL tells."""
    with LiveServer(echo) as server:
        assert server.port > 0
        assert (server.host, server.url) == ("127.0.0.1", f"http://127.0.0.1:{server.port}")
        assert serves(server)


@pytest.mark.parametrize(
    ("host", "url"),
    [("0.0.0.0", "http://127.0.0.1:8"), ("::1", "http://[::1]:8"), ("localhost", "http://localhost:8")],
)
def test_the_url_is_one_to_connect_to(echo: Echo, host: str, url: str) -> None:
    """Every host gives a URL a client on this machine can use."""
    assert LiveServer(echo, host, 8).url == url


def test_a_taken_port_is_named(echo: Echo) -> None:
    """The error of a second server on a port says which one."""
    with LiveServer(echo) as first, pytest.raises(OSError, match=f"127.0.0.1:{first.port}: .*in use"):
        LiveServer(echo, port=first.port).start()


def test_starting_twice_is_refused(echo: Echo) -> None:
    """A running server does not start again."""
    with LiveServer(echo) as server, pytest.raises(RuntimeError, match="running already"):
        server.start()


def test_stopping_is_idempotent(echo: Echo) -> None:
    """Stopping before the start and after the end does nothing; a stopped server can start anew on its port."""
    server = LiveServer(echo)
    server.stop()
    for _ in range(3):
        server.start()
        assert serves(server)
        server.stop()
        server.stop()
        with pytest.raises(ConnectionRefusedError):
            Client(server)


def test_stopping_ends_every_connection(echo: Echo) -> None:
    """New, idle and busy connections all end with the server, which leaves no thread and no socket behind."""
    threads = threading.active_count()
    server = LiveServer(echo)
    server.start()
    clients = [Client(server) for _ in range(3)]
    clients[0].send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").read()
    clients[1].send(b"GET /half")
    server.stop()
    for client in clients:
        with suppress(ConnectionResetError):
            assert client.ended()
        client.close()
    assert threading.active_count() == threads


def test_stopping_under_fire_is_clean(caplog: pytest.LogCaptureFixture) -> None:
    """Connections that arrive at whatever moment of the stopping are closed too, without a complaint from anybody."""
    clients: list[socket.socket] = []

    def arrive() -> None:
        with suppress(ConnectionRefusedError):
            clients.append(socket.create_connection((server.host, server.port), timeout=5))
            asyncio.get_running_loop().call_soon(arrive)  # one more at every turn of the server's loop

    def handler(request: Request) -> Response:
        arrive()
        server.stop()
        return Response(200, [])

    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        with LiveServer(handler) as server:
            assert serves(server)
        gc.collect()
    for client in clients:
        with closing(client), suppress(ConnectionResetError):
            assert client.recv(1) == b""
    assert len(clients) > 3
    assert [str(complaint.message) for complaint in complaints] == []
    assert caplog.records == []


def test_a_server_stops_though_idle_connections_hang_on_to_it(echo: Echo) -> None:
    """It hangs up on them."""
    server = LiveServer(echo)
    server.start()
    clients = [Client(server).send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n") for _ in range(5)]
    for client in clients:
        client.read()
    server.stop()
    for client in clients:
        with closing(client):
            assert client.ended()


def test_a_handler_may_stop_its_server() -> None:
    """Stopping from within a request lets that request be answered."""

    def handler(request: Request) -> Response:
        server.stop()
        return Response(200, [], b"bye")

    with LiveServer(handler) as server:
        assert serves(server)


def test_signal_handlers_are_put_back(echo: Echo) -> None:
    """``run`` leaves the process with the signal handlers it had."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    LiveServer(echo).run(LiveServer.stop)
    assert [signal.getsignal(number) for number in numbers] == before


def test_running_in_a_thread_ends_with_stop(echo: Echo) -> None:
    """``run`` blocks, calls ``ready`` once it listens, and returns when the server is stopped from elsewhere."""
    listening: list[LiveServer] = []
    server = LiveServer(echo)
    thread = threading.Thread(target=server.run, args=(listening.append,))
    thread.start()
    assert until(lambda: bool(listening))
    assert serves(listening[0])
    server.stop()
    thread.join(5)
    assert not thread.is_alive()


def test_a_failing_ready_ends_the_run(echo: Echo) -> None:
    """What ``ready`` raises comes out of ``run``, and the port is free again."""

    def ready(server: LiveServer) -> None:
        raise KeyError(server.port)

    server = LiveServer(echo)
    with pytest.raises(KeyError):
        server.run(ready)
    with pytest.raises(ConnectionRefusedError):
        Client(server)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run(number: signal.Signals) -> None:
    """A served process ends cleanly on either signal, with an idle connection open, and goes on after ``run``."""
    program = """
        from confsim.http.live.server import LiveServer
        from confsim.service.message import Response
        LiveServer(lambda request: Response(200, [])).run(lambda server: print(server.port, flush=True))
        print("ended")
    """
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(program)]
    with subprocess.Popen(command, text=True, cwd=SOURCES, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 200 OK")
            process.send_signal(number)
            out, errors = process.communicate(timeout=5)
    assert (process.returncode, out, errors) == (0, "ended\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT, signal.SIGINT]], ids=["SIGTERM", "SIGINT twice"])
def test_a_signal_ends_a_call_that_does_not_end(signals: list[signal.Signals]) -> None:
    """Also one that never lets go of the interpreter, such as a regular expression that backtracks for good."""
    program = """
        import re
        from confsim.http.live.server import LiveServer
        def stuck(request):
            print("stuck", flush=True)
            re.match("(.*.*)*x", "y" * 100)
        LiveServer(stuck).run(lambda server: print(server.port, flush=True))
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(command, text=True, cwd=SOURCES, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            assert process.stdout.readline() == "stuck\n"
            for number in signals:
                process.send_signal(number)
                time.sleep(0.3)
            try:
                _, errors = process.communicate(timeout=10)
            finally:
                process.kill()
    if signals == [signal.SIGTERM]:
        assert process.returncode == 1
        assert "in stuck" in errors
    else:
        assert process.returncode == -signal.SIGINT
