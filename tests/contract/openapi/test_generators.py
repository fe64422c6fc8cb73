"""What generators trip over: openapi-python-client, openapi-typescript and openapi-generator need no configuration."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from kit.openapi import PROFILES, described, plain

#: The media types of bodies that openapi-python-client sends; it warns of all others and leaves the operation out.
_SENT = {"application/json", "application/octet-stream", "multipart/form-data"}
#: The classes that a generated Python client has beside those of components.
_OWN = {"Client", "AuthenticatedClient", "Response", "Unset", "File", "UnexpectedStatus"}
_METHODS = {"get", "post", "put", "patch", "delete"}


def calls(made: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every operation of a document, those of webhooks too."""
    for items in (made["paths"], made["webhooks"]):
        for item in items.values():
            yield from (operation for method, operation in item.items() if method in _METHODS)


def schemas(value: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object in a part of a document, with its place; no examples."""
    if isinstance(value, dict):
        yield where, value
        for key, each in value.items():
            if key not in {"example", "examples"}:
                yield from schemas(each, f"{where}/{key}")
    elif isinstance(value, list):
        for each in value:
            yield from schemas(each, where)


def snake(name: str) -> str:
    """A name of a class or a field as Python writes it."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def classes(made: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The components by the names of the classes that generators make of them."""
    return {each.get("title", name): each for name, each in made["components"]["schemas"].items()}


@pytest.mark.parametrize("name", PROFILES)
def test_an_operation_has_one_id_and_one_tag(name):
    """Ids are names of functions, tags names of modules: two that differ by case alone would be one file."""
    made = described(PROFILES[name])
    ids = [operation["operationId"] for operation in calls(made)]
    assert [id for id, count in Counter(ids).items() if count > 1 or not id.isidentifier()] == []
    tags = [tag["name"] for tag in made["tags"]]
    assert len({tag.casefold() for tag in tags}) == len(tags)
    assert {tuple(operation["tags"]) for operation in calls(made)} == {(tag,) for tag in tags}


@pytest.mark.parametrize("name", PROFILES)
def test_a_body_is_of_one_plain_media_type(name):
    """A wildcard cannot be sent, and of two media types a generator makes two signatures."""
    sent = [
        [*operation["requestBody"]["content"]]
        for operation in calls(described(PROFILES[name]))
        if "requestBody" in operation
    ]
    assert [types for types in sent if len(types) > 1 or types[0] not in _SENT] == []


@pytest.mark.parametrize("name", PROFILES)
def test_a_union_of_answers_can_be_told_apart(name):
    """Only two operations of one path answer with one object or another; each has a required field of its own."""
    made = described(PROFILES[name])
    components = made["components"]["schemas"]
    for place, schema in schemas(made["paths"]):
        objects = [components[each["$ref"].rpartition("/")[2]] for each in schema.get("anyOf", ()) if "$ref" in each]
        objects = [each for each in objects if each.get("type") == "object"]
        if len(objects) > 1:
            assert place.startswith(f"/{made_path(made)}/get/"), place
            for one in objects:
                others = {field for other in objects if other is not one for field in other["properties"]}
                assert {*one.get("required", ())} - others, place


def made_path(made: dict[str, Any]) -> str:
    """The path that two operations share."""
    (path,) = (path for path, item in made["paths"].items() if "x-confsim-variants" in item.get("get", {}))
    return str(path)


@pytest.mark.parametrize("name", PROFILES)
def test_names_of_classes_are_free(name):
    """No two components, nor an enumeration in a field and a component, get one name; none that clients have anyway.

    Nor is a class called like a list or an object in it: a generated reader has both as variables of one type each.
    """
    found = classes(described(PROFILES[name]))
    inline = [
        f"{owner}{field[0].upper()}{field[1:]}"
        for owner, schema in found.items()
        for field, each in schema.get("properties", {}).items()
        if "enum" in each
    ]
    counted = Counter(name.casefold() for name in [*found, *inline])
    assert [name for name, count in counted.items() if count > 1] == []
    assert found.keys() & _OWN == set()
    for owner, schema in found.items():
        fields = schema.get("properties", {}).items()
        assert snake(owner) not in [snake(field) for field, each in fields if {"items", "$ref"} & each.keys()]


def test_objects_are_components():
    """An object in the middle of another schema would get a name that a generator makes up."""
    made = plain()
    for place, schema in schemas(made["components"]["schemas"]):
        if "properties" in schema and place.count("/") > 1:
            assert "dependentSchemas" in place, place
    assert [place for place, schema in schemas(made["paths"]) if "properties" in schema] == []


def test_null_is_written_in_one_way():
    """As one of two alternatives: no list of types, no word of OpenAPI 3.0."""
    for place, schema in schemas(plain()["components"]["schemas"]):
        nothing = {"type": "null"}
        assert not isinstance(schema.get("type"), list), place
        assert not isinstance(schema.get("nullable"), bool), place
        assert nothing not in schema.get("anyOf", ()) or len(schema["anyOf"]) == 2, place


def test_integers_have_a_size():
    """Without a format, Java and C# read 32 bits, which instants exceed."""
    made = plain()
    for place, schema in schemas({**made["components"]["schemas"], **made["paths"]}):
        if schema.get("type") == "integer" and "enum" not in schema:
            assert schema.get("format") in {"int32", "int64"}, place
