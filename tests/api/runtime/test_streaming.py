"""Addresses of streaming."""

from __future__ import annotations

import pytest

from kit import CUSTOMER, EVENT_ROOM, GUEST, OWNER, ROOM, USER, code, demo
from kit.things.runtime import ABLE, CALLERS, SWITCHES, states

# Streaming addresses


@pytest.mark.rule("R395", "R556")
def test_the_proxy_is_a_websocket_address(sim):
    """The address names the channel, the mode is the service mode of the channel."""
    reported = sim.call("get_streaming_proxy", USER, uuid=ROOM).body
    assert reported == {"url": f"ws://confsim.test/streaming/{ROOM}", "mode": "conference"}


@pytest.mark.rule("R394", "R556")
def test_a_data_channel_has_a_websocket_address(sim):
    """Any word is a kind of data channel; there is no mode."""
    reported = sim.call("get_data_channel", USER, uuid=ROOM, kind="white-board_2").body
    assert reported == {"url": f"ws://confsim.test/streaming/{ROOM}/data/white-board_2"}
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="no kind").status == 404


def test_what_else_of_addresses_is_assumed():
    """Kinds may be fixed, the mode absent, the address another."""
    sim = demo(data__kinds="known")
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="chat").ok
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="smell").status == 404
    sim = demo(streaming__mode="absent", streaming__url="wss://stream.example/{channel}")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).body == {"url": f"wss://stream.example/{ROOM}"}


@pytest.mark.rule("R396", "R397", "R538")
def test_the_proxy_is_409_while_the_channel_is_being_created(people):
    """From the first request on the channel is being created; when the time is over the address is there."""
    sim = demo(duration__placement="time(2)")
    for _ in range(2):
        answer = sim.call("get_streaming_proxy", USER, uuid=ROOM)
        assert code(answer) == (409, "channel_being_created")
        assert sim.call("list_sessions", OWNER).body["total"] == 0
    sim.clock.advance("1s")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).status == 409
    sim.clock.advance("1s")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).ok
    sim.presence.join(ROOM, USER)
    sim.presence.leave(ROOM, people[USER])
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).status == 409


@pytest.mark.rule("R397")
def test_the_proxy_may_be_409_so_many_times():
    """Asked for three times in vain, the fourth request gets the address."""
    sim = demo(duration__placement="manual(3)")
    assert [sim.call("get_streaming_proxy", USER, uuid=ROOM).status for _ in range(5)] == [409, 409, 409, 200, 200]


def test_joining_places_the_channel(people):
    """Somebody who is inside proves that the channel is there."""
    sim = demo(duration__placement="manual(9)")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).status == 409
    sim.presence.join(ROOM, USER)
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).ok


def test_creation_may_begin_with_the_channel():
    """By assumption, a channel is being created from its making on, and never again."""
    sim = demo(duration__placement="time(2)", streaming__being_created="channel-creation")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).ok
    made = sim.call("create_channel", OWNER, body={"name": "Fresh"}).body["channelUuid"]
    assert sim.call("get_streaming_proxy", OWNER, uuid=made).status == 409
    sim.clock.advance("2s")
    assert sim.call("get_streaming_proxy", OWNER, uuid=made).ok
    sim = demo(duration__placement="manual(1)", streaming__being_created="channel-creation")
    assert [sim.call("get_streaming_proxy", USER, uuid=ROOM).status for _ in range(2)] == [409, 200]
    sim.call("end_session", OWNER, uuid=ROOM, sessionId=sim.presence.join(ROOM, USER).session)
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).ok


@pytest.mark.parametrize(("choice", "placing", "idle"), [("address", 200, 200), ("409", 409, 200), ("404", 404, 404)])
def test_data_channels_of_a_channel_that_is_not_placed(choice, placing, idle):
    """The address is there all the same, or not while the channel is being created, or not without a session."""
    sim = demo(duration__placement="time(2)", data__while_created=choice)
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="chat").status == idle
    sim.call("get_streaming_proxy", USER, uuid=ROOM)
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="chat").status == placing


def test_asking_for_the_proxy_may_join():
    """By assumption, asking for the address is coming in."""
    sim = demo(presence__joining="proxyfor")
    sim.call("get_streaming_proxy", USER, uuid=ROOM)
    assert set(states(sim).values()) == {"in"}


@pytest.mark.parametrize("operation", ["get_turn_credentials", "get_streaming_proxy", "get_data_channel"])
def test_addresses_are_for_those_with_access(sim, operation):
    """Users of the client, the channel's guests and API tokens get them; not who cannot see a private channel."""
    path = {"kind": "chat"} if operation == "get_data_channel" else {}
    for caller in CALLERS:
        assert sim.call(operation, caller, uuid=ROOM, **path).ok
    assert sim.call(operation, GUEST, uuid=EVENT_ROOM, **path).status == 403
    sim.change_record("channel", ROOM, private=True)
    assert sim.call(operation, USER, uuid=ROOM, **path).status == 403
    assert sim.call(operation, OWNER, uuid=ROOM, **path).ok


@pytest.mark.rule("R540")
@pytest.mark.parametrize(
    ("operation", "path"),
    [
        ("get_streaming_proxy", {"uuid": ROOM}),
        ("get_data_channel", {"uuid": ROOM, "kind": "chat"}),
        ("get_turn_credentials", {"uuid": ROOM}),
        ("get_populations", {"channelIds": ROOM}),
        ("list_active_channels", {}),
        ("get_active_breakout_session", {"uuid": EVENT_ROOM}),
        ("set_presenters_limit", {"uuid": ROOM, "limit": 1}),
        ("remove_presenters_limit", {"uuid": ROOM}),
        *((operation, {"uuid": ROOM, "state": next(iter(words))}) for operation, words, _, _ in SWITCHES),
    ],
)
def test_a_disabled_service_runs_nothing(sim, operation, path):
    """Every call of the running of a channel is a 403 while the client's service is disabled."""
    sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    answer = sim.call(operation, ABLE.get(operation, OWNER), **path)
    assert code(answer) == (403, "service_disabled")
