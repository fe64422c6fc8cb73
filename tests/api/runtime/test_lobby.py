"""The lobby of a channel."""

from __future__ import annotations

import pytest

from kit import GUEST, OPERATOR, OWNER, ROOM, USER, demo
from kit.things.runtime import settings, states

# The lobby


@pytest.mark.rule("R339", "R340")
def test_the_door_lets_in_or_makes_wait(sim, people):
    """Everyone joins through an open door; at a closed one users wait for an invitation, hosts do not."""
    assert sim.presence.join(ROOM, USER).state == "in"
    sim.call("set_lobby_door", OPERATOR, uuid=ROOM, state="close")
    assert sim.presence.join(ROOM, GUEST).state == "waiting"
    assert sim.presence.join(ROOM, OPERATOR).state == "in"
    assert sim.presence.join(ROOM, OWNER).state == "in"
    assert sim.presence.admit(ROOM, people[GUEST]) == "in"


@pytest.mark.rule("R341")
def test_closing_the_door_removes_nobody(sim, people):
    """Those inside stay, and the session goes on."""
    session = sim.presence.join(ROOM, USER).session
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    assert states(sim) == {people[USER]: "in"}
    assert "ended" not in sim.call("get_session", OWNER, sessionId=session).body


@pytest.mark.rule("R339")
@pytest.mark.parametrize(("choice", "state"), [("admit", "in"), ("wait", "waiting")])
def test_who_waits_comes_in_when_the_door_opens(choice, state):
    """Opening admits everybody who waits, or by assumption nobody."""
    sim = demo(lobby__on_open=choice)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.join(ROOM, USER)
    sim.presence.join(ROOM, GUEST)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="open")
    assert set(states(sim).values()) == {state}


def test_closing_may_send_attendees_to_the_lobby(people):
    """By assumption, those inside who are no hosts go back to the lobby."""
    sim = demo(lobby__on_close="lobby")
    for token in (OWNER, USER):
        sim.presence.join(ROOM, token)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    assert states(sim) == {people[OWNER]: "in", people[USER]: "waiting"}
    sim.presence.leave(ROOM, people[OWNER])
    assert sim.call("get_populations", OWNER, channelIds=ROOM).body == {}


@pytest.mark.parametrize(("choice", "state"), [("hosts-and-readmitted", "in"), ("hosts", "waiting")])
def test_who_was_inside_comes_back_through_a_closed_door(people, choice, state):
    """In the same session a user who was inside passes again, or by assumption waits like any other."""
    sim = demo(lobby__passes=choice)
    for token in (OWNER, USER):
        sim.presence.join(ROOM, token)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.leave(ROOM, people[USER])
    assert sim.presence.join(ROOM, USER).state == state


@pytest.mark.rule("R342", "R343", "R344")
def test_the_door_closes_whenever_the_channel_becomes_empty(sim, people):
    """With auto-close it closes each time the last user leaves, and no sooner; without it, it stays."""
    sim.call("set_lobby_auto_close", OWNER, uuid=ROOM, state="enable")
    assert settings(sim)["open"] is True
    for _ in range(2):
        for token in (OWNER, USER):
            sim.presence.join(ROOM, token)
        sim.presence.leave(ROOM, people[OWNER])
        assert settings(sim)["open"] is True
        sim.presence.leave(ROOM, people[USER])
        assert settings(sim)["open"] is False
        sim.call("set_lobby_door", OWNER, uuid=ROOM, state="open")
    sim.call("set_lobby_auto_close", OWNER, uuid=ROOM, state="disable")
    sim.presence.join(ROOM, USER)
    sim.presence.leave(ROOM, people[USER])
    assert settings(sim)["open"] is True


@pytest.mark.rule("R342")
def test_ending_the_session_empties_the_channel(sim):
    """Auto-close closes the door too when everybody is disconnected at once."""
    sim.call("set_lobby_auto_close", OWNER, uuid=ROOM, state="enable")
    sim.presence.join(ROOM, USER)
    sim.call("end_active_session", OWNER, uuid=ROOM)
    assert settings(sim)["open"] is False


def test_auto_close_may_close_an_empty_channel_at_once():
    """By assumption, enabling auto-close on an empty channel closes the door."""
    sim = demo(lobby__auto_close_when_empty=True)
    sim.call("set_lobby_auto_close", OWNER, uuid=ROOM, state="enable")
    assert settings(sim)["open"] is False


@pytest.mark.rule("R346", "R347")
@pytest.mark.parametrize(("choice", "muted"), [("all-but-hosts", True), ("all-but-presenters", False)])
def test_the_lock_mutes_attendees(people, choice, muted):
    """Anyone who is no host is muted, also who comes later; presenters may be spared. Unmuting ends it."""
    sim = demo(attendees__locked=choice)
    sim.presence.join(ROOM, OWNER)
    sim.call("set_attendees_state", OPERATOR, uuid=ROOM, state="mute")
    sim.presence.join(ROOM, USER)
    sim.presence.present(ROOM, people[USER])
    assert {each.userId: each.muted for each in sim.presence(ROOM)} == {people[OWNER]: False, people[USER]: muted}
    sim.call("set_attendees_state", OPERATOR, uuid=ROOM, state="unmute")
    assert not any(each.muted for each in sim.presence(ROOM))
