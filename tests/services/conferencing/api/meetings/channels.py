"""Channels: making, reading, changing and removing them."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, paging, requests, text, timers, views
from services.conferencing.api.identity.profile import uploaded
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.ids import slug
from services.conferencing.store.models import Channel, ChannelRole

DESCRIPTION_MOST = 200


def _name(ctx: Context, raw: str, field: str = "name", but: str | None = None) -> str:
    """The name of a channel, which no other of the client may have."""
    name = text.name(ctx, raw, field, ctx.style.text.channel_name_most)
    exact = ctx.style.text.channel_name_unique == "exact"
    for other in ctx.db.channels.find(client_id=ctx.client.id, parent_id=None):
        same = other.name == name if exact else other.name.casefold() == name.casefold()
        if same and other.id != but:
            raise Failure("name_taken", "channel")
    return name


def make(ctx: Context, name: str, description: str | None, parent: Channel | None = None) -> Channel:
    """A new channel with the style's defaults and the client's feature flags."""
    ids, client = ctx.style.ids, ctx.client
    url_name = ctx.ids.make(ids.url_name) if ids.url_name != "slug" else f"{slug(name)}-{ctx.ids.make('hex:4')}"
    channel = Channel(
        ctx.ids.make(ids.channel), client.id, name, description, url_name, ctx.ids.make(ids.meeting), ctx.now
    )
    for field, value in ctx.style.channels.defaults.items():
        setattr(channel, field, value)
    channel.speech2text, channel.midi = client.speech2text, client.midi
    channel.dial_in, channel.dial_out = client.dial_in, client.dial_out
    channel.parent_id = parent.id if parent else None
    return ctx.db.channels.put(channel)


@route("POST", "/channels/create", "channel.create", kind="create")
def create(ctx: Context) -> Any:
    """A new channel, owned by the calling user."""
    gates.ask(ctx, "channel.create")
    given = requests.body(ctx, "name!:text description:text")
    name = _name(ctx, given.text("name"))
    most = 10_000 if ctx.bug("description-limit-only-later") else DESCRIPTION_MOST
    channel = make(ctx, name, text.description(ctx, given.option("description"), most))
    user = ctx.caller.user
    if user is not None:
        ctx.db.roles.put(ChannelRole(f"{channel.id}:{user.id}", channel.id, user.id, True, ctx.now))
    return Reply({"channelUuid": channel.id}, location=f"/channels/{channel.id}")


@route("DELETE", "/channels/<uuid>", "channel.delete", kind="delete")
def delete(ctx: Context) -> None:
    """Remove a channel with everything that belongs to it."""
    channel = gates.channel(ctx, "channel.delete")
    session = ctx.db.sessions.one(channel_id=channel.id, ended=None)
    if session is not None:
        if ctx.style.channels.delete_while_live == "fail":
            raise Failure("channel_live", "channel")
        timers.end_session(ctx.service, session, ctx.now)
    for room in ctx.db.rooms.find(channel_id=channel.id):
        ctx.db.assignments.remove(room_id=room.id)
        ctx.db.rooms.remove(id=room.id)
    for breakout in ctx.db.breakouts.find(channel_id=channel.id):
        for room in ctx.db.rooms.find(breakout_id=breakout.id):
            ctx.db.channels.remove(id=room.channel_id)
            ctx.db.assignments.remove(room_id=room.id)
        ctx.db.rooms.remove(breakout_id=breakout.id)
    ctx.db.breakouts.remove(channel_id=channel.id)
    if not ctx.bug("linked-users-outlive-channel"):
        for user in ctx.db.users.find(channel_id=channel.id, kind="linked"):
            ctx.db.invitations.remove(user_id=user.id)
            ctx.db.credentials.remove(user_id=user.id)
            ctx.db.users.remove(id=user.id)
    ctx.db.roles.remove(channel_id=channel.id)
    ctx.db.media.remove(channel_id=channel.id)
    ctx.db.properties.remove(scope=f"channel:{channel.id}")
    ctx.db.configs.remove(scope=f"channel:{channel.id}")
    ctx.db.channels.remove(id=channel.id)


def _roles(ctx: Context, channel: Channel) -> tuple[bool, bool]:
    roles = gates.roles(ctx, channel)
    return "operator" in roles, "owner" in roles


@route("GET", "/channels/<uuid>", "channel.get", query="imgSize")
def get(ctx: Context) -> Any:
    """The details of a channel."""
    channel = gates.channel(ctx, "channel.get")
    is_operator, is_owner = _roles(ctx, channel)
    return views.channel(ctx, channel, requests.img_size(ctx), is_operator, is_owner)


@route("POST", "/channels/<uuid>/description", "channel.description", kind="do")
def description(ctx: Context) -> None:
    """Set or clear the description."""
    channel = gates.channel(ctx, "channel.description")
    nullable = ctx.style.text.description_null == "clears"
    given = requests.body(ctx, "description:text" if nullable else "description!:text")
    if not given.has("description"):
        raise invalid("description", "required")
    most = DESCRIPTION_MOST + (1 if ctx.bug("description-one-longer") else 0)
    channel.description = text.description(ctx, given.option("description"), most)
    ctx.db.channels.put(channel)


@route("POST", "/channels/<uuid>/image", "channel.image", query="url", kind="do")
def image(ctx: Context) -> None:
    """Set the image."""
    channel = gates.channel(ctx, "channel.image")
    channel.image_url = uploaded(ctx, f"channel-{channel.id}")
    ctx.db.channels.put(channel)


@route("DELETE", "/channels/<uuid>/image", "channel.image.remove", kind="delete")
def remove_image(ctx: Context) -> None:
    """Take the image away."""
    channel = gates.channel(ctx, "channel.image.remove")
    channel.image_url = None
    ctx.db.channels.put(channel)


@route("POST", "/channels/<uuid>/rename", "channel.rename", query="name", kind="do")
def rename(ctx: Context) -> None:
    """Give a channel another name."""
    channel = gates.channel(ctx, "channel.rename")
    word = requests.query(ctx, "name")
    if word is None:
        raise invalid("name", "required", "bad_query")
    taken_allowed = ctx.bug("rename-to-taken-name")
    channel.name = (
        text.name(ctx, word, most=ctx.style.text.channel_name_most)
        if taken_allowed
        else _name(ctx, word, but=channel.id)
    )
    ctx.db.channels.put(channel)


@route("GET", "/channels/<channelUuid>/client", "channel.client")
def client(ctx: Context) -> Any:
    """The client of a channel."""
    return {"id": gates.channel(ctx, "channel.get", "channelUuid").client_id}


def _by_meeting(ctx: Context, meeting: str) -> Any:
    gates.ask(ctx, "channel.by_meeting")
    for channel in ctx.db.channels.find(client_id=ctx.client.id):
        if channel.meeting_id.replace("-", "") == meeting.replace("-", ""):
            return {"uuid": channel.id}
    raise Failure("not_found", "channel")


def _item(ctx: Context, channel: Channel, size: str) -> dict[str, Any]:
    is_operator, is_owner = _roles(ctx, channel)
    parent = ctx.db.channels.get(channel.parent_id) if channel.parent_id else None
    shown = {
        "name": channel.name,
        "urlName": channel.url_name,
        "friendlyURL": channel.friendly_url,
        "parentName": parent.name if parent else None,
        "parentId": channel.parent_id,
        "channelUuid": channel.id,
        "isOpen": channel.is_open,
        "guestAccess": channel.guest_access,
        "imageUrl": views.image(ctx, channel.image_url, size),
        "created": channel.created if ctx.bug("channel-created-in-ms") else channel.created // 1000,
    }
    shown = views.present(ctx, shown)
    if is_operator:
        shown["isOwner"] = is_owner
    return shown


@route("GET", "/channels", "channel.list", query="meetingId limit offset search imgSize sort order")
def list_(ctx: Context) -> Any:
    """The channels of the caller; or, with a meetingId, the channel that has it."""
    meeting = requests.query(ctx, "meetingId")
    if meeting is not None:
        return _by_meeting(ctx, meeting)
    gates.ask(ctx, "channel.list")
    size, search = requests.img_size(ctx), requests.query(ctx, "search")
    everything = "customer-admin" in gates.roles(ctx)
    kept = []
    for channel in ctx.db.channels.find(client_id=ctx.client.id):
        if channel.parent_id is not None and not ctx.style.channels.rooms_listed:
            continue
        if (everything or _roles(ctx, channel)[0]) and paging.matches(ctx, search, channel.name):
            kept.append(channel)
    keys = {"created": lambda c: c.created, "name": lambda c: paging.name_key(ctx, c.name)}
    if ctx.bug("channels-cut-before-sort"):
        limit, offset = paging.window(ctx)
        part = paging.ordered(ctx, kept[offset : offset + limit], keys, "created", "desc")
        return {"total": len(kept), "results": [_item(ctx, c, size) for c in part]}
    return paging.page(ctx, paging.ordered(ctx, kept, keys, "created", "desc"), lambda c: _item(ctx, c, size))
