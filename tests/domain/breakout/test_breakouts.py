"""Breakout sessions, their rooms and assignments, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol import durations
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import RoomState
from confsim.domain.breakout.breakouts import BreakoutState
from confsim.domain.channels import channels, switches
from confsim.domain.runtime import occupancy, presence, sessions
from confsim.domain.runtime.presence import Where
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, ROOM, refused
from kit.things.breakout import Stage


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


def test_those_that_are_completed_are_listed_by_the_session_they_ran_in(stage):
    """Without it, those that are not completed, prepared or active (G424)."""
    stage.start("Uma User")
    main = sessions.find_active(stage.change, stage.event).id
    waiting = breakouts.create(stage.change, stage.event, None, None)
    assert [each.id for each in breakouts.list_(stage.change, stage.event, None)] == [stage.breakout.id, waiting.id]
    breakouts.stop(stage.change, stage.event)
    assert [each.id for each in breakouts.list_(stage.change, stage.event, None)] == [waiting.id]
    assert [each.id for each in breakouts.list_(stage.change, stage.event, main)] == [stage.breakout.id]


@pytest.mark.rule("R455")
@pytest.mark.parametrize(
    ("given", "expected"),
    [((None, 7), ("Breakout session 1", 7)), (("Groups", None), ("Groups", 0)), (("", 7), ("", 7))],
)
def test_what_a_modification_leaves_out_stays(stage, given, expected):
    """Name, duration or both are changed."""
    breakouts.modify(stage.change, stage.breakout, *given)
    (found,) = breakouts.list_(stage.change, stage.event, None)
    assert (found.name, found.duration) == expected


@pytest.mark.parametrize(("choice", "place"), [("oldest", 0), ("newest", 2)])
def test_a_start_takes_one_of_several(choice, place):
    """Of those that are prepared, the one made first, or last (G431)."""
    stage = Stage({"breakout.started": choice})
    made = [stage.breakout.id, *(breakouts.create(stage.change, stage.event, None, None).id for _ in range(2))]
    assert breakouts.start(stage.change, stage.event).id == made[place]
    assert breakouts.find_active(stage.change, stage.event).id == made[place]


def test_an_ambiguous_start_may_be_refused():
    """Where several are prepared, and not where one is (G431)."""
    stage = Stage({"breakout.started": "refuse"})
    other = breakouts.create(stage.change, stage.event, None, None)
    assert refused(breakouts.start, stage.change, stage.event) is Reason.BREAKOUT_AMBIGUOUS
    breakouts.delete(stage.change, other)
    assert breakouts.start(stage.change, stage.event).id == stage.breakout.id


@pytest.mark.rule("R406")
def test_only_an_event_room_has_breakout_sessions(stage):
    """The calls about them require one."""
    room = channels.get(stage.change, CUSTOMER, ROOM)
    assert refused(breakouts.require_event_room, stage.change, room) is Reason.EVENT_ROOM_OFF
    room = switches.set_feature(stage.change, room, breakouts.EVENT_ROOM.on)
    assert breakouts.create(stage.change, room, None, None).phase is BreakoutState.PREPARED
    assert not switches.set_feature(stage.change, room, breakouts.EVENT_ROOM.off).event_room


def test_an_event_room_stays_one_while_a_breakout_session_is_active(stage):
    """Disabling it is refused until the stop (G354)."""
    stage.start()
    assert refused(switches.set_feature, stage.change, stage.event, breakouts.EVENT_ROOM.off) is Reason.BREAKOUT_ACTIVE
    breakouts.stop(stage.change, stage.event)
    assert not switches.set_feature(stage.change, stage.event, breakouts.EVENT_ROOM.off).event_room


@pytest.mark.rule("R457")
def test_the_first_to_come_begins_the_main_session(stage):
    """Of one that was started before anybody came; it completes with that session (G432, G440)."""
    stage.start()
    assert stage.breakout.main is None
    presence.join(stage.change, stage.client, stage.event, stage.user("Olaf Owner"))
    main = sessions.find_active(stage.change, stage.event)
    assert breakouts.find_active(stage.change, stage.event).main == main.id
    sessions.end_active(stage.change, stage.event)
    assert [each.id for each in breakouts.list_(stage.change, stage.event, main.id)] == [stage.breakout.id]


@pytest.mark.parametrize(("choice", "goes_on"), [("completes", False), ("goes-on", True)])
def test_the_end_of_the_main_session(choice, goes_on):
    """The breakout session completes with it, or goes on until its duration (G440)."""
    stage = Stage({"breakout.main-session-ends": choice}).start("Uma User")
    sessions.end_active(stage.change, stage.event)
    assert (breakouts.find_active(stage.change, stage.event) is not None) is goes_on
