from __future__ import annotations

import pytest

import confsim.api.catalogue  # noqa: F401 its modules declare machines, tables and entries
from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.identity import credentials
from confsim.domain.recordings import assets, recordings
from confsim.domain.recordings.recordings import MACHINE, RECORDINGS, RecordingState
from confsim.domain.runtime import sessions
from confsim.domain.users import emails, users
from confsim.kernel.refusal import Refusal
from kit import API_TOKEN, CUSTOMER, EVENT_ROOM, OPERATOR, ROOM, START, refused
from kit.things.channels import create_room, initialise


@pytest.fixture
def sim():
    """The demo world, its clock standing still, somebody in the demo room."""
    sim = Simulator(clock=START)
    sim.presence.join(ROOM, "demo-user")
    return sim


def begun(sim, by="demo-operator"):
    """A change in which a recording has been started, the channel, and the caller."""
    change = sim.service.change()
    channel, caller = channels.get(change, CUSTOMER, ROOM), credentials.authenticate(change, by)
    recordings.start(change, channel, caller)
    return change, channel, caller


def phase(change):
    """The phase of the newest recording."""
    return MACHINE.state(RECORDINGS.of(change, CUSTOMER).all.last)


def test_a_recording_goes_its_way(sim):
    """In progress, processing, ready: each by one trigger."""
    change, channel, caller = begun(sim)
    assert phase(change) is RecordingState.IN_PROGRESS
    recordings.stop(change, channel, caller)
    assert phase(change) is RecordingState.PROCESSING
    recordings.finish(change, RECORDINGS.of(change, CUSTOMER).all.last, fails=False)
    assert phase(change) is RecordingState.READY


@pytest.mark.parametrize("fails", [True, False])
def test_only_what_is_processed_can_be_finished(sim, fails):
    """Neither a recording in progress nor one that is finished already."""
    change, channel, caller = begun(sim)
    running = RECORDINGS.of(change, CUSTOMER).all.last
    with pytest.raises(Refusal) as refused:
        recordings.finish(change, running, fails=fails)
    assert refused.value.reason is Reason.RECORDING_NOT_READY
    recordings.stop(change, channel, caller)
    over = recordings.finish(change, RECORDINGS.of(change, CUSTOMER)[running.id], fails=not fails)
    with pytest.raises(Refusal):
        recordings.finish(change, over, fails=fails)


@pytest.mark.rule("R293", "R361")
def test_each_recording_is_ready_at_its_own_instant(sim):
    """Two that overlap in their processing, and a clock that moves on in one step."""
    for _ in range(2):
        sim.call("start_recording", "demo-operator", uuid=ROOM)
        sim.call("stop_recording", "demo-operator", uuid=ROOM)
        sim.clock.advance("1s")
    sim.clock.advance("1h")
    found = RECORDINGS.seen(sim.service.world, CUSTOMER).all
    assert [each.ready - each.ended for each in found] == [2000, 2000]
    assert found[1].ready - found[0].ready == 1000


def test_the_next_thing_to_happen_is_that_it_is_ready(sim):
    """The upload on the way is no stop for anyone who advances the clock to the next thing."""
    sim.call("start_recording", "demo-operator", uuid=ROOM)
    sim.call("stop_recording", "demo-operator", uuid=ROOM)
    (happened,) = sim.clock.advance(until="next")
    assert (happened.what, happened.at) == ("recording processing", sim.clock.now)
    assert phase(sim.service.change()) is RecordingState.READY


def test_a_refused_start_leaves_no_trace(sim):
    """The world is the very same."""
    begun(sim)[0].commit()
    before = sim.service.world
    assert sim.call("start_recording", "demo-user", uuid=ROOM).status == 403
    assert sim.service.world is before


@pytest.mark.parametrize("word", ["immediate", "time(0)", "manual(0)"])
def test_what_takes_no_time_is_ready_for_the_next_call(word):
    """At the instant of the stop."""
    sim = Simulator(clock=0, profile={"duration.recording-processing": word})
    sim.presence.join(ROOM, "demo-user")
    sim.call("start_recording", "demo-operator", uuid=ROOM)
    sim.call("stop_recording", "demo-operator", uuid=ROOM)
    (found,) = sim.call("list_recordings", "demo-operator", channelId=ROOM).body["results"]
    assert (found["endTime"], found["readyTime"]) == (0, 0)


@pytest.mark.rule("R364")
def test_a_look_that_fails_may_remove_the_recording():
    """It is then gone from the list, and not found."""
    profile = {"duration.recording-processing": "manual(0)"}
    profile |= {"recordings.processing": "fails", "recordings.failed": "removed"}
    sim = Simulator(clock=0, profile=profile)
    sim.presence.join(ROOM, "demo-user")
    sim.call("start_recording", "demo-operator", uuid=ROOM)
    sim.call("stop_recording", "demo-operator", uuid=ROOM)
    assert sim.call("list_recordings", "demo-operator", channelId=ROOM).body["results"] == []
    assert sim.mail == []
    assert len(assets.ASSETS.seen(sim.service.world, CUSTOMER)) == 0


def test_a_breakout_room_is_recorded_under_the_owners_of_its_event_room(sim):
    """Its own session is recorded; the owners of the event room are mailed."""
    event_room = EVENT_ROOM
    change = sim.service.change()
    parent = channels.get(change, CUSTOMER, event_room)
    caller = credentials.authenticate(change, "demo-owner")
    room = create_room(change, parent, "A room")
    initialise(change, room)
    sessions.START(change, sessions.find_open(change, CUSTOMER, room.id))
    assert recordings.possible(change, room, caller)
    recordings.start(change, room, caller)
    recordings.stop(change, room, caller)
    sim.service.commit(change)
    sim.clock.advance("2s")
    assert [mail.to for mail in sim.mail] == ["olaf@customer.example"]


@pytest.mark.rule("R499", "R500", "R501")
def test_an_owner_with_a_verified_address_makes_recording_possible(sim):
    """An operator with one does not; an API token needs none."""
    change = sim.service.change()
    room = channels.get(change, CUSTOMER, ROOM)
    owner, operator, token = (credentials.authenticate(change, each) for each in ("demo-owner", OPERATOR, API_TOKEN))
    assert recordings.possible(change, room, operator)
    users.update(change, owner.user, email=None)
    emails.trust(change, operator.user, "op@customer.example")
    assert not recordings.possible(change, room, operator)
    assert recordings.possible(change, room, token)
    ids = (owner.user.id, operator.user.id, 999_999)
    assert [each.id for each in recordings.reachable(change, room.client, ids)] == [operator.user.id]


@pytest.mark.rule("R361")
@pytest.mark.parametrize("choice", ["refuse", "ignore"])
def test_stopping_needs_a_recording_in_progress(sim, choice):
    """Without one it is refused, or nothing happens (G485); one in progress is stopped either way."""
    change = sim.service.change()
    change.carried = ProfileContext({"recordings.stop-nothing": choice})
    room, caller = channels.get(change, CUSTOMER, ROOM), credentials.authenticate(change, OPERATOR)

    def stop_nothing():
        """Stop while nothing is recorded."""
        if choice == "refuse":
            assert refused(recordings.stop, change, room, caller) is Reason.NO_RECORDING
        else:
            recordings.stop(change, room, caller)

    stop_nothing()
    assert len(RECORDINGS.of(change, CUSTOMER)) == 0
    recordings.start(change, room, caller)
    recordings.stop(change, room, caller)
    assert phase(change) is RecordingState.PROCESSING
    stop_nothing()
    assert [each.state for each in RECORDINGS.of(change, CUSTOMER).all] == [RecordingState.PROCESSING]
