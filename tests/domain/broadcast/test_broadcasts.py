from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.broadcast import broadcasts, destinations
from confsim.domain.broadcast.broadcasts import BROADCASTS, Broadcast, BroadcastSort, BroadcastState
from confsim.domain.channels import channels, switches
from confsim.domain.clients import clients
from confsim.domain.members import roles
from confsim.domain.runtime import presence, sessions
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT
from kit import CUSTOMER, ROOM, START, refused

SLOW = {"duration.broadcast-start": "time(2)"}
ORIGIN = Simulator(clock=START, profile=SLOW)


def room(change):
    """The demo room as it is now."""
    return channels.get(change, CUSTOMER, ROOM)


def owner(change):
    """The owner of the demo room."""
    return roles.list_owners(change, room(change))[0]


def come(change):
    """The owner comes in."""
    presence.join(change, clients.get(change, CUSTOMER), room(change), owner(change), host=True)


STEPS = {
    "enable": lambda change: switches.set_feature(change, room(change), switches.BROADCAST.on),
    "disable": lambda change: switches.set_feature(change, room(change), switches.BROADCAST.off),
    "add": lambda change: destinations.add(change, room(change), "rtmp://live.example/a", None, None),
    "start": lambda change: broadcasts.start(change, room(change)),
    "stop": lambda change: broadcasts.stop(change, room(change)),
    "poll": lambda change: broadcasts.poll(change, room(change)),
    "come": come,
    "go": lambda change: presence.leave(change, room(change), owner(change).id),
    "end": lambda change: sessions.end_active(change, room(change)),
}


def walk(steps):
    """The service of a world in which the steps were taken a second apart, refused ones without effect."""
    service = ORIGIN.fork().service
    for step in steps:
        change = service.change()
        try:
            STEPS[step](change)
            service.commit(change)
        except Refusal:
            pass
        service.live.advance(1000)
    return service


@given(steps=st.lists(st.sampled_from(list(STEPS)), max_size=30))
def test_whatever_happens_broadcasts_make_sense(steps):
    """At most one is open, times follow one another, and what has ended has had its destinations."""
    service = walk(["enable", "add", *steps])
    found = BROADCASTS.seen(service.world, CUSTOMER).all
    assert sum(each.ended is None for each in found) <= 1
    for each in found:
        times = [at for at in (each.created, each.started, each.ended) if at is not None]
        assert times == sorted(times)
        assert each.destinations
        assert len(set(each.sessions)) == len(each.sessions)
        assert each.started is None or each.started >= each.created + 2000
    assert service.bugs == []


@pytest.mark.rule("R368", "R370")
def test_a_broadcast_goes_through_its_states():
    """Absent, starting, running, and absent again among those that have not ended."""
    seen = []
    for steps in (["add"], ["add", "start"], ["add", "start", "poll"], ["add", "start", "poll", "stop"]):
        service = walk(["enable", *steps])
        seen.append(broadcasts.MACHINE.state(broadcasts.find_open(service.change(), CUSTOMER, ROOM)))
    assert seen == [ABSENT, BroadcastState.STARTING, BroadcastState.RUNNING, ABSENT]
    assert [each.value for each in BroadcastState] == ["starting", "running", "ended"]  # the words of P2 States L176


def test_a_session_that_ends_ends_what_is_starting_too():
    """Nothing comes up in an empty channel later."""
    service = walk(["enable", "add", "come", "start", "go", "poll", "poll"])
    (one,) = BROADCASTS.seen(service.world, CUSTOMER).all
    assert (one.started, one.ended is not None, len(one.sessions)) == (None, True, 1)


@pytest.mark.parametrize("choice", ["all", "ended"])
def test_the_history_holds_the_running_one_or_not(choice):
    """By choice ended ones alone, and then the running one is not found either (G522)."""
    change = walk(["enable", "add", "start", "poll", "poll", "stop", "start"]).change()
    change.carried = ProfileContext({**SLOW, "broadcast.history": choice})
    ended, running = BROADCASTS.of(change, CUSTOMER).all
    for descending in (False, True):
        found = broadcasts.list_history(change, room(change), None, None, descending=descending)
        expected = [ended.id, running.id] if choice == "all" else [ended.id]
        assert [each.id for each in found] == (expected[::-1] if descending else expected)
    assert broadcasts.get(change, room(change), ended.id) == ended
    if choice == "all":
        assert broadcasts.get(change, room(change), running.id) == running
    else:
        assert refused(broadcasts.get, change, room(change), running.id) is Reason.NOT_FOUND
    broadcasts.stop(change, room(change))
    assert len(broadcasts.list_history(change, room(change), None, None, descending=False)) == 2


@pytest.mark.rule("R528")
@pytest.mark.parametrize("column", BroadcastSort)
def test_the_history_is_sorted_by_the_column_that_is_asked_for_or_assumed(column):
    """One time stands before another in either order; that of the profile counts where none is asked for (G523)."""
    change = ORIGIN.fork().service.change()
    for id, created, started, ended in [("a", 0, 30, 50), ("b", 1, 10, 60), ("c", 2, 20, 40)]:
        times = {"created": created, "started": started, "ended": ended}
        BROADCASTS.of(change, CUSTOMER).put(
            Broadcast(id=id, client=CUSTOMER, channel=ROOM, state=BroadcastState.ENDED, **times)
        )
    expected = {"created": ["a", "b", "c"], "started": ["b", "c", "a"], "ended": ["c", "a", "b"]}
    for chosen, asked in [(column.value, None), ("created" if column.value == "ended" else "ended", column)]:
        change.carried = ProfileContext({"broadcast.history-sort": chosen})
        for descending in (False, True):
            found = broadcasts.list_history(change, room(change), None, asked, descending=descending)
            assert [each.id for each in found] == expected[column.value][:: -1 if descending else 1]


def test_all_broadcasts_go_with_their_channel():
    """The running one and those that have ended (G309)."""
    change = walk(["enable", "add", "start", "stop", "start"]).change()
    assert len(BROADCASTS.of(change, CUSTOMER)) == 2
    channels.delete(change, room(change))
    assert len(BROADCASTS.of(change, CUSTOMER)) == 0
    assert broadcasts.find_open(change, CUSTOMER, ROOM) is None
