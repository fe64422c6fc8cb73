"""Short ways to make sessions happen and to read them."""

from __future__ import annotations

from kit import (
    OWNER,
    ROOM,
)


def ran(sim, *tokens, uuid=ROOM, length="1m", end=True):
    """Let these users be in a session of the channel for a while, and answer its id."""
    session = {sim.presence.join(uuid, token).session for token in tokens}.pop()
    sim.clock.advance(length)
    if end:
        sim.call("end_active_session", OWNER, uuid=uuid)
    return session


def session(sim, id, caller=OWNER):
    """The session as the caller sees it."""
    return sim.call("get_session", caller, sessionId=id).body
