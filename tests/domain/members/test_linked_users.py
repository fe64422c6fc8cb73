"""Linked users, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext, context_of
from confsim.domain import properties
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.identity import credentials, invitations
from confsim.domain.members import linked_users
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, EVENT_ROOM, ROOM, refused


@pytest.fixture
def stage():
    """A change of the demo world, its client and its event room."""
    change = Simulator(clock=0).service.change()
    return change, clients.get(change, CUSTOMER), channels.get(change, CUSTOMER, EVENT_ROOM)


@pytest.mark.rule("R469", "R470")
def test_a_linked_user_is_bound_to_the_channel_and_invited(stage):
    """The account is linked, the invitation pending."""
    change, client, channel = stage
    user = linked_users.create(change, client, channel, "Linus", None)
    assert (user.account, user.channel) == (Account.LINKED, EVENT_ROOM)
    assert invitations.find_pending(change, user) is not None
    assert linked_users.is_linked(change, channel, user.id)


@pytest.mark.rule("R365")
def test_a_removed_linked_user_holds_nothing(stage):
    """Tokens are dead, the invitation and the properties are gone (G542)."""
    change, client, channel = stage
    user = linked_users.create(change, client, channel, "Linus", None)
    token = credentials.issue(change, user).value
    properties.put(change, properties.of_user(user), "colour", '"red"')
    linked_users.unlink(change, channel, user)
    assert properties.keys(change, properties.of_user(user)) == []
    with pytest.raises(Refusal) as refusal:
        credentials.authenticate(change, token)
    assert refusal.value.reason is Reason.CREDENTIAL_INVALID
    assert invitations.find_pending(change, user) is None
    assert user.id not in users.USERS.of(change, CUSTOMER)
    assert not linked_users.is_linked(change, channel, user.id)


def test_two_linked_users_of_one_handle(stage):
    """Allowed, or refused in one channel; neither another handle nor a regular user of it stands in the way (G447)."""
    change, client, channel = stage
    other = channels.get(change, CUSTOMER, ROOM)
    for _ in range(2):
        linked_users.create(change, client, channel, "Lena", None)
    change.carried = ProfileContext({"linked-users.same-handle": "refuse"})
    assert refused(linked_users.create, change, client, channel, "Lena", None) is Reason.LINKED_HANDLE_TAKEN
    linked_users.create(change, client, channel, "Linus", None)
    linked_users.create(change, client, other, "Lena", None)
    regular = users.create(change, CUSTOMER, "Rita", Account.REGISTERED)
    linked_users.link(change, channel, regular)
    context_of(change).profile |= {"handles.unregistered": "free"}
    linked_users.create(change, client, channel, "Rita", None)


def test_links_are_stored_by_channel(stage):
    """A user linked to two channels and unlinked from one stays linked to the other."""
    change, _, channel = stage
    other = channels.get(change, CUSTOMER, ROOM)
    user = next(each for each in users.USERS.of(change, CUSTOMER).all.descending if each.account is Account.REGISTERED)
    for each in (channel, other):
        linked_users.link(change, each, user)
    linked_users.unlink(change, other, user)
    assert linked_users.list_linked(change, channel) == [user]
    assert linked_users.list_linked(change, other) == []
    with pytest.raises(Refusal) as refusal:
        linked_users.unlink(change, other, user)
    assert refusal.value.reason is Reason.NOT_LINKED
