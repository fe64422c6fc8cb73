"""What the commands that work against a running server are tried on."""

from __future__ import annotations

import pytest

from confsim import Simulator
from kit import START


@pytest.fixture
def sim(monkeypatch):
    """A served world with a frozen clock, whose URL is in CONFSIM_URL."""
    sim = Simulator(clock=START)
    with sim.serve() as server:
        monkeypatch.setenv("CONFSIM_URL", server.root)
        yield sim
