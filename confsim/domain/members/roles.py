"""Roles of users in a channel: operators (hosts) and owners, who rank above them."""

from __future__ import annotations

from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import channels as assumed_channels
from confsim.assumptions import members as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import images, properties
from confsim.domain.channels import channels
from confsim.domain.channels.channels import BY_HOST, CHANNELS, Channel
from confsim.domain.identity import credentials
from confsim.domain.users import users
from confsim.domain.users.users import BY_CHANNEL, USERS, Account, User
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Record
from confsim.kernel.world import Change


class Role(Enum):
    """What a user is in a channel."""

    NONE = "none"
    OPERATOR = "operator"
    OWNER = "owner"


class Place(Record):
    """One user in one channel: what the machine moves."""

    channel: Channel
    user: int


def _put(role: Role, change: Change, place: Place) -> Place:
    channel, id = place.channel, place.user
    owners = tuple(each for each in channel.owners if each != id)
    operators = tuple(each for each in channel.operators if each != id)
    if role is Role.OWNER:
        owners = (*owners, id)
    elif role is Role.OPERATOR:
        operators = (*operators, id)
    return replace(place, channel=channels.update(change, channel, owners=owners, operators=operators))


def _operator(change: Change, place: Place, facts: Facts) -> Place:
    """The user is operator from the next call on."""
    return _put(Role.OPERATOR, change, place)


def _owner(change: Change, place: Place, facts: Facts) -> Place:
    """The user is owner from the next call on, and no operator beside it."""
    return _put(Role.OWNER, change, place)


def _nothing(change: Change, place: Place, facts: Facts) -> Place:
    """The user has no host rights in the channel any more."""
    return _put(Role.NONE, change, place)


def _read(place: Place, facts: Facts) -> Role:
    if place.user in place.channel.owners:
        return Role.OWNER
    return Role.OPERATOR if place.user in place.channel.operators else Role.NONE


_TAKES = Guard("removal takes ownership too", lambda place, facts: facts["takes"])
_OTHERS = Guard("another owner is left", lambda place, facts: facts["may_go"] or len(place.channel.owners) > 1)

MACHINE: Machine[Role, Place] = Machine(
    "channel role",
    "The role of one user in one channel (R201-R206, R545).",
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
    read=_read,
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
    place = Place(channels.governing(change, channel), user.id)
    return MACHINE.fire(change, place, event, id=user.id, **facts).channel


def _may_go(change: Change) -> bool:
    return ask(change, assumed.LAST_OWNER) == "let-go"


def _welcome(change: Change, channel: Channel, user: User) -> None:
    if user.channel not in (None, channel.id, channel.parent) and not ask(change, assumed.OPERATORS_ELSEWHERE):
        raise Refusal(Reason.NOT_FOUND, what="user", id=user.id)


def add_operator(change: Change, channel: Channel, user: User) -> Channel:
    """Make the user operator; an owner stays owner (R201, R202, G270)."""
    _welcome(change, channel, user)
    return _fire(change, channel, user, "make operator")


def remove_operator(change: Change, channel: Channel, user: User) -> Channel:
    """Take the operator role away (R205). Refusals NOT_OPERATOR, OPERATOR_IS_OWNER."""
    on_owner = ask(change, assumed.OPERATOR_REMOVAL_OF_OWNER)
    if on_owner == "nothing" and channels.is_owner(channels.governing(change, channel), user):
        return channel
    return _fire(change, channel, user, "remove operator", takes=on_owner == "take")


def add_owner(change: Change, channel: Channel, user: User) -> Channel:
    """Make the user owner, operator or not before."""
    _welcome(change, channel, user)
    return _fire(change, channel, user, "make owner")


def remove_owner(change: Change, channel: Channel, user: User) -> Channel:
    """Take the ownership away, and every host right with it. Refusals NOT_OWNER, LAST_OWNER."""
    return _fire(change, channel, user, "remove owner", may_go=_may_go(change))


def demote_owner(change: Change, channel: Channel, user: User) -> Channel:
    """Make the owner a plain operator. Refusals NOT_OWNER, LAST_OWNER."""
    return _fire(change, channel, user, "demote owner", may_go=_may_go(change))


def owners(change: Change, channel: Channel) -> list[User]:
    """The owners in the order of their appointment (R208, G136); those of its event room for a breakout room."""
    return _people(change, channel, channels.governing(change, channel).owners)


def operators(change: Change, channel: Channel) -> list[User]:
    """The plain operators in the order of their appointment; those of its event room for a breakout room."""
    return _people(change, channel, channels.governing(change, channel).operators)


def hosts(change: Change, channel: Channel) -> list[tuple[User, bool]]:
    """Who operates the channel, and whether as owner: the owners first (R207, G274)."""
    above = owners(change, channel) if ask(change, assumed.OPERATORS_LIST) == "with-owners" else []
    return [*((user, True) for user in above), *((user, False) for user in operators(change, channel))]


def _people(change: Change, channel: Channel, ids: tuple[int, ...]) -> list[User]:
    rows = USERS.of(change, channel.client)
    return [user for id in ids if (user := rows.get(id)) is not None]


def leave(change: Change, user: User) -> None:
    """The user, who is about to be removed, loses every role in every channel (G542)."""
    for channel in CHANNELS.of(change, user.client).find(BY_HOST, user.id):
        MACHINE.fire(change, Place(channel, user.id), "leave", id=user.id)


def dismiss(change: Change, user: User) -> None:
    """Remove a user who was made for one channel, with every role, every token, the properties and the image (G542)."""
    leave(change, user)
    credentials.revoke(change, user)
    properties.remove_all(change, properties.of_user(user))
    images.drop(change, user.client, user.image)
    users.remove(change, user)


def release_of_channel(change: Change, channel: Channel) -> None:
    """Users made for the channel are removed with it: linked users (P2 States L171, R365), guests by choice (G309)."""
    guests_go = ask(change, assumed_channels.GUESTS_AFTER_DELETION) == "go"
    for user in USERS.of(change, channel.client).find(BY_CHANNEL, channel.id):
        if user.account is Account.LINKED or (guests_go and users.unregistered(user)):
            dismiss(change, user)
