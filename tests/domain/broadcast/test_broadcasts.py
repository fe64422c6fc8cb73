from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confsim import Simulator
from confsim.domain.broadcast import broadcasts, destinations
from confsim.domain.broadcast.broadcasts import BROADCASTS, BroadcastState
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.members import roles
from confsim.domain.runtime import presence, sessions
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT
from kit import CUSTOMER, ROOM, START

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
    "enable": lambda change: broadcasts.set_feature(change, room(change), "enable"),
    "disable": lambda change: broadcasts.set_feature(change, room(change), "disable"),
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


def test_a_session_that_ends_ends_what_is_starting_too():
    """Nothing comes up in an empty channel later."""
    service = walk(["enable", "add", "come", "start", "go", "poll", "poll"])
    (one,) = BROADCASTS.seen(service.world, CUSTOMER).all
    assert (one.started, one.ended is not None, len(one.sessions)) == (None, True, 1)
