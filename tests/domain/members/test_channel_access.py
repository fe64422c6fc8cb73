"""Who has access to a channel, in one table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.identity.credentials import Caller
from confsim.domain.members import channel_access, linked_users, roles
from confsim.domain.users import users
from confsim.domain.users.users import Account, Level
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit.things.channels import create_room

WHO = ("user", "operator", "owner", "admin", "own guest", "other guest", "token")


@pytest.fixture
def scene():
    """A change, a channel, and a caller of each kind."""
    change = World(seed=4).change(0)
    client = clients.create(change, "Client", None)
    channel = channels.create(change, client, "Room", None, None)
    other = channels.create(change, client, "Other", None, None)

    def caller(account=Account.REGISTERED, **fields):
        user = users.create(change, client.id, "x", account, **fields)
        return Caller(client, user, customer_admin=bool(user.levels))

    callers = {
        "user": caller(),
        "operator": caller(),
        "owner": caller(),
        "admin": caller(levels=(Level.CUSTOMER_ADMIN,)),
        "own guest": caller(Account.GUEST, channel=channel.id),
        "other guest": caller(Account.GUEST, channel=other.id),
        "token": Caller(client, api_token="t"),
    }
    roles.add_operator(change, channel, callers["operator"].user)
    roles.add_owner(change, channel, callers["owner"].user)
    return change, client, channel, callers


@pytest.mark.parametrize(
    ("private", "admitted"),
    [
        (False, {"user", "operator", "owner", "admin", "own guest", "token"}),
        (True, {"operator", "owner", "admin", "own guest", "token"}),
    ],
)
def test_who_has_access(scene, private, admitted):
    """All users of the client, or hosts, administrators and own guests where it is private (G310)."""
    change, _, channel, callers = scene
    channel = channels.update(change, channel, private=private)
    assert {who for who in WHO if channel_access.has_access(change, callers[who], channel)} == admitted


def test_hosts_of_an_event_room_have_access_to_its_rooms(scene):
    """A room has no hosts of its own: those of its parent count, and the parent's guests may enter."""
    change, _, channel, callers = scene
    room = create_room(change, channel, "Below")
    room = channels.update(change, room, private=True)
    admitted = {who for who in WHO if channel_access.has_access(change, callers[who], room)}
    assert admitted == {"operator", "owner", "admin", "own guest", "token"}


@pytest.mark.parametrize("hidden", ["both", "event room", "room"])
def test_those_linked_to_a_private_event_room_have_access_to_its_rooms(scene, hidden):
    """Anyone who is linked to the event room may go where it sends its users, and nobody else (G310)."""
    change, client, channel, callers = scene
    linked_users.link(change, channel, callers["user"].user)
    stranger = Caller(client, users.create(change, client.id, "y", Account.REGISTERED))
    room = create_room(change, channel, "Below")
    room = channels.update(change, room, private=hidden != "event room")
    channels.update(change, channel, private=hidden != "room")
    assert channel_access.has_access(change, callers["user"], room)
    assert not channel_access.has_access(change, stranger, room)


def test_guests_are_confined(scene):
    """To their channel and its rooms, and to channels that they host (G228)."""
    change, _, channel, callers = scene
    guest = callers["other guest"].user
    with pytest.raises(Refusal):
        channel_access.require_home_channel(change, guest, channel)
    channel_access.require_home_channel(change, callers["own guest"].user, create_room(change, channel, "Below"))
    roles.appoint(change, channel, guest, "make operator")
    channel_access.require_home_channel(change, guest, channel)


def test_where_guests_are_free_the_channel_must_admit_them(scene):
    """Guest access of the channel decides then (G228)."""
    change, _, channel, callers = scene
    change.carried = ProfileContext({"channels.guests-confined": False})
    guest = callers["other guest"]
    assert channel_access.has_access(change, guest, channel)
    assert not channel_access.has_access(change, guest, replace(channel, guest_access=False))
