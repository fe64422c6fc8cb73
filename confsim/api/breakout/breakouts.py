"""Breakout sessions, their rooms and participants (P2 Endpoints, Breakout rooms)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import BreakoutDuration, BreakoutId, ChannelId, RoomId, SessionId
from confsim.api.views import Id, User, page, user_view
from confsim.assumptions import Reason, ask, breakout as assumed, not_found
from confsim.contract import NO_CONTENT, ImageSize, Limit, Long, Name, NoContent, Offset, StatedUnit, Wire, gates
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import Room
from confsim.domain.breakout.breakouts import Breakout, BreakoutState
from confsim.domain.channels.channels import Channel
from confsim.domain.users.users import User as Person
from confsim.kernel import Refusal

operation = API.family(
    gate=gates.OPERATOR.assumed("G417"),
    requires=lambda call, channel, *_: breakouts.require_event_room(call.change, channel),
    line="P2 Breakout rooms",
)


class BreakoutSessionChange(Wire):
    """Name and duration (milliseconds; 0 without limit) of a breakout session."""

    name: Annotated[Name | None, "The name of the breakout session."] = None
    duration: Annotated[BreakoutDuration | None, "Its duration in milliseconds; 0 without an end."] = None


class BreakoutRoomChange(Wire):
    """The name of a breakout room."""

    name: Annotated[Name | None, "The name of the room."] = None


class BreakoutRoom(Wire, kw_only=True):
    """A breakout room; ``channelUuid`` and ``sessionId`` are there once the room is live (G438)."""

    id: Annotated[RoomId, "The id of the room."]
    name: Annotated[str, "The name of the room."]
    breakoutSession: Annotated[BreakoutId, "The breakout session that the room belongs to."]
    sessionId: Annotated[SessionId | None, "The session that runs in the room, once there is one."] = None
    channelUuid: Annotated[ChannelId | None, "The channel that the room is, once it is live."] = None


class BreakoutSession(Wire, kw_only=True):
    """A breakout session (P2 Breakout); ``breakoutRoom`` is the room of the caller."""

    id: Annotated[BreakoutId, "The id of the breakout session."]
    name: Annotated[str, "The name of the breakout session."]
    channel: Annotated[ChannelId, "The event room that it belongs to."]
    duration: Annotated[Long, "Its duration in milliseconds; 0 without an end."]
    started: Annotated[
        Long | None, "The instant of its start, in epoch milliseconds; absent before.", StatedUnit("epoch-ms")
    ] = None
    isActive: Annotated[bool, "Whether it is running."]
    isCompleted: Annotated[bool, "Whether it is over."]
    breakoutRoom: Annotated[BreakoutRoom | None, "The room that the caller is assigned to."] = None


def _room_view(room: Room) -> BreakoutRoom:
    return BreakoutRoom(
        id=room.id,
        name=room.name,
        breakoutSession=room.breakout,
        sessionId=room.session,
        channelUuid=room.place,
    )


def _session_view(call: Call, breakout: Breakout) -> BreakoutSession:
    user = call.maybe_user
    mine = None if user is None else assignments.find_room(call.change, breakout, user.id)
    return BreakoutSession(
        id=breakout.id,
        name=breakout.name,
        channel=breakout.channel,
        duration=breakout.duration,
        started=breakout.started,
        isActive=breakout.phase is BreakoutState.ACTIVE,
        isCompleted=breakout.phase is BreakoutState.COMPLETED,
        breakoutRoom=None if mine is None else _room_view(mine),
    )


_SESSION = "/channels/{uuid}/breakout/sessions/{breakoutSession}"


@operation(
    "POST /channels/{uuid}/breakout/sessions",
    rules="R310 R354 R406 R454",
    gaps="G418 G419 G421",
    identifies={"id": "breakout_sessions"},
)
def create_breakout_session(call: Call, channel: Channel, body: BreakoutSessionChange) -> Id:
    """Create a breakout session in an event room, not started yet.

    Refusals EVENT_ROOM_OFF, INVALID_INPUT for a negative duration.
    """
    return Id(id=breakouts.create(call.change, channel, body.name, body.duration).id)


@operation(f"POST {_SESSION}", rules="R455", gaps="G418 G421 G422")
def update_breakout_session(call: Call, channel: Channel, breakout: Breakout, body: BreakoutSessionChange) -> None:
    """Update name, duration or both; omitted ones stay. A running one that is past its new end ends now.

    Refusals NOT_FOUND, EVENT_ROOM_OFF, BREAKOUT_COMPLETED, INVALID_INPUT for a negative duration.
    """
    breakouts.modify(call.change, breakout, body.name, body.duration)


@operation(f"DELETE {_SESSION}", rules="R456", gaps="G418 G423", removes="breakout_sessions")
def delete_breakout_session(call: Call, channel: Channel, breakout: Breakout) -> None:
    """Delete a breakout session with its rooms and assignments.

    Refusals NOT_FOUND, EVENT_ROOM_OFF, BREAKOUT_ACTIVE while it runs.
    """
    breakouts.delete(call.change, breakout)


@operation("GET /channels/{uuid}/breakout/sessions", rules="R024 R025 R308 R309 R310 R311 R457", gaps="G418 G424")
def list_breakout_sessions(
    call: Call,
    channel: Channel,
    *,
    limit: Limit | None = None,
    offset: Offset | None = None,
    sessionId: Annotated[SessionId | None, "The past session whose finished breakout sessions are listed."] = None,
) -> list[BreakoutSession]:
    """List the breakout sessions of the event room that are not completed; with ``sessionId`` the finished ones of
    that past session of the event room. By creation. Refusal EVENT_ROOM_OFF.
    """
    found = breakouts.list_(call.change, channel, sessionId)
    return page(call, found, limit, offset, lambda shown: [_session_view(call, each) for each in shown]).results


@operation(
    "GET /channels/{uuid}/breakout/session",
    gate=gates.ACCESS.assumed("G417 G425"),
    requires=None,
    rules="R308 R313 R458 R459 R539",
    gaps="G425",
    runtime=True,
)
def get_active_breakout_session(call: Call, channel: Channel) -> BreakoutSession | NoContent:
    """Get the active breakout session with the caller's room; 204 when none is active.

    Refusal NO_USER_CONTEXT for API tokens.
    """
    user = call.user
    active = breakouts.find_active(call.change, channel)
    if active is None:
        return NO_CONTENT
    if assignments.find_room(call.change, active, user.id) is None:
        choice = ask(call.change, assumed.WITHOUT_ROOM)
        if choice == "204":
            return NO_CONTENT
        if choice == "403":
            raise Refusal(Reason.NO_ROOM_ASSIGNED)
        if choice == "404":
            not_found("breakout room of user", user.id)
    return _session_view(call, active)


@operation(f"POST {_SESSION}/rooms", rules="R460", gaps="G418 G420 G426 G438 G546", identifies={"id": "breakout_rooms"})
def create_breakout_room(call: Call, channel: Channel, breakout: Breakout, body: BreakoutRoomChange) -> Id:
    """Create a room in a breakout session; in an active one it is live at once.

    Refusals NOT_FOUND, EVENT_ROOM_OFF, BREAKOUT_COMPLETED.
    """
    return Id(id=breakout_rooms.add_room(call.change, breakout, body.name).id)


@operation(f"POST {_SESSION}/rooms/{{breakoutRoom}}", rules="R461", gaps="G418 G420 G426 G546")
def rename_breakout_room(
    call: Call,
    channel: Channel,
    breakout: Breakout,
    room: Room,
    body: BreakoutRoomChange,
) -> None:
    """Rename a room. Refusals NOT_FOUND, EVENT_ROOM_OFF, BREAKOUT_COMPLETED."""
    breakout_rooms.rename_room(call.change, breakout, room, body.name)


@operation(
    f"DELETE {_SESSION}/rooms/{{breakoutRoom}}", rules="R462", gaps="G418 G426 G427 G546", removes="breakout_rooms"
)
def delete_breakout_room(call: Call, channel: Channel, breakout: Breakout, room: Room) -> None:
    """Delete a room with the assignments to it.

    Refusals NOT_FOUND, EVENT_ROOM_OFF, BREAKOUT_STARTED while its breakout session runs, BREAKOUT_COMPLETED.
    """
    breakout_rooms.delete_room(call.change, breakout, room)


@operation(f"GET {_SESSION}/rooms", rules="R024 R312 R463", gaps="G418 G438 G546")
def list_breakout_rooms(call: Call, channel: Channel, breakout: Breakout) -> list[BreakoutRoom]:
    """List the rooms of a breakout session, by creation. Refusals NOT_FOUND, EVENT_ROOM_OFF."""
    return [_room_view(each) for each in breakout_rooms.list_(call.change, breakout)]


@operation(
    f"POST {_SESSION}/rooms/{{breakoutRoom}}/participants/{{userId}}",
    rules="R358 R464 R472",
    gaps="G418 G428 G429 G430 G546",
)
def add_breakout_participant(call: Call, channel: Channel, breakout: Breakout, room: Room, user: Person) -> None:
    """Add a user to a room before the breakout session starts; a user who has another room of it is moved.

    Refusals NOT_FOUND, EVENT_ROOM_OFF (also for users made for another channel), BREAKOUT_STARTED.
    """
    assignments.assign(call.change, channel, breakout, room, user)


@operation(
    f"DELETE {_SESSION}/rooms/{{breakoutRoom}}/participants/{{userId}}", rules="R358 R465", gaps="G418 G430 G536 G546"
)
def remove_breakout_participant(call: Call, channel: Channel, breakout: Breakout, room: Room, user: Person) -> None:
    """Remove a user from a room before the breakout session starts.

    Refusals NOT_FOUND, EVENT_ROOM_OFF (also for users who are not assigned to the room), BREAKOUT_STARTED.
    """
    assignments.unassign(call.change, breakout, room, user)


@operation(f"GET {_SESSION}/rooms/{{breakoutRoom}}/participants", rules="R024 R043 R466", gaps="G418 G546")
def list_breakout_participants(
    call: Call,
    channel: Channel,
    breakout: Breakout,
    room: Room,
    *,
    imgSize: ImageSize | None = None,
) -> list[User]:
    """List the users assigned to a room, as they were assigned. Refusals NOT_FOUND, EVENT_ROOM_OFF."""
    return [user_view(call, user, imgSize) for user in assignments.list_participants(call.change, room)]


@operation(
    "POST /channels/{uuid}/breakout/session/start",
    rules="R355 R356 R467 R553",
    gaps="G418 G431 G432 G435 G436 G437 G441",
)
def start_breakout_session(call: Call, channel: Channel) -> None:
    """Start the prepared breakout session, the oldest of several; users go to their rooms until its duration ends.

    Refusals EVENT_ROOM_OFF, BREAKOUT_ACTIVE, BREAKOUT_NOT_PREPARED.
    """
    breakout_rooms.require_startable(call.change, breakouts.start(call.change, channel))


@operation("POST /channels/{uuid}/breakout/session/stop", rules="R357 R468", gaps="G418 G433 G434 G435")
def stop_breakout_session(call: Call, channel: Channel) -> None:
    """Stop the active breakout session; users in rooms return to the event room.

    Refusals EVENT_ROOM_OFF, BREAKOUT_NOT_ACTIVE.
    """
    breakouts.stop(call.change, channel)
