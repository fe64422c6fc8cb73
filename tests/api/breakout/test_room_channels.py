"""The channel of a breakout room: what it has of its own, how long it lives, and rooms below rooms."""

from __future__ import annotations

import pytest

from confsim.kernel.refusal import Misuse
from kit import API_TOKEN, EVENT_ROOM, OWNER, demo


def start(sim, channel=EVENT_ROOM, users=()):
    """Start a breakout session with one room and these users in it; returns the channel of the room."""
    made = sim.call("create_breakout_session", OWNER, uuid=channel, body={}).body["id"]
    room = sim.call("create_breakout_room", OWNER, uuid=channel, breakoutSession=made, body={}).body["id"]
    for user in users:
        where = {"uuid": channel, "breakoutSession": made, "breakoutRoom": room, "userId": user}
        assert sim.call("add_breakout_participant", OWNER, **where).ok
    assert sim.call("start_breakout_session", OWNER, uuid=channel).ok
    return sim.call("list_breakout_rooms", OWNER, uuid=channel, breakoutSession=made).body[0]["channelUuid"]


@pytest.fixture
def sim():
    """The demo world."""
    return demo()


@pytest.fixture
def room(sim):
    """The channel of a room with a user in it, while the owner is in the event room."""
    channel = start(sim, users=[sim.demo.user])
    sim.presence.join(EVENT_ROOM, sim.demo.owner)
    sim.presence.join(EVENT_ROOM, sim.demo.user)
    return channel


def present(sim, channel):
    """By user, whether everybody of a channel is in a room, and whether muted."""
    return {each.userId: (each.room is not None, each.muted) for each in sim.control("list_presence", channel=channel)}


def test_what_is_set_for_the_channel_of_a_room_is_shown_and_does_not_hold_in_it(sim, room):
    """Lock, limit and door are those of the event room; what is set says that it leans on this."""
    user = sim.demo.user
    for operation, words in (
        ("set_attendees_state", {"state": "mute"}),
        ("set_presenters_limit", {"limit": 0}),
        ("set_lobby_auto_close", {"state": "enable"}),
        ("set_lobby_door", {"state": "close"}),
    ):
        assert sim.call(operation, OWNER, uuid=room, **words).ok
        assert "breakout.room-settings" in sim.service.journal.last().assumptions
    shown = sim.call("get_channel_settings", OWNER, uuid=room).body
    assert (shown["muteAttendees"], shown["presentersLimit"], shown["autoClose"], shown["open"]) == (
        True,
        0,
        True,
        False,
    )
    assert present(sim, EVENT_ROOM)[user] == (True, False)
    sim.call("set_attendees_state", OWNER, uuid=EVENT_ROOM, state="mute")
    assert present(sim, EVENT_ROOM)[user] == (True, True)
    sim.call("set_attendees_state", OWNER, uuid=EVENT_ROOM, state="unmute")
    assert "breakout.room-settings" not in sim.service.journal.last().assumptions


def test_the_session_of_a_room_lasts_as_long_as_the_breakout_session(sim, room):
    """Also while nobody is in it."""
    sim.presence.leave(room, sim.demo.user)

    def ended():
        return ["ended" in each for each in sim.call("list_sessions", OWNER, channel=room).body["results"]]

    assert ended() == [False]
    sim.call("stop_breakout_session", OWNER, uuid=EVENT_ROOM)
    assert ended() == [True]
    assert sim.call("get_channel", OWNER, uuid=room).ok
    with pytest.raises(Misuse):
        sim.presence.join(room, sim.demo.user)


def test_the_channel_of_a_room_can_be_deleted_while_it_is_in_use(sim, room):
    """Those inside are in the event room then; with the event room its rooms' channels go."""
    assert sim.call("delete_channel", OWNER, uuid=room).ok
    assert present(sim, EVENT_ROOM)[sim.demo.user] == (False, False)
    assert sim.call("stop_breakout_session", OWNER, uuid=EVENT_ROOM).ok
    other = start(sim)
    sim.call("delete_channel", OWNER, uuid=EVENT_ROOM)
    assert sim.call("get_channel", OWNER, uuid=other).status == 404


def test_a_room_below_a_room_is_one_of_the_event_room(sim, room):
    """Its hosts are those of the event room, and it goes with that."""
    assert sim.call("set_event_room_state", OWNER, uuid=room, state="enable").ok
    inner = start(sim, room)
    assert sim.call("get_channel", OWNER, uuid=inner).body["parent"] == EVENT_ROOM
    for operation in (
        "get_channel_settings",
        "list_owners",
        "list_dial_pins",
        "get_streaming_proxy",
        "get_channel_config",
    ):
        assert sim.call(operation, OWNER, uuid=inner).ok, operation
    assert sim.call("add_operator", API_TOKEN, uuid=inner, userId=sim.demo.user).ok
    assert sim.call("delete_channel", OWNER, uuid=EVENT_ROOM).ok
    assert {sim.call("get_channel", OWNER, uuid=each).status for each in (room, inner)} == {404}
