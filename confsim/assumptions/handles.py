"""Handles and their reservation: what the documents leave open about them."""

from __future__ import annotations

from .register import assumption

_CHECKED = (
    "check_handle_unique reserve_handle change_handle_with_reservation create_user exchange_identity_token "
    "find_user_by_handle"
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
EQUALITY = assumption(
    "handles.equality",
    "G254",
    "When two handles are equal: in Unicode NFC without case, or character by character.",
    "caseless",
    ("exact",),
    _CHECKED,
)
OCCUPIERS = assumption(
    "handles.occupiers",
    "G257",
    "Whose handles are taken: those of registered users, or of everybody.",
    "registered",
    ("everybody",),
    _CHECKED,
)
CHECK_RESERVED = assumption(
    "handles.check-reserved",
    "G260",
    "Whether a reserved handle is told as unique: to nobody, to whoever reserved it, or to everybody.",
    "nobody",
    ("maker", "everybody"),
    "check_handle_unique exchange_identity_token",
)
REQUIRED_SHOWN = assumption(
    "handles.required-shown",
    "G258",
    "Whether the answer tells that uniqueness is not required, or leaves required out then.",
    "always",
    ("when-required",),
    "check_handle_unique",
)
RESERVE_CHECKED = assumption(
    "handles.reserve-checked",
    "G259",
    "When a taken handle is refused to be reserved: while the client requires unique handles, or always. The own "
    "handle may be reserved.",
    "when-required",
    ("always",),
    "reserve_handle",
)
RESERVE_AGAIN = assumption(
    "handles.reserve-again",
    "G261",
    "Reserving a handle that the caller holds already: a new token for fifteen minutes and the old one is dead, or it "
    "is refused.",
    "renewed",
    ("refused",),
    "reserve_handle",
)
RESERVATIONS_HELD = assumption(
    "handles.reservations-held",
    "G269",
    "How many handles a caller may hold at a time: any number, or a new reservation releases the former.",
    "any",
    ("one",),
    "reserve_handle",
)
BEARER = assumption(
    "handles.reservation-bearer",
    "G262",
    "Who may use a reservation token: anybody in the client who has it, or its maker alone.",
    "anybody",
    ("maker",),
    "change_handle_with_reservation create_user",
)
GUEST_CHANGE = assumption(
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
