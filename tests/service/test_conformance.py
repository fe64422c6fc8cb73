"""Responses held against the OpenAPI document of a profile."""

from __future__ import annotations

import json

import pytest

from confsim.service.conformance import Conformance
from confsim.service.messages import Request, Response

JSON = [("Content-Type", "application/json; charset=utf-8")]


@pytest.fixture(scope="module")
def conformances():
    """That of the default profile which knows the refusals of each operation, and the one of the register alone."""
    return {listed: Conformance({}, listed_refusals=listed) for listed in (True, False)}


def problems(conformance, operation, status, body, headers=JSON):
    """The sentences about a response."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = Request("GET", "/v1_0/x")
    return [str(each) for each in conformance.violations(operation, request, Response(status, headers, content))]


@pytest.mark.parametrize("listed", [True, False])
def test_a_success_is_held_against_its_schema(conformances, sim, listed):
    """What confsim answers passes; a field of another type, no body and another content type do not."""
    good = sim.call("get_me", "demo-user").body
    judge = conformances[listed]
    assert problems(judge, "get_me", 200, good) == []
    (problem,) = problems(judge, "get_me", 200, {**good, "id": "x"})
    assert problem.startswith("GET /v1_0/x (get_me): 200 breaks its schema at $.id: 'x' is not of type")
    assert "has no body; documented is application/json" in problems(judge, "get_me", 200, b"")[0]
    assert problems(judge, "get_me", 200, b"x", [("Content-Type", "text/plain")])
    assert "is no documented status" in problems(judge, "get_me", 299, good)[0]


def test_refusals_are_those_of_the_operation_or_of_the_register(conformances, sim):
    """A refusal that other operations give is a problem of the document's judge alone."""
    refusal = sim.call("get_channel", "demo-user", uuid="99999999-9999-4999-8999-999999999999")
    assert refusal.status == 404
    for judge in conformances.values():
        assert problems(judge, "get_channel", 404, refusal.body) == []
        assert problems(judge, "get_channel", 404, {**refusal.body, "code": "nothing"}) != []
        assert "is no documented status" in problems(judge, "get_channel", 499, refusal.body)[0]
    taken = {"status": 409, "code": "handle_taken", "message": "The handle is taken."}
    assert "is no documented status" in problems(conformances[True], "get_me", 409, taken)[0]
    assert problems(conformances[False], "get_me", 409, taken) == []


@pytest.mark.parametrize("operation", ["", "no_operation"])
def test_what_is_no_operation_is_not_judged(conformances, operation):
    """Such as the document itself."""
    assert problems(conformances[True], operation, 299, b"") == []
