"""What an Arazzo 1.0 document says. An unknown field is refused by name; fields that start with ``x-`` are passed over.

References to ``components`` are followed while a document is read, so that what is read stands by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from confsim.kernel.refusal import Misuse

#: What is data, and no part of the form of a document.
_DATA = {"payload", "value", "inputs", "outputs"}
#: The lists that may hold references to components, and the components that they refer to.
_REUSED = {
    "parameters": "parameters",
    "successActions": "successActions",
    "onSuccess": "successActions",
    "failureActions": "failureActions",
    "onFailure": "failureActions",
}
_NAME = re.compile(r"[A-Za-z0-9_-]+\Z", re.ASCII)


class _Part(Struct, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """Part of a document; a field that is not listed is an error."""


class Info(_Part):
    """What a document is about."""

    title: str
    version: str
    summary: str = ""
    description: str = ""


class SourceDescription(_Part):
    """A description of an API that steps name operations of."""

    name: str
    url: str
    type: Literal["openapi", "arazzo"] = "openapi"


class Parameter(_Part):
    """A parameter of a request, or, without a place, an input of a workflow that a step calls."""

    name: str
    value: Any
    in_: Literal["path", "query", "header", "cookie"] | None = field(default=None, name="in")


class Replacement(_Part):
    """A value that takes the place of another in a payload, at a JSON pointer."""

    target: str
    value: Any


class RequestBody(_Part):
    """The body of a request."""

    content_type: str = "application/json"
    payload: Any = UNSET
    replacements: list[Replacement] = []


class CriterionKind(_Part):
    """A kind of criterion together with the version of its language."""

    type: str
    version: str


class Criterion(_Part):
    """A condition, and for every kind but "simple" the expression that gives what it is held against."""

    condition: str
    context: str | None = None
    type: str | CriterionKind = "simple"


class Action(_Part):
    """What comes after a step, when the criteria hold."""

    name: str
    type: Literal["end", "goto", "retry"]
    workflow_id: str | None = None
    step_id: str | None = None
    retry_after: float = 0
    retry_limit: int = 1
    criteria: list[Criterion] = []


class Step(_Part):
    """A call of an operation or of a workflow, and how to tell whether it went well."""

    step_id: str
    description: str = ""
    operation_id: str | None = None
    operation_path: str | None = None
    workflow_id: str | None = None
    parameters: list[Parameter] = []
    request_body: RequestBody | None = None
    success_criteria: list[Criterion] = []
    on_success: list[Action] = []
    on_failure: list[Action] = []
    outputs: dict[str, str] = {}


class Workflow(_Part):
    """Steps in their order."""

    workflow_id: str
    steps: list[Step]
    summary: str = ""
    description: str = ""
    inputs: dict[str, Any] = {}
    depends_on: list[str] = []
    parameters: list[Parameter] = []
    success_actions: list[Action] = []
    failure_actions: list[Action] = []
    outputs: dict[str, str] = {}

    def step(self, id: str) -> Step | None:
        """The step of this id, or None."""
        return next((step for step in self.steps if step.step_id == id), None)

    def defaults(self) -> dict[str, Any]:
        """The inputs that have a default."""
        properties: Mapping[str, Any] = self.inputs.get("properties", {})
        return {name: each["default"] for name, each in properties.items() if "default" in each}


class Components(_Part):
    """What other parts refer to."""

    inputs: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    success_actions: dict[str, Any] = {}
    failure_actions: dict[str, Any] = {}


class Document(_Part):
    """A whole document."""

    arazzo: str
    info: Info
    source_descriptions: list[SourceDescription]
    workflows: list[Workflow]
    components: Components | UnsetType = UNSET

    def workflow(self, id: str) -> Workflow | None:
        """The workflow of this id, or None."""
        return next((each for each in self.workflows if each.workflow_id == id), None)


def read(values: object, name: str) -> Document:
    """The document of these plain values. Misuse that names the place of what is wrong."""
    if not isinstance(values, dict):
        raise Misuse(f"{name}: an Arazzo document is an object")
    components = values.get("components")
    try:
        plain = _followed(_without_extensions(values), components if isinstance(components, dict) else {})
        document = msgspec.convert(plain, Document)
    except _Wrong as wrong:
        raise Misuse(f"{name}: {wrong}") from None
    except msgspec.ValidationError as error:
        raise Misuse(f"{name}: {error}") from None
    problem = _problem(document)
    if problem:
        raise Misuse(f"{name}: {problem}")
    return document


class _Wrong(Exception):
    """Something that no type tells of."""


def _without_extensions(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_extensions(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: part if key in _DATA else _without_extensions(part)
        for key, part in value.items()
        if not key.startswith("x-")
    }


def _followed(value: Any, components: Mapping[str, Any]) -> Any:
    """The value with each reference to a component replaced by that component."""
    if isinstance(value, list):
        return [_followed(item, components) for item in value]
    if not isinstance(value, dict):
        return value
    whole = {}
    for key, part in value.items():
        if key in _REUSED and isinstance(part, list):
            part = [_reused(item, _REUSED[key], components) for item in part]
        elif key == "inputs" and isinstance(part, dict) and "$ref" in part:
            part = _component(str(part["$ref"]), "#/components/inputs/", "inputs", components)
        whole[key] = part if key in _DATA else _followed(part, components)
    return whole


def _reused(item: Any, kind: str, components: Mapping[str, Any]) -> Any:
    if not isinstance(item, dict) or "reference" not in item:
        return item
    if set(item) - {"reference", "value"}:
        raise _Wrong(f"a reference has no field beside value: {', '.join(item)}")
    found = _component(str(item["reference"]), f"$components.{kind}.", kind, components)
    return {**found, "value": item["value"]} if "value" in item else found


def _component(reference: str, start: str, kind: str, components: Mapping[str, Any]) -> Any:
    known = components.get(kind, {})
    name = reference.removeprefix(start)
    if not reference.startswith(start) or name not in known:
        raise _Wrong(f"{reference!r} names no component; there are {', '.join(start + each for each in known)}")
    return _without_extensions(known[name])


def _problem(document: Document) -> str:
    """What is wrong with the form of the document, empty when nothing is."""
    if not document.arazzo.startswith("1.0."):
        return f"arazzo {document.arazzo!r}: this confsim reads Arazzo 1.0"
    if not document.workflows:
        return "there is no workflow"
    ids = [each.workflow_id for each in document.workflows]
    names = [each.name for each in document.source_descriptions]
    problems = [_named("workflowId", ids), _named("sourceDescriptions name", names)]
    for each in document.workflows:
        problem = _named("stepId", [step.step_id for step in each.steps])
        problems.append(problem and f"workflow {each.workflow_id!r}: {problem}")
    return next(filter(None, problems), "")


def _named(what: str, names: list[str]) -> str:
    if not names:
        return f"there is no {what}"
    for name in names:
        if not _NAME.match(name):
            return f"{what} {name!r} is not made of A-Z a-z 0-9 _ -"
        if names.count(name) > 1:
            return f"{what} {name!r} is there twice"
    return ""
