"""Linked users of breakout sessions."""

from __future__ import annotations

import pytest

from kit import (
    ADMIN,
    API_TOKEN,
    CUSTOMER,
    EVENT_ROOM,
    GUEST,
    MINUTE,
    OWNER,
    ROOM,
    START_MS,
    USER,
    code,
    demo,
)
from kit.things.breakout import add_room, assign, assigned, linked, listed, prepare, rooms, routed, start, stop, where

# Linked users


def link(sim, handle="Linus", uuid=EVENT_ROOM, **query):
    """Make a linked user and answer the id."""
    return sim.call("create_linked_user", OWNER, uuid=uuid, body={"handle": handle}, **query).body["id"]


@pytest.mark.rule("R024", "R043", "R044", "R469", "R473")
def test_a_linked_user_is_made(sim, people):
    """A guest-like user of the handle; regular users are linked beside it; a bare array of User objects."""
    id = link(sim)
    assert id > max(people.values())
    assert sim.call("link_user", OWNER, uuid=EVENT_ROOM, userId=people[USER]).content == b""
    body = sim.call("list_linked_users", OWNER, uuid=EVENT_ROOM).body
    assert [each["id"] for each in body] == [id, people[USER]]
    assert (body[0]["handle"], body[0]["unregistered"], body[0]["clientId"]) == ("Linus", True, CUSTOMER)
    assert body[1] == sim.call("get_user", API_TOKEN, userId=people[USER]).body
    assert linked(sim, ROOM) == []


@pytest.mark.rule("R470", "R471", "R038", "R039", "R040")
@pytest.mark.parametrize(("ttl", "span"), [("1m", MINUTE), ("1d", 1440 * MINUTE)])
def test_a_linked_user_has_an_invitation(sim, ttl, span):
    """It is read with the invitation call, and lives as long as the ttl says."""
    id = link(sim, ttl=ttl)
    invitation = sim.call("get_invitation", OWNER, userId=id).body
    assert invitation["userId"] == id
    assert invitation["code"]
    assert invitation["expires"] == START_MS + span
    sim.clock.advance(span)
    assert sim.call("get_invitation", OWNER, userId=id).status == 404


@pytest.mark.rule("R038")
@pytest.mark.parametrize("query", [{"ttl": "1"}, {"ttl": "m"}, {"ttl": "0m"}])
def test_a_ttl_is_a_number_and_a_unit(sim, query):
    """Anything else is a 400, and nobody is made."""
    assert sim.call("create_linked_user", OWNER, uuid=EVENT_ROOM, body={"handle": "L"}, **query).status == 400
    assert linked(sim) == []


@pytest.mark.parametrize("body", [{}, {"handle": ""}, {"handle": 5}])
def test_a_linked_user_needs_a_handle(sim, body):
    """A missing, blank or wrong one is a 400."""
    assert sim.call("create_linked_user", OWNER, uuid=EVENT_ROOM, body=body).status == 400


@pytest.mark.parametrize(("choice", "status"), [("allow", 200), ("refuse", 409)])
def test_two_linked_users_of_one_handle(choice, status):
    """They are allowed, or by assumption refused in one channel."""
    sim = demo(linked_users__same_handle=choice)
    link(sim)
    link(sim, uuid=ROOM)
    assert sim.call("create_linked_user", OWNER, uuid=EVENT_ROOM, body={"handle": "Linus"}).status == status


@pytest.mark.rule("R365")
def test_an_unlinked_user_is_removed(sim):
    """A user made for the channel is gone with invitation, assignment and presence."""
    id = link(sim)
    breakout = prepare(sim)
    room = add_room(sim, breakout)
    assign(sim, breakout, room, id)
    sim.presence.join(EVENT_ROOM, id)
    assert sim.call("unlink_user", OWNER, uuid=EVENT_ROOM, userId=id).content == b""
    for operation in ("get_user", "get_invitation"):
        assert sim.call(operation, API_TOKEN, userId=id).status == 404
    assert (linked(sim), assigned(sim, breakout, room), sim.presence(EVENT_ROOM)) == ([], [], [])


@pytest.mark.rule("R365")
def test_linked_users_go_with_the_channel(sim, people):
    """Those made for it are removed, regular ones stay."""
    id = link(sim, uuid=ROOM)
    sim.call("link_user", OWNER, uuid=ROOM, userId=people[USER])
    sim.call("delete_channel", OWNER, uuid=ROOM)
    assert sim.call("get_user", API_TOKEN, userId=id).status == 404
    assert sim.call("get_user", API_TOKEN, userId=people[USER]).ok


def test_a_regular_user_is_only_unlinked(sim, people):
    """The user stays; unlinking again is a 404, linking again no error."""
    for _ in range(2):
        assert sim.call("link_user", OWNER, uuid=EVENT_ROOM, userId=people[USER]).ok
    assert sim.call("unlink_user", OWNER, uuid=EVENT_ROOM, userId=people[USER]).ok
    assert sim.call("get_user", API_TOKEN, userId=people[USER]).ok
    assert code(sim.call("unlink_user", OWNER, uuid=EVENT_ROOM, userId=people[USER])) == (404, "not_linked")


def test_unregistered_users_are_not_linked_by_hand(sim, people):
    """A guest stays a guest."""
    assert code(sim.call("link_user", OWNER, uuid=EVENT_ROOM, userId=people[GUEST])) == (400, "not_regular")


@pytest.mark.rule("R472")
def test_a_linked_user_is_assigned_before_joining(sim):
    """At the first join during the breakout session the user goes to the room."""
    id = link(sim)
    breakout = prepare(sim)
    room = add_room(sim, breakout)
    assert assign(sim, breakout, room, id).ok
    assert assigned(sim, breakout, room) == ["Linus"]
    start(sim)
    sim.presence.join(EVENT_ROOM, id)
    assert where(sim) == {id: room}


def test_a_linked_user_has_access_to_a_private_channel(sim, people):
    """Private channels admit those linked to them."""
    sim.change_record("channel", EVENT_ROOM, private=True)
    assert sim.call("get_streaming_proxy", USER, uuid=EVENT_ROOM).status == 403
    sim.call("link_user", OWNER, uuid=EVENT_ROOM, userId=people[USER])
    assert sim.call("get_streaming_proxy", USER, uuid=EVENT_ROOM).ok
    assert sim.presence.join(EVENT_ROOM, USER).state == "in"


def test_deleting_an_event_room_ends_everything(sim, people):
    """The breakout session, its rooms and their channels are gone; nobody is left anywhere."""
    id, _ = routed(sim, people)
    place = rooms(sim, id)[0]["channelUuid"]
    assert sim.call("delete_channel", OWNER, uuid=EVENT_ROOM).ok
    assert sim.call("get_channel", ADMIN, uuid=place).status == 404
    assert sim.call("list_sessions", OWNER).body["total"] == 0


@pytest.mark.rule("R288", "R312")
def test_who_comes_back_to_a_room_whose_session_was_ended_begins_another(sim, people):
    """The room shows the session that runs in it, below that of the event room."""
    id, room = routed(sim, people)
    before = rooms(sim, id)[0]
    assert sim.call("end_active_session", OWNER, uuid=before["channelUuid"]).ok
    main = sim.presence.join(EVENT_ROOM, USER).session
    assert where(sim)[people[USER]] == room
    after = rooms(sim, id)[0]
    session = sim.call("get_session", OWNER, sessionId=after["sessionId"]).body
    assert after["sessionId"] != before["sessionId"]
    assert (session["participantsCount"], session["parentId"], "ended" in session) == (1, main, False)
    assert sim.call("get_populations", OWNER, channelIds=after["channelUuid"]).body == {after["channelUuid"]: 1}


@pytest.mark.rule("R489", "R491")
def test_whom_a_room_calls_appears_in_the_room(sim, people):
    """A new user and a registered one; once the room is closed, they appear in the event room."""
    id, room = routed(sim, people)
    place = rooms(sim, id)[0]["channelUuid"]
    assert sim.call("set_dial_out_state", ADMIN, uuid=place, state="enable").ok
    phone = {"number": "+12025550147", "name": "Bob"}
    bob = sim.call("dial_unregistered_user", OWNER, uuid=place, body=phone).body["id"]
    sip = {"number": "+12025550148", "sipUserId": people[ADMIN]}
    assert sim.call("dial_registered_user", OWNER, uuid=place, body=sip).ok
    assert (where(sim)[bob], where(sim)[people[ADMIN]]) == (room, room)
    assert sim.call("get_populations", OWNER, channelIds=place).body == {place: 3}
    assert sim.calls.hang_up(bob) == "ended"
    assert bob not in where(sim)
    stop(sim)
    late = sim.call("dial_unregistered_user", OWNER, uuid=place, body=phone).body["id"]
    assert where(sim)[late] is None


@pytest.mark.rule("R262")
def test_a_phone_reaches_a_room_by_its_meeting_id(people):
    """Under breakout.phones = room the caller is in the room, not in the event room above it."""
    sim = demo(breakout__phones="room")
    id, room = routed(sim, people)
    place = rooms(sim, id)[0]["channelUuid"]
    assert sim.call("set_dial_in_state", ADMIN, uuid=EVENT_ROOM, state="enable").ok
    assert sim.call("assign_dial_number", OWNER, uuid=place, number="+12025550123").ok
    meeting = sim.call("get_channel", OWNER, uuid=place).body["meetingId"]
    caller = sim.calls.dial_in("+12025550123", meetingId=meeting).userId
    assert where(sim)[caller] == room


def test_deleting_the_channel_of_a_room_closes_the_room(sim, people):
    """Its users are back in the event room, where the breakout session goes on."""
    id, _ = routed(sim, people)
    place = rooms(sim, id)[0]["channelUuid"]
    assert sim.call("delete_channel", OWNER, uuid=place).ok
    assert where(sim) == {people[OWNER]: None, people[USER]: None}
    assert "channelUuid" not in rooms(sim, id)[0]
    assert listed(sim)[0]["isActive"] is True
    assert stop(sim).ok
