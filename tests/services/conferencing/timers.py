"""What happens by itself: each change at its due instant, whenever the clock is next looked at."""

from __future__ import annotations

from services.conferencing.context import Service
from services.conferencing.store.models import Breakout, Channel, Presence, Session

MINUTE = 60_000


def settle(service: Service) -> None:
    """Make every automatic change that is due by now, in the order of their instants."""
    now = service.clock.now()
    if service.bug("breakout-never-ends"):
        return
    late = MINUTE if service.bug("breakout-ends-late") else 0
    running = [b for b in service.db.breakouts.find(ended=None) if b.started is not None]
    for breakout in sorted(running, key=lambda b: (b.started or 0) + b.duration):
        due = (breakout.started or 0) + breakout.duration
        if due + late <= now:
            end_breakout(service, breakout, due)


def enter(service: Service, channel: Channel, user_id: int, at: int, parent: str | None = None) -> Session:
    """Put a user into the channel's session, opening one when none is running."""
    session = service.db.sessions.one(channel_id=channel.id, ended=None)
    if session is None:
        count = len(service.db.sessions.find(channel_id=channel.id)) + 1
        name = service.style.channels.session_name.format(channel=channel.name, count=count)
        session = Session(
            service.ids.make(service.style.ids.session),
            channel.id,
            channel.client_id,
            name,
            channel.service_mode,
            at,
            at,
        )
        session.parent_id = parent
        service.db.sessions.put(session)
    if service.db.presences.one(session_id=session.id, user_id=user_id, left_at=None) is None:
        service.db.presences.put(Presence(service.ids.counter(), session.id, channel.id, user_id, at))
    return session


def leave(service: Service, channel: Channel, user_id: int, at: int) -> bool:
    """Take a user out of the channel; the last one to go ends the session. True when the user was there."""
    stays = service.db.presences.find(channel_id=channel.id, user_id=user_id, left_at=None)
    for stay in stays:
        stay.left_at = at
        service.db.presences.put(stay)
    broken_out = any(b.active for b in service.db.breakouts.find(channel_id=channel.id, ended=None))
    if stays and not broken_out and service.db.presences.one(channel_id=channel.id, left_at=None) is None:
        session = service.db.sessions.one(channel_id=channel.id, ended=None)
        if session is not None:
            end_session(service, session, at)
    return bool(stays)


def end_session(service: Service, session: Session, at: int) -> None:
    """End a session: everybody is disconnected, and the door closes where it closes by itself."""
    for stay in service.db.presences.find(session_id=session.id, left_at=None):
        stay.left_at = at
        service.db.presences.put(stay)
    session.ended = at
    service.db.sessions.put(session)
    channel = service.db.channels.get(session.channel_id)
    if channel is None:
        return
    channel.placed_at = None
    if channel.auto_close and not service.bug("door-stays-open"):
        channel.is_open = False
    service.db.channels.put(channel)
    for breakout in service.db.breakouts.find(channel_id=channel.id, ended=None):
        if breakout.active:
            end_breakout(service, breakout, at, back=False)


def start_breakout(service: Service, breakout: Breakout, channel: Channel, at: int) -> None:
    """Start a breakout session: assigned users who are in the event room go to their rooms."""
    parent = service.db.sessions.one(channel_id=channel.id, ended=None)
    breakout.started = at
    breakout.session_id = parent.id if parent else None
    service.db.breakouts.put(breakout)
    for room in service.db.rooms.find(breakout_id=breakout.id):
        place = service.db.channels.get(room.channel_id)
        for assignment in service.db.assignments.find(room_id=room.id):
            stay = service.db.presences.one(channel_id=channel.id, user_id=assignment.user_id, left_at=None)
            if stay is None or place is None:
                continue
            stay.left_at = at
            service.db.presences.put(stay)
            room.session_id = enter(service, place, assignment.user_id, at, parent.id if parent else None).id
        service.db.rooms.put(room)


def end_breakout(service: Service, breakout: Breakout, at: int, back: bool = True) -> None:
    """End a breakout session: the users in its rooms return to the event room."""
    breakout.ended = at
    service.db.breakouts.put(breakout)
    event_room = service.db.channels.get(breakout.channel_id)
    for room in service.db.rooms.find(breakout_id=breakout.id):
        session = service.db.sessions.one(channel_id=room.channel_id, ended=None)
        if session is None:
            continue
        inside = service.db.presences.find(session_id=session.id, left_at=None)
        end_session(service, session, at)
        if back and event_room is not None and not service.bug("rooms-keep-users"):
            for stay in inside:
                enter(service, event_room, stay.user_id, at)
