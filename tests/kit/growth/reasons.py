"""Why some calls cost more in a large world although neither their answer nor what they write grows.

The test of growth and the benchmark of operations refuse a call that grows without a reason here, and a reason that is
no longer needed.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

#: By patterns of the names of calls.
REASONS: dict[str, str] = {
    "list_channel_participants*": "everybody who took part is looked at for the latest visit",
    "list_sessions": "the sessions of each room that the caller hosts are merged",
    "list_sessions [!ac]*": "the sessions of each room that the caller hosts are merged",
    "list_templates*": "own and inherited templates are put in one order of names",
    "list_channel_templates*": "own and inherited templates are put in one order of names",
    "list_*_media tags_*": "assets are looked through for their tags",
    "list_available_dial_numbers offset=*": "numbers that are exclusively assigned are passed over, up to the offset",
    "start_broadcast": "every enabled destination is noted with the broadcast",
    "set_events_state": "every endpoint is asked for what waits to be delivered",
}


def reason(call: str) -> str:
    """The pattern in ``REASONS`` of the name of a call, "" for none."""
    return next((pattern for pattern in REASONS if fnmatchcase(call, pattern)), "")
