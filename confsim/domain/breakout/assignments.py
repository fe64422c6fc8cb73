"""Assignments of users to breakout rooms, and the routing of users to their rooms."""

from collections.abc import Iterator

from confsim.assumptions import Reason, ask, breakout as assumed, not_found
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.members import channel_access, linked_users, roles
from confsim.domain.runtime import entrance, presence
from confsim.domain.runtime.entrance import Entrant
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.users import users
from confsim.domain.users.users import User
from confsim.kernel import ABSENT, EXISTS, Call, Change, Collection, Guard, Refusal, Row, replace

from . import breakout_rooms
from .breakout_rooms import ASSIGNMENTS, BY_PLACE, ROOMS, Room, RoomAssignment, RoomState
from .breakouts import ACTIVE, BREAKOUTS, Breakout, BreakoutState

ASSIGNED: Collection[RoomAssignment] = Collection(
    "breakout assignment",
    "The room of a user in a breakout session (R358, R464, R465, R472).",
    ASSIGNMENTS,
    refused={ABSENT: Reason.NOT_FOUND, None: Reason.BREAKOUT_STARTED},
)
_ASSIGN = ASSIGNED.added("assign", source="P2 States L168, R464, G428")
SPREAD = ASSIGNED.added("spread", source="G436")
FORGET = ASSIGNED.removed("forget", source="G427, G542")


@ASSIGNED.changed("assign another", move_to_end=True, source="P2 States L168, R464, G428")
def assign_another(change: Change, assignment: RoomAssignment, room: Room) -> RoomAssignment:
    """The user is assigned to this room, and to no other of the breakout session (G428)."""
    return replace(assignment, room=room.id)


@ASSIGNED.effect("remove", details=lambda change, assignment, user: {"what": "participant", "id": user})
def _remove(change: Change, assignment: RoomAssignment, user: int) -> None:
    """The user is assigned to no room of the breakout session."""


def _phase(change: Change, assignment: RoomAssignment) -> BreakoutState:
    return BREAKOUTS.of(change, assignment.client)[assignment.breakout].phase


_NOT_STARTED = Guard(
    "the breakout session has not started",
    lambda change, assignment: _phase(change, assignment) is BreakoutState.PREPARED,
)
ASSIGNED.declare(
    *ASSIGNED.rows, Row(_remove, EXISTS, ABSENT, only_if=_NOT_STARTED, source="P2 States L168, R358, R465, G430, G536")
)


def to_room(room: Room, user: int) -> RoomAssignment:
    """An assignment of the user to this room, and to no other of the breakout session (G428)."""
    return RoomAssignment(client=room.client, breakout=room.breakout, user=user, room=room.id)


def find(change: Change, breakout: Breakout, user: int) -> RoomAssignment | None:
    """The assignment of the user in the breakout session, or None."""
    return ASSIGNMENTS.get(change, f"{breakout.id}/{user}", breakout.client)


def assign(change: Change, channel: Channel, breakout: Breakout, room: Room, user: User) -> None:
    """Assign the user to the room, before the breakout session starts (R358, G430).

    Refusals BREAKOUT_STARTED, ASSIGNED_ELSEWHERE (G428), NOT_FOUND for a user who cannot be assigned (G429).
    """
    if not _assignable(change, channel, user):
        not_found("user", user.id)
    assignment = find(change, breakout, user.id)
    if breakout.phase is not BreakoutState.PREPARED:
        raise Refusal(Reason.BREAKOUT_STARTED, room=room.id)
    if assignment is None:
        _ASSIGN(change, to_room(room, user.id))
    elif assignment.room != room.id:
        if ask(change, assumed.SECOND_ROOM) == "refuse":
            raise Refusal(Reason.ASSIGNED_ELSEWHERE, user=user.id)
        assign_another(change, assignment, room)


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
    _remove(change, None if assignment is None or assignment.room != room.id else assignment, user.id)


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


def moves(change: Change, present: Presence, by: Entrant) -> bool:
    """Whether a user inside is routed to the room that is assigned, or returns from it."""
    client, event_room = clients.get(change, present.client), channels.get(change, present.client, present.channel)
    user = users.get(change, present.client, present.user)
    return entrance.refusal(change, entrance.entry(client, event_room, user, by=by)) is None


def routed(change: Change, present: Presence) -> Iterator[Call[Presence]]:
    """The presence, to move to the open room of the active breakout session assigned to the user; or nothing."""
    for presence_now in presence.current(change, (present,)):
        breakout = BREAKOUTS.one(change, ACTIVE, presence_now.channel, presence_now.client)
        assignment = None if breakout is None else find(change, breakout, presence_now.user)
        room = None if assignment is None else ROOMS.get(change, assignment.room, presence_now.client)
        if room is None or room.state is not RoomState.LIVE or room.place is None:
            continue
        if moves(change, presence_now, Entrant.ROUTED):
            yield presence.route.on(presence_now, place=room.place, room=room.id)


def may_enter(change: Change, room: Room, user: User) -> bool:
    """Whether the user may be in the room: hosts in any, others in the one assigned to them (G437)."""
    if roles.is_operator(change, channels.get(change, room.client, room.channel), user):
        return True
    assignment = find(change, BREAKOUTS.of(change, room.client)[room.breakout], user.id)
    return assignment is not None and assignment.room == room.id


def enter(change: Change, client: Client, place: Channel, user: User, *, by: Entrant | None = None) -> Presence:
    """Join the user to the channel of a breakout room, through the event room.

    Refusals ROOM_CLOSED; of ``entrance.refusal``.
    """
    room = ROOMS.one(change, BY_PLACE, place.id, client.id)
    if room is None or room.state is not RoomState.LIVE:
        raise Refusal(Reason.ROOM_CLOSED)
    event_room = channels.base_channel(change, place)
    entry = entrance.entry(client, event_room, user, by=by, assigned=may_enter(change, room, user))
    present = presence.find(change, event_room, user.id)
    if present is None or present.state is Where.WAITING:
        present = presence.enter(change, entry)
    else:
        presence.require_may_join(change, entry)
    if present.state is Where.WAITING or present.room == room.id:
        return present
    return presence.route(change, present, place=place.id, room=room.id)


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
