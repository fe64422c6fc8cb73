"""Members of channels: roles and what they allow, guests, linked users."""

from __future__ import annotations

from .register import assumption, subset_of

_GRANTS = ("access", "customer-admin", "operator", "owner", "registered", "self")
_API_TOKEN: tuple[str, ...] = ("customer-admin", "operator", "access")
_NOTHING: tuple[str, ...] = ()
_ANYWHERE: tuple[str, ...] = ("own", "children")

# roles.*
API_TOKEN_PASSES = assumption(
    "roles.api-token-passes",
    "G149 G150 G276",
    "Grants that an API token has in its own client, beside being an API token. By default it administers the client "
    "and acts as a host in its channels, but does not outrank what is reserved for owners: midi, event rooms, download "
    "URLs, destinations of broadcasts. With owner it passes these gates too; without operator or customer-admin it is "
    "refused what hosts or Customer Admins do.",
    _API_TOKEN,
    ("any list of grants",),
    check=subset_of(_GRANTS),
    samples=([], ["customer-admin", "owner", "operator", "access"]),
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
    check=subset_of(_ANYWHERE),
    samples=(["own"], ["children"]),
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
    check=subset_of(_GRANTS),
    samples=(["owner", "operator", "access"],),
)
OWNER_IS_OPERATOR = assumption(
    "roles.owner-is-operator",
    "G148",
    "Whether an owner counts as operator for gates and for isOperator. To be at least operator, ownership always does.",
    True,
    (False,),
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
    refuses={"OPERATOR_IS_OWNER": ("refuse",)},
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
    "The last owner of a channel can be neither removed nor demoted, or can. A user who is removed as such is no "
    "owner any more, be it the last one.",
    "keep",
    ("let-go",),
    "remove_owner demote_owner",
    refuses={"LAST_OWNER": ("keep",)},
)
FORMER_OWNER = assumption(
    "roles.former-owner",
    "G562",
    "An owner whose ownership is removed: has no role in the channel afterwards, or is an operator of it.",
    "none",
    ("operator",),
    "remove_owner",
)
TEMPORARY_HOSTS = assumption(
    "roles.temporary-hosts",
    "G271 G210",
    "Who can be made operator or owner: any user of the client, also a guest, a linked user or a phone, whose token "
    "ends some day; or registered and predefined users only.",
    "any",
    ("registered",),
    "add_operator add_owner",
    refuses={"NOT_REGISTERED": ("registered",)},
)

# guests.*
GUEST_ACCESS_OFF = assumption(
    "guests.access-off",
    "G227",
    "What a channel without guest access refuses to guests: creation and joining, or joining alone.",
    "creation",
    ("joining",),
    "create_guest",
    refuses={"GUEST_ACCESS_OFF": ("creation",)},
)
GUEST_CREATION = assumption(
    "guests.creation",
    "G230",
    "Whether guests are made while the lobby door is closed (they wait at joining) or the channel private (they have "
    "access to it), or not.",
    "always",
    ("open-channel",),
    "create_guest",
    refuses={"GUEST_ACCESS_OFF": ("open-channel",)},
)
GUEST_END = assumption(
    "guests.end",
    "G231",
    "A guest whose token expires: the user stays readable, and in the channel, or is removed.",
    "stays",
    ("removed",),
    "create_guest",
)

# linked-users.*
LINKED_HANDLES = assumption(
    "linked-users.same-handle",
    "G447",
    "Two channel-linked users of one channel with the same handle: allowed, or refused.",
    "allow",
    ("refuse",),
    "create_linked_user",
    refuses={"LINKED_HANDLE_TAKEN": ("refuse",)},
)
LINKED_AS_GUESTS = assumption(
    "linked-users.guest-access",
    "G227 G443",
    "Whether a channel without guest access refuses its channel-linked users, who are guest-like but invited.",
    False,
    (True,),
    "create_linked_user",
)
OPERATOR_AGAIN = assumption(
    "roles.operator-again",
    "G270",
    "Making an operator of who is operator or owner already: nothing happens, or it is refused.",
    "succeed",
    ("refuse",),
    "add_operator",
    refuses={"STATE_HOLDS": ("refuse",)},
)
ROLE_EFFECT = assumption(
    "roles.effect",
    "G538",
    "A role given or taken holds from the next call on, also for those who are in the channel: every gate reads it.",
    "next-call",
    (),
    "add_operator remove_operator add_owner remove_owner demote_owner",
)
