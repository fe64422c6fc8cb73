"""Sessions of channels and who took part in them."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, paging, requests, timers, views
from services.conferencing.clock import instant
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.models import Channel, RecordingAsset, Session, User


def _session(ctx: Context, operation: str) -> Session:
    item = gates.found(ctx.db.sessions.get(gates.key(ctx, "sessionId")), "session")
    if item.client_id != ctx.client.id and not (
        operation == "session.recordings" and ctx.bug("recordings-of-any-tenant")
    ):
        raise Failure("foreign", "session")
    channel = gates.found(ctx.db.channels.get(item.channel_id), "session")
    if item.client_id == ctx.client.id:
        gates.ask(ctx, operation, channel)
    return item


@route("GET", "/sessions/<sessionId>", "session.get", query="imgSize")
def get(ctx: Context) -> Any:
    """A session."""
    return views.session(ctx, _session(ctx, "session.get"), requests.img_size(ctx))


@route("GET", "/sessions/<sessionId>/participants", "session.participants", query="imgSize")
def participants(ctx: Context) -> Any:
    """The users who took part in a session, in the order of their coming."""
    session, size = _session(ctx, "session.participants"), requests.img_size(ctx)
    stays = sorted(ctx.db.presences.find(session_id=session.id), key=lambda stay: stay.entered)
    people = [ctx.db.users.get(number) for number in dict.fromkeys(stay.user_id for stay in stays)]
    return [views.person(ctx, user, size) for user in people if user is not None]


def _asset(ctx: Context, item: RecordingAsset) -> dict[str, Any]:
    form = ctx.style.times.asset
    shown = {
        "id": item.id,
        "recordingId": item.recording_id,
        "format": item.format,
        "kind": item.kind,
        "state": item.state,
        "label": item.label,
        "startTime": instant(item.start_time, form),
        "endTime": instant(item.end_time, form),
        "size": item.size,
        "url": item.url,
        "relativePath": None,
        "isIndividual": False,
        "streamUserId": None,
        "userId": None,
        "group": None,
    }
    return views.present(ctx, shown)


@route("GET", "/sessions/<sessionId>/recordings", "session.recordings")
def recordings(ctx: Context) -> Any:
    """The files of a session's recordings."""
    session = _session(ctx, "session.recordings")
    return [_asset(ctx, item) for item in ctx.db.recording_assets.find(session_id=session.id)]


def _end(ctx: Context, channel: Channel, session: Session) -> None:
    if session.ended is not None:
        if ctx.style.channels.end_over == "fail":
            raise Failure("session_over", "session")
        return
    timers.end_session(ctx.service, session, ctx.now)
    if ctx.bug("ended-users-stay"):
        for stay in ctx.db.presences.find(session_id=session.id, left_at=session.ended):
            stay.left_at = None
            ctx.db.presences.put(stay)


@route("DELETE", "/channels/<uuid>/session", "session.end", kind="delete")
def end_active(ctx: Context) -> None:
    """End the channel's active session."""
    channel = gates.channel(ctx, "session.end")
    session = ctx.db.sessions.one(channel_id=channel.id, ended=None)
    if session is None:
        if ctx.style.channels.end_nothing == "fail":
            raise Failure("no_session", "session")
        return
    _end(ctx, channel, session)


@route("DELETE", "/channels/<uuid>/session/<sessionId>", "session.end_one", kind="delete")
def end_one(ctx: Context) -> None:
    """End one session of the channel."""
    channel = gates.channel(ctx, "session.end")
    session = gates.found(ctx.db.sessions.get(gates.key(ctx, "sessionId")), "session")
    if session.channel_id != channel.id and not ctx.bug("session-of-any-channel"):
        raise Failure("not_found", "session")
    if ctx.bug("any-session-id-ends-active"):
        session = ctx.db.sessions.one(channel_id=channel.id, ended=None) or session
    _end(ctx, channel, session)


@route("GET", "/channels/<uuid>/participants", "channel.participants", query="search offset limit imgSize")
def of_channel(ctx: Context) -> Any:
    """Everybody who was ever in the channel, the most recent first."""
    channel = gates.channel(ctx, "channel.participants")
    size, search = requests.img_size(ctx), requests.query(ctx, "search")
    last: dict[int, int] = {}
    for stay in ctx.db.presences.find(channel_id=channel.id):
        last[stay.user_id] = max(stay.entered, last.get(stay.user_id, 0))
    recent = sorted(last, key=lambda number: (last[number], number), reverse=not ctx.bug("participants-oldest-first"))
    people: list[User] = [user for user in map(ctx.db.users.get, recent) if user is not None]
    kept = [user for user in people if paging.matches(ctx, search, user.handle, user.full_name)]
    shown = paging.page(ctx, kept, lambda user: views.person(ctx, user, size))
    if ctx.bug("participants-total-before-search"):
        shown["total"] = len(people)
    return shown


@route(
    "GET",
    "/sessions",
    "session.list",
    query="channel search limit offset imgSize sort order from to hasRecording",
)
def list_(ctx: Context) -> Any:
    """The sessions of channels where the caller is at least operator."""
    size, search, channel_id = requests.img_size(ctx), requests.query(ctx, "search"), requests.query(ctx, "channel")
    after, before = requests.whole(ctx, "from"), requests.whole(ctx, "to")
    recorded = requests.flag(ctx, "hasRecording")
    if after is not None and before is not None and after > before and ctx.style.channels.crossed_range == "fail":
        raise invalid("from", "range", "bad_query")
    if ctx.bug("sessions-from-in-seconds") and after is not None:
        after *= 1000
    kept = []
    for channel in ctx.db.channels.find(client_id=ctx.client.id):
        if "operator" not in gates.roles(ctx, channel) or channel_id not in (None, channel.id):
            continue
        for item in ctx.db.sessions.find(channel_id=channel.id):
            started = item.started or item.created
            late_enough = after is None or started > after
            early_enough = before is None or started < before
            right = recorded is None or item.had_recording == recorded or ctx.bug("has-recording-ignored")
            if late_enough and early_enough and right and paging.matches(ctx, search, item.name):
                kept.append(item)
    kept.sort(key=lambda item: item.created)
    keys = {
        "started": lambda s: s.started,
        "ended": lambda s: s.ended,
        "name": lambda s: paging.name_key(ctx, s.name),
        "presence": lambda s: len({stay.user_id for stay in ctx.db.presences.find(session_id=s.id)}),
    }
    ordered = paging.ordered(ctx, kept, keys, "started", "desc")
    return paging.page(ctx, ordered, lambda item: views.session(ctx, item, size))
