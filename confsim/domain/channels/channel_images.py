"""The image of a channel."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions.refusals import Reason
from confsim.domain import images, repeats
from confsim.kernel.old_machine import Facts, Machine, Row
from confsim.kernel.world import Change

from . import channels
from .channels import Channel


class Picture(Enum):
    """Whether the channel has an image."""

    NONE = "none"
    SET = "set"


def _set(change: Change, channel: Channel, facts: Facts) -> Channel:
    """The new image is kept and the one before forgotten."""
    image = images.keep(change, channel.client, facts["data"], facts["url"])
    images.drop(change, channel.client, channel.image)
    return channels.update(change, channel, image=image)


def _forget(change: Change, channel: Channel, facts: Facts) -> Channel:
    """The bytes are no longer served."""
    images.drop(change, channel.client, channel.image)
    return channels.update(change, channel, image=None)


MACHINE: Machine[Picture, Channel] = Machine(
    "channel image",
    "The image of a channel (R378-R380).",
    Picture,
    (
        Row("set", (Picture.NONE, Picture.SET), Picture.SET, effect=_set, source="P2 L192, R378, R379"),
        Row("remove", (Picture.NONE, Picture.SET), Picture.NONE, effect=_forget, source="P2 L193, R380, G536"),
    ),
    read=lambda channel, facts: Picture.NONE if channel.image is None else Picture.SET,
    refusals={None: Reason.NOT_FOUND},
    initial=Picture.NONE,
)


def put(change: Change, channel: Channel, data: bytes, url: str | None) -> Channel:
    """Set the image from the URL, which wins, or from the bytes.

    Refusals: IMAGE_MISSING, IMAGE_TOO_LARGE, IMAGE_UNKNOWN_FORMAT, IMAGE_UNREACHABLE.
    """
    return MACHINE.fire(change, channel, "set", data=data, url=url)


def remove(change: Change, channel: Channel) -> Channel:
    """Remove the image; that there is none is an error only where that is assumed (G536)."""
    repeats.allow_empty(change, "image of channel", channel.id, empty=channel.image is None)
    return MACHINE.fire(change, channel, "remove")


def remove_of_channel(change: Change, channel: Channel) -> None:
    """The image of a deleted channel is no longer served."""
    MACHINE.fire(change, channel, "remove")
