"""Gates that mean the same: no caller is admitted by one of them and refused by the other.

What assumptions give some callers makes gates alike: an API token that passes what is for a Customer Admin need not be
named beside it. Every caller is tried that may be there; one that no service can have makes two gates differ at worst.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any

from msgspec import Struct

from confsim.api.admission import OF_THING
from confsim.assumptions import members
from confsim.assumptions.register import in_force
from confsim.contract.gates import FOR_USERS, Grant
from confsim.contract.operation import Operation

#: The ids of the assumptions that decide whether gates are alike.
DECIDE = tuple(
    entry.id for entry in (members.API_TOKEN_PASSES, members.CUSTOMER_ADMIN_PASSES, members.PARTNER_ADMIN_INCLUDES)
)


class _Given(Struct, frozen=True):
    """What the assumptions in ``DECIDE`` give, and whether the path names a thing on which gates depend."""

    token: frozenset[str]
    customer_admin: frozenset[str]
    partner_admin: frozenset[str]
    named: bool


class _User(Struct, frozen=True):
    """A user who calls: the grants held by itself, and the levels: Customer Admin and Partner Admin.

    ``at_home`` is False for a call in another client, ``missing`` True when the thing of the path does not exist.
    """

    grants: frozenset[Grant]
    levels: tuple[bool, ...]
    at_home: bool
    missing: bool


def admit_alike(
    operation: Operation, one: Collection[Grant], other: Collection[Grant], profile: Mapping[str, Any]
) -> bool:
    """Return whether two gates of an operation admit and refuse every caller alike under a profile."""
    token: tuple[str, ...] = in_force(profile, members.API_TOKEN_PASSES)
    customer_admin: tuple[str, ...] = in_force(profile, members.CUSTOMER_ADMIN_PASSES)
    partner_admin: tuple[str, ...] = in_force(profile, members.PARTNER_ADMIN_INCLUDES)
    named = any(each.gates for each in operation.path_parameters)
    given = _Given(frozenset(token), frozenset(customer_admin), frozenset(partner_admin), named)
    return _meaning(frozenset(one), given) == _meaning(frozenset(other), given)


@lru_cache(maxsize=4096)
def _meaning(gate: frozenset[Grant], given: _Given) -> tuple[object, ...]:
    """Return who is admitted: nobody's calls, API tokens (or whether they are refused as no user), each user."""
    everybody = {Grant.PUBLIC, Grant.SIGNED_IN}
    token = not gate.isdisjoint(everybody | {Grant.API_TOKEN}) or not gate.isdisjoint(given.token)
    users = frozenset(user for user in _users(given.named) if _admitted(gate, user, given))
    return Grant.PUBLIC in gate, token, not token and FOR_USERS.issuperset(gate), users


def _admitted(gate: frozenset[Grant], user: _User, given: _Given) -> bool:
    customer, partner = user.levels
    administers = customer or (partner and "own" in given.partner_admin)
    held = {Grant.PUBLIC, Grant.SIGNED_IN, Grant.USER, *user.grants}
    if partner:
        held.add(Grant.PARTNER_ADMIN)
    if administers if user.at_home else partner and "children" in given.partner_admin:
        held.add(Grant.CUSTOMER_ADMIN)
    if administers and given.named:
        held.add(Grant.ACCESS)
    if user.missing:
        held -= OF_THING
    return not gate.isdisjoint(held) or (administers and not gate.isdisjoint(given.customer_admin))


@lru_cache(maxsize=2)
def _users(named: bool) -> tuple[_User, ...]:
    """Return every user who may call; where no thing is named, nobody has access to it, or is it.

    A Partner Admin alone calls in another client than the own.
    """
    may_hold = [Grant.REGISTERED, Grant.OPERATOR, Grant.OWNER, *([Grant.ACCESS, Grant.SELF] if named else [])]
    return tuple(
        _User(grants, levels, at_home, missing)
        for grants in _subsets(may_hold)
        for levels in product((False, True), repeat=2)
        for at_home in ((True, False) if levels[1] else (True,))
        for missing in ((False, True) if named else (False,))
    )


def _subsets(grants: list[Grant]) -> Iterator[frozenset[Grant]]:
    for chosen in product((False, True), repeat=len(grants)):
        yield frozenset(grant for grant, is_held in zip(grants, chosen, strict=True) if is_held)
