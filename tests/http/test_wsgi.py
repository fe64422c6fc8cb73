"""The app behind the WSGI protocol."""

from __future__ import annotations

import io
import json
from http.client import HTTPConnection
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from werkzeug.test import Client

from confsim import Simulator
from confsim.http.limits import Limits
from confsim.http.wsgi import WsgiApp
from confsim.service.messages import Response
from kit import ROOM
from kit.each import each

FAULTS = {"body_too_large": 413, "url_too_long": 414, "headers_too_large": 431, "malformed": 400}
TIGHT = Limits(body=10, url=60, headers=200)


class Quiet(WSGIRequestHandler):
    """A handler of the standard library that writes no log."""

    def log_message(self, *_):
        """Write nothing."""


class Echo:
    """A handler that remembers what it was asked."""

    def __init__(self, status=200, body=b"hello"):
        self.seen = []
        self.response = Response(status, [("X-Kind", "echo")], body)

    def __call__(self, request):
        """Answer, or the status of the fault."""
        self.seen.append(request)
        return Response(FAULTS[request.fault], []) if request.fault else self.response


def call(echo, limits=TIGHT, **environ):
    """One WSGI call; answers status line, headers, body."""
    reported = {}
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "QUERY_STRING": "", "wsgi.input": io.BytesIO()} | environ
    body = b"".join(
        WsgiApp(echo, limits)(environ, lambda status, headers: reported.update(status=status, headers=dict(headers)))
    )
    return reported["status"], reported["headers"], body


def test_a_request_arrives_whole():
    """Method, path, query, headers and body."""
    echo = Echo()
    status, headers, body = call(
        echo,
        REQUEST_METHOD="POST",
        PATH_INFO="/a b/\xc3\xa9",
        QUERY_STRING="x=1",
        CONTENT_TYPE="text/plain",
        CONTENT_LENGTH="5",
        HTTP_X_SOME="thing",
        **{"wsgi.input": io.BytesIO(b"bytes and more")},
    )
    (seen,) = echo.seen
    assert (seen.method, seen.target, seen.query, seen.body) == ("POST", "/a%20b/%C3%A9", "x=1", b"bytes")
    assert seen.headers == {"x-some": "thing", "content-type": "text/plain"}
    assert (status, headers["Content-Length"], body) == ("200 OK", "5", b"hello")


@each(
    "environ, target",
    [
        ({"RAW_URI": "/a%2Fb?x=1", "PATH_INFO": "/a/b"}, "/a%2Fb"),
        ({"REQUEST_URI": "/a%2Fb", "PATH_INFO": "/a/b"}, "/a%2Fb"),
        ({"REQUEST_URI": "http://real/a%2Fb", "PATH_INFO": "/a/b"}, "/a%2Fb"),
        ({"RAW_URI": "/\xc3\xa9%2F", "PATH_INFO": "/\xc3\xa9/"}, "/%C3%A9%2F"),
        ({"SCRIPT_NAME": "/mount", "PATH_INFO": "/x"}, "/mount/x"),
        ({"PATH_INFO": ""}, "/"),
        ({"PATH_INFO": "/%"}, "/%25"),
    ],
)
def test_the_path_stays_as_it_was_sent_where_the_server_tells(environ, target):
    """Else it is encoded again."""
    echo = Echo()
    call(echo, **environ)
    assert echo.seen[0].target == target


@each(
    "environ, fault",
    [
        ({"PATH_INFO": "/" + "x" * 60}, "url_too_long"),
        ({"QUERY_STRING": "x" * 60}, "url_too_long"),
        ({"HTTP_X_LONG": "x" * 200}, "headers_too_large"),
        ({"CONTENT_LENGTH": "11"}, "body_too_large"),
        ({"CONTENT_LENGTH": "-1"}, "malformed"),
        ({"CONTENT_LENGTH": "ten"}, "malformed"),
        ({"wsgi.input_terminated": True, "wsgi.input": io.BytesIO(b"x" * 11)}, "body_too_large"),
        ({"CONTENT_LENGTH": "5", "wsgi.input": io.BytesIO(b"cut")}, "malformed"),
    ],
)
def test_what_cannot_be_read_is_a_fault(environ, fault):
    """Bodies, headers and URLs too large, as from the live server, and bodies that are not as long as they say."""
    echo = Echo()
    assert call(echo, **environ)[0].startswith(str(FAULTS[fault]))
    assert (echo.seen[0].fault, echo.seen[0].body) == (fault, b"")


def test_the_authority_of_an_absolute_target_is_the_host():
    """As at the live server, where the WSGI server passes the target on (RFC 9112, 3.2.2)."""
    echo = Echo()
    call(echo, REQUEST_URI="http://real:8/a", HTTP_HOST="other")
    assert (echo.seen[0].headers["host"], echo.seen[0].target) == ("real:8", "/a")


@pytest.mark.parametrize("size", [0, 10])
def test_what_just_fits_is_read(size):
    """Limits are inclusive, with a length or where the server ends the input."""
    for environ in ({"CONTENT_LENGTH": str(size)}, {"wsgi.input_terminated": True}):
        echo = Echo()
        call(echo, **environ, **{"wsgi.input": io.BytesIO(b"x" * size)})
        assert len(echo.seen[0].body) == size


def test_without_a_length_nothing_is_read():
    """Unless the server says that the input ends by itself."""
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked"}  # of a server that does not decode it, there would be no end
    for more, expected in (({}, b""), (chunked, b""), (chunked | {"wsgi.input_terminated": True}, b"abc")):
        echo = Echo()
        call(echo, **more, **{"wsgi.input": io.BytesIO(b"abc")})
        assert echo.seen[0].body == expected


@pytest.mark.parametrize(
    ("method", "status", "length", "body"),
    [("GET", 200, "5", b"hello"), ("HEAD", 200, "5", b""), ("GET", 204, None, b"hello"), ("GET", 299, "5", b"hello")],
)
def test_how_answers_go_out(method, status, length, body):
    """HEAD has the length of what it leaves out; 204 has none."""
    line, headers, sent = call(Echo(status), REQUEST_METHOD=method)
    assert (line.split()[0], headers.get("Content-Length"), sent) == (str(status), length, body)


def test_no_content_type_is_made_up():
    """An answer without one goes out without one; a line break in a header is no answer."""
    assert set(call(Echo())[1]) == {"X-Kind", "Content-Length"}
    echo = Echo()
    echo.response = Response(200, [("X-Kind", "a\r\nSet-Cookie: b")])
    with pytest.raises(ValueError, match="newline"):
        call(echo)


def test_limits_may_be_those_of_a_profile():
    """In the error envelope, without a trace in the world."""
    sim = Simulator(profile={"size.request-url": 100, "size.request-body": 50, "size.request-headers": 400})
    before = sim.service.world.digest()
    client = Client(sim.wsgi)
    answers = [
        client.get(f"/v1_0/users/{'9' * 100}"),
        client.post("/v1_0/terms", data=b"x" * 51),
        client.get("/v1_0/users/me", headers={"X": "y" * 400}),
    ]
    assert [each.status_code for each in answers] == [414, 413, 431]
    assert [json.loads(each.data)["code"] for each in answers] == [
        "url_too_long",
        "body_too_large",
        "headers_too_large",
    ]
    assert sim.service.world.digest() == before


def test_a_url_of_two_hundred_channels_fits(sim):
    """As long as other limits admit (G011)."""
    ids = ",".join([ROOM] * 200)
    assert sim.client("demo-owner").get(f"/channels/populations/{ids}").status_code == 200


@pytest.mark.parametrize(
    ("server", "dates"),
    [
        ({}, 1),  # in process
        ({"SERVER_SOFTWARE": "WSGIServer/0.2", "REMOTE_ADDR": "127.0.0.1"}, 1),
        ({"SERVER_SOFTWARE": "Werkzeug/3.1.3", "REMOTE_ADDR": "127.0.0.1"}, 1),
        ({"SERVER_SOFTWARE": "waitress", "REMOTE_ADDR": "127.0.0.1"}, 1),
        ({"SERVER_SOFTWARE": "Cheroot/10.0.1 Server", "REMOTE_ADDR": "127.0.0.1"}, 1),
        ({"SERVER_SOFTWARE": "gunicorn/23.0.0", "REMOTE_ADDR": "127.0.0.1"}, 0),
        ({"REMOTE_ADDR": "127.0.0.1"}, 0),  # uvicorn and hypercorn with a bridge
    ],
)
def test_no_response_has_two_dates(sim, server, dates):
    """A server that always adds one gets none from the application."""
    headers = sim.client().get("/users/me", environ_overrides=server).headers
    assert len(headers.getlist("Date")) == dates


def test_wsgiref_sends_one_date(sim):
    """That of the world's clock, since the server of the standard library leaves the one that is there."""
    with make_server("127.0.0.1", 0, sim.wsgi, handler_class=Quiet) as server:
        Thread(target=server.handle_request, daemon=True).start()
        connection = HTTPConnection("127.0.0.1", server.server_port)
        connection.request("GET", "/v1_0/users/me")
        assert connection.getresponse().headers.get_all("Date") == ["Sun, 01 Feb 2026 00:00:00 GMT"]
        connection.close()


@pytest.mark.parametrize("length", ["9" * 20, "9" * 5000])
def test_an_absurd_length_is_too_large(length):
    """However many digits it has, and whatever the body is."""
    echo = Echo()
    call(echo, REQUEST_METHOD="POST", CONTENT_LENGTH=length, **{"wsgi.input": io.BytesIO(b"x")})
    assert echo.seen[0].body == b""


def test_a_body_that_comes_in_pieces_is_whole():
    """A server's stream may give less than it is asked for."""

    class Slow(io.BytesIO):
        def readinto(self, buffer):
            """Two bytes at a time."""
            return super().readinto(memoryview(buffer)[:2])

    echo = Echo()
    call(echo, REQUEST_METHOD="POST", CONTENT_LENGTH="5", **{"wsgi.input": Slow(b"bytes and more")})
    assert (echo.seen[0].body, echo.seen[0].fault) == (b"bytes", "")


def test_a_response_without_a_media_type_gets_none():
    """And the phrase of its status is as the standard writes it."""
    assert call(Echo(404, b""))[:2] == ("404 Not Found", {"X-Kind": "echo", "Content-Length": "0"})
