"""Access levels: administrative roles of users within a client, who may give them and take them."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions import identity as assumed
from confsim.assumptions import members
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import Context, ask
from confsim.domain.clients.clients import Client
from confsim.domain.users import users
from confsim.domain.users.users import LISTED, USERS, Level, User
from confsim.kernel.old_machine import Facts, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change

from .credentials import Caller

#: From the lowest to the highest (G139).
RANKS = (Level.CUSTOMER_ADMIN, Level.PARTNER_ADMIN)


class Grant(Enum):
    """Whether a user holds a level."""

    NOT_HELD = "not held"
    HELD = "held"


def _add(change: Change, user: User, facts: Facts) -> User:
    """The user holds the level from the next call on."""
    if facts["level"] in user.levels:
        return user
    return users.update(change, user, levels=(*user.levels, facts["level"]))


def _take(change: Change, user: User, facts: Facts) -> User:
    """The user no longer holds the level."""
    return users.update(change, user, levels=tuple(level for level in user.levels if level is not facts["level"]))


MACHINE: Machine[Grant, User] = Machine(
    "access level",
    "One access level of one user (R209, R211).",
    Grant,
    (
        Row("add", (Grant.NOT_HELD, Grant.HELD), Grant.HELD, effect=_add, source="P1 Access levels L262, R209, G142"),
        Row("remove", Grant.HELD, Grant.NOT_HELD, effect=_take, source="P1 Access levels L263, R211"),
    ),
    read=lambda user, facts: Grant.HELD if facts["level"] in user.levels else Grant.NOT_HELD,
    refusals={None: Reason.LEVEL_NOT_HELD},
    initial=Grant.NOT_HELD,
)


def known(context: Context, id: int) -> Level | None:
    """The level of this id, or None."""
    return next((level for level in Level if users.level_id(context, level) == id), None)


def grantable(change: Change, caller: Caller, client: Client) -> tuple[Level, ...]:
    """The levels that the caller may give and take for others in the client, lowest first (R213, R214, G141)."""
    held = caller.user.levels if caller.user is not None else (Level.CUSTOMER_ADMIN,)
    if not held:
        return ()
    own = max(RANKS.index(level) for level in held)
    how = ask(change, assumed.LEVELS_GRANTABLE)
    most = len(RANKS) if how == "all" else own + (how == "up-to-own")
    found = RANKS[:most]
    if Level.PARTNER_ADMIN in found:
        where = ask(change, members.PARTNER_ADMIN_GRANTED)
        if where == "nowhere" or (where == "own" and client.id != caller.client.id):
            found = tuple(level for level in found if level is not Level.PARTNER_ADMIN)
    return found


def add(change: Change, caller: Caller, client: Client, user: User, id: int) -> User:
    """Give the user a level; a level that is held already stays.

    Refusals: LEVEL_UNKNOWN, LEVEL_OWN, LEVEL_NOT_ASSIGNABLE, LEVEL_FOR_GUEST.
    """
    level = _assignable(change, caller, client, user, id)
    if users.unregistered(user) and not ask(change, assumed.LEVELS_GUESTS):
        raise Refusal(Reason.LEVEL_FOR_GUEST)
    return MACHINE.fire(change, user, "add", level=level)


def remove(change: Change, caller: Caller, client: Client, user: User, id: int) -> User:
    """Take a level from the user.

    Refusals: LEVEL_UNKNOWN, LEVEL_OWN, LEVEL_LAST_ADMIN, LEVEL_NOT_ASSIGNABLE, LEVEL_NOT_HELD.
    """
    level = _assignable(change, caller, client, user, id)
    if user.levels == (level,) and _own(caller, user) and ask(change, assumed.LEVELS_OWN) == "keep-one":
        _keep_one(change, client, user)
    if level not in user.levels:
        raise Refusal(Reason.LEVEL_NOT_HELD, id=user.id, level=id)
    return MACHINE.fire(change, user, "remove", level=level)


def _keep_one(change: Change, client: Client, user: User) -> None:
    listed = USERS.of(change, client.id).find(LISTED, True)
    if not any(other.levels for other in listed if other.id != user.id):
        raise Refusal(Reason.LEVEL_LAST_ADMIN, id=user.id)


def _own(caller: Caller, user: User) -> bool:
    return caller.user is not None and caller.user.id == user.id


def _assignable(change: Change, caller: Caller, client: Client, user: User, id: int) -> Level:
    level = known(change, id)
    if level is None:
        raise Refusal(Reason.LEVEL_UNKNOWN, level=id)
    if _own(caller, user) and ask(change, assumed.LEVELS_OWN) == "never":
        raise Refusal(Reason.LEVEL_OWN)
    if level not in grantable(change, caller, client):
        raise Refusal(Reason.LEVEL_NOT_ASSIGNABLE, level=id)
    return level
