"""The removal of what a run made, also of what a call made whose answer was not as expected."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from confsim.service.messages import Request, Response
from confsim.testing.calibrating.playing import Player
from confsim.testing.calibrating.probing import Prober
from confsim.testing.learning.calls import ModelCall
from confsim.testing.verifying.findings import encoded
from confsim.transport.wsgi import WsgiTransport
from kit.beside import Beside

SECRET = "a-token-that-no-call-has-shown-before"


class Altered(WsgiTransport):
    """A service that answers otherwise to requests of a method that end in a path."""

    def __init__(self, beside: Beside, method: str, path: str, alter: Callable[[Response], Response]) -> None:
        super().__init__(beside.simulator.wsgi)
        self._asked, self._alter = (method, path), alter
        self.altered = 0

    def exchange(self, request: Request) -> Response:
        """Send a request; alter a response that says that it was done."""
        response = super().exchange(request)
        method, path = self._asked
        if request.method != method or not request.target.endswith(path) or response.status >= 400:
            return response
        self.altered += 1
        return self._alter(response)


def _another_status(response: Response) -> Response:
    return Response(299, response.headers, response.body)


def _no_id(response: Response) -> Response:
    return Response(response.status, response.headers, b'{"made": true}')


def _failed(response: Response) -> Response:
    return Response(500, response.headers, b"{}")


def _reported(command: str, beside: Beside, altered: Altered) -> Any:
    """The report of a short run."""
    if command == "verify":
        return beside.verify(transport=altered, examples=1, most=100)
    return beside.calibrator(transport=altered, journeys=1, most=120).run()


def _channels(beside: Beside) -> list[str]:
    return [each["name"] for each in beside.simulator.call("list_channels", "demo-owner").body["results"]]


@pytest.mark.parametrize("command", ["verify", "calibrate"])
def test_what_was_made_with_an_unexpected_answer_is_removed(command: str) -> None:
    """A status that nothing explains, with the id of what was made."""
    beside = Beside()
    before = _channels(beside)
    altered = Altered(beside, "POST", "/channels/create", _another_status)
    report = _reported(command, beside, altered)
    assert altered.altered > 0
    assert _channels(beside) == before
    assert not any(each.startswith("channels") for each in report.left)


@pytest.mark.parametrize("command", ["verify", "calibrate"])
@pytest.mark.parametrize(
    ("alter", "why"), [(_no_id, "is answered by 200, with no id of it"), (_failed, "by 500, which may have made it")]
)
def test_what_was_made_and_is_not_named_is_listed(command: str, alter: Callable[..., Response], why: str) -> None:
    """Each by the name that the run gave it."""
    beside = Beside()
    before = _channels(beside)
    altered = Altered(beside, "POST", "/channels/create", alter)
    report = _reported(command, beside, altered)
    left = [each for each in report.left if each.startswith("channels")]
    assert len(left) == altered.altered > 0
    assert all(why in each for each in left)
    named = {name for each in left for name in [each.split("'")[1]]}
    assert set(_channels(beside)) - set(before) <= named


def test_a_secret_in_an_answer_of_another_form_is_masked() -> None:
    """A list of tokens in full, in a container that nothing explains: the report has the rest of it."""

    def listed(response: Response) -> Response:
        body = json.dumps({"items": [{"token": SECRET, "label": "one of before"}]}).encode()
        return Response(200, response.headers, body)

    beside = Beside()
    verifier = beside.verifier(transport=Altered(beside, "GET", "/api_tokens", listed))
    run = verifier._make()
    step = run.take(ModelCall("list_api_tokens", beside.accounts.tokens["customer-admin"]))
    verifier._take_up(run, [step])
    text = encoded(verifier.report).decode()
    assert "one of before" in text
    assert SECRET not in text


def test_who_made_a_call_that_nothing_explains_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the role, where the run made the token, which is in no report."""
    for each in (Player, Prober):
        monkeypatch.setattr(each, "calls", lambda *given: iter(()))
    beside = Beside()
    altered = Altered(beside, "POST", "/channels/create", _another_status)
    report = beside.calibrator(transport=altered, journeys=1).run()
    calls = [each.call for each in report.contradicted]
    assert [each.partition(":")[0] for each in calls] == ["api-token of the run"]
    assert altered.altered == len(calls)
