"""The users whose favourite a channel is."""

from __future__ import annotations

from confsim.domain.channels import channels, favourites
from confsim.domain.channels.favourites import FAVOURITES
from confsim.domain.clients import clients
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.world import World


def test_favourites_are_counted_replaced_and_removed_with_their_channel():
    """In the order in which they were given; those of another channel stay."""
    change = World(seed=1).change(0)
    client = clients.create(change, "Client", None)
    one, other = (channels.create(change, client, name, None, None) for name in ("One", "Other"))
    people = [users.create(change, client.id, name, Account.REGISTERED) for name in "abc"]
    ids = [user.id for user in people]
    favourites.replace(change, one, ids)
    favourites.replace(change, other, ids[:1])
    favourites.replace(change, one, [ids[2], ids[1]])
    assert favourites.ids(change, one) == [ids[2], ids[1]]
    assert [favourites.count(change, each) for each in (one, other)] == [2, 1]
    assert [favourites.is_favourite(change, one, user) for user in (*people, None)] == [False, True, True, False]
    channels.delete(change, one)
    assert [each.channel for each in FAVOURITES.of(change, client.id).all] == [other.id]
