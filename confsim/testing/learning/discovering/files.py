"""What was read, in the form of a world file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from confsim.assumptions.identity import LEVELS
from confsim.assumptions.register import in_force
from confsim.domain.users.users import Level

from .parsing import SeenAddress, SeenIdentity, SeenLevel, SeenProfile, SeenValidator, SeenView


class SeenUser(Struct, frozen=True):
    """A user, as the service describes one; of those of the accounts with the token, levels and address.

    ``levels`` is None where they could not be read.
    """

    who: SeenIdentity
    profile: SeenProfile
    token: str | None = None
    levels: list[SeenLevel] | None = None
    accepted: bool = False
    address: SeenAddress = SeenAddress()


def user_file(person: SeenUser) -> dict[str, Any]:
    """Return a user of whom no more is known than a view."""
    account = "guest" if person.profile.unregistered else "registered"
    return {"handle": person.who.handle, "account": account, "fullName": person.profile.fullName}


def account_file(role: str, person: SeenUser, profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return a user of the accounts in this role."""
    levels = [role] if role in {"customer-admin", "partner-admin"} else []
    if role == "other-admin":
        levels = ["customer-admin"]
    if person.levels is not None:
        held = [each.id for each in person.levels]
        table: Any = in_force(profile, LEVELS)
        levels = [each.word for each in Level if table[each.word]["id"] in held]
    return {
        **user_file(person),
        "token": person.token,
        "levels": levels,
        "email": person.address.email if person.address.verified else None,
        "acceptedTerms": False,  # the accepted version is found out later
    }


def validator_file(seen: SeenValidator) -> dict[str, Any]:
    """Return a validator, whose key is not known."""
    return {
        "id": seen.id,
        "algorithm": "HS256",
        "key": "unknown-to-the-model-but-long-enough",
        "name": seen.name,
        "active": bool(seen.active),
    }


def in_order(views: Mapping[str, SeenView]) -> dict[str, SeenView]:
    """Return clients each after its parent; one that is said to be below itself has none."""
    found: dict[str, SeenView] = {}

    def add(client_id: str, below: tuple[str, ...]) -> None:
        view = views[client_id]
        parent = None if view.parentId in (*below, client_id) else view.parentId
        if parent is not None and parent not in found:
            add(parent, (*below, client_id))
        found.setdefault(client_id, replace(view, parentId=parent))

    for client_id in views:
        if client_id not in found:
            add(client_id, ())
    return found
