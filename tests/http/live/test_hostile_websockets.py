"""Websockets of clients that are slow, dead or hostile, and of a thousand at once."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import ExitStack, suppress

import pytest

from confsim import Simulator
from confsim.http.app import App
from confsim.http.limits import DEFAULT_LIMITS, Limits
from confsim.http.live import websocket
from confsim.http.live.server import LiveServer
from confsim.http.live.streams import Streams
from confsim.inspector.mount import mounted
from confsim.kernel.refusal import Misuse
from confsim.service.worlds import Worlds
from kit import ROOM
from kit.wire.sockets import Client, until

USER = 1004
KEY = "dGhlIHNhbXBsZSBub25jZQ=="

pytestmark = pytest.mark.own_ways


class Narrow(LiveServer):
    """A server between which and a client that does not read there is room for little."""

    def _listen(self):
        listeners = super()._listen()
        for each in listeners:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # connections have what the listener has
        return listeners


@pytest.fixture
def tight(request, server_clock):
    """A server that does not linger, and raw clients of it."""
    sim = Simulator()
    app = App(Worlds(sim.service), mounted())
    kind = getattr(request, "param", LiveServer)
    with kind(app, limits=Limits(linger=0.3), find_stream=Streams(app)) as server, ExitStack() as stack:

        def client():
            client = Client(server)
            stack.callback(client.close)
            return client

        yield sim, client


def handshake(client, token="demo-owner", more="", path=f"/streaming/{ROOM}", key=KEY, version="13"):
    """Send a handshake; returns the status."""
    head = f"GET {path}?token={token} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    head += f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: {version}\r\n{more}\r\n"
    client.send(head.encode())
    return client.head()[0]


def health(client):
    """The status of a call that is no websocket."""
    return client.send(b"GET /_confsim/health HTTP/1.1\r\nHost: localhost\r\n\r\n").read()[0]


def frame(data, opcode=1, fin=True):
    """A masked frame of a client, with a mask of zeros."""
    first = (0x80 if fin else 0) | opcode
    size = len(data)
    length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 127]) + size.to_bytes(8, "big")
    return bytes([first]) + length + b"\0\0\0\0" + data


def received(client):
    """The opcode and the data of the next frame of the server."""
    first, size = client.file.read(2)
    if size == 126:
        size = int.from_bytes(client.file.read(2), "big")
    return first & 15, client.file.read(size)


def test_a_client_that_sends_nothing_is_asked_and_then_dropped(tight, server_clock):
    """One that answers pings stays; one that does not leaves the channel."""
    sim, client = tight
    dead, living = client(), client()
    assert handshake(dead) == handshake(living, "demo-user") == 101
    assert received(living)[0] == 1
    for _ in range(2):
        server_clock.advance(DEFAULT_LIMITS.idle)
        opcode, data = received(living)
        assert opcode == 9
        living.send(frame(data, 10))
        assert health(client()) == 200  # the server has read what came before
        server_clock.advance(DEFAULT_LIMITS.read)
        assert until(lambda: len(sim.service.realtime) == 1)
    assert {each.userId for each in sim.presence(ROOM)} == {USER}


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(b"\xff\xfe"), 1007),
        (frame(b"x" * (websocket.LARGEST + 1)), 1009),
        (b"\x81\x01a", 1002),  # not masked
        (b"\xf1\x80\0\0\0\0", 1002),  # reserved bits
        (frame(b"x", 0), 1002),  # a continuation of nothing
        (frame(b"", 8), None),
    ],
)
def test_a_client_that_breaks_the_protocol_is_closed(tight, sent, code):
    """With the code for it, and its person leaves; the world goes on."""
    sim, client = tight
    hostile, other = client(), client()
    assert handshake(hostile) == handshake(other, "demo-user") == 101
    received(hostile)
    hostile.send(sent)
    opcode, data = received(hostile)
    assert opcode == 8
    assert (int.from_bytes(data[:2], "big") if data else None) == code
    hostile.close()
    assert until(lambda: {each.userId for each in sim.presence(ROOM)} == {USER})
    assert not sim.service.bugs


def test_messages_in_pieces_and_with_a_large_head_arrive(tight):
    """Frames that come with the handshake, in fragments, byte by byte."""
    _, client = tight
    one, two = client(), client()
    path = f"/streaming/{ROOM}/data/chat"
    assert handshake(one, path=path) == 101
    assert handshake(two, "demo-user", path=path) == 101
    received(two)
    for each in frame(b"a", fin=False) + frame(b"b", 0, fin=False) + frame(b"c", 0):
        one.send(bytes([each]))
    assert received(two) == (1, b"abc")


@pytest.mark.parametrize("tight", [Narrow], indirect=True)
def test_who_does_not_read_is_dropped_and_who_floods_holds_up_nobody(tight, monkeypatch):
    """What waits for a client is bounded, and a flood is parsed in turns with the calls of others."""
    sim, client = tight
    monkeypatch.setattr(websocket, "MOST_WAITING", 0)
    slow = client()
    slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    assert handshake(slow, "demo-user") == 101
    loud = client()
    assert handshake(loud, path=f"/streaming/{ROOM}/data/chat") == 101
    flood = threading.Thread(target=loud.send, args=(frame(b"x") * 100_000,))
    flood.start()
    assert health(client()) == 200
    flood.join()
    with suppress(Misuse):  # once it is dropped, the user is not in the channel
        for turn in range(200_000):
            sim.presence.present(ROOM, USER, turn % 2 == 0)
    assert until(lambda: all(each.userId != USER for each in sim.presence(ROOM)))


@pytest.mark.parametrize("tight", [Narrow], indirect=True)
def test_who_sends_pings_and_does_not_read_is_dropped(tight, monkeypatch):
    """Its pongs wait within the same bound as messages; the frames would be 130 MB."""
    sim, client = tight
    monkeypatch.setattr(websocket, "MOST_WAITING", 2**14)
    slow = client()
    slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    assert handshake(slow) == 101
    pings = frame(b"x" * 125, 9) * 100
    with pytest.raises(ConnectionError):
        slow.send(*[pings] * 10_000)
    assert until(lambda: sim.presence(ROOM) == [])


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"key": "short"}, 400),
        ({"version": "12"}, 400),
        ({"more": f"Sec-WebSocket-Key: {KEY}\r\n"}, 400),
        ({"path": "/streaming"}, 404),
        ({"path": f"/w/none/streaming/{ROOM}"}, 404),
        ({"path": "/streaming/%ff"}, 404),
        ({"path": "/v1_0/users/me"}, 401),
    ],
)
def test_what_is_no_handshake_is_refused(tight, options, status):
    """Nobody joins; elsewhere the offer is ignored, as HTTP allows."""
    sim, client = tight
    assert handshake(client(), **options) == status
    assert len(sim.service.realtime) == 0
    assert "demo-owner" not in "".join(repr(each.request) for each in sim.service.journal if not each.operation) or (
        status == 404
    )


def test_a_defect_of_confsim_answers_500_and_leaves_nobody_in(tight, monkeypatch):
    """After the person has joined: who cannot be answered leaves again."""

    def broken(self, response):
        raise RuntimeError("planted")

    sim, client = tight
    monkeypatch.setattr(websocket.ServerProtocol, "send_response", broken)
    assert handshake(client()) == 500
    assert len(sim.service.realtime) == 0
    assert sim.presence(ROOM) == []


def test_a_foreign_host_name_opens_nothing(tight):
    """As for every other request (DNS rebinding)."""
    sim, _ = tight
    app = App(Worlds(sim.service), mounted(), lambda host: host == "localhost")
    with LiveServer(app, find_stream=Streams(app)) as server:
        raw = Client(server)
        raw.send(
            f"GET /streaming/{ROOM}?token=demo-owner HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert raw.head()[0] == 403
        raw.close()
    assert len(sim.service.realtime) == 0


def test_a_thousand_connections_are_held():
    """Each receives what concerns it; when the server stops, everybody has left."""
    sim = Simulator()
    app = App(Worlds(sim.service), mounted())
    with LiveServer(app, find_stream=Streams(app)) as server, ExitStack() as stack:
        clients = [Client(server) for _ in range(1000)]
        for each in clients:
            stack.callback(each.close)
        for number, each in enumerate(clients):
            assert handshake(each, ("demo-owner", "demo-user")[number % 2]) == 101
        assert len(sim.service.realtime) == 1000
        assert len(sim.presence(ROOM)) == 2
        assert sim.call("set_attendees_state", "demo-owner", uuid=ROOM, state="mute").ok
        for number, each in enumerate(clients):
            assert json.loads(received(each)[1])["type"] == "connected"
            if number % 2:
                assert json.loads(received(each)[1])["type"] == "muted"
    assert len(sim.service.realtime) == 0
    assert sim.presence(ROOM) == []
