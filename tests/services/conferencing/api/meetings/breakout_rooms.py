"""Breakout rooms and who is assigned to them."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, text, views
from services.conferencing.api.meetings.breakouts import breakout_of, event_room, show_room
from services.conferencing.api.meetings.channels import make
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure
from services.conferencing.store.models import Assignment, Breakout, Room

ROOMS = "/channels/<uuid>/breakout/sessions/<breakoutSession>/rooms"
ROOM = ROOMS + "/<breakoutRoom>"
PARTICIPANTS = ROOM + "/participants"


def _room(ctx: Context, breakout: Breakout) -> Room:
    item = gates.found(ctx.db.rooms.get(gates.key(ctx, "breakoutRoom")), "breakout room")
    if item.breakout_id != breakout.id and not ctx.bug("room-of-any-breakout"):
        raise Failure("not_found", "breakout room")
    return item


def _changeable(ctx: Context, breakout: Breakout) -> None:
    if breakout.started is not None and ctx.style.channels.rooms_after_start == "fail":
        raise Failure("breakout_started", "breakout session")


def _named(ctx: Context, breakout: Breakout, name: str | None, but: str | None = None) -> str:
    rooms = ctx.db.rooms.find(breakout_id=breakout.id)
    if name is None:
        return ctx.style.channels.room_name.format(count=len(rooms) + 1)
    name = text.name(ctx, name)
    if ctx.style.channels.rooms_same_name == "fail" and any(r.name == name and r.id != but for r in rooms):
        raise Failure("name_taken", "breakout room")
    return name


@route("POST", ROOMS, "room.create", kind="create")
def create(ctx: Context) -> Any:
    """A new room, with a channel of its own."""
    channel = event_room(ctx, "room.create")
    breakout = breakout_of(ctx, channel)
    _changeable(ctx, breakout)
    given = requests.body(ctx, "name:text", required=False)
    if len(ctx.db.rooms.find(breakout_id=breakout.id)) >= ctx.style.channels.rooms_most:
        raise Failure("too_many_rooms", "breakout room")
    name = _named(ctx, breakout, given.option("name"))
    place = make(ctx, name, None, parent=channel)
    room = ctx.db.rooms.put(Room(ctx.ids.make(ctx.style.ids.room), breakout.id, name, place.id))
    return Reply({"id": room.id}, location=f"/channels/{channel.id}/breakout/sessions/{breakout.id}/rooms/{room.id}")


@route("POST", ROOM, "room.rename", kind="do")
def rename(ctx: Context) -> None:
    """Give a room another name."""
    breakout = breakout_of(ctx, event_room(ctx, "room.rename"))
    room = _room(ctx, breakout)
    _changeable(ctx, breakout)
    name = requests.body(ctx, "name:text", required=False).option("name")
    if name is None:
        return
    room.name = _named(ctx, breakout, name, but=room.id)
    ctx.db.rooms.put(room)
    place = ctx.db.channels.get(room.channel_id)
    if place is not None and not ctx.bug("room-channel-keeps-name"):
        place.name = room.name
        ctx.db.channels.put(place)


@route("DELETE", ROOM, "room.delete", kind="delete")
def delete(ctx: Context) -> None:
    """Remove a room; its users are assigned to none."""
    breakout = breakout_of(ctx, event_room(ctx, "room.delete"))
    room = _room(ctx, breakout)
    _changeable(ctx, breakout)
    if breakout.active:
        raise Failure("breakout_running", "breakout session")
    ctx.db.assignments.remove(room_id=room.id)
    ctx.db.rooms.remove(id=room.id)
    ctx.db.channels.remove(id=room.channel_id)


@route("GET", ROOMS, "room.list")
def list_(ctx: Context) -> Any:
    """The rooms of a breakout session."""
    breakout = breakout_of(ctx, event_room(ctx, "room.list"))
    return [show_room(ctx, room) for room in ctx.db.rooms.find(breakout_id=breakout.id)]


@route("POST", PARTICIPANTS + "/<userId>", "room.assign", kind="do")
def assign(ctx: Context) -> None:
    """Assign a user to a room, before the session starts."""
    channel = event_room(ctx, "room.assign")
    breakout = breakout_of(ctx, channel)
    room, rules = _room(ctx, breakout), ctx.style.channels
    user = gates.user(ctx)
    if breakout.started is not None:
        raise Failure("breakout_started", "breakout session")
    if rules.participant_others == "members" and user.kind in ("guest", "linked") and user.channel_id != channel.id:
        raise Failure("not_in_channel", "user")
    before = ctx.db.assignments.one(breakout_id=breakout.id, user_id=user.id)
    if before is not None and before.room_id == room.id:
        if rules.participant_again == "fail":
            raise Failure("assigned", "user")
        return
    if before is not None:
        if rules.participant_elsewhere == "fail":
            raise Failure("assigned_elsewhere", "user")
        if not ctx.bug("user-in-two-rooms"):
            ctx.db.assignments.remove(id=before.id)
    ctx.db.assignments.put(Assignment(f"{room.id}:{user.id}", breakout.id, room.id, user.id))


@route("DELETE", PARTICIPANTS + "/<userId>", "room.unassign", kind="delete")
def unassign(ctx: Context) -> None:
    """Take a user's assignment back, before the session starts."""
    breakout = breakout_of(ctx, event_room(ctx, "room.unassign"))
    room, user = _room(ctx, breakout), gates.user(ctx)
    if breakout.started is not None and not ctx.bug("unassigned-after-start"):
        raise Failure("breakout_started", "breakout session")
    key = f"{room.id}:{user.id}"
    if ctx.db.assignments.get(key) is None and ctx.style.channels.participant_absent == "fail":
        raise Failure("not_assigned", "user")
    ctx.db.assignments.remove(id=key)


@route("GET", PARTICIPANTS, "room.participants", query="imgSize")
def participants(ctx: Context) -> Any:
    """The users assigned to a room."""
    breakout = breakout_of(ctx, event_room(ctx, "room.participants"))
    room, size = _room(ctx, breakout), requests.img_size(ctx)
    people = [ctx.db.users.get(item.user_id) for item in ctx.db.assignments.find(room_id=room.id)]
    return [views.user(ctx, user, size) for user in people if user is not None]
