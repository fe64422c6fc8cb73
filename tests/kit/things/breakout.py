"""Short ways to prepare breakout sessions and to read them."""

from __future__ import annotations

from kit import (
    EVENT_ROOM,
    OWNER,
    USER,
)


def prepare(sim, caller=OWNER, **body):
    """Prepare a breakout session and answer its id."""
    return sim.call("create_breakout_session", caller, uuid=EVENT_ROOM, body=body).body["id"]


def add_room(sim, breakout, **body):
    """Add a room and answer its id."""
    return sim.call("create_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=breakout, body=body).body["id"]


def rooms(sim, breakout):
    """The rooms of the breakout session."""
    return sim.call("list_breakout_rooms", OWNER, uuid=EVENT_ROOM, breakoutSession=breakout).body


def assign(sim, breakout, room, user, operation="add_breakout_participant"):
    """Assign a user to a room, or the other way, and answer."""
    return sim.call(operation, OWNER, uuid=EVENT_ROOM, breakoutSession=breakout, breakoutRoom=room, userId=user)


def assigned(sim, breakout, room):
    """The handles of the users assigned to a room."""
    path = {"breakoutSession": breakout, "breakoutRoom": room}
    return [user["handle"] for user in sim.call("list_breakout_participants", OWNER, uuid=EVENT_ROOM, **path).body]


def start(sim):
    """Start and answer."""
    return sim.call("start_breakout_session", OWNER, uuid=EVENT_ROOM)


def stop(sim):
    """Stop and answer."""
    return sim.call("stop_breakout_session", OWNER, uuid=EVENT_ROOM)


def listed(sim, **query):
    """The breakout sessions listed."""
    return sim.call("list_breakout_sessions", OWNER, uuid=EVENT_ROOM, **query).body


def where(sim):
    """The room of everybody in the event room, None for the event room itself."""
    return {each.userId: each.room for each in sim.presence(EVENT_ROOM)}


def routed(sim, people, **body):
    """An active breakout session with one room, where the demo user is; the owner stays in the event room."""
    breakout = prepare(sim, **body)
    room = add_room(sim, breakout)
    assign(sim, breakout, room, people[USER])
    for token in (OWNER, USER):
        sim.presence.join(EVENT_ROOM, token)
    assert start(sim).content == b""
    return breakout, room


def linked(sim, uuid=EVENT_ROOM):
    """The handles of the linked users of a channel."""
    return [each["handle"] for each in sim.call("list_linked_users", OWNER, uuid=uuid).body]
