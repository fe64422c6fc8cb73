"""Breakout sessions, their rooms and the assignments to them."""

from __future__ import annotations

from .register import assumption, duration, text


def _numbered(value: object) -> str:
    given = text(value)
    try:
        given.format(number=1)
    except (LookupError, AttributeError):
        raise ValueError(f"{given!r} has braces around something else than number") from None
    return given


SESSION_NAME = assumption(
    "breakout.session-name",
    "G419",
    "Name of a breakout session made without one; {number} counts such ones of the event room.",
    "Breakout session {number}",
    ("any text",),
    "create_breakout_session",
    check=_numbered,
    samples=("Group work {number}",),
)
ROOM_NAME = assumption(
    "breakout.room-name",
    "G420",
    "Name of a breakout room made without one; {number} counts such ones of its session.",
    "Room {number}",
    ("any text",),
    "create_breakout_room",
    check=_numbered,
    samples=("Corner {number}",),
)
ROOM_NAMES = assumption(
    "breakout.room-names",
    "G420",
    "Two rooms of one breakout session with the same name: allowed, or refused.",
    "allow",
    ("refuse",),
    "create_breakout_room rename_breakout_room",
    refuses={"ROOM_NAME_TAKEN": ("refuse",)},
)
DURATION = assumption(
    "breakout.duration",
    "G421",
    "Duration in milliseconds of a breakout session made without one; 0 lasts until it is stopped.",
    0,
    (900_000,),
    "create_breakout_session",
    check=duration(),
)
ZERO = assumption(
    "breakout.zero-duration",
    "G421",
    "A duration of 0 in a request: no limit, or refused. A negative one is refused, and one that overflows.",
    "unlimited",
    ("refuse",),
    "create_breakout_session update_breakout_session",
)
MODIFY_ACTIVE = assumption(
    "breakout.modify-active",
    "G422",
    "Modifying an active breakout session: allowed, it ends at its start plus the new duration; or refused.",
    "allow",
    ("refuse",),
    "update_breakout_session",
    refuses={"BREAKOUT_ACTIVE": ("refuse",)},
)
DELETE_ACTIVE = assumption(
    "breakout.delete-active",
    "G423",
    "Deleting an active breakout session: refused, or it is stopped first. Completed ones can be deleted.",
    "refuse",
    ("stop",),
    "delete_breakout_session",
    refuses={"BREAKOUT_ACTIVE": ("refuse",)},
)
LISTED = assumption(
    "breakout.listed",
    "G424",
    "Breakout sessions listed without sessionId, by creation: those that are not completed, or all.",
    "current",
    ("all",),
    "list_breakout_sessions",
)
WITHOUT_ROOM = assumption(
    "breakout.without-room",
    "G425",
    "The caller's view of an active breakout session without a room in it: the session alone, 204, 403 or 404.",
    "session",
    ("204", "403", "404"),
    "get_active_breakout_session",
    refuses={"NO_ROOM_ASSIGNED": ("403",)},
)
ROOMS_AFTER_START = assumption(
    "breakout.rooms-after-start",
    "G426",
    "Rooms of an active breakout session: adding and renaming allowed, deleting refused; all refused; or all allowed.",
    "add-and-rename",
    ("refuse", "allow"),
    "create_breakout_room rename_breakout_room delete_breakout_room",
    refuses={
        "BREAKOUT_STARTED": lambda value, operation, profile: (
            value != "allow" and (value == "refuse" or operation == "delete_breakout_room")
        )
    },
)
DELETE_ASSIGNED = assumption(
    "breakout.delete-assigned-room",
    "G427",
    "Deleting a room with assignments: they are dropped, or it is refused.",
    "drop",
    ("refuse",),
    "delete_breakout_room",
    refuses={"ROOM_ASSIGNED": ("refuse",)},
)
SECOND_ROOM = assumption(
    "breakout.second-room",
    "G428",
    "Assigning a user who has another room of the session: moved, or refused. The same room again changes nothing.",
    "move",
    ("refuse",),
    "add_breakout_participant",
    refuses={"ASSIGNED_ELSEWHERE": ("refuse",)},
)
ASSIGNABLE = assumption(
    "breakout.assignable",
    "G429",
    "Who can be assigned: any user of the client and those made for the channel, linked users alone, or those present.",
    "client",
    ("linked", "present"),
    "add_breakout_participant",
)
STARTED = assumption(
    "breakout.started",
    "G431",
    "Which of several prepared breakout sessions a start takes: the oldest, the newest, or it is refused.",
    "oldest",
    ("newest", "refuse"),
    "start_breakout_session",
    refuses={"BREAKOUT_AMBIGUOUS": ("refuse",)},
)
START_EMPTY = assumption(
    "breakout.start-empty",
    "G432",
    "Starting a breakout session without rooms, or while nobody is in the event room: it starts; or it is refused "
    "without rooms; or it is refused in both cases.",
    "starts",
    ("needs-rooms", "needs-rooms-and-users"),
    "start_breakout_session",
    refuses={"BREAKOUT_NOT_PREPARED": ("needs-rooms", "needs-rooms-and-users")},
)
STOPPED = assumption(
    "breakout.stopped",
    "G433",
    "A stop takes the one breakout session of the channel that is active.",
    "active",
    (),
    "stop_breakout_session",
)
AFTER_STOP = assumption(
    "breakout.after-stop",
    "G435",
    "A breakout session that is stopped is completed, or prepared again; the end of its duration always completes it.",
    "completed",
    ("prepared",),
    "stop_breakout_session",
)
UNASSIGNED = assumption(
    "breakout.unassigned",
    "G436",
    "Users without a room when a breakout session starts: they stay, or all but hosts are spread over the rooms.",
    "stay",
    ("distribute",),
    "start_breakout_session get_session list_sessions list_session_participants list_channel_participants "
    "list_breakout_participants list_active_channels get_populations",
)
LATECOMERS = assumption(
    "breakout.latecomers",
    "G437",
    "Assigned users who come while the breakout session is active: routed to their room, or they stay.",
    "route",
    ("stay",),
    "start_breakout_session",
)
ROOM_SESSIONS = assumption(
    "breakout.room-sessions",
    "G438 G359",
    "When the session of a breakout room ends: with the breakout session, also while nobody is in the room; or when "
    "its last user leaves the room, where the next one begins another.",
    "with-breakout",
    ("when-empty",),
    "get_session list_sessions list_breakout_rooms",
)
ENTERING = assumption(
    "breakout.entering",
    "G437",
    "Who may go to an open breakout room without being routed there: hosts to any room and others to the one assigned "
    "to them; or everyone to any room.",
    "assigned",
    ("anyone",),
    "start_breakout_session",
)
PHONES = assumption(
    "breakout.phones",
    "G437 G466",
    "A phone that dials the meeting id of a breakout room: refused like everyone without an assignment to the room; "
    "admitted to the room; or admitted to the event room. A phone that the room calls is admitted to the room.",
    "assigned",
    ("room", "event-room"),
    "start_breakout_session",
)
ROOM_CHANNEL = assumption(
    "breakout.room-channel",
    "G438",
    "When a room gets its channel, which is named and renamed as the room is, though not the other way round: at the "
    "start, with its session, or when it is made, the session at the start.",
    "start",
    ("creation",),
    "list_breakout_rooms rename_breakout_room",
)
ROOM_SETTINGS = assumption(
    "breakout.room-settings",
    "G438",
    "The channel of a room starts with service mode, audio quality, guest access, privacy and the most users of the "
    "event room, and with an open door. Wall, speech to text, midi, dial-in and dial-out follow the event room; are as "
    "in the event room when the room got its channel; or are the defaults of the client. Except with these, template, "
    "configuration and PINs of the event room hold in its rooms too. Attendee lock, presenters limit, door and "
    "automatic closing, and the number of users who have room, always are those of the event room; what is set for the "
    "channel of a room is stored and shown.",
    "event-room",
    ("start", "client"),
    "start_breakout_session create_breakout_room set_attendees_state set_presenters_limit remove_presenters_limit "
    "set_lobby_door set_lobby_auto_close",
)
ROOM_LIFE = assumption(
    "breakout.room-life",
    "G438 G441",
    "The channel of a room stays when its room goes or its breakout session ends, until it or the event room is "
    "deleted; nobody comes in by it then. Deleting it while it is in use leaves those inside in the event room.",
    "stays",
    (),
    "start_breakout_session create_breakout_room",
)
MAIN_ENDS = assumption(
    "breakout.main-session-ends",
    "G440 G365",
    "When the event room's session ends, which disconnects those in its rooms too, its active breakout session "
    "completes as well, or goes on until its duration.",
    "completes",
    ("goes-on",),
    "end_session end_active_session",
)
END = assumption(
    "breakout.end",
    "G441",
    "A breakout session ends at its start plus its duration to the millisecond, seen by the next request.",
    "exact",
    (),
    "start_breakout_session",
)
PATHS = assumption(
    "breakout.paths",
    "G546",
    "Paths that the documents shorten to '...' stand below the whole path of the same table.",
    "below",
    (),
    "rename_breakout_room delete_breakout_room list_breakout_rooms add_breakout_participant "
    "remove_breakout_participant list_breakout_participants",
)
EVENT_ROOM_OFF = assumption(
    "breakout.event-room-off",
    "G354",
    "Disabling the event room while a breakout session is active: refused, or it is stopped; or all that the room has "
    "are deleted, prepared ones too.",
    "refuse",
    ("stop", "delete"),
    "set_event_room_state",
    refuses={"BREAKOUT_ACTIVE": ("refuse",)},
)
