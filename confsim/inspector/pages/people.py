"""The page of people: who is where, who waits, and the controls that let somebody in or out."""

from __future__ import annotations

from typing import Any

from confsim.inspector.page_request import AnsweredPage, PageRequest

from .common import PAGE, part, show

#: Channels and users that an input field suggests.
SUGGESTED = 200


def presence(asked: PageRequest) -> AnsweredPage:
    """Show who waits and who is where, and one channel: the requested one, or the latest of a client."""
    control = asked.control
    summary = control("get_summary", limit=PAGE)
    there = control("list_records", kind="presences", limit=PAGE)
    channels = control("list_records", kind="channels", limit=SUGGESTED)
    users = control("list_records", kind="users", limit=SUGGESTED)
    channel = asked.query.get("channel")
    if not channel:
        channel = next((each.record["channel"] for each in there.records), None)
        channel = channel or next((each.id for each in channels.records), None)
    people, paging = part(asked, control("list_presence", channel=channel) if channel else [])
    ids = [str(each.userId) for each in people]
    return show(
        asked,
        "presence",
        "People",
        summary=summary,
        there=there,
        channels=channels,
        names={each.id: each.label for each in channels.records} | _name(asked, channel),
        channel=channel,
        people=people,
        known=control("find_labels", ids=ids).labels if ids else {},
        users=users,
        **paging,
    )


def _name(asked: PageRequest, channel: str | None) -> dict[str, Any]:
    """Return the name of the channel that is shown. Raises Misuse (404) for an unknown one."""
    return {} if channel is None else {channel: asked.control("get_record", "channels", channel).label}
