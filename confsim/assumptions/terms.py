"""Terms and conditions: for whom and when they apply."""

from __future__ import annotations

from .register import Assumption, assumption, in_force, texts

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
    "The terms that a client starts with bind its users, or bind nobody until new ones are published, which are the "
    "first that users accept.",
    "bind",
    ("accepted",),
)
LOGIN = assumption(
    "terms.login",
    "G174 G175",
    "What a user who must accept the terms gets from the exchange of an identity token or the redemption of an "
    "invitation: a token that serves only for reading and accepting the terms, until they are accepted; a refusal; or "
    "a token that serves for every call, as every other token of such a user then does. In any case channels admit the "
    "user only after acceptance.",
    "limited",
    ("refuse", "full"),
    refuses={
        "TERMS_NOT_ACCEPTED": lambda value, operation, profile: (
            value == "refuse"
            if operation == "exchange_identity_token"
            else value != "full" and operation not in in_force(profile, OPEN_CALLS)
        )
    },
)
OPEN_CALLS: Assumption[tuple[str, ...]] = assumption(
    "terms.open-calls",
    "G175",
    "Calls that a user may make before accepting the current terms; public calls need no user at all.",
    ("get_user_terms", "accept_terms"),
    ("any list of operations",),
    check=texts("operations"),
    samples=([], ["get_me", "list_channels"]),
)
VERSION = assumption(
    "terms.version",
    "G170",
    "The version of new terms: one more than the one before, or the second in which they are published.",
    "one-more",
    ("timestamp",),
    "promulgate_terms get_client_terms get_user_terms accept_terms",
)
LINK_CHANGE = assumption(
    "terms.link-change",
    "G171",
    "Whether another link to the same terms counts as published then: promulgated stays, or changes too. New terms may "
    "have the link of the ones before.",
    "stays",
    ("changes",),
    "update_terms_url",
)
SESSIONS = assumption(
    "terms.sessions",
    "G177",
    "Users who are in a channel when new terms are published: they stay, or are put out.",
    "stay",
    ("put-out",),
    "promulgate_terms",
)
URL = assumption(
    "terms.url",
    "G179",
    "Links that terms can have: absolute http and https URLs, or any text.",
    "absolute",
    ("any",),
    "update_terms_url promulgate_terms",
)
