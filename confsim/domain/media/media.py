"""Media pools: the files of a client or a channel, their tags, and the links to the files."""

from collections.abc import Iterable, Sequence
from enum import Enum, StrEnum
from hashlib import blake2b
from hmac import compare_digest
from itertools import chain

from msgspec import Struct

from confsim.assumptions import Context, Reason, ask, media as assumed, not_found, note_shown, value_of
from confsim.assumptions.protocol import sizes
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.conventions import fresh_id
from confsim.domain.lists import in_order, matches, ordered, text_key
from confsim.kernel import (
    ABSENT,
    CREATED,
    Change,
    Flag,
    Guard,
    Index,
    Machine,
    Order,
    Record,
    Refusal,
    Row,
    Table,
    Total,
    View,
)


class Visibility(Enum):
    """Whether an asset is readable without authorization (P2 Media asset)."""

    PRIVATE = "private"
    PUBLIC = "public"


class MediaAsset(Record, kw_only=True):
    """One file of a pool. ``channel`` is None in the client's pool; ``created`` in epoch milliseconds."""

    id: str
    client: str
    channel: str | None = None
    name: str
    description: str | None = None
    content_type: str
    public: bool
    created: int
    tags: tuple[str, ...] = ()
    data: bytes

    @property
    def size(self) -> int:
        """The size of the file in bytes (R330)."""
        return len(self.data)


def _tagged(channel: str | None, tags: tuple[str, ...]) -> tuple[tuple[str | None, str], ...]:
    return tuple((channel, tag) for tag in tags)


UPLOADED: Order[MediaAsset] = Order("uploaded", "created")
NAME: Order[MediaAsset] = Order("name", "name", key=str.casefold)
SIZE: Order[MediaAsset] = Order("size", "size")
_ORDERS = (CREATED, UPLOADED, NAME, SIZE)
BYTES: Total[MediaAsset] = Total("bytes", "size")
#: The assets of a pool by each of their tags: under (channel, tag).
TAGGED_IN_CLIENT: Index[MediaAsset] = Index("tagged", "channel", "tags", of=_tagged, orders=_ORDERS)
TAGGED_IN_CHANNEL: Index[MediaAsset] = Index("tagged", "channel", "tags", of=_tagged, orders=_ORDERS)
CLIENT_MEDIA: Table[str, MediaAsset] = Table(
    *("client media", MediaAsset, "id", TAGGED_IN_CLIENT),
    orders=_ORDERS,
    totals=(BYTES,),
    located="id",
)
BY_CHANNEL: Index[MediaAsset] = Index("channel", "channel", orders=_ORDERS, totals=(BYTES,))
CHANNEL_MEDIA: Table[str, MediaAsset] = Table(
    "channel media", MediaAsset, "id", BY_CHANNEL, TAGGED_IN_CHANNEL, located="id"
)


class Pool(Struct, frozen=True):
    """The pool of a channel, or with None that of the client. ``limit`` in bytes, 0 for no limit (G513)."""

    client: str
    channel: str | None
    limit: int


def of_channel(channel: Channel) -> Pool:
    """The pool of the channel."""
    return Pool(channel.client, channel.id, channel.media_pool_size)


def pool(context: Context, client: Client, channel: Channel | None) -> Pool:
    """The pool of a channel, that of the client without one."""
    return Pool(client.id, None, value_of(context, sizes.MEDIA_POOL)) if channel is None else of_channel(channel)


def _table(channel: str | None) -> Table[str, MediaAsset]:
    return CLIENT_MEDIA if channel is None else CHANNEL_MEDIA


def _table_of(asset: MediaAsset) -> Table[str, MediaAsset]:
    return _table(asset.channel)


MACHINE: Machine[Visibility, MediaAsset] = Machine(
    "media asset",
    "A file of a media pool (R329-R331, R512, R518, R519, G571).",
    _table_of,
    Visibility,
    state=Flag("public", Visibility.PUBLIC, Visibility.PRIVATE),
    refused=Reason.NOT_FOUND,
)
_UPLOAD = MACHINE.draft("upload")
#: Delete the asset from its pool.
delete = MACHINE.trigger("delete")
_PUBLIC = Guard("it is readable without authorization", lambda change, _, draft: draft.public)

MACHINE.declare(
    Row(_UPLOAD, ABSENT, Visibility.PUBLIC, only_if=_PUBLIC, source="P2 L332, R518, R519"),
    Row(_UPLOAD, ABSENT, Visibility.PRIVATE, only_if=~_PUBLIC, source="P2 L332, R518, G508"),
    Row(delete, tuple(Visibility), ABSENT, source="P2 L354, G571"),
)


class File(Struct, frozen=True):
    """An upload. ``public`` and ``content_type`` are None when not given."""

    name: str
    data: bytes
    content_type: str | None = None
    description: str | None = None
    public: bool | None = None


def upload(change: Change, pool: Pool, file: File) -> MediaAsset:
    """Store a file in the pool and return its asset.

    Refusals MEDIA_MISSING, MEDIA_TOO_LARGE, MEDIA_NAME_TAKEN, MEDIA_POOL_FULL.
    """
    size = len(file.data)
    if size == 0 and ask(change, assumed.EMPTY) == "refuse":
        raise Refusal(Reason.MEDIA_MISSING)
    limit = ask(change, sizes.MEDIA)
    if size > limit:
        raise Refusal(Reason.MEDIA_TOO_LARGE, limit=limit)
    if ask(change, assumed.NAMES) == "refuse" and any(each.name == file.name for each in _assets(change, pool)):
        raise Refusal(Reason.MEDIA_NAME_TAKEN, name=file.name)
    note_shown(change, pool, "limit")
    if pool.limit and used(change, pool) + size > pool.limit:
        raise Refusal(Reason.MEDIA_POOL_FULL, limit=pool.limit)
    draft = MediaAsset(
        id=fresh_id(change),
        client=pool.client,
        channel=pool.channel,
        name=file.name,
        description=file.description or None,
        content_type=file.content_type or ask(change, assumed.UNTYPED),
        public=(ask(change, assumed.READ) == "public") if file.public is None else file.public,
        created=change.now,
        data=file.data,
    )
    return _UPLOAD(change, draft)


def delete_several(change: Change, pool: Pool, ids: Iterable[str]) -> None:
    """Delete assets from the pool. Refusal NOT_FOUND for the first not in it, unless missing ones are skipped."""
    skip = ask(change, assumed.BATCH) == "skip"
    for id in dict.fromkeys(ids):
        if not skip or find(change, pool, id) is not None:
            delete(change, get_own(change, pool, id))


def get(change: Change, pool: Pool, id: str) -> MediaAsset:
    """The asset of this id in the pool, or in another pool that is readable from it. Refusal NOT_FOUND."""
    asset = find(change, pool, id)
    if asset is None and pool.channel is not None and ask(change, assumed.POOLS) == "inherited":
        asset = CLIENT_MEDIA.get(change, id, pool.client)
    return asset or not_found("media asset", id)


def get_own(change: Change, pool: Pool, id: str) -> MediaAsset:
    """The asset of this id in the pool itself. Refusal NOT_FOUND."""
    return find(change, pool, id) or not_found("media asset", id)


def find(change: Change, pool: Pool, id: str) -> MediaAsset | None:
    """The asset of this id in the pool itself, or None."""
    asset = _table(pool.channel).of(change, pool.client).get(id)
    return asset if asset is not None and asset.channel == pool.channel else None


def _assets(change: Change, pool: Pool) -> View[MediaAsset]:
    """The assets of the pool itself, in order of creation."""
    if pool.channel is None:
        return CLIENT_MEDIA.of(change, pool.client).all
    return CHANNEL_MEDIA.where(change, BY_CHANNEL, pool.channel, pool.client)


def _with_tag(change: Change, pool: Pool, tag: str) -> View[MediaAsset]:
    """The assets of the pool that have the tag, in its case."""
    if pool.channel is None:
        return CLIENT_MEDIA.where(change, TAGGED_IN_CLIENT, (None, tag), pool.client)
    return CHANNEL_MEDIA.where(change, TAGGED_IN_CHANNEL, (pool.channel, tag), pool.client)


class AssetSort(StrEnum):
    """The columns by which a pool is listed (P2 L331)."""

    CREATED = "created"
    NAME = "name"
    SIZE = "size"


class Search(Struct, frozen=True):
    """A search in a pool: a text in the name, tags that all match, tags of which at least one matches."""

    query: str | None = None
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()

    @property
    def one_tag(self) -> str | None:
        """The tag, where one is all that is sought."""
        return self.tags[0] if self.query is None and len(self.tags) == 1 else None

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of either kind."""
        return self.tags_all + self.tags_any


def list_assets(
    change: Change, pool: Pool, search: Search, sort: AssetSort, *, descending: bool
) -> Sequence[MediaAsset]:
    """The assets of the pool that match, in order (R514-R517, R555)."""
    text = _name if sort is AssetSort.NAME else None
    own = _assets(change, pool)
    found: Sequence[MediaAsset]
    if pool.channel is not None and ask(change, assumed.POOLS) == "inherited":
        both = chain(CLIENT_MEDIA.of(change, pool.client).all, own)
        key = _COLUMNS[sort].key if text is None else lambda asset: text_key(change, asset.name)
        assert key is not None
        found = ordered(change, both, key, descending=descending)
    else:
        found = in_order(change, own, _COLUMNS[sort], text=text, descending=descending)
    if search == Search():
        return found
    if own and search.one_tag is not None and isinstance(found, View) and not _caseless(change):
        tagged = _with_tag(change, pool, search.one_tag)
        return in_order(change, tagged, _COLUMNS[sort], text=text, descending=descending)
    return [asset for asset in found if _matches(change, asset, search)]


_COLUMNS = {AssetSort.CREATED: UPLOADED, AssetSort.NAME: NAME, AssetSort.SIZE: SIZE}


def _name(asset: MediaAsset) -> str:
    return asset.name


def _matches(change: Change, asset: MediaAsset, search: Search) -> bool:
    if search.query is not None and not matches(change, search.query, asset.name):
        return False
    tags = {_tag(change, tag) for tag in asset.tags} if search.tags_all or search.tags_any else set()
    if not all(_tag(change, tag) in tags for tag in search.tags_all):
        return False
    return not search.tags_any or any(_tag(change, tag) in tags for tag in search.tags_any)


def _tag(change: Change, tag: str) -> str:
    return tag.casefold() if _caseless(change) else tag


def _caseless(change: Change) -> bool:
    """Whether tags match without case, in which they are not indexed."""
    return bool(ask(change, assumed.TAG_MATCH) == "caseless")


def used(change: Change, pool: Pool) -> int:
    """The total size of the files in the pool, in bytes."""
    return _assets(change, pool).total(BYTES)


def pool_size(change: Change, pool: Pool) -> int:
    """The size of the pool in bytes: its limit, 0 for no limit, or the total of its files (G513)."""
    if ask(change, assumed.POOL_SIZE) == "used":
        return used(change, pool)
    note_shown(change, pool, "limit")
    return pool.limit


def get_of_client(change: Change, client: str, id: str) -> MediaAsset:
    """The asset of this id in any pool of the client. Refusal NOT_FOUND."""
    return CLIENT_MEDIA.get(change, id, client) or CHANNEL_MEDIA.get(change, id, client) or not_found("media asset", id)


def set_tags(change: Change, asset: MediaAsset, tags: Iterable[str]) -> MediaAsset:
    """Replace the tags of the asset; no documented call does (G509)."""
    return _table(asset.channel).of(change, asset.client).update(asset, tags=tuple(dict.fromkeys(tags)))


def sign_link(change: Change, asset: MediaAsset, expires: int) -> str:
    """The signature of a link to the asset that is valid until ``expires``, epoch milliseconds."""
    text = f"{asset.client}/{asset.id}/{expires}"
    return blake2b(text.encode(), digest_size=16, key=change.key("media links")).hexdigest()


def follow_link(change: Change, client: str, id: str, expires: int | None, signature: str | None) -> MediaAsset:
    """The asset of a link (R331, G510).

    Refusals NOT_FOUND, MEDIA_LINK_INVALID, MEDIA_LINK_EXPIRED.
    """
    asset = get_of_client(change, client, id)
    if signature is None and asset.public and ask(change, assumed.PUBLIC):
        return asset
    if expires is None or signature is None:
        raise Refusal(Reason.MEDIA_LINK_INVALID)
    if not compare_digest(sign_link(change, asset, expires).encode(), signature.encode()):
        raise Refusal(Reason.MEDIA_LINK_INVALID)
    if expires <= change.now:
        raise Refusal(Reason.MEDIA_LINK_EXPIRED)
    return asset
