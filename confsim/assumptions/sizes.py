"""Lengths, page sizes and limits that the documents do not give."""

from __future__ import annotations

from .register import assumption

NAME = assumption("size.name", "G072", "Most characters of a name of a client, channel or user.", 255)
HANDLE = assumption("size.handle", "G072 G255", "Most characters of a handle; control characters are refused.", 255)
LABEL = assumption("size.label", "G072 G282", "Most characters of a label; it may be blank and need not be unique.", 255)
TEXT = assumption("size.text", "G072", "Most characters of a free text such as a user's description.", 2048)
URL = assumption("size.url", "G072", "Most characters of a URL that is stored.", 2048)
KEY = assumption("size.property-key", "G249", "Most characters of the key of a property.", 255)
PROPERTY = assumption("size.property-value", "G249", "Most bytes of the JSON text of a property.", 65536)
PAGE = assumption("size.page-default", "G079 G083", "Elements of a page when no limit is given.", 20, (10, 50, 100))
PAGE_MOST = assumption("size.page-most", "G080", "Most elements of a page; a larger limit is cut to it.", 200, (100, 1000))
JSON_BODY = assumption("size.json-body", "G011", "Most bytes of a JSON body.", 1024 * 1024)
IMAGE = assumption(
    "size.image", "G107 G108", "Most bytes of an image of a user or a channel (8 Mbytes).", 8 * 2**20, (8_000_000,)
)
USER_IDS = assumption("size.user-ids", "G217", "Most ids of one look-up of several users.", 200)
