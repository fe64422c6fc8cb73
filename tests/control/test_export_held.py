"""Exports of a journal in which calls were held: who runs them holds none, and gets what was done."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from confsim import Simulator
from confsim.control.scenarios import compile_scenario, run_scenario
from kit import OWNER, START
from kit.processes.commands import run_pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.own_ways


@pytest.fixture
def sim():
    """A world with one room for each thing that can become of a held call."""
    sim = Simulator(clock=START)
    with ThreadPoolExecutor() as pool:
        for when in ("before", "after"):
            for action in ("release", "drop", "change"):
                sim.faults.add("create_channel", do={"hold": when, "headers": {"X-Held": when}})
                body = {"name": f"{action} {when}"}
                answer = pool.submit(sim.call, "create_channel", OWNER, body=body)
                held = sim.faults.wait_for_held()
                held.change({"status": 503}) if action == "change" else getattr(held, action)()
                answer.exception(5)
    return sim


def rooms(sim):
    """The names of rooms whose calls were held."""
    found = sim.call("list_channels", OWNER).body["results"]
    return sorted(each["name"] for each in found if each["name"].endswith(("before", "after")))


def test_a_scenario_leads_to_the_same_world(sim):
    """What no step can express is said, and the state set."""
    assert rooms(sim) == ["change after", "drop after", "release after", "release before"]
    document = json.loads(sim.requests.export("scenario"))
    copy = Simulator()
    report = run_scenario(compile_scenario(document, {}), copy.control.context)
    assert report.failure is None, report.failure.details()
    assert rooms(copy) == rooms(sim)
    assert copy.faults.held == []
    assert [call.partition(" ")[0] for call in report.left_out] == ["r2", "r3", "r5", "r6"]


def test_a_test_does_what_was_done(sim, pytester):
    """On one thread: calls that never ran are not made, and no answer that was changed is expected."""
    text = sim.requests.export("pytest")
    pytester.makepyfile(test_journal=text + "    assert len(world.service.journal) == 4\n    assert 0, 'reached'\n")
    result = run_pytest()
    result.stdout.fnmatch_lines(["*AssertionError: reached*"])
    assert text.count("never ran") == 2
    assert text.count("its answer was another") == 2


@pytest.mark.parametrize(
    "sent",
    [
        {"headers": {"X-Confsim": "hold=before;holdAtMost=1ms"}},
        {"headers": {"X-Confsim": '{"hold": "after", "holdAtMost": "1ms", "headers": {"X-Held": "yes"}}'}},
        {"query_string": {"_confsim": "hold=after;holdAtMost=1ms;clock=1s", "languages": "x"}},
    ],
)
def test_a_hold_that_a_request_brings_for_itself_is_not_repeated(sent):
    """A test and a scenario run on one thread, where nobody could release the call; its other effects stay."""
    sim = Simulator(clock=START)
    with ThreadPoolExecutor(1) as pool:  # so that a call may be held
        assert pool.submit(sim.client(OWNER).get, "/users/me", **sent).result().status_code == 200
    names, test, document = {}, sim.requests.export("pytest"), json.loads(sim.requests.export("scenario"))
    assert "hold" not in test
    assert "hold" not in json.dumps(document["workflows"])
    exec(compile(test, "exported", "exec"), names)
    names["test_journal"](Simulator)
    copy = Simulator()
    report = run_scenario(compile_scenario(document, {}), copy.control.context)
    assert report.failure is None, report.failure.details()
