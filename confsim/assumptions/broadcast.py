"""Broadcasts, their destinations and their history."""

from __future__ import annotations

from .register import assumption

_READ = "list_broadcast_history get_broadcast get_broadcast_metrics"
_CHANGE = "add_broadcast_destination set_broadcast_destination_state"
_RTMP: tuple[str, ...] = ("rtmp", "rtmps")

WHILE_OFF = assumption(
    "broadcast.while-off",
    "G520",
    "While the feature is off for a channel, starting is refused; so is everything about broadcasts of the channel, or "
    "what was set up and what has been can still be read and destinations be changed.",
    "start-refused",
    ("all-refused",),
    f"{_READ} {_CHANGE} list_broadcast_destinations get_broadcast_state start_broadcast stop_broadcast",
    refuses={
        "BROADCAST_OFF": lambda value, operation, profile: value == "all-refused" or operation == "start_broadcast"
    },
)
OFF_WHILE_RUNNING = assumption(
    "broadcast.off-while-running",
    "G526 G569",
    "Switching the feature off for a channel whose broadcast runs: it goes on, or it ends.",
    "goes-on",
    ("ends",),
    "set_broadcast_state",
)
KEYS = assumption(
    "broadcast.stream-keys",
    "G519",
    "The last part of a destination, which is the stream key: shown to all who read destinations, or to owners alone.",
    "shown",
    ("masked",),
    "list_broadcast_destinations",
)


def _schemes(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not value or not all(isinstance(scheme, str) for scheme in value):
        raise ValueError(f"{value!r} is no list of schemes")
    return tuple(scheme.lower() for scheme in value)


SCHEMES = assumption(
    "broadcast.schemes",
    "G568",
    "Schemes of a valid RTMP URL, in any case; a host must follow.",
    _RTMP,
    (("rtmp",), "any list of schemes"),
    "add_broadcast_destination",
    check=_schemes,
    samples=(["srt"],),
)
ENABLED = assumption(
    "broadcast.new-destination-enabled",
    "G518 G568",
    "Whether a destination is enabled when it is added without saying so.",
    True,
    (False,),
    "add_broadcast_destination",
)
NEEDS_SESSION = assumption(
    "broadcast.needs-session",
    "G569",
    "Whether a broadcast needs an active session of the channel to start. The end of a session ends it.",
    False,
    (True,),
    "start_broadcast",
    refuses={"NO_ACTIVE_SESSION": (True,)},
)


def _words(value: object) -> tuple[str, str, str]:
    if not isinstance(value, list | tuple) or len(value) != 3 or not all(isinstance(word, str) for word in value):
        raise ValueError(f"{value!r} is no list of three words")
    return value[0], value[1], value[2]


STATES = assumption(
    "broadcast.states",
    "G570",
    "Words of the broadcast state while there is none, while one starts up, and while one runs.",
    ("off", "starting", "running"),
    ("any three words",),
    "get_broadcast_state",
    check=lambda value: _words(value),
    samples=(["idle", "soon", "on"],),
)
WITHOUT = assumption(
    "broadcast.metrics-without",
    "G524",
    "Metrics while nothing is broadcast: 404, 204, or an empty object. They are the record of the broadcast alone.",
    "404",
    ("204", "{}"),
    "get_broadcast_metrics",
    refuses={"NO_BROADCAST": ("404",)},
)
EMPTY_HISTORY = assumption(
    "broadcast.empty-history",
    "G521",
    "total and rows of a history without broadcasts: both there, or both left out.",
    "both",
    ("absent",),
    "list_broadcast_history",
)
ROWS = assumption(
    "broadcast.rows",
    "G522",
    "A row of the history: the broadcast record, or id and times alone.",
    "record",
    ("summary",),
    "list_broadcast_history",
)
SORT = assumption(
    "broadcast.history-sort",
    "G523",
    "Column of the history when none is asked for: started, created or ended. What has no such time yet is the latest.",
    "started",
    ("created", "ended"),
    "list_broadcast_history",
)
HISTORY = assumption(
    "broadcast.history",
    "G522",
    "What is in the history: every broadcast, the running one included, or those that have ended.",
    "all",
    ("ended",),
    "list_broadcast_history get_broadcast",
)
