"""Users: reading and listing them."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, paging, requests, views
from services.conferencing.clock import instant
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.models import User


@route("GET", "/users/me", "user.me", query="imgSize")
def me(ctx: Context) -> Any:
    """The caller."""
    size, token = requests.img_size(ctx), ctx.caller.api_token
    if token is not None and ctx.style.users.me_by_api_token == "service":
        service = User(0, token.client_id, token.label or "API", "registered", auth_kind="ApiToken")
        return views.user(ctx, service, size)
    return views.user(ctx, gates.caller_user(ctx), size)


@route("GET", "/users/<userId>", "user.get", query="for_client imgSize")
def get(ctx: Context) -> Any:
    """A user of a child client."""
    gates.ask(ctx, "user.get")
    return views.user(ctx, gates.user(ctx), requests.img_size(ctx))


@route("GET", "/users/multiple/<userIds>", "user.multiple", query="imgSize")
def multiple(ctx: Context) -> Any:
    """Several users of the caller's client."""
    gates.ask(ctx, "user.multiple")
    rules, size = ctx.style.users, requests.img_size(ctx)
    words = [word.strip() for word in ctx.path["userIds"].split(",") if word.strip()]
    if not words or any(not word.isdecimal() or len(word) > 18 for word in words):
        raise invalid("userIds", "number", "bad_path")
    if len(words) > rules.multiple_most:
        raise invalid("userIds", "many", "bad_path")
    shown: dict[str, Any] = {}
    for word in dict.fromkeys(words):
        item = ctx.db.users.get(int(word))
        if item is None or (item.client_id != ctx.client.id and not ctx.bug("users-of-any-tenant")):
            if rules.multiple_unknown == "fail":
                raise Failure("not_found", "user")
            if rules.multiple_unknown == "null":
                shown[word] = None
            continue
        shown[word] = views.user(ctx, item, size)
    if rules.multiple_shape == "map":
        return shown
    if rules.multiple_shape == "paged":
        return {"total": len(shown), "results": list(shown.values())}
    return list(shown.values())


def levels_of(ctx: Context, user: User) -> list[str]:
    """The levels that a user holds, highest first, those that come from channels included."""
    held = {item.level for item in ctx.db.levels.find(user_id=user.id)}
    roles = ctx.db.roles.find(user_id=user.id)
    if any(role.owner for role in roles):
        held.add("owner")
    if any(not role.owner for role in roles):
        held.add("operator")
    return [name for name in ctx.style.users.level_rank if name in held]


def _listed(ctx: Context, user: User, levels: list[str]) -> bool:
    if user.kind in ("guest", "linked") and not levels:
        return False
    return ctx.style.users.listed == "all" or bool(levels)


def _wanted_levels(ctx: Context) -> set[str] | None:
    words = requests.query(ctx, "levels")
    if words is None:
        return None
    by_number = {str(number): name for name, (number, _) in ctx.style.users.levels.items()}
    if any(word.strip() not in by_number for word in words.split(",")):
        raise invalid("levels", "choice", "bad_query")
    return {by_number[word.strip()] for word in words.split(",")}


def _item(ctx: Context, user: User, levels: list[str], size: str) -> dict[str, Any]:
    invitation = ctx.db.invitations.get(user.id) if user.kind in ("predefined", "linked") else None
    pending = invitation is not None and (invitation.expires is None or invitation.expires > ctx.now)
    expiry = invitation.expires if invitation is not None and pending else None
    fields: dict[str, Any] = {
        "levels": [views.level(ctx, name) for name in levels],
        "id": user.id,
        "authKind": ctx.style.users.auth_kinds.get(user.auth_kind or ""),
        "kind": ctx.style.users.kinds[user.kind],
        "invitationExpiry": instant(expiry, ctx.style.times.list_invitation, ctx.now),
        "imageUrl": views.image(ctx, user.image_url, size),
        "handle": user.handle,
    }
    if ctx.bug("invitation-code-listed") and invitation is not None:
        fields["invitation"] = invitation.code
    return views.present(ctx, fields)


@route("GET", "/users", "user.list", query="for_client search limit offset imgSize sort order levels")
def list_(ctx: Context) -> Any:
    """The users with roles in the client."""
    gates.ask(ctx, "user.list")
    size, wanted = requests.img_size(ctx), _wanted_levels(ctx)
    search = requests.query(ctx, "search")
    rank = ctx.style.users.level_rank
    held: dict[int, list[str]] = {}
    kept = []
    for user in ctx.db.users.find(client_id=ctx.client.id):
        levels = held[user.id] = levels_of(ctx, user)
        if not _listed(ctx, user, levels) or not paging.matches(ctx, search, user.handle, user.full_name):
            continue
        if wanted is None or wanted & set(levels):
            kept.append(user)
    keys = {
        "handle": lambda u: paging.name_key(ctx, u.handle),
        "level": lambda u: len(rank) - rank.index(held[u.id][0]) if held[u.id] else 0,
    }
    order = "desc"
    if ctx.bug("users-order-ignored"):
        kept.sort(key=lambda u: u.id)
        ordered = kept
    else:
        ordered = paging.ordered(ctx, kept, keys, "level", order)
    shown = paging.page(ctx, ordered, lambda u: _item(ctx, u, held[u.id], size))
    if ctx.bug("users-total-of-page"):
        shown["total"] = len(shown["results"])
    return shown
