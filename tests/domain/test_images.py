"""Images: what bytes they are, and what is stored."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain import images
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import refused

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG + b"x", "image/png"),
        (b"\x89PNG\r\n\x1a", None),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"\xff\xd8", None),
        (b"GIF87a...", "image/gif"),
        (b"GIF89a...", "image/gif"),
        (b"GIF88a...", None),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", None),
        (b"XXXX\x00\x00\x00\x00WEBPVP8 ", None),
        (b"RIFF", None),
        (images.STUB, "image/png"),
        (b"", None),
    ],
)
def test_the_kind_is_reported_by_the_first_bytes(data, kind):
    """PNG, JPEG, GIF and WebP are known (G105)."""
    assert images.media_type(data) == kind


def stored(data, url=None, **profile):
    """The image that is stored."""
    change = World(seed=1).change(
        0, ProfileContext({id.replace("__", ".").replace("_", "-"): each for id, each in profile.items()})
    )
    return images.get(change, "c", images.store(change, "c", data, url))


@pytest.mark.rule("R167", "R379")
def test_what_is_stored():
    """The bytes with their kind; a stub in the place of what a URL names, which comes before the bytes."""
    assert (stored(PNG).content_type, stored(PNG).data) == ("image/png", PNG)
    assert stored(b"GIF89a", "https://a.example/x.jpg").data == images.STUB
    assert stored(b"text", images__formats="any").content_type == "application/octet-stream"


def test_what_is_not_stored():
    """Nothing, too much, of no known kind, or out of reach."""
    for reason, data, url, profile in (
        (Reason.IMAGE_MISSING, b"", None, {}),
        (Reason.IMAGE_TOO_LARGE, PNG + b"x", None, {"size__image": len(PNG)}),
        (Reason.IMAGE_UNKNOWN_FORMAT, b"text", None, {}),
        (Reason.IMAGE_UNREACHABLE, PNG, "https://unreachable.invalid/x", {}),
    ):
        assert refused(stored, data, url, **profile) is reason
    assert stored(PNG, size__image=len(PNG)).data == PNG


def test_an_image_is_removed_once():
    """A URL that was stored as it is has no bytes."""
    change = World(seed=1).change(0)
    id = images.store(change, "c", PNG, None)
    images.remove(change, "c", None)
    images.remove(change, "c", "https://a.example/x")
    assert images.get(change, "c", id).data == PNG
    images.remove(change, "c", id)
    with pytest.raises(Refusal):
        images.get(change, "c", id)
