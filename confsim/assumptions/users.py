"""Users: how the API shows and lists them, handles, languages."""

from __future__ import annotations

from .register import Entry, assumption

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
_HANDLE_CHANGES = (
    "check_handle_unique reserve_handle change_handle_with_reservation create_user exchange_identity_token "
    "find_user_by_handle"
)

# users.*
FIRST_USER_ID = assumption("users.first-id", "G130", "Ids of users count up over the whole service from here.", 1000)
REPUTATION = assumption(
    "users.reputation",
    "G208",
    "Reputation of a new user.",
    1,
    (0,),
    "create_user create_guest create_predefined_user create_linked_user exchange_identity_token dial_unregistered_user "
    "get_me get_user get_users",
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
REGISTERS = assumption(
    "users.create-registers",
    "G244 G245",
    "Whom a reservation token registers: a calling guest becomes registered and keeps id and token, while for "
    "administrators and API tokens a new user is made, who gets a token elsewhere; or always one of the two.",
    "by-caller",
    ("new", "caller"),
    "create_user",
)
PREDEFINED_NAME = assumption(
    "users.predefined-name",
    "G209",
    "Where the name of a predefined user goes: handle and fullName, the handle alone (then it must be free), or "
    "fullName beside a handle that is made up. Being connected leaves the handle as it is, even one that others have.",
    "both",
    ("handle", "full-name"),
    "create_predefined_user",
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
)
ORIGIN_LOOKUP = assumption(
    "users.origin-lookup",
    "G214",
    "Whom the look-up by origin id finds: any user of the client, or only those still predefined.",
    "any",
    ("predefined",),
    "find_predefined_user",
)

# handles.*
UNREGISTERED_HANDLES = assumption(
    "handles.unregistered",
    "G232",
    "Whether an unregistered user may have the handle of a registered one while the client requires unique handles, or "
    "that of another user made for the same channel.",
    "free",
    ("unique", "unique-in-channel"),
    "create_guest create_linked_user dial_unregistered_user set_user_handle rename_channel_user",
)
REGISTERED_RENAME = assumption(
    "handles.registered-rename",
    "G252",
    "Setting a registered user's handle while uniqueness is off changes it, or never does; while it is on, it changes "
    "nothing and succeeds.",
    "changes",
    ("never",),
    "set_user_handle",
)
HANDLE_EQUALITY = assumption(
    "handles.equality",
    "G254",
    "When two handles are equal: in Unicode NFC without case, or character by character.",
    "caseless",
    ("exact",),
    _HANDLE_CHANGES,
)
HANDLE_OCCUPIERS = assumption(
    "handles.occupiers",
    "G257",
    "Whose handles are taken: those of registered users, or of everybody.",
    "registered",
    ("everybody",),
    _HANDLE_CHANGES,
)
HANDLE_CHECK_RESERVED = assumption(
    "handles.check-reserved",
    "G260",
    "Whether a reserved handle is reported as unique: to nobody, to the user who reserved it, or to everybody.",
    "nobody",
    ("maker", "everybody"),
    "check_handle_unique exchange_identity_token",
)
HANDLE_REQUIRED_SHOWN = assumption(
    "handles.required-shown",
    "G258",
    "Whether the answer says that uniqueness is not required, or leaves required out then.",
    "always",
    ("when-required",),
    "check_handle_unique",
)
RESERVATION_CHECKED = assumption(
    "handles.reserve-checked",
    "G259",
    "When a taken handle is refused to be reserved: while the client requires unique handles, or always. The own "
    "handle may be reserved.",
    "when-required",
    ("always",),
    "reserve_handle",
)
RESERVATION_REPEATED = assumption(
    "handles.reserve-again",
    "G261",
    "Reserving a handle that the caller holds already: a new token for fifteen minutes and the old one is invalid, or "
    "it is refused.",
    "renewed",
    ("refused",),
    "reserve_handle",
)
RESERVATIONS_HELD = assumption(
    "handles.reservations-held",
    "G269 G261",
    "How many handles a caller may hold at a time: any number, or a new reservation releases the former.",
    "any",
    ("one",),
    "reserve_handle",
)
RESERVATION_BEARER = assumption(
    "handles.reservation-bearer",
    "G262",
    "Who may use a reservation token: anybody in the client who has it, or its maker alone.",
    "anybody",
    ("maker",),
    "change_handle_with_reservation create_user",
)
GUEST_HANDLE_CHANGE = assumption(
    "handles.guest-change",
    "G265",
    "What a guest's reservation token does when the guest changes the handle with it: that alone, or it registers.",
    "handle",
    ("registers",),
    "change_handle_with_reservation",
)
CHANNEL_RENAME = assumption(
    "handles.channel-rename",
    "G266",
    "Whom a host may rename in a channel: unregistered users made for it, or any of the client. The one handle of the "
    "user changes.",
    "of-the-channel",
    ("any",),
    "rename_channel_user",
)
RENAME_REGISTERED = assumption(
    "handles.rename-registered",
    "G267",
    "A host who renames a registered user is refused, or succeeds without effect.",
    "refused",
    ("ignored",),
    "rename_channel_user",
)

# languages.*
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
FOLLOWING = assumption(
    "users.following",
    "G207",
    "How users follow each other: by the control plane, or never, so that both flags are false.",
    "control",
    ("never",),
)
DELETION = assumption(
    "users.deletion",
    "G250",
    "Users are not deleted, linked ones aside: no call is documented or named, so there is no answer to choose among.",
    "never",
    (),
    "get_user",
)
HANDLE_SCOPE = assumption(
    "handles.scope",
    "G256",
    "Within what handles are unique: the client, or the whole service.",
    "client",
    ("everywhere",),
    "reserve_handle check_handle_unique create_user set_user_handle change_handle_with_reservation find_user_by_handle",
)
HANDLE_FREED = assumption(
    "handles.freed",
    "G268",
    "A handle whose user has another now: free at once, or after as long as a reservation holds one.",
    "at-once",
    ("later",),
    "set_user_handle change_handle_with_reservation create_user",
)
