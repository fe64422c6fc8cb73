"""Endpoints that listen, and short ways to make something happen."""

from __future__ import annotations

from confsim import Simulator
from kit import START_MS, ok

URL = "https://hooks.example/a%20b?c=d"


def listening(url=URL, clock=START_MS, **profile):
    """The demo world with an endpoint that receives its events."""
    sim = Simulator(clock=clock, profile={f"webhooks.{name}": value for name, value in profile.items()})
    ok(sim, "add_events_endpoint", body={"url": url})
    ok(sim, "set_events_state", state="enable")
    return sim


def happen(sim, *names):
    """Let media of these names be added."""
    for name in names:
        ok(sim, "upload_client_media", name=name, body=b"x")


def states(sim):
    """The states of all deliveries."""
    return [each.state for each in sim.webhooks]


def names(messages):
    """The names of the media in messages."""
    return [each.json["data"]["name"] for each in messages]
