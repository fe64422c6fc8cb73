"""The OpenAPI 3.1 document of a catalogue, derived from the declarations of its operations and the register."""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType, NoneType
from typing import Any

import msgspec
from msgspec import Struct

from confsim.assumptions import REGISTER, ProfileKey, in_force
from confsim.assumptions.protocol import parsing, refusals as assumed_refusals, wire
from confsim.contract.annotations import chosen, description_of, options_of, peeled
from confsim.contract.decode import Body
from confsim.contract.encode import NoContent, Raw
from confsim.contract.gates import Grant
from confsim.contract.headers import Header
from confsim.contract.openapi.parts import readings
from confsim.contract.operation import Catalogue, Operation
from confsim.contract.schema import Profile, Schema, Schemas, json_part

from .errors import Errors
from .parameters import Parameters
from .parts import (
    cacheable,
    common_headers,
    conditional,
    downloads,
    grants_of,
    header_references,
    security_schemes,
    uploads,
)

_NAMES = re.compile(r"\{\w+\}")
_JSON = "application/json"
_NO_PROFILE: Profile = MappingProxyType({})
#: Parameters of many operations, which the document writes once: its layout, no fact of an operation.
_SHARED = frozenset({"limit", "offset", "imgSize", "for_client", "order"})


class Subject(Struct, frozen=True, eq=False):
    """The subject of a document.

    ``areas`` describes the areas of the catalogue. ``problems`` is set if refusals are problem documents (RFC 9457), as
    in the control plane. ``events`` has the payload types of webhooks, by kind and under a profile. ``observed`` has,
    for each operation, the refusals and an example of real calls (``reference.observed``).
    """

    catalogue: Catalogue
    title: str
    version: str
    description: str
    areas: Mapping[str, str] = MappingProxyType({})
    problems: bool = False
    events: Any = None
    observed: Mapping[str, Any] = MappingProxyType({})


def document(subject: Subject, *, server: str, profile: Profile = _NO_PROFILE) -> dict[str, Any]:
    """Return the document as plain values; equal declarations and profiles give equal documents.

    ``server`` is the URL to which the paths are relative.
    """
    return {**_without_server(subject, ProfileKey(profile)), "servers": [{"url": server}]}


def document_bytes(subject: Subject, *, server: str, profile: Profile) -> bytes:
    """Return the document as JSON, cached by profile."""
    return msgspec.json.encode(document(subject, server=server, profile=profile))


@lru_cache(maxsize=16)
def _without_server(subject: Subject, key: ProfileKey) -> dict[str, Any]:
    return _Builder(subject, key.profile).build()


class _Builder:
    """Builds one document."""

    def __init__(self, subject: Subject, profile: Profile) -> None:
        self.subject = subject
        self.catalogue = subject.catalogue
        self.profile = profile
        self.schemas = Schemas(profile)
        self.errors = Errors(self.schemas, subject.observed, problems=subject.problems)
        self.errors.name_most_frequent(self._sharing(each) for each in self.catalogue if not each.variant_of)
        self.parameters: dict[str, Any] = {}
        self.assumptions = _assumptions(self.catalogue)
        self.security = {} if subject.problems else security_schemes(in_force(profile, wire.PRESENTATION))

    def build(self) -> dict[str, Any]:
        """Return the whole document except its servers."""
        subject = self.subject
        areas = dict.fromkeys(operation.area for operation in self.catalogue)
        paths = self._paths()
        webhooks = self._webhooks()
        components: dict[str, Any] = {
            "schemas": dict(sorted(self.schemas.components.items())),
            "responses": dict(sorted(self.errors.responses.items())),
            "parameters": dict(sorted(self.parameters.items())),
            "headers": common_headers(self.profile, self.errors.responses.values(), problems=subject.problems),
        }
        if self.security:
            components["securitySchemes"] = self.security
        whole: dict[str, Any] = {
            "openapi": "3.1.0",
            "info": {
                "title": subject.title,
                "version": subject.version,
                "description": self._about(),
                "contact": {"name": "confsim"},
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "tags": [{"name": area, "description": subject.areas.get(area, area)} for area in areas],
            "paths": paths,
            "components": {name: part for name, part in components.items() if part},
        }
        if not self.security:
            whole["security"] = []
        if webhooks:
            whole["webhooks"] = webhooks
            whole["tags"].append({"name": "webhooks", "description": "What the service sends to events endpoints."})
        return whole

    def _about(self) -> str:
        """Return the description of the subject, and for the API how its calls are read."""
        about = self.subject.description
        return about if self.subject.problems else f"{about}\n\n{readings(self.profile)}"

    def _paths(self) -> dict[str, Any]:
        paths: dict[str, dict[str, Any]] = {}
        shapes: dict[str, str] = {}
        for operation in self.catalogue:
            if operation.variant_of:
                continue
            method, path = operation.route(self.profile)
            # Paths must not differ only in parameter names (OpenAPI 3.1, 4.8.8); the first names are used.
            path = shapes.setdefault(_NAMES.sub("{}", path), path)
            paths.setdefault(path, {})[method.lower()] = self._operation(operation, path)
        return paths

    def _operation(self, operation: Operation, path: str) -> dict[str, Any]:
        operation, *variants = self._sharing(operation)
        built: dict[str, Any] = {"operationId": operation.name, "tags": [operation.area], **self._texts(operation)}
        parameters = self._parameters(operation, variants, path)
        if parameters:
            built["parameters"] = parameters
        if operation.body is not None:
            built["requestBody"] = self._body(operation, operation.body)
        built["responses"] = self._responses([operation, *variants])
        if self.security:
            public = Grant.PUBLIC in grants_of(operation, self.profile)
            built["security"] = [] if public else [{name: []} for name in self.security]
        built.update(self._extras(operation))
        if variants:
            built["x-confsim-variants"] = [self._variant(each) for each in variants]
        return built

    def _sharing(self, operation: Operation) -> list[Operation]:
        """Return the operation and its variants, which share its route."""
        return [operation, *(each for each in self.catalogue if each.variant_of == operation.name)]

    def _texts(self, operation: Operation) -> dict[str, Any]:
        """Return summary and description, with who is admitted; what Python raises as Misuse is a problem over HTTP."""
        summary, text = operation.summary, operation.description
        if self.subject.problems:
            summary, text = (each.replace("Misuse", "Problem") for each in (summary, text))
        if operation.bounds:
            text = f"{text}\n\nBounds: {bounded(operation.bounds)}.".lstrip()
        if self.security:
            admitted = f"Admitted: {' or '.join(grants_of(operation, self.profile))}."
            text = f"{text}\n\n{admitted}" if text else admitted
        return {"summary": summary, "description": text or summary}

    def _extras(self, operation: Operation) -> dict[str, Any]:
        return {
            "x-confsim-source": str(operation.source),
            "x-confsim-line": operation.line,
            **({"x-confsim-identifies": dict(operation.identifies)} if operation.identifies else {}),
            "x-confsim-gate": [str(grant) for grant in grants_of(operation, self.profile)],
            "x-confsim-rules": list(operation.rules),
            "x-confsim-gaps": list(operation.gaps),
            "x-confsim-assumptions": self.assumptions.get(operation.name, []),
            **({"x-confsim-bounds": dict(operation.bounds)} if operation.bounds else {}),
        }

    def _variant(self, operation: Operation) -> dict[str, Any]:
        """Return an operation that shares the route of another: its required query parameters distinguish the two."""
        required = [parameter.name for parameter in operation.query_parameters if parameter.required]
        described = {"operationId": operation.name, **self._texts(operation), "parameters": required}
        return {**described, "responses": self._success(operation), **self._extras(operation)}

    def _parameters(self, operation: Operation, variants: list[Operation], path: str) -> list[dict[str, Any]]:
        names = [match[1:-1] for match in _NAMES.findall(operation.route(self.profile)[1])]
        names_in_path = dict(zip(names, (match[1:-1] for match in _NAMES.findall(path)), strict=True))
        made = Parameters(self.schemas)
        listed = [made.in_path(each, names_in_path[each.name]) for each in operation.path_parameters]
        queried: dict[str, dict[str, Any]] = {}
        for each in [operation, *variants]:
            for declared in each.query_parameters:
                if declared.name not in queried:
                    required = declared.required and not variants
                    queried[declared.name] = made.in_query(declared, required=required)
        listed += queried.values()
        if any(each.for_client for each in (operation, *variants)):
            listed.append(made.for_client())
        if operation.body is not None:
            listed += (each for each in made.of_body(operation.body) if each["name"] not in queried)
        listed += made.in_headers(operation)
        shown = self._example(operation).get("parameters", {})
        for described in listed:
            if described["name"] in shown and described["in"] == "path":
                described["example"] = shown[described["name"]]
        return [self._shared(each) for each in listed]

    def _shared(self, described: dict[str, Any]) -> dict[str, Any]:
        """Return a reference to a parameter of many operations, unless another of its name is described."""
        name = described["name"]
        if name not in _SHARED or self.parameters.setdefault(name, described) != described:
            return described
        return {"$ref": f"#/components/parameters/{name}"}

    def _body(self, operation: Operation, body: Body) -> dict[str, Any]:
        if not body.is_json:
            return uploads(operation, self.profile)
        shown = self._example(operation)
        schema = self.schemas.body(body.type)
        content: dict[str, Any] = {"schema": schema}
        if "body" in shown:
            content["example"] = shown["body"]
        least = {"required", "minProperties"} & self.schemas.resolved(schema).keys()
        needed = not body.optional or bool(least) or in_force(self.profile, parsing.NO_BODY) == "refuse"
        anywhere = bool(body.fields) and in_force(self.profile, parsing.PLACES) == "query too"
        return {"required": needed and not anywhere, "content": {_JSON: content}}

    def _responses(self, operations: list[Operation]) -> dict[str, Any]:
        responses: dict[str, Any] = {}
        for operation in operations:
            for code, response in self._success(operation).items():
                known = responses.get(code)
                responses[code] = response if known is None or "content" not in known else _merged(known, response)
        refused = self.errors.of(operations)
        return {**responses, **{code: each for code, each in refused.items() if code not in responses}}

    def _success(self, operation: Operation) -> dict[str, Any]:
        result = chosen(operation.answer(self.profile), self.profile)
        own = {name: self._header(each) for name, each in operation.headers.items()}
        headers = header_references(self.profile, problems=self.subject.problems) | own
        if result is NoneType:
            empty = _EMPTY[in_force(self.profile, wire.EMPTY)]
            return {code: {**response, "headers": headers} for code, response in empty.items()}
        options = options_of(peeled(result)[0])
        content: dict[str, Any] = {}
        if Raw in options:
            content = downloads(operation)
        shown = json_part(result)
        if shown is not None:
            content[_JSON] = {"schema": self.schemas.answer(shown)}
            example = self._example(operation)
            if "answer" in example:
                content[_JSON]["example"] = example["answer"]
        status = in_force(self.profile, assumed_refusals.CREATED) if operation.creates else 200
        text = description_of(operation.result) or "The call succeeds."
        responses: dict[str, Any] = {str(status): {"description": text, "headers": headers, "content": content}}
        if "200" in responses and not self.subject.problems and cacheable(operation, self.profile):
            responses = conditional(operation, responses["200"])
        if NoContent in options:
            responses["204"] = {"description": "There is nothing to show; the answer has no body.", "headers": headers}
        return responses

    def _example(self, operation: Operation) -> Mapping[str, Any]:
        """Return the example of an operation, if its call gave the same answer under this profile."""
        shown: Mapping[str, Any] = self.subject.observed.get(operation.name, {}).get("example", {})
        return {} if self.profile.keys() & set(shown.get("assumptions", ())) else shown

    def _header(self, header: Header) -> dict[str, Any]:
        described = {"description": header.description, "schema": self.schemas.parameter(header.type)}
        return {**described, "required": True} if header.required else described

    def _webhooks(self) -> dict[str, Any]:
        if self.subject.events is None:
            return {}
        return {
            kind: {
                "post": {
                    "operationId": f"on_{kind.replace('.', '_')}",
                    "summary": text,
                    "description": f"{text} Sent to the events endpoints of the client, once its events are on.",
                    "tags": ["webhooks"],
                    "parameters": headers,
                    "requestBody": {
                        "required": True,
                        "content": {_JSON: {"schema": self.schemas.event(type_), "example": example}},
                    },
                    "responses": {"2XX": {"description": "It is delivered."}, "default": {"description": "It is not."}},
                    "security": [],
                }
            }
            for kind, text, type_, headers, example in self.subject.events(self.profile)
        }


_EMPTY: dict[str, dict[str, Any]] = {
    "200": {"200": {"description": "Done; the answer has no body."}},
    "200 {}": {"200": {"description": "Done.", "content": {_JSON: {"schema": {"type": "object", "maxProperties": 0}}}}},
    "204": {"204": {"description": "Done; the answer has no body."}},
    "200 true": {"200": {"description": "Done.", "content": {_JSON: {"schema": {"const": True}}}}},
}


def bounded(bounds: Mapping[str, int]) -> str:
    """Return the bounds of an operation in words: "at most 65,536 bytes of the body, 1,000 faults of the world"."""
    return "at most " + ", ".join(f"{most:,} {what}" for what, most in bounds.items())


def _assumptions(catalogue: Catalogue) -> dict[str, list[str]]:
    """Return the ids of the assumptions about each operation, or about one of its gaps."""
    found: dict[str, list[str]] = {}
    answering: dict[str, list[str]] = {}
    for operation in catalogue:
        for gap in operation.gaps:
            answering.setdefault(gap, []).append(operation.name)
    for entry in sorted(REGISTER.entries.values(), key=lambda entry: entry.id):
        touched = (name for gap in entry.gaps for name in answering.get(gap, ()))
        for name in catalogue.concerned(entry) or dict.fromkeys(touched):
            found.setdefault(name, []).append(entry.id)
    return found


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response of two operations that share a route: ``anyOf`` both schemas, an example of the first."""
    schemas: list[Schema] = []
    for response in (one, other):
        schema = response["content"][_JSON]["schema"]
        schemas += schema.get("anyOf", [schema])
    content = {**one["content"][_JSON], "schema": {"anyOf": schemas}}
    return {**other, **one, "content": {_JSON: content}}
