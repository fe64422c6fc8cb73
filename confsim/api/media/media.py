"""Media pools of channels and of the client, by the same calls (P2 Endpoints, Media pools)."""

import re
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlencode

from confsim.api.call import API, Call
from confsim.api.forms import MediaId
from confsim.api.things import OwnMedia
from confsim.api.values import instant, uploaded
from confsim.api.views import Id, page
from confsim.assumptions import ask, media as assumed
from confsim.assumptions.protocol import durations, units
from confsim.contract import (
    Chosen,
    FreeText,
    Inside,
    InUnit,
    Limit,
    Link,
    Long,
    Name,
    Offset,
    Page,
    Search,
    SortOrder,
    Source,
    Ttl,
    Wire,
    gates,
    invalid_input,
)
from confsim.domain.channels.channels import Channel
from confsim.domain.media import media
from confsim.domain.media.media import AssetSort, File, Pool

operation = API.family(line="P2 Media pools")
named = API.family(line="P2 L354", source=Source.NAME_ONLY)

_READ = gates.ACCESS.assumed("G512")
_WRITE = gates.OPERATOR.assumed("G512")
_READ_CLIENT = gates.REGISTERED.assumed("G512")
_WRITE_CLIENT = gates.ADMIN.assumed("G512")


class Read(StrEnum):
    """The readers of the bytes: everybody, or those with authorization (P2 L332)."""

    PUBLIC = "public"
    PRIVATE = "private"


class Tag(Wire):
    """A tag of a media asset."""

    name: Annotated[str, "The word that the tag is."]


class MediaAsset(Wire, kw_only=True):
    """A media asset (P2 Media asset). ``size`` in bytes."""

    id: Annotated[MediaId, "The id of the asset."]
    name: Annotated[str, "The name of the asset."]
    size: Annotated[Long, "Its size in bytes."]
    description: Annotated[str | None, "The description of the asset."] = None
    tags: Annotated[
        list[Annotated[Tag | str, Chosen(assumed.TAG_SHAPE, {"object": Tag, "text": str})]], "The tags of the asset."
    ]
    contentType: Annotated[str, "The media type of the file."]
    publicRead: Annotated[bool, "Whether anybody may read it without authorization."]
    created: Annotated[Long, "The instant at which it was uploaded.", InUnit(units.MEDIA_CREATED)]


class MediaLink(Wire):
    """An address from which the bytes can be had for a time."""

    url: Annotated[Link, Inside(("media", "instants")), "The URL of the bytes, without a token."]


class MediaPoolSize(Wire):
    """The size of a pool, in bytes."""

    mediaPoolSize: Annotated[Long, "The size of the pool, in bytes."]


def _asset_view(call: Call, asset: media.MediaAsset) -> MediaAsset:
    plain = ask(call.change, assumed.TAG_SHAPE) == "text"
    return MediaAsset(
        id=asset.id,
        name=asset.name,
        size=asset.size,
        description=asset.description,
        tags=[tag if plain else Tag(name=tag) for tag in asset.tags],
        contentType=asset.content_type,
        publicRead=asset.public,
        created=instant(call, units.MEDIA_CREATED, asset.created),
    )


def _pool(call: Call, channel: Channel | None = None) -> Pool:
    return media.pool(call.change, call.client, channel)


@operation("GET /channels/{uuid}/media/{mediaId}", gate=_READ, rules="R329 R513", gaps="G511")
def get_channel_media(call: Call, channel: Channel, asset: media.MediaAsset) -> MediaAsset:
    """Get the description of an asset in the pool of a channel.

    404 when the id is not in this pool.
    """
    return _asset_view(call, asset)


@operation("GET /media/{mediaId}", gate=_READ_CLIENT, rules="R329 R330 R331 R513 R559")
def get_client_media(call: Call, asset: media.MediaAsset) -> MediaAsset:
    """Get the description of an asset in the pool of the client.

    404 when the id is not in this pool.
    """
    return _asset_view(call, asset)


def _page(
    call: Call,
    pool: Pool,
    query: str | None,
    all_: list[str] | None,
    any_: list[str] | None,
    sort: AssetSort,
    order: SortOrder,
    limit: int | None,
    offset: int | None,
) -> Page[MediaAsset]:
    search = media.Search(query, tuple(all_ or ()), tuple(any_ or ()))
    found = media.list_assets(call.change, pool, search, sort, descending=order is SortOrder.DESC)
    return page(call, found, limit, offset, lambda shown: [_asset_view(call, asset) for asset in shown])


_LIST_RULES = "R021 R023 R027 R028 R512 R514 R515 R516 R517"


@operation("GET /channels/{uuid}/media", gate=_READ, rules=_LIST_RULES, gaps="G055 G092 G511")
def list_channel_media(
    call: Call,
    channel: Channel,
    *,
    query: Search | None = None,
    limit: Limit | None = None,
    offset: Offset | None = None,
    sort: AssetSort = AssetSort.CREATED,
    order: SortOrder = SortOrder.DESC,
    tags_all: Annotated[list[str] | None, "Tags that an asset has, all of them."] = None,
    tags_any: Annotated[list[str] | None, "Tags of which an asset has at least one."] = None,
) -> Page[MediaAsset]:
    """List the pool of a channel, the newest first unless asked otherwise.

    ``query`` is sought in the names; of ``tags_all`` an asset has all, of ``tags_any`` at least one.
    """
    return _page(call, _pool(call, channel), query, tags_all, tags_any, sort, order, limit, offset)


@operation("GET /media", gate=_READ_CLIENT, rules=f"{_LIST_RULES} R555", gaps="G055 G092")
def list_client_media(
    call: Call,
    *,
    query: Search | None = None,
    limit: Limit | None = None,
    offset: Offset | None = None,
    sort: AssetSort = AssetSort.CREATED,
    order: SortOrder = SortOrder.DESC,
    tags_all: Annotated[list[str] | None, "Tags that an asset has, all of them."] = None,
    tags_any: Annotated[list[str] | None, "Tags of which an asset has at least one."] = None,
) -> Page[MediaAsset]:
    """List the pool of the client, the newest first unless asked otherwise.

    ``query`` is sought in the names; of ``tags_all`` an asset has all, of ``tags_any`` at least one.
    """
    return _page(call, _pool(call), query, tags_all, tags_any, sort, order, limit, offset)


@operation(
    "POST /channels/{uuid}/media",
    gate=_WRITE,
    rules="R512 R518 R519",
    upload=assumed.FORM,
    gaps="G506 G507 G508 G513",
    identifies={"id": "media"},
)
def upload_channel_media(
    call: Call,
    channel: Channel,
    body: bytes,
    *,
    name: Annotated[Name, "The name of the asset."],
    description: Annotated[FreeText | None, "The description of the asset."] = None,
    read: Read | None = None,
) -> Id:
    """Upload a file into the pool of a channel.

    The body is the file, its type the Content-Type of the request. 400 without a byte, 413 for too many, 409 when the
    pool is full.
    """
    return _upload(call, _pool(call, channel), body, name, description, read)


@operation(
    "POST /media",
    gate=_WRITE_CLIENT,
    rules="R330 R331 R512 R518 R519",
    upload=assumed.FORM,
    gaps="G506 G507 G508 G513",
    identifies={"id": "media"},
)
def upload_client_media(
    call: Call,
    body: bytes,
    *,
    name: Annotated[Name, "The name of the asset."],
    description: Annotated[FreeText | None, "The description of the asset."] = None,
    read: Read | None = None,
) -> Id:
    """Upload a file into the pool of the client.

    The body is the file, its type the Content-Type of the request. 400 without a byte, 413 for too many, 409 when the
    pool is full.
    """
    return _upload(call, _pool(call), body, name, description, read)


def _upload(call: Call, pool: Pool, body: bytes, name: str, description: str | None, read: Read | None) -> Id:
    kind, data = uploaded(call, body, assumed.FORM)
    if kind is not None and not re.fullmatch(_TYPE, kind):
        raise invalid_input("header content-type", f"{kind[:80]!r} is no media type")
    public = None if read is None else read is Read.PUBLIC
    return Id(id=media.upload(call.change, pool, File(name, data, kind, description, public)).id)


_TYPE = r"(?a)[\w!#$&^.+-]+/[\w!#$&^.+-]+( *;[ -~]*)?"


@named("DELETE /channels/{uuid}/media/{mediaId}", gate=_WRITE, gaps="G571", removes="media")
def delete_channel_media(call: Call, channel: Channel, asset: OwnMedia) -> None:
    """Delete an asset from the pool of a channel.

    404 when the id is not in this pool.
    """
    media.delete(call.change, asset)


@named("DELETE /media/{mediaId}", gate=_WRITE_CLIENT, gaps="G571", removes="media")
def delete_client_media(call: Call, asset: OwnMedia) -> None:
    """Delete an asset from the pool of the client.

    404 when the id is not in this pool.
    """
    media.delete(call.change, asset)


@named("POST /channels/{uuid}/media/delete", gate=_WRITE, gaps="G572", removes="media")
def batch_delete_channel_media(call: Call, channel: Channel, body: list[MediaId]) -> None:
    """Delete several assets, named by their ids, from the pool of a channel.

    404 when an id is not in this pool; then none is deleted.
    """
    media.delete_several(call.change, _pool(call, channel), body)


@named("POST /media/delete", gate=_WRITE_CLIENT, gaps="G572", removes="media")
def batch_delete_client_media(call: Call, body: list[MediaId]) -> None:
    """Delete several assets, named by their ids, from the pool of the client.

    404 when an id is not in this pool; then none is deleted.
    """
    media.delete_several(call.change, _pool(call), body)


@named("GET /channels/{uuid}/media/{mediaId}/link", gate=_READ, gaps="G573")
def get_channel_media_link(
    call: Call,
    channel: Channel,
    asset: media.MediaAsset,
    *,
    ttl: Annotated[Ttl | None, "The lifetime of the link, such as 5m."] = None,
) -> MediaLink:
    """Get a link to the bytes of an asset in the pool of a channel; anyone who has it may read them until it expires.

    404 when the id is not in this pool.
    """
    return _link(call, asset, ttl)


@named("GET /media/{mediaId}/link", gate=_READ_CLIENT, gaps="G573")
def get_client_media_link(
    call: Call, asset: media.MediaAsset, *, ttl: Annotated[Ttl | None, "The lifetime of the link, such as 5m."] = None
) -> MediaLink:
    """Get a link to the bytes of an asset in the client's pool; anyone who has it may read them until it expires.

    404 when the id is not in this pool.
    """
    return _link(call, asset, ttl)


def _link(
    call: Call, asset: media.MediaAsset, ttl: Annotated[Ttl | None, "The lifetime of the link, such as 5m."]
) -> MediaLink:
    expires = call.change.now + (ask(call.change, durations.MEDIA_LINK) if ttl is None else ttl)
    signed = urlencode({"expires": expires, "signature": media.sign_link(call.change, asset, expires)})
    return MediaLink(url=f"{call.root()}/files/{asset.client}/media/{asset.id}?{signed}")


@named("GET /channels/{uuid}/media/size", gate=_READ, gaps="G574")
def get_channel_media_pool_size(call: Call, channel: Channel) -> MediaPoolSize:
    """Get the size of the pool of a channel, in bytes."""
    return MediaPoolSize(mediaPoolSize=media.pool_size(call.change, _pool(call, channel)))


@named("GET /media/size", gate=_READ_CLIENT, gaps="G574", of_whole_client=True)
def get_client_media_pool_size(call: Call) -> MediaPoolSize:
    """Get the size of the pool of the client, in bytes."""
    return MediaPoolSize(mediaPoolSize=media.pool_size(call.change, _pool(call)))
