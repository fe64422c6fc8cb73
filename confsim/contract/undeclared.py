"""Names that a call gives and its operation does not declare: where each belongs, or which was probably meant."""

from __future__ import annotations

from confsim.kernel.refusal import suggest

from .operation import Operation


def suggest_parameter(operation: Operation, name: str) -> str:
    """The end of a message about an unknown parameter of the query."""
    if operation.body is not None and name in operation.body.known:
        return "; it is a field of the body"
    declared = [each.name for each in operation.query_parameters]
    return suggest(name, [*declared, *sorted(operation.query_names.difference(declared))])


def suggest_field(operation: Operation, name: str) -> str:
    """The end of a message about an unknown field of the body, or any body where the operation has none."""
    if name in operation.query_names:
        return "; it is a parameter of the query"
    if name in operation.placeholders:
        return "; it is a parameter of the path"
    return "" if operation.body is None else suggest(name, operation.body.fields)
