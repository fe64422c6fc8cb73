"""OpenAPI documents of the API under several profiles, and readers of their parts."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from jsonschema.exceptions import SchemaError

from confsim.service.document import api_document
from confsim.service.files.profile import read_profile

#: A profile of many choices, each of which changes a part of the document of its own: one document shows them all.
MANY = {
    "broadcast.metrics-without": "204",
    "friendly-urls.form": "[a-z]+",
    "gate.update_terms_url": ["partner-admin"],
    "http.request-id": "X-Request-Id",
    "images.form": "multipart",
    "media.form": "multipart",
    "parse.null": "refuse",
    "pins.form": "4-8 digits",
    "populations.shape": "page",
    "recordings.possible": "bare",
    "route.list_clients": "GET /tenants",
    "route.prefix": "/acme/v1_0",
    "size.url": 99,
    "status.role-missing": 404,
    "templates.none": "204",
    "units.recording": "epoch-s",
}

PROFILES = {
    "defaults": {},
    "204": {**MANY, "encode.empty": "204", "errors.body": "nested", "encode.absent": "null"},
    "{}": {"encode.empty": "200 {}", "errors.body": "problem", "parse.unknown-fields": "refuse"},
    "cookie": {"auth.presentation": ["Cookie: session={token}", "?token={token}"], "errors.body": "empty"},
    "header": {"auth.presentation": ["X-Auth-Token: {token}"], "status.role-missing": 404, "errors.body": "text"},
}


def described(chosen: dict[str, object]) -> dict:
    """The API's document under a profile, to be read and not to be changed."""
    return _described(msgspec.json.encode(chosen, order="deterministic"))


@lru_cache(maxsize=4)  # a document of half a megabyte; the tests of one profile follow each other
def _described(chosen: bytes) -> dict:
    return msgspec.json.decode(api_document(read_profile(msgspec.json.decode(chosen))))


def plain() -> dict:
    """The API's document by default, to be read and not to be changed."""
    return described({})


def judge(made: dict) -> None:
    """Have openapi-spec-validator judge a document: what differs by its descriptions alone, or not at all, once.

    It asks jsonschema-rs whether a schema is one; ``.ci/judge-openapi`` has it ask jsonschema, which takes ten times
    as long.
    """
    from openapi_schema_validator import OAS31Validator
    from openapi_spec_validator import validate

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OAS31Validator, "check_schema", staticmethod(_check_schema))
        validate(_shared(made, {}))


def _check_schema(schema: Any, **_: object) -> None:
    """Raise SchemaError where a schema is none of OpenAPI 3.1."""
    for error in _of_schemas().iter_errors(schema):
        raise SchemaError(error.message)


@cache
def _of_schemas() -> jsonschema_rs.Draft202012Validator:
    """The validator of schemas of OpenAPI 3.1, with those that its own schema refers to."""
    from openapi_schema_validator import OAS31Validator
    from openapi_schema_validator._specifications import REGISTRY

    known = [(uri, REGISTRY.contents(uri)) for uri in REGISTRY if uri.startswith("https://spec.openapis.org/")]
    registry = jsonschema_rs.Registry(known)
    return jsonschema_rs.Draft202012Validator(OAS31Validator.META_SCHEMA, registry=registry, validate_formats=True)


def _shared(value: Any, seen: dict[object, Any]) -> Any:
    """The value without the words of descriptions, of objects and arrays of which equal ones are the same one.

    The judge knows the schemas that it has judged, by their identity.
    """
    if isinstance(value, dict):
        parts = {name: _shared(each, seen) for name, each in value.items()}
        if parts.get("description") and isinstance(parts["description"], str):
            parts["description"] = _shared("A description.", seen)
        return seen.setdefault((dict, tuple((name, id(each)) for name, each in parts.items())), parts)
    if isinstance(value, list):
        elements = [_shared(each, seen) for each in value]
        return seen.setdefault((list, tuple(map(id, elements))), elements)
    return seen.setdefault((type(value), value), value)


def operations(described: dict) -> dict[str, dict]:
    """The operations of a document by id, variants included."""
    listed = {}
    for item in described["paths"].values():
        for each in item.values():
            for one in (each, *each.get("x-confsim-variants", ())):
                assert one["operationId"] not in listed
                listed[one["operationId"]] = one
    return listed


def parameters(operation: dict, of: dict | None = None) -> list[dict]:
    """The parameters of an operation, shared ones too."""
    shared = (of or plain())["components"].get("parameters", {})
    given = [each for each in operation.get("parameters", ()) if isinstance(each, dict)]  # variants have names alone
    return [shared.get(each.get("$ref", "").rpartition("/")[2], each) for each in given]


#: What stands for a component that is judged elsewhere, so that references to it are good.
STUBS = {
    "schemas": {},
    "responses": {"description": "As by default."},
    "headers": {"schema": {}},
    "securitySchemes": {"type": "http", "scheme": "bearer"},
}


def changed(made: dict, plain: dict) -> dict:
    """The parts of a document that another does not have as well, those that name parameters of a path whole."""
    paths = {}
    for path, item in made["paths"].items():
        before = plain["paths"].get(path, {})
        operations = {key: value for key, value in item.items() if value != before.get(key) or key == "parameters"}
        if operations.keys() - {"parameters"}:
            paths[path] = operations
    components = {
        kind: {
            name: STUBS[kind] if kind in STUBS and part == plain["components"][kind].get(name) else part
            for name, part in parts.items()
        }
        for kind, parts in made["components"].items()
    }
    return {**made, "paths": paths, "components": components}
