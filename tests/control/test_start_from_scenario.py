"""Worlds that start from what a scenario leads to: in Python, over HTTP, on the command line, in pytest."""

from __future__ import annotations

import json
from concurrent.futures import Future
from datetime import timedelta
from urllib.request import urlopen

import pytest
import time_machine

from confsim import Simulator
from confsim.arazzo import library
from confsim.control import scenarios, world_sources
from confsim.control.context import ControlContext
from confsim.control.operations.worlds import make_world
from confsim.control.world_sources import MakeWorld
from confsim.kernel.refusal import Misuse
from kit import CUSTOMER, START
from kit.processes.commands import run_pytest, serving

pytest_plugins = ["pytester"]

NOON = 1772366400000  # 2026-03-01T12:00:00Z


@pytest.mark.parametrize("name", library.SHIPPED)
def test_a_world_starts_from_any_scenario(name):
    """Its outputs are at hand, its journal is empty, and only what it was built on is used."""
    sim = Simulator(clock=START, scenario=name)
    assert sim.outputs
    assert len(sim.requests) == 0
    assert sim.assumptions_used == sorted(sim.service.start_assumptions)


def test_what_the_scenario_made_can_be_used():
    """Tokens and ids among the outputs are good."""
    sim = Simulator(clock=START, scenario="onboarding-a-tenant")
    answer = sim.call("get_me", sim.outputs["administratorToken"])
    assert (answer.status, answer.body["clientId"]) == (200, sim.outputs["client"])


def test_a_reset_comes_back_to_the_end_of_the_scenario():
    """World and instant, not those before it."""
    sim = Simulator(clock=START, scenario="single-sign-on")
    after, now = sim.service.world.digest(), sim.clock.now
    assert sim.call("set_user_full_name", "demo-user", userId="me", body={"fullName": "Somebody"}).ok
    sim.clock.advance("3d")
    sim.reset()
    assert (sim.service.world.digest(), sim.clock.now) == (after, now)
    assert now == NOON - (3_600_000 * 2 - 5 * 60_000)
    assert sim.call("get_me", sim.outputs["token"]).status == 200


def test_a_running_clock_runs_on():
    """It goes on from where the scenario set it, and a reset brings it back there."""
    sim = Simulator(scenario="single-sign-on")
    assert not sim.clock.frozen
    assert abs(sim.clock.now - (NOON - 6_900_000)) < 60_000
    sim.clock.advance("3d")
    sim.reset()
    assert abs(sim.clock.now - (NOON - 6_900_000)) < 60_000


def test_forks_have_the_outputs_too():
    """And go their own way."""
    sim = Simulator(clock=START, scenario="lobby")
    assert sim.fork().outputs == sim.outputs
    assert Simulator().outputs == {}


def test_seed_and_profile_hold_for_the_scenario():
    """Ids are those of the seed; the same seed gives the same world."""
    one, same, other = (Simulator(clock=START, seed=seed, scenario="lobby") for seed in (1, 1, 2))
    assert one.service.world.digest() == same.service.world.digest() != other.service.world.digest()
    moved = Simulator(clock=START, profile={"auth.presentation": ["X-Token: {token}"]}, scenario="lobby")
    assert moved.outputs == one.outputs


@pytest.mark.parametrize("name", library.SHIPPED)
def test_a_profile_may_tell_successes_otherwise(name):
    """What a scenario expects as 200 is what the profile answers instead: 204 without a body, 201 for what is made."""
    under = Simulator(clock=START, profile={"encode": {"empty": "204"}, "status": {"created": 201}}, scenario=name)
    assert under.outputs.keys() == Simulator(clock=START, scenario=name).outputs.keys()


def test_a_scenario_that_fails_is_misuse():
    """With the step, as on the command line."""
    with pytest.raises(Misuse, match=r"(?s)'phones'.*step 'calls' of workflow 'dial-out'.*criterion.*request.*answer"):
        Simulator(clock=START, profile={"duration.call-answered": "manual(1)"}, scenario="phones")


def test_an_unknown_scenario_is_misuse():
    """With the names of those there are."""
    with pytest.raises(Misuse, match=r"no scenario 'lobbi'.*lobby"):
        Simulator(scenario="lobbi")


# Over HTTP


def test_a_world_of_a_server_starts_from_a_scenario(sim):
    """By its name; the outputs are in the answer and in /info, and the other worlds are as before."""
    sim.service.clock.freeze()
    before = sim.service.world
    with sim.serve() as server:
        body = json.dumps({"name": "w1", "from": "lobby", "seed": 7}).encode()
        with urlopen(f"{server.root}/_confsim/worlds", body) as answer:
            made = json.load(answer)
        with urlopen(f"{made['root']}/_confsim/info") as answer:
            info = json.load(answer)
    assert made["outputs"] == info["outputs"] == Simulator(clock=START, scenario="lobby").outputs
    assert (info["world"], info["seed"]) == ("demo", 7)
    assert sim.service.world is before


def test_a_scenario_is_run_once_for_worlds_that_are_alike(sim, monkeypatch):
    """Those of one start, at one instant; each is as if the scenario had been run for it, and goes on by itself."""
    alone = Simulator(clock=START, scenario="handle-reservation").service
    ran, run = [], scenarios.start_from
    monkeypatch.setattr(scenarios, "start_from", lambda *text, **more: (ran.append(text[0]), run(*text, **more)))
    worlds = [sim.worlds.add(f"w{number}", "handle-reservation") for number in range(3)]
    worlds[0].call("create_channel", "demo-owner", body={"name": "Room"})
    worlds.append(sim.worlds.add("w3", "handle-reservation"))
    assert ran == ["handle-reservation"]
    for each in worlds[1:]:
        assert each.service.world.digest() == alone.world.digest()
        assert (each.outputs, each.clock.now) == (alone.provenance.outputs, alone.clock.now())
        each.call("create_channel", "demo-owner", body={"name": "Room"})
        each.reset()
        assert each.service.world.digest() == alone.world.digest()
    for other in ({"seed": 3}, {"profile": {"errors": {"body": "nested"}}}):
        sim.worlds.add(f"o{len(ran)}", "handle-reservation", **other)
    assert len(ran) == 3


def test_what_is_set_meanwhile_holds_for_worlds_after_a_scenario_too(sim):
    """As for those that are made from anything else: how much of the journal is stored, and who may bring faults."""
    sim.worlds.add("before", "handle-reservation")
    sim.requests.most, sim.faults.by_request = 7, False
    for source in ("handle-reservation", "demo", "handle-reservation"):
        made = sim.worlds.add(f"w{len(sim.worlds)}", source)
        assert (made.requests.most, made.faults.by_request) == (7, False)


def test_a_scenario_from_a_file_is_run_once_too(sim, monkeypatch):
    """It is known by its content, whatever the order of its fields; of many such runs the oldest are forgotten."""
    ran, run = [], scenarios.start_from
    monkeypatch.setattr(scenarios, "start_from", lambda *text, **more: (ran.append(text[0]), run(*text, **more)))
    file = library.values_of("lobby")
    made = [sim.worlds.add("w1", file), sim.worlds.add("w2", dict(reversed(file.items())))]
    assert made[0].service.world.digest() == made[1].service.world.digest()
    assert (len(ran), made[0].outputs) == (1, made[1].outputs)
    monkeypatch.setattr(world_sources, "RUNS", 1)
    for name, source in (("w3", {**file, "info": {**file["info"], "title": "Another"}}), ("w4", file)):
        sim.worlds.add(name, source)
    assert len(ran) == 3


def test_a_scenario_is_run_again_when_time_has_gone_on(sim, monkeypatch):
    """A world is never older than a second; and one whose scenario left faults or snapshots is its own."""
    ran, run = [], scenarios.start_from
    monkeypatch.setattr(scenarios, "start_from", lambda *text, **more: (ran.append(text[0]), run(*text, **more)))
    with time_machine.travel(START, tick=False) as machine:
        running = Simulator()
        for number, (later, runs) in enumerate([(0, 1), (999, 1), (1, 2), (0, 2), (-5, 3)]):
            machine.shift(timedelta(milliseconds=later))
            made = running.worlds.add(f"w{number}", "lobby")
            assert len(ran) == runs
            assert 0 <= running.clock.now - made.clock.now < 1000
    monkeypatch.setattr(scenarios, "start_from", lambda name, control, **more: control.service.history.take("saved"))
    for number in range(2):
        assert list(sim.worlds.add(f"s{number}", "phones").snapshots) == ["saved"]


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        ([("wait", {"for": {"mail": {"to": "x"}}, "timeout": "20s"})], 409),
        ([("wait", {"for": {"state": {"table": "clients"}}, "timeout": "20s"})], 200),
        ([("put_faults", [{"operation": "get_client_terms", "do": {"real": "20s"}}]), ("get_client_terms", None)], 200),
    ],
)
def test_a_server_waits_for_no_scenario(sim, monkeypatch, steps, status):
    """Others want to be answered: what is there is seen, what is not is an error at once, what is slow is not."""
    text = [
        {"stepId": f"s{place}", "operationId": name}
        | ({"parameters": [{"name": "clientId", "in": "path", "value": CUSTOMER}]} if body is None else {})
        | ({} if body is None else {"requestBody": {"contentType": "application/json", "payload": body}})
        for place, (name, body) in enumerate(steps)
    ]
    document = {
        "arazzo": "1.0.1",
        "info": {"title": "Slow", "version": "1"},
        "sourceDescriptions": [
            {"name": "api", "url": "/openapi.json", "type": "openapi"},
            {"name": "control", "url": "/_confsim/openapi.json", "type": "openapi"},
        ],
        "workflows": [{"workflowId": "w", "steps": text}],
    }
    plain = Future.result
    monkeypatch.setattr(Future, "result", lambda self: plain(self) if self.done() else pytest.fail("it waits"))
    answer = sim.client().post("/_confsim/worlds", json={"name": "w1", "from": document})
    assert answer.status_code == status, answer.json
    assert ("w1" in list(sim.worlds)) is (status == 200)


@pytest.mark.parametrize(
    ("source", "reported"),
    [
        ("no-such", "there are .*lobby"),
        ("../lobby", "did you mean 'lobby'"),
        ("scenarios/lobby.arazzo.json", "there are .*lobby"),
    ],
)
def test_the_server_reads_no_files(sim, source, reported):
    """Only scenarios that ship can be named; the error says which is near, or lists them."""
    with pytest.raises(Misuse, match=f"neither a world nor a scenario; {reported}") as caught:
        make_world(ControlContext(sim.service, sim._all()), MakeWorld(name="w1", from_=source))
    assert caught.value.status == 404


def test_serving_a_scenario():
    """The greeting prints the outputs."""
    with serving("--scenario", "lobby", "--clock", START) as served:
        lines = served.greeting.splitlines()
    assert [line.split() for line in lines if line.startswith(("  user ", "  owner "))] == [
        ["user", "1004"],
        ["owner", "1002"],
    ]


# In pytest

MARKED = """
    import pytest

    @pytest.mark.confsim(scenario="onboarding-a-tenant")
    def test_marked(confsim, confsim_server, make_confsim):
        for sim in (confsim, confsim_server.simulator, make_confsim()):
            assert sim.call("list_users", sim.outputs["apiToken"]).status == 200
            assert len(sim.requests) == 1

    def test_made(make_confsim):
        sim = make_confsim(scenario="single-sign-on", clock="2026-02-01T00:00:00Z", strict=True)
        assert sim.clock.frozen
        assert sim.call("get_me", sim.outputs["token"]).status == 200

    @pytest.mark.parametrize("turn", [1, 2])
    @pytest.mark.confsim(scenario="lobby")
    def test_each_has_its_own(confsim, turn):
        assert confsim.call("create_channel", "demo-owner", body={"name": "Mine"}).status == 200

    def test_without(confsim):
        assert confsim.outputs == {}
"""


def test_the_marker_and_the_maker(pytester):
    """Each test gets a world of its own, as it is after the scenario."""
    pytester.makepyfile(MARKED)
    result = run_pytest()
    result.assert_outcomes(passed=5)
