"""Terms and conditions: whom they bind and when."""

from __future__ import annotations

from .register import Entry, assumption, texts

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
OPEN_CALLS: Entry[tuple[str, ...]] = assumption(
    "terms.open-calls",
    "G175",
    "Calls that a user may make before accepting the current terms; public calls need no user at all.",
    ("get_user_terms", "accept_terms"),
    ("any list of operations",),
    check=texts("operations"),
)
