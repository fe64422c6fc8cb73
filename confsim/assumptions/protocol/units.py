"""Units of instants and durations on the wire."""

from __future__ import annotations

from confsim.assumptions.register import assumption

_LIST = "list_channel_media list_client_media"
_GET = "get_channel_media get_client_media"

TOKEN_EXPIRES = assumption(
    "units.token-expires",
    "G111",
    "Unit of expires in a token result: what is left to live in seconds or milliseconds, or the instant of its end.",
    "seconds",
    ("milliseconds", "epoch-ms", "epoch-s"),
    "exchange_identity_token create_guest",
)
INVITATION_EXPIRES = assumption(
    "units.invitation-expires",
    "G113",
    "Unit of expires of an invitation and of invitationExpiry in the user list: of the instant, or of what is left.",
    "epoch-ms",
    ("epoch-s", "milliseconds", "seconds"),
    "create_invitation get_invitation list_users",
)
PROMULGATED = assumption(
    "units.promulgated",
    "G116",
    "Unit of promulgated in a client's terms.",
    "epoch-ms",
    ("epoch-s", "epoch-days"),
    "get_client_terms",
)
SESSION = assumption(
    "units.session",
    "G118",
    "Unit of created, started and ended of a session.",
    "epoch-ms",
    ("epoch-s",),
    "get_session list_sessions",
)
API_TOKEN_EXPIRES = assumption(
    "units.api-token-expires", "G117", "Unit of expiresAt of an API token.", "epoch-ms", ("epoch-s",), "list_api_tokens"
)
RECORDING = assumption(
    "units.recording",
    "G119",
    "Unit of startTime, endTime and readyTime of recordings and of their assets.",
    "epoch-ms",
    ("epoch-s",),
    "list_recordings get_recording list_recording_assets get_recording_asset list_session_recordings",
)
APP_SESSION_FILTER = assumption(
    "units.app-session-filter",
    "G121",
    "Unit of startedBefore and startedAfter.",
    "epoch-ms",
    ("epoch-s",),
    "list_app_sessions",
)
BROADCAST_TIMES = assumption(
    "units.broadcast-times",
    "G123",
    "Form of created, started and ended of a broadcast, which are strings: ISO 8601 in UTC, or epoch milliseconds.",
    "iso-8601",
    ("epoch-ms",),
    "list_broadcast_history get_broadcast get_broadcast_metrics",
)
MEDIA_CREATED = assumption(
    "units.media-created", "G122", "Unit of created of a media asset.", "epoch-ms", ("epoch-s",), f"{_GET} {_LIST}"
)
