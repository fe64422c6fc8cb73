"""Breakout sessions: making, running, ending, and how a caller sees them."""

from __future__ import annotations

import pytest

from kit import (
    ADMIN,
    API_TOKEN,
    CUSTOMER,
    EVENT_ROOM,
    MINUTE,
    NOTHING,
    OWNER,
    ROOM,
    START_MS,
    USER,
    code,
    demo,
)
from kit.things.breakout import add_room, assign, listed, prepare, rooms, routed, start, stop, where

# Breakout sessions


@pytest.mark.rule("R024", "R308", "R309", "R310", "R311", "R354", "R454")
def test_a_breakout_session_is_prepared(sim):
    """It has its name and duration, belongs to the event room, and has not started."""
    id = prepare(sim, name="Groups", duration=15 * MINUTE)
    assert listed(sim) == [
        {
            "id": id,
            "name": "Groups",
            "channel": EVENT_ROOM,
            "duration": 15 * MINUTE,
            "isActive": False,
            "isCompleted": False,
        }
    ]


@pytest.mark.rule("R454")
def test_name_and_duration_may_be_left_out(sim):
    """Names are counted, and there is no limit; other defaults by assumption."""
    prepare(sim)
    prepare(sim)
    assert [(each["name"], each["duration"]) for each in listed(sim)] == [
        ("Breakout session 1", 0),
        ("Breakout session 2", 0),
    ]
    other = demo(breakout__session_name="Round {number}", breakout__duration=900_000)
    prepare(other)
    assert [(each["name"], each["duration"]) for each in listed(other)] == [("Round 1", 900_000)]


@pytest.mark.rule("R310")
@pytest.mark.parametrize("body", [{"duration": -1}, {"duration": "1m"}, {"name": ""}, {"name": 5}, {"duration": 2**63}])
def test_bad_names_and_durations_are_refused(sim, body):
    """At creation and at modification alike."""
    assert sim.call("create_breakout_session", OWNER, uuid=EVENT_ROOM, body=body).status == 400
    id = prepare(sim)
    answer = sim.call("update_breakout_session", OWNER, uuid=EVENT_ROOM, breakoutSession=id, body=body)
    assert answer.status == 400


def test_a_duration_of_zero_may_be_refused():
    """By assumption."""
    sim = demo(breakout__zero_duration="refuse")
    assert sim.call("create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"duration": 0}).status == 400
    assert prepare(sim, duration=1)


@pytest.mark.rule("R455")
@pytest.mark.parametrize(
    ("body", "expected"),
    [({"name": "B"}, ("B", 5)), ({"duration": 7}, ("A", 7)), ({"name": "B", "duration": 7}, ("B", 7)), ({}, ("A", 5))],
)
def test_what_is_not_given_stays(sim, body, expected):
    """Name and duration are modified each for itself."""
    id = prepare(sim, name="A", duration=5)
    answer = sim.call("update_breakout_session", OWNER, uuid=EVENT_ROOM, breakoutSession=id, body=body)
    assert (answer.status, answer.content) == (200, b"")
    assert [(each["name"], each["duration"]) for each in listed(sim)] == [expected]


@pytest.mark.rule("R455")
def test_a_running_breakout_session_is_prolonged_and_shortened(sim, people):
    """It ends at its start plus the new duration; when that is past, now."""
    id, _ = routed(sim, people, duration=MINUTE)
    path = {"uuid": EVENT_ROOM, "breakoutSession": id}
    sim.call("update_breakout_session", OWNER, **path, body={"duration": 3 * MINUTE})
    sim.clock.advance("2m")
    assert listed(sim)[0]["isActive"] is True
    sim.call("update_breakout_session", OWNER, **path, body={"duration": MINUTE})
    assert listed(sim) == []
    assert set(where(sim).values()) == {None}


@pytest.mark.parametrize(("choice", "expected"), [("allow", (200, None)), ("refuse", (409, "breakout_active"))])
def test_modifying_a_running_one_may_be_refused(people, choice, expected):
    """By assumption."""
    sim = demo(breakout__modify_active=choice)
    id, _ = routed(sim, people)
    answer = sim.call("update_breakout_session", OWNER, uuid=EVENT_ROOM, breakoutSession=id, body={"name": "B"})
    assert (answer.status, (answer.body or {}).get("code")) == expected


@pytest.mark.rule("R456")
def test_a_breakout_session_is_removed(sim, people):
    """A prepared one goes with its rooms; a running one does not; a completed one does."""
    id = prepare(sim)
    room = add_room(sim, id)
    assign(sim, id, room, people[USER])
    assert sim.call("delete_breakout_session", OWNER, uuid=EVENT_ROOM, breakoutSession=id).content == b""
    assert listed(sim) == []
    assert sim.call("list_breakout_rooms", OWNER, uuid=EVENT_ROOM, breakoutSession=id).status == 404
    id, _ = routed(sim, people)
    answer = sim.call("delete_breakout_session", OWNER, uuid=EVENT_ROOM, breakoutSession=id)
    assert code(answer) == (409, "breakout_active")
    stop(sim)
    assert sim.call("delete_breakout_session", OWNER, uuid=EVENT_ROOM, breakoutSession=id).ok


def test_deleting_a_running_one_may_stop_it(people):
    """By assumption, users return before it goes."""
    sim = demo(breakout__delete_active="stop")
    id, _ = routed(sim, people)
    assert sim.call("delete_breakout_session", OWNER, uuid=EVENT_ROOM, breakoutSession=id).ok
    assert where(sim) == {people[OWNER]: None, people[USER]: None}


@pytest.mark.rule("R457")
def test_finished_ones_are_listed_by_their_session(sim, people):
    """Without sessionId those not completed, with it the completed ones of that past session of the event room."""
    first, _ = routed(sim, people)
    past = sim.call("list_sessions", OWNER, channel=EVENT_ROOM).body["results"][0]["id"]
    waiting = prepare(sim)
    stop(sim)
    assert [each["id"] for each in listed(sim)] == [waiting]
    assert [(each["id"], each["isCompleted"]) for each in listed(sim, sessionId=past)] == [(first, True)]
    assert listed(sim, sessionId=NOTHING) == []


@pytest.mark.rule("R288", "R457")
def test_a_start_before_anybody_comes_belongs_to_the_session_that_begins(sim, people):
    """The first one to come starts the event room's session: parent of the rooms' sessions, and where it is listed."""
    id = prepare(sim)
    room = add_room(sim, id)
    assign(sim, id, room, people[USER])
    start(sim)
    assert "parentId" not in sim.call("get_session", OWNER, sessionId=rooms(sim, id)[0]["sessionId"]).body
    main = sim.presence.join(EVENT_ROOM, USER).session
    assert sim.call("get_session", OWNER, sessionId=rooms(sim, id)[0]["sessionId"]).body["parentId"] == main
    sim.call("end_active_session", OWNER, uuid=EVENT_ROOM)
    sim.presence.join(EVENT_ROOM, USER)
    assert [each["id"] for each in listed(sim, sessionId=main)] == [id]


def test_all_breakout_sessions_may_be_listed(people):
    """By assumption, without sessionId completed ones are listed too, by creation."""
    sim = demo(breakout__listed="all")
    first, _ = routed(sim, people)
    stop(sim)
    later = [prepare(sim) for _ in range(2)]
    assert [each["id"] for each in listed(sim)] == [first, *later]


@pytest.mark.rule("R025")
def test_the_list_is_a_bare_array_with_limit_and_offset(sim):
    """No total; a part of it on demand."""
    ids = [prepare(sim) for _ in range(4)]
    assert [each["id"] for each in listed(sim, limit=2, offset=1)] == ids[1:3]
    assert listed(sim, offset=9) == []


# Start, stop, duration


@pytest.mark.rule("R311", "R355", "R288", "R312")
def test_a_start_routes_users_to_their_rooms(sim, people):
    """It is active since now, its rooms are live with channel and session, and who has no room stays."""
    id, room = routed(sim, people)
    shown = listed(sim)[0]
    assert (shown["isActive"], shown["isCompleted"], shown["started"]) == (True, False, START_MS)
    assert where(sim) == {people[OWNER]: None, people[USER]: room}
    (live,) = rooms(sim, id)
    assert live["breakoutSession"] == id
    inside = sim.call("get_session", OWNER, sessionId=live["sessionId"]).body
    main = sim.call("list_sessions", OWNER, channel=EVENT_ROOM).body["results"][0]["id"]
    assert (inside["channel"], inside["parentId"], inside["participantsCount"]) == (live["channelUuid"], main, 1)
    details = sim.call("get_channel", OWNER, uuid=live["channelUuid"]).body
    assert (details["parent"], details["channelName"]) == (EVENT_ROOM, "Room 1")


@pytest.mark.rule("R356", "R310")
def test_users_return_when_the_duration_ends(sim, people):
    """To the millisecond; the breakout session is completed, the sessions of its rooms have ended."""
    id, room = routed(sim, people, duration=15 * MINUTE)
    session = rooms(sim, id)[0]["sessionId"]
    sim.clock.advance(15 * MINUTE - 1)
    assert where(sim)[people[USER]] == room
    sim.clock.advance(1)
    assert where(sim)[people[USER]] is None
    assert sim.call("get_session", OWNER, sessionId=session).body["ended"] == START_MS + 15 * MINUTE
    assert listed(sim) == []


@pytest.mark.rule("R357", "R468")
def test_a_stop_brings_users_back(sim, people):
    """Without an id it takes the active one; there must be one."""
    assert code(stop(sim)) == (409, "breakout_not_active")
    routed(sim, people, duration=15 * MINUTE)
    assert stop(sim).content == b""
    assert where(sim) == {people[OWNER]: None, people[USER]: None}
    assert code(stop(sim)) == (409, "breakout_not_active")
    sim.clock.advance("1h")
    assert sim.call("list_sessions", OWNER, channel=EVENT_ROOM).body["results"][0]["participantsCount"] == 2


@pytest.mark.rule("R467", "R553")
def test_a_start_takes_the_oldest_prepared_one(sim):
    """One at a time, in the order of creation, until none is left."""
    first, second = prepare(sim), prepare(sim)
    assert start(sim).ok
    assert code(start(sim)) == (409, "breakout_active")
    assert {each["id"]: each["isActive"] for each in listed(sim)} == {first: True, second: False}
    stop(sim)
    assert start(sim).ok
    assert {each["id"]: each["isActive"] for each in listed(sim)} == {second: True}
    stop(sim)
    assert code(start(sim)) == (409, "breakout_not_prepared")


@pytest.mark.parametrize(("choice", "place"), [("oldest", 0), ("newest", 2), ("refuse", None)])
def test_which_of_several_is_started_is_assumed(choice, place):
    """The oldest, the newest, or none of them."""
    sim = demo(breakout__started=choice)
    for _ in range(3):
        prepare(sim)
    answer = start(sim)
    if place is None:
        assert code(answer) == (409, "breakout_ambiguous")
    else:
        assert [each["isActive"] for each in listed(sim)] == [at == place for at in range(3)]


def test_a_stopped_one_may_start_again(people):
    """By assumption, a stop leaves it prepared; rooms and assignments are used again."""
    sim = demo(breakout__after_stop="prepared")
    id, room = routed(sim, people, duration=15 * MINUTE)
    session = rooms(sim, id)[0]["sessionId"]
    stop(sim)
    assert "started" not in listed(sim)[0]
    assert "ended" in sim.call("get_session", OWNER, sessionId=session).body
    sim.clock.advance("1h")
    assert start(sim).ok
    assert where(sim)[people[USER]] == room
    sim.clock.advance("15m")
    assert listed(sim) == []
    assert where(sim)[people[USER]] is None


@pytest.mark.parametrize(("choice", "moved"), [("stay", 0), ("distribute", 2)])
def test_users_without_a_room_may_be_spread(people, choice, moved):
    """They stay, or by assumption all but hosts are spread evenly over the rooms."""
    sim = demo(breakout__unassigned=choice)
    id = prepare(sim)
    found = {add_room(sim, id) for _ in range(2)}
    guest = sim.make_user(CUSTOMER, "New").id
    for who in (OWNER, USER, guest):
        sim.presence.join(EVENT_ROOM, who)
    start(sim)
    assert {each for each in where(sim).values() if each} == (found if moved else set())
    assert where(sim)[people[OWNER]] is None


@pytest.mark.parametrize(("choice", "routed_on"), [("route", True), ("stay", False)])
def test_latecomers_go_to_their_room(people, choice, routed_on):
    """An assigned user who joins the event room later is routed, or by assumption stays."""
    sim = demo(breakout__latecomers=choice)
    _, room = routed(sim, people)
    sim.presence.leave(EVENT_ROOM, people[USER])
    assert sim.presence.join(EVENT_ROOM, USER).state == "in"
    assert where(sim)[people[USER]] == (room if routed_on else None)


@pytest.mark.parametrize(("choice", "active"), [("completes", False), ("goes-on", True)])
def test_the_end_of_the_main_session_ends_it(people, choice, active):
    """Everybody is disconnected, also from the rooms; the breakout session completes, or goes on."""
    sim = demo(breakout__main_session_ends=choice)
    _, _ = routed(sim, people)
    sim.call("end_active_session", OWNER, uuid=EVENT_ROOM)
    assert sim.presence(EVENT_ROOM) == []
    assert [each["isActive"] for each in listed(sim)] == [True] * active
    assert stop(sim).ok is active


def test_a_breakout_does_not_make_the_event_room_empty(sim, people):
    """With auto-close on, the door stays open while the last users are in rooms."""
    sim.call("set_lobby_auto_close", OWNER, uuid=EVENT_ROOM, state="enable")
    routed(sim, people)
    sim.presence.leave(EVENT_ROOM, people[OWNER])
    assert sim.call("get_channel_settings", OWNER, uuid=EVENT_ROOM).body["open"] is True
    sim.presence.leave(EVENT_ROOM, people[USER])
    assert sim.call("get_channel_settings", OWNER, uuid=EVENT_ROOM).body["open"] is False
    assert listed(sim) == []


def test_empty_may_mean_the_event_room_alone(people):
    """By assumption, the door closes when the last user goes to a room."""
    sim = demo(lobby__empty="channel")
    sim.call("set_lobby_auto_close", OWNER, uuid=EVENT_ROOM, state="enable")
    id = prepare(sim)
    assign(sim, id, add_room(sim, id), people[USER])
    sim.presence.join(EVENT_ROOM, USER)
    start(sim)
    assert sim.call("get_channel_settings", OWNER, uuid=EVENT_ROOM).body["open"] is False
    assert listed(sim)[0]["isActive"] is True


@pytest.mark.parametrize(("choice", "open_"), [("with-rooms", True), ("channel", False)])
def test_leaving_an_event_room_whose_others_are_in_rooms(people, choice, open_):
    """The last who leaves it closes the door, by assumption, although others are in its breakout rooms."""
    sim = demo(lobby__empty=choice)
    sim.call("set_lobby_auto_close", OWNER, uuid=EVENT_ROOM, state="enable")
    routed(sim, people)
    for present in sim.presence(EVENT_ROOM):
        if present.room is None:
            sim.presence.leave(EVENT_ROOM, present.userId)
    assert sim.call("get_channel_settings", OWNER, uuid=EVENT_ROOM).body["open"] is open_
    assert listed(sim)[0]["isActive"] is True


@pytest.mark.parametrize(("choice", "expected"), [("inside", {EVENT_ROOM: 1}), ("with-rooms", {EVENT_ROOM: 2})])
def test_populations_during_a_breakout(people, choice, expected):
    """Users in rooms count for the room's channel; by assumption for the event room as well."""
    sim = demo(populations__counts=choice)
    id, _ = routed(sim, people)
    place = rooms(sim, id)[0]["channelUuid"]
    body = sim.call("get_populations", USER, channelIds=f"{EVENT_ROOM},{place}").body
    assert body == {**expected, place: 1}


@pytest.mark.parametrize(("choice", "names"), [(False, {"Demo Event Room"}), (True, {"Demo Event Room", "Room 1"})])
def test_rooms_among_the_active_channels(people, choice, names):
    """Channels of rooms are not among them, or by assumption are."""
    sim = demo(active__rooms=True) if choice else demo()
    routed(sim, people)
    assert {each["channelName"] for each in sim.call("list_active_channels", USER).body} == names


@pytest.mark.rule("R288")
@pytest.mark.parametrize(("choice", "count"), [("listed", 2), ("hidden", 1)])
def test_sessions_of_rooms_are_listed_for_hosts(people, choice, count):
    """Hosts of the event room see them, or by assumption nobody."""
    sim = demo(sessions__rooms=choice)
    routed(sim, people)
    assert sim.call("list_sessions", OWNER).body["total"] == count
    assert sim.call("list_sessions", USER).body["total"] == 0


@pytest.mark.parametrize("choice", ["event-session", "breakout-session", "absent"])
def test_the_parent_of_a_room_session_is_assumed(people, choice):
    """The event room's session, the breakout session, or none."""
    sim = demo(sessions__parent=choice)
    id, _ = routed(sim, people)
    main = sim.call("list_sessions", OWNER, channel=EVENT_ROOM).body["results"][0]["id"]
    reported = sim.call("get_session", OWNER, sessionId=rooms(sim, id)[0]["sessionId"]).body
    assert reported.get("parentId") == {"event-session": main, "breakout-session": id, "absent": None}[choice]


# The caller's view


def view(sim, caller):
    """The active breakout session as the caller sees it."""
    return sim.call("get_active_breakout_session", caller, uuid=EVENT_ROOM)


@pytest.mark.rule("R308", "R313", "R458")
def test_the_caller_sees_the_own_room(sim, people):
    """The active breakout session with the room assigned to the caller."""
    id, room = routed(sim, people, name="Groups")
    body = view(sim, USER).body
    assert (body["id"], body["name"], body["isActive"], body["started"]) == (id, "Groups", True, START_MS)
    assert body["breakoutRoom"] == rooms(sim, id)[0]
    assert body["breakoutRoom"]["id"] == room


@pytest.mark.rule("R459", "R539")
@pytest.mark.parametrize("caller", [USER, OWNER, ADMIN])
def test_204_when_no_breakout_session_is_active(sim, people, caller):
    """Before the start, after the stop, and in a channel that is no event room, without a body."""
    prepare(sim)
    assert (view(sim, caller).status, view(sim, caller).content) == (204, b"")
    start(sim)
    stop(sim)
    assert view(sim, caller).status == 204
    assert sim.call("get_active_breakout_session", caller, uuid=ROOM).status == 204


@pytest.mark.parametrize(("choice", "status"), [("session", 200), ("204", 204), ("403", 403), ("404", 404)])
def test_callers_without_a_room(people, choice, status):
    """They see the session without a room; another value of the assumption has another answer."""
    sim = demo(breakout__without_room=choice)
    routed(sim, people)
    answer = view(sim, OWNER)
    assert answer.status == status
    assert "breakoutRoom" not in (answer.body or {})


def test_an_api_token_has_no_room(sim, people):
    """It is no user, whether a breakout session is active or not."""
    assert code(view(sim, API_TOKEN)) == (403, "no_user_context")
    routed(sim, people)
    assert code(view(sim, API_TOKEN)) == (403, "no_user_context")
