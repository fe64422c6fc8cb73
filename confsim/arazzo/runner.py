"""The runner: workflows of a compiled scenario, sent through a transport step by step.

Own code: arazzo-runner (a beta) sends over HTTP itself, with tokens from the environment; this runner takes any
``Transport``, in process too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from confsim.assumptions.protocol import refusals, wire
from confsim.assumptions.register import in_force
from confsim.kernel.refusal import Misuse
from confsim.service.checks.credentials import present
from confsim.transport.address import OperationRequest, request_of
from confsim.transport.transport import Transport

from .compiler import BoundAction, BoundStep, CompiledScenario, variant_of
from .conditions import BoundCriterion, regular_expression
from .document import RequestBody, Workflow
from .exchange import StepExchange
from .expressions import ExpressionScope, Unresolved, as_text, evaluated, pointer_tokens
from .limits import MAX_DEPTH, MAX_STEPS
from .report import Report, StepResult


def run(scenario: CompiledScenario, transport: Transport, inputs: Mapping[str, Any] | None = None) -> Report:
    """Run every workflow in order, until one fails. ``inputs`` go to each workflow that has an input of that name.

    Raises Misuse for an unknown or missing input, and for one that its schema refuses.
    """
    return _Run(scenario, transport).run(dict(inputs or {}))


class _Run:
    def __init__(self, scenario: CompiledScenario, transport: Transport) -> None:
        self.scenario = scenario
        self.transport = transport
        self.report = Report(scenario.name, left_out=scenario.document.left_out)
        self.depth = 0
        self.workflows: dict[str, dict[str, Any]] = {}

    def run(self, inputs: dict[str, Any]) -> Report:
        """Run all workflows in their order."""
        workflows = [self._workflow(id) for id in self.scenario.order]
        known = [each.inputs.get("properties", {}) for each in workflows]
        for name in inputs:
            if not any(name in each for each in known):
                raise Misuse(f"{self.scenario.name}: no workflow has an input {name!r}")
        for workflow, names in zip(workflows, known, strict=True):
            given = {name: value for name, value in inputs.items() if name in names}
            failure, outputs = self.workflow(workflow, given)
            if failure is not None:
                self.report.failure = failure
                break
            self.report.outputs |= outputs
        return self.report

    def _workflow(self, id: str) -> Workflow:
        found = self.scenario.document.workflow(id.removeprefix("$workflows."))
        assert found is not None
        return found

    def workflow(self, workflow: Workflow, given: dict[str, Any]) -> tuple[StepResult | None, dict[str, Any]]:
        """Run a workflow with inputs, and those that its actions go to.

        Returns the failed step, if any, and the outputs of the last workflow.
        """
        while True:
            inputs = {**workflow.defaults(), **given}
            _validate_inputs(workflow, inputs)
            scope = ExpressionScope(inputs, {}, self.workflows, self.scenario.sources)
            failure, following = self._steps(workflow, scope)
            if failure is not None:
                return failure, {}
            if following is None:
                return self._ended(workflow, scope)
            workflow, given = self._workflow(following), {}

    def _steps(self, workflow: Workflow, scope: ExpressionScope) -> tuple[StepResult | None, str | None]:
        """Run the steps; returns the failed one, if any, and the id of the workflow to go to, if any."""
        steps, at, attempt = self.scenario.steps[workflow.workflow_id], 0, 1
        while at < len(steps):
            bound = steps[at]
            result = self._attempt(workflow, bound, scope, attempt)
            applicable = _first_applicable(bound, bound.on_success if result.passed else bound.on_failure, scope)
            action = None if applicable is None else applicable.action
            if action is None:
                if not result.passed:
                    return result, None
                at, attempt = at + 1, 1
            elif action.type == "end":
                return (None if result.passed else result), None
            elif action.type == "retry":
                if attempt > action.retry_limit:
                    return result, None
                attempt += 1
                if action.retry_after:
                    self.transport.wait(action.retry_after)
            elif action.step_id is not None:
                at, attempt = next(place for place, each in enumerate(steps) if each.step.step_id == action.step_id), 1
            else:
                return None, action.workflow_id
        return None, None

    def _ended(self, workflow: Workflow, scope: ExpressionScope) -> tuple[StepResult | None, dict[str, Any]]:
        try:
            outputs = {name: evaluated(value, scope) for name, value in workflow.outputs.items()}
        except Unresolved as missing:
            failed = StepResult(workflow.workflow_id, "outputs", "", 1, problem=str(missing))
            self.report.results.append(failed)
            return failed, {}
        self.workflows[workflow.workflow_id] = {"inputs": scope.inputs, "outputs": outputs}
        return None, outputs

    def _attempt(self, workflow: Workflow, bound: BoundStep, scope: ExpressionScope, attempt: int) -> StepResult:
        """Try a step once and add the result to the report."""
        step = bound.step
        called = bound.workflow if bound.operation is None else bound.operation.name
        result = StepResult(workflow.workflow_id, step.step_id, called, attempt)
        scope.exchange, scope.outputs = None, {}
        if len(self.report.results) >= MAX_STEPS or self.depth >= MAX_DEPTH:
            steps = f"{len(self.report.results)} steps so far, {self.depth} under way"
            raise Misuse(f"{self.scenario.name}: it goes round for ever: {steps}, at {step.step_id!r}")
        try:
            if bound.operation is None:
                parameters = {each.name: evaluated(each.value, scope) for each in step.parameters}
                self.depth += 1
                failure, scope.outputs = self.workflow(self._workflow(bound.workflow), parameters)
                self.depth -= 1
                if failure is not None:
                    result.problem = f"workflow {bound.workflow!r} failed at its step {failure.step!r}"
            else:
                scope.exchange = result.exchange = self._exchange(_request(workflow, bound, scope))
            if not result.problem:
                result.failed = _failed_criteria(bound, result, scope)
            if result.passed:
                result.outputs = {name: evaluated(value, scope) for name, value in step.outputs.items()}
                scope.steps[step.step_id] = result.outputs
        except Unresolved as missing:
            result.problem = str(missing)
        self.report.results.append(result)
        return result

    def _exchange(self, call: OperationRequest) -> StepExchange:
        """Send the request of a step. Raises Misuse when a fault drops the connection."""
        target, query = call.request.target, call.request.query
        url = self.transport.root + target + (f"?{query}" if query else "")
        try:
            return StepExchange(url, call, self.transport.send(call))
        except ConnectionResetError as reset:
            raise Misuse(f"{call.operation.name}: {reset}") from None


def _failed_criteria(bound: BoundStep, result: StepResult, scope: ExpressionScope) -> list[str]:
    """Return the criteria that do not hold; a step without any needs a status below 400."""
    if not bound.criteria and result.status is not None and result.status >= 400:
        return ["$statusCode < 400"]
    return _unmet(bound, bound.criteria, scope)


def _unmet(bound: BoundStep, criteria: tuple[BoundCriterion, ...], scope: ExpressionScope) -> list[str]:
    """Return the criteria that hold neither for the actual status nor for the one of the default profile."""
    failed = [each.text for each in criteria if not each.holds(scope)]
    default, exchange = _with_default_status(bound, scope.exchange), scope.exchange
    if failed and default is not None:
        scope.exchange = default
        failed = [each.text for each in criteria if not each.holds(scope)]
        scope.exchange = exchange
    return failed


def _with_default_status(bound: BoundStep, exchange: StepExchange | None) -> StepExchange | None:
    """Return the exchange with the status 200 if the profile sets another for this success; else None.

    Scenarios are written for the default profile; others change the presentation of tokens and the status of successes.
    """
    if exchange is None or bound.operation is None or bound.source is None:
        return None
    profile, own = bound.source.profile, 200
    if bound.operation.result is type(None):
        own = 204 if in_force(profile, wire.EMPTY) == "204" else 200
    elif bound.operation.creates:
        own = in_force(profile, refusals.CREATED)
    response = exchange.response
    return None if own == 200 or response.status != own else replace(exchange, response=replace(response, status=200))


def _first_applicable(bound: BoundStep, actions: tuple[BoundAction, ...], scope: ExpressionScope) -> BoundAction | None:
    """Return the first action whose criteria all hold."""
    return next((each for each in actions if not _unmet(bound, each.criteria, scope)), None)


def _validate_inputs(workflow: Workflow, inputs: Mapping[str, Any]) -> None:
    """Raise Misuse when the inputs do not conform to the schema of the workflow."""
    if not workflow.inputs:
        return
    from jsonschema import Draft202012Validator, ValidationError
    from jsonschema.validators import extend

    def matches(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not regular_expression(pattern)(value):
            yield ValidationError(f"{value[:80]!r} does not match {pattern!r}")

    # Python's own regular expressions, with which jsonschema searches, cannot be interrupted.
    if b'"patternProperties"' in msgspec.json.encode(workflow.inputs):
        raise Misuse(f"workflow {workflow.workflow_id!r}: inputs: patternProperties is not supported")
    bounded = extend(Draft202012Validator, {"pattern": matches})  # type: ignore[no-untyped-call]
    error = next(iter(bounded(workflow.inputs).iter_errors(inputs)), None)
    if error is not None:
        place = "".join(f".{name}" for name in error.absolute_path)
        raise Misuse(f"workflow {workflow.workflow_id!r}: inputs{place}: {error.message}")


def _request(workflow: Workflow, bound: BoundStep, scope: ExpressionScope) -> OperationRequest:
    """Return the request of a step."""
    operation, source, step = bound.operation, bound.source, bound.step
    assert operation is not None
    assert source is not None
    places: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}, "cookie": {}}
    own = {(each.in_, each.name) for each in step.parameters}
    shared = [each for each in workflow.parameters if (each.in_, each.name) not in own]
    for each in (*shared, *step.parameters):
        place = each.in_ or ""
        if place in {"header", "cookie"} or each in step.parameters or each.name in _names(operation, place):
            places[place][each.name.lower() if place == "header" else each.name] = as_text(evaluated(each.value, scope))
    operation = variant_of(operation, places["query"])
    path = tuple(places["path"][name] for name in operation.placeholders)
    headers, query = _with_token(places["header"], source.profile)
    if places["cookie"]:
        headers["cookie"] = "; ".join(f"{name}={value}" for name, value in places["cookie"].items())
    body = b""
    if step.request_body is not None:
        headers.setdefault("content-type", step.request_body.content_type)
        body = _body(step.request_body, scope)
    return request_of(operation, path, {**places["query"], **query}, source.profile, headers, body)


def _names(operation: Any, place: str) -> tuple[str, ...]:
    return operation.placeholders if place == "path" else tuple(each.name for each in operation.query_parameters)


def _with_token(headers: dict[str, str], profile: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return headers and query with the bearer token of the scenario presented as the profile says."""
    lines = in_force(profile, wire.PRESENTATION)
    given = headers.get("authorization", "")
    if lines == wire.PRESENTATION.default or not given.lower().startswith("bearer "):
        return headers, {}
    presented, query = present(lines, given[len("bearer ") :])
    rest = {name: value for name, value in headers.items() if name != "authorization"}
    return {**rest, **{name.lower(): value for name, value in presented.items()}}, query


def _body(body: RequestBody, scope: ExpressionScope) -> bytes:
    payload = None if body.payload is UNSET else evaluated(body.payload, scope)
    for each in body.replacements:
        _replace(payload, each.target, evaluated(each.value, scope))
    if not isinstance(payload, str):
        return b"" if body.payload is UNSET else msgspec.json.encode(payload)
    if "json" not in body.content_type or _is_json(payload):
        return payload.encode()
    return msgspec.json.encode(payload)


def _is_json(text: str) -> bool:
    """Return whether the text is a JSON object or list."""
    try:
        return isinstance(msgspec.json.decode(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _replace(payload: Any, pointer: str, value: Any) -> None:
    *above, last = pointer_tokens(pointer)
    try:
        for name in above:
            payload = payload[int(name)] if isinstance(payload, list) else payload[name]
        payload[int(last) if isinstance(payload, list) else last] = value
    except (KeyError, IndexError, ValueError, TypeError):
        raise Unresolved(f"replacement at {pointer!r}: there is no such place in the payload") from None
