"""The users family: profiles, handles, guests and predefined users, invitations, properties."""

from __future__ import annotations

from . import email, guests, handles, invitations, languages, predefined, profile, properties

__all__ = ["email", "guests", "handles", "invitations", "languages", "predefined", "profile", "properties"]
