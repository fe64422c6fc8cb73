"""Presence over the control plane and at the Simulator."""

from __future__ import annotations

import pytest

from confsim.kernel.refusal import Misuse
from kit import CUSTOMER, EVENT_ROOM, GUEST, NOTHING, OWNER, ROOM, USER


@pytest.fixture
def post(sim):
    """Call the control plane over HTTP: status and body."""
    client = sim.client()

    def post(what, **body):
        answer = client.post(f"/_confsim/presence/{what}", json=body)
        return answer.status_code, answer.get_json()

    return post


def test_joining_waiting_admitting_leaving(sim, post, people):
    """The states are in, waiting and away; the session is that of the channel."""
    status, body = post("join", channel=ROOM, userId=people[OWNER])
    assert (status, body["state"]) == (200, "in")
    assert sim.call("get_session", OWNER, sessionId=body["session"]).ok
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    assert post("join", channel=ROOM, token=USER) == (200, {"state": "waiting", "session": body["session"]})
    assert post("admit", channel=ROOM, userId=people[USER]) == (200, {"state": "in"})
    assert post("leave", channel=ROOM, userId=people[USER]) == (200, {"state": "away"})


def test_who_waits_before_anybody_came_has_no_session(sim, post):
    """The session is left out."""
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    assert post("join", channel=ROOM, token=USER) == (200, {"state": "waiting"})


def test_presence_is_listed(sim, post, people):
    """Everybody with state, room, presenter and muted, as they came."""
    for token in (OWNER, USER):
        post("join", channel=ROOM, token=token)
    sim.call("set_attendees_state", OWNER, uuid=ROOM, state="mute")
    assert post("presenter", channel=ROOM, userId=people[OWNER], presenter=True) == (200, {"presenter": True})
    answer = sim.client().get(f"/_confsim/presence?channel={ROOM}")
    assert answer.get_json() == [
        {"userId": people[OWNER], "state": "in", "presenter": True, "muted": False},
        {"userId": people[USER], "state": "in", "presenter": False, "muted": True},
    ]
    assert sim.client().get(f"/_confsim/presence?channel={EVENT_ROOM}").get_json() == []


def test_rooms_are_reported(sim, post, people):
    """A user in a breakout room is in, with its id; the channel of the room lists who is inside."""
    breakout = sim.call("create_breakout_session", OWNER, uuid=EVENT_ROOM, body={}).body["id"]
    path = {"uuid": EVENT_ROOM, "breakoutSession": breakout}
    room = sim.call("create_breakout_room", OWNER, **path, body={}).body["id"]
    post("join", channel=EVENT_ROOM, token=OWNER)
    sim.call("start_breakout_session", OWNER, uuid=EVENT_ROOM)
    place = sim.call("list_breakout_rooms", OWNER, **path).body[0]["channelUuid"]
    assert post("join", channel=place, token=USER)[1]["reason"] == "no_room_assigned"
    assert post("join", channel=place, token=OWNER)[1]["state"] == "in"
    for uuid in (EVENT_ROOM, place):
        assert [(each.userId, each.state, each.room) for each in sim.presence(uuid)] == [(people[OWNER], "in", room)]
    assert post("leave", channel=place, userId=people[OWNER]) == (200, {"state": "away"})


@pytest.mark.parametrize(
    ("fields", "token", "reason"),
    [
        ({"populationLimit": 0}, USER, "channel_full"),
        ({"maxUsers": 0}, OWNER, "channel_full"),
        ({"private": True}, USER, "channel_private"),
    ],
)
def test_a_refusal_by_the_rules_of_the_channel_is_409(sim, post, fields, token, reason):
    """With the reason, and nobody is inside."""
    sim.change_record("channel", ROOM, **fields)
    status, body = post("join", channel=ROOM, token=token)
    assert (status, body["status"], body["reason"], body["code"]) == (409, 409, reason, reason)
    assert sim.presence(ROOM) == []


def test_guests_are_refused_where_they_have_no_access(sim, post):
    """Elsewhere, and where guest access is off."""
    assert post("join", channel=EVENT_ROOM, token=GUEST)[1]["reason"] == "guest_elsewhere"
    sim.call("set_guest_access", OWNER, uuid=ROOM, state="disable")
    assert post("join", channel=ROOM, token=GUEST)[1]["reason"] == "guest_access_off"


def test_a_disabled_service_is_reported(sim, post):
    """New joins are refused."""
    customer = CUSTOMER
    sim.call("set_client_service_state", "demo-partner-admin", clientId=customer, state="disable")
    assert post("join", channel=ROOM, token=OWNER)[1]["reason"] == "service_disabled"


@pytest.mark.parametrize("what", ["leave", "admit", "presenter"])
def test_who_is_away_is_told_so(post, people, what):
    """With the reason."""
    status, body = post(what, channel=ROOM, userId=people[USER])
    assert (status, body["reason"]) == (409, "not_present")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"channel": ROOM}, 400),
        ({"channel": ROOM, "userId": 1002, "token": OWNER}, 400),
        ({"channel": ROOM, "userId": 5}, 404),
        ({"channel": NOTHING, "userId": 1002}, 404),
        ({"channel": ROOM, "token": "nonsense"}, 401),
        ({"channel": ROOM, "token": "demo-api-token"}, 400),
        ({"channel": ROOM, "token": "demo-other-admin"}, 404),
        ({"userId": 1002}, 400),
        ({"channel": ROOM, "userId": 1002, "more": 1}, 400),
    ],
)
def test_wrong_use_is_reported(post, body, status):
    """In problem documents."""
    assert post("join", **body)[0] == status


def test_an_unknown_channel_is_not_there(sim):
    """Listing its presence is a 404, and in Python a Misuse."""
    assert sim.client().get(f"/_confsim/presence?channel={NOTHING}").status_code == 404
    with pytest.raises(Misuse, match=NOTHING):
        sim.presence(NOTHING)


def test_the_simulator_does_the_same(sim, people):
    """Users by id or by token; a refusal is a Misuse."""
    assert sim.presence.join(ROOM, people[USER]).state == "in"
    assert sim.presence.present(ROOM, people[USER]) is True
    assert [each.presenter for each in sim.presence(ROOM)] == [True]
    assert sim.presence.leave(ROOM, people[USER]) == "away"
    with pytest.raises(Misuse) as misuse:
        sim.presence.leave(ROOM, people[USER])
    assert (misuse.value.status, misuse.value.facts["reason"]) == (409, "not_present")
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.join(ROOM, USER)
    assert sim.presence.admit(ROOM, people[USER]) == "in"
