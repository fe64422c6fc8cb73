"""What callers may do beyond the words of the documents."""

from __future__ import annotations

from typing import Any

from .register import assumption, some_of

_GRANTS = ("access", "customer-admin", "operator", "owner", "registered", "self")
_API_TOKEN: tuple[str, ...] = ("customer-admin", "owner", "operator", "access")
_NOTHING: tuple[str, ...] = ()
_ANYWHERE: tuple[str, ...] = ("own", "children")

API_TOKEN_PASSES = assumption(
    "roles.api-token-passes",
    "G149 G150 G276",
    "Grants that an API token has in its own client, beside being an API token.",
    _API_TOKEN,
    ("any list of grants",),
    check=some_of(_GRANTS),
)
API_TOKEN_FOR_CLIENT = assumption(
    "roles.api-token-for-client",
    "G152",
    "Whether an API token of a client with the reseller interface manages its children as a Partner Admin does: by "
    "for_client, and by the calls that make, read, list and switch clients.",
    False,
    (True,),
)
FOR_CLIENT_OWN = assumption(
    "roles.for-client-own", "G155", "Whether for_client may name the caller's own client.", False, (True,)
)
PARTNER_ADMIN_INCLUDES = assumption(
    "roles.partner-admin-includes",
    "G139",
    "Where a Partner Admin counts as Customer Admin too: in the own client, from where a path may name a child too, in "
    "children named by for_client.",
    _ANYWHERE,
    ("any list of own and children",),
    check=some_of(_ANYWHERE),
)
PARTNER_ADMIN_GRANTED = assumption(
    "roles.partner-admin-granted",
    "G139",
    "Where a Partner Admin may give and take the Partner Admin level: in the own client, in children too, or nowhere.",
    "own",
    ("children", "nowhere"),
    "list_assignable_access_levels add_access_level remove_access_level",
)
CUSTOMER_ADMIN_PASSES = assumption(
    "roles.customer-admin-passes",
    "G151",
    "Grants of channel roles that a Customer Admin has in every channel of the client; none, the gates are literal.",
    _NOTHING,
    ("any list of grants",),
    check=some_of(_GRANTS),
)
OWNER_IS_OPERATOR = assumption(
    "roles.owner-is-operator",
    "G148",
    "Whether an owner counts as operator for gates and for isOperator. To be at least operator, ownership always does.",
    True,
    (False,),
)


def _levels(value: object) -> dict[str, dict[str, Any]]:
    kinds = {"customer-admin", "partner-admin"}
    if not isinstance(value, dict) or set(value) != kinds:
        raise ValueError(f"{value!r} does not tell of exactly {' and '.join(sorted(kinds))}")
    for level in value.values():
        if (
            not isinstance(level, dict)
            or not isinstance(level.get("id"), int)
            or not isinstance(level.get("name"), str)
        ):
            raise ValueError(f"{level!r} has no whole number as id and text as name")
    if len({level["id"] for level in value.values()}) != len(value):
        raise ValueError("two levels have the same id")
    return value


LEVELS = assumption(
    "levels.table",
    "G140",
    "The access levels, each with its id and its display name.",
    {
        "customer-admin": {"id": 10, "name": "Customer Admin"},
        "partner-admin": {"id": 20, "name": "Partner Admin"},
    },
    ("any ids and names",),
    check=_levels,
)
LEVELS_GRANTABLE = assumption(
    "levels.grantable",
    "G141",
    "Levels that an administrator may give and take: up to the own, below the own, or all. An API token ranks as "
    "Customer Admin; everybody else may none.",
    "up-to-own",
    ("below-own", "all"),
    "list_assignable_access_levels add_access_level remove_access_level",
)
LEVELS_OWN = assumption(
    "levels.own",
    "G144",
    "Whether callers may change their own levels: never, freely, or as long as the client keeps an administrator.",
    "never",
    ("freely", "keep-one"),
    "add_access_level remove_access_level",
)
LEVELS_GUESTS = assumption(
    "levels.guests", "G146", "Whether unregistered users may hold levels.", False, (True,), "add_access_level"
)
OPERATORS_ELSEWHERE = assumption(
    "roles.guests-elsewhere",
    "G271",
    "Whether a guest made for another channel can be made operator; users of other clients never.",
    True,
    (False,),
    "add_operator add_owner",
)
OPERATOR_REMOVAL_OF_OWNER = assumption(
    "roles.remove-operator-on-owner",
    "G272",
    "Removing an owner from the operators: refused, takes the ownership too, or does nothing.",
    "refuse",
    ("take", "nothing"),
    "remove_operator",
)
OPERATORS_LIST = assumption(
    "roles.operators-list",
    "G274",
    "Whether the list of operators contains the owners, who stand first in it.",
    "with-owners",
    ("operators-only",),
    "list_operators",
)
LAST_OWNER = assumption(
    "roles.last-owner",
    "G562 G563",
    "The last owner of a channel can be neither removed nor demoted, or can.",
    "keep",
    ("let-go",),
    "remove_owner demote_owner",
)
