"""Users linked to a channel, made to be assigned to breakout rooms."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, text, views
from services.conferencing.api.identity.handles import handle_is_free
from services.conferencing.api.identity.predefined import invite
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure
from services.conferencing.store.models import User


@route("POST", "/channels/<uuid>/linked/users/new", "linked.create", query="ttl", kind="create")
def create(ctx: Context) -> Any:
    """A named user linked to the channel, with an invitation."""
    channel = gates.channel(ctx, "linked.create")
    life = requests.ttl(ctx, ctx.style.auth.linked_ttl)
    handle = text.handle(ctx, requests.body(ctx, "handle!:text").text("handle"))
    if ctx.style.channels.linked_unique == "fail":
        rivals = ctx.db.users.find(channel_id=channel.id)
        if any(text.same_handle(ctx, rival.handle, handle) for rival in rivals):
            raise Failure("handle_taken", "handle")
        if not handle_is_free(ctx, ctx.client, handle):
            raise Failure("handle_taken", "handle")
    number = ctx.ids.number(ctx.style.ids.user, ctx.now)
    user = User(number, channel.client_id, handle, "linked", channel_id=channel.id, created=ctx.now)
    user.reputation = ctx.style.users.reputation
    ctx.db.users.put(user)
    if not ctx.bug("linked-user-without-invitation"):
        invite(ctx, user, life)
    return Reply({"id": user.id})


@route("GET", "/channels/<uuid>/linked/users", "linked.list", query="imgSize")
def list_(ctx: Context) -> Any:
    """The users linked to the channel."""
    channel = gates.channel(ctx, "linked.list")
    size = requests.img_size(ctx)
    return [views.user(ctx, user, size) for user in ctx.db.users.find(channel_id=channel.id, kind="linked")]
