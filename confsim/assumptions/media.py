"""Media pools where the documents do not say."""

from __future__ import annotations

from .register import assumption

_UPLOAD = "upload_channel_media upload_client_media"
_LIST = "list_channel_media list_client_media"
_GET = "get_channel_media get_client_media"
_LINK = "get_channel_media_link get_client_media_link"
_CHANNEL = "get_channel_media list_channel_media get_channel_media_link"

FORM = assumption(
    "media.form",
    "G506",
    "Form of an upload: the body is the file and Content-Type its type; or the body is multipart/form-data, where the "
    "first part with a filename is the file.",
    "raw",
    ("multipart",),
    _UPLOAD,
)
UNTYPED = assumption(
    "media.untyped",
    "G506",
    "Content type of a file that came without one.",
    "application/octet-stream",
    ("text/plain",),
    _UPLOAD,
)
EMPTY = assumption("media.empty-file", "G506", "A file without a byte: refused, or kept.", "refuse", ("keep",), _UPLOAD)
MOST = assumption("size.media", "G506", "Most bytes of one uploaded file.", 100_000_000, (8 * 2**20,), _UPLOAD)
NAMES = assumption(
    "media.same-name",
    "G507",
    "A name that another asset of the pool has: allowed, or refused. A missing or blank name is always refused.",
    "allow",
    ("refuse",),
    _UPLOAD,
)
READ = assumption(
    "media.read-default",
    "G508",
    "read of an upload that does not say; other words are refused.",
    "private",
    ("public",),
    _UPLOAD,
)
TAG_SHAPE = assumption(
    "media.tag",
    "G509",
    "A tag is an object with its name, or the name alone. No call sets tags, the control plane does.",
    "object",
    ("text",),
    f"{_GET} {_LIST}",
)
TAG_MATCH = assumption(
    "media.tag-match", "G509", "Tags are matched by name, in their case or without it.", "exact", ("caseless",), _LIST
)
PUBLIC = assumption(
    "media.public-read",
    "G510",
    "Bytes are read by the link of a link call until it expires. Those of publicRead assets are to be had at the same "
    "address without the link's signature too, or not.",
    True,
    (False,),
    _LINK,
)
POOLS = assumption(
    "media.pools",
    "G511",
    "Pools are separate, an id of another pool is not there; or a channel also reads the assets of its client's pool.",
    "separate",
    ("inherited",),
    _CHANNEL,
)
POOL_SIZE = assumption(
    "media.pool-size",
    "G513 G574",
    "mediaPoolSize: the bytes that fit into the pool, beyond which uploads are refused, or those that are in it.",
    "quota",
    ("used",),
    "get_channel_media_pool_size get_client_media_pool_size get_channel_settings",
)
BATCH = assumption(
    "media.batch",
    "G572",
    "An id of a batch deletion that names nothing: all is refused and nothing deleted, or the others are deleted.",
    "all-or-nothing",
    ("skip",),
    "batch_delete_channel_media batch_delete_client_media",
)
LINK_LIFE = assumption(
    "duration.media-link", "G573", "Life in milliseconds of a link without ttl.", 300_000, (3_600_000,), _LINK
)
CREATED = assumption(
    "units.media-created", "G122", "Unit of created of a media asset.", "epoch-ms", ("epoch-s",), f"{_GET} {_LIST}"
)
