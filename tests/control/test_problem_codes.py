"""Problems of the control plane: their codes are those of its OpenAPI document."""

from __future__ import annotations

import json

import pytest
from jsonschema import validate

from confsim.control.catalogue import CONTROL
from kit import CUSTOMER, ROOM
from kit.openapi import operations


@pytest.mark.parametrize(
    ("operation", "body", "code"),
    [
        ("join_channel", {"channel": 5}, "invalid_input"),
        ("join_channel", {"channel": ROOM, "token": "none"}, "credential_invalid"),
        ("leave_channel", {"channel": ROOM, "userId": 1002}, "not_present"),
        ("dial_in", {"number": "no number"}, "number_malformed"),
        ("make_user", {"clientId": CUSTOMER, "handle": "Nora New", "email": "none"}, "email_malformed"),
        ("make_user", {"clientId": "nobody", "handle": "Nora New"}, "not_found"),
    ],
)
def test_the_code_of_a_problem_is_in_the_document(sim, operation, body, code):
    """In the enumeration of the operation and the status."""
    document = json.loads(sim.control("get_control_openapi").data)
    declared = CONTROL[operation]
    answer = sim.client().open(f"/_confsim{declared.path}", method=declared.method, json=body)
    problem = json.loads(answer.data)
    assert problem["code"] == code
    named = operations(document)[operation]["responses"][str(answer.status_code)]["$ref"].rpartition("/")[2]
    (content,) = document["components"]["responses"][named]["content"].values()
    schema = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
    validate(problem, schema)
    assert code in schema["properties"]["code"]["enum"]
