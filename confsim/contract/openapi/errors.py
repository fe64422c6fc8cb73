"""The refusals of operations in an OpenAPI document: the codes of each status, as an enumeration."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from confsim.assumptions import CODE, STATUS, Reason, in_force
from confsim.assumptions.protocol import wire
from confsim.contract.operation import Operation
from confsim.contract.schema import Profile, Schema, Schemas

from .parts import error_headers
from .reasons import reasons_of

_PROBLEM_JSON = "application/problem+json"
_PROBLEM: Schema = {
    "description": "Why confsim refuses a call (RFC 9457).",
    "type": "object",
    "properties": {
        "type": {"type": "string", "description": "What kind of problem it is."},
        "title": {"type": "string", "description": "The status in words."},
        "status": {"type": "integer", "description": "The status of the answer."},
        "detail": {"type": "string", "description": "What is wrong, and where."},
    },
    "required": ["title", "status"],
    "additionalProperties": True,  # RFC 9457, section 3.2
}


_ORDER = {reason: place for place, reason in enumerate(Reason)}


class Errors:
    """The responses of refused calls. Operations with the same refusals share one component."""

    def __init__(self, schemas: Schemas, observed: Mapping[str, Any], *, problems: bool) -> None:
        self.responses: dict[str, Any] = {}
        self._schemas = schemas
        self._profile = schemas.profile
        self._observed = observed
        self._problems = problems
        self._names: dict[tuple[str, tuple[Reason, ...]], str] = {}
        self._problem_names: dict[tuple[str, ...], str] = {}
        self._found: dict[tuple[str, ...], dict[str, tuple[Reason, ...]]] = {}

    def of(self, operations: list[Operation]) -> dict[str, Any]:
        """Return the responses of operations that share a route, by status."""
        if self._problems:
            return self._of_control(operations[0])
        return {
            status: self._response(operations[0].name, status, reasons)
            for status, reasons in self._by_status(operations).items()
        }

    def name_most_frequent(self, routes: Iterable[list[Operation]]) -> None:
        """Name the errors of most routes after their status alone."""
        counts = Counter(key for operations in routes for key in self._by_status(operations).items())
        for (status, reasons), _ in counts.most_common():
            if all(known != status for known, _ in self._names):
                self._names[status, reasons] = f"Error{status}"

    def _by_status(self, operations: list[Operation]) -> dict[str, tuple[Reason, ...]]:
        names = tuple(operation.name for operation in operations)
        if names not in self._found:
            self._found[names] = self._collected(operations)
        return self._found[names]

    def _collected(self, operations: list[Operation]) -> dict[str, tuple[Reason, ...]]:
        found: dict[str, set[Reason]] = {}
        for operation in operations:
            for reason in reasons_of(operation, self._observed.get(operation.name, {}), self._profile):
                found.setdefault(str(status_of(reason, self._profile)), set()).add(reason)
        return {status: tuple(sorted(reasons, key=_ORDER.__getitem__)) for status, reasons in sorted(found.items())}

    def _of_control(self, operation: Operation) -> dict[str, Any]:
        """Return the problems of the control plane: invalid input, unknown names, and conflicts with the state."""
        asks = operation.path_parameters or operation.query_parameters or operation.body is not None
        found: dict[str, set[str]] = {each: set() for each in (("400", "404", "409") if asks else ("4XX",))}
        if asks:
            found["400"].add(Reason.INVALID_INPUT.name.lower())
        if operation.body is not None and operation.body.is_json:
            found["400"].add(Reason.BODY_MALFORMED.name.lower())
        for code, status in self._observed.get(operation.name, {}).get("problems", {}).items():
            found.setdefault(str(status), set()).add(code)
        problems = {status: self._problem(operation.name, status, sorted(codes)) for status, codes in found.items()}
        return {**dict(sorted(problems.items())), "default": self._problem(operation.name, "default", [])}

    def _problem(self, operation: str, status: str, codes: list[str]) -> dict[str, Any]:
        """Return the response with a problem of this status: named after its code where it has one, or after the first
        operation with these codes; after the status alone where that is what most operations have.
        """
        named = "" if codes in ([], _OF_MOST.get(status)) else _camel(codes[0] if len(codes) == 1 else operation)
        name = self._problem_names.setdefault((status, *codes), f"{named}Problem{status}")
        if name not in self.responses:
            schema = self._schemas.add("Problem", _PROBLEM)
            if codes:
                code = {
                    "type": "string",
                    "enum": codes,
                    "description": "The code of the refusal, where a rule refuses.",
                }
                schema = self._schemas.add(name, {**_PROBLEM, "properties": {**_PROBLEM["properties"], "code": code}})
            self.responses[name] = {
                "description": _CONTROL.get(status, _CONTROL["default"]),
                "headers": error_headers(int(status) if status.isdigit() else 400, self._profile, problems=True),
                "content": {_PROBLEM_JSON: {"schema": schema}},
            }
        return {"$ref": f"#/components/responses/{name}"}

    def _response(self, operation: str, status: str, reasons: tuple[Reason, ...]) -> dict[str, Any]:
        name = self._names.setdefault((status, reasons), f"{_camel(operation)}Error{status}")
        if name not in self.responses:
            codes = [in_force(self._profile, CODE[reason]) for reason in reasons]
            response: dict[str, Any] = {
                "description": "Refused: " + " | ".join(dict.fromkeys(_message(reason) for reason in reasons)),
                "headers": error_headers(int(status), self._profile, problems=False),
                "x-confsim-codes": codes,
            }
            kind, schema = envelope(self._profile, list(dict.fromkeys(codes)))
            if schema is not None:
                described = {"description": f"An error of status {status}.", **schema}
                response["content"] = {kind: {"schema": self._schemas.add(name, described)}}
            self.responses[name] = response
        return {"$ref": f"#/components/responses/{name}"}


#: The codes of the problems of most operations of the control plane that take a body.
_OF_MOST = {"400": ["body_malformed", "invalid_input"]}
_CONTROL = {
    "400": "A text or a value is none that the call takes.",
    "401": "The token or code is none.",
    "404": "Something that the call names is not there.",
    "409": "The state of the world does not allow it, or the name is taken.",
    "507": "What the call does cannot be stored.",
    "4XX": "The call is refused.",
    "default": "The call is refused for another reason.",
}


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _message(reason: Reason) -> str:
    """Return the message of a reason, as the names of its facts."""
    return str(reason.value.message).replace("!r}", "}")


def status_of(reason: Reason, profile: Profile) -> int:
    """Return the status of a refusal under a profile."""
    entry = STATUS[reason]
    status: int = reason.value.status if entry is None else in_force(profile, entry)
    return status


def envelope(profile: Profile, codes: list[str]) -> tuple[str, Schema | None]:
    """Return the media type and the schema, None for no body, of an error with one of the codes under a profile."""
    kind, template = wire.error_body(in_force(profile, wire.ERROR_BODY))
    return kind, None if template is None else _filled(template, codes)


_PLACEHOLDERS: dict[str, Schema] = {
    "$status": {"type": "integer", "format": "int32", "description": "The status of the answer."},
    "$message": {"type": "string", "description": "What is wrong, in words."},
    "$details": {
        "type": "array",
        "items": {"type": "object"},
        "description": "The facts of the refusal; left out where it has none.",
    },
}


def _filled(template: Any, codes: list[str]) -> Schema:
    if isinstance(template, dict):
        # an empty list of details is omitted
        required = [name for name, part in template.items() if part not in ("$details", [])]
        properties = {name: _filled(part, codes) for name, part in template.items()}
        return {"type": "object", "properties": properties, "required": required}
    if isinstance(template, list):
        return {"type": "array", "prefixItems": [_filled(part, codes) for part in template]}
    if template == "$code":
        return {"type": "string", "enum": codes, "description": "The reason, for programs."}
    if isinstance(template, str) and template in _PLACEHOLDERS:
        return dict(_PLACEHOLDERS[template])
    return {"const": template}
