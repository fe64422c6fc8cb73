"""Media pools of channels and clients."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, paging, requests, text, views
from services.conferencing.clock import instant
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.models import Media

LIST_QUERY = "query limit offset sort order tags_all tags_any"
UPLOAD_QUERY = "name description read"


def _tag(ctx: Context, name: str) -> Any:
    return name if ctx.style.channels.tag == "string" else {"name": name}


def _show(ctx: Context, item: Media) -> dict[str, Any]:
    shown = {
        "id": item.id,
        "name": item.name,
        "size": item.size,
        "description": item.description,
        "tags": [_tag(ctx, tag) for tag in item.tags],
        "contentType": item.content_type,
        "publicRead": item.public_read,
        "created": instant(item.created, ctx.style.times.media),
    }
    return views.present(ctx, shown)


def _tags(ctx: Context, name: str) -> set[str] | None:
    words = requests.query(ctx, name)
    return None if words is None else {word.strip() for word in words.split(",") if word.strip()}


def _list(ctx: Context, channel_id: str | None) -> Any:
    query, every, some = requests.query(ctx, "query"), _tags(ctx, "tags_all"), _tags(ctx, "tags_any")
    items = ctx.db.media.find(client_id=ctx.client.id, channel_id=channel_id)
    if ctx.bug("media-cut-before-filter"):
        limit, offset = paging.window(ctx)
        items = items[offset : offset + limit]
    if ctx.bug("tags-all-as-any"):
        some, every = every or some, None
    kept = [
        item
        for item in items
        if paging.matches(ctx, query, item.name)
        and (every is None or every <= set(item.tags))
        and (some is None or some & set(item.tags))
    ]
    keys = {"created": lambda m: m.created, "name": lambda m: paging.name_key(ctx, m.name), "size": lambda m: m.size}
    return paging.page(ctx, paging.ordered(ctx, kept, keys, "created", "desc"), lambda item: _show(ctx, item))


def _upload(ctx: Context, channel_id: str | None) -> Any:
    rules, name = ctx.style.channels, requests.query(ctx, "name")
    if name is None and rules.media_name == "fail":
        raise invalid("name", "required", "bad_query")
    read = requests.query(ctx, "read") or rules.media_read
    if read not in ("public", "private"):
        raise invalid("read", "choice", "bad_query")
    data = ctx.request.get_data()
    if not data and rules.media_empty == "fail":
        raise Failure("no_file")
    if len(data) > rules.media_most:
        raise Failure("too_large", "file")
    key = ctx.ids.make(ctx.style.ids.media)
    item = Media(
        key,
        ctx.client.id,
        channel_id,
        text.name(ctx, name) if name is not None else f"file-{key}",
        len(data),
        text.description(ctx, requests.query(ctx, "description")),
        [],
        ctx.request.mimetype or "application/octet-stream",
        read == "public" or ctx.bug("media-always-public"),
        ctx.now,
    )
    ctx.db.media.put(item)
    return Reply({"id": key}, location=f"/media/{key}" if channel_id is None else f"/channels/{channel_id}/media/{key}")


def _open(ctx: Context) -> Media | None:
    """The item in the path when it is public and that opens its record to everybody."""
    item = ctx.db.media.get(gates.key(ctx, "mediaId"))
    in_pool = item is not None and item.channel_id == (gates.key(ctx, "uuid") if "uuid" in ctx.path else None)
    if item is not None and in_pool and item.public_read and ctx.style.channels.media_public:
        return item
    if not ctx.client.id:
        raise Failure("no_token")
    return None


def _item(ctx: Context, channel_id: str | None) -> Media:
    item = gates.found(ctx.db.media.get(gates.key(ctx, "mediaId")), "media asset")
    if item.client_id != ctx.client.id and not ctx.bug("media-of-any-tenant"):
        raise Failure("foreign", "media asset")
    if item.channel_id != channel_id:
        raise Failure("not_found", "media asset")
    return item


@route("GET", "/channels/<uuid>/media/<mediaId>", "media.channel.get", optional=True)
def get_of_channel(ctx: Context) -> Any:
    """An item of a channel's pool."""
    item = _open(ctx)
    if item is None:
        item = _item(ctx, gates.channel(ctx, "media.channel.get").id)
    return _show(ctx, item)


@route("GET", "/media/<mediaId>", "media.client.get", optional=True)
def get_of_client(ctx: Context) -> Any:
    """An item of the client's pool."""
    item = _open(ctx)
    if item is None:
        item = _item(ctx, None)
        gates.ask(ctx, "media.client.get")
    return _show(ctx, item)


@route("GET", "/channels/<uuid>/media", "media.channel.list", query=LIST_QUERY)
def list_of_channel(ctx: Context) -> Any:
    """A channel's pool."""
    return _list(ctx, gates.channel(ctx, "media.channel.list").id)


@route("GET", "/media", "media.client.list", query=LIST_QUERY)
def list_of_client(ctx: Context) -> Any:
    """The client's pool."""
    gates.ask(ctx, "media.client.list")
    return _list(ctx, None)


@route("POST", "/channels/<uuid>/media", "media.channel.upload", query=UPLOAD_QUERY, kind="create")
def upload_to_channel(ctx: Context) -> Any:
    """Put a file into a channel's pool."""
    return _upload(ctx, gates.channel(ctx, "media.channel.upload").id)


@route("POST", "/media", "media.client.upload", query=UPLOAD_QUERY, kind="create")
def upload_to_client(ctx: Context) -> Any:
    """Put a file into the client's pool."""
    gates.ask(ctx, "media.client.upload")
    return _upload(ctx, None)
