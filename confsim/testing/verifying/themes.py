"""Themes of journeys: areas of the API that belong together, and the calls that prepare them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim.api.catalogue import API


class Theme(Struct, frozen=True):
    """The theme of a journey: the calls that prepare it, and the areas of the API that it prefers.

    ``own`` says whether it should be in a client that the run made, in which everything is its own.
    """

    prepare: tuple[tuple[str, str, Mapping[str, str]], ...] = ()
    areas: frozenset[str] = frozenset()
    own: bool = False


def _theme(areas: str, *prepare: tuple[Any, ...], own: bool = False) -> Theme:
    steps = tuple((step[0], step[1], step[2] if len(step) > 2 else {}) for step in prepare)
    return Theme(steps, frozenset(areas.split()), own)


_ON = {"state": "enable"}
_PREPARED = (
    _theme("channels roles channel_properties runtime", ("add_operator", "owner")),
    _theme(
        "breakout",
        ("set_event_room_state", "owner", _ON),
        ("create_breakout_session", "owner"),
        ("create_breakout_room", "owner"),
        ("add_operator", "owner"),
    ),
    _theme(
        "users access terms",
        ("create_guest", "nobody"),
        ("reserve_handle", "owner"),
        ("create_predefined_user", "api-token"),
        own=True,
    ),
    _theme(
        "sessions runtime app_sessions",
        ("set_dial_out_state", "customer-admin", _ON),
        ("dial_unregistered_user", "owner"),
        ("list_sessions", "owner"),
        ("create_app_session", "owner"),
    ),
    _theme(
        "config templates friendly_urls",
        ("create_template", "customer-admin"),
        ("set_template_state", "customer-admin", _ON),
        own=True,
    ),
    _theme(
        "broadcast media gateway",
        ("set_broadcast_state", "customer-admin", _ON),
        ("add_broadcast_destination", "owner"),
        ("upload_channel_media", "owner"),
    ),
    _theme("telephony", ("set_dial_in_state", "customer-admin", _ON), ("set_dial_out_state", "customer-admin", _ON)),
    _theme(
        "recordings",
        ("set_dial_out_state", "customer-admin", _ON),
        ("dial_unregistered_user", "owner"),
        ("list_sessions", "owner"),
        ("start_recording", "owner"),
        ("list_recordings", "owner"),
    ),
    _theme("api_tokens events auth validators embedding clients", ("create_api_token", "customer-admin"), own=True),
)
#: Those that are prepared, and one for each further area.
THEMES = (*_PREPARED, *(_theme(area) for area in API.areas if not any(area in each.areas for each in _PREPARED)))


def preparation(area: str) -> tuple[tuple[str, str, Mapping[str, str]], ...]:
    """Return the calls that prepare journeys in an area."""
    return next(each.prepare for each in THEMES if area in each.areas)
