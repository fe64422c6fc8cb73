"""Sessions of channels: their life, their participants and how they are listed."""

from __future__ import annotations

from confsim.assumptions.register import assumption

_READ = "get_session list_sessions"
#: Operations whose answer depends on whether a session is going on.
_GOING_ON = f"{_READ} list_active_channels get_populations end_active_session start_recording"

ENDS = assumption(
    "sessions.end",
    "G359",
    "A session starts with the first user who comes in; it ends when the last one leaves, or by a call alone.",
    "when-empty",
    ("by-call",),
    f"{_GOING_ON} list_session_participants list_channel_participants",
)
LAST_HOST = assumption(
    "sessions.last-host",
    "G359",
    "When the last host leaves a channel in which others are: the session goes on; or it ends, and they are put out.",
    "goes-on",
    ("ends",),
    f"{_GOING_ON} list_session_participants list_channel_participants",
)
ONE_ACTIVE = assumption(
    "sessions.active-at-once", "G360", "A channel has at most one active session.", "one", (), "end_session"
)
ENDED_AGAIN = assumption(
    "sessions.end-again",
    "G363",
    "Ending a session that has ended: nothing happens, or it is refused as not active.",
    "ignore",
    ("refuse",),
    "end_session",
    refuses={"SESSION_ENDED": ("refuse",)},
)
NAME = assumption(
    "sessions.name",
    "G367",
    "Name of a session: the channel's name when it was created, or generated.",
    "channel",
    ("generated",),
    _READ,
)
GROUP = assumption(
    "sessions.group", "G368", "groupId has no input in the documents and is absent.", "absent", (), _READ
)
PARENT = assumption(
    "sessions.parent",
    "G369",
    "parentId of the session of a breakout room: the event room's session, the breakout session, or absent.",
    "event-session",
    ("breakout-session", "absent"),
    _READ,
)
IMAGE = assumption(
    "sessions.image",
    "G370",
    "Image of a session: the channel's present one, or the one of the time.",
    "current",
    ("snapshot",),
    _READ,
)
COUNT = assumption(
    "sessions.participants-count",
    "G371",
    "participantsCount: distinct users who took part, those connected now, or the most at one time.",
    "distinct",
    ("connected", "peak"),
    _READ,
)
PARTICIPANTS = assumption(
    "sessions.participants",
    "G372",
    "Participants of a session: every user once by first join, once by handle, or one entry for each join.",
    "first-join",
    ("handle", "every-join"),
    "list_session_participants",
)
PARTICIPANT_HANDLE = assumption(
    "sessions.participant-handle",
    "G372 G373",
    "Handle of a participant: the one of that time, which is the present one until the user leaves or is removed, and "
    "afterwards the last one before; the user's present one, also in sessions of the past; or that of the last join. "
    "Users who are no more keep their last one in any case.",
    "then",
    ("now", "last-join"),
    "list_session_participants list_channel_participants",
)
REMOVED = assumption(
    "sessions.removed-users",
    "G446 G542",
    "Users who were removed stay in history under their handle, or are left out.",
    "keep",
    ("leave-out",),
    "list_session_participants list_channel_participants",
)
WITHOUT_RECORDING = assumption(
    "sessions.has-recording-false",
    "G375",
    "hasRecording=false: sessions without recordings alone, or no filter.",
    "filter",
    ("ignore",),
    "list_sessions",
)
BOUNDS = assumption(
    "sessions.from-to",
    "G376",
    "from and to: strictly after and before, or inclusive. Sessions not started meet neither.",
    "strict",
    ("inclusive",),
    "list_sessions",
)
UNKNOWN_CHANNEL = assumption(
    "sessions.unknown-channel",
    "G377",
    "Filtering sessions by a channel that is unknown or not hosted by the caller: an empty list, or 404.",
    "empty",
    ("refuse",),
    "list_sessions",
    refuses={"NOT_FOUND": ("refuse",)},
)
ADMINISTRATORS = assumption(
    "sessions.administrators",
    "G378",
    "Sessions that Customer Admins and API tokens see: those of channels they host, as written, or all of the client.",
    "hosted",
    ("all",),
    "list_sessions",
)
NOT_STARTED = assumption(
    "sessions.not-started",
    "G379",
    "Sessions that have not started: not listed, or listed after the others.",
    "hidden",
    ("last",),
    "list_sessions",
)
NOT_ENDED = assumption(
    "sessions.not-ended",
    "G088",
    "Place of sessions without an end when sorting by ended: as the latest, or after the others in either order.",
    "latest",
    ("last",),
    "list_sessions",
)
PRESENCE = assumption(
    "sessions.sort-presence",
    "G089",
    "sort=presence goes by participantsCount, or by whether the caller was present.",
    "participants",
    ("caller",),
    "list_sessions",
)
ROOMS = assumption(
    "sessions.rooms",
    "G439 G325",
    "Sessions of breakout rooms: listed for the hosts of the event room, or not listed.",
    "listed",
    ("hidden",),
    "list_sessions",
)
