"""Nothing of a connection is left to the garbage collector: a server that runs for weeks does not collect."""

from __future__ import annotations

import gc
import socket
from collections import Counter
from contextlib import closing

import pytest

from confsim import Simulator
from kit import ROOM
from kit.wire.sockets import until

UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


def head(method, path, token="demo-owner", length=0, more=""):
    """The head of a request."""
    lines = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n"
    )
    return f"{lines}{more}\r\n".encode()


WAIT = b'{"for": {"request": {"operation": "delete_client"}}, "timeout": "1ms"}'
STREAM = head("GET", f"/streaming/{ROOM}", more=UPGRADE)
#: What a client sends, whether it reads the answer, and what it sends then.
CLIENTS = {
    "a call": (head("GET", "/v1_0/users/me"), True, b""),
    "two calls": (head("GET", "/v1_0/users/me"), True, head("GET", "/v1_0/nowhere")),
    "no request": (b"\x00\r\n\r\n", True, b""),
    "half a head": (b"GET / HT", False, b""),
    "half a body": (head("POST", "/v1_0/media?name=x", "demo-api-token", 500_000) + b"x" * 100_000, False, b""),
    "a body that is not read": (head("POST", "/v1_0/media?name=x", "nobody", 500_000), True, b""),
    "gone before the answer": (head("GET", "/_confsim/operations"), False, b""),
    "waiting": (head("POST", "/_confsim/wait", length=len(WAIT)) + WAIT, True, b""),
    "gone while waiting": (head("POST", "/_confsim/wait", length=len(WAIT)) + WAIT, False, b""),
    "another upgrade": (head("GET", "/v1_0/users/me", more="Connection: Upgrade\r\nUpgrade: h2c\r\n"), True, b""),
    "a websocket": (STREAM, True, b"\x88\x80\0\0\0\0"),
    "a websocket that is cut": (STREAM, True, b""),
    "frames that are none": (STREAM, True, b"\xff\xff\xff"),
    "a websocket without a token": (head("GET", f"/streaming/{ROOM}", "nobody", more=UPGRADE), True, b""),
    "a websocket by POST": (head("POST", f"/streaming/{ROOM}", more=UPGRADE), True, b""),
}


@pytest.fixture(scope="module")
def port():
    """The port of a live server."""
    with Simulator().serve() as server:
        yield server.port


def talk(port, sent, reads, then):
    """Be one client."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as client:
        client.sendall(sent)
        if reads:
            client.recv(65536)
        if then:
            client.sendall(then)
            client.recv(65536)
    if not reads:
        talk(port, *CLIENTS["a call"])  # connections are accepted in order: by its answer, that of this client is


def alive():
    """How many transports of the loop's own connections there are, that of the port aside."""
    return sum(type(each).__name__ == "_SelectorSocketTransport" for each in gc.get_objects())


@pytest.mark.parametrize("name", CLIENTS)
def test_nothing_is_left_of_a_client(port, name):
    """Once it has gone, no object of it is there, although nobody collects."""
    talk(port, *CLIENTS[name])
    until(lambda: alive() == 0, 5)
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            talk(port, *CLIENTS[name])
        assert until(lambda: alive() == 0, 10), Counter(map(type, gc.get_objects())).most_common(3)
        assert not [
            each
            for each in gc.get_objects()
            if type(each).__module__.startswith(("confsim.http.live.conn", "websockets.server"))
        ]
    finally:
        gc.enable()
