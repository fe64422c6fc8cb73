"""Handles of users: equality, reservation, changes."""

from __future__ import annotations

from confsim.assumptions.register import assumption

_HANDLE_CHANGES = (
    "check_handle_unique reserve_handle change_handle_with_reservation create_user exchange_identity_token "
    "find_user_by_handle"
)
UNREGISTERED_HANDLES = assumption(
    "handles.unregistered",
    "G232",
    "Whether an unregistered user may have the handle of a registered one while the client requires unique handles, or "
    "that of another user made for the same channel.",
    "free",
    ("unique", "unique-in-channel"),
    "create_guest create_linked_user dial_unregistered_user set_user_handle rename_channel_user",
    refuses={"HANDLE_TAKEN": ("unique", "unique-in-channel")},
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
RESERVATIONS_DEMANDED = assumption(
    "handles.reservations-demanded",
    "G557 G259",
    "Callers who hold one handle when the client begins to require unique ones: the first of them keeps the "
    "reservation, or all do, and the first to use it gets the handle.",
    "first",
    ("all",),
    "set_handle_uniqueness",
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
    refuses={"NOT_UNREGISTERED": ("refused",)},
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
