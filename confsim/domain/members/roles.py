"""Roles of users in a channel: operators (hosts) and owners, who rank above them."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from operator import attrgetter

from confsim.assumptions import Reason, ask, members as assumed, not_found, note
from confsim.assumptions.protocol import conventions
from confsim.domain import lists
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS, Channel
from confsim.domain.lists import MappedSequence
from confsim.domain.users.users import USERS, Hosting, User, unregistered
from confsim.kernel import ABSENT, Change, Guard, Index, Machine, Order, Record, Refusal, Row, Table, View, replace


class Role(StrEnum):
    """The role of a host in a channel."""

    OPERATOR = "operator"
    OWNER = "owner"


class Host(Record, kw_only=True):
    """A user with a role in a base channel; an owner is no operator beside it, although counted as one (R544).

    ``number`` and ``name`` are copies of the channel's number and name, so that lists need no join; renaming a channel
    updates every host.
    """

    client: str
    channel: str
    user: int
    role: Role
    number: int
    name: str

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.channel}/{self.user}"


_USER: Callable[[Host], int] = attrgetter("user")
#: The order of the channels: by creation, and by name, of equal names by creation.
BY_CREATION: Order[Host] = Order("creation of the channel", "number")
BY_NAME: Order[Host] = Order(
    "name of the channel", "name", "number", key=lambda name, number: (name.casefold(), number)
)
#: The hosts of a channel with a role, in the order of their appointment.
APPOINTED: Index[Host] = Index("appointed", "channel", "role")
OF_USER: Index[Host] = Index("user", "user", orders=(BY_CREATION, BY_NAME))
#: The roles of a user that are this one.
OF_USER_AS: Index[Host] = Index("role of a user", "user", "role", orders=(BY_CREATION,))
HOSTS: Table[str, Host] = Table(
    "hosts", Host, "key", APPOINTED, OF_USER, OF_USER_AS, names={"channel": "channels", "user": "users"}
)


MACHINE: Machine[Role, Host] = Machine(
    "channel role",
    "The role of one user in one channel (R201-R206, R545).",
    HOSTS,
    Role,
    state="role",
    refused=Reason.NOT_OPERATOR,
)
LEAVE = MACHINE.trigger("leave")


def _appoint(role: Role) -> Callable[[Change, Host | None, Channel, int], Host]:
    """The effect that gives a user a first role in a channel."""

    def appoint(change: Change, host: Host | None, channel: Channel, user: int) -> Host:
        """The user has the role from the next call on."""
        return Host(
            client=channel.client, channel=channel.id, user=user, role=role, number=channel.number, name=channel.name
        )

    return appoint


MAKE_OPERATOR = MACHINE.effect("make operator")(_appoint(Role.OPERATOR))
MAKE_OWNER = MACHINE.effect("make owner")(_appoint(Role.OWNER))


def _change(change: Change, host: Host) -> Host:
    """The user has the other role from the next call on, as the latest appointed to it."""
    return host


def _about(change: Change, host: Host | None, user: int) -> dict[str, int]:
    return {"id": user}


@MACHINE.effect(
    "remove operator",
    refused={Role.OWNER: Reason.OPERATOR_IS_OWNER, None: Reason.NOT_OPERATOR},
    details=_about,
)
def _remove_operator(change: Change, host: Host, user: int) -> Host:
    return host


_NOT_OWNER = {Role.OWNER: Reason.LAST_OWNER, None: Reason.NOT_OWNER}


@MACHINE.effect("remove owner", refused=_NOT_OWNER, details=_about)
def _remove_owner(change: Change, host: Host, user: int) -> Host:
    return host


@MACHINE.effect("demote owner", refused=_NOT_OWNER, details=_about)
def _demote_owner(change: Change, host: Host, user: int) -> Host:
    """The user has the other role from the next call on, as the latest appointed to it."""
    return host


@MACHINE.effect("rename channel")
def rename_channel(change: Change, host: Host, name: str) -> Host:
    """The channel has another name."""
    return replace(host, name=name)


def _may_go(change: Change, host: Host) -> bool:
    if ask(change, assumed.LAST_OWNER) == "let-go":
        return True
    return len(HOSTS.where(change, APPOINTED, (host.channel, Role.OWNER), host.client)) > 1


_TAKES = Guard(
    "removal takes ownership too", lambda change, host: ask(change, assumed.OPERATOR_REMOVAL_OF_OWNER) == "take"
)
_OTHERS = Guard("another owner is left", _may_go)
_OPERATOR, _OWNER = Role

MACHINE.declare(
    Row(MAKE_OPERATOR, ABSENT, _OPERATOR, source="P1 Channel roles L253, R201"),
    Row(MAKE_OPERATOR, _OPERATOR, _OPERATOR, effect=None, source="G270"),
    Row(MAKE_OPERATOR, _OWNER, _OWNER, effect=None, source="G270"),
    Row(_remove_operator, _OPERATOR, ABSENT, source="P1 Channel roles L254, R205, R206"),
    Row(_remove_operator, _OWNER, ABSENT, only_if=_TAKES, source="G272"),
    Row(MAKE_OWNER, ABSENT, _OWNER, source="P1 L247, R545, G561"),
    Row(MAKE_OWNER, _OPERATOR, _OWNER, effect=_change, move_to_end=True, source="P1 L247, G561"),
    Row(MAKE_OWNER, _OWNER, _OWNER, effect=None, source="G561, G270"),
    Row(_remove_owner, _OWNER, ABSENT, only_if=_OTHERS, source="P1 L247, G562"),
    Row(_demote_owner, _OWNER, _OPERATOR, only_if=_OTHERS, move_to_end=True, source="P1 L247, G563"),
    Row(LEAVE, tuple(Role), ABSENT, source="G542, G309"),
    *(Row(rename_channel, role, role, source="P2 L194, R381") for role in Role),
)


def _highest_is(hosting: Hosting) -> Guard:
    name = f"the highest role of the user is {hosting.value}"
    return Guard(name, lambda change, user: highest(change, user) is hosting)


HOSTING: Machine[Hosting, User] = Machine(
    "hosting",
    "The highest role of a user in any channel, by which the user list is made (G090, G219).",
    USERS,
    Hosting,
    state="hosting",
    refused=Reason.INVALID_STATE,
    initial=Hosting.NONE,
)
HAVE_ROLES = HOSTING.trigger("have roles")
HOSTING.declare(
    *(Row(HAVE_ROLES, tuple(Hosting), each, only_if=_highest_is(each), source="G090, G219") for each in Hosting)
)


# Look-ups


def find(change: Change, channel: Channel, user: int) -> Host | None:
    """The user as host of the channel, for a breakout room of its event room (G439); or None."""
    return HOSTS.get(change, f"{channel.parent or channel.id}/{user}", channel.client)


def is_owner(change: Change, channel: Channel, user: User | None) -> bool:
    """Whether the user owns the channel, for a breakout room its event room."""
    host = None if user is None else find(change, channel, user.id)
    return host is not None and host.role is Role.OWNER


def is_operator(change: Change, channel: Channel, user: User | None) -> bool:
    """Whether the user is at least operator of the channel: an owner ranks above (R544, G148)."""
    return user is not None and find(change, channel, user.id) is not None


def ids(change: Change, channel: Channel, role: Role) -> tuple[int, ...]:
    """The ids of the hosts with this role in the order of their appointment; of the event room for a breakout room."""
    return tuple(map(_USER, _appointed(change, channel, role)))


def list_hosts(change: Change, channel: Channel) -> list[tuple[User, bool]]:
    """The hosts of the channel as (user, whether owner), owners first (R207, G274)."""
    above = list_owners(change, channel) if ask(change, assumed.OPERATORS_LIST) == "with-owners" else []
    return [*((user, True) for user in above), *((user, False) for user in list_operators(change, channel))]


def hosts_of(change: Change, channel: Channel) -> list[Host]:
    """The hosts of a channel itself, owners first; none for a breakout room."""
    rows = HOSTS.of(change, channel.client)
    return [host for role in (Role.OWNER, Role.OPERATOR) for host in rows.where(APPOINTED, (channel.id, role))]


def _appointed(change: Change, channel: Channel, role: Role) -> View[Host]:
    return HOSTS.where(change, APPOINTED, (channel.parent or channel.id, role), channel.client)


def _people(change: Change, channel: Channel, role: Role) -> list[User]:
    rows = USERS.of(change, channel.client)
    found = [user for host in _appointed(change, channel, role) if (user := rows.get(host.user)) is not None]
    order = ask(change, conventions.ARRAY_ORDER)
    if order == "appointment":
        return found
    return sorted(found, key=lambda user: (lists.text_key(change, user.handle) if order == "handle" else "", user.id))


#: The owners in the order of their appointment (R208, G136); those of its event room for a breakout room.
list_owners = partial(_people, role=Role.OWNER)
#: The plain operators in the order of their appointment; those of its event room for a breakout room.
list_operators = partial(_people, role=Role.OPERATOR)


def roles_of(change: Change, user: User) -> View[Host]:
    """The roles of the user, in the order in which the channels were created."""
    return HOSTS.where(change, OF_USER, user.id, user.client)


def hosts_itself(change: Change, client: str, channel: str, user: int) -> bool:
    """Whether the user is a host of the channel itself, which is a base channel then."""
    return f"{channel}/{user}" in HOSTS.of(change, client)


def roles_as(change: Change, user: User, role: Role) -> View[Host]:
    """The roles of the user that are this one, in the order in which the channels were created."""
    return HOSTS.where(change, OF_USER_AS, (user.id, role), user.client)


def channels_of(change: Change, client: str, hosts: Sequence[Host]) -> Sequence[Channel]:
    """The channels of these hosts, in their order; each is read when it is asked for."""
    rows = CHANNELS.of(change, client)
    return MappedSequence(hosts, lambda host: rows[host.channel])


def highest(change: Change, user: User) -> Hosting:
    """The highest role of the user in any channel."""
    if HOSTS.has(change, OF_USER_AS, (user.id, Role.OWNER), user.client):
        return Hosting.OWNER
    hosts = HOSTS.has(change, OF_USER_AS, (user.id, Role.OPERATOR), user.client)
    return Hosting.OPERATOR if hosts else Hosting.NONE


# Appointment and removal


def _make(change: Change, channel: Channel, user: User, role: Role) -> None:
    """Refusals NOT_REGISTERED, NOT_FOUND for a user made for another channel, unless such users may host."""
    if unregistered(user) and ask(change, assumed.TEMPORARY_HOSTS) == "registered":
        raise Refusal(Reason.NOT_REGISTERED, id=user.id)
    if user.channel not in (None, channel.id, channel.parent) and not ask(change, assumed.OPERATORS_ELSEWHERE):
        not_found("user", user.id)
    appoint(change, channels.base_channel(change, channel), user, role)


def appoint(change: Change, channel: Channel, user: User, role: Role) -> None:
    """Make the user an operator or an owner of the base channel."""
    note(change, assumed.ROLE_EFFECT)
    make = MAKE_OPERATOR if role is Role.OPERATOR else MAKE_OWNER
    make(change, find(change, channel, user.id), channel, user.id)


def add_operator(change: Change, channel: Channel, user: User) -> None:
    """Make the user an operator; an owner remains owner (R201, R202, G270). Refusal NOT_FOUND as for ``add_owner``."""
    if find(change, channel, user.id) is not None and ask(change, assumed.OPERATOR_AGAIN) == "refuse":
        raise Refusal(Reason.STATE_HOLDS, state="operator")
    _make(change, channel, user, Role.OPERATOR)


def remove_operator(change: Change, channel: Channel, user: User) -> None:
    """Remove the operator role (R205). Refusals NOT_OPERATOR, OPERATOR_IS_OWNER."""
    on_owner = ask(change, assumed.OPERATOR_REMOVAL_OF_OWNER)
    if on_owner != "nothing" or not is_owner(change, channel, user):
        note(change, assumed.ROLE_EFFECT)
        _remove_operator(change, find(change, channel, user.id), user.id)


#: Make the user an owner, whether operator before or not. Refusal NOT_FOUND for another channel's user.
add_owner = partial(_make, role=Role.OWNER)


def remove_owner(change: Change, channel: Channel, user: User) -> None:
    """Remove the ownership and with it every host right. Refusals NOT_OWNER, LAST_OWNER."""
    note(change, assumed.LAST_OWNER)
    note(change, assumed.ROLE_EFFECT)
    owner = find(change, channel, user.id)
    keeps = owner is not None and owner.role is Role.OWNER and ask(change, assumed.FORMER_OWNER) == "operator"
    (_demote_owner if keeps else _remove_owner)(change, owner, user.id)


def demote_owner(change: Change, channel: Channel, user: User) -> None:
    """Make the owner a plain operator. Refusals NOT_OWNER, LAST_OWNER."""
    note(change, assumed.LAST_OWNER)
    note(change, assumed.ROLE_EFFECT)
    _demote_owner(change, find(change, channel, user.id), user.id)
