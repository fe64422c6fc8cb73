"""Worlds in which somebody listens to events."""

from __future__ import annotations

from confsim import Simulator
from kit import ADMIN, START, ok


def listening(**profile):
    """The demo world in which somebody listens to what happens to the customer."""
    sim = Simulator(clock=START, profile={f"events.{name}": value for name, value in profile.items()})
    ok(sim, "add_events_endpoint", ADMIN, body={"url": "https://hooks.example"})
    ok(sim, "set_events_state", ADMIN, state="enable")
    return sim
