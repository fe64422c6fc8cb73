"""Media pools of clients and channels, media links and the upload gateway."""

from __future__ import annotations

from .register import assumption, text, texts

_UPLOAD = "upload_channel_media upload_client_media"
_LIST = "list_channel_media list_client_media"
_GET = "get_channel_media get_client_media"
_BOTH = "create_gateway_endpoint get_gateway_endpoint"
_SECRET: tuple[str, ...] = ("RTMP", "SRT")

# media.*
FORM = assumption(
    "media.form",
    "G506",
    "Form of an upload: the body is the file and Content-Type its type, and a form is refused (415); or the body is "
    "multipart/form-data, where the first part with a filename is the file.",
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
EMPTY = assumption(
    "media.empty-file",
    "G506",
    "A file without a byte: refused, or stored.",
    "refuse",
    ("keep",),
    _UPLOAD,
    refuses={"MEDIA_MISSING": ("refuse",)},
)
NAMES = assumption(
    "media.same-name",
    "G507",
    "A name that another asset of the pool has: allowed, or refused. A missing or blank name is always refused.",
    "allow",
    ("refuse",),
    _UPLOAD,
    refuses={"MEDIA_NAME_TAKEN": ("refuse",)},
)
READ = assumption(
    "media.read-default",
    "G508",
    "read of an upload that does not say; other words are refused.",
    "private",
    ("public",),
    f"{_UPLOAD} {_GET} {_LIST}",
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
    "get_channel_media_link get_client_media_link",
)
POOLS = assumption(
    "media.pools",
    "G511",
    "Pools are separate, an id of another pool is not there; or a channel also reads the assets of its client's pool.",
    "separate",
    ("inherited",),
    "get_channel_media list_channel_media get_channel_media_link",
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


# gateway.*
def _gateway_kinds(value: object) -> dict[str, int]:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{value!r} is no table of kinds and their ports")
    for kind, port in value.items():
        if not isinstance(kind, str) or not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65536:
            raise ValueError(f"{kind!r} = {port!r} is no kind with a port from 1 to 65535")
    return value


GATEWAY_KINDS = assumption(
    "gateway.kinds",
    "G514 G517",
    "Literals of the kinds of gateway endpoints, each with its port; nothing listens there. Other kinds are refused.",
    {"RTMP": 1935, "SRT": 9710},
    ("any table of kinds and ports",),
    _BOTH,
    check=_gateway_kinds,
    samples=({"RTMP": 1936},),
)
GATEWAY_KIND_CASE = assumption(
    "gateway.kind-case", "G514", "Case of a kind in a request: exact, or of no weight.", "exact", ("ignore",), _BOTH
)
GATEWAY_HOST = assumption(
    "gateway.host",
    "G517",
    "Host of gateway endpoints.",
    "localhost",
    ("any host name",),
    _BOTH,
    check=text,
    samples=("gateway.example",),
)
GATEWAY_CREDENTIALS = assumption(
    "gateway.credentials",
    "G515",
    "Kinds whose endpoints have credentials, an object of username and password.",
    _SECRET,
    (("RTMP",), "any list of kinds"),
    _BOTH,
    check=texts("kinds"),
    samples=(["SRT"],),
)
GATEWAY_CREDENTIALS_SHOWN = assumption(
    "gateway.credentials-shown",
    "G515",
    "When credentials are shown: whenever the endpoint is, or at its creation alone.",
    "always",
    ("creation",),
    _BOTH,
)
GATEWAY_SEVERAL = assumption(
    "gateway.several",
    "G516",
    "A user may have several endpoints of one kind, or one that a repeated creation answers again. They have no end.",
    True,
    (False,),
    "create_gateway_endpoint",
)
