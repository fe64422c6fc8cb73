"""Images of users and channels: bytes that the double keeps and serves; they are never decoded."""

from __future__ import annotations

from confsim.assumptions.protocol import images as assumed
from confsim.assumptions.protocol import sizes
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Record, Table
from confsim.kernel.world import Change

#: A PNG of one grey pixel: what the stub answers in place of fetching a URL (G110).
STUB = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c6368"
    "00000082008177cd72b60000000049454e44ae426082"
)


class Image(Record):
    """The bytes of one image and their media type."""

    id: str
    content_type: str
    data: bytes


IMAGES: Table[str, Image] = Table("images", Image, "id")


def recognised(data: bytes) -> str | None:
    """The media type by the signature of the bytes, None when it is no PNG, JPEG, GIF or WebP (G105)."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def keep(change: Change, client: str, data: bytes, url: str | None) -> str:
    """Keep an image and answer its id. ``url`` wins over the bytes (R167, R379) and is stood in for by a stub (G110).

    Refusals: IMAGE_MISSING, IMAGE_TOO_LARGE, IMAGE_UNKNOWN_FORMAT, IMAGE_UNREACHABLE.
    """
    if url is not None:
        if any(url.startswith(dead) for dead in ask(change, assumed.UNREACHABLE)):
            raise Refusal(Reason.IMAGE_UNREACHABLE, url=url)
        data = STUB
    if not data:
        raise Refusal(Reason.IMAGE_MISSING)
    limit = ask(change, sizes.IMAGE)
    if len(data) > limit:
        raise Refusal(Reason.IMAGE_TOO_LARGE, limit=limit)
    kind = recognised(data)
    if kind is None:
        if ask(change, assumed.FORMATS) == "known":
            raise Refusal(Reason.IMAGE_UNKNOWN_FORMAT)
        kind = "application/octet-stream"
    return IMAGES.of(change, client).put(Image(change.uuid(), kind, data)).id


def given(change: Change, client: str, url: str | None) -> str | None:
    """What stands for the image whose URL is given with a new user: the URL itself (G243). Refusal as ``keep``."""
    if url is None or ask(change, assumed.GIVEN_URL) == "stored":
        return url
    return keep(change, client, b"", url)


def drop(change: Change, client: str, image: str | None) -> None:
    """Forget the bytes behind an image; a URL that was stored as given has none."""
    if image is not None and image in IMAGES.of(change, client):
        IMAGES.of(change, client).remove(image)


def get(change: Change, client: str, id: str) -> Image:
    """The image of this id. Refusal NOT_FOUND."""
    image = IMAGES.of(change, client).get(id)
    if image is None:
        raise Refusal(Reason.NOT_FOUND, what="image", id=id)
    return image
