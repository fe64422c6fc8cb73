"""What the tests of durable state share."""

from __future__ import annotations

import pytest

from confsim import Simulator
from kit import START


@pytest.fixture
def place(tmp_path):
    """A directory to come."""
    return tmp_path / "state"


@pytest.fixture
def begin():
    """Starts a simulator that is stored in a directory, and lets go of all of them in the end as kill -9 would."""
    held = []

    def begin(place, clock=START, scenario="", **chosen):
        simulator = Simulator(clock=clock, **chosen)
        simulator.durable = simulator.keep_in(place, scenario)
        held.append(simulator.durable)
        return simulator

    yield begin
    for each in held:
        each._release()
