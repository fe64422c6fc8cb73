from __future__ import annotations

import pytest

from confsim import Simulator
from kit import ADMIN, API_TOKEN, GUEST, OPERATOR, OTHER_ADMIN, OWNER, ROOM, USER


def add(sim, pin="0042", caller=OWNER, **more):
    """Set a PIN."""
    return sim.call("add_dial_pin", caller, uuid=ROOM, body={"pin": pin, **more})


def listed(sim, caller=OWNER):
    """The PINs as the caller sees them."""
    return sim.call("list_dial_pins", caller, uuid=ROOM)


@pytest.mark.rule("R323", "R324", "R479")
def test_pins_are_set_listed_and_deleted(sim):
    """None at first; each with pin and organizer, false by default; deleted one by one."""
    assert listed(sim).body == []
    answer = add(sim)
    assert (answer.status, answer.content) == (200, b"")
    add(sim, "7", organizer=True)
    assert listed(sim).body == [{"pin": "0042", "organizer": False}, {"pin": "7", "organizer": True}]
    for pin in ("0042", "7"):
        assert sim.call("delete_dial_pin", OWNER, uuid=ROOM, pin=pin).status == 200
    assert listed(sim).body == []


@pytest.mark.rule("R319")
def test_who_sees_the_pins(sim):
    """Hosts and API tokens see all; others those of participants once publicPIN is true, and before that none."""
    add(sim, "1")
    add(sim, "2", organizer=True)
    for caller in (OWNER, OPERATOR, API_TOKEN):
        assert [each["pin"] for each in listed(sim, caller).body] == ["1", "2"]
    for caller in (USER, GUEST, ADMIN):
        assert (listed(sim, caller).status, listed(sim, caller).body["code"]) == (403, "pins_hidden")
    sim.change_record("channel", ROOM, publicPIN=True)
    for caller in (USER, GUEST, ADMIN):
        assert [each["pin"] for each in listed(sim, caller).body] == ["1"]


@pytest.mark.parametrize("operation", ["add_dial_pin", "delete_dial_pin"])
def test_who_changes_the_pins(sim, operation):
    """Hosts and API tokens; nobody else."""
    arguments = {"body": {"pin": "1"}} if operation == "add_dial_pin" else {"pin": "1"}
    add(sim, "1")
    for caller in (USER, GUEST, ADMIN):
        answer = sim.call(operation, caller, uuid=ROOM, **arguments)
        assert (answer.status, answer.body["code"]) == (403, "role_missing")
    for caller in (OWNER, OPERATOR, API_TOKEN):
        add(sim, "1")
        assert sim.call(operation, caller, uuid=ROOM, **arguments).status == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"pin": "12a"}, "pin_malformed"),
        ({"pin": ""}, "pin_malformed"),
        ({"pin": "1" * 17}, "pin_malformed"),
        ({"pin": 42}, "invalid_input"),
        ({"organizer": True}, "invalid_input"),
        ({"pin": "1", "organizer": "yes"}, "invalid_input"),
    ],
)
def test_what_is_no_pin(sim, body, code):
    """Anything but 1 to 16 digits as text, and an organizer that is neither true nor false."""
    answer = sim.call("add_dial_pin", OWNER, uuid=ROOM, body=body)
    assert (answer.status, answer.body["code"]) == (400, code)


def test_what_is_not_there(sim):
    """A PIN that the channel has not, and a channel of another client."""
    assert sim.call("delete_dial_pin", OWNER, uuid=ROOM, pin="1").status == 404
    for operation, arguments in [
        ("list_dial_pins", {}),
        ("add_dial_pin", {"body": {"pin": "1"}}),
        ("delete_dial_pin", {"pin": "1"}),
    ]:
        assert sim.call(operation, OTHER_ADMIN, uuid=ROOM, **arguments).status == 404


def test_the_same_pin_changes_whom_it_is_for(sim):
    """It stays one PIN."""
    add(sim, "1")
    add(sim, "1", organizer=True)
    assert listed(sim).body == [{"pin": "1", "organizer": True}]
    add(sim, "1", organizer=None)  # as if absent, which is false (G071)
    assert listed(sim).body == [{"pin": "1", "organizer": False}]


def test_pins_by_profile():
    """As a page; refused when taken; refused while dial-in is off."""
    sim = Simulator(profile={"pins.container": "page", "pins.several": "refuse"})
    add(sim, "1")
    assert listed(sim).body == {"total": 1, "results": [{"pin": "1", "organizer": False}]}
    assert (add(sim, "1").status, add(sim, "1").body["code"]) == (409, "pin_taken")
    sim = Simulator(profile={"dial-in.while-off": "everything"})
    assert (add(sim).status, add(sim).body["code"]) == (403, "dial_in_off")
