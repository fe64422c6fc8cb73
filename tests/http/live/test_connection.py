"""Connections of the live server over real sockets: what reaches the handler, what reaches the client."""

from __future__ import annotations

import gc
import http.client
import json
import logging
import os
import socket
import threading
import time
from concurrent.futures import Future

import pytest

from confsim.http.limits import Limits
from confsim.http.live.server import LiveServer
from confsim.service.messages import Request, Response
from kit.wire.sockets import Connect, Echo, at_rest, serves, until

# What reaches the handler


def test_a_request_arrives_whole(connect: Connect, echo: Echo) -> None:
    """Method, path, query, headers and body come through as they were sent."""
    connect().send(b"POST /a/b?x=1&y=%20 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello").read()
    expected = Request(
        "POST", "/a/b", "x=1&y=%20", {"host": "h", "content-length": "5"}, b"hello", worker=echo.seen[0].worker
    )
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
    reported = connect().send(f"OPTIONS {raw} HTTP/1.1\r\nHost: h\r\n\r\n".encode()).reported()
    assert (reported["target"], reported["query"]) == (target, query)


def test_headers_are_lowered_trimmed_and_joined(connect: Connect) -> None:
    """Names are lower-case, values are trimmed Latin-1, repetitions are joined in order."""
    reported = (
        connect().send(b"GET / HTTP/1.1\r\nHost: h\r\nX-A:  one \t\r\nX-B:\r\nx-a: tw\xf6\r\nX-a: 3\r\n\r\n").reported()
    )
    assert reported["headers"] == {"host": "h", "x-a": "one, tw\xf6, 3", "x-b": ""}


def test_a_chunked_body_is_put_together(connect: Connect, echo: Echo) -> None:
    """Chunks make one body, and trailers do not pass for headers."""
    head = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    reported = connect().send(head + b"3\r\nabc\r\n4;ext=1\r\ndefg\r\n0\r\nX-Late: 1\r\n\r\n").reported()
    assert echo.seen[0].body == b"abcdefg"
    assert reported["headers"] == {"host": "h", "transfer-encoding": "chunked"}


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
    first, second = client.reported(), client.reported()
    assert (first["target"], first["length"], second["target"]) == ("/one", 5, "/two")


def test_many_offered_upgrades_in_one_piece(connect: Connect) -> None:
    """Hundreds of pipelined offers are just that many requests."""
    client = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" * 1_500)
    assert {client.read()[0] for _ in range(1_500)} == {200}


# What reaches the client


def test_a_connection_stays_open(connect: Connect) -> None:
    """One connection serves one request after another."""
    client = connect()
    for number in range(3):
        assert client.send(b"GET /%d HTTP/1.1\r\nHost: h\r\n\r\n" % number).reported()["target"] == f"/{number}"


def test_pipelined_requests_are_answered_in_order(connect: Connect) -> None:
    """Requests sent without waiting get their answers in their order."""
    one = b"POST /%d HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok"
    client = connect().send(b"".join(one % number for number in range(200)))
    assert [client.reported()["target"] for _ in range(200)] == [f"/{number}" for number in range(200)]


def test_a_pipelined_burst_is_answered_as_it_is_read(connect: Connect, echo: Echo) -> None:
    """No more is answered than the client takes, others have their turn meanwhile, and no request is lost."""
    echo.answer = Response(200, [], b"x" * 300_000)
    burst = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n" * 600)
    assert until(lambda: len(echo.seen) > 0)
    assert at_rest(lambda: len(echo.seen)) <= 100
    assert connect().send(b"GET /other HTTP/1.1\r\nHost: h\r\n\r\n").read()[0] == 200
    for _ in range(600):
        assert burst.read()[0] == 200
    assert len(echo.seen) == 601


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
    echo.answer = Future()
    threading.Timer(0.1, echo.answer.set_result, [Response(200, [], b"x")]).start()
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
    assert client.reported()["target"] == "/next"


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
    assert client.send(b"abc").reported()["length"] == 3


@pytest.mark.parametrize("offer", [b"", b"Connection: Upgrade\r\nUpgrade: h2c\r\n"], ids=["plain", "upgrade"])
def test_continue_is_not_said_to_an_old_client(connect: Connect, offer: bytes) -> None:
    """HTTP/1.0 knows no interim answers, and its offers of an upgrade are passed over."""
    client = connect().send(b"POST / HTTP/1.0\r\n" + offer + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    time.sleep(0.05)
    assert client.send(b"abc").reported()["length"] == 3


def test_a_request_names_its_host(connect: Connect, echo: Echo) -> None:
    """An HTTP/1.1 request without a Host header is malformed (RFC 9112, 3.2); an older one may be without."""
    client = connect().send(b"GET / HTTP/1.1\r\n\r\n")
    assert client.reported()["fault"] == "malformed"
    assert "Host" in echo.seen[0].problem
    assert client.send(b"GET http://h/ HTTP/1.1\r\n\r\n").reported()["fault"] == "malformed"
    assert client.send(b"GET / HTTP/1.0\r\n\r\n").reported()["fault"] == ""


def test_the_authority_of_an_absolute_target_is_the_host(connect: Connect) -> None:
    """Whatever the Host header says (RFC 9112, 3.2.2)."""
    reported = connect().send(b"GET http://real:8/p HTTP/1.1\r\nHost: other\r\n\r\n").reported()
    assert (reported["target"], reported["headers"]) == ("/p", {"host": "real:8"})


@pytest.mark.parametrize(
    ("head", "stays"),
    [
        ("GET / HTTP/1.1\r\nHost: h\r\n", True),
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n", False),
        ("GET / HTTP/1.0\r\n", False),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n", True),
        ("GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n", False),
        ("CONNECT host:80 HTTP/1.1\r\nHost: h\r\n", False),
    ],
)
def test_who_keeps_the_connection(connect: Connect, head: str, stays: bool) -> None:
    """The version and the Connection header decide, and the answer says so."""
    client = connect().send(f"{head}\r\n".encode())
    status, headers, _ = client.read()
    assert (status, headers["Connection"]) == (200, "keep-alive" if stays else "close")
    if stays:
        assert client.send(b"GET /again HTTP/1.1\r\nHost: h\r\n\r\n").reported()["target"] == "/again"
    else:
        assert client.ended()


def test_nothing_is_answered_after_close(connect: Connect, echo: Echo) -> None:
    """What a client sends behind its own Connection: close is dropped."""
    client = connect().send(
        b"GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /more HTTP/1.1\r\nHost: h\r\n\r\n"
    )
    assert client.reported()["target"] == "/last"
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
        connection = http.client.HTTPConnection(server.host, server.port, timeout=30)
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

    def on_tick() -> None:
        beats.append(1)
        raise RuntimeError("as asked")

    with LiveServer(echo, limits=Limits(read=0.04), on_tick=on_tick) as server:
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


@pytest.mark.parametrize(("later", "total"), [(False, 500), (True, 60)])
def test_who_does_not_read_is_not_read(connect: Connect, echo: Echo, later: bool, total: int) -> None:
    """Answers that pile up stop the reading of requests until they are taken, and none is lost."""
    whole = Response(200, [], b"x" * (50_000_000 // total))
    echo.answer = whole
    if later:
        echo.answer = Future()
        echo.answer.set_result(whole)
    client = connect()
    request = b"GET /%s HTTP/1.1\r\nHost: h\r\n\r\n" % (b"y" * 60_000)
    sender = threading.Thread(target=client.send, args=(request,) * total, daemon=True)
    sender.start()
    assert until(lambda: len(echo.seen) > 0)
    assert at_rest(lambda: len(echo.seen)) <= total / 2
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
        return sum(type(thing).__name__ == "Connection" for thing in gc.get_objects(generation=0))

    gc.freeze()
    gc.disable()  # so that what is made from here on is all there is among the youngest
    others = connections()
    try:
        client = connect().send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        client.read()
        assert connections() == others + 1
        client.close()
        assert until(lambda: connections() == others)
    finally:
        gc.enable()
