"""The image of a user."""

from __future__ import annotations

from enum import Enum

from msgspec.structs import replace

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain import images, repeats
from confsim.kernel.machine import Machine
from confsim.kernel.rows import Filled, Row
from confsim.kernel.world import Change

from .users import USERS, User


class UserImageState(Enum):
    """Whether the user has an image."""

    NONE = "none"
    SET = "set"


def _set(change: Change, user: User, image: str) -> User:
    """The user has the new image; the bytes of the former one are removed."""
    images.remove(change, user.client, user.image)
    return replace(user, image=image)


def _remove(change: Change, user: User) -> User:
    """The bytes are no longer served."""
    images.remove(change, user.client, user.image)
    return replace(user, image=None)


_BOTH = (UserImageState.NONE, UserImageState.SET)

MACHINE: Machine[UserImageState, User] = Machine(
    "user image",
    "The image of a user (R143, R165-R169).",
    USERS,
    UserImageState,
    (
        Row("set", _BOTH, UserImageState.SET, effect=_set, source="P1 L220, L233, R143, R165-R169"),
        Row("remove", _BOTH, UserImageState.NONE, effect=_remove, source="P1 L247, G536, G550"),
    ),
    state=Filled("image", UserImageState.SET, UserImageState.NONE),
    facts={"set": "image"},
    refusals={None: Reason.NOT_FOUND},
    initial=UserImageState.NONE,
)


def put(change: Change, user: User, data: bytes, url: str | None) -> User:
    """Set the image from the URL, which wins, or from the bytes.

    Refusals: IMAGE_MISSING, IMAGE_TOO_LARGE, IMAGE_UNKNOWN_FORMAT, IMAGE_UNREACHABLE.
    """
    return MACHINE.fire(change, user, "set", image=images.store(change, user.client, data, url))


def adopt(change: Change, user: User, url: str) -> User:
    """Set the image to the URL of a picture that an identity token names (R143)."""
    return MACHINE.fire(change, user, "set", image=url)


def remove(change: Change, user: User) -> User:
    """Remove the image. Refusal NOT_FOUND when there is none and that is refused (G536)."""
    repeats.require_filled(change, "image of user", user.id, empty=user.image is None)
    return MACHINE.fire(change, user, "remove")
