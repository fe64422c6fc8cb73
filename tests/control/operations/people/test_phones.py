"""Phones over the control plane and at the Simulator."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from kit import ADMIN, OWNER, ROOM, START, USER

LINE, EXCLUSIVE, PHONE = "+12025550123", "+442079460123", "+12025550147"


def prepared(profile=None):
    """The demo world with telephony on in its room and both numbers leading there, and the routing code."""
    sim = Simulator(clock=START, profile=profile)
    for way in ("in", "out"):
        sim.call(f"set_dial_{way}_state", ADMIN, uuid=ROOM, state="enable")
    sim.call("assign_exclusive_dial_number", OWNER, uuid=ROOM, number=EXCLUSIVE)
    return sim, sim.call("assign_dial_number", OWNER, uuid=ROOM, number=LINE).body["code"]


@pytest.fixture
def world():
    """The prepared world, where phones ring until the control plane answers, with the routing code."""
    return prepared({"duration.call-answered": "manual(1)"})


@pytest.fixture
def sim(world):
    """The world alone."""
    return world[0]


def dial(sim):
    """Let the room call somebody; answers the user id."""
    return sim.call("dial_unregistered_user", OWNER, uuid=ROOM, body={"number": PHONE, "name": "Bob"}).body["id"]


def test_a_phone_dials_in_by_code_meeting_id_or_exclusive_number(sim, plane, world):
    """A new user of the caller's number is in the channel."""
    meeting = sim.call("get_channel", OWNER, uuid=ROOM).body["meetingId"]
    ways = [
        {"number": LINE, "code": world[1]},
        {"number": LINE[1:], "meetingId": meeting},
        {"number": EXCLUSIVE, "caller": "+12025550199"},
    ]
    for way in ways:
        status, body = plane("POST", "/calls/dial-in", way)
        assert (status, body["state"]) == (200, "in")
    last = sim.call("get_users", OWNER, userIds=[body["userId"]]).body[0]
    assert (last["handle"], last["kind"], last["unregistered"]) == ("+12025550199", "DialIn", True)
    assert len(sim.presence(ROOM)) == 3


@pytest.mark.rule("R324", "R479")
def test_pins_and_the_lobby(sim, plane):
    """With PINs one is needed; its caller waits at the closed door, an organizer's starts the meeting."""
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    for pin, organizer in (("1", False), ("2", True)):
        sim.call("add_dial_pin", OWNER, uuid=ROOM, body={"pin": pin, "organizer": organizer})
    for pin in (None, "3"):
        status, body = plane("POST", "/calls/dial-in", {"number": EXCLUSIVE, "pin": pin})
        assert (status, body["reason"]) == (409, "pin_wrong")
    assert plane("POST", "/calls/dial-in", {"number": EXCLUSIVE, "pin": "1"})[1]["state"] == "waiting"
    assert sim.call("list_sessions", OWNER, channel=ROOM).body["total"] == 0
    assert plane("POST", "/calls/dial-in", {"number": EXCLUSIVE, "pin": "2"})[1]["state"] == "in"
    assert sim.call("list_sessions", OWNER, channel=ROOM).body["total"] == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"number": "+15550100"}, 404),
        ({"number": LINE}, 404),
        ({"number": LINE, "code": "0"}, 404),
        ({"number": LINE, "meetingId": "0"}, 404),
        ({"number": "x"}, 400),
        ({"code": "0"}, 400),
        ({"number": EXCLUSIVE, "who": "x"}, 400),
    ],
)
def test_calls_that_lead_nowhere(sim, plane, body, status):
    """Unknown numbers and codes are not found, bodies that cannot be read invalid; nobody is made."""
    before = sim.service.world
    assert plane("POST", "/calls/dial-in", body)[0] == status
    assert sim.service.world is before


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda sim: sim.call("set_dial_in_state", ADMIN, uuid=ROOM, state="disable"), "dial_in_off"),
        (lambda sim: sim.change_record("channel", ROOM, maxUsers=0), "channel_full"),
    ],
)
def test_rules_of_the_channel_are_reported(sim, plane, spoil, reason):
    """409 with the reason, and no trace."""
    spoil(sim)
    before = sim.service.world
    status, body = plane("POST", "/calls/dial-in", {"number": EXCLUSIVE})
    assert (status, body["reason"]) == (409, reason)
    assert sim.service.world is before


@pytest.mark.parametrize(
    ("move", "state", "inside"),
    [("answer", "answered", 1), ("busy", "busy", 0), ("fail", "failed", 0), ("hangup", "ended", 0)],
)
def test_what_a_ringing_phone_does(sim, plane, move, state, inside):
    """The state is answered; who answers is in the channel; the same again does not go."""
    user = dial(sim)
    assert (sim.calls()[0].state, sim.presence(ROOM)) == ("ringing", [])
    assert plane("POST", f"/calls/{move}", {"userId": user}) == (200, {"state": state})
    assert len(sim.presence(ROOM)) == inside
    status, body = plane("POST", f"/calls/{move}", {"userId": user})
    assert (status, body["reason"]) == (409, "call_stands")


@pytest.mark.parametrize("move", ["answer", "busy", "fail", "hangup"])
def test_who_is_in_no_call(sim, plane, people, move):
    """A user without a call, and one whom nobody knows."""
    for user in (people[USER], 99999):
        assert plane("POST", f"/calls/{move}", {"userId": user})[0] == 404


def test_a_caller_hangs_up(sim, plane):
    """The user leaves the channel."""
    user = plane("POST", "/calls/dial-in", {"number": EXCLUSIVE})[1]["userId"]
    assert plane("POST", "/calls/hangup", {"userId": user}) == (200, {"state": "ended"})
    assert sim.presence(ROOM) == []


def test_an_answer_can_be_refused_by_the_channel(sim, plane):
    """A full channel takes no callee; the phone rings on."""
    user = dial(sim)
    sim.change_record("channel", ROOM, maxUsers=0)
    assert plane("POST", "/calls/answer", {"userId": user})[0] == 409
    assert sim.calls()[0].state == "ringing"


def test_calls_are_listed(sim, plane, people):
    """Newest first, with what the phone is sent."""
    number = f"{PHONE},1"
    sim.call("dial_registered_user", OWNER, uuid=ROOM, body={"number": number, "sipUserId": people[USER]})
    sim.calls.answer(people[USER])
    caller = sim.calls.dial_in(EXCLUSIVE, caller="Ann").userId
    sim.clock.advance("2s")
    status, (inbound, outbound) = plane("GET", "/calls")
    assert (status, inbound["userId"], inbound["inbound"], inbound["number"]) == (200, caller, True, "Ann")
    assert (outbound["number"], outbound["dtmf"], outbound["state"]) == (PHONE, ",1", "answered")
    assert outbound["tones"] == [{"at": outbound["connected"] + 2000, "tone": "1"}]


def test_the_simulator_has_phones(sim):
    """The same operations as methods; what cannot be is a Misuse."""
    states = []
    for move in (sim.calls.answer, sim.calls.busy, sim.calls.fail, sim.calls.hang_up):
        states.append(move(dial(sim)))
    assert states == ["answered", "busy", "failed", "ended"]
    with pytest.raises(Misuse) as caught:
        sim.calls.dial_in("+1555")
    assert caught.value.status == 404


def test_a_call_survives_export_and_import(sim):
    """A world with calls, PINs and numbers is the same when it comes back."""
    sim.call("add_dial_pin", OWNER, uuid=ROOM, body={"pin": "1"})
    dial(sim)
    state = sim.state
    sim.state = state
    assert sim.state == state
    assert sim.calls.hang_up(sim.calls()[0].userId) == "ended"
