"""Access levels: administrative roles of users within a client, their granting and revocation."""

from enum import Enum

from confsim.assumptions import Context, Reason, ask, identity as assumed, members
from confsim.domain.clients.clients import Client
from confsim.domain.users import users
from confsim.domain.users.users import BY_LEVEL, USERS, Level, User
from confsim.kernel import Change, Details, Field, Machine, Refusal, Row, replace

from .credentials import Caller

#: From the lowest to the highest (G139).
RANKS = (Level.CUSTOMER_ADMIN, Level.PARTNER_ADMIN)


class LevelState(Enum):
    """Whether a user holds a level."""

    NOT_HELD = "not held"
    HELD = "held"


class _Holds(Field):
    """Whether a level is among those that a user holds."""

    __slots__ = ("level",)

    def __init__(self, level: Level) -> None:
        super().__init__("levels", lambda user: LevelState.HELD if level in user.levels else LevelState.NOT_HELD)
        self.level = level

    def write(self, record: User, state: Enum) -> User:
        """The user with the level or without it."""
        others = tuple(level for level in record.levels if level is not self.level)
        return replace(record, levels=(*others, self.level) if state is LevelState.HELD else others)


def _machine(level: Level) -> Machine[LevelState, User]:
    return Machine(
        f"access level {level.word}",
        "Whether a user holds this access level (R209, R211).",
        USERS,
        LevelState,
        state=_Holds(level),
        refused=Reason.LEVEL_NOT_HELD,
        initial=LevelState.NOT_HELD,
    )


def _about(level: Level) -> Details:
    return lambda change, user: {"id": user.id, "level": users.level_id(change, level)}


MACHINES = {level: _machine(level) for level in Level}
_ADD = {level: machine.trigger("add") for level, machine in MACHINES.items()}
_REMOVE = {level: machine.trigger("remove", details=_about(level)) for level, machine in MACHINES.items()}
_NOT_HELD, _HELD = LevelState

for level, machine in MACHINES.items():
    machine.declare(
        Row(_ADD[level], (_NOT_HELD, _HELD), _HELD, source="P1 Access levels L262, R209, G142"),
        Row(_REMOVE[level], _HELD, _NOT_HELD, source="P1 Access levels L263, R211"),
    )


def get(context: Context, id: int) -> Level:
    """The level of this id. Refusal LEVEL_UNKNOWN."""
    level = next((level for level in Level if users.level_id(context, level) == id), None)
    if level is None:
        raise Refusal(Reason.LEVEL_UNKNOWN, level=id)
    return level


def grantable(change: Change, caller: Caller, client: Client) -> tuple[Level, ...]:
    """The levels that the caller may grant and revoke in the client, lowest first (R213, R214, G141)."""
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


def add(change: Change, caller: Caller, client: Client, user: User, level: Level) -> User:
    """Grant the level to the user; no change when it is held already.

    Refusals: LEVEL_OWN, LEVEL_NOT_ASSIGNABLE, LEVEL_FOR_GUEST.
    """
    _require_assignable(change, caller, client, user, level)
    if users.unregistered(user) and not ask(change, assumed.LEVELS_GUESTS):
        raise Refusal(Reason.LEVEL_FOR_GUEST)
    return _ADD[level](change, user)


def remove(change: Change, caller: Caller, client: Client, user: User, level: Level) -> User:
    """Revoke the level from the user.

    Refusals: LEVEL_OWN, LEVEL_LAST_ADMIN, LEVEL_NOT_ASSIGNABLE, LEVEL_NOT_HELD.
    """
    _require_assignable(change, caller, client, user, level)
    if user.levels == (level,) and _is_own(caller, user) and ask(change, assumed.LEVELS_OWN) == "keep-one":
        _require_remaining_admin(change, client, user)
    return _REMOVE[level](change, user)


def _require_remaining_admin(change: Change, client: Client, user: User) -> None:
    rows = USERS.of(change, client.id)
    if not any(len(rows.where(BY_LEVEL, level)) > (level in user.levels) for level in Level):
        raise Refusal(Reason.LEVEL_LAST_ADMIN, id=user.id)


def _is_own(caller: Caller, user: User) -> bool:
    return caller.user is not None and caller.user.id == user.id


def _require_assignable(change: Change, caller: Caller, client: Client, user: User, level: Level) -> None:
    if _is_own(caller, user) and ask(change, assumed.LEVELS_OWN) == "never":
        raise Refusal(Reason.LEVEL_OWN)
    if level not in grantable(change, caller, client):
        raise Refusal(Reason.LEVEL_NOT_ASSIGNABLE, level=users.level_id(change, level))
