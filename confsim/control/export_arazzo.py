"""A journal as a scenario: an Arazzo document whose steps are the calls, each to be answered with its status.

What one answer gave and a later call took, an id or a token, becomes an output of a step and an expression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from confsim.arazzo.expressions import expressions
from confsim.contract.query import unknown
from confsim.kernel.refusal import Misuse
from confsim.service import state
from confsim.service.journal import Ordered
from confsim.service.kept import plain
from confsim.service.pipeline import HOST

from .control import CONTROL, PREFIX, Control
from .export import MOVING, Asked, json_of, readdressed, start

#: Shorter texts and smaller numbers are too common to tell where they are from.
_TELLING = 8
_NUMBER = 1000


def as_scenario(control: Control, calls: list[Asked | Ordered]) -> bytes:
    """The document as JSON."""
    written = _Writer(control)
    written.begin(calls)
    for each in calls:
        if isinstance(each, Ordered):
            written.order(each)
        else:
            written.call(each)
    root = control.root
    document = {
        "arazzo": "1.0.1",
        "info": {"title": "A journal", "summary": written.summary(), "version": "1.0.0"},
        "sourceDescriptions": [
            {"name": "api", "url": f"{root}/openapi.json", "type": "openapi"},
            {"name": "control", "url": f"{root}{PREFIX}/openapi.json", "type": "openapi"},
        ],
        "workflows": [{"workflowId": "journal", "summary": "What was asked, again.", "steps": written.steps}],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


class _Writer:
    def __init__(self, control: Control) -> None:
        self.service = control.service
        self.start = start(control.service)
        self.document = state.document(control.service.origin)
        self.known = self.document.decode()
        self.steps: list[dict[str, Any]] = []
        self.left_out: list[str] = []
        self.now = 0
        #: Where a text or a number was first seen in an answer: the step, and the JSON pointer.
        self.seen: dict[str | int, tuple[dict[str, Any], str]] = {}

    def summary(self) -> str:
        """What the scenario is made from, and what of the journal is not in it."""
        seed, profile = self.service.origin.seed, plain(self.service.profile)
        world = "a state of its own" if self.start is None else f"the world {self.start}"
        under = f", under {msgspec.json.encode(profile).decode()}" if profile else ""
        told = f"Starts from {world}, seed {seed}{under}"
        return told + (f"; left out is {', '.join(self.left_out)}" if self.left_out else "")

    def begin(self, calls: list[Asked | Ordered]) -> None:
        """Bring the clock, and the world where it is none that can be named, to the start."""
        now = calls[0].at if calls else self.service.clock.now()
        self._control("freeze_clock", (), None)
        self._at(now)
        if self.start is None:
            self._control("put_state", (), msgspec.json.decode(self.document))

    def order(self, order: Ordered) -> None:
        """A call of the control plane."""
        if order.operation in MOVING:
            self._at(order.at)
            return
        body = msgspec.json.decode(order.body) if order.body else None
        self.now = order.at
        self._control(order.operation, order.path, body)

    def call(self, call: Asked) -> None:
        """A call of the API. One that can be no step is left out; what came of it, and is left of faults, is put."""
        entry = call.entry
        if entry.at != self.now and not call.steers:
            self._at(entry.at)
        self.now = entry.at
        step = self._step(call)
        if step is None:
            self.left_out.append(f"{entry.id} ({entry.request.method} {call.target[:60]})")
            if entry.after is not entry.before:
                self._control("put_state", (), msgspec.json.decode(state.document(entry.after)))
            if entry.left is not None:
                self._control("put_faults", (), [fault.told() for fault in entry.left])
            return
        self.steps.append(step)
        sent = {str(value) for _, value in _leaves(step)}
        is_json, answer = json_of(entry.response.body)
        for pointer, value in _leaves(answer) if is_json else ():
            if _tells(value) and value not in self.seen and str(value) not in sent and str(value) not in self.known:
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

    def _step(self, call: Asked) -> dict[str, Any] | None:
        """The step of a call, None when it can be none."""
        operation, entry = call.operation, call.entry
        if operation is None or entry.request.fault or entry.response.cut is not None:
            return None
        strange = unknown(operation, call.values)
        lacking = [each.name for each in operation.query_parameters if each.required and each.name not in call.values]
        if (strange and entry.response.status >= 400) or lacking or not all(call.texts.values()):
            return None
        step: dict[str, Any] = {
            "stepId": f"{len(self.steps) + 1}-{operation.name}",
            "operationId": f"$sourceDescriptions.api.{operation.variant_of or operation.name}",
        }
        values = {name: text for name, text in call.values.items() if name not in strange}
        try:
            parameters = [
                *self._parameters("path", call.texts),
                *self._parameters("query", values),
                *([] if call.token is None else [self._token(call.token)]),
            ]
            if parameters:
                step["parameters"] = parameters
            if entry.request.body and operation.body is not None:
                body = self._body(call)
                if body is None:
                    return None
                step["requestBody"] = body
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

    def _body(self, call: Asked) -> dict[str, Any] | None:
        entry = call.entry
        kind = call.headers.get("content-type", "application/json")
        raw = readdressed(entry, self.service, entry.request.body, HOST)
        is_json, value = json_of(raw)
        if is_json and "json" in kind and isinstance(value, dict | list):
            try:
                return {"contentType": kind, "payload": self._linked(value)}
            except Misuse:
                return {"contentType": kind, "payload": _plain(value)}
        if is_json and "json" in kind and not isinstance(value, str) and value is not None:
            return {"contentType": kind, "payload": value}
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return None
        return None if "json" in kind else {"contentType": kind, "payload": self._linked(text)}

    def _linked(self, value: Any, *, as_text: bool = False) -> Any:
        """The value with what earlier answers gave as expressions. Misuse for a text that would be taken for one."""
        if isinstance(value, dict):
            return {name: self._linked(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self._linked(part) for part in value]
        found = self.seen.get(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
        if found is None and as_text and value.isdecimal() and value.isascii():
            found = self.seen.get(int(value))
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
    """A payload of which nothing is taken for an expression: itself, or its JSON with every dollar sign escaped."""
    try:
        taken = any(True for _ in expressions(value))
    except Misuse:
        taken = True
    return msgspec.json.encode(value).decode().replace("$", "\\u0024") if taken else value


def _leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Texts and numbers in a value, each with its JSON pointer."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _leaves(part, f"{pointer}/{place}")
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield pointer, value


def _tells(value: str | int) -> bool:
    return len(value) >= _TELLING if isinstance(value, str) else value >= _NUMBER
