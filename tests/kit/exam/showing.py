"""Which bugs calls can show in a style: all but those that the style cannot have, as the README of the service says."""

from __future__ import annotations

#: The styles in which a bug shows, where these are not all.
STYLES = {
    "closed-lobby-lets-in": "bc",
    "guest-takes-handle": "b",
    **dict.fromkeys(("handle-minds-case", "search-minds-case"), "ab"),
    **dict.fromkeys(
        (
            *("old-invitation-lives", "old-reservation-lives", "user-in-two-rooms", "operator-listed-twice"),
            *("owner-becomes-operator", "config-write-replaces"),
        ),
        "ac",
    ),
}


def is_visible(bug: str, style: str) -> bool:
    """Whether calls can show a bug in a style."""
    return style in STYLES.get(bug, "abc")
