"""What the control plane answers about the server, its operations and its assumptions."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib

import pytest

from confsim import Simulator, __version__
from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.control.catalogue import CONTROL
from kit import CUSTOMER, START_MS


def test_the_server_is_well(plane):
    """Nothing is looked at to say so."""
    assert plane("GET", "/health") == (200, {"status": "ok"})


def test_info_tells_the_world(plane, people):
    """Version, instant, seed, profile, address, clients, and the fixed tokens with their holders' roles."""
    info = plane("GET", "/info", host="here:1")[1]
    assert (info["version"], info["world"], info["now"], info["seed"]) == (__version__, "demo", START_MS, 0)
    assert (info["profile"], info["base_url"]) == ({}, "http://here:1/v1_0")
    assert [each["parent"] for each in info["clients"]] == [None, info["clients"][0]["id"], None]
    assert {token: each["role"] for token, each in info["tokens"].items()} == {
        "demo-partner-admin": "partner-admin",
        "demo-customer-admin": "customer-admin",
        "demo-owner": "owner",
        "demo-operator": "operator",
        "demo-user": "user",
        "demo-guest": "guest",
        "demo-api-token": "api-token",
        "demo-other-admin": "customer-admin",
    }
    assert info["tokens"]["demo-owner"] == {"userId": people["demo-owner"], "clientId": CUSTOMER, "role": "owner"}
    assert info["tokens"]["demo-api-token"]["userId"] is None


def test_every_operation_is_listed(plane):
    """With its route, its source, its gate and its rules."""
    listed = {each["name"]: each for each in plane("GET", "/operations")[1]}
    assert list(listed) == list(API.operations)
    terms = listed["accept_terms"]
    assert (terms["method"], terms["path"]) == ("POST", "/users/me/terms/{version}")
    assert (terms["source"], terms["gate"]) == ("documented", "user")
    assert "R101" in terms["rules"]


def test_operations_are_listed_as_the_profile_serves_them():
    """Another route and another gate show."""
    profile = {"route.get_user_email": "GET /people/{userId}/mail", "gate.update_terms_url": ["owner"]}
    sim = Simulator(profile=profile)
    listed = {each.name: each for each in sim.control("list_operations")}
    assert listed["get_user_email"].path == "/people/{userId}/mail"
    assert listed["update_terms_url"].gate == "owner"


def test_every_assumption_is_listed(plane):
    """By id, with what is in force."""
    listed = {each["id"]: each for each in plane("GET", "/assumptions")[1]}
    assert list(listed) == sorted(REGISTER.entries)
    entry = listed["encode.empty"]
    assert (entry["gaps"], entry["default"], entry["value"]) == (["G043"], "200", "200")
    assert entry["alternatives"] == ["200 {}", "204", "200 true"]


def test_assumptions_show_what_a_profile_chose():
    """The default stands beside it."""
    sim = Simulator(profile={"encode": {"empty": "204"}})
    listed = json.loads(sim.client().get("/_confsim/assumptions").data)
    entry = next(each for each in listed if each["id"] == "encode.empty")
    assert (entry["default"], entry["value"]) == ("200", "204")


def test_assumptions_of_an_operation(plane):
    """Those that name it, and those of all operations."""
    listed = {each["id"] for each in plane("GET", "/assumptions?operation=set_user_handle")[1]}
    assert {"handles.registered-rename", "errors.body"} <= listed
    assert "images.formats" not in listed


def test_assumptions_that_calls_leaned_on(plane, sim):
    """Used ones are those of the start and those of the journal."""
    start = plane("GET", "/assumptions?used=true")[1]
    assert [each["id"] for each in start] == sorted(sim.service.start_assumptions)
    assert {each["start"] for each in start} == {True}
    sim.call("promulgate_terms", "demo-api-token", body={"url": "https://x.example/"})
    used = [each["id"] for each in plane("GET", "/assumptions?used=true")[1]]
    assert used == sim.assumptions_used
    assert {"encode.empty", "gate.promulgate_terms"} <= set(used)
    unused = plane("GET", "/assumptions?used=false")[1]
    assert len(used) + len(unused) == len(REGISTER.entries)


@pytest.mark.parametrize("query", ["?operation=nope", "?used=perhaps", "?colour=red"])
def test_a_wrong_question_is_reported(plane, query):
    """Unknown operations, words and parameters are problems."""
    assert plane("GET", f"/assumptions{query}")[0] in {400, 404}


def test_the_control_plane_describes_itself(plane):
    """Its OpenAPI document has every operation of it, and none of the API."""
    status, document = plane("GET", "/openapi.json")
    ids = {each["operationId"] for methods in document["paths"].values() for each in methods.values()}
    assert status == 200
    assert ids == set(CONTROL.operations)


def test_the_document_is_whole_whatever_is_imported_first():
    """The module that makes it is one of those that declare its operations."""
    code = "from confsim.control.operations.info import control_document as made; print(made().count(b'operationId'))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert int(found.stdout) == len(CONTROL.operations)


def test_an_answer_of_bytes_is_described_by_its_media_type(plane, sim):
    """Documents of JSON are no files of any kind: readers of the description decode them."""
    _, document = plane("GET", "/openapi.json")
    described = {
        each.path: document["paths"][each.path]["get"]["responses"]["200"]["content"]
        for each in CONTROL.operations.values()
        if each.media
    }
    served = {path: sim.client().get(f"/_confsim{path}").content_type.partition(";")[0] for path in described}
    assert {path: [media] for path, media in served.items()} == {
        path: [*content] for path, content in described.items()
    }
    assert described["/state"] == {"application/json": {"schema": {"type": "object"}}}
    assert described["/llms.txt"] == {"text/markdown": {"schema": {"type": "string"}}}


def test_accounts_are_a_file_of_tokens_by_role(sim):
    """What commands that drive a service take; the unrelated administrator has a role of its own."""
    accounts = tomllib.loads(sim.control("get_accounts").data.decode())
    assert accounts["client"] == {"id": CUSTOMER}
    roles = ["partner-admin", "customer-admin", "owner", "operator", "user", "guest", "api-token", "other-admin"]
    assert accounts["tokens"] == {role: f"demo-{role}" for role in roles}


def test_accounts_of_a_world_without_tokens_name_none():
    """A world that has no client has no accounts."""
    sim = Simulator({"version": 1, "at": "2026-01-01T00:00:00Z", "clients": []})
    assert tomllib.loads(sim.control("get_accounts").data.decode()) == {"tokens": {}}
