"""The image of a user, and its bytes."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain import images
from confsim.domain.clients import clients
from confsim.domain.images import IMAGES
from confsim.domain.users import user_images, users
from confsim.domain.users.users import Account
from confsim.kernel.world import World
from kit import refused

PNG = b"\x89PNG\r\n\x1a\n"


def stage(**profile):
    """A change, and a user without an image."""
    change = World(seed=1).change(0, ProfileContext(profile))
    return change, users.create(change, clients.create(change, "C", None).id, "Ann", Account.REGISTERED)


def test_the_bytes_of_a_former_image_are_removed():
    """Those of the image that the user has are there, and after its removal none."""
    change, user = stage()
    for data in (PNG + b"one", PNG + b"two"):
        user = user_images.put(change, user, data, None)
        assert images.get(change, user.client, user.image).data == data
        assert len(IMAGES.of(change, user.client)) == 1
    user = user_images.remove(change, user)
    assert user.image is None
    assert len(IMAGES.of(change, user.client)) == 0


@pytest.mark.parametrize("choice", ["succeed", "refuse"])
def test_removing_no_image(choice):
    """It has no effect, or is refused (G536); the removal of one never is."""
    change, user = stage(**{"delete.empty-slot": choice})
    if choice == "refuse":
        assert refused(user_images.remove, change, user) is Reason.NOT_FOUND
    else:
        user = user_images.remove(change, user)
        assert user.image is None
    assert user_images.remove(change, user_images.adopt(change, user, "https://pictures.example/1.png")).image is None
