"""Roles of users in a channel: operators (hosts) and owners, who rank above them."""

from __future__ import annotations

from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import members as assumed
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.channels import channels
from confsim.domain.channels.channels import BY_HOST, CHANNELS, Channel
from confsim.domain.users.users import USERS, User
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import Computed, Guard, Row
from confsim.kernel.table import Record
from confsim.kernel.world import Change


class Role(Enum):
    """The role of a user in a channel."""

    NONE = "none"
    OPERATOR = "operator"
    OWNER = "owner"


class Hosting(Record):
    """A user and a channel, whose owners and operators give the role of the user."""

    channel: Channel
    user: int


def _role(hosting: Hosting) -> Role:
    if hosting.user in hosting.channel.owners:
        return Role.OWNER
    return Role.OPERATOR if hosting.user in hosting.channel.operators else Role.NONE


def _set(role: Role, change: Change, hosting: Hosting) -> Hosting:
    channel, id = hosting.channel, hosting.user
    owners = tuple(owner for owner in channel.owners if owner != id)
    operators = tuple(operator for operator in channel.operators if operator != id)
    if role is Role.OWNER:
        owners = (*owners, id)
    elif role is Role.OPERATOR:
        operators = (*operators, id)
    return replace(hosting, channel=channels.update(change, channel, owners=owners, operators=operators))


def _operator(change: Change, hosting: Hosting) -> Hosting:
    """The user is operator from the next call on."""
    return _set(Role.OPERATOR, change, hosting)


def _owner(change: Change, hosting: Hosting) -> Hosting:
    """The user is owner from the next call on, and no operator beside it."""
    return _set(Role.OWNER, change, hosting)


def _nothing(change: Change, hosting: Hosting) -> Hosting:
    """The user has no host rights in the channel any more."""
    return _set(Role.NONE, change, hosting)


_TAKES = Guard("removal takes ownership too", lambda hosting, *, takes: takes)
_OTHERS = Guard("another owner is left", lambda hosting, *, may_go: may_go or len(hosting.channel.owners) > 1)

MACHINE: Machine[Role, Hosting] = Machine(
    "channel role",
    "The role of one user in one channel (R201-R206, R545).",
    None,
    Role,
    (
        Row("make operator", Role.NONE, Role.OPERATOR, effect=_operator, source="P1 Channel roles L253, R201"),
        Row("make operator", Role.OPERATOR, Role.OPERATOR, source="G270"),
        Row("make operator", Role.OWNER, Role.OWNER, source="G270"),
        Row("remove operator", Role.OPERATOR, Role.NONE, effect=_nothing, source="P1 Channel roles L254, R205, R206"),
        Row("remove operator", Role.OWNER, Role.NONE, only_if=_TAKES, effect=_nothing, source="G272"),
        Row("make owner", (Role.NONE, Role.OPERATOR), Role.OWNER, effect=_owner, source="P1 L247, G561"),
        Row("make owner", Role.OWNER, Role.OWNER, source="G561, G270"),
        Row("remove owner", Role.OWNER, Role.NONE, only_if=_OTHERS, effect=_nothing, source="P1 L247, G562"),
        Row("demote owner", Role.OWNER, Role.OPERATOR, only_if=_OTHERS, effect=_operator, source="P1 L247, G563"),
        Row("leave", (Role.OPERATOR, Role.OWNER), Role.NONE, effect=_nothing, source="G542"),
    ),
    state=Computed(_role),
    facts={"remove operator": "takes", "remove owner": "may_go", "demote owner": "may_go"},
    refusals={
        ("remove operator", Role.OWNER): Reason.OPERATOR_IS_OWNER,
        "remove operator": Reason.NOT_OPERATOR,
        ("remove owner", Role.OWNER): Reason.LAST_OWNER,
        "remove owner": Reason.NOT_OWNER,
        ("demote owner", Role.OWNER): Reason.LAST_OWNER,
        "demote owner": Reason.NOT_OWNER,
        None: Reason.NOT_OPERATOR,
    },
    initial=Role.NONE,
)


def _fire(change: Change, channel: Channel, user: User, event: str, **facts: bool) -> Channel:
    hosting = Hosting(channels.base_channel(change, channel), user.id)
    return MACHINE.fire(change, hosting, event, details={"id": user.id}, **facts).channel


def _may_go(change: Change) -> bool:
    return ask(change, assumed.LAST_OWNER) == "let-go"


def _require_member(change: Change, channel: Channel, user: User) -> None:
    if user.channel not in (None, channel.id, channel.parent) and not ask(change, assumed.OPERATORS_ELSEWHERE):
        raise Refusal(Reason.NOT_FOUND, what="user", id=user.id)


def add_operator(change: Change, channel: Channel, user: User) -> Channel:
    """Make the user an operator; an owner remains owner (R201, R202, G270)."""
    _require_member(change, channel, user)
    return _fire(change, channel, user, "make operator")


def remove_operator(change: Change, channel: Channel, user: User) -> Channel:
    """Remove the operator role (R205). Refusals NOT_OPERATOR, OPERATOR_IS_OWNER."""
    on_owner = ask(change, assumed.OPERATOR_REMOVAL_OF_OWNER)
    if on_owner == "nothing" and channels.is_owner(channels.base_channel(change, channel), user):
        return channel
    return _fire(change, channel, user, "remove operator", takes=on_owner == "take")


def add_owner(change: Change, channel: Channel, user: User) -> Channel:
    """Make the user an owner, whether operator before or not. Refusal NOT_FOUND for another channel's user."""
    _require_member(change, channel, user)
    return _fire(change, channel, user, "make owner")


def remove_owner(change: Change, channel: Channel, user: User) -> Channel:
    """Remove the ownership and with it every host right. Refusals NOT_OWNER, LAST_OWNER."""
    return _fire(change, channel, user, "remove owner", may_go=_may_go(change))


def demote_owner(change: Change, channel: Channel, user: User) -> Channel:
    """Make the owner a plain operator. Refusals NOT_OWNER, LAST_OWNER."""
    return _fire(change, channel, user, "demote owner", may_go=_may_go(change))


def owners(change: Change, channel: Channel) -> list[User]:
    """The owners in the order of their appointment (R208, G136); those of its event room for a breakout room."""
    return _people(change, channel, channels.base_channel(change, channel).owners)


def operators(change: Change, channel: Channel) -> list[User]:
    """The plain operators in the order of their appointment; those of its event room for a breakout room."""
    return _people(change, channel, channels.base_channel(change, channel).operators)


def hosts(change: Change, channel: Channel) -> list[tuple[User, bool]]:
    """The hosts of the channel as (user, whether owner), owners first (R207, G274)."""
    above = owners(change, channel) if ask(change, assumed.OPERATORS_LIST) == "with-owners" else []
    return [*((user, True) for user in above), *((user, False) for user in operators(change, channel))]


def _people(change: Change, channel: Channel, ids: tuple[int, ...]) -> list[User]:
    rows = USERS.of(change, channel.client)
    return [user for id in ids if (user := rows.get(id)) is not None]


def remove_of_user(change: Change, user: User) -> None:
    """Remove every channel role of a user who is removed (G542)."""
    for channel in CHANNELS.of(change, user.client).where(BY_HOST, user.id):
        MACHINE.fire(change, Hosting(channel, user.id), "leave")
