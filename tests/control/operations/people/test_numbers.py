"""Inbound numbers made outside the API: by the control plane and by world files."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from kit import CUSTOMER, OTHER, OTHER_ADMIN


def test_a_number_is_made(sim, plane):
    """It is answered as +E164 and listed with its country; with its code and on the default list where asked."""
    assert plane("POST", "/numbers", {"clientId": OTHER, "number": "4930123456"}) == (200, {"number": "+4930123456"})
    body = {"clientId": OTHER, "number": "+999123", "code": "xx", "isDefault": True}
    assert plane("POST", "/numbers", body) == (200, {"number": "+999123"})
    assert sim.call("list_inbound_numbers", OTHER_ADMIN).body == [
        {"number": "+4930123456", "code": "DE"},
        {"number": "+999123", "code": "XX", "isDefault": True},
    ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"number": "+12025550123"}, 409),
        ({"number": "+4930123456", "clientId": CUSTOMER[::-1]}, 404),
        ({"number": "x"}, 400),
        ({"number": "+999123"}, 400),
        ({"number": "+4930123456", "code": "Germany"}, 400),
        ({"number": "+4930123456", "kind": "x"}, 400),
        ({}, 400),
    ],
)
def test_what_makes_no_number(sim, plane, body, status):
    """A number that a client has, an unknown client, no number, no country, an unknown field."""
    before = sim.service.world
    assert plane("POST", "/numbers", {"clientId": OTHER, **body})[0] == status
    assert sim.service.world is before


def test_the_simulator_makes_numbers(sim):
    """By the same operation."""
    made = sim.make_number(CUSTOMER, "33123456789", isDefault=True)
    assert made == "+33123456789"
    with pytest.raises(Misuse, match="already"):
        sim.make_number(OTHER, made)


def world(**number):
    """A world file with one client and one number."""
    return {"version": 1, "at": "2026-01-01T00:00:00Z", "clients": [{"name": "C", "numbers": [number]}]}


def test_a_world_file_has_numbers():
    """Enabled or not, default or not; a disabled one is not listed until it is enabled."""
    file = world(number="+33123456789", enabled=False, isDefault=True)
    file["clients"][0]["apiTokens"] = [{"token": "t"}]
    sim = Simulator(file)
    assert sim.call("list_inbound_numbers", "t").body == []
    sim.call("set_inbound_number_state", "t", number="+33123456789", state="enable")
    assert sim.call("list_inbound_numbers", "t").body == [{"number": "+33123456789", "code": "FR", "isDefault": True}]


@pytest.mark.parametrize("number", [{"number": "x"}, {"number": "+999123"}, {"number": "+33123456789", "code": "?"}])
def test_numbers_of_a_world_file_are_checked(number):
    """What is no number, or has no country, is a Misuse."""
    with pytest.raises(Misuse):
        Simulator(world(**number))
