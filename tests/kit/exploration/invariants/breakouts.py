"""Invariants about breakout sessions: who is assigned, routed to the rooms, and back in the event room."""

from __future__ import annotations

from collections.abc import Iterator

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()

#: The operations by which somebody leaves by themselves, or is sent away.
_LEAVING = {"leave_channel", "hang_up"}


def _active(view: View) -> set[str]:
    return {breakout.id for breakout in view["breakout sessions"] if word(breakout.phase) == "active"}


def _assigned(view: View) -> dict[tuple[str, int], str]:
    """Return the room of each assignment, by breakout session and user."""
    return {(each.breakout, each.user): each.room for each in view["assignments"]}


@STATED.step(
    "back-in-the-event-room",
    "When a breakout stops, or its duration ends, users in rooms return to the event room, whose session goes on.",
    "P2 States L166-167, R356, R357",
    "breakout sessions",
)
def _back(step: Step) -> Iterator[str]:
    over = _active(step.before) - _active(step.after)
    rooms = {room.id: room for room in step.before["breakout rooms"] if room.breakout in over}
    for (channel, user), presence in step.before.inside.items():
        if presence.room not in rooms:
            continue
        main, now = step.before.sessions.get(channel), step.after.sessions.get(channel)
        if main is None or now is None or main.id != now.id:
            continue
        back = step.after.inside.get((channel, user))
        if step.act.operation in _LEAVING and step.call.values.get("userId") == user:
            continue
        if back is None or back.place != channel:
            yield "somebody is away" if back is None else "somebody is in another place"


@STATED.step(
    "routed-to-the-rooms",
    "When a breakout starts, users in the event room are routed to their assigned rooms, others stay.",
    "P2 States L166, R355, G437",
    "breakout sessions",
)
def _routed(step: Step) -> Iterator[str]:
    assigned = _assigned(step.after)
    for breakout in step.after["breakout sessions"]:
        if breakout.id not in _active(step.after) - _active(step.before):
            continue
        for channel, user in step.before.inside:
            if channel != breakout.channel:
                continue
            room, now = assigned.get((breakout.id, user)), step.after.inside.get((channel, user))
            if now is None or now.room != room:
                yield "somebody is away" if now is None else "somebody is not where the assignment says"


@STATED.step(
    "late-comers-are-routed",
    "Who is assigned to a room and joins the event room during the breakout gets into that room.",
    "G437, R355",
    "presences",
)
def _late(step: Step) -> Iterator[str]:
    assigned = _assigned(step.after)
    running = {each.channel: each.id for each in step.after["breakout sessions"] if word(each.phase) == "active"}
    for (channel, user), presence in step.after.inside.items():
        if (channel, user) in step.before.inside or presence.place != channel:
            continue
        if (running.get(channel, ""), user) in assigned:
            yield "in the event room"


@STATED.step(
    "assigned-before-the-start",
    "Assignments are added and removed only before the breakout session has started; afterwards they go only with "
    "their room, their breakout session, the channel or the user.",
    "P2 States L168, R358, R464, R465, G430",
    "assignments",
)
def _before_the_start(step: Step) -> Iterator[str]:
    started = {each.id for each in step.before["breakout sessions"] if word(each.phase) != "prepared"}
    rooms = {room.id for room in step.after["breakout rooms"]}
    before, after = _assigned(step.before), _assigned(step.after)
    for (breakout, user), room in before.items():
        stays = breakout in started and room in rooms and user in step.after.users
        if stays and after.get((breakout, user)) != room:
            yield "removed" if (breakout, user) not in after else "another room"
    if any(breakout in started for breakout, _ in after.keys() - before.keys()):
        yield "added"


@STATED.world(
    "assigned-to-rooms-that-are-there",
    "An assignment is to a room of its breakout session.",
    "R312, R462, R464, P2 L105-108",
    "assignments", "breakout rooms",
)  # fmt: skip
def _rooms_there(view: View) -> Iterator[str]:
    rooms = {room.id: room.breakout for room in view["breakout rooms"]}
    for assignment in view["assignments"]:
        if rooms.get(assignment.room) != assignment.breakout:
            yield "a room that is gone" if assignment.room not in rooms else "a room of another breakout"


@STATED.world(
    "started-or-not",
    "A breakout session has the instant of its start once it has started, and no earlier.",
    "R311, R355",
    "breakout sessions",
)
def _started(view: View) -> Iterator[str]:
    for breakout in view["breakout sessions"]:
        if (breakout.started is None) is not (word(breakout.phase) == "prepared"):
            yield f"{word(breakout.phase)}, started {breakout.started is not None}"


@STATED.world(
    "rooms-have-places",
    "A room has a channel and a session while it is open, and before that none; the session of a room is below that "
    "of the event room.",
    "P2 L108, R288, R312, G438",
    "breakout rooms", "breakout sessions", "sessions", "room channels",
)  # fmt: skip
def _places(view: View) -> Iterator[str]:
    sessions = {session.id: session for session in view["sessions"]}
    mains = {breakout.id: breakout.main for breakout in view["breakout sessions"]}
    for room in view["breakout rooms"]:
        if word(room.state) == "planned" and (room.place is not None or room.session is not None):
            yield "a place before the start"
        if word(room.state) != "live":
            continue
        session, place = sessions.get(room.session), view.channels.get(room.place)
        if place is None or place.parent != room.channel:
            yield "open without a channel below the event room"
        if session is None or session.channel != room.place:
            yield "open without a session in its channel"
        elif mains.get(room.breakout) is not None and session.parent_id != mains[room.breakout]:
            yield "its session is not below that of the event room"


INVARIANTS = tuple(STATED.invariants)
