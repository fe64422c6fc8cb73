"""A live world and those who follow it."""

from __future__ import annotations

import threading
import weakref

import pytest

from confsim import Misuse, Simulator
from confsim.domain.clients import clients
from confsim.domain.users import handles
from confsim.service.clock import Clock
from confsim.service.history import History
from confsim.service.live import LiveWorld
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


class Follower:
    """Notes what it sees, and makes one change for each that it follows up to ``most``."""

    def __init__(self, live, most=0):
        self.live, self.most, self.seen = live, most, []
        self.restarts = 0

    def pending(self, world):
        """Whether there is something left to do, in whatever world."""
        return world is not None and self.most > 0

    def restart(self):
        """Count the worlds that took the place of one."""
        self.restarts += 1

    def react(self, now):
        """Make a change."""
        self.seen.append(now)
        if self.most:
            self.most -= 1
            self.live.put(use_id(self.live))


def test_observers_see_before_the_change_and_after(live):
    """Every change that is put in force, until they stop; one that changes nothing is shown to other observers."""
    seen, idle = [], []
    observe = lambda *reported: seen.append(reported)  # noqa: E731
    live.observe(observe)
    live.observe_idle(lambda *reported: idle.append(reported))
    before, change = live.world, use_id(live)
    after = live.put(change)
    nothing = live.change()
    live.put(nothing)
    assert seen == [(before, change, after)]
    assert idle == [(after, nothing, after)]
    assert live.world is after is not before
    live.stop_observing(observe)
    live.put(use_id(live))
    assert len(seen) == 1


def test_reactions_follow_a_complete_change(live):
    """At its instant; what is only put is not complete."""
    follower = Follower(live, most=1)
    live.react_with(follower)
    live.put(use_id(live))
    assert follower.seen == []
    live.commit(use_id(live))
    assert follower.seen == [START_MS]


def test_reactions_follow_a_timer_at_its_own_instant(live):
    """The clock shows it meanwhile, and then what it was moved to."""
    seen = []
    follower = Follower(live, most=1)
    follower.react = lambda now: seen.append((now, live.clock.now()))
    live.react_with(follower)
    change = live.change()
    client = clients.get(change, CUSTOMER)
    due = handles.reserve(change, client, "Held", by="user 1").expires
    live.put(change)
    live.advance(due - START_MS + 1000)
    assert seen == [(due, due)]
    assert live.clock.now() == due + 1000


def test_those_who_follow_hear_of_another_world(live):
    """When one takes the place of this one, which is no change of it."""
    seen, other = [], Simulator("empty").service.world
    live.observe(lambda *reported: seen.append("changed"))
    live.when_replaced(lambda: seen.append(live.world))
    follower = Follower(live)
    live.react_with(follower)
    live.replace(other)
    assert seen == [other]
    assert (follower.restarts, follower.seen) == (1, [])


def test_a_reaction_that_nobody_holds_follows_no_longer(live):
    """It goes at once, without the garbage collector; the others go on."""
    dropped, stored = Follower(live, most=1), Follower(live, most=1)
    for each in (dropped, stored):
        live.react_with(each)
    gone = weakref.ref(dropped)
    del dropped, each
    live.react_with(Follower(live))
    assert gone() is None
    live.commit(use_id(live))
    assert stored.seen == [START_MS]
    live.replace(Simulator("empty").service.world)
    assert stored.restarts == 1


def test_a_barrier_is_passed_before_others_get_the_lock(live):
    """Once, by the outermost holder, also when the block raises; and no more once it is removed."""
    flushed = []
    flush = lambda: flushed.append(threading.get_ident())  # noqa: E731
    live.add_barrier(flush)
    with live.lock:
        with live.lock:
            pass
        assert flushed == []
    with pytest.raises(KeyError), live.lock:
        raise KeyError
    assert flushed == [threading.get_ident()] * 2
    live.remove_barrier(flush)
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
