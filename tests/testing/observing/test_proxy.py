"""The proxy where something breaks off: the client gets what it would get without it, and nothing is learned."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from urllib.parse import urlsplit

import pytest

from confsim.testing.learning.accounts import accounts_of
from confsim.testing.observing.queueing import Queued
from confsim.testing.observing.session import observe
from kit import CUSTOMER, OWNER

ACCOUNTS = accounts_of({"client": {"id": CUSTOMER}, "tokens": {"owner": OWNER}})
TYPE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
ME = "/v1_0/users/me"


@contextlib.contextmanager
def answering(*answers, heads=None):
    """A service that answers one connection after the other with these bytes, and closes it; gets its base URL.

    What the requests begin with is added to ``heads``.
    """

    def serve():
        for answer in answers:
            connection, _ = listener.accept()
            with connection:
                head = b""
                while b"\r\n\r\n" not in head:
                    head += connection.recv(65536)
                if heads is not None:
                    heads.append(head)
                with contextlib.suppress(ConnectionError):
                    connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1_0"
        thread.join(10)


def exchange(base_url, *lines):
    """Send a request of these lines to the server of a base URL; return the bytes until it closes the connection."""
    parts = urlsplit(base_url)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        text = "\r\n".join([*lines, "Host: confsim.test", f"Authorization: Bearer {OWNER}", "", ""])
        connection.sendall(text.encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_a_function_that_fails_holds_up_no_other(capsys):
    """Its traceback is printed, those after it are called, and the end is reached."""
    queue, called = Queued(), []
    with queue.exchange() as put:
        put(lambda: called.append(1 // 0))
        put(lambda: called.append(1))
    queue.close()
    assert called == [1]
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (TYPE + b'Content-Length: 100\r\n\r\n{"id"', b'{"id"'),
        (TYPE + b'Transfer-Encoding: chunked\r\n\r\n64\r\n{"id"', b'5\r\n{"id"\r\n'),
        (TYPE + b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\n', b'5\r\n{"id"\r\n'),
    ],
    ids=["of a length", "inside a chunk", "between chunks"],
)
def test_an_answer_that_breaks_off_does_so_for_the_client(answer, body, capsys):
    """The connection is closed where the service closed its own, without the rest of the body or a last chunk."""
    with answering(answer) as url, observe(url, ACCOUNTS) as (proxy, observer):
        got = exchange(proxy.base_url, f"GET {ME} HTTP/1.1")
    assert got.partition(b"\r\n\r\n")[2] == body
    report = observer.conclude()
    assert report.unanswered == {f"{url} broke its answer off: the connection was closed": 1}
    assert (report.seen, report.learned, report.contradicted) == (0, {}, [])
    assert capsys.readouterr().err == ""


def test_the_bytes_of_a_target_are_passed_on(capsys):
    """Also those that are no ASCII, which some clients do not escape."""
    heads = []
    with (
        answering(TYPE + b"Content-Length: 2\r\n\r\n{}", heads=heads) as url,
        observe(url, ACCOUNTS) as (proxy, observer),
    ):
        got = exchange(proxy.base_url, "GET /v1_0/channels/caf\u00e9?name=\u00fc HTTP/1.1", "Connection: close")
    assert got.startswith(b"HTTP/1.1 200")
    assert [head.splitlines()[0] for head in heads] == ["GET /v1_0/channels/caf\u00e9?name=\u00fc HTTP/1.1".encode()]
    assert (observer.report.seen, capsys.readouterr().err) == (1, "")


def test_the_model_is_asked_for_the_same_text():
    """The bytes of UTF-8 in a target are what they are when they are escaped."""
    calls = []
    for name in ("\u00fc", "%C3%BC"):
        answer = TYPE + b'Content-Length: 24\r\n\r\n{"total":0,"results":[]}'
        with answering(answer) as url, observe(url, ACCOUNTS) as (proxy, observer):
            exchange(proxy.base_url, f"GET /v1_0/channels?search={name} HTTP/1.1", "Connection: close")
        calls += [step.call.query for step in observer.learner.run.history]
    assert calls == [{"search": "\u00fc"}] * 2


def test_a_length_beside_chunks_is_not_passed_on():
    """The chunks alone count: a client that believed the length would wait for more."""
    answer = TYPE + b"Content-Length: 100\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    with answering(answer) as url, observe(url, ACCOUNTS) as (proxy, observer):
        got = exchange(proxy.base_url, "GET /v1_0/nothing HTTP/1.1", "Connection: close")
    head, _, body = got.partition(b"\r\n\r\n")
    assert (b"Content-Length" in head, body) == (False, b"2\r\n{}\r\n0\r\n\r\n")
    assert observer.report.seen == 1


def test_a_client_that_does_not_wait_for_the_end_is_counted(capsys):
    """What it was answered is not learned, as little as from an answer that the service broke off."""
    with answering(TYPE + b"Content-Length: 20000000\r\n\r\n" + bytes(20_000_000)) as url:
        with observe(url, ACCOUNTS) as (proxy, observer):
            parts = urlsplit(proxy.base_url)
            with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
                connection.sendall(f"GET {ME} HTTP/1.1\r\n\r\n".encode())
                assert connection.recv(100).startswith(b"HTTP/1.1 200 OK")
        assert observer.conclude().unanswered == {"the client went away before the end of the answer": 1}
    assert (observer.report.seen, capsys.readouterr().err) == (0, "")


@pytest.mark.parametrize("body", ["Content-Length: 10\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"])
def test_a_client_that_goes_away_leaves_no_traceback(body, capsys):
    """In the middle of its request: nothing more is sent to the service, and the request is counted."""
    with answering(b"") as url, observe(url, ACCOUNTS) as (proxy, observer):
        parts = urlsplit(proxy.base_url)
        with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
            connection.sendall(f"POST /v1_0/channels/create HTTP/1.1\r\n{body}".encode())
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(100) == b""
    assert observer.conclude().unanswered == {"the client broke its request off": 1}
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("answer", "why"),
    [(b"", "Remote end closed connection without response"), (f"{OWNER} is no HTTP\r\n\r\n".encode(), "BadStatusLine")],
    ids=["nothing", "no HTTP"],
)
def test_a_bad_gateway_is_a_problem(method, answer, why):
    """Like those of the control plane: the status line says no more than the status, nothing of an answer is quoted."""
    with answering(answer) as url, observe(url, ACCOUNTS) as (proxy, observer):
        got = exchange(proxy.base_url, f"{method} {ME} HTTP/1.1")
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.decode().splitlines()
    assert lines[0] == "HTTP/1.1 502 Bad Gateway"
    assert {"Content-Type: application/problem+json", "Connection: close"} <= {*lines}
    reason = f"{url} did not answer: {why}"
    problem = {"type": "about:blank", "title": "Bad Gateway", "status": 502, "detail": reason}
    assert (json.loads(body) if body else None) == (problem if method == "GET" else None)
    assert observer.conclude().unanswered == {reason: 1}


def test_what_comes_before_an_answer_is_not_taken_for_it(capsys):
    """Such as early hints (103): the client gets the answer behind them."""
    answer = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + TYPE + b"Content-Length: 2\r\n\r\n{}"
    with answering(answer) as url, observe(url, ACCOUNTS) as (proxy, observer):
        got = exchange(proxy.base_url, "GET /v1_0/nothing HTTP/1.1", "Connection: close")
    assert got.startswith(b"HTTP/1.1 200")
    assert got.endswith(b"\r\n\r\n{}")
    assert (observer.report.seen, capsys.readouterr().err) == (1, "")


def test_a_client_of_http_1_0_gets_no_chunks():
    """Its answer ends with the connection (RFC 9112, 6.3)."""
    answer = TYPE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    with answering(answer) as url, observe(url, ACCOUNTS) as (proxy, observer):
        got = exchange(proxy.base_url, "GET /v1_0/nothing HTTP/1.0")
    assert b"chunked" not in got
    assert got.endswith(b"\r\n\r\n{}")
    assert observer.report.seen == 1


def test_a_length_that_is_no_number_is_refused(capsys):
    """It is counted, nothing is sent to the service, and nothing is printed."""
    heads = []
    with answering(TYPE + b"\r\n", heads=heads) as url, observe(url, ACCOUNTS) as (proxy, observer):
        got = exchange(proxy.base_url, "POST /v1_0/channels/create HTTP/1.1", "Content-Length: abc")
        exchange(proxy.base_url, "GET /v1_0/nothing HTTP/1.1", "Connection: close")
    assert got.startswith(b"HTTP/1.1 400")
    assert b"'abc' is no number" in got
    assert observer.report.unanswered == {}
    assert observer.conclude().unanswered == {"a request states a length that is no number": 1}
    assert [head.splitlines()[0] for head in heads] == [b"GET /v1_0/nothing HTTP/1.1"]
    assert capsys.readouterr().err == ""


def test_an_answer_that_comes_before_the_end_of_the_body_is_passed_on():
    """A service that refuses a large upload answers, and closes the connection; the client gets that answer."""
    body = bytes(8_000_000)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse():
            connection, _ = listener.accept()
            with connection:
                head = b""
                while b"\r\n\r\n" not in head:
                    head += connection.recv(65536)
                connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig")
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(0.3)
                try:
                    while connection.recv(1 << 16):
                        pass
                except OSError:
                    pass

        thread = threading.Thread(target=refuse, daemon=True)
        thread.start()
        with observe(f"http://127.0.0.1:{listener.getsockname()[1]}/v1_0", ACCOUNTS) as (proxy, observer):
            parts = urlsplit(proxy.base_url)
            with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
                head = f"POST /v1_0/media HTTP/1.1\r\nHost: confsim.test\r\nContent-Length: {len(body)}\r\n\r\n"
                connection.sendall(head.encode())
                with contextlib.suppress(OSError):
                    connection.sendall(body)
                got = connection.recv(65536)
        thread.join(10)
    assert got.startswith(b"HTTP/1.1 413")
    assert observer.conclude().passed_over == {"a body of it is too large": 1}


def test_the_end_does_not_wait_for_an_answer_that_never_ends(monkeypatch):
    """It is counted as one that was not over; what was learned is kept."""
    monkeypatch.setattr("confsim.testing.observing.queueing._GRACE", 0.1)
    going = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def trickle():
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(TYPE + b"Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n")
                going.wait(10)

        threading.Thread(target=trickle, daemon=True).start()
        with observe(f"http://127.0.0.1:{listener.getsockname()[1]}/v1_0", ACCOUNTS) as (proxy, observer):
            parts = urlsplit(proxy.base_url)
            connection = socket.create_connection((parts.hostname, parts.port), timeout=10)
            connection.sendall(f"GET {ME} HTTP/1.1\r\nHost: confsim.test\r\n\r\n".encode())
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
        assert observer.conclude().unanswered == {"it was not over when the observation ended": 1}
        going.set()
        connection.close()
