"""Those who come in by another way than joining are asked what a join asks."""

from __future__ import annotations

import pytest

from confsim.kernel.refusal import Misuse
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, GUEST, OWNER, ROOM, USER, demo
from kit.each import each
from kit.things.breakout import add_room, prepare, rooms, routed, start, where

PHONE = "+12025550123"


def waiting(sim, *tokens):
    """Close the door of the room, and let these users wait before it."""
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    for token in tokens:
        assert sim.presence.join(ROOM, token).state == "waiting"


def states(sim, channel=ROOM):
    """Where everybody is."""
    return {each.userId: each.state for each in sim.presence(channel)}


def publish(sim):
    """Publish new terms, which guests may skip."""
    sim.change_record("client", CUSTOMER, termsRequired=False)
    assert sim.call("promulgate_terms", ADMIN, body={"url": "https://terms.example/2"}).ok


#: What the customer or the owner does while somebody waits, and the token of the one whom it concerns.
CHANGES = {
    "guest_access_off": (GUEST, lambda sim: sim.call("set_guest_access", OWNER, uuid=ROOM, state="disable")),
    "terms_not_accepted": (USER, publish),
    "channel_private": (USER, lambda sim: sim.change_record("channel", ROOM, private=True)),
}


@pytest.mark.rule("R339", "R340", "R105")
@each("reason", list(CHANGES))
def test_who_waits_is_asked_again_when_let_in(people, reason):
    """An admission is refused as a join is; the opened door leaves the user waiting, and others enter."""
    token, act = CHANGES[reason]
    other = USER if token is GUEST else GUEST
    sim = demo()
    waiting(sim, USER, GUEST)
    act(sim)
    assert states(sim) == {people[USER]: "waiting", people[GUEST]: "waiting"}
    with pytest.raises(Misuse) as refused:
        sim.presence.admit(ROOM, people[token])
    assert refused.value.facts["reason"] == reason
    sim.call("set_lobby_door", API_TOKEN, uuid=ROOM, state="open")
    assert states(sim) == {people[token]: "waiting", people[other]: "in"}
    sim.presence.leave(ROOM, people[token])
    with pytest.raises(Misuse) as refused:
        sim.presence.join(ROOM, token)
    assert refused.value.facts["reason"] == reason


@pytest.mark.rule("R105")
def test_who_accepts_the_terms_is_let_in(people):
    """The user goes on waiting until then."""
    sim = demo()
    waiting(sim, USER)
    publish(sim)
    assert sim.call("accept_terms", USER, version=sim.call("get_user_terms", USER).body["currentVersion"]).ok
    assert sim.presence.admit(ROOM, people[USER]) == "in"


@each("choice, left", [("wait", False), ("leave", True)])
@each("reason", ["guest_access_off", "terms_not_accepted"])
def test_a_changed_rule_may_put_those_who_wait_out(people, choice, left, reason):
    """By assumption (lobby.rule-changes); others wait on."""
    token, act = CHANGES[reason]
    other = USER if token is GUEST else GUEST
    sim = demo(lobby__rule_changes=choice)
    waiting(sim, USER, GUEST)
    act(sim)
    assert states(sim) == {people[other]: "waiting"} | ({} if left else {people[token]: "waiting"})


@pytest.mark.parametrize(("choice", "found"), [("wait", "waiting"), ("leave", None)])
def test_a_phone_waits_while_dial_in_is_switched_off(choice, found):
    """It is not let in then, and by assumption leaves at once."""
    sim = demo(lobby__rule_changes=choice)
    waiting(sim)
    sim.call("set_dial_in_state", ADMIN, uuid=ROOM, state="enable")
    caller = sim.control("dial_in", number=PHONE, meetingId=sim.call("get_channel", OWNER, uuid=ROOM).body["meetingId"])
    sim.call("set_dial_in_state", ADMIN, uuid=ROOM, state="disable")
    assert states(sim).get(caller.userId) == found
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="open")
    assert states(sim).get(caller.userId) == found


def breakout(sim):
    """A breakout session with one room, where nobody is assigned; returns the channel of the room."""
    sim.call("set_dial_in_state", ADMIN, uuid=EVENT_ROOM, state="enable")
    made = prepare(sim)
    add_room(sim, made)
    sim.presence.join(EVENT_ROOM, OWNER)
    assert start(sim).ok
    return rooms(sim, made)[0]["channelUuid"]


@pytest.mark.parametrize(("choice", "room"), [("assigned", None), ("room", True), ("event-room", False)])
def test_where_a_phone_gets_that_dials_a_room(choice, room):
    """It has no assignment and is refused; by assumption it gets to the room or to the event room."""
    sim = demo(breakout__phones=choice)
    place = breakout(sim)
    dialled = {"number": PHONE, "meetingId": sim.call("get_channel", OWNER, uuid=place).body["meetingId"]}
    if room is None:
        with pytest.raises(Misuse) as refused:
            sim.control("dial_in", **dialled)
        assert refused.value.facts["reason"] == "no_room_assigned"
    else:
        caller = sim.control("dial_in", **dialled).userId
        assert (where(sim)[caller] is not None) is room


@pytest.mark.rule("R479")
def test_a_phone_that_dials_a_room_is_held_to_the_event_room(sim):
    """To its switch and to its PINs, whatever the room's channel has."""
    sim = demo(breakout__phones="room")
    place = breakout(sim)
    dialled = {"number": PHONE, "meetingId": sim.call("get_channel", OWNER, uuid=place).body["meetingId"]}
    assert sim.call("add_dial_pin", OWNER, uuid=EVENT_ROOM, body={"pin": "2468"}).ok
    with pytest.raises(Misuse) as refused:
        sim.control("dial_in", **dialled)
    assert refused.value.facts["reason"] == "pin_wrong"
    assert sim.control("dial_in", **dialled, pin="2468").state == "in"
    sim.call("set_dial_in_state", ADMIN, uuid=EVENT_ROOM, state="disable")
    with pytest.raises(Misuse) as refused:
        sim.control("dial_in", **dialled, pin="2468")
    assert refused.value.facts["reason"] == "dial_in_off"


@pytest.mark.rule("R355")
@pytest.mark.parametrize(("choice", "enters"), [("assigned", False), ("anyone", True)])
def test_who_goes_to_a_room_by_themselves(people, choice, enters):
    """Hosts to any, others to their own, or by assumption everyone to any."""
    sim = demo(breakout__entering=choice)
    place = breakout(sim)
    assert sim.presence.join(place, OWNER).state == "in"
    if enters:
        assert sim.presence.join(place, USER).state == "in"
    else:
        with pytest.raises(Misuse):
            sim.presence.join(place, USER)
    assert (people[USER] in where(sim)) is enters


@pytest.mark.rule("R105")
def test_who_goes_to_a_room_from_inside_is_asked_again(people):
    """After new terms the owner stays in the event room, and does not get to a room."""
    sim = demo()
    made, _ = routed(sim, people)
    publish(sim)
    with pytest.raises(Misuse) as refused:
        sim.presence.join(rooms_of(sim, made), OWNER)
    assert refused.value.facts["reason"] == "terms_not_accepted"
    assert where(sim)[people[OWNER]] is None


def rooms_of(sim, breakout):
    """The channel of the first room, read by an API token, which no terms bind."""
    path = {"uuid": EVENT_ROOM, "breakoutSession": breakout}
    return sim.call("list_breakout_rooms", API_TOKEN, **path).body[0]["channelUuid"]


@pytest.mark.parametrize(("choice", "status"), [(False, 200), (True, 401)])
def test_whether_a_callee_must_have_accepted_the_terms(people, choice, status):
    """A phone shows none, and so does not ask; or by assumption the call is refused."""
    sim = demo(dial__callees_terms=choice)
    sim.call("set_dial_out_state", ADMIN, uuid=ROOM, state="enable")
    publish(sim)
    sim.call("accept_terms", OWNER, version=sim.call("get_user_terms", OWNER).body["currentVersion"])
    answer = sim.call("dial_registered_user", OWNER, uuid=ROOM, body={"number": PHONE, "sipUserId": people[USER]})
    assert answer.status == status


@pytest.mark.parametrize("choice", [False, True])
def test_whether_phones_need_guest_access(choice):
    """PINs and the switch of dial-in guard them; by assumption guest access, too."""
    sim = demo(dial_in__guest_access=choice)
    sim.call("set_guest_access", OWNER, uuid=ROOM, state="disable")
    sim.call("set_dial_in_state", ADMIN, uuid=ROOM, state="enable")
    dialled = {"number": PHONE, "meetingId": sim.call("get_channel", OWNER, uuid=ROOM).body["meetingId"]}
    if choice:
        with pytest.raises(Misuse):
            sim.control("dial_in", **dialled)
    else:
        assert sim.control("dial_in", **dialled).state == "in"


@pytest.mark.parametrize("choice", [False, True])
def test_whether_linked_users_need_guest_access(choice):
    """They are invited by name, and do not; by assumption they do."""
    sim = demo(linked_users__guest_access=choice)
    made = sim.call("create_linked_user", OWNER, uuid=ROOM, body={"handle": "Linus"}).body["id"]
    sim.call("set_guest_access", OWNER, uuid=ROOM, state="disable")
    if choice:
        with pytest.raises(Misuse):
            sim.presence.join(ROOM, made)
    else:
        assert sim.presence.join(ROOM, made).state == "in"


@pytest.mark.parametrize(("choice", "state"), [("enter", "in"), ("wait", "waiting")])
@pytest.mark.parametrize("operation", ["add_operator", "add_owner"])
def test_who_waits_and_becomes_a_host(people, choice, state, operation):
    """The user enters as hosts do, or by assumption keeps waiting."""
    sim = demo(lobby__new_hosts=choice)
    waiting(sim, USER)
    assert sim.call(operation, OWNER, uuid=ROOM, userId=people[USER]).ok
    assert states(sim) == {people[USER]: state}


@pytest.mark.rule("R353")
@pytest.mark.parametrize(("choice", "left"), [("disconnect", {}), ("wait", {1004: "waiting"})])
@pytest.mark.parametrize("is_empty", [True, False])
def test_those_who_wait_when_a_call_ends_the_session(people, choice, left, is_empty):
    """They are disconnected, whether or not anybody is inside; or by assumption keep waiting."""
    sim = demo(lobby__session_ends=choice, duration__session_grace=60_000)
    waiting(sim, USER)
    sim.presence.join(ROOM, OWNER)
    if is_empty:
        sim.presence.leave(ROOM, people[OWNER])
    assert sim.call("end_active_session", OWNER, uuid=ROOM).ok
    assert states(sim) == left


def test_those_who_wait_when_the_session_ends_by_itself(sim, people):
    """They keep waiting."""
    waiting(sim, USER)
    sim.presence.join(ROOM, OWNER)
    sim.presence.leave(ROOM, people[OWNER])
    assert states(sim) == {people[USER]: "waiting"}
