"""Channel roles against a plain model."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions import channels as assumed
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.clients import clients
from confsim.domain.identity import credentials
from confsim.domain.identity.credentials import CREDENTIALS, Caller
from confsim.domain.members import channel_list, roles
from confsim.domain.members.roles import Role
from confsim.domain.users import users
from confsim.domain.users.users import MEMBERS, USERS, Account, Level
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import refused
from kit.things.channels import create_room

EVENTS = {
    "add_operator": {None: "operator", "operator": "operator", "owner": "owner"},
    "remove_operator": {None: Reason.NOT_OPERATOR, "operator": None, "owner": Reason.OPERATOR_IS_OWNER},
    "add_owner": {None: "owner", "operator": "owner", "owner": "owner"},
    "remove_owner": {None: Reason.NOT_OWNER, "operator": Reason.NOT_OWNER, "owner": None},
    "demote_owner": {None: Reason.NOT_OWNER, "operator": Reason.NOT_OWNER, "owner": "operator"},
}
LEAVES = {"remove_owner", "demote_owner"}


@pytest.fixture
def scene():
    """A change, a channel and three users."""
    return stage()


def stage():
    """The same, for properties."""
    change = World(seed=5).change(0)
    client = clients.create(change, "Client", None)
    channel = channels.create(change, client, "Room", None, None)
    return change, channel, [users.create(change, client.id, name, Account.REGISTERED) for name in "abc"]


@pytest.mark.rule("R201", "R205")
@given(st.lists(st.tuples(st.sampled_from(sorted(EVENTS)), st.integers(0, 2)), max_size=30))
def test_roles_move_as_the_table_says(steps):
    """Each user has one role at a time, the last owner stays, and a refusal changes nothing."""
    change, channel, people = stage()
    model = {user.id: None for user in people}
    for event, number in steps:
        user = people[number]
        expected = EVENTS[event][model[user.id]]
        if event in LEAVES and list(model.values()).count("owner") == 1 and model[user.id] == "owner":
            expected = Reason.LAST_OWNER
        if isinstance(expected, Reason):
            with pytest.raises(Refusal) as refused:
                getattr(roles, event)(change, channel, user)
            assert refused.value.reason is expected
        else:
            getattr(roles, event)(change, channel, user)
            model[user.id] = expected
        for role in Role:
            assert set(roles.ids(change, channel, role)) == {id for id, each in model.items() if each == role.value}
        agree(change, channel.client)


def agree(change, client):
    """Names and numbers of roles are those of their channels, and users know the highest of theirs."""
    rows = CHANNELS.of(change, client)
    for host in roles.HOSTS.of(change, client).all:
        channel = rows[host.channel]
        assert (host.name, host.number) == (channel.name, channel.number)
    for user in USERS.of(change, client).all:
        held = {host.role.value for host in roles.roles_of(change, user)}
        assert user.hosting.value == ("owner" if "owner" in held else "operator" if held else "none")
        assert (user in list(USERS.of(change, client).where(MEMBERS, True))) is bool(held)


@given(st.lists(st.tuples(st.sampled_from(["host", "own", "leave", "rename", "delete"]), st.integers(0, 5))))
def test_what_is_listed_of_hosts_follows_their_channels(steps):
    """Whatever is appointed, renamed and deleted; channels come in order of creation, or by name."""
    change, first, people = stage()
    client = clients.get(change, first.client)
    made = [first, *(channels.create(change, client, name, None, people[0]) for name in ("beta", "Alpha"))]
    for what, number in steps:
        channel = channels.find(change, client.id, made[number % 3].id)
        host = None if channel is None else roles.find(change, channel, people[number // 2].id)
        if channel is None:
            continue
        if what in {"host", "own"}:
            {"host": roles.add_operator, "own": roles.add_owner}[what](change, channel, people[number // 2])
        elif what == "leave" and host is not None:
            roles.LEAVE(change, host)
        elif what == "rename":
            channels.rename(change, channel, f"{number} {channel.name}")
        elif what == "delete":
            channels.delete(change, channel)
        agree(change, client.id)
    for user in people:
        hosted = [each for each in CHANNELS.of(change, client.id).all if roles.is_operator(change, each, user)]
        caller = Caller(client, users.get(change, client.id, user.id))
        for descending in (False, True):
            names = sorted(hosted, key=lambda channel: channel.name.casefold())
            for by_name, expected in ((False, hosted), (True, names)):
                found = channel_list.list_channels(change, client, caller, None, by_name=by_name, descending=descending)
                assert list(found) == (expected[::-1] if descending else expected)


@pytest.mark.parametrize(
    ("choice", "outcomes"),
    [
        (None, [Reason.NOT_OPERATOR, None, Reason.OPERATOR_IS_OWNER]),
        ("take", [Reason.NOT_OPERATOR, None, None]),
        ("nothing", [Reason.NOT_OPERATOR, None, Role.OWNER]),
    ],
)
def test_removing_the_operator_role_of_nobody_an_operator_and_an_owner(scene, choice, outcomes):
    """What becomes of an owner is assumed; the operator loses the role, and who has none is refused."""
    change, channel, people = scene
    change.carried = ProfileContext({} if choice is None else {"roles.remove-operator-on-owner": choice})
    roles.add_operator(change, channel, people[1])
    roles.add_owner(change, channel, people[2])
    for user, outcome in zip(people, outcomes, strict=True):
        if isinstance(outcome, Reason):
            assert refused(roles.remove_operator, change, channel, user) is outcome
        else:
            roles.remove_operator(change, channel, user)
            host = roles.find(change, channel, user.id)
            assert (host and host.role) is outcome


@pytest.mark.rule("R544")
def test_owners_rank_above_operators(scene):
    """An owner is at least operator, an operator no owner; nobody is neither."""
    change, channel, people = scene
    roles.add_owner(change, channel, people[0])
    roles.add_operator(change, channel, people[1])
    everybody = [*people, None]
    assert [roles.is_operator(change, channel, each) for each in everybody] == [True, True, False, False]
    assert [roles.is_owner(change, channel, each) for each in everybody] == [True, False, False, False]


def test_roles_in_a_room_are_those_of_its_event_room(scene):
    """Anyone who is made operator of a room is made one of the event room, and is listed for both."""
    change, channel, people = scene
    room = create_room(change, channel, "Below")
    roles.add_operator(change, room, people[0])
    assert roles.ids(change, channel, Role.OPERATOR) == (people[0].id,)
    listed = [[(user.id, owner) for user, owner in roles.list_hosts(change, each)] for each in (room, channel)]
    assert listed == [[(people[0].id, False)]] * 2


def test_who_is_dismissed_leaves_everything(scene):
    """Every role in every channel, every token, and the record."""
    change, channel, people = scene
    client = clients.get(change, channel.client)
    other = channels.create(change, client, "Other", None, people[1])
    guest = users.create(change, client.id, "g", Account.GUEST, channel=channel.id)
    token = credentials.issue(change, guest).value
    roles.add_operator(change, channel, guest)
    roles.add_owner(change, other, guest)
    users.END(change, users.get(change, client.id, guest.id))
    assert guest.id not in USERS.of(change, client.id)
    assert token not in CREDENTIALS.of(change)
    assert all(roles.find(change, each, guest.id) is None for each in (channel, other))


def test_the_latest_appointed_comes_last(scene):
    """Also one who has got the other role (G136)."""
    change, channel, people = scene
    for user in people:
        roles.add_operator(change, channel, user)
    roles.add_owner(change, channel, people[1])
    roles.add_owner(change, channel, people[0])
    assert roles.ids(change, channel, Role.OWNER) == (people[1].id, people[0].id)
    roles.demote_owner(change, channel, people[1])
    assert roles.ids(change, channel, Role.OWNER) == (people[0].id,)
    assert roles.ids(change, channel, Role.OPERATOR) == (people[2].id, people[1].id)
    roles.add_owner(change, channel, people[2])
    roles.demote_owner(change, channel, people[0])
    assert roles.ids(change, channel, Role.OPERATOR) == (people[1].id, people[0].id)


def test_an_owner_who_is_demoted_is_the_latest_operator(scene):
    """Although longer in the channel than the others (G136)."""
    change, channel, people = scene
    roles.add_owner(change, channel, people[0])
    roles.add_owner(change, channel, people[1])
    roles.add_operator(change, channel, people[2])
    roles.demote_owner(change, channel, people[0])
    assert roles.ids(change, channel, Role.OPERATOR) == (people[2].id, people[0].id)


@pytest.mark.rule("R545")
@pytest.mark.parametrize(("choice", "owners"), [("creator", [1]), ("creator-and-customer-admins", [1, 0])])
def test_the_first_owners_of_a_channel(choice, owners):
    """The creator, and the Customer Admins where that is assumed (G298)."""
    change = World(seed=5).change(0, ProfileContext({assumed.FIRST_OWNERS.id: choice}))
    client = clients.create(change, "Client", None)
    admin = users.create(change, client.id, "a", Account.REGISTERED, levels=(Level.CUSTOMER_ADMIN,))
    people = [admin, users.create(change, client.id, "b", Account.REGISTERED)]
    channel = channels.create(change, client, "Room", None, people[1])
    assert list(roles.ids(change, channel, Role.OWNER)) == [people[number].id for number in owners]


@pytest.mark.parametrize("act", [roles.add_operator, roles.add_owner])
def test_a_guest_of_another_channel_hosts_by_choice(scene, act):
    """By default it is possible, else the guest is not found; a guest of the channel always may (G271)."""
    change, channel, _ = scene
    other = channels.create(change, clients.get(change, channel.client), "Other", None, None)
    own, guest = (
        users.create(change, channel.client, each.name, Account.GUEST, channel=each.id) for each in (channel, other)
    )
    change.carried = ProfileContext({"roles.guests-elsewhere": False})
    act(change, channel, own)
    assert refused(act, change, channel, guest) is Reason.NOT_FOUND
    assert [each.id for each in (own, guest) if roles.is_operator(change, channel, each)] == [own.id]
    change.carried = ProfileContext({})
    act(change, channel, guest)
    assert roles.is_operator(change, channel, guest)
