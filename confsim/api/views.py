"""Views that several families share: wire types, and functions from records of the domain to them."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar, TypeVar
from unicodedata import combining, normalize
from urllib.parse import quote

from confsim.api.forms import ClientId, UserId
from confsim.assumptions import ask, not_found, note, value_of
from confsim.assumptions.protocol import conventions, images, parsing, sizes
from confsim.assumptions.users import users as assumed_users
from confsim.contract import ImageLink, ImageSize, Int, LimitedPage, Page, Wire
from confsim.domain.users import languages, users
from confsim.domain.users.users import Account, Level, User as Person

from .call import Call

R = TypeVar("R")
T = TypeVar("T")


class Id(Wire):
    """The id of a new thing."""

    id: Annotated[str, "The id of the thing."]


class NumberId(Wire):
    """The number of a new or found user."""

    COMPONENT: ClassVar[str] = "UserNumber"

    id: Annotated[UserId, "The number of the user."]


class Languages(Wire):
    """Ordered languages, and the same as the value of an Accept-Language header (G205)."""

    #: What generators call the class, which would have the name of its own field otherwise.
    KEYWORDS: ClassVar = {"title": "UserLanguages"}

    languages: Annotated[list[str], "The codes, the preferred one first."]
    acceptLanguage: Annotated[str, "The same as the value of an Accept-Language header."]


class User(Wire, kw_only=True):
    """A user (P1 User)."""

    id: Annotated[UserId, "The number of the user, unique in the service."]
    handle: Annotated[str, "The display name of the user."]
    urlHandle: Annotated[str | None, "The handle as it can stand in a URL."] = None
    fullName: Annotated[str | None, "The full name of the user."] = None
    description: Annotated[str | None, "The description of the user."] = None
    imageUrl: Annotated[ImageLink | None, "The URL of the image of the user."] = None
    clientId: Annotated[ClientId, "The client that the user belongs to."]
    reputation: Annotated[Int, "The reputation score of the user."]
    following: Annotated[bool, "Whether the caller follows the user."]
    followedBy: Annotated[bool, "Whether the user follows the caller."]
    languages: Annotated[Languages | None, "The languages of the user, the preferred one first."] = None
    unregistered: Annotated[bool, "Whether the user is temporary, such as a guest."]
    authKind: Annotated[str | None, "The authentication method of the user; absent for guests."] = None
    kind: Annotated[str, "The kind of user."]


class AccessLevel(Wire):
    """An access level (P1 Access level)."""

    id: Annotated[Int, "The number of the level."]
    name: Annotated[str, "The display name of the level."]


class UserSummary(Wire):
    """A user in lists of people: id, handle, image."""

    id: Annotated[UserId, "The number of the user."]
    handle: Annotated[str, "The display name of the user."]
    imageUrl: Annotated[ImageLink | None, "The URL of the image of the user."] = None


def image_url(call: Call, client: str, image: str | None, size: ImageSize | None) -> str | None:
    """Return the URL of an image in a size: below this mount, or as given (G103, G104, G243); None without an image."""
    if image is None or image.startswith(("http://", "https://")):
        return image
    return f"{call.root()}/files/{client}/images/{image}?size={size or ask(call.change, images.DEFAULT_SIZE)}"


_UNFRIENDLY = re.compile(r"[^a-z0-9]+")


def url_handle(call: Call, handle: str) -> str | None:
    """Return the URL-friendly form of a handle, None when nothing is left of it (R045, G135)."""
    if ask(call.change, assumed_users.URL_HANDLE) == "percent":
        return quote(handle, safe="")
    return url_form(handle) or None


def url_form(text: str) -> str:
    """Return the text in lower case without accents, with hyphens for all except letters and digits; may be empty."""
    plain = text
    if not text.isascii():
        plain = "".join(char for char in normalize("NFKD", text) if not combining(char))
    return _UNFRIENDLY.sub("-", plain.lower()).strip("-")


def kind(call: Call, user: Person) -> str:
    """Return the value of ``kind`` for the user's account (G203)."""
    sort: str = user.account
    if sort is Account.DIALLED:
        sort = "dialled-in" if user.inbound else "dialled-out"
    return ask(call.change, assumed_users.KIND_WORDS)[sort]


def auth_kind(call: Call, user: Person) -> str | None:
    """Return the value of ``authKind``; None for guests and users that are not connected (R053, R054, G204)."""
    return None if user.auth_kind is None else ask(call.change, assumed_users.AUTH_KIND_WORDS)[user.auth_kind]


def user_view(call: Call, user: Person, size: ImageSize | None) -> User:
    """Return the view of a user for the caller (P1 User)."""
    unregistered = users.unregistered(user)
    if user.account is Account.PREDEFINED:
        unregistered = ask(call.change, assumed_users.PREDEFINED_UNREGISTERED)
    viewer = call.maybe_user
    following = viewer is not None and user.id in viewer.follows
    followed = viewer is not None and viewer.id in user.follows
    if (following or followed) and ask(call.change, assumed_users.FOLLOWING) == "never":
        following = followed = False
    if user.reputation == value_of(call.change, assumed_users.REPUTATION):
        note(call.change, assumed_users.REPUTATION)
    shown = None
    if user.languages:
        shown = Languages(languages=list(user.languages), acceptLanguage=languages.header(call.change, user.languages))
    return User(
        id=user.id,
        handle=user.handle,
        urlHandle=url_handle(call, user.handle),
        fullName=user.full_name,
        description=user.description,
        imageUrl=image_url(call, user.client, user.image, size),
        clientId=user.client,
        reputation=user.reputation,
        following=following,
        followedBy=followed,
        languages=shown,
        unregistered=unregistered,
        authKind=auth_kind(call, user),
        kind=kind(call, user),
    )


def access_level_view(call: Call, level: Level) -> AccessLevel:
    """Return the view of an access level: id and display name."""
    return AccessLevel(id=users.level_id(call.change, level), name=users.level_name(call.change, level))


def user_summary(call: Call, user: Person, size: ImageSize | None) -> UserSummary:
    """Return the view of a user in lists of people."""
    return UserSummary(id=user.id, handle=user.handle, imageUrl=image_url(call, user.client, user.image, size))


def _page_limit(call: Call, limit: int | None) -> int:
    """Return the number of elements of a page: the limit, cut to the maximum, or the default (G079, G080)."""
    if limit is None or (limit == 0 and ask(call.change, parsing.LIMIT_ZERO) == "absent"):
        return min(ask(call.change, sizes.PAGE), ask(call.change, sizes.PAGE_MOST))
    most = ask(call.change, sizes.PAGE_MOST)
    if limit > most:
        note(call.change, parsing.LIMIT_LARGE)
    return min(limit, most)


def page_of(call: Call, total: int, limit: int | None, offset: int | None) -> slice:
    """Return the positions of a page in a list of ``total`` elements."""
    most = _page_limit(call, limit)
    start = min(offset or 0, total)
    if start == total and offset:
        beyond = ask(call.change, conventions.BEYOND_END)
        if beyond == "refuse":
            not_found("page", offset)
        if beyond == "last-page" and most and total:
            start = (total - 1) // most * most
    return slice(start, min(start + most, total))


def page(
    call: Call,
    found: Sequence[R],
    limit: int | None,
    offset: int | None,
    show: Callable[[Sequence[R]], list[T]],
) -> Page[T]:
    """Return one page of ``found``, with the views that ``show`` makes of its elements.

    ``total`` counts all elements (R021, R022, G082).
    """
    total = len(found)
    results = show(found[page_of(call, total, limit, offset)])
    if ask(call.change, conventions.PAGE_FIELDS) == "with-limits":
        return LimitedPage(total=total, results=results, limit=_page_limit(call, limit), offset=offset or 0)
    return Page(total=total, results=results)
