"""Breakout rooms are rooms of their event room: sessions, features, template, configuration, PINs."""

from __future__ import annotations

import pytest

from kit import ADMIN, EVENT_ROOM, OWNER, USER, demo, ok
from kit.each import each
from kit.things.breakout import add_room, assign, prepare, rooms, start, stop

#: The features of a channel that a room has from its event room: the call, and the field of the settings.
FEATURES = {
    "set_speech2text_state": "speech2text",
    "set_dial_in_state": "dialIn",
    "set_dial_out_state": "dialOut",
    "set_midi_state": "midi",
    "set_wall_state": "disableWall",
}


def switch(sim, operation, state, uuid=EVENT_ROOM):
    """Switch a feature of a channel."""
    caller = OWNER if operation in ("set_midi_state", "set_wall_state") else ADMIN
    ok(sim, operation, caller, uuid=uuid, state=state)


def shown(sim, uuid):
    """The features of a channel, each as whether it is enabled."""
    settings = ok(sim, "get_channel_settings", OWNER, uuid=uuid)
    return {name: settings[name] is not (name == "disableWall") for name in FEATURES.values()}


def begin(sim, people=()):
    """Start a breakout session with two rooms; these users are in the first. Returns the channels of the rooms."""
    made = prepare(sim)
    first = add_room(sim, made)
    add_room(sim, made)
    for user in people:
        assert assign(sim, made, first, user).ok
        sim.presence.join(EVENT_ROOM, user)
    sim.presence.join(EVENT_ROOM, OWNER)
    assert start(sim).ok
    return [each["channelUuid"] for each in rooms(sim, made)]


def session_of(sim, uuid):
    """The session of a channel that has not ended, as the list of sessions has it; None if there is none."""
    found = ok(sim, "list_sessions", OWNER, channel=uuid)["results"]
    return next((each for each in found if "ended" not in each), None)


@pytest.mark.rule("R285", "R288", "R353")
def test_a_host_who_changes_rooms_is_in_the_session_of_the_room(sim):
    """The session has begun, has the host as participant, can be recorded and ended."""
    places = begin(sim)
    for place in (*places, places[0]):
        joined = sim.presence.join(place, OWNER)
        assert joined.session == session_of(sim, place)["id"]
        people = ok(sim, "list_session_participants", OWNER, sessionId=joined.session)
        assert [each["id"] for each in people] == [sim.demo.owner]
    assert sim.call("start_recording", OWNER, uuid=places[0]).ok
    assert sim.call("end_active_session", OWNER, uuid=places[0]).ok
    assert sim.call("end_active_session", OWNER, uuid=places[0]).status == 404


@pytest.mark.rule("R287", "R357")
def test_who_returns_from_a_room_is_counted_in_the_peak():
    """Two users were never in the event room at once before the breakout session ended."""
    sim = demo(sessions__participants_count="peak")
    made = prepare(sim)
    room = add_room(sim, made)
    assign(sim, made, room, sim.demo.user)
    sim.presence.join(EVENT_ROOM, OWNER)
    assert start(sim).ok
    sim.presence.leave(EVENT_ROOM, sim.demo.owner)
    sim.presence.join(EVENT_ROOM, USER)
    sim.presence.join(EVENT_ROOM, OWNER)
    stop(sim)
    assert len(sim.presence(EVENT_ROOM)) == 2
    assert session_of(sim, EVENT_ROOM)["participantsCount"] == 2


@pytest.mark.parametrize(("choice", "ends"), [("with-breakout", False), ("when-empty", True)])
def test_whether_the_session_of_a_room_ends_with_its_last_user(choice, ends):
    """It lasts as long as the breakout session; by assumption it ends, and the next user begins another."""
    sim = demo(breakout__room_sessions=choice)
    place, other = begin(sim, [sim.demo.user])
    first = session_of(sim, place)["id"]
    sim.presence.leave(EVENT_ROOM, sim.demo.user)
    assert (session_of(sim, place) is None) is ends
    again = sim.presence.join(place, USER).session
    assert (again != first) is ends
    sim.presence.join(place, OWNER)
    sim.presence.leave(EVENT_ROOM, sim.demo.user)
    assert session_of(sim, place)["id"] == again
    sim.presence.join(other, OWNER)
    assert (session_of(sim, place) is None) is ends
    assert session_of(sim, other) is not None


@pytest.mark.rule("R315", "R352")
@each("choice, at_start, later", [("event-room", True, True), ("start", True, False), ("client", False, False)])
def test_whose_features_a_room_has(choice, at_start, later):
    """Those of the event room, as they are or as they were at the start, or those of new channels (G438)."""
    sim = demo(breakout__room_settings=choice)
    before = shown(sim, ok(sim, "create_channel", OWNER, body={"name": "New"})["channelUuid"])
    for operation, name in FEATURES.items():
        switch(sim, operation, "disable" if before[name] else "enable")
    changed = shown(sim, EVENT_ROOM)
    assert changed == {name: not enabled for name, enabled in before.items()}
    place, _ = begin(sim)
    assert shown(sim, place) == (changed if at_start else before)
    for operation, name in FEATURES.items():
        switch(sim, operation, "enable" if before[name] else "disable")
    assert shown(sim, place) == (before if later or not at_start else changed)


def test_a_feature_that_is_switched_for_a_room_is_its_own(sim):
    """Until the event room's is switched."""
    place, _ = begin(sim)
    switch(sim, "set_dial_in_state", "enable", place)
    assert (shown(sim, place)["dialIn"], shown(sim, EVENT_ROOM)["dialIn"]) == (True, False)
    switch(sim, "set_dial_in_state", "enable")
    switch(sim, "set_dial_in_state", "disable")
    assert shown(sim, place)["dialIn"] is False


@pytest.mark.rule("R436", "R438")
@pytest.mark.parametrize(("choice", "follows"), [("event-room", True), ("start", True), ("client", False)])
def test_template_and_configuration_of_the_event_room_hold_in_its_rooms(choice, follows):
    """A room can have its own on top of them."""
    sim = demo(breakout__room_settings=choice)
    template = ok(sim, "create_template", body={"name": "Blue"})["id"]
    ok(sim, "set_template_state", templateId=template, state="enable")
    ok(sim, "set_template_config", templateId=template, body={"ui": {"t": 1}})
    ok(sim, "select_channel_template", OWNER, uuid=EVENT_ROOM, templateId=template)
    ok(sim, "set_channel_config", OWNER, uuid=EVENT_ROOM, body={"ui": {"c": 2}})
    place, other = begin(sim)
    ok(sim, "set_channel_config", OWNER, uuid=other, body={"ui": {"c": 3}})
    assert ok(sim, "get_channel_config", OWNER, uuid=place) == ({"ui": {"t": 1, "c": 2}} if follows else {})
    assert ok(sim, "get_channel_config", OWNER, uuid=other) == {"ui": {"t": 1, "c": 3} if follows else {"c": 3}}
    found = sim.call("get_channel_template", OWNER, uuid=place)
    assert (found.ok and found.body["id"] == template) is follows


@pytest.mark.rule("R478", "R479")
@pytest.mark.parametrize(("choice", "shared"), [("event-room", True), ("client", False)])
def test_pins_of_the_event_room_hold_in_its_rooms(choice, shared):
    """Whichever of the two they are set for, and deleting the channel of a room deletes none."""
    sim = demo(breakout__room_settings=choice)
    ok(sim, "add_dial_pin", OWNER, uuid=EVENT_ROOM, body={"pin": "2468"})
    place, other = begin(sim)
    ok(sim, "add_dial_pin", OWNER, uuid=place, body={"pin": "1357"})

    def pins(uuid):
        return [each["pin"] for each in ok(sim, "list_dial_pins", OWNER, uuid=uuid)]

    both = ["2468", "1357"]
    assert (pins(place), pins(EVENT_ROOM), pins(other)) == ((both, both, both) if shared else (["1357"], ["2468"], []))
    ok(sim, "delete_channel", OWNER, uuid=place)
    assert pins(EVENT_ROOM) == (both if shared else ["2468"])
