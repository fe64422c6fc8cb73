"""The image of a user."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions.refusals import Reason
from confsim.domain import images, repeats
from confsim.kernel.old_machine import Facts, Machine, Row
from confsim.kernel.world import Change

from . import users
from .users import User


class Picture(Enum):
    """Whether the user has an image."""

    NONE = "none"
    SET = "set"


def _set(change: Change, user: User, facts: Facts) -> User:
    """The new image stands for the user, and the one before is forgotten."""
    images.drop(change, user.client, user.image)
    return users.update(change, user, image=facts["image"])


def _forget(change: Change, user: User, facts: Facts) -> User:
    """The bytes are no longer served."""
    images.drop(change, user.client, user.image)
    return users.update(change, user, image=None)


_BOTH = (Picture.NONE, Picture.SET)

MACHINE: Machine[Picture, User] = Machine(
    "user image",
    "The image of a user (R143, R165-R169).",
    Picture,
    (
        Row("set", _BOTH, Picture.SET, effect=_set, source="P1 L220, L233, R143, R165-R169"),
        Row("remove", _BOTH, Picture.NONE, effect=_forget, source="P1 L247, G536, G550"),
    ),
    read=lambda user, facts: Picture.NONE if user.image is None else Picture.SET,
    refusals={None: Reason.NOT_FOUND},
    initial=Picture.NONE,
)


def put(change: Change, user: User, data: bytes, url: str | None) -> User:
    """Set the image from the URL, which wins, or from the bytes.

    Refusals: IMAGE_MISSING, IMAGE_TOO_LARGE, IMAGE_UNKNOWN_FORMAT, IMAGE_UNREACHABLE.
    """
    return MACHINE.fire(change, user, "set", image=images.keep(change, user.client, data, url))


def adopt(change: Change, user: User, url: str) -> User:
    """Let the picture that an identity token tells of stand for the user, by its URL (R143)."""
    return MACHINE.fire(change, user, "set", image=url)


def remove(change: Change, user: User) -> User:
    """Remove the image; that there is none is an error only where that is assumed (G536)."""
    repeats.allow_empty(change, "image of user", user.id, empty=user.image is None)
    return MACHINE.fire(change, user, "remove")
