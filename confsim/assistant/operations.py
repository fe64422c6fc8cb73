"""Operations of both planes for assistants: look-up, and descriptions of how to call them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from confsim.api.catalogue import API
from confsim.contract.operation import Catalogue, Operation
from confsim.control.catalogue import CONTROL
from confsim.control.operations.info import control_document
from confsim.kernel.refusal import Misuse, suggest
from confsim.service.document import api_document

PLANES: dict[str, Catalogue] = {"api": API, "control": CONTROL}


def get(plane: str, name: str) -> Operation:
    """Return the operation of a plane. Raises Misuse (404), with the nearest name, when there is none."""
    found = PLANES[plane].find(name)
    if found is not None:
        return found
    other = next((each for each in PLANES if each != plane and PLANES[each].find(name) is not None), None)
    hint = f"; the {other} plane has one" if other is not None else suggest(name, PLANES[plane].operations)
    raise Misuse(f"the {plane} plane has no operation {name!r}{hint}", status=404)


def described(plane: str, name: str, profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of an operation: its part of the OpenAPI document, with the referenced schemas."""
    operation = get(plane, name)
    document = _document(plane, msgspec.json.encode(dict(profile), enc_hook=str))
    for path, methods in document["paths"].items():
        for method, part in methods.items():
            if isinstance(part, dict) and part.get("operationId") == (operation.variant_of or name):
                responses = part.get("responses", {})
                success = {status: each for status, each in responses.items() if status.startswith("2")}
                made = {key: part[key] for key in ("parameters", "requestBody") if key in part}
                components = _components(document, [made, success])
                return {
                    "operation": name,
                    "plane": plane,
                    "route": f"{method.upper()} {path}",
                    "summary": operation.summary,
                    "description": operation.description,
                    "who": [str(grant) for grant in operation.gate.grants],
                    **made,
                    "answers": success,
                    "refusals": _refusals(document, responses),
                    "components": components,
                }
    raise Misuse(f"the {plane} plane does not serve {name!r} under this profile", status=404)


def _refusals(document: dict[str, Any], responses: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the codes of refusals by status."""
    found = {}
    for status, each in responses.items():
        whole = _resolved(document, each["$ref"]) if "$ref" in each else each
        if "x-confsim-codes" in whole:
            found[status] = whole["x-confsim-codes"]
    return found


def _components(document: dict[str, Any], parts: list[Any]) -> dict[str, Any]:
    """Return the components that the parts refer to, directly or indirectly."""
    found: dict[str, Any] = {}
    waiting = [reference for part in parts for reference in _references(part)]
    while waiting:
        reference = waiting.pop()
        if reference not in found:
            found[reference] = _resolved(document, reference)
            waiting += _references(found[reference])
    return dict(sorted(found.items()))


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for each in part.values():
            yield from _references(each)
    elif isinstance(part, list):
        for each in part:
            yield from _references(each)


def _resolved(document: dict[str, Any], reference: str) -> Any:
    found: Any = document
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


@lru_cache(maxsize=4)
def _document(plane: str, profile: bytes) -> dict[str, Any]:
    raw = control_document() if plane == "control" else api_document(msgspec.json.decode(profile))
    document: dict[str, Any] = msgspec.json.decode(raw)
    return document
