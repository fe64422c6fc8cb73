"""Users as the API shows and lists them, their properties and languages: what the documents leave open about them."""

from __future__ import annotations

from .register import Entry, assumption

_USERS = "get_users get_me get_user list_users find_user_by_email list_linked_users list_breakout_participants"

FIRST_USER_ID = assumption("users.first-id", "G130", "Ids of users count up over the whole service from here.", 1000)
REPUTATION = assumption(
    "users.reputation",
    "G208",
    "Reputation of a new user.",
    1,
    (0,),
    "create_user create_guest create_predefined_user create_linked_user exchange_identity_token dial_unregistered_user",
)
ME = assumption(
    "users.me",
    "G158",
    "Calls below /users/{userId} that take the literal me: all whose userId the documents do not mark as a number, or "
    "those of properties alone.",
    "unmarked",
    ("properties",),
)

# What a user looks like
KINDS = {
    "registered": "User",
    "predefined": "Predefined",
    "guest": "Guest",
    "linked": "Guest",
    "dialled-in": "DialIn",
    "dialled-out": "DialOut",
}
AUTH_KINDS = {"OAuth": "OAuth", "Custom": "Custom"}


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
)
AUTH_KIND_WORDS = assumption(
    "users.auth-kinds",
    "G204",
    "Words of authKind for users of a public provider and of custom authentication.",
    AUTH_KINDS,
    ("any table from these two to words",),
    _USERS,
    check=lambda value: _words(AUTH_KINDS, value),
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

# Look-ups and the list
SEVERAL = assumption(
    "users.several-unknown",
    "G216 G217",
    "Several users are answered each once, in the order asked; an id that names nobody in the client is left out, or "
    "all is refused.",
    "left-out",
    ("refused",),
    "get_users",
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

# Registration
REGISTERS = assumption(
    "users.create-registers",
    "G244 G245",
    "Whom a reservation token registers: a calling guest becomes registered and keeps id and token, while for "
    "administrators and API tokens a new user is made, who gets a token elsewhere; or always one of the two.",
    "by-caller",
    ("new", "caller"),
    "create_user",
)

# Properties
PROPERTY_MISSING = assumption(
    "properties.missing",
    "G247",
    "A property that was never stored: refused as not found, or null.",
    "refused",
    ("null",),
    "get_user_property",
)
PROPERTY_NULL = assumption(
    "properties.null",
    "G248",
    "Storing null: it is a value like any other, or removes the property. An empty body is refused in either case.",
    "stored",
    ("removes",),
    "set_user_property set_channel_property",
)

# Languages
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


SUPPORTED_LANGUAGES: Entry[tuple[str, ...]] = assumption(
    "languages.supported",
    "G558",
    "Languages that the service supports, in order.",
    ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja", "zh"),
    ("any list of codes",),
    "list_supported_languages",
    check=_codes,
)
