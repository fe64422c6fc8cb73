"""The lobby's machines."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.conventions import turn
from confsim.domain.identity import credentials
from confsim.domain.runtime import lobby, presence
from confsim.domain.runtime.lobby import Door
from confsim.domain.runtime.presence import Where
from confsim.kernel.rows import OnOff
from kit import CUSTOMER, EVENT_ROOM, ROOM, USER


@pytest.fixture
def room():
    """A change of the demo world, and its room."""
    change = Simulator(clock=0).service.change()
    return change, channels.get(change, CUSTOMER, ROOM)


@pytest.mark.parametrize(("trigger", "state"), [("open", Door.OPEN), ("close", Door.CLOSED)])
@pytest.mark.parametrize("before", [True, False])
def test_the_door_goes_where_it_is_reported(room, before, trigger, state):
    """From either state, and stored with the channel."""
    change, channel = room
    channel = turn(change, lobby.DOOR.to(trigger), channels.update(change, channel, open=before))
    assert lobby.DOOR.state(channel) is state
    assert channels.get(change, CUSTOMER, ROOM).open is (state is Door.OPEN)


@pytest.mark.parametrize(("auto", "door"), [(True, Door.CLOSED), (False, Door.OPEN)])
def test_becoming_empty_closes_the_door_by_auto_close_alone(room, auto, door):
    """Without auto-close the trigger has no row."""
    change, channel = room
    channel = channels.update(change, channel, open=True, auto_close=auto)
    assert lobby.DOOR.state(lobby.BECOME_EMPTY.if_allowed(change, channel)) is door


def test_auto_close_stays_on(room):
    """Closing the door leaves auto-close as it is."""
    change, channel = room
    channel = turn(change, lobby.AUTO_CLOSE.to("enable"), channels.update(change, channel, open=True))
    channel = lobby.BECOME_EMPTY.if_allowed(change, channel)
    assert lobby.AUTO_CLOSE.state(channel) is OnOff.ON


@pytest.mark.rule("R342")
@pytest.mark.parametrize(("choice", "open_"), [("with-rooms", True), ("channel", False)])
def test_whether_users_in_breakout_rooms_keep_the_door_open(choice, open_):
    """Nobody is in the event room itself when its last user goes to a room; it is empty then, or not yet (G334)."""
    change = Simulator(clock=0, profile={"lobby.empty": choice}).service.change()
    event_room = turn(change, lobby.AUTO_CLOSE.to("enable"), channels.get(change, CUSTOMER, EVENT_ROOM))
    event_room = turn(change, lobby.DOOR.to("open"), event_room)
    prepared = breakouts.create(change, event_room, None, None)
    uma = credentials.authenticate(change, USER).user
    room = breakout_rooms.add_room(change, prepared, None)
    assignments.assign(change, event_room, prepared, room, uma)
    presence.join(change, clients.get(change, CUSTOMER), event_room, uma)
    assert channels.get(change, CUSTOMER, EVENT_ROOM).open is True
    breakouts.start(change, event_room)
    event_room = channels.get(change, CUSTOMER, EVENT_ROOM)
    assert presence.find(change, event_room, uma.id).state is Where.IN_ROOM
    assert event_room.open is open_
    assert breakouts.find_active(change, event_room) is not None
    presence.leave(change, event_room, uma.id)
    assert channels.get(change, CUSTOMER, EVENT_ROOM).open is False
