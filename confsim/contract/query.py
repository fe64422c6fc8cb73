"""The query of a call, from its text to keyword arguments; names that an operation does not declare."""

from collections.abc import Mapping
from typing import Any, get_origin

from confsim.assumptions import Assumption, Context, ask, in_force, not_found
from confsim.assumptions.identity import LEVELS_FILTER
from confsim.assumptions.protocol import images, parsing
from confsim.contract.decode import QueryParameter
from confsim.contract.operation import Operation
from confsim.contract.text_values import invalid_input, percent_decoded
from confsim.kernel import Refusal, suggest

#: Parameters for which an invalid text counts as absent, with the entry and its value that say so.
_LENIENT: Mapping[str, tuple[Assumption[str], str]] = {
    "sort": (parsing.BAD_SORT, "absent"),
    "order": (parsing.BAD_SORT, "absent"),
    "imgSize": (images.UNKNOWN_SIZE, "default"),
    "levels": (LEVELS_FILTER, "ignore"),
}


def lenient(profile: Mapping[str, Any], name: str) -> bool:
    """Return whether an invalid text of this query parameter counts as absent under a profile."""
    choice = _LENIENT.get(name)
    return choice is not None and in_force(profile, choice[0]) == choice[1]


def decode_query(context: Context, text: str) -> dict[str, str]:
    """Return the values of a query string by name: form encoding in strict UTF-8 (G050, G056, G057)."""
    query: dict[str, str] = {}
    for item in text.split("&") if text else ():
        name, _, value = item.partition("=")
        name = _unescaped(context, name, "query")
        if not name:
            continue
        value = _unescaped(context, value, f"query {name}")
        query[name] = value if name not in query else _repeated(context, name, query[name], value)
    return query


def _unescaped(context: Context, text: str, where: str) -> str:
    if "+" in text and ask(context, parsing.PLUS) == "space":
        text = text.replace("+", " ")
    return percent_decoded(text, where, context) if "%" in text else text


def _repeated(context: Context, name: str, first: str, again: str) -> str:
    choice = ask(context, parsing.REPEATED_QUERY)
    if choice == "refuse":
        raise invalid_input(f"query {name}", "it is given twice")
    return {"first": first, "last": again, "join": f"{first},{again}"}[choice]


def arguments(context: Context, operation: Operation, values: Mapping[str, str]) -> dict[str, Any]:
    """Return the keyword arguments of the operation from the query alone (R004).

    Raises Refusal INVALID_INPUT for a parameter that is missing or invalid.
    """
    named: dict[str, Any] = {}
    for name in unknown_parameters(operation, values):
        if ask(context, parsing.of_unknown(name)) == "refuse":
            raise invalid_input(f"query {name}", "no such parameter")
    for parameter in operation.query_parameters:
        text = values.get(parameter.name)
        if text == "" and (parameter.wire is not str or parameter.names):
            if ask(context, parsing.EMPTY_QUERY) == "absent":
                text = None
            elif parameter.wire is str or get_origin(parameter.wire) is list:
                raise invalid_input(parameter.where, "it is empty")
        if text is not None:
            _read(context, parameter, text, named)
        elif parameter.required:
            if ask(context, parsing.MISSING_QUERY) == "404":
                not_found(parameter.where, "")
            raise invalid_input(parameter.where, "it is missing")
    return named


def _read(context: Context, parameter: QueryParameter, text: str, named: dict[str, Any]) -> None:
    try:
        named[parameter.keyword] = parameter.read(context, parameter.where, text)
    except Refusal:
        lenient = _LENIENT.get(parameter.name)
        if lenient is None or ask(context, lenient[0]) != lenient[1]:
            raise


def unknown_parameters(operation: Operation, values: Mapping[str, str]) -> list[str]:
    """Return the names in the query that the operation does not declare (G048, G049)."""
    return [name for name in values if name not in operation.query_names]


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
