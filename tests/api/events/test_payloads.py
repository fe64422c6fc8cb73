"""The payloads of webhooks as the OpenAPI document shows them: a schema and an example of each kind."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from confsim.assumptions.events import EventKind
from kit.openapi import described


def content(made: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the content of the request that tells of an event."""
    found: dict[str, Any] = made["webhooks"][kind]["post"]["requestBody"]["content"]["application/json"]
    return found


@pytest.mark.parametrize("envelope", ["own", "standard-webhooks", "data-alone"])
def test_each_kind_has_a_schema_and_an_example_of_it(envelope: str) -> None:
    """The document has every kind; its example is valid, and shows all that its schema demands."""
    made = described({"webhooks.envelope": envelope})
    assert [*made["webhooks"]] == [kind.value for kind in EventKind]
    for kind in made["webhooks"]:
        shown = content(made, kind)
        Draft202012Validator({**shown["schema"], "components": made["components"]}).validate(shown["example"])
        if envelope != "data-alone":
            assert shown["example"].get("kind", shown["example"].get("type")) == kind


def test_examples_show_only_what_the_schema_names() -> None:
    """No example has a field that its schema does not have."""
    made = described({"webhooks.envelope": "data-alone"})
    for kind in made["webhooks"]:
        shown = content(made, kind)
        name = shown["schema"]["$ref"].rpartition("/")[2]
        assert shown["example"].keys() <= made["components"]["schemas"][name]["properties"].keys()
