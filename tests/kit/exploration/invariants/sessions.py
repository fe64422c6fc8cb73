"""Invariants about the course of things: sessions, recordings, calls, broadcasts and what ends them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()

#: The states of what goes on for a while, in the order in which they are passed, by table and field.
COURSES: dict[tuple[str, str], tuple[tuple[str, ...], ...]] = {
    ("sessions", "state"): (("initialised",), ("ongoing",), ("ended",)),
    ("recordings", "state"): (("in progress",), ("processing",), ("ready", "failed")),
    ("calls", "state"): (("ringing",), ("answered",), ("ended", "busy", "failed")),
    ("broadcasts", "state"): (("starting",), ("running",), ("ended",)),
    ("breakout sessions", "phase"): (("prepared",), ("active",), ("completed",)),
    ("breakout rooms", "state"): (("planned",), ("live",), ("closed",)),
}
_STAGES = {
    course: {state: stage for stage, states in enumerate(stages) for state in states}
    for course, stages in COURSES.items()
}
#: Instants that are noted once, by table.
INSTANTS: dict[str, tuple[str, ...]] = {
    "sessions": ("created", "started", "ended"),
    "recordings": ("started", "ended", "ready"),
    "calls": ("placed", "connected", "ended"),
    "broadcasts": ("started", "ended"),
    "breakout sessions": ("started",),
    "channels": ("created",),
}


@STATED.step(
    "no-way-back",
    "What has ended does not go on, and what has begun is not about to begin: sessions, recordings, calls, broadcasts, "
    "breakout sessions and their rooms pass their states in one direction.",
    "P2 States L164-170, R284, R361, R553, G435",
    *(table for table, _ in COURSES),
)
def _course(step: Step) -> Iterator[str]:
    for (table, field), stages in _STAGES.items():
        for was, record in _kept(step, table):
            before, after = str(word(getattr(was, field))), str(word(getattr(record, field)))
            if before != after and stages.get(after, -1) <= stages.get(before, -1):
                yield f"{table}: {after} after {before}"


@STATED.step(
    "instants-stay",
    "When something began, ended or became ready is noted at that instant, and stays.",
    "P2 L55-77, R285, R292, R293, R311, R359, R361",
    *INSTANTS,
)
def _stay(step: Step) -> Iterator[str]:
    for table, fields in INSTANTS.items():
        for was, record in _kept(step, table):
            for field in fields:
                before, after = getattr(was, field), getattr(record, field)
                if before is not None and before != after:
                    yield f"{table}.{field} is another one"
                elif before is None and after not in (None, step.after.now) and step.act.operation != "advance_clock":
                    yield f"{table}.{field} is another instant than the present one"


@STATED.step(
    "figures-of-a-session-grow",
    "The peak of a session and the number of those who took part in it never fall, and a recording that was made of "
    "it is not forgotten.",
    "P2 Session L64, L236, R286, R287",
    "sessions",
)
def _grow(step: Step) -> Iterator[str]:
    for was, session in _kept(step, "sessions"):
        if session.peak < was.peak:
            yield "the peak falls"
        if session.participants < was.participants:
            yield "fewer took part"
        if was.had_recording and not session.had_recording:
            yield "the recording is forgotten"


@STATED.world(
    "order-of-instants",
    "A session is created before it starts, and one that goes on has started.",
    "R285",
    "sessions",
)
def _order(view: View) -> Iterator[str]:
    for session in view["sessions"]:
        if session.started is not None and session.started < session.created:
            yield "started before it was created"
        if (session.started is None) is (word(session.state) == "ongoing") and word(session.state) != "ended":
            yield f"{word(session.state)}, started {session.started is not None}"


#: The calls by which somebody else's presence ends; by others only the users whom they name.
_SENT_AWAY = {"end_session", "end_active_session", "delete_channel", "set_client_service_state"}
_GOES = {"leave_channel", "hang_up", "unlink_user"}


@STATED.step(
    "people-stay",
    "Who is inside or waits stays until they leave or hang up, the session is ended by call, the channel or user is "
    "removed, or the service is disabled: doors that close, switches and new terms put nobody out.",
    "P2 States L157, R341, R353, R356, R357, R365, G163, G177, G327, G331",
    "presences",
)
def _stay_inside(step: Step) -> Iterator[str]:
    if step.act.operation in _SENT_AWAY:
        return
    goes = step.call.values.get("userId") if step.act.operation in _GOES else None
    for (channel, user), presence in (*step.before.inside.items(), *step.before.waiting.items()):
        now = step.after.inside.get((channel, user)) or step.after.waiting.get((channel, user))
        if now is None and user != goes:
            yield f"{word(presence.state)}, and away"
        elif now is not None and word(now.state) == "waiting" and presence.place is not None:
            yield f"{word(presence.state)}, and in the lobby"


@STATED.step(
    "ends-only-that-session",
    "A call that ends a session ends that one and those of its breakout rooms: a different active session is left, "
    "with all who are in it; nothing happens to a session that is over.",
    "P2 L234, R417, R418, G363",
)
def _only_that(step: Step) -> Iterator[str]:
    named = _ended_by_call(step)
    if named is None:
        return
    after = step.after.keyed("sessions")
    for session in step.before["sessions"]:
        if named and (session.id == named.id or session.parent_id == named.id):
            continue
        is_open = word(session.state) != "ended"
        now, base = after.get(session.id), _base(step.before, session.channel)
        if named and base == _base(step.before, named.channel) and base not in {each for each, _ in step.after.inside}:
            continue  # the last users have gone with that session, and their channel is empty
        if is_open and (now is None or word(now.state) != word(session.state)):
            yield f"another session: {word(session.state)} before, {word(now.state) if now else 'gone'} after"
        above = named and session.id == named.parent_id
        if is_open and not above and _inside(step.before, session.channel) != _inside(step.after, session.channel):
            yield "somebody in another session"
    if named and word(named.state) == "ended" and step.changed:
        yield "a session that had ended, and the world is another one"


@STATED.step(
    "all-are-disconnected",
    "When a call ends a session, all its users are disconnected: nobody of them is inside or waits.",
    "P2 States L164, R353, G365",
)
def _disconnected(step: Step) -> Iterator[str]:
    named = _ended_by_call(step)
    if not named or word(named.state) == "ended":
        return
    after = step.after.keyed("sessions").get(named.id)
    if after is None or word(after.state) != "ended":
        yield f"the session is {'gone' if after is None else word(after.state)}"
    channel = step.before.channels.get(named.channel)
    room = channel is not None and channel.parent is not None
    there = {**step.before.inside, **step.before.waiting}
    for presence in step.after["presences"]:
        was = there.get((presence.channel, presence.user))
        if was is not None and named.channel == (was.place if room else was.channel):
            yield f"who was {word(was.state)} is {word(presence.state)}"


def _ended_by_call(step: Step) -> Any:
    """Return the session that a call was to end, if the call succeeds: False for none, None for another call."""
    if step.act.operation not in ("end_session", "end_active_session") or step.answer.refused:
        return None
    values = step.call.values
    if step.act.operation == "end_session":
        return step.before.keyed("sessions").get(values.get("sessionId"), False)
    return step.before.sessions.get(values.get("uuid", ""), False)


def _base(view: View, place: str) -> str:
    """Return the channel of a place: for a breakout room its event room."""
    channel = view.channels.get(place)
    return place if channel is None or channel.parent is None else str(channel.parent)


def _inside(view: View, place: str) -> set[int]:
    return {presence.user for presence in view.inside.values() if presence.place == place}


def _kept(step: Step, table: str) -> Iterator[tuple[Any, Any]]:
    """Yield the records of a table that are there before and after a step, and differ."""
    if table not in step.tables:
        return
    after = step.after.keyed(table)
    for key, was in step.before.keyed(table).items():
        record = after.get(key)
        if record is not None and record is not was:
            yield was, record


INVARIANTS = tuple(STATED.invariants)
