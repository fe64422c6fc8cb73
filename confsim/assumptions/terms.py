"""Terms where the documents do not say."""

from __future__ import annotations

from .register import assumption

BINDS = assumption(
    "terms.binds",
    "G173 G176",
    "Whom the terms bind while they are not required of guests: every other user, or nobody. API tokens and telephony "
    "users are never bound.",
    "users",
    ("nobody",),
)
FIRST = assumption(
    "terms.first",
    "G168",
    "The terms that a client starts with bind its users, or count as accepted by everybody until new ones are "
    "published.",
    "bind",
    ("accepted",),
)
