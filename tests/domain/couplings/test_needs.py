"""The needs of machines: what is fired on another before one moves."""

from __future__ import annotations

from kit import ADMIN, EVENT_ROOM, OWNER, ok


def test_who_is_called_from_an_open_breakout_room_is_in_that_room(sim):
    """The phone joins the event room and is led to the room from which it was called."""
    breakout = ok(sim, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={})["id"]
    room = ok(sim, "create_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=breakout, body={})["id"]
    sim.presence.join(EVENT_ROOM, 1002)
    ok(sim, "start_breakout_session", OWNER, uuid=EVENT_ROOM)
    (listed,) = ok(sim, "list_breakout_rooms", OWNER, uuid=EVENT_ROOM, breakoutSession=breakout)
    place = listed["channelUuid"]
    ok(sim, "set_dial_out_state", ADMIN, uuid=place, state="enable")
    ok(sim, "dial_unregistered_user", OWNER, uuid=place, body={"number": "+12025550147", "name": "Bob"})
    sim.clock.advance("1m")
    assert [(each.state, each.room) for each in sim.presence(EVENT_ROOM) if each.userId != 1002] == [("in", room)]
