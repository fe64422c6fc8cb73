"""Gates: the grants that admit a caller to an operation, in the words of the documents.

A gate lists grants; a caller who holds one of them passes. What a grant means for a caller and a thing is decided in
``api.admission``, where the domain meets the wire. A gate that the documents do not state is the assumption
``gate.<operation>``, whose value is a list of grants.
"""

from __future__ import annotations

from enum import StrEnum

from confsim.assumptions import Assumption, assumption


class Grant(StrEnum):
    """One way to pass a gate."""

    PUBLIC = "public"  # no token is needed
    SIGNED_IN = "signed-in"  # any credential of the client
    USER = "user"  # any user, guests included
    REGISTERED = "registered"  # a user who is not a guest
    SELF = "self"  # the user whom the path names
    API_TOKEN = "api-token"
    CUSTOMER_ADMIN = "customer-admin"
    PARTNER_ADMIN = "partner-admin"
    ACCESS = "access"  # a caller with access to the channel of the path
    # In the channel of the path; in any of the client where the path names neither a channel nor a user (G219).
    OPERATOR = "operator"  # at least operator (host)
    OWNER = "owner"


#: Grants that only a user can hold; an API token is refused with NO_USER_CONTEXT (G159).
FOR_USERS = frozenset({Grant.USER, Grant.SELF})


class Gate:
    """The grants of which one suffices for an operation. ``gaps`` is set if the documents do not state them."""

    __slots__ = ("gaps", "grants")

    def __init__(self, *grants: Grant, gaps: str = "") -> None:
        self.grants = tuple(grants)
        self.gaps = gaps

    def assumed(self, gaps: str) -> Gate:
        """Return the same gate as an assumption that settles the gaps."""
        return Gate(*self.grants, gaps=gaps)

    def entry(self, operation: str, route: str) -> Assumption[tuple[Grant, ...]] | None:
        """Declare the assumption about who may call an operation; None for a gate that the documents state."""
        if not self.gaps:
            return None
        statement = f"Who may call {operation} ({route})."
        gaps, known = f"{self.gaps} G147", tuple(Grant)
        return assumption(f"gate.{operation}", gaps, statement, self.grants, known, operation, check=grants)

    def __str__(self) -> str:
        return " or ".join(self.grants)


PUBLIC = Gate(Grant.PUBLIC)
SIGNED_IN = Gate(Grant.SIGNED_IN)
USER = Gate(Grant.USER)
REGISTERED = Gate(Grant.REGISTERED, Grant.API_TOKEN)
SELF_OR_ADMIN = Gate(Grant.SELF, Grant.CUSTOMER_ADMIN, Grant.API_TOKEN)
CUSTOMER_ADMIN = Gate(Grant.CUSTOMER_ADMIN)
ADMIN = Gate(Grant.CUSTOMER_ADMIN, Grant.API_TOKEN)
PARTNER_ADMIN = Gate(Grant.PARTNER_ADMIN)
API_TOKEN = Gate(Grant.API_TOKEN)
ACCESS = Gate(Grant.ACCESS)
OPERATOR = Gate(Grant.OPERATOR)
OWNER = Gate(Grant.OWNER)
OPERATOR_OR_ADMIN = Gate(Grant.OPERATOR, Grant.CUSTOMER_ADMIN, Grant.API_TOKEN)
OWNER_OR_ADMIN = Gate(Grant.OWNER, Grant.CUSTOMER_ADMIN, Grant.API_TOKEN)


def grants(value: object) -> tuple[Grant, ...]:
    """Check of an entry that says who may call: a word of ``Grant``, or a list of them."""
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple):
        raise ValueError(f"{value!r} is no list of grants")
    try:
        return tuple(Grant(word) for word in words)
    except ValueError:
        known = ", ".join(Grant)
        raise ValueError(f"{value!r} holds a grant that is none of {known}") from None
