"""The user list of a client, its filters and order, and look-ups of users."""

from __future__ import annotations

from enum import IntEnum, StrEnum

from confsim.assumptions import users as assumed_users
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import lists
from confsim.domain.channels import channels
from confsim.domain.channels.channels import BY_HOST, CHANNELS
from confsim.domain.clients.clients import Client
from confsim.domain.users import handles, users
from confsim.domain.users.users import BY_EMAIL, LISTED, USERS, Level, User
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change


class Sort(StrEnum):
    """The columns by which the user list is sorted (P1 Users)."""

    HANDLE = "handle"
    LEVEL = "level"


class Rank(IntEnum):
    """The rank that sort=level compares, lowest first (G090)."""

    NONE = 0
    OPERATOR = 1
    OWNER = 2
    CUSTOMER_ADMIN = 3
    PARTNER_ADMIN = 4


def listed(
    change: Change, client: Client, search: str | None, levels: list[int] | None, sort: Sort, *, descending: bool
) -> list[User]:
    """The users of the list who match every filter, sorted.

    ``levels`` are ids; holders of at least one of them match, an unknown id matches nobody (G091).
    """
    found = _members(change, client)
    if levels is not None:
        found = [user for user in found if any(users.level_id(change, level) in levels for level in user.levels)]
    if search:
        found = [user for user in found if lists.matches(change, search, user.handle, user.full_name)]
    if sort is Sort.HANDLE:
        return lists.ordered(change, found, lambda user: lists.text_key(change, user.handle), descending=descending)
    compared = ask(change, assumed_users.LEVEL_ORDER)
    if compared == "rank":
        return lists.ordered(change, found, lambda user: _rank(change, user), descending=descending)
    ids = {user.id: [users.level_id(change, level) for level in user.levels] for user in found}
    if compared == "id":
        return lists.ordered(change, found, lambda user: max(ids[user.id], default=0), descending=descending)
    return lists.ordered(change, found, lambda user: len(ids[user.id]), descending=descending)


def _members(change: Change, client: Client) -> list[User]:
    """The members of the list in order of creation (G219)."""
    rows = USERS.of(change, client.id)
    whom = ask(change, assumed_users.LISTED)
    if whom != "roles":
        return [user for user in rows.all if whom == "everybody" or not users.unregistered(user)]
    found = {user.id: user for user in rows.where(LISTED, True)}
    for id in {id for channel in CHANNELS.of(change, client.id).all for id in channel.owners + channel.operators}:
        host = rows.get(id)
        if host is not None:
            found[id] = host
    return [found[id] for id in sorted(found)]


def _rank(change: Change, user: User) -> Rank:
    if Level.PARTNER_ADMIN in user.levels:
        return Rank.PARTNER_ADMIN
    if Level.CUSTOMER_ADMIN in user.levels:
        return Rank.CUSTOMER_ADMIN
    hosted = CHANNELS.of(change, user.client).where(BY_HOST, user.id)
    if not hosted:
        return Rank.NONE
    return Rank.OWNER if any(channels.is_owner(channel, user) for channel in hosted) else Rank.OPERATOR


def several(change: Change, client: Client, ids: list[int]) -> list[User]:
    """The users of these ids, each once, in order (G216, G217). Refusal NOT_FOUND for unknown ids, if refused."""
    rows = USERS.of(change, client.id)
    if ask(change, assumed_users.SEVERAL) == "refused":
        return [users.get(change, client.id, id) for id in dict.fromkeys(ids)]
    found = (rows.get(id) for id in dict.fromkeys(ids))
    return [user for user in found if user is not None]


def by_handle(change: Change, client: Client, handle: str) -> User:
    """The registered user of this handle, the oldest where several have it (G559). Refusal NOT_FOUND."""
    user = handles.find_holder(change, client, handle)
    if user is None:
        raise Refusal(Reason.NOT_FOUND, what="user with handle", id=handle)
    return user


def by_email(change: Change, client: Client, address: str) -> User:
    """The user who verified this address, the oldest where several did (G225, G560). Refusal NOT_FOUND.

    Pending addresses are not found, since anybody could have set them.
    """
    user = USERS.of(change, client.id).where(BY_EMAIL, address.casefold()).first
    if user is None:
        raise Refusal(Reason.NOT_FOUND, what="user with address", id=address)
    return user
