"""A live world and those who follow it."""

from __future__ import annotations

import threading

import pytest

from confsim import Misuse, Simulator
from confsim.domain.clients import clients
from confsim.domain.users import handles
from confsim.service.clock import Clock
from confsim.service.history import History
from confsim.service.live import EVERYWHERE, LiveWorld, WorldObserver
from kit import CUSTOMER, START_MS


@pytest.fixture
def live():
    """The demo world with nobody around it."""
    return LiveWorld(Simulator().service.world, Clock(START_MS), {})


def use_id(live):
    """A change of the world."""
    change = live.change()
    change.uuid()
    return change


class Follower(WorldObserver):
    """Notes what it hears, and makes one change for each event that it acts on up to ``most``."""

    def __init__(self, live, most=0):
        self.live, self.most, self.seen, self.changes = live, most, [], []
        live.observers.add(self)

    def changed(self, before, change, after):
        """Note a change."""
        self.changes.append((before, change, after))

    def pending(self, world):
        """Whether there is something left to do, in whatever world."""
        return world is not None and self.most > 0

    def replaced(self):
        """Note the world that took the place of one."""
        self.seen.append(self.live.world)

    def settled(self, now):
        """Make a change."""
        self.seen.append((now, self.live.clock.now()))
        if self.most:
            self.most -= 1
            self.live.put(use_id(self.live))


def test_observers_see_before_the_change_and_after(live):
    """An observer hears of every change in force, also of one that wrote nothing, until it is removed."""
    follower = Follower(live)
    before, change = live.world, use_id(live)
    after = live.put(change)
    nothing = live.change()
    live.put(nothing)
    assert follower.changes == [(before, change, after), (after, nothing, after)]
    assert live.world is after is not before
    live.observers.remove(follower)
    live.put(use_id(live))
    assert len(follower.changes) == 2


def test_observers_act_on_a_complete_change(live):
    """Observers act at the instant of a committed change, and not on one that is only put in force."""
    follower = Follower(live, most=1)
    live.put(use_id(live))
    assert follower.seen == []
    live.commit(use_id(live))
    assert follower.seen == [(START_MS, START_MS)]


def test_observers_act_on_a_timer_at_its_own_instant(live):
    """The clock shows the timer's instant to observers, and then the one that it was moved to."""
    follower = Follower(live, most=1)
    change = live.change()
    client = clients.get(change, CUSTOMER)
    due = handles.reserve(change, client, "Held", by="user 1").expires
    live.put(change)
    live.advance(due - START_MS + 1000)
    assert follower.seen == [(due, due)]
    assert live.clock.now() == due + 1000


def test_observers_hear_of_another_world(live):
    """A world that takes the place of this one is no change of it."""
    follower, other = Follower(live), Simulator("empty").service.world
    live.replace(other)
    assert (follower.seen, follower.changes) == ([other], [])


def test_observers_hear_in_the_order_of_the_list(live):
    """The list has each observer once; those of every world are its first."""
    heard = []

    class Named(WorldObserver):
        def __init__(self, name):
            self.name = name

        def settled(self, now):  # noqa: ARG002 - the order matters
            heard.append(self.name)

    everywhere, first, second = Named("everywhere"), Named("first"), Named("second")
    EVERYWHERE.add(everywhere)
    try:
        made = LiveWorld(live.world, Clock(START_MS), {})
    finally:
        EVERYWHERE.remove(everywhere)
    made.observers.add(first, second, first)
    made.settle(START_MS, None)
    assert heard == ["everywhere", "first", "second"]
    live.settle(START_MS, None)
    assert len(heard) == 3


def test_observers_hear_only_of_what_concerns_them(live):
    """An event is told to the observers whose class has a method for it, inherited ones included."""

    class Inherited(Follower):
        def answered(self, entry, withheld):
            """Hear of calls, too."""

    follower, inherited = Follower(live), Inherited(live)
    of = live.observers.of
    assert of["changed"] == of["pending"] == of["replaced"] == of["settled"] == (follower, inherited)
    assert of["answered"] == (inherited,)
    assert of["fired"] == of["releasing"] == ()


def test_observers_from_outside_do_not_hear_of_what_makes_a_world(live):
    """They are left out during a block, in which the others still hear, and have their place again after it."""
    inside, outside = Follower(live), type("Outside", (Follower,), {"outside": True})(live)
    with live.observers.without(live.outside):
        live.put(use_id(live))
    live.put(use_id(live))
    assert (len(inside.changes), len(outside.changes)) == (2, 1)
    assert live.observers.all == (inside, outside)


def test_observers_hear_before_others_get_the_lock(live):
    """Once, by the outermost holder, also when the block raises; and no more once the observer is removed."""
    flushed = []
    flush = type("Flush", (WorldObserver,), {"releasing": lambda self: flushed.append(threading.get_ident())})()
    live.observers.add(flush)
    with live.lock:
        with live.lock:
            pass
        assert flushed == []
    with pytest.raises(KeyError), live.lock:
        raise KeyError
    assert flushed == [threading.get_ident()] * 2
    live.observers.remove(flush)
    with live.lock:
        pass
    assert len(flushed) == 2


def test_history_keeps_worlds_with_their_clocks(live):
    """The start and snapshots; what is not there is refused (404)."""
    history, start = History(live), live.world
    history.take("a")
    live.commit(use_id(live))
    live.advance(1000)
    history.begin()
    live.commit(use_id(live))
    history.reset()
    assert live.world is history.origin is not start
    assert live.clock.now() == START_MS + 1000
    history.restore("a")
    assert (live.world, live.clock.now()) == (start, START_MS)
    history.drop("a")
    for absent in (history.restore, history.drop):
        with pytest.raises(Misuse, match="no snapshot 'a'") as caught:
            absent("a")
        assert caught.value.status == 404
