"""Owners and operators of channels."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, paging, requests, views
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure
from services.conferencing.store.models import Channel, ChannelRole


def _people(ctx: Context, channel: Channel, owners_only: bool) -> list[dict[str, Any]]:
    size, order = requests.img_size(ctx), ctx.style.users.role_order
    held = [(role, ctx.db.users.get(role.user_id)) for role in ctx.db.roles.find(channel_id=channel.id)]
    people = [(role, user) for role, user in held if user is not None and (role.owner or not owners_only)]
    if order == "handle":
        people.sort(key=lambda pair: paging.name_key(ctx, pair[1].handle))
    elif order == "owners-first":
        people.sort(key=lambda pair: not pair[0].owner)
    return [{**views.person(ctx, user, size), "isOwner": role.owner} for role, user in people]


@route("GET", "/channels/<uuid>/operators", "operator.list", query="imgSize")
def operators(ctx: Context) -> Any:
    """The operators of a channel, owners among them."""
    return _people(ctx, gates.channel(ctx, "operator.list"), owners_only=False)


@route("GET", "/channels/<uuid>/owners", "owner.list", query="imgSize")
def owners(ctx: Context) -> Any:
    """The owners of a channel."""
    return _people(ctx, gates.channel(ctx, "owner.list"), owners_only=True)


@route("POST", "/channels/<uuid>/operators/<userId>", "operator.add", kind="do")
def add(ctx: Context) -> None:
    """Make a user an operator."""
    channel = gates.channel(ctx, "operator.add")
    user = gates.user(ctx)
    key = f"{channel.id}:{user.id}"
    if ctx.db.roles.get(key) is not None:
        if ctx.style.users.role_held == "fail":
            raise Failure("role_held", "user")
        if ctx.bug("owner-becomes-operator"):
            ctx.db.roles.put(ChannelRole(key, channel.id, user.id, False, ctx.now))
        if not ctx.bug("operator-listed-twice"):
            return
        key += ":again"
    ctx.db.roles.put(ChannelRole(key, channel.id, user.id, False, ctx.now))


@route("DELETE", "/channels/<uuid>/operators/<userId>", "operator.remove", kind="delete")
def remove(ctx: Context) -> None:
    """Take the operator role from a user."""
    channel = gates.channel(ctx, None if ctx.bug("operator-removal-without-gate") else "operator.remove")
    user, rules = gates.user(ctx), ctx.style.users
    role = ctx.db.roles.get(f"{channel.id}:{user.id}")
    if role is None:
        if rules.role_not_held == "fail":
            raise Failure("role_not_held", "user")
        return
    if role.owner:
        if rules.owner_as_operator == "fail":
            raise Failure("is_owner", "user")
        if len([r for r in ctx.db.roles.find(channel_id=channel.id) if r.owner]) == 1 and rules.last_owner == "fail":
            raise Failure("last_owner", "user")
        if rules.owner_as_operator == "demote":
            role.owner = False
            ctx.db.roles.put(role)
            return
    ctx.db.roles.remove(id=role.id)
