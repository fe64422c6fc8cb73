"""The lobby's machines."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.channels import channels
from confsim.domain.runtime import lobby
from confsim.domain.runtime.lobby import AutoClose, Door
from kit import CUSTOMER, ROOM


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
    channel = lobby.set_door(change, channels.update(change, channel, open=before), trigger)
    assert lobby.DOOR.state(channel) is state
    assert channels.get(change, CUSTOMER, ROOM).open is (state is Door.OPEN)


@pytest.mark.parametrize(("auto", "door"), [(True, Door.CLOSED), (False, Door.OPEN)])
def test_becoming_empty_closes_the_door_by_auto_close_alone(room, auto, door):
    """Without auto-close the trigger has no row."""
    change, channel = room
    channel = channels.update(change, channel, open=True, auto_close=auto)
    assert lobby.DOOR.state(lobby.DOOR.fire_if_allowed(change, channel, "become empty")) is door


def test_auto_close_stays_on(room):
    """Closing the door leaves auto-close as it is."""
    change, channel = room
    channel = lobby.set_auto_close(change, channels.update(change, channel, open=True), "enable")
    channel = lobby.DOOR.fire_if_allowed(change, channel, "become empty")
    assert lobby.AUTO_CLOSE.state(channel) is AutoClose.ON
