"""Short ways to prepare breakout sessions and to read them, by calls and in the domain."""

from __future__ import annotations

from confsim import Simulator
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.runtime import presence
from confsim.domain.users import users
from kit import (
    CUSTOMER,
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


class Stage:
    """A change of the demo world with a breakout session of two rooms."""

    def __init__(self, profile=None):
        self.change = Simulator(clock=0, profile=profile).service.change()
        self.client = clients.get(self.change, CUSTOMER)
        self.breakout = breakouts.create(self.change, self.event, None, None)
        self.rooms = [breakout_rooms.add_room(self.change, self.breakout, None) for _ in range(2)]

    @property
    def event(self):
        """The event room as it is now."""
        return channels.get(self.change, CUSTOMER, EVENT_ROOM)

    def user(self, handle):
        """The user of this handle."""
        return next(each for each in users.USERS.of(self.change, CUSTOMER).all if each.handle == handle)

    def room(self, place):
        """A room as it is now."""
        return breakout_rooms.ROOMS.of(self.change, CUSTOMER)[self.rooms[place].id]

    def place(self, place):
        """The channel of a live room."""
        return channels.get(self.change, CUSTOMER, self.room(place).place)

    def start(self, *handles):
        """Assign these users to the first room, let them in, and start."""
        for handle in handles:
            assignments.assign(self.change, self.event, self.breakout, self.rooms[0], self.user(handle))
            presence.join(self.change, self.client, self.event, self.user(handle))
        self.breakout = breakouts.start(self.change, self.event)
        return self

    def enter(self, place, handle):
        """Let the user go straight to a room."""
        return assignments.enter(self.change, self.client, self.place(place), self.user(handle))
