"""Notifications to a connected user: the change, and the state after it."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec import Struct

from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.presence import Where
from confsim.kernel.world import Change


class PresenceState(Struct, frozen=True):
    """The state of a person in a channel: "in", "waiting" or "away"; session and breakout room by id."""

    state: str
    session: str | None = None
    room: str | None = None
    presenter: bool = False
    muted: bool = False


AWAY = PresenceState("away")


class NotificationType(StrEnum):
    """The type of a message, in order of preference."""

    CONNECTED = "connected"
    SESSION_ENDED = "session-ended"
    REMOVED = "removed"
    ADMITTED = "admitted"
    SENT_TO_LOBBY = "sent-to-lobby"
    MOVED = "moved"
    RETURNED = "returned"
    SESSION_STARTED = "session-started"
    PRESENTER = "presenter"
    VIEWER = "viewer"
    MUTED = "muted"
    UNMUTED = "unmuted"


class Notification(Struct, frozen=True):
    """One message. ``at`` is the instant in epoch milliseconds; the other fields are those of ``PresenceState``."""

    type: NotificationType
    at: int
    channel: str
    userId: int
    state: str
    session: str | None
    room: str | None
    presenter: bool
    muted: bool


def state_of(change: Change, client: str, channel_id: str, user: int) -> PresenceState:
    """Return the state of a user in a channel; for a breakout room, in its event room."""
    channel = channels.find(change, client, channel_id)
    if channel is None:
        return AWAY
    session = sessions.find_active(change, channel)
    found = presence.find(change, channel, user)
    if found is None:
        return PresenceState("away", None if session is None else session.id)
    return _present(change, channel, found, None if session is None else session.id)


def _present(change: Change, channel: Channel, found: presence.Presence, session: str | None) -> PresenceState:
    return PresenceState(
        "waiting" if found.state is Where.WAITING else "in",
        session,
        found.room,
        found.presenter,
        presence.is_muted(change, channel, found),
    )


def type_of(was: PresenceState, now: PresenceState) -> NotificationType | None:
    """Return the type of the change from one state to another, the first of several; None for no change."""
    if was == now:
        return None
    if now.state == "away":
        return (
            NotificationType.SESSION_ENDED
            if was.session is not None and now.session is None
            else NotificationType.REMOVED
        )
    if was.state != now.state:
        return NotificationType.ADMITTED if now.state == "in" else NotificationType.SENT_TO_LOBBY
    if was.room != now.room:
        return NotificationType.RETURNED if now.room is None else NotificationType.MOVED
    if was.session != now.session:
        return NotificationType.SESSION_ENDED if now.session is None else NotificationType.SESSION_STARTED
    if was.presenter != now.presenter:
        return NotificationType.PRESENTER if now.presenter else NotificationType.VIEWER
    return NotificationType.MUTED if now.muted else NotificationType.UNMUTED


def message(type: NotificationType, at: int, channel: str, user: int, state: PresenceState) -> bytes:
    """Return the JSON of a message."""
    return msgspec.json.encode(
        Notification(type, at, channel, user, state.state, state.session, state.room, state.presenter, state.muted)
    )
