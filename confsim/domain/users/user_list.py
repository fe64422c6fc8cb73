"""The user list of a client, its filters and order, and look-ups of users."""

from collections.abc import Sequence
from enum import StrEnum

from confsim.assumptions import ask, identity as assumed_identity, not_found
from confsim.assumptions.users import users as assumed_users
from confsim.domain import lists
from confsim.domain.clients.clients import Client
from confsim.domain.users import handles, users
from confsim.domain.users.users import BY_EMAIL, BY_LEVEL, HANDLE, MEMBERS, RANK, USERS, Level, User
from confsim.kernel import Change, View


class UserSort(StrEnum):
    """The columns by which the user list is sorted (P1 Users)."""

    HANDLE = "handle"
    LEVEL = "level"


def list_users(
    change: Change, client: Client, search: str | None, levels: list[int] | None, sort: UserSort, *, descending: bool
) -> Sequence[User]:
    """The users of the list who match every filter, sorted.

    ``levels`` are ids; holders of at least one of them match, an unknown id matches nobody (G091).
    """
    if levels is not None and ask(change, assumed_identity.LEVELS_FILTER) == "ignore":
        known = {users.level_id(change, level) for level in Level}
        levels = [id for id in levels if id in known] or None
    members = _members(change, client, levels)
    if search or not isinstance(members, View):
        found = _matching(change, members, search)
    elif sort is UserSort.HANDLE:
        return lists.in_order(change, members, HANDLE, text=lambda user: user.handle, descending=descending)
    elif ask(change, assumed_users.LEVEL_ORDER) == "rank":
        return lists.in_order(change, members, RANK, descending=descending)
    else:
        found = list(members)
    if sort is UserSort.HANDLE:
        return lists.ordered(change, found, lambda user: lists.text_key(change, user.handle), descending=descending)
    compared = ask(change, assumed_users.LEVEL_ORDER)
    if compared == "rank":
        return lists.ordered(change, found, users.rank, descending=descending)
    ids = {user.id: [users.level_id(change, level) for level in user.levels] for user in found}
    if compared == "id":
        return lists.ordered(change, found, lambda user: max(ids[user.id], default=0), descending=descending)
    return lists.ordered(change, found, lambda user: len(ids[user.id]), descending=descending)


def _members(change: Change, client: Client, levels: list[int] | None) -> Sequence[User]:
    """The members of the list in order of creation (G219), holders of one of the levels where they are given."""
    rows = USERS.of(change, client.id)
    whom = ask(change, assumed_users.LISTED)
    wanted = None if levels is None else {level for level in Level if users.level_id(change, level) in levels}
    if whom == "roles":
        if wanted is None:
            return rows.where(MEMBERS, True)
        if len(wanted) == 1:
            return rows.where(BY_LEVEL, wanted.pop())
        holders = {user.id: user for level in wanted for user in rows.where(BY_LEVEL, level)}
        return [holders[id] for id in sorted(holders)]
    found = (user for user in rows.all if whom == "everybody" or not users.unregistered(user))
    return [user for user in found if wanted is None or not wanted.isdisjoint(user.levels)]


def _matching(change: Change, members: Sequence[User], search: str | None) -> Sequence[User]:
    if not search:
        return members
    return [user for user in members if _matches(change, user, search)]


def list_by_ids(change: Change, client: Client, ids: list[int]) -> list[User]:
    """The users of these ids, each once, in order (G216, G217). Refusal NOT_FOUND for unknown ids, if refused."""
    rows = USERS.of(change, client.id)
    if ask(change, assumed_users.SEVERAL) == "refused":
        return [users.get(change, client.id, id) for id in dict.fromkeys(ids)]
    return [user for id in dict.fromkeys(ids) if (user := rows.get(id)) is not None]


def get_by_handle(change: Change, client: Client, handle: str) -> User:
    """The registered user of this handle (G559). Refusal NOT_FOUND."""
    return _one_of(change, [*handles.holders(change, client, handle)]) or not_found("user with handle", handle)


def get_by_email(change: Change, client: Client, address: str) -> User:
    """The user who verified this address (G225, G560). Refusal NOT_FOUND.

    Pending addresses are not found, since anybody could have set them.
    """
    found = USERS.where(change, BY_EMAIL, address.casefold(), client.id)
    return _one_of(change, found) or not_found("user with address", address)


def _one_of(change: Change, found: Sequence[User]) -> User | None:
    """The user among those found whom the profile chooses, or None."""
    if len(found) < 2:
        return found[0] if found else None
    return found[0 if ask(change, assumed_users.SEVERAL_FOUND) == "first" else -1]


def _matches(change: Change, user: User, search: str) -> bool:
    return lists.matches(change, search, user.handle, user.full_name, lists.described(change, user.description))
