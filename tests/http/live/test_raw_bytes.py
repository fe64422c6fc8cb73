"""Raw bytes: what the live server makes of them, by the RFCs and beside h11."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confsim import Simulator
from confsim.http.limits import Limits
from confsim.http.live.server import LiveServer
from kit.each import by_name, each
from kit.proofs.http_cases import CASES, LIMIT, WAITS, Reader, Reading, problem, read_by_h11, read_by_server

#: A reader and the port of its server.
Served = tuple[Reader, int]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A server of its own, with small limits."""
    reader = Reader()
    with LiveServer(reader, limits=Limits(body=LIMIT, url=LIMIT, headers=LIMIT)) as server:
        yield reader, server.port


@each("case", CASES, ids=by_name)
def test_bytes_are_read_as_the_rfcs_say(served: Served, case) -> None:
    """The verdict is that of the case, and a reading that is not h11's has a reason."""
    reader, port = served
    assert (
        problem(case, read_by_server(reader, port, case.raw, waits=case.verdict == WAITS), read_by_h11(case.raw)) == ""
    )


def test_there_are_enough_cases() -> None:
    """Each under a name of its own."""
    assert len({case.name for case in CASES}) == len(CASES) >= 120


def test_another_reading_is_noticed() -> None:
    """A status that is not the verdict, a request that is smuggled in, and a reason that is none."""
    case = next(case for case in CASES if case.name == "plain")
    right = Reading(200, (("GET", "/", 0),))
    assert problem(case, right, right) == ""
    assert "in place of 200" in problem(case, Reading(400, ()), right)
    assert "nothing says why" in problem(case, Reading(200, (*right.requests, ("GET", "/evil", 0))), right)
    assert "reads it alike" in problem(case._replace(h11="because"), right, right)


@each(
    "raw, status",
    [
        (b"GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: \r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"TRACE /v1_0/users/me HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        (b"GET /v1_0/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 204),
    ],
)
def test_what_the_app_says_to_what_is_well_formed(raw: bytes, status: int) -> None:
    """Where the framing is right and the server is not the one that is meant."""
    reader = Reader()
    with Simulator().serve() as server:
        assert read_by_server(reader, server.port, raw).verdict == status
