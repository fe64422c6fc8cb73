"""Calls with one mistake: what they name is renamed as in any other call, so that both sides read the same."""

from __future__ import annotations

import random

import pytest

from confsim.api.catalogue import API
from confsim.testing.learning.calls import ModelCall, kinds_of
from confsim.testing.verifying.wrong import wrong_calls

ID, OTHER = "11111111-aaaa-4aaa-8aaa-111111111111", "22222222-bbbb-4bbb-8bbb-222222222222"
WITH_FIELDS = [each for each in API if each.body is not None and each.body.is_json and each.body.fields]


def _named(kind):
    """An id of this kind, and that of the service."""
    return (1001, 2002) if kind == "users" else (ID, OTHER)


@pytest.mark.parametrize("operation", WITH_FIELDS, ids=lambda each: each.name)
def test_a_field_that_is_given_twice_is_renamed_twice(operation):
    """It is sent as bytes, in which the ids of the model are replaced by those of the service."""
    kinds = {name: kinds_of(operation.name).get(f"body {name}") for name in operation.body.fields}
    body = {name: f"{name} 1001" if kind is None else _named(kind)[0] for name, kind in kinds.items()}
    there = {name: f"{name} 1001" if kind is None else _named(kind)[1] for name, kind in kinds.items()}
    path = {parameter.name: "x" for parameter in operation.path_parameters}
    calls = wrong_calls(ModelCall(operation.name, None, path, {}, body), operation, random.Random(0))
    twice = [each for each in calls if isinstance(each.body, bytes) and each.body.count(b'":') > len(body)]
    assert len(twice) == len(body)
    expected = wrong_calls(ModelCall(operation.name, None, path, {}, there), operation, random.Random(0))
    found = [each.renamed(lambda kind, value: _named(kind)[1] if value in _named(kind) else value) for each in twice]
    assert {each.body for each in found} <= {each.body for each in expected if isinstance(each.body, bytes)}


def test_what_is_no_object_is_sent_as_it_is():
    """Bytes that are no JSON, or another value."""
    for raw in (b"{", b"", b"[1]", b"null", b"\xff"):
        call = ModelCall("create_app_session", None, {"clientId": ID}, {}, raw)
        assert call.renamed(lambda kind, value: OTHER).body == raw
