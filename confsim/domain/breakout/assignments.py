"""Assignments of users to breakout rooms, and the routing of users to their rooms."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import breakout as assumed
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.members import channel_access, linked_users, roles
from confsim.domain.runtime import presence
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.users import users
from confsim.domain.users.users import User
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT, Guard, Row
from confsim.kernel.world import Change

from . import breakout_rooms
from .breakout_rooms import ASSIGNMENTS, BY_PLACE, ROOMS, Room, RoomAssignment, RoomState
from .breakouts import ACTIVE, BREAKOUTS, Breakout, BreakoutState


class Assigned(Enum):
    """Whether a user is assigned to a room of a breakout session."""

    ASSIGNED = "assigned"


def _assign(change: Change, room: Room, user: User) -> RoomAssignment:
    """The user is assigned to this room, and to no other of the breakout session (G428)."""
    return RoomAssignment(client=room.client, breakout=room.breakout, user=user.id, room=room.id)


def _assign_another(change: Change, assignment: RoomAssignment, room: Room) -> RoomAssignment:
    """The user is assigned to this room, and to no other of the breakout session (G428)."""
    return replace(assignment, room=room.id)


_BEFORE = Guard("the breakout session has not started", lambda assignment, before: before)
_SAME_ROOM = Guard(
    "the breakout session has not started, and it is the same room",
    lambda assignment, room, before: before and assignment.room == room.id,
)
_OTHER_ROOM = Guard(
    "the breakout session has not started, and it is another room",
    lambda assignment, room, before: before and assignment.room != room.id,
)

MACHINE: Machine[Assigned, RoomAssignment] = Machine(
    "breakout assignment",
    "The room of a user in a breakout session (R358, R464, R465, R472).",
    ASSIGNMENTS,
    Assigned,
    (
        Row("assign", ABSENT, Assigned.ASSIGNED, only_if=_BEFORE, effect=_assign, source="P2 States L168, R464, G428"),
        Row(
            "assign",
            Assigned.ASSIGNED,
            Assigned.ASSIGNED,
            only_if=_SAME_ROOM,
            source="P2 States L168, R464, G428",
        ),
        Row(
            "assign",
            Assigned.ASSIGNED,
            Assigned.ASSIGNED,
            only_if=_OTHER_ROOM,
            effect=_assign_another,
            move_to_end=True,
            source="P2 States L168, R464, G428",
        ),
        Row("remove", Assigned.ASSIGNED, ABSENT, only_if=_BEFORE, source="P2 States L168, R358, R465"),
        Row("spread", ABSENT, Assigned.ASSIGNED, effect=_assign, source="G436"),
        Row("forget", Assigned.ASSIGNED, ABSENT, source="G427, G542"),
    ),
    facts={"assign": "room user before", "remove": "before", "spread": "room user"},
    refusals={("remove", ABSENT): Reason.NOT_FOUND, None: Reason.BREAKOUT_STARTED},
)


def find(change: Change, breakout: Breakout, user: int) -> RoomAssignment | None:
    """The assignment of the user in the breakout session, or None."""
    return ASSIGNMENTS.get(change, f"{breakout.id}/{user}", breakout.client)


def assign(change: Change, channel: Channel, breakout: Breakout, room: Room, user: User) -> None:
    """Assign the user to the room, before the breakout session starts (R358, G430).

    Refusals BREAKOUT_STARTED, ASSIGNED_ELSEWHERE (G428), NOT_FOUND for a user who cannot be assigned (G429).
    """
    if not _assignable(change, channel, user):
        raise Refusal(Reason.NOT_FOUND, what="user", id=user.id)
    assignment = find(change, breakout, user.id)
    elsewhere = assignment is not None and assignment.room != room.id
    before = breakout.phase is BreakoutState.PREPARED
    if elsewhere and before and ask(change, assumed.SECOND_ROOM) == "refuse":
        raise Refusal(Reason.ASSIGNED_ELSEWHERE, user=user.id)
    MACHINE.fire(change, assignment, "assign", room=room, user=user, before=before, details={"room": room.id})


def _assignable(change: Change, channel: Channel, user: User) -> bool:
    if users.unregistered(user) and not channel_access.is_home_channel(change, user, channel):
        return False
    choice = ask(change, assumed.ASSIGNABLE)
    if choice == "linked":
        return linked_users.is_linked(change, channel, user.id)
    return choice == "client" or presence.find(change, channel, user.id) is not None


def unassign(change: Change, breakout: Breakout, room: Room, user: User) -> None:
    """Remove the assignment of the user to the room, before the breakout session starts.

    Refusals BREAKOUT_STARTED, NOT_FOUND.
    """
    assignment = find(change, breakout, user.id)
    if assignment is not None and assignment.room != room.id:
        assignment = None
    before = breakout.phase is BreakoutState.PREPARED
    MACHINE.end(change, assignment, "remove", before=before, details={"what": "participant", "id": user.id})


def list_participants(change: Change, room: Room) -> list[User]:
    """The users assigned to the room, in the order in which they were assigned (R466)."""
    people = users.USERS.of(change, room.client)
    assigned = breakout_rooms.list_assigned(change, room)
    return [user for assignment in assigned if (user := people.get(assignment.user)) is not None]


def find_room(change: Change, breakout: Breakout, user: int) -> Room | None:
    """The room of the breakout session in which the user is, else the assigned one (R313), or None."""
    present = presence.PRESENCES.get(change, f"{breakout.channel}/{user}", breakout.client)
    rooms = ROOMS.of(change, breakout.client)
    room = rooms.get(present.room) if present is not None and present.room is not None else None
    if room is not None and room.breakout == breakout.id:
        return room
    assignment = find(change, breakout, user)
    return None if assignment is None else rooms.get(assignment.room)


def routed(change: Change, present: Presence) -> Iterator[Presence]:
    """The presence itself, when the active breakout session has an open room assigned to the user; else nothing."""
    for presence_now in presence.current(change, (present,)):
        if route(change, presence_now):
            yield presence_now


def route(change: Change, present: Presence) -> dict[str, str]:
    """The facts of routing the user: the assigned open room of the active breakout session; empty without one."""
    breakout = BREAKOUTS.one(change, ACTIVE, present.channel, present.client)
    assignment = None if breakout is None else find(change, breakout, present.user)
    room = None if assignment is None else ROOMS.get(change, assignment.room, present.client)
    if room is None or room.state is not RoomState.LIVE or room.place is None:
        return {}
    return {"room": room.id, "place": room.place}


def enter(change: Change, client: Client, place: Channel, user: User) -> Presence:
    """Join the user to the channel of a breakout room, through the event room: hosts any room, others their own.

    Refusals of ``presence.join``; ROOM_CLOSED, NO_ROOM_ASSIGNED.
    """
    room = ROOMS.one(change, BY_PLACE, place.id, client.id)
    if room is None or room.state is not RoomState.LIVE:
        raise Refusal(Reason.ROOM_CLOSED)
    event_room = channels.base_channel(change, place)
    if not roles.is_operator(change, event_room, user):
        assignment = find(change, BREAKOUTS.of(change, client.id)[room.breakout], user.id)
        if assignment is None or assignment.room != room.id:
            raise Refusal(Reason.NO_ROOM_ASSIGNED)
    present = presence.find(change, event_room, user.id)
    if present is None or present.state is Where.WAITING:
        present = presence.join(change, client, event_room, user)
    if present.state is Where.WAITING or present.room == room.id:
        return present
    return presence.route(change, present, room=room.id, place=place.id)


def list_unassigned(change: Change, breakout: Breakout) -> list[Presence]:
    """The attendees in the event room without an assignment, where they are spread over the rooms (G436)."""
    if ask(change, assumed.UNASSIGNED) == "stay" or not breakout_rooms.list_(change, breakout):
        return []
    event_room = channels.get(change, breakout.client, breakout.channel)
    return [
        present
        for present in presence.inside(change, event_room)
        if not presence.hosts(change, present) and find(change, breakout, present.user) is None
    ]


def emptiest_room(change: Change, breakout: Breakout) -> Room:
    """The room with the fewest assignments, the first of several."""
    rooms = breakout_rooms.list_(change, breakout)
    return min(rooms, key=lambda room: len(breakout_rooms.list_assigned(change, room)))
