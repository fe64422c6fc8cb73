"""The scenarios that ship: each passes by every way in, with the same answers, and together they are the whole API."""

from __future__ import annotations

from functools import cache

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.arazzo import library, runner
from confsim.arazzo.compiler import variant_of
from confsim.control.scenarios import compile_scenario
from confsim.testing.targets import Core, Url, Wsgi
from kit import START


@cache
def played(name, target):
    """What a scenario is answered by a target, step by step, in a world of its own."""
    sim = Simulator(clock=START)
    if target == "live":
        with sim.serve() as server:
            return ran(name, sim, Url(server.root))
    return ran(name, sim, Core(sim) if target == "core" else Wsgi(sim))


def ran(name, sim, target):
    """The report of a run as plain values, and the world that it leads to."""
    report = runner.run(compile_scenario(name, {}), target.transport)
    target.close()
    assert report.passed, report.failure.details()
    assert sim.service.bugs == []
    steps = [
        (
            each.workflow,
            each.step,
            each.attempt,
            each.status,
            None if each.exchange is None else each.exchange.response.body,
        )
        for each in report.results
    ]
    return steps, report.outputs, sim.service.world.digest()


@pytest.mark.parametrize("name", library.SHIPPED)
@pytest.mark.parametrize("target", ["core", "wsgi", "live"])
def test_a_scenario_passes(name, target):
    """Every step is answered as it says, and as by every other way in; the worlds are the same in the end."""
    assert played(name, target) == played(name, "core")


def calls():
    """Every step that calls an operation: the scenario, the operation that is meant, the step."""
    for name in library.SHIPPED:
        for steps in compile_scenario(name, {}).steps.values():
            for bound in steps:
                queried = [each.name for each in bound.step.parameters if each.in_ == "query"]
                yield name, variant_of(bound.operation, queried), bound.step


def test_there_are_enough():
    """At least fifteen journeys."""
    assert len(library.SHIPPED) >= 15


def test_every_operation_of_the_api_is_called():
    """Together they call the whole API, and each area is the subject of one."""
    called = {operation.name for _, operation, _ in calls()}
    assert {operation.name for operation in API} - called == set()


def test_every_step_names_its_status():
    """No step takes whatever comes."""
    for name, _, step in calls():
        assert step.success_criteria[0].condition.startswith("$statusCode == "), (name, step.step_id)


@pytest.mark.parametrize("name", library.SHIPPED)
def test_a_scenario_says_what_it_is_about(name):
    """Title, summary, and a summary for each workflow; what it leads to is among its outputs."""
    document = library.load(name)
    assert document.info.title
    assert document.info.summary.endswith(".")
    assert all(workflow.summary.endswith(".") for workflow in document.workflows)
    assert any(workflow.outputs for workflow in document.workflows)


def test_drift_is_seen():
    """A world that answers otherwise fails the scenario, at the step where it does."""
    sim = Simulator(clock=START, profile={"duration.call-answered": "manual(1)"})
    report = runner.run(compile_scenario("phones", {}), Core(sim).transport)
    assert (report.failure.workflow, report.failure.step) == ("dial-out", "calls")
    assert set(report.outputs) == {"caller"}


def test_an_independent_runner_would_not_stumble():
    """What Redocly's respect reads otherwise than we do is left out: paths into a list start with a descent."""
    for name in library.SHIPPED:
        for criterion in (
            each
            for steps in compile_scenario(name, {}).document.workflows
            for step in steps.steps
            for each in step.success_criteria
        ):
            if criterion.type == "jsonpath":
                assert criterion.condition.startswith("$..["), (name, criterion.condition)
