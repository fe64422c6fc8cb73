"""The export as a scenario: an Arazzo document with a step for each call, which expects the recorded status.

A value of an answer that a later call sends, such as an id or a token, becomes an output of its step and an expression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from confsim.api.call import HOST
from confsim.arazzo.document import LEFT_OUT
from confsim.arazzo.expressions import expressions
from confsim.contract.query import unknown_parameters
from confsim.control.context import ControlContext
from confsim.control.declare import CONTROL, PREFIX
from confsim.kernel.refusal import Misuse
from confsim.service.entries import ControlCall
from confsim.service.files import state
from confsim.service.files.profile import plain
from confsim.values.plain import whole_number

from .calls import (
    ApiCall,
    answer_was_replaced,
    document_of,
    json_of,
    never_holding,
    starting_world,
    total,
    with_address,
)

#: Shorter texts and smaller numbers occur too often to conclude which answer they come from.
_DISTINCTIVE_LENGTH = 8
_DISTINCTIVE_NUMBER = 1000


def as_scenario(context: ControlContext, calls: list[ApiCall | ControlCall], *, whole: bool) -> bytes:
    """Return the document as JSON. ``whole`` says whether it must contain all calls of the world."""
    writer = _Writer(context)
    if whole:
        writer.begin_left_out(sum(isinstance(each, ApiCall) for each in calls))
    writer.begin(calls)
    for each in calls:
        if isinstance(each, ControlCall):
            writer.control_call(each)
        else:
            writer.call(each)
    root = context.root
    document: dict[str, Any] = {
        "arazzo": "1.0.1",
        "info": {"title": "A journal", "summary": writer.summary(), "version": "1.0.0"},
        "sourceDescriptions": [
            {"name": "api", "url": f"{root}/openapi.json", "type": "openapi"},
            {"name": "control", "url": f"{root}{PREFIX}/openapi.json", "type": "openapi"},
        ],
        "workflows": [{"workflowId": "journal", "summary": "What was asked, again.", "steps": writer.steps}],
    }
    if writer.left_out:
        document[LEFT_OUT] = writer.left_out
    return document_of(document)


class _Writer:
    def __init__(self, context: ControlContext) -> None:
        self.service = context.service
        self.starting_world = starting_world(context.service)
        self.document = state.document(context.service.history.origin)
        self.known = self.document.decode()
        self.steps: list[dict[str, Any]] = []
        self.left_out: list[str] = []
        self.now = 0
        #: Texts and numbers by the first answer that has them: the step, and the JSON pointer.
        self.seen: dict[str | int, tuple[dict[str, Any], str]] = {}

    def summary(self) -> str:
        """Return the summary: the required start, and the calls that are left out."""
        seed, profile = self.service.history.origin.seed, plain(self.service.profile)
        world = "a state of its own" if self.starting_world is None else f"the world {self.starting_world}"
        under = f", under {msgspec.json.encode(profile).decode()}" if profile else ""
        text = f"Starts from {world}, seed {seed}{under}"
        return text + (f"; left out is {', '.join(self.left_out)}" if self.left_out else "")

    def begin_left_out(self, there: int) -> None:
        """Note that the journal has only the latest of its calls."""
        gone = total(self.service) - there
        if gone:
            self.left_out.append(f"{gone} calls that the journal no longer has")

    def begin(self, calls: list[ApiCall | ControlCall]) -> None:
        """Add the steps that set the clock and, unless the start has a name, the state."""
        now = calls[0].at if calls else self.service.clock.now()
        self._control("freeze_clock", (), None)
        self._at(now)
        if self.starting_world is None:
            self._control("put_state", (), msgspec.json.decode(self.document))

    def control_call(self, call: ControlCall) -> None:
        """Add the step of a control call."""
        moves = CONTROL[call.operation].moves_clock
        if (
            moves or call.at > self.now
        ):  # the instant went back, as by the restore of a snapshot: the call sets the clock itself
            self._at(call.at)
        if moves:
            return
        body = msgspec.json.decode(call.body) if call.body else None
        self.now = call.at
        self._control(call.operation, call.path, body)

    def call(self, call: ApiCall) -> None:
        """Add the step of an API call; if no step can express it, a step that sets state and faults after it."""
        entry = call.entry
        if call.entry.is_preflight:
            return
        if entry.at != self.now and not call.sets_its_time:
            self._at(entry.at)
        self.now = entry.at
        step = self._step(call)
        if step is None:
            self.left_out.append(f"{entry.id} ({entry.request.method} {call.target[:60]})")
            if entry.after is not entry.before:
                self._control("put_state", (), msgspec.json.decode(state.document(entry.after)))
            if entry.remaining_faults is not None:
                self._control("put_faults", (), never_holding([fault.to_dict() for fault in entry.remaining_faults]))
            return
        self.steps.append(step)
        sent = {str(value) for _, value in _leaves(step)}
        is_json, answer = json_of(entry.response.body)
        for pointer, value in _leaves(answer) if is_json else ():
            if (
                _is_distinctive(value)
                and value not in self.seen
                and str(value) not in sent
                and str(value) not in self.known
            ):
                self.seen[value] = (step, pointer)

    def _at(self, now: int) -> None:
        if now != self.now:
            self._control("set_clock", (), {"to": now})
            self.now = now

    def _control(self, name: str, path: tuple[str, ...], body: Any) -> None:
        parameters = [
            {"name": placeholder, "in": "path", "value": text}
            for placeholder, text in zip(CONTROL[name].placeholders, path, strict=True)
        ]
        step: dict[str, Any] = {
            "stepId": f"{len(self.steps) + 1}-{name}",
            "operationId": f"$sourceDescriptions.control.{name}",
        }
        if parameters:
            step["parameters"] = parameters
        if body is not None:
            step["requestBody"] = {"contentType": "application/json", "payload": _plain(body)}
        self.steps.append({**step, "successCriteria": [{"condition": "$statusCode == 200"}]})

    def _step(self, call: ApiCall) -> dict[str, Any] | None:
        """Return the step of a call, None when no step can express it."""
        operation, entry = call.operation, call.entry
        if operation is None or entry.request.fault or entry.response.cut is not None or answer_was_replaced(entry):
            return None
        undeclared = unknown_parameters(operation, call.values)
        lacking = [each.name for each in operation.query_parameters if each.required and each.name not in call.values]
        if (undeclared and entry.response.status >= 400) or lacking or not all(call.texts.values()):
            return None
        step: dict[str, Any] = {
            "stepId": f"{len(self.steps) + 1}-{operation.name}",
            "operationId": f"$sourceDescriptions.api.{operation.variant_of or operation.name}",
        }
        values = {name: text for name, text in call.values.items() if name not in undeclared}
        try:
            parameters = [
                *self._parameters("path", call.texts),
                *self._parameters("query", values),
                *([] if call.token is None else [self._token(call.token)]),
            ]
            headers = {**call.headers, **call.other_headers}
            if entry.request.body and operation.body is not None:
                body = self._body(call)
                if body is None:
                    return None
                step["requestBody"] = body
                headers.pop("content-type", None)
            parameters += self._parameters("header", headers)
            if parameters:
                step["parameters"] = parameters
        except Misuse:
            return None
        return {**step, "successCriteria": [{"condition": f"$statusCode == {entry.response.status}"}]}

    def _parameters(self, place: str, texts: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        for name, text in texts.items():
            yield {"name": name, "in": place, "value": self._linked(text, as_text=True)}

    def _token(self, token: str) -> dict[str, Any]:
        linked = self._linked(token, as_text=True)
        value = f"Bearer {linked}" if linked == token else f"Bearer {{{linked}}}"
        return {"name": "Authorization", "in": "header", "value": value}

    def _body(self, call: ApiCall) -> dict[str, Any] | None:
        """Return the body of a step, None when no step can express it: a file goes out with its bytes and its type."""
        entry, operation = call.entry, call.operation
        takes_file = operation is not None and operation.body is not None and not operation.body.is_json
        kind = call.headers.get("content-type", "" if takes_file else "application/json")
        raw = with_address(entry, self.service, entry.request.body, HOST)
        is_json, value = json_of(raw) if "json" in kind else (False, None)
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return None
        if takes_file or not is_json:
            sent_as_text = kind and ("json" not in kind or (is_json and isinstance(value, dict | list)))
            return {"contentType": kind, "payload": self._linked(text)} if sent_as_text else None
        if isinstance(value, dict | list):
            try:
                return {"contentType": kind, "payload": self._linked(value)}
            except Misuse:
                return {"contentType": kind, "payload": _plain(value)}
        return None if isinstance(value, str) or value is None else {"contentType": kind, "payload": value}

    def _linked(self, value: Any, *, as_text: bool = False) -> Any:
        """Return the value with expressions for values of earlier answers. Raises Misuse for a literal like one."""
        if isinstance(value, dict):
            return {name: self._linked(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self._linked(part) for part in value]
        found = self.seen.get(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
        if found is None and as_text and (number := whole_number(value)) is not None:
            found = self.seen.get(number)
        if found is None:
            if any(True for _ in expressions(value)):
                raise Misuse(f"{value!r} would be taken for an expression")
            return value
        step, pointer = found
        outputs = step.setdefault("outputs", {})
        name = next((name for name, where in outputs.items() if where == f"$response.body#{pointer}"), None)
        if name is None:
            name = f"{pointer.rpartition('/')[2] or 'body'}"
            name = name if name.isidentifier() and name not in outputs else f"value{len(outputs) + 1}"
            outputs[name] = f"$response.body#{pointer}"
        return f"$steps.{step['stepId']}.outputs.{name}"


def _plain(value: Any) -> Any:
    """Return a payload as a literal: unchanged, or JSON with escaped dollar signs if it may contain expressions."""
    try:
        taken = any(True for _ in expressions(value))
    except Misuse:
        taken = True
    return msgspec.json.encode(value).decode().replace("$", "\\u0024") if taken else value


def _leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the texts and numbers in a value, each with its JSON pointer."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _leaves(part, f"{pointer}/{place}")
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield pointer, value


def _is_distinctive(value: str | int) -> bool:
    return len(value) >= _DISTINCTIVE_LENGTH if isinstance(value, str) else value >= _DISTINCTIVE_NUMBER
