"""Response headers that a JSON operation declares."""

from __future__ import annotations

import json

import pytest

from confsim import Simulator
from confsim.api.call import Call
from confsim.contract import gates
from confsim.contract.headers import Header, WithHeaders, header_lines
from confsim.contract.openapi.document import Subject, document
from confsim.contract.operation import Catalogue
from confsim.contract.types import Wire
from confsim.service.incoming import Incoming
from confsim.service.messages import Request
from kit.openapi import judge

PLANE = Catalogue("A plane for a test")


class Thing(Wire):
    """A thing."""

    id: str


@PLANE.operation(
    "GET /things/{id}",
    gate=gates.PUBLIC,
    headers={
        "X-Version": Header("The version of the thing.", int, required=True),
        "X-Draft": Header("Whether the thing is a draft.", bool),
    },
)
def get_thing(call: Call, id: str) -> WithHeaders[Thing]:
    """Get a thing."""
    more = {"X-Draft": True} if id == "draft" else {}
    return WithHeaders(Thing(id=id), {**more, "X-Version": 3})


@pytest.mark.parametrize(
    ("id", "lines"), [("draft", [("X-Version", "3"), ("X-Draft", "true")]), ("final", [("X-Version", "3")])]
)
def test_the_function_sets_them(id, lines):
    """They come after the content type, in the order of the declaration."""
    response = Simulator().service.perform(
        Incoming(PLANE["get_thing"], (id,), {}, None, Request("GET", f"/things/{id}"))
    )
    assert (response.status, json.loads(response.body)) == (200, {"id": id})
    assert [line for line in response.headers if line[0] != "X-Confsim-Request-Id"] == [
        ("Content-Type", "application/json"),
        *lines,
    ]


def test_the_openapi_document_describes_them():
    """Under the response of the success, and the document stays valid."""
    made = document(Subject(PLANE, PLANE.title, "1", "A plane."), server="/")
    judge(made)
    answer = made["paths"]["/things/{id}"]["get"]["responses"]["200"]
    assert {name: answer["headers"][name] for name in ("X-Version", "X-Draft")} == {
        "X-Version": {
            "description": "The version of the thing.",
            "schema": {"type": "integer", "format": "int64"},
            "required": True,
        },
        "X-Draft": {"description": "Whether the thing is a draft.", "schema": {"type": "boolean"}},
    }
    assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Thing"}


@pytest.mark.parametrize("values", [{"X-Other": "1"}, {"X-Version": "3"}, {}], ids=["unknown", "other type", "missing"])
def test_what_is_not_declared_so_is_a_defect(values):
    """Of the operation: it is no refusal."""
    with pytest.raises(TypeError, match="response header"):
        header_lines(PLANE["get_thing"].headers, values)
