"""Breakout sessions, rooms, participants and linked users."""

from __future__ import annotations

import pytest

from kit import (
    ADMIN,
    API_TOKEN,
    CUSTOMER,
    EVENT_ROOM,
    GUEST,
    MINUTE,
    NOTHING,
    OPERATOR,
    OTHER_ADMIN,
    OWNER,
    ROOM,
    START_MS,
    USER,
    code,
    demo,
)


def prepare(sim, caller=OWNER, **body):
    """Prepare a breakout session and answer its id."""
    return sim.call("create_breakout_session", caller, uuid=EVENT_ROOM, body=body).body["id"]


def add_room(sim, breakout, **body):
    """Add a room and answer its id."""
    return sim.call("create_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=breakout, body=body).body["id"]


def rooms(sim, breakout):
    """The rooms of the breakout session."""
    return sim.call("list_breakout_rooms", OWNER, uuid=EVENT_ROOM, breakoutSession=breakout).body


def assign(sim, breakout, room, user, operation="add_breakout_participant"):
    """Assign a user to a room, or the other way, and answer."""
    return sim.call(operation, OWNER, uuid=EVENT_ROOM, breakoutSession=breakout, breakoutRoom=room, userId=user)


def assigned(sim, breakout, room):
    """The handles of the users assigned to a room."""
    path = {"breakoutSession": breakout, "breakoutRoom": room}
    return [user["handle"] for user in sim.call("list_breakout_participants", OWNER, uuid=EVENT_ROOM, **path).body]


def start(sim):
    """Start and answer."""
    return sim.call("start_breakout_session", OWNER, uuid=EVENT_ROOM)


def stop(sim):
    """Stop and answer."""
    return sim.call("stop_breakout_session", OWNER, uuid=EVENT_ROOM)


def listed(sim, **query):
    """The breakout sessions listed."""
    return sim.call("list_breakout_sessions", OWNER, uuid=EVENT_ROOM, **query).body


def where(sim):
    """The room of everybody in the event room, None for the event room itself."""
    return {each.userId: each.room for each in sim.presence(EVENT_ROOM)}


def routed(sim, people, **body):
    """An active breakout session with one room, where the demo user is; the owner stays in the event room."""
    breakout = prepare(sim, **body)
    room = add_room(sim, breakout)
    assign(sim, breakout, room, people[USER])
    for token in (OWNER, USER):
        sim.presence.join(EVENT_ROOM, token)
    assert start(sim).content == b""
    return breakout, room


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


@pytest.mark.parametrize(("choice", "place"), [("oldest", 0), ("newest", 1), ("refuse", None)])
def test_which_of_several_is_started_is_assumed(choice, place):
    """The oldest, the newest, or none of them."""
    sim = demo(breakout__started=choice)
    for _ in range(2):
        prepare(sim)
    answer = start(sim)
    if place is None:
        assert code(answer) == (409, "breakout_ambiguous")
    else:
        assert [each["isActive"] for each in listed(sim)] == [at == place for at in range(2)]


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
    sim = demo(active__rooms=choice)
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
    told = sim.call("get_session", OWNER, sessionId=rooms(sim, id)[0]["sessionId"]).body
    assert told.get("parentId") == {"event-session": main, "breakout-session": id, "absent": None}[choice]


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
    """They see the session without a room, or by assumption are told something else."""
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


# Rooms


@pytest.mark.rule("R024", "R312", "R460", "R463")
def test_rooms_are_added(sim):
    """A bare array by creation; names are counted when left out; nothing is live before the start."""
    id = prepare(sim)
    ids = [add_room(sim, id), add_room(sim, id, name="Blue"), add_room(sim, id, name="Blue"), add_room(sim, id)]
    assert [room["name"] for room in rooms(sim, id)] == ["Room 1", "Blue", "Blue", "Room 2"]
    assert rooms(sim, id)[1] == {"id": ids[1], "name": "Blue", "breakoutSession": id}


def test_the_names_of_rooms_are_assumed():
    """The default name may be another, and two of one name refused."""
    sim = demo(breakout__room_name="Table {number}", breakout__room_names="refuse")
    id = prepare(sim)
    add_room(sim, id)
    blue = add_room(sim, id, name="Blue")
    path = {"uuid": EVENT_ROOM, "breakoutSession": id}
    assert code(sim.call("create_breakout_room", OWNER, **path, body={"name": "Blue"})) == (409, "room_name_taken")
    rename = sim.call("rename_breakout_room", OWNER, **path, breakoutRoom=blue, body={"name": "Table 1"})
    assert code(rename) == (409, "room_name_taken")
    assert sim.call("rename_breakout_room", OWNER, **path, breakoutRoom=blue, body={"name": "Blue"}).ok


@pytest.mark.rule("R461")
def test_a_room_is_renamed(sim):
    """Without a name nothing changes."""
    id = prepare(sim)
    room = add_room(sim, id)
    for body, name in (({"name": "Blue"}, "Blue"), ({}, "Blue")):
        answer = sim.call(
            "rename_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=id, breakoutRoom=room, body=body
        )
        assert (answer.status, answer.content) == (200, b"")
        assert [each["name"] for each in rooms(sim, id)] == [name]


@pytest.mark.rule("R461")
@pytest.mark.parametrize("choice", ["start", "creation"])
def test_the_channel_of_a_room_has_its_name(people, choice):
    """Before the start and after it."""
    sim = demo(breakout__room_channel=choice)
    id = prepare(sim)
    room = add_room(sim, id)
    for name in ("Blue", "Green"):
        path = {"breakoutSession": id, "breakoutRoom": room}
        assert sim.call("rename_breakout_room", OWNER, uuid=EVENT_ROOM, **path, body={"name": name}).ok
        start(sim)
        assert sim.call("get_channel", OWNER, uuid=rooms(sim, id)[0]["channelUuid"]).body["channelName"] == name


@pytest.mark.rule("R462")
def test_a_room_is_removed_with_its_assignments(sim, people):
    """The user is free for another room."""
    id = prepare(sim)
    room, other = add_room(sim, id), add_room(sim, id)
    assign(sim, id, room, people[USER])
    path = {"uuid": EVENT_ROOM, "breakoutSession": id, "breakoutRoom": room}
    assert sim.call("delete_breakout_room", OWNER, **path).content == b""
    assert [each["id"] for each in rooms(sim, id)] == [other]
    assert sim.call("delete_breakout_room", OWNER, **path).status == 404
    assert assign(sim, id, other, people[USER], "remove_breakout_participant").status == 404


def test_a_room_with_assignments_may_stay(people):
    """By assumption, it is not deleted."""
    sim = demo(breakout__delete_assigned_room="refuse")
    id = prepare(sim)
    room = add_room(sim, id)
    assign(sim, id, room, people[USER])
    answer = sim.call("delete_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=id, breakoutRoom=room)
    assert code(answer) == (409, "room_assigned")


@pytest.mark.parametrize(
    ("choice", "added", "renamed", "deleted"),
    [("add-and-rename", 200, 200, 409), ("refuse", 409, 409, 409), ("allow", 200, 200, 200)],
)
def test_rooms_of_a_running_breakout_session(people, choice, added, renamed, deleted):
    """They can be added, live at once, and renamed; deleting one brings its users back, where it is allowed."""
    sim = demo(breakout__rooms_after_start=choice)
    id, room = routed(sim, people)
    session = rooms(sim, id)[0]["sessionId"]
    path = {"uuid": EVENT_ROOM, "breakoutSession": id}
    assert sim.call("create_breakout_room", OWNER, **path, body={}).status == added
    assert all("channelUuid" in each and "sessionId" in each for each in rooms(sim, id))
    path["breakoutRoom"] = room
    assert sim.call("rename_breakout_room", OWNER, **path, body={"name": "Blue"}).status == renamed
    assert sim.call("delete_breakout_room", OWNER, **path).status == deleted
    assert where(sim)[people[USER]] == (None if deleted == 200 else room)
    assert ("ended" in sim.call("get_session", OWNER, sessionId=session).body) is (deleted == 200)


def test_rooms_of_a_completed_breakout_session_stay(sim, people):
    """They are neither added nor renamed nor deleted, and it is not modified."""
    id, room = routed(sim, people)
    stop(sim)
    path = {"uuid": EVENT_ROOM, "breakoutSession": id}
    for operation, more in [
        ("create_breakout_room", {"body": {}}),
        ("rename_breakout_room", {"breakoutRoom": room, "body": {"name": "Blue"}}),
        ("delete_breakout_room", {"breakoutRoom": room}),
        ("update_breakout_session", {"body": {"name": "Blue"}}),
    ]:
        assert code(sim.call(operation, OWNER, **path, **more)) == (409, "breakout_completed")
    assert "channelUuid" in rooms(sim, id)[0]


@pytest.mark.rule("R312")
def test_a_room_may_have_its_channel_from_the_beginning(people):
    """By assumption, the channel is made with the room and the session at the start."""
    sim = demo(breakout__room_channel="creation")
    id = prepare(sim)
    add_room(sim, id)
    before = rooms(sim, id)[0]
    assert "sessionId" not in before
    start(sim)
    assert rooms(sim, id)[0]["channelUuid"] == before["channelUuid"]
    assert "sessionId" in rooms(sim, id)[0]


# Participants


@pytest.mark.rule("R024", "R043", "R464", "R466")
def test_users_are_assigned_to_a_room(sim, people):
    """A bare array of User objects, as they were assigned; assigning again changes nothing."""
    id = prepare(sim)
    room = add_room(sim, id)
    for token in (USER, OPERATOR, USER):
        assert assign(sim, id, room, people[token]).content == b""
    path = {"uuid": EVENT_ROOM, "breakoutSession": id, "breakoutRoom": room}
    body = sim.call("list_breakout_participants", OWNER, **path).body
    assert body[0] == sim.call("get_user", API_TOKEN, userId=people[USER]).body
    assert [each["id"] for each in body] == [people[USER], people[OPERATOR]]


@pytest.mark.rule("R466", "R473")
def test_images_of_assigned_and_linked_users_come_in_the_size_asked_for(sim, people):
    """imgSize chooses it, and a size that there is not is refused."""
    sim.call("set_user_image", USER, userId="me", body=b"\x89PNG\r\n\x1a\n")
    id = prepare(sim)
    room = add_room(sim, id)
    assign(sim, id, room, people[USER])
    sim.call("link_user", OWNER, uuid=EVENT_ROOM, userId=people[USER])
    path = {"uuid": EVENT_ROOM, "breakoutSession": id, "breakoutRoom": room}
    for operation, where in (("list_breakout_participants", path), ("list_linked_users", {"uuid": EVENT_ROOM})):
        (shown,) = sim.call(operation, OWNER, **where, imgSize="xlarge").body
        assert shown["imageUrl"].endswith("?size=xlarge")
        assert sim.call(operation, OWNER, **where, imgSize="huge").status == 400


@pytest.mark.rule("R465")
def test_an_assignment_is_removed(sim, people):
    """Who is not assigned to that room is a 404."""
    id = prepare(sim)
    room, other = add_room(sim, id), add_room(sim, id)
    assign(sim, id, room, people[USER])
    assert assign(sim, id, other, people[USER], "remove_breakout_participant").status == 404
    assert assign(sim, id, room, people[USER], "remove_breakout_participant").content == b""
    assert assigned(sim, id, room) == []
    assert assign(sim, id, room, people[USER], "remove_breakout_participant").status == 404


@pytest.mark.rule("R358", "R464", "R465")
@pytest.mark.parametrize("over", [False, True])
def test_assignments_stand_once_it_has_started(sim, people, over):
    """Adding and removing are 409s during the breakout session and after it."""
    id, room = routed(sim, people)
    if over:
        stop(sim)
    assert code(assign(sim, id, room, people[OWNER])) == (409, "breakout_started")
    assert code(assign(sim, id, room, people[USER], "remove_breakout_participant")) == (409, "breakout_started")
    assert assigned(sim, id, room) == ["Uma User"]


@pytest.mark.rule("R464")
@pytest.mark.parametrize(("choice", "status", "place"), [("move", 200, 1), ("refuse", 409, 0)])
def test_a_user_has_one_room(people, choice, status, place):
    """Assigned to a second one, the user is moved, or by assumption it is refused."""
    sim = demo(breakout__second_room=choice)
    id = prepare(sim)
    both = [add_room(sim, id), add_room(sim, id)]
    assign(sim, id, both[0], people[USER])
    assert assign(sim, id, both[1], people[USER]).status == status
    assert [assigned(sim, id, room) for room in both] == [["Uma User"] if at == place else [] for at in range(2)]


@pytest.mark.parametrize(
    ("choice", "statuses"), [("client", (200, 200, 200)), ("linked", (404, 404, 200)), ("present", (404, 200, 404))]
)
def test_who_can_be_assigned(people, choice, statuses):
    """Anybody of the client who may come in; or linked users; or those present. Guests of other channels never."""
    sim = demo(breakout__assignable=choice)
    id = prepare(sim)
    room = add_room(sim, id)
    linked = sim.call("create_linked_user", OWNER, uuid=EVENT_ROOM, body={"handle": "Linus"}).body["id"]
    sim.presence.join(EVENT_ROOM, OPERATOR)
    for who, status in zip((people[USER], people[OPERATOR], linked), statuses, strict=True):
        assert assign(sim, id, room, who).status == status
    assert assign(sim, id, room, people[GUEST]).status == 404
    assert assign(sim, id, room, people[OTHER_ADMIN]).status == 404


def test_regular_linked_users_count_as_linked(people):
    """Where linked users alone can be assigned, a user of the client who has been linked can (R473)."""
    sim = demo(breakout__assignable="linked")
    id = prepare(sim)
    room = add_room(sim, id)
    sim.call("link_user", OWNER, uuid=EVENT_ROOM, userId=people[USER])
    assert assign(sim, id, room, people[USER]).status == 200


# Refusals that all share


MANAGED = {
    "create_breakout_session": {"body": {}},
    "list_breakout_sessions": {},
    "update_breakout_session": {"breakoutSession": NOTHING, "body": {}},
    "delete_breakout_session": {"breakoutSession": NOTHING},
    "create_breakout_room": {"breakoutSession": NOTHING, "body": {}},
    "list_breakout_rooms": {"breakoutSession": NOTHING},
    "rename_breakout_room": {"breakoutSession": NOTHING, "breakoutRoom": NOTHING, "body": {}},
    "delete_breakout_room": {"breakoutSession": NOTHING, "breakoutRoom": NOTHING},
    "list_breakout_participants": {"breakoutSession": NOTHING, "breakoutRoom": NOTHING},
    "add_breakout_participant": {"breakoutSession": NOTHING, "breakoutRoom": NOTHING, "userId": 1004},
    "remove_breakout_participant": {"breakoutSession": NOTHING, "breakoutRoom": NOTHING, "userId": 1004},
    "start_breakout_session": {},
    "stop_breakout_session": {},
}
LINKING = {
    "create_linked_user": {"body": {"handle": "Linus"}},
    "list_linked_users": {},
    "link_user": {"userId": 1004},
    "unlink_user": {"userId": 1004},
}


@pytest.mark.rule("R406")
@pytest.mark.parametrize("operation", MANAGED)
def test_only_an_event_room_has_breakout_sessions(sim, operation):
    """Every call on another channel is a 403."""
    assert code(sim.call(operation, OWNER, uuid=ROOM, **MANAGED[operation])) == (403, "event_room_off")


@pytest.mark.parametrize("operation", [name for name, path in MANAGED.items() if "breakoutSession" in path])
def test_an_unknown_breakout_session_or_room_is_not_there(sim, operation):
    """Unknown ids, and the ids of another event room, are 404s."""
    assert sim.call(operation, OWNER, uuid=EVENT_ROOM, **MANAGED[operation]).status == 404
    known = {**MANAGED[operation], "breakoutSession": prepare(sim)}
    if "breakoutRoom" in known:
        assert sim.call(operation, OWNER, uuid=EVENT_ROOM, **known).status == 404
    sim.call("set_event_room_state", OWNER, uuid=ROOM, state="enable")
    assert sim.call(operation, OWNER, uuid=ROOM, **known).status == 404


@pytest.mark.parametrize(("caller", "status"), [(USER, 403), (GUEST, 403), (ADMIN, 403), (OTHER_ADMIN, 404)])
@pytest.mark.parametrize("operation", [*MANAGED, *LINKING])
def test_breakout_sessions_and_linked_users_are_for_hosts(sim, operation, caller, status):
    """Other users are refused, to other clients the channel is not there."""
    path = {**MANAGED, **LINKING}[operation]
    channel = ROOM if caller == GUEST else EVENT_ROOM
    if channel == ROOM:
        sim.call("set_event_room_state", OWNER, uuid=ROOM, state="enable")
    assert sim.call(operation, caller, uuid=channel, **path).status == status


@pytest.mark.parametrize("operation", [*MANAGED, *LINKING])
def test_operators_and_api_tokens_manage_them(sim, operation):
    """They pass the gate, whatever comes of the call."""
    for caller in (OPERATOR, API_TOKEN):
        assert sim.call(operation, caller, uuid=EVENT_ROOM, **{**MANAGED, **LINKING}[operation]).status != 403


@pytest.mark.parametrize(
    ("choice", "status", "left"), [("refuse", 409, [True, False]), ("stop", 200, [False]), ("delete", 200, [])]
)
def test_an_event_room_in_use(people, choice, status, left):
    """Disabling it while a breakout session is active is refused, stops it, or deletes all."""
    sim = demo(breakout__event_room_off=choice)
    routed(sim, people)
    prepare(sim)
    answer = sim.call("set_event_room_state", OWNER, uuid=EVENT_ROOM, state="disable")
    assert answer.status == status
    sim.call("set_event_room_state", OWNER, uuid=EVENT_ROOM, state="enable")
    assert [each["isActive"] for each in listed(sim)] == left


# Linked users


def link(sim, handle="Linus", uuid=EVENT_ROOM, **query):
    """Make a linked user and answer the id."""
    return sim.call("create_linked_user", OWNER, uuid=uuid, body={"handle": handle}, **query).body["id"]


def linked(sim, uuid=EVENT_ROOM):
    """The handles of the linked users of a channel."""
    return [each["handle"] for each in sim.call("list_linked_users", OWNER, uuid=uuid).body]


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
    assert sim.call("list_sessions", ADMIN).body["total"] == 0


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


@pytest.mark.rule("R489", "R491", "R492")
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
def test_a_phone_reaches_a_room_by_its_meeting_id(sim, people):
    """The caller is in the room, not in the event room above it."""
    id, room = routed(sim, people)
    place = rooms(sim, id)[0]["channelUuid"]
    assert sim.call("set_dial_in_state", ADMIN, uuid=place, state="enable").ok
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
