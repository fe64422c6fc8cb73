"""What callers may do beyond the words of the documents."""

from __future__ import annotations

from .register import assumption


def _grants(value: object) -> tuple[str, ...]:
    known = {"customer-admin", "owner", "operator", "access", "self", "registered"}
    if not isinstance(value, list | tuple) or not set(value) <= known:
        raise ValueError(f"{value!r} is no list of {', '.join(sorted(known))}")
    return tuple(value)


API_TOKEN_PASSES = assumption(
    "roles.api-token-passes",
    "G149 G150 G276",
    "Grants that an API token has in its own client, beside being an API token.",
    ("customer-admin", "owner", "operator", "access"),
    ("any list of grants",),
    check=_grants,
)
API_TOKEN_FOR_CLIENT = assumption(
    "roles.api-token-for-client",
    "G152",
    "Whether an API token of a client with the reseller interface may use for_client.",
    False,
    (True,),
)
FOR_CLIENT_OWN = assumption(
    "roles.for-client-own", "G155", "Whether for_client may name the caller's own client.", False, (True,)
)
