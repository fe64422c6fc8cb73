"""Images of users and channels: bytes that are stored and served, never decoded."""

from enum import Enum

from confsim.assumptions import Reason, ask, not_found
from confsim.assumptions.protocol import images as assumed, sizes
from confsim.kernel import Change, Record, Refusal, Table
from confsim.values.urls import uri

from .conventions import fresh_id

#: A PNG of one grey pixel, stored in the place of an image that a URL names (G110).
STUB = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c6368"
    "00000082008177cd72b60000000049454e44ae426082"
)


class ImageState(Enum):
    """Whether a user or a channel has an image."""

    NONE = "none"
    SET = "set"


class Image(Record):
    """The bytes of one image and their media type."""

    id: str
    content_type: str
    data: bytes


IMAGES: Table[str, Image] = Table("images", Image, "id")


#: The first bytes of the formats that are known; a RIFF file is WebP if its form says so.
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def media_type(data: bytes) -> str | None:
    """The media type by the signature of the bytes; None unless PNG, JPEG, GIF or WebP (G105)."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for signature, kind in _SIGNATURES.items() if data.startswith(signature)), None)


def store(change: Change, client: str, data: bytes, url: str | None) -> str:
    """Store an image and return its id. A ``url`` takes precedence (R167, R379); a stub is stored for it (G110).

    Refusals: IMAGE_MISSING, IMAGE_TOO_LARGE, IMAGE_UNKNOWN_FORMAT, IMAGE_UNREACHABLE.
    """
    if url is not None:
        spellings = (url, uri(url).geturl())
        if any(each.startswith(prefix) for prefix in ask(change, assumed.UNREACHABLE) for each in spellings):
            raise Refusal(Reason.IMAGE_UNREACHABLE, url=url)
        data = STUB
    if not data:
        raise Refusal(Reason.IMAGE_MISSING)
    limit = ask(change, sizes.IMAGE)
    if len(data) > limit:
        raise Refusal(Reason.IMAGE_TOO_LARGE, limit=limit)
    kind = media_type(data)
    if kind is None:
        if ask(change, assumed.FORMATS) == "known":
            raise Refusal(Reason.IMAGE_UNKNOWN_FORMAT)
        kind = "application/octet-stream"
    return IMAGES.of(change, client).put(Image(fresh_id(change), kind, data)).id


def stored_url(change: Change, client: str, url: str | None) -> str | None:
    """The stored form of the image URL of a new user: the URL itself, or an id (G243). Refusals as ``store``."""
    if url is None or ask(change, assumed.GIVEN_URL) == "stored":
        return url
    return store(change, client, b"", url)


def remove(change: Change, client: str, image: str | None) -> None:
    """Remove the bytes of an image; no effect for an image that was stored as a URL."""
    if image is not None and image in IMAGES.of(change, client):
        IMAGES.of(change, client).remove(image)


def get(change: Change, client: str, id: str) -> Image:
    """The image of this id. Refusal NOT_FOUND."""
    return IMAGES.get(change, id, client) or not_found("image", id)
