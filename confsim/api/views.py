"""Things of the domain as the wire shows them, where several families show the same thing."""

from __future__ import annotations

from confsim.assumptions import images, sizes
from confsim.assumptions.register import ask
from confsim.contract.types import ImageSize, Int, Long, Wire
from confsim.domain.users import AuthKind
from confsim.domain.users import User as Person
from confsim.domain.users import unregistered

from .call import Call


class Id(Wire):
    """The id of a thing that was made."""

    id: str


class NumberId(Wire):
    """The number of a user that was made or found."""

    id: Long


class Languages(Wire):
    """Ordered languages, and the same as the value of an Accept-Language header (G205)."""

    languages: list[str]
    acceptLanguage: str


class User(Wire):
    """A user (P1 User)."""

    id: Long
    handle: str
    urlHandle: str | None = None
    fullName: str | None = None
    description: str | None = None
    imageUrl: str | None = None
    clientId: str
    reputation: Int
    following: bool
    followedBy: bool
    languages: Languages | None = None
    unregistered: bool
    authKind: AuthKind | None = None
    kind: str


class Face(Wire):
    """A user as lists of people show one: id, handle, image."""

    id: Long
    handle: str
    imageUrl: str | None = None


def image_url(call: Call, client: str, image: str | None, size: ImageSize | None) -> str | None:
    """The address of an image in a size: served by the double, or as it was given (G103, G104, G243)."""
    if image is None or image.startswith(("http://", "https://")):
        return image
    return f"{call.root}/files/{client}/images/{image}?size={size or ask(call, images.DEFAULT_SIZE)}"


def face(call: Call, user: Person, size: ImageSize | None) -> Face:
    """The user as lists of people show one."""
    return Face(id=user.id, handle=user.handle, imageUrl=image_url(call, user.client, user.image, size))


def page_limit(call: Call, limit: int | None) -> int:
    """How many elements a page has: the limit, cut to the most, or the default (G079, G080)."""
    if limit is None:
        return ask(call, sizes.PAGE)
    most = ask(call, sizes.PAGE_MOST)
    return limit if limit < most else most


__all__ = ["Face", "Id", "Languages", "NumberId", "User", "face", "image_url", "page_limit", "unregistered"]
