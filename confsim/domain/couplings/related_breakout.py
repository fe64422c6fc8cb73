"""Related subjects and facts of breakout sessions, their rooms and presences, for the couplings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confsim.assumptions import breakout as assumed_breakout
from confsim.assumptions.register import ask
from confsim.assumptions.runtime import sessions as assumed_sessions
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import Room, RoomAssignment
from confsim.domain.breakout.breakouts import Breakout
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.presence import Presence
from confsim.domain.runtime.sessions import Session
from confsim.domain.users.users import USERS, User
from confsim.kernel.world import Change


def breakout_of(change: Change, session: Session) -> Iterable[Breakout]:
    """The breakout session that runs in the session, where it does not outlast it (G440)."""
    channel = channels.get(change, session.client, session.channel)
    running = breakouts.find_active(change, channel)
    if running is not None and ask(change, assumed_breakout.MAIN_ENDS) == "completes":
        yield running


def without_main(change: Change, session: Session) -> Iterable[Breakout]:
    """The breakout session that was started before any user was in the event room (G432)."""
    running = breakouts.BREAKOUTS.one(change, breakouts.ACTIVE, session.channel, session.client)
    if running is not None and running.main is None:
        yield running


def without_parent(change: Change, session: Session) -> Iterable[Session | None]:
    """The open sessions of its rooms, where their parent is that of the event room."""
    if ask(change, assumed_sessions.PARENT) == "event-session":
        for breakout in without_main(change, session):
            for room in breakout_rooms.list_(change, breakout):
                yield from session_in(change, room)


def main(change: Change, session: Session, breakout: Breakout) -> dict[str, Any]:
    """The session of the event room in which the breakout session runs."""
    return {"main": session.id}


def parent(change: Change, session: Session, below: Session | None) -> dict[str, Any]:
    """The session of the event room, the parent of the sessions of its rooms."""
    return {"parent": session.id}


def rooms(change: Change, breakout: Breakout) -> Iterable[Room]:
    """The rooms of a breakout session."""
    return breakout_rooms.list_(change, breakout)


def given_rooms(change: Change, breakout: Breakout) -> Iterable[dict[str, Any]]:
    """The room for each user in the event room without an assignment when the breakout session starts (G436)."""
    for present in assignments.list_unassigned(change, breakout):
        user = USERS.of(change, present.client)[present.user]
        yield {"room": assignments.emptiest_room(change, breakout), "user": user}


def in_event_room(change: Change, breakout: Breakout) -> Iterable[Presence]:
    """The presences in the event room with an open room assigned."""
    event_room = channels.get(change, breakout.client, breakout.channel)
    for present in presence.current(change, presence.inside(change, event_room)):
        yield from assignments.routed(change, present)


def latecomer(change: Change, present: Presence) -> Iterable[Presence]:
    """The presence that has just joined, when it has an open room assigned (G437)."""
    return assignments.routed(change, present) if ask(change, assumed_breakout.LATECOMERS) == "route" else ()


def route_facts(change: Change, record: object, present: Presence) -> dict[str, Any]:
    """The facts of moving to a room: the assigned one and its channel."""
    return dict(assignments.route(change, present))


def in_room(change: Change, room: Room) -> Iterable[Presence]:
    """The presences in a room."""
    if room.place is None:
        return ()
    return presence.current(change, presence.inside(change, channels.get(change, room.client, room.place)))


def new_channel(change: Change, room: Room) -> Iterable[dict[str, Any]]:
    """The channel of a room, below the event room, when it does not exist yet."""
    if room.place is not None and channels.find(change, room.client, room.place) is None:
        event_room = channels.get(change, room.client, room.channel)
        yield {"id": room.place, "event_room": event_room, "name": room.name}


def session_of_room(change: Change, room: Room, session: Session | None) -> dict[str, Any]:
    """The channel of a room, and the parent of the session in it (R288, G369)."""
    assert room.place is not None
    main = sessions.find_active(change, channels.get(change, room.client, room.channel))
    parents = {"event-session": main.id if main else None, "breakout-session": room.breakout, "absent": None}
    place = channels.get(change, room.client, room.place)
    return {"channel": place, "parent": parents[ask(change, assumed_sessions.PARENT)]}


def session_entered(change: Change, present: Presence, session: Session | None) -> dict[str, Any]:
    """The facts of the session in the room in which the user is."""
    room = breakout_rooms.ROOMS.of(change, present.client)[present.room or ""]
    return session_of_room(change, room, session)


def room_at(change: Change, session: Session) -> Iterable[Room]:
    """The room in whose channel the session runs; none for a session of a base channel."""
    room = breakout_rooms.ROOMS.one(change, breakout_rooms.BY_PLACE, session.channel, session.client)
    return () if room is None else (room,)


def meeting(change: Change, session: Session, room: Room) -> dict[str, Any]:
    """The session in the channel of the room."""
    return {"session": session.id}


def channels_of(change: Change, room: Room) -> Iterable[Channel]:
    """The channel of the room, if it has one."""
    return () if room.place is None else (channels.get(change, room.client, room.place),)


def renamed(change: Change, room: Room, channel: Channel) -> dict[str, Any]:
    """The name of the room, which its channel gets; names of rooms need not be unique."""
    return {"name": room.name, "free": True}


def active_in(change: Change, channel: Channel) -> Iterable[Breakout]:
    """The active breakout session of the channel."""
    running = breakouts.find_active(change, channel)
    return () if running is None else (running,)


def for_good(change: Change, channel: Channel, breakout: Breakout) -> dict[str, Any]:
    """A breakout session that is not prepared again."""
    return {"again": False}


def deleted_with(change: Change, channel: Channel) -> Iterable[Breakout]:
    """The breakout sessions of a channel that is no event room any more, where they are deleted then (G354)."""
    if ask(change, assumed_breakout.EVENT_ROOM_OFF) == "delete":
        yield from breakouts.list_of_channel(change, channel)


def session_in(change: Change, room: Room) -> Iterable[Session | None]:
    """The open session of a room."""
    return () if room.place is None else (sessions.find_open(change, room.client, room.place),)


def assigned(change: Change, room: Room) -> Iterable[RoomAssignment]:
    """The assignments to a room."""
    return breakout_rooms.list_assigned(change, room)


def assigned_to(change: Change, user: User) -> Iterable[RoomAssignment]:
    """The assignments of a user."""
    return breakout_rooms.ASSIGNMENTS.where(change, breakout_rooms.OF_USER, user.id, user.client)
