"""Users, handles, invitations, identity: what the documents leave open about them."""

from __future__ import annotations

from .register import assumption

FIRST_USER_ID = assumption("users.first-id", "G130", "Ids of users count up over the whole service from here.", 1000)
REGISTERED_RENAME = assumption(
    "handles.registered-rename",
    "G252 G232",
    "Setting a registered user's handle while uniqueness is off changes it; while it is on it changes nothing.",
    "changes",
    ("never",),
    "set_user_handle",
)
