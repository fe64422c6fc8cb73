"""The image of a user."""

from confsim.assumptions import Reason
from confsim.domain import images
from confsim.domain.conventions import require_filled
from confsim.domain.images import ImageState
from confsim.kernel import Change, Filled, Machine, Row, replace

from .users import USERS, User

_NONE, _SET = ImageState

MACHINE: Machine[ImageState, User] = Machine(
    "user image",
    "The image of a user (R143, R165-R169).",
    USERS,
    ImageState,
    state=Filled("image", _SET, _NONE),
    refused=Reason.NOT_FOUND,
    initial=_NONE,
)
REMOVE = MACHINE.trigger("remove")


@MACHINE.effect("set")
def adopt(change: Change, user: User, image: str) -> User:
    """Set the image to the URL of a picture, or the key of stored bytes; the bytes of the former one are removed."""
    images.remove(change, user.client, user.image)
    return replace(user, image=image)


def _forget(change: Change, user: User) -> User:
    """The bytes are no longer served."""
    images.remove(change, user.client, user.image)
    return replace(user, image=None)


MACHINE.declare(
    Row(adopt, tuple(ImageState), _SET, source="P1 L220, L233, R143, R165-R169"),
    Row(REMOVE, tuple(ImageState), _NONE, effect=_forget, source="P1 L247, G536, G550"),
)


def put(change: Change, user: User, data: bytes, url: str | None) -> User:
    """Set the image from the URL, which wins, or from the bytes.

    Refusals: IMAGE_MISSING, IMAGE_TOO_LARGE, IMAGE_UNKNOWN_FORMAT, IMAGE_UNREACHABLE.
    """
    return adopt(change, user, images.store(change, user.client, data, url))


def remove(change: Change, user: User) -> User:
    """Remove the image. Refusal NOT_FOUND when there is none and that is refused (G536)."""
    require_filled(change, "image of user", user.id, empty=user.image is None)
    return REMOVE(change, user)
