"""The OpenAPI documents are valid by an outside judge."""

from __future__ import annotations

import copy

import msgspec
import pytest
from jsonschema.exceptions import ValidationError

from confsim.control.catalogue import CONTROL
from confsim.control.operations.info import control_document
from confsim.service.document import SERVER
from kit.openapi import PROFILES, changed, described, judge, operations, plain


@pytest.mark.parametrize("name", PROFILES)
def test_it_is_a_valid_document(name):
    """openapi-spec-validator accepts the document of every profile; parts that are as by default are judged once."""
    made = described(PROFILES[name])
    judge(made if name == "defaults" else changed(made, plain()))


def test_parts_that_changed_are_judged():
    """A wrong schema, response or parameter that only a profile brings is found among the parts that changed."""
    wrong = [
        lambda made: made["components"]["schemas"]["User"].update(type="no type"),
        lambda made: made["components"]["responses"]["Error401"].pop("description"),
        lambda made: made["paths"]["/users/me"]["get"]["responses"].clear(),
        lambda made: made["paths"]["/channels/{uuid}"]["get"].update(parameters=[{"name": "uuid"}]),
    ]
    judge(changed(plain(), plain()))
    for spoil in wrong:
        made = copy.deepcopy(plain())
        spoil(made)
        with pytest.raises(ValidationError):
            judge(changed(made, plain()))


def test_the_control_plane_has_one_too():
    """Its document is valid, says where it stands beside its own address, and has problem documents for refusals."""
    made = msgspec.json.decode(control_document())
    judge(made)
    assert set(operations(made)) == {operation.name for operation in CONTROL}
    assert made["servers"] == [{"url": f"{SERVER}/_confsim"}]
    assert all(
        set(each["content"]) == {"application/problem+json"} for each in made["components"]["responses"].values()
    )
    assert made["security"] == []
