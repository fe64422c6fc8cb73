"""Sessions that applications register, and their logs."""

from __future__ import annotations

from .register import assumption, duration

UNKNOWN_CHANNEL = assumption(
    "app-sessions.unknown-channel",
    "G381",
    "A registration that names a channel the client has not: refused, or stored as given.",
    "refuse",
    ("store",),
    "create_app_session",
)
CHANNEL_ACCESS = assumption(
    "app-sessions.channel-access",
    "G381 G380",
    "Which channels of the client a caller may name in a registration: those that the caller may access, or any.",
    "accessible",
    ("any",),
    "create_app_session",
    refuses={"GUEST_ELSEWHERE": ("accessible",), "ROLE_MISSING": ("accessible",)},
)
STARTED_WITHIN = assumption(
    "app-sessions.started-within",
    "G382",
    "Most milliseconds that started may lie from now, before or after; 0 takes any instant from 1970 on.",
    0,
    (86_400_000,),
    "create_app_session",
    check=duration(),
)
REGISTRANT = assumption(
    "app-sessions.registrant",
    "G386",
    "Whether the user who registers an app session is one of its users from the start.",
    True,
    (False,),
    "create_app_session",
)
REPEATED_INDEX = assumption(
    "app-sessions.repeated-index",
    "G383",
    "A log whose index is taken: ignored when it says the same and refused when not, always refused, always ignored, "
    "or written over the earlier one.",
    "same-ignored",
    ("refused", "ignored", "overwrites"),
    "add_app_session_log",
    refuses={"LOG_INDEX_TAKEN": ("same-ignored", "refused")},
)
INDEX_NEEDED = assumption(
    "app-sessions.index-needed",
    "G384",
    "Whether a log must carry an index; gaps, any order and any size that fits the body are taken.",
    False,
    (True,),
    "add_app_session_log",
)
LOG_ORDER = assumption(
    "app-sessions.log-order",
    "G385 G120",
    "Order of the logs of an app session: by index with those that have none last, by arrival, or by their time.",
    "index",
    ("arrival", "time"),
    "list_app_session_logs",
)
ELSEWHERE = assumption(
    "app-sessions.session-elsewhere",
    "G387",
    "Linking a session that is not the channel's: refused, or stored as given.",
    "refuse",
    ("store",),
    "link_app_session_to_channel_session",
    refuses={"SESSION_ELSEWHERE": ("refuse",)},
)
LISTED = assumption(
    "app-sessions.listed",
    "G389 G380",
    "Whose app sessions a user finds: the client's, or those that the user registered.",
    "client",
    ("own",),
    "list_app_sessions",
)
ORDER = assumption(
    "app-sessions.order",
    "G389",
    "Order of app sessions: by started or by creation, newest first.",
    "started",
    ("creation",),
    "list_app_sessions",
)
URL_CASE = assumption(
    "app-sessions.url-case",
    "G390",
    "Whether the part of a URL that is looked for must match in case too.",
    True,
    (False,),
    "list_app_sessions",
)
BOUNDS = assumption(
    "app-sessions.bounds",
    "G121",
    "Whether an app session that started exactly at startedBefore or startedAfter is left out or found.",
    "exclusive",
    ("inclusive",),
    "list_app_sessions",
)
