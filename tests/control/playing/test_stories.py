"""Scenarios that are played in a world."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from confsim.arazzo import library
from kit import START


def test_scenarios_are_listed_with_their_steps():
    """Every shipped one, in the order of the library."""
    found = Simulator().control("list_scenarios")
    assert [each.name for each in found] == list(library.SHIPPED)
    assert all(each.title and each.summary and each.steps for each in found)
    lobby = next(each for each in found if each.name == "lobby")
    assert [each.called for each in lobby.steps][:3] == ["get_me", "get_me", "set_lobby_door"]


@pytest.mark.parametrize("name", ["lobby", "handle-reservation", "onboarding-a-tenant"])
def test_a_scenario_is_played_in_the_world(name):
    """Its calls are in the journal, each with the step that made it."""
    sim = Simulator(clock=START)
    played = sim.control("play_scenario", scenario=name)
    assert played.passed
    assert all(each.passed and not each.problem for each in played.steps)
    entries = [each.entry for each in played.steps if each.entry]
    assert entries == [each.id for each in sim.requests]
    other = Simulator(clock=START, scenario=name)
    assert played.outputs == other.control("get_info").outputs


def test_a_step_that_fails_ends_the_scenario():
    """What was not as expected is told; the calls so far stay."""
    sim = Simulator(clock=START)
    sim.faults.add("set_lobby_door", do={"status": 503})
    played = sim.control("play_scenario", scenario="lobby")
    last = played.steps[-1]
    assert (played.passed, last.step, last.status, last.passed) == (False, "close-door", 503, False)
    assert "$statusCode == 200" in last.problem
    assert sim.requests[-1].id == last.entry


def test_the_content_of_a_scenario_is_played_with_inputs():
    """As a document in the body."""
    sim = Simulator(clock=START)
    document = library.values_of("lobby")
    assert sim.control("play_scenario", scenario=document, inputs={"owner": "demo-owner"}).passed


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"scenario": "loby"}, 404),
        ({"scenario": "/etc/passwd"}, 404),
        ({"scenario": {"arazzo": "1.0.1"}}, 400),
        ({"scenario": 7}, 400),
        ({"scenario": "lobby", "inputs": []}, 400),
    ],
)
def test_what_is_no_scenario_is_refused(body, status):
    """An unknown name, a file of the server, a document that is not valid."""
    sim = Simulator()
    with pytest.raises(Misuse) as refused:
        sim.control("play_scenario", **body)
    assert refused.value.status == status
    assert len(sim.requests) == 0
