"""Access levels of users."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, views
from services.conferencing.api.identity.users import levels_of
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure
from services.conferencing.store.models import LevelHeld, User


def _grantable(ctx: Context) -> list[str]:
    """The levels that the caller may add or remove for others."""
    roles = gates.roles(ctx)
    granted = {name for role, names in ctx.style.users.grantable.items() if role in roles for name in names}
    return [name for name in ctx.style.users.levels if name in granted]


def _target(ctx: Context, operation: str) -> tuple[User, str]:
    """The user and the level in the path, if the caller may change them."""
    number = requests.number(ctx, "level")
    gates.ask(ctx, operation)
    user = gates.user(ctx)
    for name, (known, _) in ctx.style.users.levels.items():
        if known == number:
            if name not in _grantable(ctx) and not (operation == "level.add" and ctx.bug("any-level-granted")):
                raise Failure("level_denied", name)
            return user, name
    raise Failure("level_unknown", "level")


@route("POST", "/acl/<userId>/level/<level>", "level.add", query="for_client", kind="do")
def add(ctx: Context) -> None:
    """Give a user a level."""
    user, level = _target(ctx, "level.add")
    key = f"{user.id}:{level}"
    if ctx.db.levels.get(key) is not None and ctx.style.users.level_held == "fail":
        raise Failure("level_held", "level")
    ctx.db.levels.put(LevelHeld(key, user.id, level))


@route("DELETE", "/acl/<userId>/level/<level>", "level.remove", query="for_client", kind="delete")
def remove(ctx: Context) -> None:
    """Take a level from a user."""
    user, level = _target(ctx, "level.remove")
    rules, key = ctx.style.users, f"{user.id}:{level}"
    if ctx.db.levels.get(key) is None:
        if rules.level_not_held == "fail":
            raise Failure("level_not_held", "level")
        return
    if level == "customer-admin" and rules.last_admin == "fail":
        admins = [u for u in ctx.db.users.find(client_id=user.client_id) if ctx.db.levels.get(f"{u.id}:{level}")]
        if len(admins) == 1:
            raise Failure("last_admin", "level")
    if ctx.bug("level-removal-takes-all"):
        ctx.db.levels.remove(user_id=user.id)
    ctx.db.levels.remove(id=key)


@route("GET", "/acl/levels", "level.list", query="for_client")
def grantable(ctx: Context) -> Any:
    """The levels that the caller may add or remove for others."""
    gates.ask(ctx, "level.list")
    return [views.level(ctx, name) for name in _grantable(ctx)]


@route("GET", "/acl/<userId>/levels", "level.of_user", query="for_client")
def of_user(ctx: Context) -> Any:
    """The levels of a user."""
    user = gates.user(ctx)
    gates.ask(ctx, "level.of_user", user=user)
    return [views.level(ctx, name) for name in levels_of(ctx, user)]
