"""The OpenAPI 3.1 document of a catalogue, derived from the declarations of its operations and the register."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType, NoneType
from typing import Any, get_args

import msgspec

from confsim.assumptions.protocol import refusals as assumed_refusals
from confsim.assumptions.protocol import wire
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.assumptions.register import REGISTER, in_force

from .decode import Body, PathParameter, QueryParameter
from .encode import NoContent, Raw
from .gates import Grant
from .headers import Header
from .openapi_parts import envelope, grants_of, refusals, security_schemes, status_of
from .operation import Catalogue, Operation
from .schema import Components, Profile, Schema, json_part, parameter

_NAMES = re.compile(r"\{\w+\}")
_JSON = "application/json"
_PROBLEM_JSON = "application/problem+json"
_PROBLEM: Schema = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
    "required": ["title", "status"],
    "additionalProperties": True,  # RFC 9457, section 3.2
}
_NO_PROFILE: Profile = MappingProxyType({})


def document(
    catalogue: Catalogue,
    *,
    title: str,
    version: str,
    prefix: str,
    profile: Profile = _NO_PROFILE,
    problems: bool = False,
) -> dict[str, Any]:
    """The document as plain values; equal declarations and profiles give equal documents.

    ``prefix`` is the address below which the paths stand, best relative to where the document is served, so that it
    holds in every world of a server. ``problems`` is set where refusals are problem documents (RFC 9457), as in the
    control plane.
    """
    return _Document(catalogue, profile, problems).build(title, version, prefix)


def document_bytes(
    catalogue: Catalogue, *, title: str, version: str, prefix: str, profile: Profile, problems: bool = False
) -> bytes:
    """The document as JSON, cached by profile."""
    return _encoded(catalogue, title, version, prefix, problems, _ProfileKey(profile))


class _ProfileKey:
    """A profile as a key of the cache: equal for equal choices."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._key = tuple(sorted((id, repr(value)) for id, value in profile.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ProfileKey) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=16)
def _encoded(catalogue: Catalogue, title: str, version: str, prefix: str, problems: bool, key: _ProfileKey) -> bytes:
    made = document(catalogue, title=title, version=version, prefix=prefix, profile=key.profile, problems=problems)
    return msgspec.json.encode(made)


class _Document:
    """The builder of one document."""

    def __init__(self, catalogue: Catalogue, profile: Profile, problems: bool) -> None:
        self.catalogue = catalogue
        self.profile = profile
        self.problems = problems
        self.components = Components(
            (operation.body.type for operation in catalogue if operation.body is not None and operation.body.is_json),
            (type_ for operation in catalogue if (type_ := json_part(operation.answer(profile))) is not None),
            profile,
        )
        self.error = _PROBLEM if problems else envelope(profile)
        self.statuses = {reason: status_of(reason, profile) for reason in Reason}
        self.assumptions: dict[str, list[str]] = {}
        answering: dict[str, list[str]] = {}
        for operation in catalogue:
            for gap in operation.gaps:
                answering.setdefault(gap, []).append(operation.name)
        for entry in sorted(REGISTER.entries.values(), key=lambda entry: entry.id):
            touched = (name for gap in entry.gaps for name in answering.get(gap, ()))
            for name in entry.operations or dict.fromkeys(touched):
                self.assumptions.setdefault(name, []).append(entry.id)
        self.security = {} if problems else security_schemes(in_force(profile, wire.PRESENTATION))

    def build(self, title: str, version: str, prefix: str) -> dict[str, Any]:
        """The whole document."""
        paths = self._paths()
        used = sorted({code for item in paths.values() for each in item.values() for code in each["responses"]})
        components: dict[str, Any] = {
            "schemas": dict(self.components.schemas)
            if self.error is None
            else {**self.components.schemas, "Error": self.error},
            "responses": {f"Error{code}": self._error(code) for code in used if code == "default" or code >= "400"},
        }
        if self.security:
            components["securitySchemes"] = self.security
        return {
            "openapi": "3.1.0",
            "info": {"title": title, "version": version},
            "servers": [{"url": prefix}],
            "tags": [{"name": area} for area in dict.fromkeys(operation.area for operation in self.catalogue)],
            "paths": paths,
            "components": components,
        }

    def _paths(self) -> dict[str, Any]:
        paths: dict[str, dict[str, Any]] = {}
        shapes: dict[str, str] = {}
        for operation in self.catalogue:
            if operation.variant_of:
                continue
            method, path = operation.route(self.profile)
            # Paths may not differ in names of parameters alone (OpenAPI 3.1, 4.8.8); the first names are used.
            path = shapes.setdefault(_NAMES.sub("{}", path), path)
            paths.setdefault(path, {})[method.lower()] = self._operation(operation, path)
        return paths

    def _operation(self, operation: Operation, path: str) -> dict[str, Any]:
        variants = [each for each in self.catalogue if each.variant_of == operation.name]
        built: dict[str, Any] = {"operationId": operation.name, "tags": [operation.area], **_texts(operation)}
        parameters = self._parameters(operation, variants, path)
        if parameters:
            built["parameters"] = parameters
        if operation.body is not None:
            built["requestBody"] = self._body(operation.body)
        built["responses"] = self._responses([operation, *variants])
        if self.security:
            public = Grant.PUBLIC in grants_of(operation, self.profile)
            built["security"] = [] if public else [{name: []} for name in self.security]
        built.update(self._extras(operation))
        if variants:
            built["x-confsim-variants"] = [self._variant(each) for each in variants]
        return built

    def _extras(self, operation: Operation) -> dict[str, Any]:
        return {
            "x-confsim-source": str(operation.source),
            "x-confsim-line": operation.line,
            "x-confsim-gate": [str(grant) for grant in grants_of(operation, self.profile)],
            "x-confsim-rules": list(operation.rules),
            "x-confsim-gaps": list(operation.gaps),
            "x-confsim-assumptions": self.assumptions.get(operation.name, []),
        }

    def _variant(self, operation: Operation) -> dict[str, Any]:
        """An operation that shares the route of another: its required query parameters tell the two apart."""
        required = [parameter.name for parameter in operation.query_parameters if parameter.required]
        described = {"operationId": operation.name, **_texts(operation), "parameters": required}
        return {**described, "responses": self._success(operation), **self._extras(operation)}

    def _parameters(self, operation: Operation, variants: list[Operation], path: str) -> list[dict[str, Any]]:
        names = [match[1:-1] for match in _NAMES.findall(operation.route(self.profile)[1])]
        names_in_path = dict(zip(names, (match[1:-1] for match in _NAMES.findall(path)), strict=True))
        listed = [self._in_path(each, names_in_path[each.name]) for each in operation.path_parameters]
        seen: set[str] = set()
        for each in [operation, *variants]:
            for queried in each.query_parameters:
                if queried.name not in seen:
                    seen.add(queried.name)
                    listed.append(self._in_query(queried, required=queried.required and not variants))
        if any(each.for_client for each in (operation, *variants)):
            text = "Run the call in the context of this child client; Partner Admins only."
            listed.append({"name": "for_client", "in": "query", "description": text, "schema": {"type": "string"}})
        return listed

    def _in_path(self, declared: PathParameter, name: str) -> dict[str, Any]:
        return {"name": name, "in": "path", "required": True, "schema": parameter(declared.wire, self.profile)}

    def _in_query(self, declared: QueryParameter, required: bool) -> dict[str, Any]:
        schema = parameter(declared.wire, self.profile)
        if declared.default is not None:
            schema["default"] = msgspec.to_builtins(declared.default)
        described: dict[str, Any] = {"name": declared.name, "in": "query"}
        if required:
            described["required"] = True
        if schema["type"] == "array":
            described |= {"style": "form", "explode": False}
        return {**described, "schema": schema}

    def _body(self, body: Body) -> dict[str, Any]:
        if not body.is_json:
            return {"required": False, "content": {"application/octet-stream": {}}}
        return {"required": not body.optional, "content": {_JSON: {"schema": self.components.of(body.type)}}}

    def _responses(self, operations: list[Operation]) -> dict[str, Any]:
        responses: dict[str, Any] = {}
        for operation in operations:
            for code, response in self._success(operation).items():
                responses[code] = _merged(responses[code], response) if code in responses else response
        for code in sorted(
            {str(self.statuses[reason]) for each in operations for reason in refusals(each, self.profile)}
        ):
            responses.setdefault(code, {"$ref": f"#/components/responses/Error{code}"})
        responses["default"] = {"$ref": "#/components/responses/Errordefault"}
        return responses

    def _success(self, operation: Operation) -> dict[str, Any]:
        result = operation.answer(self.profile)
        if result is NoneType:
            return {
                code: {**response, "headers": self._headers(operation)} if operation.headers else response
                for code, response in _EMPTY[in_force(self.profile, wire.EMPTY)].items()
            }
        options = get_args(result)
        content: dict[str, Any] = {"*/*": {}} if Raw in (result, *options) else {}
        shown = json_part(result)
        if shown is not None:
            content[_JSON] = {"schema": self.components.of(shown)}
        status = in_force(self.profile, assumed_refusals.CREATED) if operation.creates else 200
        responses: dict[str, Any] = {str(status): {"description": "The answer.", "content": content}}
        if NoContent in options:
            responses["204"] = {"description": "There is nothing to show; the answer has no body."}
        if operation.headers:
            for response in responses.values():
                response["headers"] = self._headers(operation)
        return responses

    def _headers(self, operation: Operation) -> dict[str, Any]:
        return {name: self._header(each) for name, each in operation.headers.items()}

    def _header(self, header: Header) -> dict[str, Any]:
        described: dict[str, Any] = {"description": header.description, "schema": parameter(header.type, self.profile)}
        return {**described, "required": True} if header.required else described

    def _error(self, code: str) -> dict[str, Any]:
        reasons = [reason for reason in Reason if str(self.statuses[reason]) == code]
        response: dict[str, Any] = {"description": "Any other refusal."}
        if reasons:
            response["description"] = "Refused: " + " | ".join(reason.value.message for reason in reasons)
            response["x-confsim-codes"] = [in_force(self.profile, CODE[reason]) for reason in reasons]
        if self.error is not None:
            kind = _PROBLEM_JSON if self.problems else _JSON
            response["content"] = {kind: {"schema": {"$ref": "#/components/schemas/Error"}}}
        return response


_EMPTY: dict[str, dict[str, Any]] = {
    "200": {"200": {"description": "Done; the answer has no body."}},
    "200 {}": {"200": {"description": "Done.", "content": {_JSON: {"schema": {"type": "object", "maxProperties": 0}}}}},
    "204": {"204": {"description": "Done; the answer has no body."}},
    "200 true": {"200": {"description": "Done.", "content": {_JSON: {"schema": {"const": True}}}}},
}


def _texts(operation: Operation) -> dict[str, Any]:
    texts = {"summary": operation.summary}
    return {**texts, "description": operation.description} if operation.description else texts


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The response of two operations that share a route: ``anyOf`` both schemas."""
    schemas: list[Schema] = []
    for response in (one, other):
        schema = response["content"][_JSON]["schema"]
        schemas += schema.get("anyOf", [schema])
    return {**other, **one, "content": {_JSON: {"schema": {"anyOf": schemas}}}}
