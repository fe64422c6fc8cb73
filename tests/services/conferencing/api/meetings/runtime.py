"""The runtime of channels: lobby, switches, streaming addresses and who is there."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, timers, views
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.ids import conforms
from services.conferencing.store.models import Channel

CHANNELS_MOST = 200


@route("POST", "/channels/<uuid>/settings/lobby/door/<state>", "channel.door", kind="do")
def door(ctx: Context) -> None:
    """Open or close the lobby's door."""
    is_open = requests.state(ctx, {"open": True, "close": False})
    channel = gates.channel(ctx, "channel.door")
    channel.is_open = is_open
    ctx.db.channels.put(channel)


@route("POST", "/channels/<uuid>/settings/lobby/door/auto-close/<state>", "channel.auto_close", kind="do")
def auto_close(ctx: Context) -> None:
    """Let the door close when the channel becomes empty, or not."""
    enabled = requests.state(ctx, requests.ON_OFF)
    channel = gates.channel(ctx, "channel.auto_close")
    channel.auto_close = enabled
    ctx.db.channels.put(channel)


@route("POST", "/channels/<uuid>/settings/wall/<state>", "channel.wall", kind="do")
def wall(ctx: Context) -> None:
    """Enable or disable wall messages."""
    enabled = requests.state(ctx, requests.ON_OFF)
    channel = gates.channel(ctx, None if ctx.bug("wall-without-gate") else "channel.wall")
    channel.disable_wall = not enabled
    ctx.db.channels.put(channel)


@route("POST", "/channels/<uuid>/settings/attendees/<state>", "channel.attendees", kind="do")
def attendees(ctx: Context) -> None:
    """Lock attendees muted, or not."""
    muted = requests.state(ctx, {"mute": True, "unmute": False})
    channel = gates.channel(ctx, "channel.attendees")
    channel.mute_attendees = muted
    ctx.db.channels.put(channel)


@route("POST", "/channels/<uuid>/settings/speech2text/<state>", "channel.speech2text", kind="do")
def speech2text(ctx: Context) -> None:
    """Switch speech to text."""
    enabled = requests.state(ctx, requests.ON_OFF)
    by_owner = ctx.bug("speech2text-by-owner")
    channel = gates.channel(ctx, "channel.midi" if by_owner else "channel.speech2text")
    channel.speech2text = enabled
    ctx.db.channels.put(channel)


@route("POST", "/channels/<uuid>/settings/midi/<state>", "channel.midi", kind="do")
def midi(ctx: Context) -> None:
    """Switch midi."""
    enabled = requests.state(ctx, requests.ON_OFF)
    channel = gates.channel(ctx)
    if ctx.bug("owner-of-any-channel"):
        if "some-owner" not in gates.roles(ctx):
            raise Failure("forbidden", "channel.midi")
    else:
        gates.ask(ctx, "channel.midi", channel)
    channel.midi = enabled
    ctx.db.channels.put(channel)


@route("POST", "/channels/<uuid>/settings/event/room/<state>", "channel.event_room", kind="do")
def event_room(ctx: Context) -> None:
    """Make a channel an event room with breakout sessions, or not."""
    enabled = requests.state(ctx, requests.ON_OFF)
    channel = gates.channel(ctx, "channel.event_room")
    if not enabled:
        for breakout in ctx.db.breakouts.find(channel_id=channel.id, ended=None):
            if breakout.active and ctx.style.channels.event_off_while_running == "fail":
                raise Failure("breakout_running", "breakout session")
            if breakout.active:
                timers.end_breakout(ctx.service, breakout, ctx.now)
    channel.is_event_room = enabled
    ctx.db.channels.put(channel)


@route("POST", "/channels/<uuid>/settings/presenters/limit/<limit>", "channel.presenters", kind="do")
def presenters(ctx: Context) -> None:
    """Limit the users who can share video."""
    limit, rules = requests.number(ctx, "limit"), ctx.style.channels
    channel = gates.channel(ctx, "channel.presenters")
    if not rules.presenters_least <= limit <= rules.presenters_most:
        raise invalid("limit", "range", "bad_path")
    channel.presenters_limit = limit
    ctx.db.channels.put(channel)


@route("DELETE", "/channels/<uuid>/settings/presenters/limit", "channel.presenters.remove", kind="delete")
def no_presenters_limit(ctx: Context) -> None:
    """Take the limit away."""
    channel = gates.channel(ctx, "channel.presenters.remove")
    channel.presenters_limit = None
    ctx.db.channels.put(channel)


@route("GET", "/channels/<uuid>/turn/credentials", "channel.turn")
def turn(ctx: Context) -> Any:
    """Credentials for the TURN servers."""
    gates.channel(ctx, "channel.enter")
    life = ctx.style.channels.turn_ttl
    until = ctx.now // 1000 + life
    return {
        "username": f"{until}:{ctx.caller.id}",
        "password": ctx.ids.make("base62:28"),
        "ttl": life,
        "uris": list(ctx.style.channels.turn_uris),
    }


def population(ctx: Context, channel: Channel) -> int:
    """The number of users who are in the channel now."""
    return len({stay.user_id for stay in ctx.db.presences.find(channel_id=channel.id, left_at=None)})


@route("GET", "/channels/populations/<channelIds>", "channel.populations")
def populations(ctx: Context) -> Any:
    """How many users are in each of the channels."""
    gates.ask(ctx, "channel.populations")
    rules, form = ctx.style.channels, ctx.style.ids.channel
    words = [word for word in ctx.path["channelIds"].split(",") if conforms(word, form)]
    most = CHANNELS_MOST + (1 if ctx.bug("populations-one-more") else 0)
    if len(words) > most:
        if rules.populations_over == "fail":
            raise invalid("channelIds", "many", "bad_path")
        words = words[:most]
    counts = {}
    for word in dict.fromkeys(words):
        channel = ctx.db.channels.get(word)
        if channel is None or channel.client_id != ctx.client.id:
            continue
        count = population(ctx, channel)
        if count or rules.populations_quiet == "zero":
            counts[word] = count
    if rules.populations_shape == "map":
        return counts
    pairs = [{"channelUuid": word, "population": count} for word, count in counts.items()]
    return pairs if rules.populations_shape == "array" else {"total": sum(counts.values()), "channels": pairs}


@route("GET", "/channels/<uuid>/data/<kind>", "channel.data")
def data(ctx: Context) -> Any:
    """The address of a data channel."""
    channel = gates.channel(ctx, "channel.enter")
    kind, rules = ctx.path["kind"], ctx.style.channels
    if kind not in rules.data_kinds:
        raise Failure("unknown_kind", "kind", [("kind", "choice")])
    url = rules.socket_url.format(channel=channel.id, what=f"data/{kind}")
    return views.present(ctx, {"url": url, "mode": rules.mode})


@route("GET", "/channels/<uuid>/proxyfor", "channel.proxy")
def proxy(ctx: Context) -> Any:
    """The address of the streaming server, where the calling user enters the channel."""
    channel = gates.channel(ctx, "channel.enter")
    rules = ctx.style.channels
    waiting = not channel.is_open and "operator" not in gates.roles(ctx, channel)
    if waiting and rules.closed_lobby == "fail":
        raise Failure("lobby_closed", "channel")
    if channel.placed_at is None:
        channel.placed_at = ctx.now + rules.placing_ms
        ctx.db.channels.put(channel)
    if ctx.now < channel.placed_at:
        raise Failure("being_created", "channel", keep=True)
    url = rules.socket_url.format(channel=channel.id, what="stream")
    if waiting and not ctx.bug("closed-lobby-lets-in"):
        return {"url": url, "mode": rules.closed_lobby}
    if ctx.caller.user is not None:
        timers.enter(ctx.service, channel, ctx.caller.user.id, ctx.now)
    return views.present(ctx, {"url": url, "mode": rules.mode})


@route("GET", "/channels/active", "channel.active", query="imgSize")
def active(ctx: Context) -> Any:
    """The active channels, and those that the caller owns."""
    gates.ask(ctx, "channel.active")
    size, shown = requests.img_size(ctx), []
    for channel in ctx.db.channels.find(client_id=ctx.client.id):
        live = ctx.db.sessions.one(channel_id=channel.id, ended=None) is not None
        roles = gates.roles(ctx, channel)
        owned = "owner" in roles and ctx.caller.user is not None and channel.parent_id is None
        if not owned and not (live and (gates.allowed(ctx, "channel.get", channel) or "operator" in roles)):
            continue
        if ctx.bug("active-forgets-quiet") and not live:
            continue
        inside = {stay.user_id for stay in ctx.db.presences.find(channel_id=channel.id, left_at=None)}
        people = [user for user in map(ctx.db.users.get, sorted(inside)) if user is not None]
        listed: Any = {"count": len(people)}
        if ctx.style.channels.participants == "list":
            listed = {"total": len(people), "users": [views.person(ctx, user, size) for user in people]}
        item = {
            "serviceMode": channel.service_mode,
            "description": channel.description,
            "channelName": channel.name,
            "participants": listed,
            "isOwner": "owner" in roles,
            "channelUuid": channel.id,
            "imageUrl": views.image(ctx, channel.image_url, size),
        }
        shown.append(views.present(ctx, item))
    return shown
