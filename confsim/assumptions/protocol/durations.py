"""Durations, in milliseconds, and simulated delays."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import NamedTuple

from confsim.assumptions.register import assumption, duration

MINUTE = 60_000
DAY = 86_400_000
#: The longest span in a request: its end is a number that every JSON reader reads exactly (G127).
LONGEST = 10**15
#: The first characters of a duration as text, which no delay has.
_BEGINS_A_DURATION = tuple("P0123456789")
_DELAY = r"(?a)(time|manual)\(([0-9]{1,9})\)\Z"

TOKEN = assumption(
    "duration.token",
    "G112 G020",
    "Life in milliseconds of a user's or a guest's service token; the longest never ends in practice.",
    DAY,
    (3_600_000, 10**15),
    "exchange_identity_token create_guest",
    check=duration(),
)
INVITATION = assumption(
    "duration.invitation",
    "G114 G115",
    "Life in milliseconds of an invitation without ttl; every invitation has an end.",
    7 * DAY,
    (DAY, 30 * DAY),
    "create_invitation create_linked_user",
    check=duration(),
)


class Delay(NamedTuple):
    """A simulated delay. ``mode`` is "immediate", "time" (``amount`` in seconds) or "manual" (``amount`` in polls)."""

    mode: str
    amount: int = 0


def parse_delay(text: object) -> Delay:
    """Parse ``immediate``, ``time(seconds)`` or ``manual(times)``, the number of polls that find it unfinished.

    Raises ValueError for anything else.
    """
    if text == "immediate":
        return Delay("immediate")
    match = re.match(_DELAY, text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"{text!r} is none of immediate, time(seconds), manual(times)")
    return Delay(match[1], int(match[2]))


def delay_spec(value: object) -> str:
    """Check an entry whose value is a simulated delay; a duration is one of so many seconds."""
    if isinstance(value, timedelta) or (isinstance(value, str) and value[:1] in _BEGINS_A_DURATION):
        return f"time({duration(1000)(value)})"
    parse_delay(value)
    return str(value)


PLACEMENT = assumption(
    "duration.placement",
    "G349",
    "How long a channel is being created on a streaming server after the first request for its address: immediate, "
    "time(seconds), or manual(times): until that number of requests for it have found it unfinished.",
    "immediate",
    ("time(2)", "manual(3)"),
    "get_streaming_proxy",
    check=delay_spec,
)
SESSION_GRACE = assumption(
    "duration.session-grace",
    "G359",
    "Milliseconds for which a session goes on after its channel has become empty.",
    0,
    (5 * MINUTE,),
    "get_session list_sessions list_active_channels get_populations end_active_session start_recording "
    "list_session_participants list_channel_participants",
    check=duration(),
)
RECORDING_PROCESSING = assumption(
    "duration.recording-processing",
    "G488",
    "How long a recording is being processed once it has stopped: immediate, time(seconds), or manual(times): until "
    "that number of polls have found it unfinished.",
    "time(2)",
    ("immediate", "manual(3)"),
    "stop_recording list_recordings get_recording",
    check=delay_spec,
)
API_TOKEN = assumption(
    "duration.api-token",
    "G279",
    "Life of an API token in milliseconds; 0 sets no expiry. Expired ones stay in the list.",
    0,
    (365 * 86_400_000,),
    "create_api_token regenerate_api_token list_api_tokens",
    check=duration(),
)
MEDIA_LINK = assumption(
    "duration.media-link",
    "G573",
    "Life in milliseconds of a link without ttl.",
    300_000,
    (3_600_000,),
    "get_channel_media_link get_client_media_link",
    check=duration(),
)
RECORDING_MAIL_LINK = assumption(
    "duration.recording-mail-link",
    "G505",
    "Life in milliseconds of the link in the mail.",
    7 * 86_400_000,
    (300_000,),
    check=duration(),
)
CALL_ANSWERED = assumption(
    "duration.call-answered",
    "G452",
    "How long a dialled phone rings until it is answered: immediate, time(seconds), or manual(1): until the control "
    "plane answers, fails or hangs up.",
    "immediate",
    ("time(5)", "manual(1)"),
    "dial_registered_user dial_unregistered_user",
    check=delay_spec,
)
BROADCAST_START = assumption(
    "duration.broadcast-start",
    "G525",
    "How long a broadcast takes to start up: immediate, time(seconds), or manual(times): until that number of polls of "
    "its state or metrics have found it starting. Stopping meanwhile ends it. The documents speak of up to three to "
    "four minutes: time(200) shows a client the state starting for so long, and immediate never does.",
    "immediate",
    ("time(180)", "manual(3)"),
    "start_broadcast get_broadcast_state get_broadcast_metrics list_broadcast_history get_broadcast",
    check=delay_spec,
)
