"""The addresses that proxyfor and data channels answer: websockets that bring people into channels."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from http.client import HTTPConnection

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect as open_websocket

from confsim import Simulator
from confsim.control.export.calls import merged
from kit import EVENT_ROOM, ROOM
from kit.wire.sockets import until

OWNER, USER = 1002, 1004
TARGET = f"/streaming/{ROOM}"

pytestmark = pytest.mark.own_ways


class Place:
    """A served world, and connections to its channels that are closed after the test."""

    def __init__(self, sim, server, stack):
        self.sim, self.server, self.stack = sim, server, stack

    def url(self, channel=ROOM, kind=None, token="demo-owner"):
        """The address as the API answers it."""
        body = self.sim.call("get_streaming_proxy", token, uuid=channel).body
        path = body["url"].split("/streaming/")[1]
        return f"ws://{self.server.root.partition('//')[2]}/streaming/{path}" + (f"/data/{kind}" if kind else "")

    def open(self, token, channel=ROOM, kind=None, **options):
        """A connection of the holder of a token, and the first message."""
        headers = {"Authorization": f"Bearer {token}"}
        ws = self.stack.enter_context(open_websocket(self.url(channel, kind), additional_headers=headers, **options))
        return ws, reported(ws)

    def refused(self, query="", **options):
        """The status and the code of a refused connection."""
        with pytest.raises(InvalidStatus) as refusal, open_websocket(self.url() + query, **options):
            pass
        return refusal.value.response.status_code, json.loads(refusal.value.response.body)["code"]

    def here(self, channel=ROOM):
        """Who is in the channel, with the state."""
        return {each.userId: each.state for each in self.sim.presence(channel)}


def reported(ws):
    """The next message."""
    return json.loads(ws.recv(timeout=30))


def closed(ws):
    """How the server closed the connection."""
    with pytest.raises(ConnectionClosed) as end:
        ws.recv(timeout=30)
    return end.value.rcvd.code, end.value.rcvd.reason


@pytest.fixture
def serve():
    """Serve worlds of these profiles."""
    with ExitStack() as stack:

        def serving(**profile):
            sim = Simulator(profile={name.replace("__", "."): value for name, value in profile.items()})
            return Place(sim, stack.enter_context(sim.serve()), stack)

        yield serving


@pytest.fixture
def place(serve):
    """A served world without a profile."""
    return serve()


@pytest.mark.rule("R395")
@pytest.mark.rule("R556")
def test_the_address_that_is_handed_out_joins_the_channel(place):
    """The first message says who it is and how; the session has begun."""
    ws, first = place.open("demo-owner")
    assert first == {
        "type": "connected",
        "at": first["at"],
        "channel": ROOM,
        "userId": OWNER,
        "state": "in",
        "session": first["session"],
        "room": None,
        "presenter": False,
        "muted": False,
    }
    assert first["session"]
    assert place.here() == {OWNER: "in"}
    ws.close()
    assert until(lambda: place.here() == {})


def test_the_address_is_the_one_over_http(place):
    """What the live server answers can be connected to as it is, in a world by name too."""
    import urllib.request

    place.sim.worlds.add("other")
    for mount in ("", "/w/other"):
        url = f"{place.server.root}{mount}/v1_0/channels/{ROOM}/proxyfor"
        request = urllib.request.Request(url, headers={"Authorization": "Bearer demo-owner"})
        with urllib.request.urlopen(request) as answer:
            address = json.load(answer)["url"]
        with open_websocket(f"{address}?token=demo-owner") as ws:
            assert reported(ws)["state"] == "in"


@pytest.mark.rule("R394")
def test_several_connections_of_one_person_are_one_presence(place):
    """Data channels join as well; the last one that closes leaves."""
    first, _ = place.open("demo-owner")
    second, _ = place.open("demo-owner", kind="chat")
    assert place.here() == {OWNER: "in"}
    first.close()
    assert until(lambda: len(place.sim.service.realtime) == 1)
    assert place.here() == {OWNER: "in"}
    second.close()
    assert until(lambda: place.here() == {})


@pytest.mark.parametrize("way", ["header", "query", "subprotocol"])
def test_three_ways_to_present_the_token(place, way):
    """None of which the journal keeps."""
    options = {
        "header": {"additional_headers": {"Authorization": "Bearer demo-owner"}},
        "query": {},
        "subprotocol": {"subprotocols": ["bearer", "demo-owner"]},
    }[way]
    query = "?token=demo-owner" if way == "query" else ""
    with open_websocket(place.url() + query, **options) as ws:
        assert reported(ws)["userId"] == OWNER
        assert ws.subprotocol == ("bearer" if way == "subprotocol" else None)
        entry = place.sim.service.journal.last()
        assert entry.response.status == 101
        assert entry.id == ws.response.headers["X-Confsim-Request-Id"]
        assert "demo-owner" not in repr(entry.request)
        assert "***" in repr(entry.request)
        assert {"streaming.token", "presence.joining"} <= set(entry.assumptions)


@pytest.mark.parametrize(
    ("lines", "options", "query"),
    [
        (["?key={token}"], {}, "?key=demo-owner&more=1"),
        (["Cookie: session={token}"], {"additional_headers": {"Cookie": "a=b; session=demo-owner"}}, ""),
        (["X-Api-Key: {token}"], {"additional_headers": {"X-Api-Key": "demo-owner"}}, ""),
    ],
)
def test_a_token_is_presented_as_on_calls(serve, lines, options, query):
    """By auth.presentation, whatever it is; masked all the same."""
    place = serve(auth__presentation=lines)
    with open_websocket(place.url() + query, **options) as ws:
        assert reported(ws)["userId"] == OWNER
    assert "demo-owner" not in repr(place.sim.service.journal.last().request)


def test_the_ways_can_be_fewer(serve):
    """A way that is not listed presents nothing."""
    place = serve(streaming__token=["query"])
    assert place.refused(additional_headers={"Authorization": "Bearer demo-owner"}) == (401, "credential_missing")
    with open_websocket(place.url() + "?token=demo-owner") as ws:
        assert reported(ws)["userId"] == OWNER


def test_refusals_are_those_of_calls(place):
    """With the envelope of errors, and nobody has joined."""
    assert place.refused() == (401, "credential_missing")
    assert place.refused("?token=nobody") == (401, "credential_invalid")
    both = {"additional_headers": {"Authorization": "Bearer demo-owner"}}
    assert place.refused("?token=demo-user", **both) == (400, "credential_ambiguous")
    assert place.refused("?token=demo-api-token") == (403, "no_user_context")
    assert place.refused("?token=demo-other-admin") == (404, "not_found")
    assert place.refused("/data/no.such?token=demo-owner") == (404, "not_found")
    assert place.refused("?token=%zz") == (400, "invalid_input")
    assert place.here() == {}
    assert len(place.sim.service.realtime) == 0
    assert not place.sim.service.bugs


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("below", ["", "/data/chat"])
def test_a_request_without_a_handshake_is_told_to_upgrade(place, method, below):
    """As RFC 9110, 15.5.22 has it; the journal notes it without the token, and a bundle leaves it out."""
    connection = HTTPConnection(place.server.root.partition("//")[2], timeout=30)
    with closing(connection):
        connection.request(method, f"{TARGET}{below}?token=demo-owner")
        answer = connection.getresponse()
        body = answer.read()
        assert (answer.status, answer.getheader("Upgrade")) == (426, "websocket")
        assert "upgrade" in answer.getheader("Connection").lower().split(", ")
        assert method == "HEAD" or json.loads(body)["code"] == "upgrade_required"
        connection.request("GET", "/v1_0/users/me", headers={"Authorization": "Bearer demo-owner"})
        assert connection.getresponse().status == 200
    first = place.sim.requests[0]
    assert place.sim.requests.unmatched == []
    assert (first.status, first.query, first.operation) == (426, {"token": "***"}, None)
    assert [call.operation.name for call in merged(place.sim.control.context, list(place.sim.service.journal), [])] == [
        "get_me"
    ]


def test_other_methods_and_other_addresses_are_not_there(place):
    """A websocket is opened by GET alone, and in a world that has it."""
    connection = HTTPConnection(place.server.root.partition("//")[2], timeout=30)
    with closing(connection):
        for method, target in (("POST", TARGET), ("GET", "/streaming"), ("GET", f"/w/none{TARGET}")):
            connection.request(method, target)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 404


@pytest.mark.rule("R396")
def test_a_channel_that_is_being_created_is_not_there_yet(serve):
    """As proxyfor says it: 409."""
    place = serve(duration__placement="manual(3)")
    url = f"ws://{place.server.root.partition('//')[2]}/streaming/{ROOM}?token=demo-owner"
    assert place.sim.call("get_streaming_proxy", "demo-owner", uuid=ROOM).status == 409
    with pytest.raises(InvalidStatus) as refusal, open_websocket(url):
        pass
    assert refusal.value.response.status_code == 409


@pytest.mark.rule("R340")
def test_who_waits_is_reported_when_the_door_opens(place):
    """Waiting and admitted, sent back to the lobby, muted and not: each is a message."""
    sim = place.sim
    assert sim.call("set_lobby_door", "demo-owner", uuid=ROOM, state="close").ok
    place.open("demo-owner")
    ws, first = place.open("demo-user")
    assert first["state"] == "waiting"
    assert sim.call("set_lobby_door", "demo-owner", uuid=ROOM, state="open").ok
    assert (message := reported(ws))["type"] == "admitted"
    assert message["state"] == "in"
    assert sim.call("set_attendees_state", "demo-owner", uuid=ROOM, state="mute").ok
    assert reported(ws)["type"] == "muted"
    assert sim.call("set_attendees_state", "demo-owner", uuid=ROOM, state="unmute").ok
    assert reported(ws)["type"] == "unmuted"
    sim.presence.present(ROOM, USER)
    assert reported(ws)["type"] == "presenter"
    sim.presence.present(ROOM, USER, False)
    assert reported(ws)["type"] == "viewer"
    sim.presence.leave(ROOM, USER)
    assert reported(ws)["type"] == "removed"
    assert closed(ws) == (1000, "removed")
    assert until(lambda: len(sim.service.realtime) == 1)


def test_who_is_inside_is_sent_back_to_the_lobby(serve):
    """Where closing the door does that."""
    place = serve(**{"lobby.on-close": "lobby"})
    ws, _ = place.open("demo-user")
    assert place.sim.call("set_lobby_door", "demo-owner", uuid=ROOM, state="close").ok
    assert reported(ws)["type"] == "sent-to-lobby"


@pytest.mark.rule("R355", "R356")
def test_rooms_and_the_end_of_the_session_are_reported(place):
    """Moved into a breakout room and back; the end of the session closes the connection."""
    sim = place.sim
    breakout = sim.call("create_breakout_session", "demo-owner", uuid=EVENT_ROOM, body={"name": "b"}).body["id"]
    at = {"uuid": EVENT_ROOM, "breakoutSession": breakout}
    room = sim.call("create_breakout_room", "demo-owner", **at, body={"name": "r"}).body["id"]
    assert sim.call("add_breakout_participant", "demo-owner", **at, breakoutRoom=room, userId=USER).ok
    ws, _ = place.open("demo-user", EVENT_ROOM)
    host, _ = place.open("demo-owner", EVENT_ROOM)
    assert sim.call("start_breakout_session", "demo-owner", uuid=EVENT_ROOM).ok
    assert (moved := reported(ws))["type"] == "moved"
    assert moved["room"]
    assert sim.call("stop_breakout_session", "demo-owner", uuid=EVENT_ROOM).ok
    assert reported(ws)["type"] == "returned"
    assert sim.call("end_active_session", "demo-owner", uuid=EVENT_ROOM).ok
    assert reported(ws)["type"] == "session-ended"
    assert closed(ws) == (1000, "session-ended")
    assert reported(host)["type"] == "session-ended"


def test_another_world_in_the_place_of_this_one_removes_who_is_not_in_it(place):
    """A reset, and a snapshot."""
    ws, _ = place.open("demo-owner")
    place.sim.snapshot()
    place.sim.reset()
    assert reported(ws)["type"] == "session-ended"
    assert closed(ws)[0] == 1000
    assert place.here() == {}


def test_a_world_that_is_dropped_disconnects_everybody(place):
    """They receive a message, as at the end of the session."""
    other = place.sim.worlds.add("other")
    root = f"ws://{place.server.root.partition('//')[2]}"
    path = other.call("get_streaming_proxy", "demo-owner", uuid=ROOM).body["url"].split("/streaming/")[1]
    headers = {"Authorization": "Bearer demo-owner"}
    with open_websocket(f"{root}/w/other/streaming/{path}", additional_headers=headers) as ws:
        assert reported(ws)["type"] == "connected"
        place.sim.worlds.drop("other")
        assert reported(ws)["type"] == "session-ended"
        assert closed(ws) == (1000, "session-ended")
        assert len(other.service.realtime) == 0


@pytest.mark.parametrize(("choice", "left"), [("leave", {}), ("stay", {OWNER: "in"})])
def test_what_closing_does_is_an_assumption(serve, choice, left):
    """And its use is reported."""
    place = serve(streaming__close=choice)
    ws, _ = place.open("demo-owner")
    ws.close()
    assert until(lambda: len(place.sim.service.realtime) == 0)
    assert place.here() == left
    assert "streaming.close" in place.sim.assumptions_used


def test_nothing_is_reported_where_that_is_assumed(serve):
    """People are present all the same."""
    place = serve(streaming__messages="none")
    with open_websocket(place.url() + "?token=demo-owner") as ws:
        assert place.here() == {OWNER: "in"}
        with pytest.raises(TimeoutError):
            ws.recv(timeout=0.2)


@pytest.mark.parametrize("choice", ["relay", "ignore"])
def test_data_channels_hand_on_what_clients_send(serve, choice):
    """To the others on the same kind, text as text and bytes as bytes; on the proxy address to nobody."""
    place = serve(data__messages=choice)
    sender, _ = place.open("demo-owner", kind="chat")
    here, _ = place.open("demo-user", kind="chat")
    others = [place.open("demo-user", kind="wall")[0], place.open("demo-user")[0]]
    sender.send("hello")
    sender.send(b"\x00\xff")
    others[1].send("nobody hears this")
    if choice == "relay":
        assert here.recv(timeout=30) == "hello"
        assert here.recv(timeout=30) == b"\x00\xff"
    for ws in [sender, *others, *([here] if choice == "ignore" else [])]:
        with pytest.raises(TimeoutError):
            ws.recv(timeout=0.1)


def test_the_log_of_calls_has_handshakes_without_their_tokens(place):
    """Those that were accepted, and those that were refused."""
    logged = []
    place.server.log_to(lambda request, response, seconds: logged.append((request, response, seconds)))
    with open_websocket(place.url() + "?token=demo-owner") as ws:
        reported(ws)
    assert place.refused("?token=nobody") == (401, "credential_invalid")
    assert until(lambda: [response.status for _, response, _ in logged] == [101, 401])  # logged once it was sent
    assert all(request.query == "token=***" and 0 <= seconds < 60 for request, _, seconds in logged)


def test_addresses_follow_the_template(serve):
    """One that begins with the mount is served; one that leads elsewhere is not."""
    place = serve(streaming__url="{root}/rt/{channel}/live")
    url = place.sim.call("get_data_channel", "demo-owner", uuid=ROOM, kind="chat").body["url"]
    assert url.endswith(f"/rt/{ROOM}/live/data/chat")
    address = f"ws://{place.server.root.partition('//')[2]}/rt/{ROOM}/live"
    with open_websocket(f"{address}/data/chat?token=demo-owner") as ws:
        assert reported(ws)["state"] == "in"
    elsewhere = serve(streaming__url="wss://stream.example/{channel}")
    address = f"ws://{elsewhere.server.root.partition('//')[2]}/streaming/{ROOM}?token=demo-owner"
    with pytest.raises(InvalidStatus) as refusal, open_websocket(address):
        pass
    assert refusal.value.response.status_code == 404


def test_a_replay_repeats_who_came_and_went(place):
    """The handshake itself is none of its calls; anyone who came in is."""
    ws, _ = place.open("demo-owner")
    ws.close()
    assert until(lambda: place.here() == {})
    assert [each.operation for each in place.sim.service.journal.control_calls] == ["join_channel", "leave_channel"]
    exported = place.sim.control.context
    assert not [
        each for each in merged(exported, list(place.sim.service.journal), []) if each.entry.request.target == TARGET
    ]
