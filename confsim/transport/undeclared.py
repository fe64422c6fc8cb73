"""Undeclared input: fields and parameters of a call that its operation does not declare and silently ignores."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from confsim.assumptions.protocol import parsing
from confsim.assumptions.register import in_force
from confsim.contract.operation import Operation
from confsim.contract.query import suggest_field, suggest_parameter
from confsim.kernel.refusal import suggest_near
from confsim.service.faults.per_request import QUERY

#: The arguments of ``Simulator.call`` that are no parameters; misspelt they are taken for some.
_ARGUMENTS = ("caller", "body", "content_type", "expect")


class IgnoredInputWarning(UserWarning):
    """A call in process gave a field or a query parameter that its operation does not declare; the API ignores it."""


def undeclared(operation: Operation, query: Iterable[str], fields: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Return the names that the operation does not declare: "query" or "body", and a text with the nearest name."""
    for name in query:
        if name not in operation.query_names and name != QUERY:
            meant = suggest_near(name, _ARGUMENTS) or suggest_parameter(operation, name)
            yield "query", f"query {name}: no such parameter{meant}"
    known = () if operation.body is None else operation.body.fields
    for field in fields if known else ():
        if field not in known:
            yield "body", f"body {field}: no such field{suggest_field(operation, str(field))}"


def fields_of(body: object) -> Iterable[object]:
    """The names of the fields of a JSON body, as plain values; none for other bodies."""
    return body if isinstance(body, dict) else ()


def warn_of_ignored(operation: Operation, query: Mapping[str, str], body: object, profile: Mapping[str, Any]) -> None:
    """Warn of each name that the API will ignore. Under a profile that refuses it, the answer says so.

    The warning is that of the caller of ``Simulator.call``, which has called the caller of this function.
    """
    parameters = [name for name in query if in_force(profile, parsing.of_unknown(name)) != "refuse"]
    fields = () if in_force(profile, parsing.UNKNOWN_FIELDS) == "refuse" else fields_of(body)
    for _, text in undeclared(operation, parameters, fields):
        warnings.warn(f"{operation.name} ignores what it does not know: {text}", IgnoredInputWarning, stacklevel=4)
