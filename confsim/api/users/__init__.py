"""The users family: profiles, handles, guests and predefined users, invitations, properties."""

from __future__ import annotations
