"""Conformance of responses to the OpenAPI document, checked by jsonschema, which is imported when first needed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .messages import Request, Response


class ContractViolation(Exception):
    """A response of confsim that breaks its own OpenAPI document."""


class Conformance:
    """Checks the responses of a service with this profile. The schemas are made for the first response.

    A refusal that the document does not list for its operation is a violation with ``listed_refusals``; without, a
    refusal is only checked against the register: its status, its envelope and its code.
    """

    def __init__(self, profile: Mapping[str, Any], *, listed_refusals: bool = True) -> None:
        self._profile = profile
        self._listed_refusals = listed_refusals
        self._answers: dict[str, dict[str, Any]] = {}
        self._validators: dict[tuple[str, str], Any] = {}
        self._document: dict[str, Any] = {}
        self._refusals: dict[str, Any] = {}

    def violations(self, operation: str, request: Request, response: Response) -> Iterator[ContractViolation]:
        """The problems of the response to a call of an operation; as a rule none."""
        if operation and not self._document:
            self._read()
        responses = self._answers.get(operation)
        if responses is None:
            return
        content_type = dict(response.headers).get("Content-Type", "").partition(";")[0]
        what = f"{request.method} {request.target} ({operation}): {response.status}"
        if not self._listed_refusals and response.status >= 400:
            responses = self._refusals
        documented = responses.get(str(response.status))
        if documented is None:
            yield ContractViolation(f"{what} is no documented status")
            return
        content = self._resolved(documented).get("content", {})
        if not response.body:
            if content:
                yield ContractViolation(f"{what} has no body; documented is {', '.join(content)}")
        elif content_type in content:
            yield from self._violations(what, operation, response, content_type, content[content_type])
        elif "*/*" not in content:
            yield ContractViolation(
                f"{what} is {content_type or 'of no type'}; documented is {', '.join(content) or 'no body'}"
            )

    def _read(self) -> None:
        from confsim.assumptions.protocol.refusals import CODE, Reason
        from confsim.assumptions.register import in_force
        from confsim.contract.openapi.errors import envelope, status_of

        from .document import api_document  # imported here: it imports the whole API

        self._document = json.loads(api_document(self._profile))
        codes: dict[str, list[str]] = {}
        for reason in Reason:
            codes.setdefault(str(status_of(reason, self._profile)), []).append(in_force(self._profile, CODE[reason]))
        for status, known in codes.items():
            kind, schema = envelope(self._profile, known)
            self._refusals[status] = {} if schema is None else {"content": {kind: {"schema": schema}}}
        for item in self._document["paths"].values():
            for operation in item.values():
                self._answers[operation["operationId"]] = operation["responses"]
                for variant in operation.get("x-confsim-variants", ()):
                    # The refusal of an unknown route is declared once, with the route.
                    refusals = {
                        code: documented for code, documented in operation["responses"].items() if "$ref" in documented
                    }
                    self._answers[variant["operationId"]] = variant["responses"] | refusals

    def _resolved(self, response: dict[str, Any]) -> dict[str, Any]:
        name = response.get("$ref", "").rpartition("/")[2]
        resolved: dict[str, Any] = self._document["components"]["responses"][name] if name else response
        return resolved

    def _violations(
        self, what: str, operation: str, response: Response, content_type: str, content: Mapping[str, Any]
    ) -> Iterator[ContractViolation]:
        if "schema" not in content:
            return
        key = operation, f"{response.status} {content_type}"
        validator = self._validators.get(key)
        if validator is None:
            from jsonschema import Draft202012Validator

            whole = {**content["schema"], "components": {"schemas": self._document["components"]["schemas"]}}
            validator = self._validators[key] = Draft202012Validator(whole)
        for error in validator.iter_errors(json.loads(response.body)):
            yield ContractViolation(f"{what} breaks its schema at {error.json_path}: {error.message[:300]}")
