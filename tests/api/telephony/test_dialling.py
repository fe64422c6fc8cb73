from __future__ import annotations

import pytest

from kit import ADMIN, API_TOKEN, OPERATOR, OWNER, ROOM, USER, code

WAYS = {"in": "dialIn", "out": "dialOut"}


def channel_flag(sim, way, uuid=ROOM):
    """Whether the channel has the flag."""
    return sim.call("get_channel_settings", OWNER, uuid=uuid).body[WAYS[way]]


def client_flag(sim, way):
    """Whether new channels of the client get the flag."""
    return sim.call("get_client_settings", ADMIN).body[WAYS[way]]


@pytest.mark.rule("R042", "R352", "R474", "R475", "R476", "R477")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("caller", [ADMIN, API_TOKEN])
def test_the_switch_of_a_channel_overrides_the_default(sim, way, caller):
    """Enabled and disabled for this channel alone; the client's default and other channels stay."""
    other = sim.call("create_channel", OWNER, body={"name": "Other"}).body["channelUuid"]
    for state, on in [("enable", True), ("enable", True), ("disable", False)]:
        answer = sim.call(f"set_dial_{way}_state", caller, uuid=ROOM, state=state)
        assert (answer.status, answer.content) == (200, b"")
        assert (channel_flag(sim, way), channel_flag(sim, way, other), client_flag(sim, way)) == (on, False, False)


@pytest.mark.rule("R474", "R476", "R535")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("caller", [OWNER, OPERATOR, USER, "demo-guest"])
def test_only_a_customer_admin_switches_a_channel(sim, way, caller):
    """Not even its owner does."""
    answer = sim.call(f"set_dial_{way}_state", caller, uuid=ROOM, state="enable")
    assert code(answer) == (403, "role_missing")


@pytest.mark.parametrize("operation", [f"set_{whose}dial_{way}_state" for whose in ("client_", "") for way in WAYS])
@pytest.mark.parametrize("word", ["on", "Enable", "open"])
def test_the_words_are_enable_and_disable(sim, operation, word):
    """Any other is refused."""
    path = {} if "client" in operation else {"uuid": ROOM}
    answer = sim.call(operation, ADMIN, state=word, **path)
    assert code(answer) == (400, "invalid_state")


@pytest.mark.rule("R088", "R315", "R316")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("caller", [ADMIN, API_TOKEN])
def test_the_switch_of_a_client_is_for_new_channels(sim, way, caller):
    """A channel made afterwards has the flag, those that are there keep what they have."""
    assert sim.call(f"set_client_dial_{way}_state", caller, state="enable").status == 200
    made = sim.call("create_channel", OWNER, body={"name": "New"}).body["channelUuid"]
    assert (client_flag(sim, way), channel_flag(sim, way, made), channel_flag(sim, way)) == (True, True, False)
    sim.call(f"set_client_dial_{way}_state", caller, state="disable")
    assert (client_flag(sim, way), channel_flag(sim, way, made)) == (False, True)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("caller", [OWNER, USER, "demo-guest"])
def test_only_administrators_switch_a_client(sim, way, caller):
    """Others are refused."""
    answer = sim.call(f"set_client_dial_{way}_state", caller, state="enable")
    assert code(answer) == (403, "role_missing")
