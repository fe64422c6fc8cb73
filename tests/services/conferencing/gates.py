"""Who may call what: the roles of a caller, and the roles that an operation asks for."""

from __future__ import annotations

from typing import TypeVar

from services.conferencing.context import Context
from services.conferencing.errors import Failure
from services.conferencing.store.models import Channel, User

T = TypeVar("T")

# The gates that the documents state. What an API token may do is open: see Auth.api_token_as.
DOCUMENTED = {
    "validator.list": "customer-admin",
    "user.get": "partner-child",
    "client.create": "partner-admin",
    "operator.add": "operator",
    "operator.remove": "operator",
    "operator.list": "operator",
    "channel.midi": "owner",
    "channel.event_room": "owner",
    "channel.speech2text": "customer-admin",
    "channel.attendees": "operator",
    "user.rename": "operator",
    "channel.property.write": "operator",
    "channel.property.delete": "operator",
}


def roles(ctx: Context, channel: Channel | None = None, user: User | None = None) -> set[str]:
    """The roles that the caller has towards the client of the call, a channel and a user."""
    caller, found = ctx.caller, {"any"}
    if caller.api_token is not None:
        return {"any", "api-token", *ctx.style.auth.api_token_as.split()}
    if caller.user is None:
        return found
    found.add("guest" if caller.user.kind in ("guest", "linked") else "user")
    if "partner-admin" in caller.levels:
        found.add("partner-admin")
        if ctx.for_client:
            found |= {"customer-admin", "partner-child"}
        elif ctx.style.auth.partner_is_admin_at_home:
            found.add("customer-admin")
    if "customer-admin" in caller.levels:
        found.add("customer-admin")
    if user is not None and user.id == caller.user.id:
        found.add("self")
    if channel is not None:
        base = channel.parent_id or channel.id  # in a breakout room the roles of its event room count
        if caller.user.channel_id == base:
            found.add("member")
        role = ctx.db.roles.get(f"{base}:{caller.user.id}")
        if role is not None:
            found |= {"operator", "owner"} if role.owner else {"operator"}
    else:
        found |= anywhere(ctx)
    return found


def anywhere(ctx: Context) -> set[str]:
    """The channel roles that the caller has on some channel."""
    assert ctx.caller.user is not None
    held = ctx.db.roles.find(user_id=ctx.caller.user.id)
    return ({"some-operator"} if held else set()) | ({"some-owner"} if any(r.owner for r in held) else set())


def allowed(ctx: Context, operation: str, channel: Channel | None = None, user: User | None = None) -> bool:
    """Whether the caller has one of the roles that the operation asks for."""
    wanted = set((ctx.style.gates.get(operation) or DOCUMENTED[operation]).split())
    return bool(wanted & roles(ctx, channel, user))


def ask(ctx: Context, operation: str, channel: Channel | None = None, user: User | None = None) -> None:
    """Refuse a caller without a role that the operation asks for."""
    if not allowed(ctx, operation, channel, user):
        raise Failure("forbidden", operation)


def found(item: T | None, subject: str) -> T:
    """The item, or a failure that it does not exist."""
    if item is None:
        raise Failure("not_found", subject)
    return item


def key(ctx: Context, name: str) -> str:
    """An id in the path, in lower case where the style does not mind the case."""
    word = ctx.path[name]
    return word.lower() if ctx.style.ids.path_any_case else word


def channel(ctx: Context, operation: str | None = None, name: str = "uuid") -> Channel:
    """The channel in the path, of the caller's client, if the caller may do the operation on it."""
    item = found(ctx.db.channels.get(key(ctx, name)), "channel")
    if item.client_id != ctx.client.id:
        raise Failure("foreign", "channel")
    if operation is not None:
        ask(ctx, operation, item)
    return item


def user(ctx: Context, name: str = "userId") -> User:
    """The user in the path, of the client of the call; me is the caller."""
    word = ctx.path[name]
    if word == "me":
        if ctx.caller.user is None:
            raise Failure("user_only")
        return ctx.caller.user
    if not word.isdecimal() or len(word) > 18:
        raise Failure("bad_path", name, faults=[(name, "number")])
    item = found(ctx.db.users.get(int(word)), "user")
    if item.client_id != ctx.client.id:
        raise Failure("foreign", "user")
    return item


def caller_user(ctx: Context) -> User:
    """The calling user; an API token is none."""
    if ctx.caller.user is None:
        raise Failure("user_only")
    return ctx.caller.user


def same_client(ctx: Context, client_id: str, subject: str) -> None:
    """Refuse an item of another client than the call's."""
    if client_id != ctx.client.id:
        raise Failure("foreign", subject)
