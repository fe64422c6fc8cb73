"""The hooks of Schemathesis: who calls, what is named, from which world, and which failures are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.request import urlopen

import pytest
import schemathesis
from schemathesis import Case, GenerationMode, HookContext
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import (
    CaseMetadata,
    ComponentInfo,
    CoveragePhaseData,
    CoverageScenario,
    FuzzingPhaseData,
    GenerationInfo,
    PhaseInfo,
    TestPhase,
)
from schemathesis.openapi.checks import RejectedPositiveData

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.testing import schemathesis as hooks
from confsim.testing.expected_findings import BEYOND_SCHEMAS, expected
from kit import CUSTOMER, ROOM, START
from kit.documented import shown as documented


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Simulator, Any]]:
    """A served world, and its document as Schemathesis has it."""
    simulator = Simulator(clock=START)
    with simulator.serve() as server:
        with urlopen(f"{server.root}/openapi.json") as answer:
            schema = schemathesis.openapi.from_dict(json.load(answer))
        yield simulator, schema
        hooks.RUN.session.close()


def _meta(phase: TestPhase, data: Any, **modes: GenerationMode) -> CaseMetadata:
    components = {ParameterLocation[name.upper()]: ComponentInfo(mode=mode) for name, mode in modes.items()}
    return CaseMetadata(
        generation=GenerationInfo(time=0.0, mode=GenerationMode.NEGATIVE),
        components=components,
        phase=PhaseInfo(phase, data),
    )


def _called(case: Case[Any]) -> Case[Any]:
    hooks.before_call(HookContext(operation=case.operation), case, {})
    return case


def test_a_call_names_what_is_there(served: tuple[Simulator, Any]) -> None:
    """In the path, in the query and in the body, by what the document says that they name."""
    _, schema = served
    case = _called(schema["/channels/{uuid}"]["GET"].Case(path_parameters={"uuid": "0"}))
    assert case.path_parameters == {"uuid": ROOM}
    case = _called(schema["/users/multiple/{userIds}"]["GET"].Case(path_parameters={"userIds": [5, 6]}))
    assert case.path_parameters == {"userIds": [hooks.RUN.session.known.things["users"]]}
    case = _called(schema["/media/delete"]["POST"].Case(body=["0"], media_type="application/json"))
    assert case.body == [hooks.RUN.session.known.own["delete_client_media"]["media"]]
    case = _called(schema["/clients"]["GET"].Case(query={"limit": 1}))
    assert case.query == {"limit": 1}


@pytest.mark.parametrize(
    ("path", "method", "token"),
    [
        ("/channels/{uuid}/dial/pins", "POST", "demo-operator"),
        ("/clients/create", "POST", "demo-partner-admin"),
        ("/users/predefined/{originId}", "GET", "demo-api-token"),
        ("/clients/{clientId}/terms", "GET", None),
    ],
)
def test_the_gate_of_an_operation_decides_who_calls(
    served: tuple[Simulator, Any], path: str, method: str, token: str | None
) -> None:
    """Nobody calls what is public."""
    _, schema = served
    assert hooks.Tokens().get(schema[path][method].Case(), SimpleNamespace()) == token


def test_a_call_for_a_child_client_is_a_partner_admins(served: tuple[Simulator, Any]) -> None:
    """Where a token is presented; a call without one stays so."""
    _, schema = served
    operation = schema["/api_tokens"]["GET"]
    case = operation.Case(query={"for_client": "x"}, headers={"Authorization": "Bearer demo-customer-admin"})
    assert _called(case).headers["Authorization"] == "Bearer demo-partner-admin"
    assert case.query == {"for_client": CUSTOMER}
    assert "Authorization" not in _called(operation.Case(query={"for_client": "x"})).headers


def test_every_call_starts_from_the_populated_world(served: tuple[Simulator, Any]) -> None:
    """What an earlier one did is undone."""
    simulator, schema = served
    digest = simulator.control("get_state_digest").digest
    simulator.call("delete_channel", "demo-owner", uuid=ROOM)
    assert simulator.control("get_state_digest").digest != digest
    _called(schema["/languages"]["GET"].Case())
    assert simulator.control("get_state_digest").digest == digest


def test_what_is_meant_to_be_wrong_stays_wrong(served: tuple[Simulator, Any]) -> None:
    """One parameter of the path in the coverage phase, the whole part where a phase does not say which."""
    _, schema = served
    operation = schema["/channels/{channelId}/recordings/{recordingId}"]["GET"]
    wrong = {"channelId": "%00", "recordingId": "0"}
    one = CoveragePhaseData(
        scenario=CoverageScenario.INVALID_PATTERN,
        description="",
        location=None,
        parameter="channelId",
        parameter_location=ParameterLocation.PATH,
    )
    meta = _meta(TestPhase.COVERAGE, one, path=GenerationMode.NEGATIVE)
    case = _called(operation.Case(path_parameters=dict(wrong), _meta=meta))
    assert case.path_parameters == {"channelId": "%00", "recordingId": hooks.RUN.session.known.things["recordings"]}
    some = FuzzingPhaseData(description="", parameter=None, parameter_location=None, location=None)
    meta = _meta(TestPhase.FUZZING, some, path=GenerationMode.NEGATIVE)
    assert _called(operation.Case(path_parameters=dict(wrong), _meta=meta)).path_parameters == wrong


def test_header_lines_of_the_connection_are_left_to_the_client(served: tuple[Simulator, Any]) -> None:
    """A drawn Host names another server, or none."""
    _, schema = served
    case = _called(schema["/users/me"]["GET"].Case(headers={"Host": "= @ED", "X-Other": "a", "transfer-encoding": "b"}))
    assert dict(case.headers) == {"X-Other": "a"}


@pytest.mark.parametrize("code", BEYOND_SCHEMAS)
def test_a_refusal_that_no_schema_foresees_is_no_finding(code: str) -> None:
    """Of valid input alone, and for the codes that are named, which some operation answers."""
    assert code.upper() in Reason.__members__
    valid = RejectedPositiveData(operation="", message="", status_code=400, allowed_statuses=["2xx"])
    wrong = AcceptedNegativeData(operation="", message="", status_code=200, expected_statuses=["400"])
    state = SimpleNamespace(json=lambda: {"code": code})
    assert expected(valid, state)
    assert not expected(wrong, state)
    assert not expected(valid, SimpleNamespace(json=lambda: {"code": "invalid_input"}))


def test_the_command_of_the_guide_finds_nothing(served: tuple[Simulator, Any], tmp_path: Path) -> None:
    """For one operation, by one example: the hooks are loaded, and its options are there."""
    simulator, _ = served
    (line,) = [line for line in documented("contract") if " st run " in line]
    (setting, program, *words) = line.split()
    assert program == "st"
    with simulator.serve() as server:
        address = words[-1].replace("http://127.0.0.1:8080", server.root)
        options = ["--include-path", "/users/me", "--phases", "fuzzing", "--max-examples", "1"]
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", *words[:-1], address, *options],
            env={**os.environ, setting.partition("=")[0]: setting.partition("=")[2]},
            cwd=tmp_path,  # it leaves a cache where it runs
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout


def test_who_has_no_schemathesis_does_not_need_it() -> None:
    """Neither confsim nor confsim.testing imports it."""
    script = "import confsim.testing, sys; sys.exit('schemathesis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
