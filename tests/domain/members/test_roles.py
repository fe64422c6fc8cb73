"""Channel roles against a plain model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.identity import credentials
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.domain.members import roles
from confsim.domain.users import users
from confsim.domain.users.users import USERS, Account
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit.channels import create_room

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


@pytest.mark.rule("R201", "R205", "R544")
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
        channel = channels.get(change, channel.client, channel.id)
        if isinstance(expected, Reason):
            with pytest.raises(Refusal) as refused:
                getattr(roles, event)(change, channel, user)
            assert refused.value.reason is expected
        else:
            getattr(roles, event)(change, channel, user)
            model[user.id] = expected
        channel = channels.get(change, channel.client, channel.id)
        assert set(channel.owners) == {id for id, role in model.items() if role == "owner"}
        assert set(channel.operators) == {id for id, role in model.items() if role == "operator"}


def test_roles_in_a_room_are_those_of_its_event_room(scene):
    """Whoever is made operator of a room is made one of the event room, and is listed for both."""
    change, channel, people = scene
    room = create_room(change, channel, "Below")
    roles.add_operator(change, room, people[0])
    channel = channels.get(change, channel.client, channel.id)
    assert channel.operators == (people[0].id,)
    assert roles.hosts(change, room) == roles.hosts(change, channel) == [(people[0], False)]


def test_who_is_dismissed_leaves_everything(scene):
    """Every role in every channel, every token, and the record."""
    change, channel, people = scene
    client = clients.get(change, channel.client)
    other = channels.create(change, client, "Other", None, people[1])
    guest = users.create(change, client.id, "g", Account.GUEST, channel=channel.id)
    token = credentials.issue(change, guest).value
    roles.add_operator(change, channel, guest)
    roles.add_owner(change, other, guest)
    users.remove(change, guest)
    assert guest.id not in USERS.of(change, client.id)
    assert token not in CREDENTIALS.of(change)
    for each in (channel, other):
        now = channels.get(change, client.id, each.id)
        assert guest.id not in now.owners + now.operators
