"""Who is assigned to which breakout room, and the way there."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import breakout as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.members import channel_access, linked_users
from confsim.domain.runtime import presence
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.users import users
from confsim.domain.users.users import User
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change

from .breakout_rooms import ASSIGNMENTS, BY_PLACE, ROOMS, Assignment, Room, State, assigned, rooms
from .breakouts import ACTIVE, BREAKOUTS, Breakout, Phase


class Assigned(Enum):
    """Whether a user is assigned to a room of a breakout session."""

    UNASSIGNED = "unassigned"
    ASSIGNED = "assigned"


def _assign(change: Change, assignment: Assignment, facts: Facts) -> Assignment:
    """The user has this room, and no other of the breakout session (G428)."""
    table = ASSIGNMENTS.of(change, assignment.client)
    if assignment.room not in (None, facts["room"]):
        table.remove(assignment.key)
    return table.put(replace(assignment, room=facts["room"]))


def _unassign(change: Change, assignment: Assignment, facts: Facts) -> Assignment:
    """The user has no room."""
    ASSIGNMENTS.of(change, assignment.client).remove(assignment.key)
    return replace(assignment, room=None)


_BEFORE = Guard("the breakout session has not started", lambda assignment, facts: facts["before"])
_BOTH = (Assigned.UNASSIGNED, Assigned.ASSIGNED)

MACHINE: Machine[Assigned, Assignment] = Machine(
    "breakout assignment",
    "The room of a user in a breakout session (R358, R464, R465, R472).",
    Assigned,
    (
        Row("assign", _BOTH, Assigned.ASSIGNED, only_if=_BEFORE, effect=_assign, source="P2 States L168, R464, G428"),
        Row(
            "remove",
            Assigned.ASSIGNED,
            Assigned.UNASSIGNED,
            only_if=_BEFORE,
            effect=_unassign,
            source="P2 States L168, R358, R465",
        ),
        Row("spread", Assigned.UNASSIGNED, Assigned.ASSIGNED, effect=_assign, source="G436"),
        Row("forget", Assigned.ASSIGNED, Assigned.UNASSIGNED, effect=_unassign, source="G427, G542"),
    ),
    read=lambda assignment, facts: Assigned.UNASSIGNED if assignment.room is None else Assigned.ASSIGNED,
    refusals={("remove", Assigned.UNASSIGNED): Reason.NOT_FOUND, None: Reason.BREAKOUT_STARTED},
    initial=Assigned.UNASSIGNED,
)


def assignment(change: Change, breakout: Breakout, user: int) -> Assignment:
    """The user's assignment in the breakout session, or its absence."""
    found = ASSIGNMENTS.of(change, breakout.client).get(f"{breakout.id}/{user}")
    return found or Assignment(client=breakout.client, breakout=breakout.id, user=user)


def assign(change: Change, channel: Channel, breakout: Breakout, room: Room, user: User) -> None:
    """Give the user this room of the breakout session, before it starts (R358, G430).

    Refusals BREAKOUT_STARTED, ASSIGNED_ELSEWHERE (G428), NOT_FOUND for who cannot be assigned (G429).
    """
    if not _assignable(change, channel, user):
        raise Refusal(Reason.NOT_FOUND, what="user", id=user.id)
    before = assignment(change, breakout, user.id)
    elsewhere = before.room not in (None, room.id)
    if elsewhere and breakout.phase is Phase.PREPARED and ask(change, assumed.SECOND_ROOM) == "refuse":
        raise Refusal(Reason.ASSIGNED_ELSEWHERE, user=user.id)
    MACHINE.fire(change, before, "assign", room=room.id, before=breakout.phase is Phase.PREPARED)


def _assignable(change: Change, channel: Channel, user: User) -> bool:
    if users.unregistered(user) and not channel_access.at_home(change, user, channel):
        return False
    choice = ask(change, assumed.ASSIGNABLE)
    if choice == "linked":
        return linked_users.linked(change, channel, user.id)
    return choice == "client" or presence.of(change, channel, user.id).state is not Where.AWAY


def unassign(change: Change, breakout: Breakout, room: Room, user: User) -> None:
    """Take the room from the user, before the breakout session starts. Refusals BREAKOUT_STARTED, NOT_FOUND."""
    found = assignment(change, breakout, user.id)
    if found.room != room.id:
        found = replace(found, room=None)
    before = breakout.phase is Phase.PREPARED
    MACHINE.fire(change, found, "remove", before=before, what="participant", id=user.id)


def participants(change: Change, room: Room) -> list[User]:
    """The users assigned to the room, in the order in which they were assigned (R466)."""
    people = users.USERS.of(change, room.client)
    return [user for each in assigned(change, room) if (user := people.get(each.user)) is not None]


def room_of(change: Change, breakout: Breakout, user: int) -> Room | None:
    """The room of the breakout session where the user is, else the one assigned to the user (R313), or None."""
    present = presence.PRESENCES.of(change, breakout.client).get(f"{breakout.channel}/{user}")
    found = ROOMS.of(change, breakout.client)
    room = found.get(present.room) if present is not None and present.room is not None else None
    if room is not None and room.breakout == breakout.id:
        return room
    id = assignment(change, breakout, user).room
    return None if id is None else found.get(id)


def routed(change: Change, present: Presence) -> Iterator[Presence]:
    """The present user, when an active breakout session has an open room for them."""
    if route(change, present):
        yield present


def route(change: Change, present: Presence) -> dict[str, str]:
    """Where the user goes: the open room assigned in the active breakout session; nothing when there is none."""
    breakout = BREAKOUTS.of(change, present.client).first(ACTIVE, present.channel)
    if breakout is None:
        return {}
    id = assignment(change, breakout, present.user).room
    found = ROOMS.of(change, present.client).get(id) if id is not None else None
    if found is None or found.state is not State.LIVE or found.place is None:
        return {}
    return {"room": found.id, "place": found.place}


def enter(change: Change, client: Client, place: Channel, user: User) -> Presence:
    """The user goes to the channel of a breakout room, through the event room: hosts to any, others to their own.

    Refusals of ``presence.join``; ROOM_CLOSED, NO_ROOM_ASSIGNED.
    """
    found = ROOMS.of(change, client.id).first(BY_PLACE, place.id)
    if found is None or found.state is not State.LIVE:
        raise Refusal(Reason.ROOM_CLOSED)
    event_room = channels.governing(change, place)
    breakout = BREAKOUTS.of(change, client.id)[found.breakout]
    if not channels.is_operator(event_room, user) and assignment(change, breakout, user.id).room != found.id:
        raise Refusal(Reason.NO_ROOM_ASSIGNED)
    present = presence.of(change, event_room, user.id)
    if present.state in (Where.AWAY, Where.WAITING):
        present = presence.join(change, client, event_room, user)
    if present.state is Where.WAITING or present.room == found.id:
        return present
    return presence.MACHINE.fire(change, present, "route", room=found.id, place=place.id)


def lead(change: Change, event_room: Channel, place: str, user: User) -> None:
    """A phone brings a user who is in the event room to the channel of a breakout room, assigned or not.

    Whoever waits in the lobby waits on; when the room is no longer open, the user stays in the event room.
    """
    found = ROOMS.of(change, event_room.client).first(BY_PLACE, place)
    present = presence.of(change, event_room, user.id)
    if found is not None and found.state is State.LIVE and present.state in (Where.IN, Where.IN_ROOM):
        presence.MACHINE.fire(change, present, "route", room=found.id, place=place)


def unassigned(change: Change, breakout: Breakout) -> list[Assignment]:
    """Of those in the event room who are no hosts, the ones without a room, where they are spread over the rooms."""
    if ask(change, assumed.UNASSIGNED) == "stay" or not rooms(change, breakout):
        return []
    event_room = channels.get(change, breakout.client, breakout.channel)
    found = presence.inside(change, event_room)
    free = [assignment(change, breakout, present.user) for present in found if not presence.hosts(change, present)]
    return [each for each in free if each.room is None]


def next_room(change: Change, breakout: Breakout) -> Room:
    """The room with the fewest assignments, the first of several."""
    return min(rooms(change, breakout), key=lambda room: len(assigned(change, room)))
