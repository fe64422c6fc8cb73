"""Sizes: lengths, page sizes and limits of requests."""

from __future__ import annotations

from confsim.assumptions.register import assumption, integer

NAME = assumption("size.name", "G072", "Most characters of a name of a client, channel or user.", 255, samples=(2,))
HANDLE = assumption(
    "size.handle", "G072 G255", "Most characters of a handle; control characters are refused.", 255, samples=(2,)
)
LABEL = assumption(
    "size.label", "G072 G282", "Most characters of a label; it may be blank and need not be unique.", 255, samples=(2,)
)
TEXT = assumption(
    "size.text", "G072", "Most characters of a free text such as a user's description.", 2048, samples=(2,)
)
URL = assumption("size.url", "G072", "Most characters of a URL that is stored.", 2048, samples=(2,))
KEY = assumption("size.property-key", "G249", "Most characters of the key of a property.", 255, samples=(2,))
PROPERTY = assumption("size.property-value", "G249", "Most bytes of the JSON text of a property.", 65536, samples=(2,))
PAGE = assumption("size.page-default", "G079 G083", "Elements of a page when no limit is given.", 20, (10, 50, 100))
PAGE_MOST = assumption(
    "size.page-most", "G080", "Most elements of a page; a larger limit is cut to it.", 200, (100, 1000)
)
JSON_BODY = assumption("size.json-body", "G011", "Most bytes of a JSON body.", 1024 * 1024, samples=(2,))
IMAGE = assumption(
    "size.image", "G107 G108", "Most bytes of an image of a user or a channel (8 Mbytes).", 8 * 2**20, (8_000_000,)
)
USER_IDS = assumption("size.user-ids", "G217", "Most ids of one look-up of several users.", 200, samples=(2,))
REQUEST_URL = assumption("size.request-url", "G011", "Most bytes of the URL of a request.", 64 * 2**10, (16 * 2**10,))
REQUEST_HEADERS = assumption(
    "size.request-headers", "G011", "Most bytes of the header lines of a request.", 64 * 2**10, (16 * 2**10,)
)
REQUEST_BODY = assumption(
    "size.request-body", "G011", "Most bytes of any body; JSON has a limit of its own.", 100 * 2**20, (2**30,)
)
JSON_DEPTH = assumption(
    "size.json-depth", "G249 G391", "Most levels of objects and arrays in a JSON value that is stored.", 100, (20,)
)
WORD = assumption(
    "size.config-word",
    "G072",
    "Most characters of a theme, language, context or category of a configuration.",
    255,
    samples=(2,),
)
MEDIA_POOL = assumption(
    "size.media-pool",
    "G301 G513",
    "Bytes that the media pool of a client, or of a new channel, holds (1 Gbyte); 0 for any.",
    2**30,
    (0,),
    "get_channel_settings get_channel_media_pool_size get_client_media_pool_size upload_channel_media "
    "upload_client_media",
)
IDENTITY_TOKEN = assumption(
    "size.identity-token", "G195", "Most characters of an identity token.", 16_384, (65_536,), "exchange_identity_token"
)
MEDIA = assumption(
    "size.media",
    "G506",
    "Most bytes of one uploaded file.",
    100_000_000,
    (8 * 2**20,),
    "upload_channel_media upload_client_media",
)
WHOLE_NUMBER = assumption(
    "size.whole-number",
    "G073",
    "The largest whole number in a path or a query: that of 64 bits, or the largest that all JSON readers keep exact. "
    "Fields of bodies have their declared 32 or 64 bits.",
    2**63 - 1,
    (2**53 - 1,),
    check=integer(2**31 - 1, 2**63 - 1),
)
