"""Why some calls cost more in a large world although neither their answer nor what they write grows.

The test of growth and the benchmark of operations refuse a call that grows without a reason here, and a reason that is
no longer needed.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

_MERGED = "each channel that the caller hosts is looked up, those with sessions are merged, and read up to the offset"
#: By patterns of the names of calls.
REASONS: dict[str, str] = {
    "list_sessions": _MERGED,
    "list_sessions [!ac]*": _MERGED,
    "start_broadcast": "every enabled destination is noted with the broadcast",
    "set_events_state": "the endpoints are looked through for those to which something waits to be delivered",
}
#: The same, of calls that take more time, though not more lines of Python, or write more in the world of that test.
SCANS: dict[str, str] = {
    "set_client_service_state": "each channel of the client and of the clients below is looked through for what runs",
    "start_recording": "the session leaves four sorted sequences for four others, which the processor's caches no"
    " longer hold",
}


def reason(call: str) -> str:
    """The pattern in ``REASONS`` of the name of a call, "" for none."""
    return next((pattern for pattern in REASONS if fnmatchcase(call, pattern)), "")


def why(call: str) -> str:
    """Why a call of this name may take longer in a large world, "" when it may not."""
    found = REASONS.get(reason(call))
    return found or next((text for pattern, text in SCANS.items() if fnmatchcase(call, pattern)), "")
