"""Why some calls cost more in a large world although neither their answer nor what they write grows.

The test of growth and the benchmark of operations refuse a call that grows without a reason here, and a reason that is
no longer needed.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

#: By patterns of the names of calls.
REASONS: dict[str, str] = {
    "list_sessions": "the sessions of each room that the caller hosts are counted",
    "list_sessions [!ac]*": "the sessions of each room that the caller hosts are counted",
    "list_available_dial_numbers offset=*": "numbers that are exclusively assigned are passed over, up to the offset",
    "start_broadcast": "every enabled destination is noted with the broadcast",
    "set_events_state": "the endpoints are looked through for those to which something waits to be delivered",
}


def reason(call: str) -> str:
    """The pattern in ``REASONS`` of the name of a call, "" for none."""
    return next((pattern for pattern in REASONS if fnmatchcase(call, pattern)), "")
