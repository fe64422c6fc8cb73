"""Properties of channels and users: any JSON value under a key."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, text
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure
from services.conferencing.store.models import Property


def _read(ctx: Context, scope: str) -> Any:
    key = text.property_key(ctx)
    if ctx.bug("property-keys-without-case"):
        found = [p for p in ctx.db.properties.find(scope=scope) if p.key.lower() == key.lower()]
        item = found[0] if found else None
    else:
        item = ctx.db.properties.get(f"{scope}/{key}")
    if item is not None:
        return Reply(item.value, status=200)
    rule = ctx.style.users.property_absent
    if rule == "fail":
        raise Failure("not_found", "property")
    return Reply(None, status=204 if rule == "empty" else 200)


def _write(ctx: Context, scope: str) -> None:
    key, value = text.property_key(ctx), requests.raw_json(ctx)
    if len(ctx.request.get_data()) > ctx.style.text.value_most:
        raise Failure("too_large", "value")
    if value is None and ctx.style.users.property_null == "deletes":
        ctx.db.properties.remove(id=f"{scope}/{key}")
        return
    ctx.db.properties.put(Property(f"{scope}/{key}", scope, key, value))


@route("GET", "/users/<userId>/properties/<key>", "user.property.read")
def of_user(ctx: Context) -> Any:
    """A property of a user."""
    user = gates.user(ctx)
    gates.ask(ctx, "user.property.read", user=user)
    return _read(ctx, f"user:{user.id}")


@route("POST", "/users/<userId>/properties/<key>", "user.property.write", kind="do")
def set_of_user(ctx: Context) -> None:
    """Store a property of a user."""
    user = gates.user(ctx)
    gates.ask(ctx, "user.property.write", user=user)
    _write(ctx, f"user:{user.id}")


@route("GET", "/channels/<uuid>/properties", "channel.property.keys")
def keys(ctx: Context) -> Any:
    """The keys of a channel's properties."""
    channel = gates.channel(ctx, "channel.property.keys")
    return sorted(item.key for item in ctx.db.properties.find(scope=f"channel:{channel.id}"))


@route("GET", "/channels/<uuid>/properties/<key>", "channel.property.read")
def of_channel(ctx: Context) -> Any:
    """A property of a channel."""
    channel = gates.channel(ctx, "channel.property.read")
    return _read(ctx, f"channel:{channel.id}")


@route("POST", "/channels/<uuid>/properties/<key>", "channel.property.write", kind="do")
def set_of_channel(ctx: Context) -> None:
    """Store a property of a channel."""
    channel = gates.channel(ctx, "channel.property.write")
    _write(ctx, f"channel:{channel.id}")


@route("DELETE", "/channels/<uuid>/properties/<key>", "channel.property.delete", kind="delete")
def delete(ctx: Context) -> None:
    """Remove a property of a channel."""
    asked = "channel.property.read" if ctx.bug("property-deleted-by-reader") else "channel.property.delete"
    channel = gates.channel(ctx, asked)
    scope, key = f"channel:{channel.id}", text.property_key(ctx)
    if ctx.db.properties.get(f"{scope}/{key}") is None and ctx.style.users.property_delete_absent == "fail":
        raise Failure("not_found", "property")
    ctx.db.properties.remove(id=f"{scope}/{key}")
