"""Many worlds on one server under load stay apart. A thousand of them: ``python tests/benchmarks worlds``."""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path

import pytest

from confsim import Misuse, Simulator
from kit import START


@pytest.fixture(scope="module")
def crowd():
    """The crowd of the benchmarks."""
    place = Path(__file__).parents[1] / "benchmarks" / "crowd.py"
    spec = importlib.util.spec_from_file_location("crowd", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_worlds_under_load_stay_apart(crowd):
    """Sixty worlds, twelve threads, calls of every kind in random turns: each is as its twin that was alone."""
    with Simulator(clock=START).serve() as server:
        members = crowd.make(server.port, 60)
        assert crowd.load(server.port, members, calls=10, threads=12) == 600
        crowd.check(server.port, members)


def test_the_crowd_would_notice(crowd):
    """A single call to a world of somebody else is seen."""
    with Simulator(clock=START).serve() as server:
        members = crowd.make(server.port, 3)
        crowd.load(server.port, members, calls=5, threads=3)
        with crowd.Way(server.port) as way:
            way.ask("POST", "/w/w2/v1_0/terms", {"url": "https://stranger.example/"})
        with pytest.raises(AssertionError, match="w2"):
            crowd.check(server.port, members)


def test_worlds_are_made_and_dropped_while_others_are_called(crowd):
    """From threads of this process too: no call of another world is lost, and all names are free in the end."""
    sim = Simulator(clock=START)
    with sim.serve() as server:
        members = crowd.make(server.port, 8)
        stop = threading.Event()
        failures = []

        def churn(place):
            try:
                while not stop.is_set():
                    sim.worlds.add(f"churn-{place}", "w1")
                    sim.worlds.drop(f"churn-{place}")
            except Misuse as misuse:
                failures.append(misuse)

        churners = [threading.Thread(target=churn, args=(place,)) for place in range(3)]
        for each in churners:
            each.start()
        try:
            crowd.load(server.port, members, calls=10, threads=4)
        finally:
            stop.set()
            for each in churners:
                each.join()
        assert failures == []
        crowd.check(server.port, members)
        assert len(sim.worlds) == 9
