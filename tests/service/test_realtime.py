"""The people connected to a served world, with sinks of the test in the place of sockets."""

from __future__ import annotations

import json

import pytest

from confsim import Simulator
from confsim.kernel.world import World
from confsim.service.masking import Mask
from confsim.service.messages import Request, Response
from kit import API_TOKEN, EVENT_ROOM, NOTHING, OWNER, ROOM, USER

USER_ID, OWNER_ID = 1004, 1002


class Sink:
    """Keeps what is sent to one client."""

    def __init__(self):
        self.messages, self.relayed, self.ended = [], [], []

    def notify(self, message):
        """A message about the person."""
        self.messages.append(json.loads(message))

    def relay(self, message):
        """One of another client."""
        self.relayed.append(message)

    def end(self, reason):
        """The end of the connection."""
        self.ended.append(str(reason))

    @property
    def types(self):
        """The types of the messages, in order."""
        return [each["type"] for each in self.messages]


class Place:
    """A world and the websockets of its channels."""

    def __init__(self, **profile):
        self.sim = Simulator(profile={key.replace("__", "."): value for key, value in profile.items()})
        self.realtime = self.sim.service.realtime

    def request(self, request, channel=ROOM, kind=None):
        """The connection, its sink and the response to a request."""
        sink = Sink()
        connection, response = self.realtime.connect(request, channel, kind, sink, lambda response, change: response)
        return connection, sink, response

    def open(self, token=USER, channel=ROOM, kind=None):
        """A connection of the holder of a token, and its sink."""
        headers = {"authorization": f"Bearer {token}"}
        connection, sink, response = self.request(Request("GET", "/", headers=headers), channel, kind)
        assert response.status == 101
        return connection, sink

    def refused(self, request, channel=ROOM, kind=None):
        """The status and the code of a refused request."""
        connection, sink, response = self.request(request, channel, kind)
        assert connection is None
        assert not sink.messages
        return response.status, json.loads(response.body)["code"]

    def here(self, channel=ROOM):
        """Who is in the channel, with the state."""
        return {each.userId: each.state for each in self.sim.presence(channel)}


@pytest.fixture
def place():
    """The demo world."""
    return Place()


def bearer(token):
    """A request that presents a token as a call does."""
    return Request("GET", "/", headers={"authorization": f"Bearer {token}"})


def test_who_connects_is_present_until_the_last_connection_closes(place):
    """Several connections of a person are one presence; the calls that say so stand in the journal."""
    first, sink = place.open()
    assert sink.messages[0] == {**sink.messages[0], "type": "connected", "userId": USER_ID, "state": "in"}
    second, _ = place.open()
    assert (len(place.realtime), place.here()) == (2, {USER_ID: "in"})
    place.realtime.disconnect(first)
    assert (len(place.realtime), place.here()) == (1, {USER_ID: "in"})
    place.realtime.disconnect(second)
    place.realtime.disconnect(second)
    assert (len(place.realtime), place.here()) == (0, {})
    noted = [(each.operation, json.loads(each.body)) for each in place.sim.service.journal.control_calls]
    who = {"channel": ROOM, "userId": USER_ID}
    assert noted == [("join_channel", who), ("join_channel", who), ("leave_channel", who)]


def test_a_person_may_stay_when_the_connection_closes():
    """Under a profile; the entry is noted as used."""
    place = Place(streaming__close="stay")
    connection, _ = place.open()
    place.realtime.disconnect(connection)
    assert (len(place.realtime), place.here()) == (0, {USER_ID: "in"})
    assert "streaming.close" in place.sim.assumptions_used


@pytest.mark.parametrize("gone", ["left", "channel deleted"])
def test_closing_after_the_person_is_gone_changes_nothing(place, gone):
    """The person left by a call, or the channel is no more: the connection was ended already."""
    connection, sink = place.open()
    if gone == "left":
        place.sim.presence.leave(ROOM, USER_ID)
    else:
        assert place.sim.call("delete_channel", OWNER, uuid=ROOM).ok
    assert len(sink.ended) == 1
    before = place.sim.service.world
    place.realtime.disconnect(connection)
    assert place.sim.service.world is before


def test_what_happens_to_a_person_is_sent(place):
    """In the lobby, admitted, muted, presenting, removed; the others get nothing of it."""
    sim = place.sim
    _, host = place.open(OWNER)
    assert sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close").ok
    _, sink = place.open()
    assert sink.messages[-1]["state"] == "waiting"
    assert sim.call("set_lobby_door", OWNER, uuid=ROOM, state="open").ok
    for state in ("mute", "unmute"):
        assert sim.call("set_attendees_state", OWNER, uuid=ROOM, state=state).ok
    sim.presence.present(ROOM, USER_ID)
    sim.presence.present(ROOM, USER_ID, False)
    sim.presence.leave(ROOM, USER_ID)
    assert sink.types == ["connected", "admitted", "muted", "unmuted", "presenter", "viewer", "removed"]
    assert (sink.ended, host.ended) == (["removed"], [])
    assert host.types == ["connected"]
    assert len(place.realtime) == 1


def test_rooms_and_the_end_of_the_session_are_sent(place):
    """Moved into a breakout room and returned; the end of the session ends every connection."""
    sim = place.sim
    breakout = sim.call("create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"name": "b"}).body["id"]
    at = {"uuid": EVENT_ROOM, "breakoutSession": breakout}
    room = sim.call("create_breakout_room", OWNER, **at, body={"name": "r"}).body["id"]
    assert sim.call("add_breakout_participant", OWNER, **at, breakoutRoom=room, userId=USER_ID).ok
    _, sink = place.open(USER, EVENT_ROOM)
    _, host = place.open(OWNER, EVENT_ROOM)
    for operation in ("start_breakout_session", "stop_breakout_session", "end_active_session"):
        assert sim.call(operation, OWNER, uuid=EVENT_ROOM).ok
    assert sink.types == ["connected", "moved", "returned", "session-ended"]
    assert (sink.ended, host.ended, len(place.realtime)) == (["session-ended"], ["session-ended"], 0)


def test_another_world_in_the_place_of_this_one_is_followed(place):
    """A reset removes people who are not in it; those who come later are followed as before."""
    _, sink = place.open()
    place.sim.reset()
    assert (sink.types[-1], sink.ended, len(place.realtime)) == ("session-ended", ["session-ended"], 0)
    _, again = place.open()
    place.sim.presence.leave(ROOM, USER_ID)
    assert again.ended == ["session-ended"]


def test_the_end_of_the_service_ends_every_connection(place):
    """With a message, and nobody is followed any longer."""
    _, sink = place.open()
    place.sim.service.shut_down()
    assert (sink.types, sink.ended, len(place.realtime)) == (["connected", "session-ended"], ["session-ended"], 0)
    place.sim.presence.leave(ROOM, USER_ID)
    assert sink.types == ["connected", "session-ended"]


def test_nothing_is_sent_under_a_profile_that_says_so():
    """People are present all the same, and connections end."""
    place = Place(streaming__messages="none")
    _, sink = place.open()
    assert place.here() == {USER_ID: "in"}
    place.sim.presence.leave(ROOM, USER_ID)
    assert (sink.messages, sink.ended) == ([], ["session-ended"])


def test_a_data_channel_relays_to_the_others_of_its_kind(place):
    """Not to the sender, to another kind, to who waits in the lobby, or after the connection is closed."""
    sender, own = place.open(OWNER, kind="chat")
    listener, heard = place.open(USER, kind="chat")
    _, other = place.open(USER, kind="wall")
    place.realtime.received(sender, "hello")
    place.realtime.received(sender, b"\0")
    assert (own.relayed, heard.relayed, other.relayed) == ([], ["hello", b"\0"], [])
    place.realtime.disconnect(listener)
    place.realtime.received(sender, "again")
    assert heard.relayed == ["hello", b"\0"]
    plain, _ = place.open(OWNER)
    place.realtime.received(plain, "no data channel")
    assert (own.relayed, other.relayed) == ([], [])
    assert "data.messages" in place.sim.assumptions_used


def test_who_waits_in_the_lobby_gets_no_data(place):
    """Until admitted."""
    sender, _ = place.open(OWNER, kind="chat")
    assert place.sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close").ok
    _, sink = place.open(USER, kind="chat")
    place.realtime.received(sender, "1")
    assert place.sim.call("set_lobby_door", OWNER, uuid=ROOM, state="open").ok
    place.realtime.received(sender, "2")
    assert sink.relayed == ["2"]


def test_data_may_reach_nobody():
    """Under a profile."""
    place = Place(data__messages="ignore")
    sender, _ = place.open(OWNER, kind="chat")
    _, sink = place.open(USER, kind="chat")
    place.realtime.received(sender, "x")
    assert sink.relayed == []


@pytest.mark.parametrize(
    ("request_", "refusal"),
    [
        (Request("GET", "/"), (401, "credential_missing")),
        (bearer("nobody"), (401, "credential_invalid")),
        (bearer(API_TOKEN), (403, "no_user_context")),
        (Request("GET", "/", query=f"token={USER}", headers=bearer(OWNER).headers), (400, "credential_ambiguous")),
        (Request("GET", "/", query="token="), (401, "credential_missing")),
    ],
)
def test_a_token_that_does_not_do_is_refused(place, request_, refusal):
    """Nobody joins, and the refusal is in the journal."""
    assert place.refused(request_) == refusal
    assert place.here() == {}
    assert [each.status for each in place.sim.requests] == [refusal[0]]


@pytest.mark.rule("R396")
def test_channels_that_are_not_there_are_refused():
    """Unknown 404; on its way to a streaming server 409, as proxyfor says it."""
    place = Place(**{"duration.placement": "manual(3)"})
    assert place.refused(bearer(USER), NOTHING) == (404, "not_found")
    assert place.sim.call("get_streaming_proxy", OWNER, uuid=ROOM).status == 409
    assert place.refused(bearer(OWNER))[0] == 409
    assert place.here() == {}


@pytest.mark.parametrize(
    ("request_", "noted"),
    [
        (bearer(USER), {"authorization": "Bearer ***"}),
        (Request("GET", "/", query=f"a=1&token={USER}&b"), "a=1&token=***&b"),
        (
            Request("GET", "/", headers={"sec-websocket-protocol": f"chat, bearer, {USER}"}),
            {"sec-websocket-protocol": "chat, bearer, ***"},
        ),
    ],
)
def test_each_way_of_a_token_connects_and_is_masked(place, request_, noted):
    """As a call, in the query, as the subprotocol after bearer."""
    _, sink, response = place.request(request_)
    assert (response.status, sink.messages[0]["userId"]) == (101, USER_ID)
    entry = next(iter(place.sim.service.journal))
    assert (entry.request.query if isinstance(noted, str) else entry.request.headers) == noted


def test_ways_that_a_profile_leaves_out_do_not_count():
    """And a subprotocol needs a token after it."""
    place = Place(streaming__token=["subprotocol"])
    assert place.refused(bearer(USER))[0] == 401
    assert place.refused(Request("GET", "/", query=f"token={USER}"))[0] == 401
    assert place.refused(Request("GET", "/", headers={"sec-websocket-protocol": "chat, bearer"}))[0] == 401
    offer = {"sec-websocket-protocol": f" bearer ,{USER}"}
    assert place.request(Request("GET", "/", headers=offer))[2].status == 101
    place = Place(streaming__token=["calls"])
    assert place.refused(Request("GET", "/", query=f"token={USER}"))[0] == 401
    assert place.request(bearer(USER))[2].status == 101


def test_the_same_token_twice_is_one(place):
    """Only different ones are ambiguous."""
    request = Request("GET", "/", query=f"token={USER}", headers={"authorization": f"Bearer {USER}"})
    assert place.request(request)[2].status == 101


def test_a_token_in_any_presentation_is_masked():
    """In a cookie among others, in a header of another name, in another parameter."""
    headers = {"cookie": "sid=secret; bsid=x; a=sid=1", "x-token": "secret"}
    request = Request("GET", "/", query="key=secret&keys=1", headers=headers, cookies={"sid": "secret"})
    ways = {"auth.presentation": ("Cookie: sid={token}", "X-Token: {token}", "?key={token}")}
    mask = Mask(ways, World())
    masked = mask.request(request)
    assert masked.headers == {"cookie": "sid=***; bsid=x; a=sid=1", "x-token": "***"}
    assert (masked.query, masked.cookies) == ("key=***&keys=1", {})
    assert request.headers["x-token"] == "secret"
    assert mask.request(Request("GET", "/")) == Request("GET", "/", headers={}, cookies={})


def test_a_request_without_a_handshake_is_noted_without_its_token(place):
    """With the response that the transport gives."""
    request = Request("GET", "/", query=f"token={USER}")
    response = place.realtime.refuse(request, Response(426, []), lambda response, change: response)
    assert response.status == 426
    entry = next(iter(place.sim.service.journal))
    assert (entry.request.query, entry.response.status) == ("token=***", 426)
