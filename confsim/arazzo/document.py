"""The types of an Arazzo 1.0 document. Unknown fields are refused; ``x-`` fields are ignored, except ``LEFT_OUT``.

References to ``components`` are resolved while a document is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from confsim.kernel.refusal import Misuse
from confsim.values.plain import check_plain

from . import limits

#: Fields that hold data, not parts of the document's structure.
_DATA = {"payload", "value", "inputs", "outputs"}
#: The lists that may hold references to components, with the kind of component.
_REUSED = {
    "parameters": "parameters",
    "successActions": "successActions",
    "onSuccess": "successActions",
    "failureActions": "failureActions",
    "onFailure": "failureActions",
}
#: The field that lists calls that have no step.
LEFT_OUT = "x-confsim-left-out"
_NAME = re.compile(r"[A-Za-z0-9_-]+\Z", re.ASCII)


class _Part(Struct, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """Part of a document; a field that is not listed is an error."""


class Info(_Part):
    """Title, version and description of a document."""

    title: str
    version: str
    summary: str = ""
    description: str = ""


class SourceDescription(_Part):
    """A description of an API whose operations steps call."""

    name: str
    url: str
    type: Literal["openapi", "arazzo"] = "openapi"


class Parameter(_Part):
    """A parameter of a request; without ``in``, an input of the workflow that a step calls."""

    name: str
    value: Any
    in_: Literal["path", "query", "header", "cookie"] | None = field(default=None, name="in")


class Replacement(_Part):
    """A replacement for the value at a JSON pointer in a payload."""

    target: str
    value: Any


class RequestBody(_Part):
    """The body of a request."""

    content_type: str = "application/json"
    payload: Any = UNSET
    replacements: list[Replacement] = []


class CriterionKind(_Part):
    """A type of criterion with the version of its language."""

    type: str
    version: str


class Criterion(_Part):
    """A condition; for every type but "simple", ``context`` is the expression for the value that it applies to."""

    condition: str
    context: str | None = None
    type: str | CriterionKind = "simple"


class Action(_Part):
    """An action after a step, taken when its criteria hold."""

    name: str
    type: Literal["end", "goto", "retry"]
    workflow_id: str | None = None
    step_id: str | None = None
    retry_after: float = 0
    retry_limit: int = 1
    criteria: list[Criterion] = []


class Step(_Part):
    """A call of an operation or of a workflow, its criteria of success, and the actions after it."""

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
    """A sequence of steps."""

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

    def defaults(self) -> dict[str, Any]:
        """The inputs that have a default."""
        properties: Mapping[str, Any] = self.inputs.get("properties", {})
        return {name: each["default"] for name, each in properties.items() if "default" in each}


class Components(_Part):
    """The parts that references name."""

    inputs: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    success_actions: dict[str, Any] = {}
    failure_actions: dict[str, Any] = {}


class ArazzoDocument(_Part):
    """A whole document. ``left_out`` lists calls that have no step."""

    arazzo: str
    info: Info
    source_descriptions: list[SourceDescription]
    workflows: list[Workflow]
    components: Components | UnsetType = UNSET
    left_out: list[str] = []

    def workflow(self, id: str) -> Workflow | None:
        """The workflow of this id, or None."""
        return next((each for each in self.workflows if each.workflow_id == id), None)


def read(values: object, name: str) -> ArazzoDocument:
    """Return the document of these plain values. Raises Misuse that names the place of the first mistake."""
    if not isinstance(values, dict):
        raise Misuse(f"{name}: an Arazzo document is an object")
    check_plain(values, name)
    components = values.get("components")
    try:
        budget = _Budget()
        plain = _resolved(_without_extensions(values), components if isinstance(components, dict) else {}, budget)
        document = msgspec.convert({**plain, "leftOut": values.get(LEFT_OUT, [])}, ArazzoDocument)
    except _Wrong as wrong:
        raise Misuse(f"{name}: {wrong}") from None
    except msgspec.ValidationError as error:
        raise Misuse(f"{name}: {error}") from None
    problem = _problem(document)
    if problem:
        raise Misuse(f"{name}: {problem}")
    return document


class _Wrong(Exception):
    """Raised for a mistake that the types do not catch."""


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


class _Budget:
    """Counts what a document has, and refuses it before it is read whole, as components can repeat themselves."""

    def __init__(self) -> None:
        self._steps = self._fields = self._characters = 0

    def spend(self, key: str, value: Any) -> None:
        """Count the value of a field. Raises _Wrong beyond a limit."""
        if key == "condition" and isinstance(value, str):
            self._characters += len(value)
            _require("characters of a condition", len(value), limits.LONGEST_CONDITION)
            _require("characters of conditions", self._characters, limits.MOST_CONDITIONS)
        elif isinstance(value, list | dict):
            self._fields += 1 + len(value)
            _require("fields and items of lists", self._fields, limits.MAX_FIELDS)
            if key in {"steps", "workflows"}:
                self._steps += len(value)
                _require("workflows and steps", self._steps, limits.MAX_STEPS)


def _require(what: str, count: int, most: int) -> None:
    if count > most:
        raise _Wrong(f"there are at most {most:,} {what}, not {count:,}")


def _resolved(value: Any, components: Mapping[str, Any], budget: _Budget, field: str = "") -> Any:
    """Return the value of a field with each reference to a component replaced by that component."""
    budget.spend(field, value)
    if isinstance(value, list):
        kind = _REUSED.get(field)
        items = value if kind is None else (_dereferenced(item, kind, components) for item in value)
        return [_resolved(item, components, budget) for item in items]
    if not isinstance(value, dict):
        return value
    whole = {}
    for key, part in value.items():
        if key == "inputs" and isinstance(part, dict) and "$ref" in part:
            part = _component(str(part["$ref"]), "#/components/inputs/", "inputs", components)
        if key == "outputs":
            budget.spend(key, part)
        whole[key] = part if key in _DATA else _resolved(part, components, budget, key)
    return whole


def _dereferenced(item: Any, kind: str, components: Mapping[str, Any]) -> Any:
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


def _problem(document: ArazzoDocument) -> str:
    """Return what is wrong with the structure of the document, "" when nothing is."""
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
    seen = set()
    for name in names:
        if not _NAME.match(name):
            return f"{what} {name!r} is not made of A-Z a-z 0-9 _ -"
        if name in seen:
            return f"{what} {name!r} is there twice"
        seen.add(name)
    return ""
