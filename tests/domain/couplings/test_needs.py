"""The needs of machines: what is fired on another before one moves."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.channels import channels
from confsim.domain.identity import credentials
from confsim.domain.recordings import recordings
from confsim.domain.runtime import sessions
from confsim.domain.runtime.sessions import SessionState
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, OWNER, ROOM, ok, refused
from kit.things.channels import initialise


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


def recording(choice):
    """A change, the demo room, and an API token that may record in it."""
    change = Simulator(clock=0, profile={"recordings.without-session": choice}).service.change()
    return change, channels.get(change, CUSTOMER, ROOM), credentials.authenticate(change, API_TOKEN)


@pytest.mark.parametrize("initialised", [False, True])
def test_a_recording_starts_the_session_of_its_channel(initialised):
    """The one that waits for its first user, or a new one; a second is not made (G483)."""
    change, channel, caller = recording("start-session")
    before = initialise(change, channel) if initialised else None
    recordings.start(change, channel, caller)
    (session,) = sessions.SESSIONS.of(change, CUSTOMER).all
    assert session.state is SessionState.ONGOING
    assert before is None or session.id == before.id
    assert recordings.find_running(change, CUSTOMER, ROOM).session == session.id


def test_a_recording_needs_an_active_session_by_default():
    """One that waits for its first user is none, and goes on waiting (G483)."""
    change, channel, caller = recording("refuse")
    session = initialise(change, channel)
    assert refused(recordings.start, change, channel, caller) is Reason.RECORDING_NEEDS_SESSION
    assert sessions.find_open(change, CUSTOMER, ROOM) == session
