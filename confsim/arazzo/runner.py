"""Runs the workflows of a plan through a transport, step by step.

Own code: arazzo-runner (a beta) sends over HTTP itself, with tokens from the environment; this runner takes any
``Transport``, in process too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from confsim.assumptions import refusals
from confsim.assumptions.protocol import wire
from confsim.assumptions.register import in_force
from confsim.kernel.refusal import Misuse
from confsim.service.credential import present
from confsim.transport.address import OperationRequest, request_of
from confsim.transport.transport import Transport

from .check import Bound, Plan, Ready, chosen
from .conditions import Test
from .document import RequestBody, Workflow
from .exchange import Exchange
from .expressions import Missing, Scope, as_text, filled, steps_of
from .report import Report, Result

#: Steps that a run may try, and calls of workflows within one another; beyond them it is taken to go round for ever.
MOST = 2000
DEEPEST = 50


def run(plan: Plan, transport: Transport, inputs: Mapping[str, Any] | None = None) -> Report:
    """Run every workflow in order, until one fails. ``inputs`` go to each workflow that has an input of that name.

    Misuse for an input that no workflow has, or of the wrong form, and for one that is missing.
    """
    return _Run(plan, transport).whole(dict(inputs or {}))


class _Run:
    def __init__(self, plan: Plan, transport: Transport) -> None:
        self.plan = plan
        self.transport = transport
        self.report = Report(plan.name)
        self.depth = 0
        self.workflows: dict[str, dict[str, Any]] = {}

    def whole(self, inputs: dict[str, Any]) -> Report:
        """All workflows in their order."""
        workflows = [self._workflow(id) for id in self.plan.order]
        known = [each.inputs.get("properties", {}) for each in workflows]
        for name in inputs:
            if not any(name in each for each in known):
                raise Misuse(f"{self.plan.name}: no workflow has an input {name!r}")
        for workflow, names in zip(workflows, known, strict=True):
            given = {name: value for name, value in inputs.items() if name in names}
            failure, outputs = self.workflow(workflow, given)
            if failure is not None:
                self.report.failure = failure
                break
            self.report.outputs |= outputs
        return self.report

    def _workflow(self, id: str) -> Workflow:
        found = self.plan.document.workflow(id.removeprefix("$workflows."))
        assert found is not None
        return found

    def workflow(self, workflow: Workflow, given: dict[str, Any]) -> tuple[Result | None, dict[str, Any]]:
        """Run a workflow with inputs, and those that it goes on to.

        Answers the step at which it failed, if any, and the outputs of the last.
        """
        while True:
            inputs = {**workflow.defaults(), **given}
            _judge(workflow, inputs)
            scope = Scope(inputs, {}, self.workflows, self.plan.sources)
            failure, following = self._steps(workflow, scope)
            if failure is not None:
                return failure, {}
            if following is None:
                return self._ended(workflow, scope)
            workflow, given = self._workflow(following), {}

    def _steps(self, workflow: Workflow, scope: Scope) -> tuple[Result | None, str | None]:
        """Run the steps; answers the one at which it failed, if any, and the workflow to go on to, if any."""
        steps, at, attempt = self.plan.steps[workflow.workflow_id], 0, 1
        while at < len(steps):
            ready = steps[at]
            result = self._tried(workflow, ready, scope, attempt)
            decided = _decided(ready, ready.on_success if result.passed else ready.on_failure, scope)
            action = None if decided is None else decided.action
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

    def _ended(self, workflow: Workflow, scope: Scope) -> tuple[Result | None, dict[str, Any]]:
        try:
            outputs = {name: filled(value, scope) for name, value in workflow.outputs.items()}
        except Missing as missing:
            failed = Result(workflow.workflow_id, "outputs", "", 1, problem=str(missing))
            self.report.results.append(failed)
            return failed, {}
        self.workflows[workflow.workflow_id] = {"inputs": scope.inputs, "outputs": outputs}
        return None, outputs

    def _tried(self, workflow: Workflow, ready: Ready, scope: Scope, attempt: int) -> Result:
        """One attempt at a step, noted in the report."""
        step = ready.step
        called = ready.workflow if ready.operation is None else ready.operation.name
        result = Result(workflow.workflow_id, step.step_id, called, attempt)
        scope.exchange, scope.outputs = None, {}
        if len(self.report.results) >= MOST or self.depth >= DEEPEST:
            steps = f"{len(self.report.results)} steps so far, {self.depth} under way"
            raise Misuse(f"{self.plan.name}: it goes round for ever: {steps}, at {step.step_id!r}")
        try:
            if ready.operation is None:
                parameters = {each.name: filled(each.value, scope) for each in step.parameters}
                self.depth += 1
                failure, scope.outputs = self.workflow(self._workflow(ready.workflow), parameters)
                self.depth -= 1
                if failure is not None:
                    result.problem = f"workflow {ready.workflow!r} failed at its step {failure.step!r}"
            else:
                scope.exchange = result.exchange = self._exchanged(_request(workflow, ready, scope))
            if not result.problem:
                result.failed = _failed(ready, result, scope)
            if result.passed:
                result.outputs = {name: filled(value, scope) for name, value in step.outputs.items()}
                scope.steps[step.step_id] = result.outputs
        except Missing as missing:
            result.problem = str(missing)
        self.report.results.append(result)
        return result

    def _exchanged(self, call: OperationRequest) -> Exchange:
        """Send the request of a step. Misuse when a fault drops the connection."""
        target, query = call.request.target, call.request.query
        url = self.transport.root + target + (f"?{query}" if query else "")
        try:
            return Exchange(url, call, self.transport.send(call))
        except ConnectionResetError as reset:
            raise Misuse(f"{call.operation.name}: {reset}") from None


def _failed(ready: Ready, result: Result, scope: Scope) -> list[str]:
    """The criteria that do not hold; a step without any is to be answered with a success."""
    if not ready.tests and result.status is not None and result.status >= 400:
        return ["$statusCode < 400"]
    return _unmet(ready, ready.tests, scope)


def _unmet(ready: Ready, tests: tuple[Test, ...], scope: Scope) -> list[str]:
    """Those of the criteria that do not hold, neither for the status as it is nor for the one it is by default."""
    failed = [test.text for test in tests if not test.holds(scope)]
    told, exchange = _in_words_of_the_defaults(ready, scope.exchange), scope.exchange
    if failed and told is not None:
        scope.exchange = told
        failed = [test.text for test in tests if not test.holds(scope)]
        scope.exchange = exchange
    return failed


def _in_words_of_the_defaults(ready: Ready, exchange: Exchange | None) -> Exchange | None:
    """The exchange with the status 200, where the profile has another for what it answers; else None.

    Scenarios are written without regard to profiles, which say how tokens are presented and successes told.
    """
    if exchange is None or ready.operation is None or ready.source is None:
        return None
    profile, own = ready.source.profile, 200
    if ready.operation.result is type(None):
        own = 204 if in_force(profile, wire.EMPTY) == "204" else 200
    elif ready.operation.creates:
        own = in_force(profile, refusals.CREATED)
    response = exchange.response
    return None if own == 200 or response.status != own else replace(exchange, response=replace(response, status=200))


def _decided(ready: Ready, actions: tuple[Bound, ...], scope: Scope) -> Bound | None:
    """The first action whose criteria all hold."""
    return next((each for each in actions if not _unmet(ready, each.tests, scope)), None)


def _judge(workflow: Workflow, inputs: Mapping[str, Any]) -> None:
    """Misuse when the inputs are not as the workflow describes them."""
    if not workflow.inputs:
        return
    from jsonschema import Draft202012Validator

    error = next(iter(Draft202012Validator(workflow.inputs).iter_errors(inputs)), None)
    if error is not None:
        place = "".join(f".{name}" for name in error.absolute_path)
        raise Misuse(f"workflow {workflow.workflow_id!r}: inputs{place}: {error.message}")


def _request(workflow: Workflow, ready: Ready, scope: Scope) -> OperationRequest:
    """The request of a step."""
    operation, source, step = ready.operation, ready.source, ready.step
    assert operation is not None
    assert source is not None
    places: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}, "cookie": {}}
    own = {(each.in_, each.name) for each in step.parameters}
    shared = [each for each in workflow.parameters if (each.in_, each.name) not in own]
    for each in (*shared, *step.parameters):
        place = each.in_ or ""
        if place in {"header", "cookie"} or each in step.parameters or each.name in _names(operation, place):
            places[place][each.name.lower() if place == "header" else each.name] = as_text(filled(each.value, scope))
    operation = chosen(operation, places["query"])
    path = tuple(places["path"][name] for name in operation.placeholders)
    headers, query = _presented(places["header"], source.profile)
    if places["cookie"]:
        headers["cookie"] = "; ".join(f"{name}={value}" for name, value in places["cookie"].items())
    body = b""
    if step.request_body is not None:
        headers.setdefault("content-type", step.request_body.content_type)
        body = _body(step.request_body, scope)
    return request_of(operation, path, {**places["query"], **query}, source.profile, headers, body)


def _names(operation: Any, place: str) -> tuple[str, ...]:
    return operation.placeholders if place == "path" else tuple(each.name for each in operation.query_parameters)


def _presented(headers: dict[str, str], profile: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """The headers, and the query, with the bearer token of the scenario where the profile has tokens."""
    lines = in_force(profile, wire.PRESENTATION)
    given = headers.get("authorization", "")
    if lines == wire.PRESENTATION.default or not given.lower().startswith("bearer "):
        return headers, {}
    told, query = present(lines, given[len("bearer ") :])
    rest = {name: value for name, value in headers.items() if name != "authorization"}
    return {**rest, **{name.lower(): value for name, value in told.items()}}, query


def _body(body: RequestBody, scope: Scope) -> bytes:
    payload = None if body.payload is UNSET else filled(body.payload, scope)
    for each in body.replacements:
        _replace(payload, each.target, filled(each.value, scope))
    if not isinstance(payload, str):
        return b"" if body.payload is UNSET else msgspec.json.encode(payload)
    if "json" not in body.content_type or _is_json(payload):
        return payload.encode()
    return msgspec.json.encode(payload)


def _is_json(text: str) -> bool:
    """Whether the text is the JSON of an object or a list, written out."""
    try:
        return isinstance(msgspec.json.decode(text), dict | list)
    except (msgspec.DecodeError, ValueError):
        return False


def _replace(payload: Any, pointer: str, value: Any) -> None:
    *above, last = steps_of(pointer)
    try:
        for name in above:
            payload = payload[int(name)] if isinstance(payload, list) else payload[name]
        payload[int(last) if isinstance(payload, list) else last] = value
    except (KeyError, IndexError, ValueError, TypeError):
        raise Missing(f"replacement at {pointer!r}: there is no such place in the payload") from None
