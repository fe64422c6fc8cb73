"""The image of a channel."""

from confsim.assumptions import Reason, value_of
from confsim.assumptions.runtime.sessions import IMAGE
from confsim.domain import images
from confsim.domain.conventions import require_filled
from confsim.domain.images import ImageState
from confsim.kernel import Change, Filled, Machine, Row, replace

from .channels import Channel, table_of

_NONE, _SET = ImageState

MACHINE: Machine[ImageState, Channel] = Machine(
    "channel image",
    "The image of a channel (R378-R380).",
    table_of,
    ImageState,
    state=Filled("image", _SET, _NONE),
    refused=Reason.NOT_FOUND,
    initial=_NONE,
)
REMOVE = MACHINE.trigger("remove")


@MACHINE.effect("set")
def put(change: Change, channel: Channel, data: bytes, url: str | None) -> Channel:
    """Set the image from the URL, which wins, or from the bytes; the one before is removed.

    Refusals: IMAGE_MISSING, IMAGE_TOO_LARGE, IMAGE_UNKNOWN_FORMAT, IMAGE_UNREACHABLE.
    """
    image = images.store(change, channel.client, data, url)
    _forget(change, channel)
    return replace(channel, image=image)


def _remove(change: Change, channel: Channel) -> Channel:
    """The bytes are no longer served."""
    _forget(change, channel)
    return replace(channel, image=None)


def _forget(change: Change, channel: Channel) -> None:
    """Remove the bytes of the image, unless sessions go on showing it."""
    if value_of(change, IMAGE) != "snapshot":
        images.remove(change, channel.client, channel.image)


MACHINE.declare(
    Row(put, tuple(ImageState), _SET, source="P2 L192, R378, R379"),
    Row(REMOVE, tuple(ImageState), _NONE, effect=_remove, source="P2 L193, R380, G536"),
)


def remove(change: Change, channel: Channel) -> Channel:
    """Remove the image. Refusal NOT_FOUND when there is none and that is refused (G536)."""
    require_filled(change, "image of channel", channel.id, empty=channel.image is None)
    return REMOVE(change, channel)
