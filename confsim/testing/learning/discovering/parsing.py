"""The fields of answers that a model takes over, with their types.

A number or a switch may also be a text, as some services send them.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

V = TypeVar("V")


class SeenIdentity(Struct, frozen=True):
    """Who a user is."""

    id: int | str
    handle: str
    clientId: str


class SeenLanguages(Struct, frozen=True):
    """The languages of a user."""

    languages: list[str] = []


class SeenProfile(Struct, frozen=True):
    """What else an answer says of a user."""

    description: str | None = None
    fullName: str | None = None
    imageUrl: str | None = None
    languages: SeenLanguages | None = None
    authKind: str | None = None
    reputation: int | None = None
    unregistered: bool | None = None


class SeenAcceptance(Struct, frozen=True):
    """Whether a user has accepted the current terms."""

    isCurrent: bool = False


class SeenAddress(Struct, frozen=True):
    """The address of a user, and whether it is verified."""

    email: str | None = None
    verified: bool = False


class SeenLevel(Struct, frozen=True):
    """An access level of a user."""

    id: int | str


class SeenView(Struct, frozen=True):
    """The name of a client, and the id of the client above it."""

    name: str | None = None
    parentId: str | None = None


class SeenTerms(Struct, frozen=True):
    """The terms of a client; ``promulgated`` is an instant in the unit of the profile."""

    version: int
    url: str
    promulgated: int
    required: bool


class SeenProvider(Struct, frozen=True):
    """A provider of authentication."""

    name: str


class SeenProviders(Struct, frozen=True):
    """The providers of a client."""

    providers: list[SeenProvider]
    defaultProvider: str | None = None


class SeenSettings(Struct, frozen=True):
    """What is enabled for a client; None where the answer does not say."""

    uniqueUsersHandle: bool | None = None
    friendlyURLs: bool | None = None
    speech2text: bool | None = None
    dialIn: bool | None = None
    dialOut: bool | None = None
    midi: bool | None = None


class SeenEvents(Struct, frozen=True):
    """Whether the events interface of a client is enabled."""

    enabled: bool


class SeenNumber(Struct, frozen=True):
    """An inbound number, with or without its plus."""

    number: Annotated[str, Meta(pattern=r"^\+?[1-9][0-9]{1,14}$")]
    isDefault: bool | None = None


class SeenValidator(Struct, frozen=True):
    """A validator of identity tokens."""

    id: str
    name: str | None = None
    active: bool | None = None


class SeenChannel(Struct, frozen=True):
    """A channel, and whether the caller owns it."""

    channelUuid: str
    isOwner: bool | None = None


def parse(body: Any, kind: type[V]) -> V:
    """Return the body of an answer as this type. Raises ValueError that names what is otherwise, and where."""
    return msgspec.convert(body, kind, strict=False)


def elements(body: Any) -> list[Any]:
    """Return the elements of a list, whatever its container. Raises ValueError when it is none."""
    inside = body.get("results", list(body.values())) if isinstance(body, dict) else body
    if not isinstance(inside, list):
        raise ValueError("it is no list")
    return inside
