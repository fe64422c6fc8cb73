"""Calls with one mistake: what they name is renamed as in any other call, so that both sides read the same."""

from __future__ import annotations

import random

import pytest

from confsim.api.catalogue import API
from confsim.testing.learning.calls import ModelCall, kinds_of
from confsim.testing.verifying.wrong import wrong_calls

ID = "11111111-aaaa-4aaa-8aaa-111111111111"


def _with_body(operation):
    """A call of an operation whose body has all of its fields, ids where a thing is named."""
    kinds = kinds_of(operation.name)
    path = {parameter.name: "x" for parameter in operation.path_parameters}
    body = {name: ID if f"body {name}" in kinds else f"{name} 1" for name in operation.body.fields}
    return ModelCall(operation.name, None, path, {}, body, "application/json")


WITH_FIELDS = [each for each in API if each.body is not None and each.body.is_json and each.body.fields]


@pytest.mark.parametrize("operation", WITH_FIELDS, ids=lambda each: each.name)
def test_bytes_name_nothing(operation):
    """A field that is given twice is sent as bytes, in which no id is replaced by that of the service."""
    found = list(wrong_calls(_with_body(operation), operation, random.Random(0)))
    raw = [each.body for each in found if isinstance(each.body, bytes)]
    assert not any(ID.encode() in each for each in raw)
    names_things = any(name.startswith("body ") for name in kinds_of(operation.name))
    assert any(each.count(b'":') > len(operation.body.fields) for each in raw) is not names_things
