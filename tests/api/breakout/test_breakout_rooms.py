"""Breakout rooms, who is in them, and what all calls refuse."""

from __future__ import annotations

import pytest

from kit import (
    ADMIN,
    API_TOKEN,
    EVENT_ROOM,
    GUEST,
    NOTHING,
    OPERATOR,
    OTHER_ADMIN,
    OWNER,
    ROOM,
    USER,
    code,
    demo,
)
from kit.things.breakout import add_room, assign, assigned, listed, prepare, rooms, routed, start, stop, where

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


@pytest.mark.rule("R461")
def test_a_room_that_was_closed_is_renamed(people):
    """Where a stopped breakout session can start again, its rooms and their channels have the new name when it does."""
    sim = demo(breakout__after_stop="prepared")
    breakout, room = routed(sim, people)
    stop(sim)
    path = {"breakoutSession": breakout, "breakoutRoom": room}
    assert sim.call("rename_breakout_room", OWNER, uuid=EVENT_ROOM, **path, body={"name": "Blue"}).ok
    assert [each["name"] for each in rooms(sim, breakout)] == ["Blue"]
    place = rooms(sim, breakout)[0]["channelUuid"]
    assert sim.call("get_channel", OWNER, uuid=place).body["channelName"] == "Blue"


@pytest.mark.rule("R461")
def test_a_room_without_its_channel_is_renamed_while_the_breakout_session_goes_on(sim, people):
    """The room is closed when its channel is deleted, but the breakout session is not completed."""
    breakout, room = routed(sim, people)
    assert sim.call("delete_channel", OWNER, uuid=rooms(sim, breakout)[0]["channelUuid"]).ok
    path = {"uuid": EVENT_ROOM, "breakoutSession": breakout, "breakoutRoom": room}
    assert sim.call("rename_breakout_room", OWNER, **path, body={"name": "Blue"}).ok
    assert [each["name"] for each in rooms(sim, breakout)] == ["Blue"]
    stop(sim)
    assert code(sim.call("rename_breakout_room", OWNER, **path, body={"name": "Red"})) == (409, "breakout_completed")


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


def test_a_session_in_the_channel_of_a_room_is_the_one_of_the_room(people):
    """Before the start and after the end, too, where a recording of that channel starts a session."""
    sim = demo(breakout__room_channel="creation", recordings__without_session="start-session")
    id = prepare(sim)
    add_room(sim, id)
    place = rooms(sim, id)[0]["channelUuid"]
    assert "sessionId" not in rooms(sim, id)[0]
    assert sim.call("start_recording", API_TOKEN, uuid=place).ok
    first = rooms(sim, id)[0]["sessionId"]
    start(sim)
    assert rooms(sim, id)[0]["sessionId"] == first
    stop(sim)
    assert sim.call("start_recording", API_TOKEN, uuid=place).ok
    assert rooms(sim, id)[0]["sessionId"] not in {first, None}


@pytest.mark.parametrize("state", ["prepared", "completed"])
def test_a_room_whose_channel_is_deleted_has_none(people, state):
    """Neither channel nor session; a room that is not over gets new ones at the start."""
    sim = demo(breakout__room_channel="creation")
    id = prepare(sim)
    room = add_room(sim, id)
    if state == "completed":
        start(sim)
        stop(sim)
    place = rooms(sim, id)[0]["channelUuid"]
    sim.call("get_streaming_proxy", OWNER, uuid=place)
    assert sim.call("delete_channel", ADMIN, uuid=place).ok
    left = rooms(sim, id)[0]
    assert (left["id"], left.keys() & {"channelUuid", "sessionId"}) == (room, set())
    if state == "prepared":
        assert start(sim).ok
        assert rooms(sim, id)[0]["channelUuid"] != place


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
    for operation, named in (("list_breakout_participants", path), ("list_linked_users", {"uuid": EVENT_ROOM})):
        (shown,) = sim.call(operation, OWNER, **named, imgSize="xlarge").body
        assert shown["imageUrl"].endswith("?size=xlarge")
        assert sim.call(operation, OWNER, **named, imgSize="huge").status == 400


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
    """Adding, moving and removing are 409s during the breakout session and after it."""
    id = prepare(sim)
    room, other = add_room(sim, id), add_room(sim, id)
    assign(sim, id, room, people[USER])
    start(sim)
    if over:
        stop(sim)
    for user, place in ((OWNER, room), (USER, other)):
        assert code(assign(sim, id, place, people[user])) == (409, "breakout_started")
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


def test_whoever_is_moved_to_a_room_comes_after_those_assigned_to_it(sim, people):
    """Though first assigned anywhere: the order is that of the assignments to this room."""
    id = prepare(sim)
    first, second = add_room(sim, id), add_room(sim, id)
    assign(sim, id, first, people[USER])
    assign(sim, id, second, people[OPERATOR])
    assign(sim, id, second, people[USER])
    path = {"uuid": EVENT_ROOM, "breakoutSession": id, "breakoutRoom": second}
    body = sim.call("list_breakout_participants", OWNER, **path).body
    assert [each["id"] for each in body] == [people[OPERATOR], people[USER]]


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


def there(sim, operation):
    """The arguments of a call, naming a breakout session and a room that the event room has."""
    breakout = prepare(sim)
    room = add_room(sim, breakout)
    made = {"breakoutSession": breakout, "breakoutRoom": room}
    return {name: made.get(name, value) for name, value in {**MANAGED, **LINKING}[operation].items()}


@pytest.mark.rule("R406")
@pytest.mark.parametrize("operation", MANAGED)
def test_only_an_event_room_has_breakout_sessions(sim, operation):
    """Every call on a channel that is one no longer is a 403."""
    arguments = there(sim, operation)
    sim.call("set_event_room_state", OWNER, uuid=EVENT_ROOM, state="disable")
    assert code(sim.call(operation, OWNER, uuid=EVENT_ROOM, **arguments)) == (403, "event_room_off")


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
    assert sim.call(operation, caller, uuid=EVENT_ROOM, **there(sim, operation)).status == status


@pytest.mark.parametrize("operation", [*MANAGED, *LINKING])
def test_operators_and_api_tokens_manage_them(sim, operation):
    """They pass the gate, whatever comes of the call."""
    for caller in (OPERATOR, API_TOKEN):
        assert sim.call(operation, caller, uuid=EVENT_ROOM, **there(sim, operation)).status != 403


@pytest.mark.parametrize(
    ("choice", "status", "left"), [("refuse", 409, [True, False]), ("stop", 200, [False]), ("delete", 200, [])]
)
def test_an_event_room_in_use(people, choice, status, left):
    """Disabling it while a breakout session is active is refused, stops it, or deletes all."""
    sim = demo(breakout__event_room_off=choice) if choice != "refuse" else demo()
    routed(sim, people)
    prepare(sim)
    answer = sim.call("set_event_room_state", OWNER, uuid=EVENT_ROOM, state="disable")
    assert answer.status == status
    sim.call("set_event_room_state", OWNER, uuid=EVENT_ROOM, state="enable")
    assert [each["isActive"] for each in listed(sim)] == left
