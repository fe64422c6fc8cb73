from __future__ import annotations

import pytest

from confsim.assumptions import properties as assumed
from confsim.assumptions.protocol import sizes
from confsim.assumptions.register import ProfileContext
from confsim.domain import properties
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.properties import Owner
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change, World

ANN, BOB = Owner("c", "user 1"), Owner("c", "user 2")


def _now(profile: dict | None = None) -> Change:
    return World().change(0, ProfileContext(profile or {}))


@pytest.mark.rule("R191", "R337")
def test_a_value_replaces_the_one_under_its_key():
    """The last value stored under a key is the one that is read."""
    change = _now()
    properties.put(change, ANN, "k", "1")
    properties.put(change, ANN, "k", '{"a":[]}')
    assert properties.text(change, ANN, "k") == '{"a":[]}'
    assert properties.keys(change, ANN) == ["k"]


@pytest.mark.rule("R193")
def test_properties_belong_to_one_owner():
    """The same key of another user, another client or a channel is another property."""
    change = _now()
    owners = [ANN, BOB, Owner("d", "user 1"), Owner("c", "channel 1")]
    for place, owner in enumerate(owners):
        properties.put(change, owner, "k", str(place))
    assert [properties.text(change, owner, "k") for owner in owners] == ["0", "1", "2", "3"]


def test_users_and_channels_are_owners():
    """Users and channels own properties side by side in their client."""
    change = _now()
    client = clients.create(change, "C", None)
    user = users.create(change, client.id, "Ann", Account.REGISTERED)
    channel = channels.create(change, client, "Room", None, user)
    properties.put(change, properties.of_user(user), "k", "1")
    assert properties.keys(change, properties.of_channel(channel)) == []
    assert properties.of_channel(channel).client == client.id


def test_keys_are_sorted():
    """Keys come in the order of their code points, whenever they were stored."""
    change = _now()
    for key in ("b", "Z", "ä", "a"):
        properties.put(change, ANN, key, "1")
    assert properties.keys(change, ANN) == ["Z", "a", "b", "ä"]


def test_a_missing_property_is_refused_or_null():
    """What was never stored is not found, unless a profile reads it as null."""
    with pytest.raises(Refusal, match="not_found"):
        properties.text(_now(), ANN, "k")
    assert properties.text(_now({assumed.PROPERTY_MISSING.id: "null"}), ANN, "k") == "null"


def test_removing_a_property_needs_one():
    """A property goes once."""
    change = _now()
    properties.put(change, ANN, "k", "1")
    properties.remove(change, properties.get(change, ANN, "k"))
    assert properties.keys(change, ANN) == []
    with pytest.raises(Refusal, match="not_found"):
        properties.get(change, ANN, "k")


def test_null_is_a_value_unless_it_removes():
    """Null is stored like any value, or removes the property where a profile says so."""
    change = _now()
    properties.put(change, ANN, "k", "null")
    assert properties.text(change, ANN, "k") == "null"
    change = _now({assumed.PROPERTY_NULL.id: "removes"})
    properties.put(change, ANN, "k", "1")
    for _ in range(2):
        properties.put(change, ANN, "k", "null")
        assert properties.keys(change, ANN) == []


def test_a_value_has_a_size():
    """A value may be as large as the limit in bytes and no larger."""
    change = _now({sizes.PROPERTY.id: 6})
    properties.put(change, ANN, "k", '"ää"')
    with pytest.raises(Refusal, match="property_too_large"):
        properties.put(change, ANN, "k", '"ääa"')


def test_the_properties_of_an_owner_can_be_removed():
    """Those of others stay."""
    change = _now()
    for owner in (ANN, BOB):
        for key in "ab":
            properties.put(change, owner, key, "1")
    for stored in properties.list_of_owner(change, ANN):
        properties.remove(change, stored)
    assert (properties.keys(change, ANN), properties.keys(change, BOB)) == ([], ["a", "b"])


def test_properties_stand_under_their_name_in_the_world():
    """Exported worlds name the table, so that a world of an earlier version is read."""
    change = _now()
    properties.put(change, ANN, "k", "1")
    assert [place for place, _ in change.commit().tables()] == [("c", "properties")]
