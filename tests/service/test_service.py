"""Services: the parts of a served world, and what its forks have of it."""

from __future__ import annotations

import gc
import weakref

import pytest

from confsim import Simulator
from confsim.service.live import WorldObserver


class Listener(WorldObserver):
    """Notes the ids of calls."""

    outside = True

    def __init__(self):
        self.ids = []

    def answered(self, entry, withheld):  # noqa: ARG002 - no call is held
        """Note a call."""
        self.ids.append(entry.id)


def test_forks_have_the_observers_from_outside(sim):
    """A fork and its fork tell an outside observer of their calls, and nobody else of the first world."""
    listener, own = Listener(), Listener()
    own.outside = False
    sim.service.live.observers.add(listener, own)
    fork = sim.fork()
    for each in (sim, fork, fork.fork()):
        each.call("get_me", "demo-user")
    assert (listener.ids, own.ids) == (["r1", "r1", "r1"], ["r1"])


@pytest.mark.own_ways
def test_a_dropped_world_goes_at_once():
    """Nothing that a world holds holds the world: the garbage collector is not needed."""
    sim = Simulator()
    sim.call("get_me", "demo-user")
    live = weakref.ref(sim.service.live)
    gc.disable()
    try:
        del sim
        assert live() is None
    finally:
        gc.enable()
