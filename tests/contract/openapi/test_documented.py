"""The OpenAPI document has what the API's documents name: every field, with its type, an option where they say so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.contract.annotations import marks_in
from kit.each import each
from kit.openapi import described, plain

DOCUMENTED: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parents[2] / "data" / "documents.toml").read_text(encoding="utf-8")
)
#: The schemas of plain types, as far as the documents tell.
PLAIN = {
    "boolean": {"type": "boolean"},
    "int": {"type": "integer", "format": "int32"},
    "long": {"type": "integer", "format": "int64"},
    "number": {"type": "integer"},
    "double": {"type": "number", "format": "double"},
    "string": {"type": "string"},
    "value": {},
    "object": {},
}


def profiles() -> list[dict[str, Any]]:
    """Each choice about the fields of answers, and about options, lists and numbers in them."""
    marks = {mark.entry.id for operation in API for mark in marks_in(operation.result) if hasattr(mark, "entry")}
    assert marks >= {"events.endpoint", "recordings.possible"}
    shapes = {operation.container.id for operation in API if operation.container is not None}
    named = "encode.absent encode.numbers lists.page-fields recordings.receiver recordings.relative-path"
    others = f"{named} recordings.individual-streams clients.details broadcast.rows streaming.mode sessions.parent"
    ids = sorted(marks | shapes | {*others.split()})
    return [{id: value} for id in ids for value in REGISTER.entries[id].candidates()]


def option(text: str) -> str | None:
    """What a type is an option of, None for any other type."""
    match = re.fullmatch(r"option\[(.+)\]", text)
    return None if match is None else match[1]


def resolved(made: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without null, and the component where it names one."""
    kinds = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    schema = {**schema, **kinds[0]} if len(kinds) == 1 else schema
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = {**schema, **made["components"]["schemas"][name]} if name else schema
    return found


def differences(made: dict[str, Any], schema: dict[str, Any], text: str) -> str:
    """In what a schema is not of a type of the documents; "" where it is."""
    schema = resolved(made, schema)
    several = re.fullmatch(r"(?:seq|list)\[(.+)\]", text)
    if several is not None:
        return differences(made, schema.get("items", {}), several[1]) if schema.get("type") == "array" else "no list"
    kind, _, words = text.partition(": ")
    found = {key: schema.get(key) for key in PLAIN[kind]}
    if found != PLAIN[kind]:
        return f"{found} is not {PLAIN[kind]}"
    if words and {*schema.get("enum", ())} != {*words.split(", ")}:
        return f"{schema.get('enum')} are not the words {words}"
    return ""


@each("name", DOCUMENTED)
def test_fields_have_the_types_of_the_documents(name):
    """Under the defaults, with the words that the documents fix."""
    made, fields = plain(), DOCUMENTED[name]
    properties = made["components"]["schemas"][name]["properties"]
    found = {field: differences(made, properties[field], option(text) or text) for field, text in fields.items()}
    assert {field: problem for field, problem in found.items() if problem} == {}


@pytest.mark.parametrize("profile", [{}, *profiles()], ids=str)
def test_fields_are_those_of_the_documents(profile):
    """Under every choice of what answers show: all of them, required unless the documents say option.

    An option may be required where it is null without a value.
    """
    components = described(profile)["components"]["schemas"]
    for name, fields in DOCUMENTED.items():
        schema = components[name]
        assert fields.keys() <= schema["properties"].keys(), name
        for field, text in fields.items():
            there = field in schema.get("required", ())
            null = {"type": "null"} in schema["properties"][field].get("anyOf", ())
            assert not there or option(text) is None or null, f"{name}.{field} is an option"
            assert there or option(text) is not None or (name, field) in SHOWN_BY_CHOICE, f"{name}.{field} is no option"


#: Fields that the documents do not call options, and that some choice of the register leaves out.
SHOWN_BY_CHOICE = {("AuthMethod", "provider")}
