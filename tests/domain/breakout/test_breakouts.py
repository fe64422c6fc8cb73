"""Breakout sessions, their rooms and assignments, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol import durations
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import RoomState
from confsim.domain.breakout.breakouts import BreakoutState
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.runtime import occupancy, presence, sessions
from confsim.domain.runtime.presence import Where
from confsim.domain.users import users
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, EVENT_ROOM


class Stage:
    """A change of the demo world with a breakout session of two rooms."""

    def __init__(self):
        self.change = Simulator(clock=0).service.change()
        self.client = clients.get(self.change, CUSTOMER)
        self.breakout = breakouts.create(self.change, self.event, None, None)
        self.rooms = [breakout_rooms.add_room(self.change, self.breakout, None) for _ in range(2)]

    @property
    def event(self):
        """The event room as it is now."""
        return channels.get(self.change, CUSTOMER, EVENT_ROOM)

    def user(self, handle):
        """The user of this handle."""
        return next(each for each in users.USERS.of(self.change, CUSTOMER).all if each.handle == handle)

    def room(self, place):
        """A room as it is now."""
        return breakout_rooms.ROOMS.of(self.change, CUSTOMER)[self.rooms[place].id]

    def place(self, place):
        """The channel of a live room."""
        return channels.get(self.change, CUSTOMER, self.room(place).place)

    def start(self, *handles):
        """Assign these users to the first room, let them in, and start."""
        for handle in handles:
            assignments.assign(self.change, self.event, self.breakout, self.rooms[0], self.user(handle))
            presence.join(self.change, self.client, self.event, self.user(handle))
        self.breakout = breakouts.start(self.change, self.event)
        return self

    def enter(self, place, handle):
        """Let the user go straight to a room."""
        return assignments.enter(self.change, self.client, self.place(place), self.user(handle))


@pytest.fixture
def stage():
    """A prepared breakout session."""
    return Stage()


def test_rooms_live_as_long_as_their_breakout_session(stage):
    """Planned, live with a channel and a session, closed with both to be looked up."""
    assert stage.room(0).state is RoomState.PLANNED
    stage.start()
    assert stage.room(0).state is RoomState.LIVE
    breakouts.stop(stage.change, stage.event)
    closed = stage.room(0)
    assert closed.state is RoomState.CLOSED
    assert sessions.get(stage.change, CUSTOMER, closed.session).ended is not None


def test_hosts_go_to_any_room(stage):
    """From the event room, from another room, or from outside."""
    stage.start()
    assert stage.enter(0, "Olaf Owner").room == stage.rooms[0].id
    assert stage.enter(1, "Olaf Owner").room == stage.rooms[1].id
    assert presence.join(stage.change, stage.client, stage.event, stage.user("Olaf Owner")).state is Where.IN


def test_others_go_to_their_own_room_alone(stage):
    """Early returns are possible, and so is coming back."""
    stage.start("Uma User")
    with pytest.raises(Refusal) as refusal:
        stage.enter(1, "Uma User")
    assert refusal.value.reason is Reason.NO_ROOM_ASSIGNED
    assert presence.join(stage.change, stage.client, stage.event, stage.user("Uma User")).state is Where.IN
    assert stage.enter(0, "Uma User").state is Where.IN_ROOM


def test_a_room_that_is_not_live_admits_nobody(stage):
    """After the stop it is closed."""
    stage.start()
    breakouts.stop(stage.change, stage.event)
    with pytest.raises(Refusal) as refusal:
        stage.enter(0, "Olaf Owner")
    assert refusal.value.reason is Reason.ROOM_CLOSED


def test_a_closed_door_holds_for_rooms_too(stage):
    """An assigned user waits in the lobby of the event room, and is routed when admitted."""
    user = stage.user("Uma User")
    assignments.assign(stage.change, stage.event, stage.breakout, stage.rooms[0], user)
    stage.start()
    channels.update(stage.change, stage.event, open=False)
    assert stage.enter(0, "Uma User").state is Where.WAITING
    assert presence.admit(stage.change, stage.event, user.id).room == stage.rooms[0].id


def test_ending_the_session_of_a_room_disconnects_its_users(stage):
    """The others stay where they are."""
    stage.start("Uma User")
    presence.join(stage.change, stage.client, stage.event, stage.user("Olaf Owner"))
    sessions.end_active(stage.change, stage.place(0))
    left = presence.list_present(stage.change, stage.event)
    assert [each.user for each in left] == [stage.user("Olaf Owner").id]


def test_the_timer_goes_with_the_breakout_session(stage):
    """Stopped, deleted or without a duration, nothing falls due."""
    breakouts.modify(stage.change, stage.breakout, None, 60_000)
    stage.start()
    assert [timer.kind for timer in stage.change.timers] == ["breakout end"]
    breakouts.modify(stage.change, stage.breakout, None, 0)
    assert list(stage.change.timers) == []
    breakouts.modify(stage.change, breakouts.find_active(stage.change, stage.event), None, 5000)
    breakouts.stop(stage.change, stage.event)
    assert list(stage.change.timers) == []


def test_one_is_active_at_a_time(stage):
    """Another one does not start beside it."""
    stage.start()
    other = breakouts.create(stage.change, stage.event, None, None)
    with pytest.raises(Refusal) as refusal:
        breakouts.start(stage.change, stage.event)
    assert refusal.value.reason is Reason.BREAKOUT_ACTIVE
    assert breakouts.get(stage.change, stage.event, other.id).phase is BreakoutState.PREPARED


def test_nothing_is_left_of_a_deleted_event_room(stage):
    """Breakout sessions, rooms, assignments, presences and sessions are gone, and no timer waits."""
    breakouts.modify(stage.change, stage.breakout, None, 60_000)
    stage.start("Uma User")
    channels.delete(stage.change, stage.event)
    tables = (
        breakouts.BREAKOUTS,
        breakout_rooms.ROOMS,
        breakout_rooms.ASSIGNMENTS,
        presence.PRESENCES,
        occupancy.OCCUPANCIES,
        sessions.SESSIONS,
        sessions.ATTENDANCES,
        channels.ROOMS,
    )
    assert [len(table.of(stage.change, CUSTOMER)) for table in tables] == [0] * len(tables)
    assert list(stage.change.timers) == []


def test_a_duration_may_be_as_long_as_any_and_no_longer():
    """The longest that the register admits is stored; one more is bad input."""
    stage = Stage()
    assert breakouts.create(stage.change, stage.event, None, durations.LONGEST).duration == durations.LONGEST
    with pytest.raises(Refusal, match="is too long a time"):
        breakouts.create(stage.change, stage.event, None, durations.LONGEST + 1)
