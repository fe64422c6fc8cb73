"""The control operations of scenarios: which there are, and running one in this world."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import field

from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.fields import Key, Object
from confsim.control.operations import bounds
from confsim.kernel.refusal import Misuse

if TYPE_CHECKING:
    from confsim.arazzo.report import StepResult


class ScenarioStep(Wire):
    """A step of a scenario: the operation or the workflow that it calls."""

    workflow: Annotated[str, "The workflow of the step."]
    step: Annotated[str, "The id of the step."]
    called: Annotated[str, "The operation, or the workflow, that it calls."]
    text: Annotated[str, "What it is for; empty if the scenario does not say."]


class ScenarioInfo(Wire):
    """A scenario that ships with confsim."""

    name: Annotated[str, "The name of the scenario."]
    title: Annotated[str, "Its title."]
    summary: Annotated[str, "What happens in it, in a sentence."]
    steps: Annotated[list[ScenarioStep], "Its steps, in their order."]


class RunScenario(CommandBody):
    """``scenario`` is the name of a shipped one or the content of an Arazzo document; ``inputs`` are its inputs."""

    scenario: Annotated[Key, "The name of a shipped scenario, or the content of one."]
    inputs: Annotated[Object, "Its inputs; those that are left out have their defaults."] = field(default=None)


class PlayedStep(Wire):
    """A step that was run; ``entry`` is the call of the API that it made, in the journal."""

    workflow: Annotated[str, "The workflow of the step."]
    step: Annotated[str, "The id of the step."]
    called: Annotated[str, "The operation, or the workflow, that it called."]
    passed: Annotated[bool, "Whether its criteria held."]
    status: Annotated[int | None, "The status of the answer; null for none."]
    entry: Annotated[str | None, "The journal entry of the call; null for none."]
    problem: Annotated[str, "What was not as the step expects; empty if it passed."] = ""


class PlayedScenario(Wire):
    """A scenario that was run in the world."""

    name: Annotated[str, "The name of the scenario."]
    passed: Annotated[bool, "Whether every step passed."]
    steps: Annotated[list[PlayedStep], "The steps that were run, in their order."]
    outputs: Annotated[dict[str, Any], "The outputs of its workflows."]


@operation("GET /scenarios")
def list_scenarios(context: ControlContext) -> list[ScenarioInfo]:
    """List the scenarios that ship with confsim, each with its title and its steps."""
    return list(_shipped())


@cache
def _shipped() -> tuple[ScenarioInfo, ...]:
    from confsim.arazzo import library  # most servers never run a scenario

    found = []
    for name in library.SHIPPED:
        document = library.load(name)
        steps = [
            ScenarioStep(
                workflow=workflow.workflow_id,
                step=step.step_id,
                called=(step.operation_id or step.operation_path or step.workflow_id or "").rpartition(".")[2],
                text=step.description,
            )
            for workflow in document.workflows
            for step in workflow.steps
        ]
        found.append(ScenarioInfo(name=name, title=document.info.title, summary=document.info.summary, steps=steps))
    return tuple(found)


@operation("POST /scenarios/run", replayed=False, beside=True, most_bytes=bounds.DOCUMENT, bounds=bounds.SCENARIO)
def play_scenario(context: ControlContext, body: RunScenario) -> PlayedScenario:
    """Run a scenario in this world; its calls are in the journal like all others.

    A step that does not go as it expects ends the scenario: the answer says which. Raises Misuse for an unknown
    scenario (404), a document that is not valid, and a step that would have to wait.
    """
    from confsim.control.scenarios import compile_scenario, run_scenario

    if not isinstance(body.scenario, str | dict):
        raise Misuse("scenario is the name of a shipped scenario, or the content of one")
    if isinstance(body.scenario, str):
        _require_shipped(body.scenario)
    inputs = {} if body.inputs is None else body.inputs
    if not isinstance(inputs, dict):
        raise Misuse("inputs is an object of values by the names of inputs")
    compiled = compile_scenario(body.scenario, context.service.profile)
    report = run_scenario(compiled, context, inputs, patient=False)
    return PlayedScenario(
        name=report.name, passed=report.passed, steps=[_step(each) for each in report.results], outputs=report.outputs
    )


def _require_shipped(name: str) -> None:
    """Raise Raises Misuse (404) for a name that no shipped scenario has: a server reads no file for its callers."""
    from confsim.arazzo import library
    from confsim.kernel.refusal import suggest

    if name not in library.SHIPPED:
        raise Misuse(f"there is no scenario {name[:80]!r}{suggest(name, library.SHIPPED)}", status=404)


def _step(result: StepResult) -> PlayedStep:
    headers = {} if result.exchange is None else result.exchange.headers
    return PlayedStep(
        workflow=result.workflow,
        step=result.step,
        called=result.called,
        passed=result.passed,
        status=result.status,
        entry=headers.get("x-confsim-request-id"),
        problem="; ".join((*result.failed, *filter(None, (result.problem,)))),
    )
