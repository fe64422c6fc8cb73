"""Users: how the API shows, lists and finds them; their languages."""

from __future__ import annotations

from confsim.assumptions.register import Assumption, assumption, integer

_USERS = "get_users get_me get_user list_users find_user_by_email list_linked_users list_breakout_participants"
KINDS = {
    "registered": "User",
    "predefined": "Predefined",
    "guest": "Guest",
    "linked": "Guest",
    "dialled-in": "DialIn",
    "dialled-out": "DialOut",
}
AUTH_KINDS = {"OAuth": "OAuth", "Custom": "Custom"}
#: The largest first id: a thousand million users fit between it and the largest long.
LAST_FIRST_ID = 2**63 - 10**9
FIRST_USER_ID = assumption(
    "users.first-id",
    "G130",
    "Ids of users count up over the whole service from here. Ids beyond 2^53 show which clients read JSON numbers as "
    "floating-point numbers, as JavaScript does.",
    1000,
    (f"any whole number up to {LAST_FIRST_ID}",),
    "create_guest exchange_identity_token get_user_auth_method set_user_email get_user_email verify_user_email "
    "set_user_handle rename_channel_user set_user_languages get_user_origin_id set_user_image remove_user_image "
    "set_user_description set_user_full_name get_user_client get_user_property set_user_property delete_user_property "
    "list_user_properties add_operator remove_operator add_owner remove_owner demote_owner add_access_level "
    "remove_access_level list_user_access_levels link_app_session_to_user add_breakout_participant "
    "remove_breakout_participant link_user unlink_user create_gateway_endpoint get_gateway_endpoint",
    check=integer(0, LAST_FIRST_ID),
    decides="users",
    samples=(2**53 + 1,),
)
REPUTATION = assumption(
    "users.reputation",
    "G208",
    "Reputation of a new user.",
    1,
    (0,),
    "create_user create_guest create_predefined_user create_linked_user exchange_identity_token dial_unregistered_user "
    "get_me get_user get_users find_user_by_email get_channel list_breakout_participants list_linked_users",
)
ME = assumption(
    "users.me",
    "G158",
    "Calls below /users/{userId} that take the literal me: all whose userId the documents do not mark as a number, or "
    "those of properties alone.",
    "unmarked",
    ("properties",),
)


def _words(known: dict[str, str], value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(word, str) and word for word in value.values()):
        raise ValueError(f"{value!r} is no table to words")
    unknown = value.keys() - known.keys()
    if unknown:
        raise ValueError(f"{sorted(unknown)[0]!r} is none of {', '.join(known)}")
    return {**known, **value}


KIND_WORDS = assumption(
    "users.kinds",
    "G203",
    "Words of kind for each sort of account.",
    KINDS,
    ("any table from these six to words",),
    _USERS,
    check=lambda value: _words(KINDS, value),
    samples=(
        {"registered": "R", "predefined": "P", "guest": "G", "linked": "L", "dialled-in": "I", "dialled-out": "O"},
    ),
)
AUTH_KIND_WORDS = assumption(
    "users.auth-kinds",
    "G204",
    "Words of authKind for users of a public provider and of custom authentication.",
    AUTH_KINDS,
    ("any table from these two to words",),
    _USERS,
    check=lambda value: _words(AUTH_KINDS, value),
    samples=({"OAuth": "oauth", "Custom": "own"},),
)
PREDEFINED_UNREGISTERED = assumption(
    "users.predefined-unregistered",
    "G210",
    "Whether a predefined user is shown as unregistered until connected. Guests, linked and dialled users always are.",
    False,
    (True,),
    _USERS,
)
URL_HANDLE = assumption(
    "users.url-handle",
    "G135",
    "urlHandle: the handle in lower case without accents, all else as hyphens, absent when nothing is left; or the "
    "handle percent-encoded.",
    "plain",
    ("percent",),
    _USERS,
)
ACCEPT_LANGUAGE = assumption(
    "users.accept-language",
    "G205",
    "languages holds the codes in order and acceptLanguage, whose weights fall by a tenth from code to code, or which "
    "has no weights.",
    "weighted",
    ("plain",),
    _USERS,
)
SEVERAL = assumption(
    "users.several-unknown",
    "G216 G217",
    "Several users are answered each once, in the order asked; an id that names nobody in the client is left out, or "
    "all is refused.",
    "left-out",
    ("refused",),
    "get_users",
    refuses={"NOT_FOUND": ("refused",)},
)
SEVERAL_CONTAINER = assumption(
    "users.several-container",
    "G098",
    "Container of several users: an array, an object from id to user, the user alone where there is just one and else "
    "an array, or a page of total and results.",
    "array",
    ("by-id", "single", "page"),
    "get_users",
)
LISTED = assumption(
    "users.listed",
    "G219",
    "Whom the user list holds: holders of a level or of a channel role, and predefined users; all but unregistered "
    "users; or everybody.",
    "roles",
    ("registered", "everybody"),
    "list_users",
)
LEVEL_ORDER = assumption(
    "users.level-order",
    "G090",
    "What sort=level compares: the highest of Partner Admin, Customer Admin, channel owner, operator, none; the "
    "highest level id; or how many levels a user holds.",
    "rank",
    ("id", "count"),
    "list_users",
)
REGISTERS = assumption(
    "users.create-registers",
    "G244 G245",
    "Whom a reservation token registers: a calling guest becomes registered and keeps id and token, while for "
    "administrators and API tokens a new user is made, who gets a token elsewhere; or always one of the two.",
    "by-caller",
    ("new", "caller"),
    "create_user",
    refuses={"NO_USER_CONTEXT": ("caller",), "NOT_A_GUEST": ("by-caller", "caller")},
)
PREDEFINED_NAME = assumption(
    "users.predefined-name",
    "G209",
    "Where the name of a predefined user goes: handle and fullName, the handle alone (then it must be free), or "
    "fullName beside a handle that is made up. Being connected leaves the handle as it is, even one that others have.",
    "both",
    ("handle", "full-name"),
    "create_predefined_user",
    decides="users",
    refuses={"HANDLE_TAKEN": ("handle",)},
)
PREDEFINED_EMAIL = assumption(
    "users.predefined-email",
    "G212",
    "The address given with a predefined user: unverified without a mail, unverified with a code mailed, or verified.",
    "silent",
    ("mailed", "verified"),
    "create_predefined_user",
)
ORIGIN_TWICE = assumption(
    "users.origin-id-twice",
    "G213",
    "A second predefined user of the same origin id in a client: refused, or the existing user is answered.",
    "refuse",
    ("existing",),
    "create_predefined_user",
    refuses={"ORIGIN_ID_TAKEN": ("refuse",)},
)
ORIGIN_LOOKUP = assumption(
    "users.origin-lookup",
    "G214",
    "Whom the look-up by origin id finds: any user of the client, or only those still predefined.",
    "any",
    ("predefined",),
    "find_predefined_user",
)
FOLLOWING = assumption(
    "users.following",
    "G207",
    "How users follow each other: by the control plane, or never, so that both flags are false.",
    "control",
    ("never",),
)
SEVERAL_FOUND = assumption(
    "users.several-found",
    "G559 G560 G225",
    "Which user a search by handle or by address finds when several have it: the one who was created first, or last. "
    "Handles are looked for among those that are occupied, addresses among the verified ones and without case.",
    "first",
    ("last",),
    "find_user_by_handle find_user_by_email",
)
DELETION = assumption(
    "users.deletion",
    "G250",
    "Users are not deleted, linked ones aside: no call is documented or named, so there is no answer to choose among.",
    "never",
    (),
    "get_user",
)


LANGUAGE_CODES = assumption(
    "languages.codes",
    "G206",
    "Codes that are taken: ISO 639-1 in lower case, alone or with a hyphen and a region of two capital letters; an "
    "underscore for the hyphen too; or those of the supported languages alone. A repeated code counts at its first "
    "place, an empty list clears.",
    "hyphen",
    ("underscore", "supported"),
    "set_user_languages",
)


def _codes(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(code, str) and code for code in value):
        raise ValueError(f"{value!r} is no list of codes")
    return tuple(value)


SUPPORTED_LANGUAGES: Assumption[tuple[str, ...]] = assumption(
    "languages.supported",
    "G558",
    "Languages that the service supports, in order.",
    ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja", "zh"),
    ("any list of codes",),
    "list_supported_languages",
    check=_codes,
    samples=(["en"],),
)
