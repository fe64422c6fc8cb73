"""Sessions and the placement of channels, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.channels import channels
from confsim.domain.runtime import sessions, streaming
from confsim.domain.runtime.sessions import SessionState
from confsim.domain.runtime.streaming import Placed
from confsim.kernel.refusal import Misuse, NotYet, Refusal
from confsim.kernel.rows import ABSENT
from kit import CUSTOMER, EVENT_ROOM, ROOM, refused
from kit.each import each
from kit.things.channels import initialise


def room(profile=None):
    """A change of the demo world, and its room."""
    change = Simulator(clock=0, profile=profile).service.change()
    return change, channels.get(change, CUSTOMER, ROOM)


def life(change):
    """The state of the room's session."""
    return sessions.MACHINE.state(sessions.find_open(change, CUSTOMER, ROOM))


def test_a_session_is_made_once():
    """Initialising again answers the same one; ended, the next one is another."""
    change, channel = room()
    first = initialise(change, channel)
    assert initialise(change, channel) == first
    assert life(change) is SessionState.INITIALISED
    sessions.end(change, first)
    assert life(change) is ABSENT
    assert initialise(change, channel).id != first.id


def test_only_a_started_session_is_active():
    """An initialised one is not, nor an ended one."""
    change, channel = room()
    initialise(change, channel)
    assert sessions.find_active(change, channel) is None
    session = sessions.START(change, sessions.find_open(change, CUSTOMER, ROOM))
    assert sessions.find_active(change, channel) == session
    sessions.end_active(change, channel)
    assert sessions.find_active(change, channel) is None


def test_sessions_are_in_the_order_of_their_starts():
    """Not in that in which their channels were placed, also within one instant."""
    change, channel = room()
    placed = [initialise(change, each) for each in (channel, channels.get(change, CUSTOMER, EVENT_ROOM))]
    for session in reversed(placed):
        sessions.START(change, session)
    assert [each.id for each in sessions.SESSIONS.of(change, CUSTOMER).all] == [placed[1].id, placed[0].id]


def test_ending_nothing_is_refused():
    """Without an active session there is nothing to end."""
    change, channel = room()
    with pytest.raises(Refusal) as refusal:
        sessions.end_active(change, channel)
    assert refusal.value.reason is Reason.NO_ACTIVE_SESSION


def test_placement_at_once_makes_the_session():
    """Immediate is the default, and the placement is released with the end of the session."""
    change, channel = room()
    streaming.place(change, channel)
    assert streaming.find(change, CUSTOMER, ROOM).state is Placed.HOSTED
    assert life(change) is SessionState.INITIALISED
    sessions.END(change, sessions.find_open(change, CUSTOMER, ROOM))
    assert streaming.find(change, CUSTOMER, ROOM) is None


@pytest.mark.parametrize(("word", "vain"), [("manual(0)", 0), ("manual(2)", 2), ("time(0)", 0)])
def test_placement_by_polls(word, vain):
    """It is done when it was asked for often enough."""
    change, channel = room({"duration.placement": word})
    for _ in range(vain):
        with pytest.raises(NotYet):
            streaming.place(change, channel)
    streaming.place(change, channel)
    assert streaming.find(change, CUSTOMER, ROOM).state is Placed.HOSTED


def test_a_placement_on_the_way_stays():
    """NotYet is the one refusal that leaves a trace: the placement goes on."""
    sim = Simulator(clock=0, profile={"duration.placement": "time(2)"})
    sim.call("get_streaming_proxy", "demo-user", uuid=ROOM)
    change = sim.service.change()
    assert streaming.find(change, CUSTOMER, ROOM).state is Placed.CREATING
    sim.clock.advance("2s")
    assert life(sim.service.change()) is SessionState.INITIALISED


def test_a_placement_ends_with_its_channel():
    """Deleted while it is being created: nothing falls due later, and nothing is left of it."""
    sim = Simulator(clock=0, profile={"duration.placement": "time(2)"})
    sim.call("get_streaming_proxy", "demo-user", uuid=ROOM)
    assert sim.call("delete_channel", "demo-owner", uuid=ROOM).ok
    assert sim.clock.advance("2s") == []
    assert streaming.find(sim.service.change(), CUSTOMER, ROOM) is None


@each("word", ["soon", "time()", "time(-1)", "manual(x)", "time(1.5)", "manual", 3, None])
def test_only_three_words_tell_how_long_a_thing_takes(word):
    """Anything else in a profile is a Misuse."""
    with pytest.raises(Misuse):
        Simulator(profile={"duration.placement": word})


@pytest.mark.rule("R417")
@pytest.mark.parametrize(("choice", "reason"), [("ignore", None), ("refuse", Reason.SESSION_ENDED)])
def test_ending_an_ended_session(choice, reason):
    """Nothing happens, or it is refused; the one that is open since then goes on in either case (G363)."""
    change, channel = room({"sessions.end-again": choice})
    first = initialise(change, channel)
    sessions.end(change, first)
    ended, later = sessions.get(change, CUSTOMER, first.id), initialise(change, channel)
    change.now = 5000
    if reason is None:
        sessions.end(change, ended)
    else:
        assert refused(sessions.end, change, ended) is reason
    assert sessions.get(change, CUSTOMER, first.id) == ended
    assert sessions.find_open(change, CUSTOMER, ROOM) == later
