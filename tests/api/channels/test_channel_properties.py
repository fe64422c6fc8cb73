from __future__ import annotations

import msgspec
import pytest

from confsim import Simulator
from confsim.domain.properties import PROPERTIES
from kit import CUSTOMER, EVENT_ROOM, ROOM

HOSTS = ("demo-owner", "demo-operator", "demo-api-token")


def put(sim, key, value, caller="demo-owner", uuid=ROOM):
    """Store a value and answer the status."""
    return sim.call("set_channel_property", caller, uuid=uuid, key=key, body=msgspec.json.encode(value)).status


def get(sim, key, caller="demo-user", uuid=ROOM):
    """The answer to reading a value."""
    return sim.call("get_channel_property", caller, uuid=uuid, key=key)


@pytest.mark.rule("R337", "R410", "R411")
@pytest.mark.parametrize("value", [None, True, 0, -2.5, 10**30, "", "text", [], [1, [None]], {}, {"a": {"b": "ä"}}])
def test_any_json_value_is_stored_and_told_again(sim, value):
    """The very value comes back as JSON."""
    assert put(sim, "key", value) == 200
    answer = get(sim, "key")
    assert (answer.status, answer.content) == (200, msgspec.json.encode(value))


@pytest.mark.rule("R411")
def test_a_later_value_replaces_the_earlier_one(sim):
    """The key keeps one value, and is listed once."""
    put(sim, "key", {"a": 1})
    assert sim.call("set_channel_property", "demo-operator", uuid=ROOM, key="key", body=b"[2]").content == b""
    assert get(sim, "key").body == [2]
    assert sim.call("list_channel_properties", "demo-guest", uuid=ROOM).body == ["key"]


@pytest.mark.rule("R409")
def test_the_list_of_keys_is_a_sorted_array(sim):
    """Keys of any characters stand in order; without properties the array is empty."""
    assert sim.call("list_channel_properties", "demo-user", uuid=ROOM).body == []
    for key in ("b/c", "a", "ä ö", "."):
        put(sim, key, 1)
    assert sim.call("list_channel_properties", "demo-user", uuid=ROOM).body == [".", "a", "b/c", "ä ö"]


@pytest.mark.rule("R412")
def test_a_removed_property_is_gone(sim):
    """Removing answers without a body; then reading and removing are a 404."""
    put(sim, "key", 1)
    assert sim.call("delete_channel_property", "demo-operator", uuid=ROOM, key="key").content == b""
    assert get(sim, "key").status == 404
    assert sim.call("delete_channel_property", "demo-operator", uuid=ROOM, key="key").status == 404
    assert sim.call("list_channel_properties", "demo-user", uuid=ROOM).body == []


@pytest.mark.rule("R413")
def test_properties_belong_to_one_channel(sim):
    """The same key of another channel, or of a user, is another property."""
    put(sim, "key", 1)
    assert get(sim, "key", uuid=EVENT_ROOM).status == 404
    assert sim.call("list_channel_properties", "demo-user", uuid=EVENT_ROOM).body == []
    assert sim.call("get_user_property", "demo-owner", userId="me", key="key").status == 404


def test_properties_go_with_the_channel(sim):
    """After the channel is deleted nothing of them is left in the world."""
    put(sim, "key", 1)
    assert sim.call("delete_channel", "demo-owner", uuid=ROOM).ok
    assert len(PROPERTIES.seen(sim.service.world, CUSTOMER)) == 0


def test_a_missing_property_may_be_null():
    """Where that is assumed, reading what was never stored answers null."""
    assert get(Simulator(profile={"channel-properties.missing": "null"}), "key").content == b"null"


def test_storing_null_may_remove():
    """Where that is assumed, null takes the property away."""
    sim = Simulator(profile={"properties.null": "removes"})
    put(sim, "key", 1)
    assert put(sim, "key", None) == 200
    assert get(sim, "key").status == 404


@pytest.mark.rule("R337")
@pytest.mark.parametrize("body", [b"", b"{", b"nul", b'"\\ud800"', b"NaN", b"[1]]", b"1e400"])
def test_what_is_no_json_is_refused(sim, body):
    """An empty or broken body is a 400 and stores nothing."""
    assert sim.call("set_channel_property", "demo-owner", uuid=ROOM, key="key", body=body).status == 400
    assert get(sim, "key").status == 404


def test_a_value_has_bounds(sim):
    """Too many bytes are a 413, too many levels a 400, whether msgspec reads them or not."""
    assert put(sim, "key", "x" * 65534) == 200
    assert put(sim, "key", "x" * 65535) == 413
    for depth, status in [(100, 200), (101, 400), (900, 400), (20_000, 400)]:
        body = b"[" * depth + b"]" * depth
        assert sim.call("set_channel_property", "demo-owner", uuid=ROOM, key="deep", body=body).status == status


@pytest.mark.parametrize("key", ["", " ", "a\x00b", "x" * 256])
def test_a_key_has_bounds(sim, key):
    """A blank, broken or overlong key is a 400."""
    assert put(sim, key, 1) == 400


@pytest.mark.rule("R407")
@pytest.mark.parametrize(
    "caller", ["demo-owner", "demo-operator", "demo-api-token", "demo-customer-admin", "demo-user"]
)
def test_hosts_manage_properties(sim, caller):
    """Owners, operators and API tokens write and remove; everybody else is refused."""
    put(sim, "old", 1)
    expected = 200 if caller in HOSTS else 403
    assert put(sim, "key", 1, caller) == expected
    assert sim.call("delete_channel_property", caller, uuid=ROOM, key="old").status == expected


@pytest.mark.rule("R408")
@pytest.mark.parametrize(
    "caller", ["demo-user", "demo-guest", "demo-customer-admin", "demo-api-token", "demo-operator"]
)
def test_all_with_access_see_properties(sim, caller):
    """Users of the client and the channel's guests read keys and values."""
    put(sim, "key", 1)
    assert get(sim, "key", caller).body == 1
    assert sim.call("list_channel_properties", caller, uuid=ROOM).body == ["key"]


@pytest.mark.rule("R407", "R408")
@pytest.mark.parametrize(
    "operation",
    ["get_channel_property", "list_channel_properties", "set_channel_property", "delete_channel_property"],
)
def test_without_access_there_is_nothing(sim, operation):
    """A foreign channel is a 404, another channel than the guest's own a 403, no token a 401."""
    arguments = {"uuid": EVENT_ROOM}
    sim.call("set_channel_property", "demo-owner", uuid=EVENT_ROOM, key="key", body=b"1")
    if not operation.startswith("list"):
        arguments["key"] = "key"
    if operation.startswith("set"):
        arguments["body"] = b"1"
    statuses = [sim.call(operation, caller, **arguments).status for caller in ("demo-other-admin", "demo-guest", None)]
    assert statuses == [404, 403, 401]
