"""Short ways to record and to read what was recorded."""

from __future__ import annotations

from urllib.parse import urlsplit

from confsim import Simulator
from kit import (
    OPERATOR,
    ROOM,
    START,
    USER,
    choices,
)


def simulator(**profile):
    """The demo world under a profile, somebody in the demo room."""
    chosen = choices(**profile)
    sim = Simulator(clock=START, profile=chosen)
    sim.presence.join(ROOM, USER)
    return sim


def start(sim, by=OPERATOR, channel=ROOM):
    """Start a recording."""
    return sim.call("start_recording", by, uuid=channel)


def stop(sim, by=OPERATOR, channel=ROOM):
    """Stop the recording in progress."""
    return sim.call("stop_recording", by, uuid=channel)


def listed(sim, channel=ROOM, **query):
    """The recordings of the channel."""
    answer = sim.call("list_recordings", OPERATOR, channelId=channel, **query)
    assert answer.ok, answer
    return answer.body["results"]


def record(sim, seconds=10, by=OPERATOR):
    """Record for a while and answer the id of the recording, which is processed."""
    assert start(sim, by).ok
    sim.clock.advance(seconds * 1000)
    assert stop(sim, by).ok
    return listed(sim, order="desc")[0]["id"]


def recorded(sim, seconds=10, by=OPERATOR):
    """Record for a while and answer the id of the recording, which is ready."""
    id = record(sim, seconds, by)
    sim.clock.advance("2s")
    return id


def read(sim, name, id, by=OPERATOR, **arguments):
    """Call an operation on a recording of the room."""
    return sim.call(name, by, channelId=ROOM, recordingId=id, **arguments)


def assets(sim, id):
    """The assets of a recording."""
    return read(sim, "list_recording_assets", id).body


def user_id(sim, token):
    """The id of the user whose token it is."""
    return sim.call("get_me", token).body["id"]


def fetch(sim, url, by=None):
    """What the address answers."""
    parts = urlsplit(url)
    return sim.client(by).get(parts.path)
