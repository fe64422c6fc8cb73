"""Breakout sessions of an event room."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, paging, requests, text, timers, views
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.models import Breakout, Channel, Room


def event_room(ctx: Context, operation: str) -> Channel:
    """The event room in the path."""
    channel = gates.channel(ctx, operation)
    if not channel.is_event_room:
        raise Failure("not_event_room", "channel")
    return channel


def breakout_of(ctx: Context, channel: Channel) -> Breakout:
    """The breakout session in the path, of this event room."""
    item = gates.found(ctx.db.breakouts.get(gates.key(ctx, "breakoutSession")), "breakout session")
    if item.channel_id != channel.id and not ctx.bug("breakout-of-any-channel"):
        raise Failure("not_found", "breakout session")
    return item


def show_room(ctx: Context, room: Room) -> dict[str, Any]:
    """A breakout room."""
    shown = {"id": room.id, "name": room.name, "breakoutSession": room.breakout_id}
    return views.present(ctx, {**shown, "sessionId": room.session_id, "channelUuid": room.channel_id})


def _show(ctx: Context, item: Breakout, room: Room | None) -> dict[str, Any]:
    started = item.started
    if started is not None and ctx.bug("breakout-started-in-seconds"):
        started //= 1000
    shown = {
        "id": item.id,
        "name": item.name,
        "channel": item.channel_id,
        "duration": item.duration,
        "started": started,
        "isActive": item.active,
        "isCompleted": item.ended is not None,
        "breakoutRoom": show_room(ctx, room) if room else None,
    }
    return views.present(ctx, shown)


def _room_of(ctx: Context, breakout: Breakout) -> Room | None:
    """The caller's room in a breakout session."""
    if ctx.caller.user is None:
        return None
    assigned = ctx.db.assignments.one(breakout_id=breakout.id, user_id=ctx.caller.user.id)
    return ctx.db.rooms.get(assigned.room_id) if assigned else None


def _duration(ctx: Context, value: int | None) -> int | None:
    rules = ctx.style.channels
    if value is not None and not rules.breakout_least <= value <= rules.breakout_most:
        raise invalid("duration", "range")
    return value


@route("POST", "/channels/<uuid>/breakout/sessions", "breakout.create", kind="create")
def create(ctx: Context) -> Any:
    """A new breakout session, not started."""
    channel = event_room(ctx, "breakout.create")
    rules = ctx.style.channels
    given = requests.body(ctx, "name:text duration:number", required=False)
    duration = _duration(ctx, given.option("duration"))
    count = len(ctx.db.breakouts.find(channel_id=channel.id)) + 1
    name = given.option("name")
    name = rules.breakout_name.format(count=count) if name is None else text.name(ctx, name)
    item = Breakout(
        ctx.ids.make(ctx.style.ids.breakout), channel.id, name, duration or rules.breakout_duration, ctx.now
    )
    ctx.db.breakouts.put(item)
    return Reply({"id": item.id}, location=f"/channels/{channel.id}/breakout/sessions/{item.id}")


@route("POST", "/channels/<uuid>/breakout/sessions/<breakoutSession>", "breakout.change", kind="do")
def change(ctx: Context) -> None:
    """Change the name, the duration or both."""
    channel = event_room(ctx, "breakout.change")
    item, rules = breakout_of(ctx, channel), ctx.style.channels
    given = requests.body(ctx, "name:text duration:number", required=False)
    name, duration = given.option("name"), _duration(ctx, given.option("duration"))
    if item.ended is not None and rules.change_over == "fail":
        raise Failure("breakout_over", "breakout session")
    if item.active and (rules.change_running == "fail" or (rules.change_running == "name-only" and duration)):
        raise Failure("breakout_started", "breakout session")
    if name is not None:
        item.name = text.name(ctx, name)
    if duration is not None:
        item.duration = duration
    elif ctx.bug("breakout-rename-resets-duration"):
        item.duration = rules.breakout_duration
    ctx.db.breakouts.put(item)
    if item.active and (item.started or 0) + item.duration <= ctx.now:
        timers.end_breakout(ctx.service, item, ctx.now)


@route("DELETE", "/channels/<uuid>/breakout/sessions/<breakoutSession>", "breakout.delete", kind="delete")
def delete(ctx: Context) -> None:
    """Remove a breakout session with its rooms."""
    channel = event_room(ctx, "breakout.delete")
    item = breakout_of(ctx, channel)
    if item.active:
        if ctx.style.channels.delete_running == "fail":
            raise Failure("breakout_running", "breakout session")
        timers.end_breakout(ctx.service, item, ctx.now)
    for room in ctx.db.rooms.find(breakout_id=item.id):
        ctx.db.channels.remove(id=room.channel_id)
    ctx.db.assignments.remove(breakout_id=item.id)
    ctx.db.rooms.remove(breakout_id=item.id)
    ctx.db.breakouts.remove(id=item.id)


@route("GET", "/channels/<uuid>/breakout/sessions", "breakout.list", query="limit offset sessionId")
def list_(ctx: Context) -> Any:
    """The breakout sessions; with a sessionId, the finished ones of that session."""
    channel = event_room(ctx, "breakout.list")
    items, session = ctx.db.breakouts.find(channel_id=channel.id), requests.query(ctx, "sessionId")
    if session is not None and not ctx.bug("breakout-session-filter-ignored"):
        items = [item for item in items if item.session_id == session and item.ended is not None]
    if ctx.style.channels.breakout_order == "name":
        items.sort(key=lambda item: paging.name_key(ctx, item.name))
    elif ctx.style.channels.breakout_order == "newest":
        items.reverse()
    return [_show(ctx, item, _room_of(ctx, item)) for item in paging.bare(ctx, items)]


@route("GET", "/channels/<uuid>/breakout/session", "breakout.current")
def current(ctx: Context) -> Any:
    """The active breakout session with the caller's room."""
    gates.caller_user(ctx)
    channel = gates.channel(ctx, "breakout.current")
    active = next((b for b in ctx.db.breakouts.find(channel_id=channel.id, ended=None) if b.active), None)
    if active is None:
        return Reply(None, status=204)
    room, rule = _room_of(ctx, active), ctx.style.channels.unassigned
    if room is None and rule == "204":
        return Reply(None, status=204)
    if room is None and rule == "fail":
        raise Failure("no_room", "room")
    return _show(ctx, active, room)


@route("POST", "/channels/<uuid>/breakout/session/start", "breakout.start", kind="do")
def start(ctx: Context) -> None:
    """Start a breakout session that has not been started."""
    channel = event_room(ctx, "breakout.start")
    items = ctx.db.breakouts.find(channel_id=channel.id)
    if any(item.active for item in items) and not ctx.bug("two-active-breakouts"):
        raise Failure("breakout_running", "breakout session")
    waiting = [item for item in items if item.started is None]
    if not waiting:
        raise Failure("none_to_start", "breakout session")
    chosen = waiting[-1] if ctx.style.channels.start_which == "newest" else waiting[0]
    timers.start_breakout(ctx.service, chosen, channel, ctx.now)


@route("POST", "/channels/<uuid>/breakout/session/stop", "breakout.stop", kind="do")
def stop(ctx: Context) -> None:
    """Stop the active breakout session."""
    channel = event_room(ctx, "breakout.stop")
    active = [item for item in ctx.db.breakouts.find(channel_id=channel.id, ended=None) if item.active]
    if not active and ctx.style.channels.stop_none == "fail":
        raise Failure("none_running", "breakout session")
    for item in active:
        timers.end_breakout(ctx.service, item, ctx.now)
