"""How long things last where the documents do not say. All in milliseconds."""

from __future__ import annotations

from .register import assumption

MINUTE = 60_000
DAY = 86_400_000

TOKEN = assumption(
    "duration.token",
    "G112 G020",
    "Life in milliseconds of a user's or a guest's service token; use does not prolong it.",
    DAY,
    (3_600_000,),
    "exchange_identity_token create_guest",
)
INVITATION = assumption(
    "duration.invitation",
    "G114 G115",
    "Life in milliseconds of an invitation without ttl; every invitation has an end.",
    7 * DAY,
    (DAY, 30 * DAY),
    "create_invitation create_linked_user",
)
