"""The scenarios that ship, run against the conferencing service: what it does not have ends a scenario there."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from msgspec import Struct
from werkzeug.test import Client

from confsim.arazzo import library, runner
from confsim.control.scenarios import compile_scenario
from confsim.service.messages import Response
from confsim.transport.address import OperationRequest
from confsim.values.spans import span
from kit.exam import truth
from kit.exam.services import application
from services import conferencing
from services.calls.client import Api
from services.conferencing.style import Style


def near() -> Style:
    """Style a with the values that the scenarios write into their criteria: words, statuses and what is switched on."""
    style = conferencing.STYLES["a"]
    words = {"registered": "User", "predefined": "Predefined", "guest": "Guest", "linked": "Guest"}
    return replace(
        style,
        replies=replace(style.replies, done=200, deleted=200),
        users=replace(style.users, kinds=words, available_providers=("google", "microsoft", "github")),
        channels=replace(style.channels, placing_ms=0, texts_need_language=True, config_texts="customTexts"),
    )


#: Calls of the control plane for which the service has a call of its own.
STAGED = ("advance_clock", "join_channel", "leave_channel")


class ToService:
    """A transport to the service. Calls of the control plane that the service has a staging call for are that."""

    root = "http://service.example"

    def __init__(self, api: Api) -> None:
        self.api = api
        self.answered = 0

    def send(self, call: OperationRequest) -> Response:
        """Send a request, and return the answer of the service."""
        name, request = call.operation.name, call.request
        if name in STAGED:
            return self._staged(name, request)
        self.answered += 1
        path = f"{unquote(request.target)}?{request.query}" if request.query else request.target
        answer = self.api.web.open(
            path, method=request.method, headers=dict(request.headers), data=request.body or None
        )
        return Response(answer.status_code, list(answer.headers.items()), answer.get_data())

    def _staged(self, name: str, request: Any) -> Response:
        given = json.loads(request.body or b"{}")
        body: dict[str, Any] = {}
        if name == "advance_clock":
            self.api.advance(span(given["by"]) // 1000)
        else:
            self.api.present(given["userId"], name == "join_channel", given["channel"])
            live = self.api.app.service.db.sessions.one(channel_id=given["channel"], ended=None)
            body = {"state": "in" if name == "join_channel" else "away", "session": live and live.id}
        return Response(200, [("Content-Type", "application/json")], json.dumps(body).encode())

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.api.advance(int(seconds) + 1)

    def close(self) -> None:
        """Release nothing."""


class Ran(Struct):
    """The steps of a scenario that the service answered, those that were left out, and the one that failed."""

    steps: int = 0
    left_out: int = 0
    failed: str = ""


def ran(name: str, known: Collection[str] = (), out: Collection[str] = ()) -> Ran:
    """Run a scenario against a fresh service.

    ``known`` names steps (workflow/step) that differ, whose criteria are not asked, ``out`` those that are left out.
    """
    document = library.values_of(name)
    left = _left_out(document, out)
    if not document["workflows"]:
        return Ran(left_out=left)
    for workflow in document["workflows"]:
        for step in workflow["steps"]:
            if f"{workflow['workflowId']}/{step['stepId']}" in known:
                step["successCriteria"] = [{"condition": "$statusCode >= 100"}]
    api = service()
    compiled = compile_scenario(document, {})
    transport = ToService(api)
    report = runner.run(compiled, transport, _inputs(api, document))
    found = Ran(transport.answered, left)
    if report.failure is not None:
        found.failed = f"{report.failure.workflow}/{report.failure.step}: {report.failure.details()}"
    return found


def _left_out(document: dict[str, Any], out: Collection[str]) -> int:
    """Leave out the steps that the service does not have, and those that need what they tell; return how many."""
    served = {*STAGED, *(name for name, _ in truth.operations())}
    removed = 0
    for workflow in document["workflows"]:
        gone: set[str] = set()
        for step in list(workflow["steps"]):
            text = json.dumps(step)
            called = step.get("operationId", "").rpartition(".")[2]
            named = f"{workflow['workflowId']}/{step['stepId']}"
            is_missing = (called and called not in served) or (called == "join_channel" and "userId" not in text)
            if named in out or is_missing or any(f"$steps.{each}.outputs" in text for each in gone):
                gone.add(step["stepId"])
                workflow["steps"].remove(step)
        outputs = workflow.get("outputs", {})
        for name in [name for name, told in outputs.items() if any(f"$steps.{each}." in str(told) for each in gone)]:
            del outputs[name]
        removed += len(gone)
    document["workflows"] = [each for each in document["workflows"] if each["steps"]]
    return removed


def service() -> Api:
    """The service in the style that is nearest, with two event rooms to be and no one who has to accept terms."""
    api = Api("a")
    api.style, api.app = near(), application(near(), clock=api.app.service.clock)
    api.web = Client(api.app)
    api.ok("owner", "POST", f"/channels/{api.seeded['quietChannel']}/settings/event/room/enable")
    return api


def _inputs(api: Api, document: dict[str, Any]) -> dict[str, Any]:
    """The inputs of a scenario that name accounts and things, as the service has them."""
    roles = {
        "user": "user",
        "owner": "owner",
        "operator": "operator",
        "admin": "customer-admin",
        "api": "api-token",
        "partner": "partner-admin",
    }
    known: dict[str, Any] = {name: api.app.tokens[role] for name, role in roles.items()}
    known |= {"room": api.channel, "eventRoom": api.seeded["quietChannel"], "client": api.client_id}
    known["identityToken"] = api.jwt(sub="person-1", name="Ina Identity")
    asked = {name for workflow in document["workflows"] for name in workflow.get("inputs", {}).get("properties", {})}
    return {name: value for name, value in known.items() if name in asked}
