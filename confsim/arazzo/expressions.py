"""Runtime expressions: ``$inputs.name``, ``$steps.id.outputs.name``, ``$response.body#/pointer``, ``{$…}`` in texts.

Own code: the grammar is Arazzo's own (1.0.1, Runtime Expressions), and no library parses it by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from confsim.kernel.refusal import Misuse

from .exchange import StepExchange, read_json

#: The start of an expression; any other text that starts with a dollar sign is plain text.
_WORD = re.compile(
    r"\$(?:url|method|statusCode|request|response|inputs|outputs|steps|workflows|sourceDescriptions|components)\b"
)
_EMBEDDED = re.compile(r"\{(\$[^{}]+)\}")


class Unresolved(Exception):
    """Raised when an expression refers to something that does not exist."""


class ExpressionScope(Struct):
    """The values that expressions refer to: inputs, outputs of steps and of workflows, and the exchange of this step.

    ``steps`` holds the outputs of steps by id, ``workflows`` the inputs and outputs of workflows by id, ``outputs``
    those of the workflow that this step called, ``sources`` the URLs of the source descriptions by name.
    """

    inputs: Mapping[str, Any] = field(default_factory=dict)
    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    workflows: dict[str, dict[str, Any]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)
    exchange: StepExchange | None = None


class Expression:
    """A parsed expression: the words between its dots, and the JSON pointer after ``#``. Raises Misuse."""

    __slots__ = ("pointer", "text", "words")

    def __init__(self, text: str) -> None:
        head, mark, pointer = text.partition("#")
        self.text = text
        self.words = head[1:].split(".")
        self.pointer = pointer if mark else None
        problem = _wrong(self)
        if problem:
            raise Misuse(f"{text!r} {problem}")

    def value(self, scope: ExpressionScope) -> Any:
        """Return the value of the expression. Raises Unresolved when there is none."""
        try:
            found = _ROOTS[self.words[0]](self, scope)
            return found if self.pointer is None else at_pointer(found, self.pointer)
        except (KeyError, IndexError, ValueError, TypeError):
            raise Unresolved(f"{self.text} names nothing that is there") from None


def _wrong(expression: Expression) -> str:
    words, count = expression.words, len(expression.words)
    root = words[0]
    if root not in _ROOTS:
        return f"is no expression that can be used here; there are ${', $'.join(_ROOTS)}"
    if root in {"url", "method", "statusCode"} and count > 1:
        return "has a name too many"
    if root in {"request", "response"}:
        places = ("header", "query", "path", "body") if root == "request" else ("header", "body")
        if count < 2 or words[1] not in places or (words[1] != "body" and count < 3):
            return f"names none of ${root}.{f', ${root}.'.join(places)}"
    if root in {"inputs", "outputs"} and count < 2:
        return "lacks a name"
    if root == "steps" and (count < 4 or words[2] != "outputs"):
        return "is not of the form $steps.<id>.outputs.<name>"
    if root == "workflows" and (count < 4 or words[2] not in {"inputs", "outputs"}):
        return "is not of the form $workflows.<id>.outputs.<name>"
    if root == "sourceDescriptions" and (count != 3 or words[2] != "url"):
        return "is not of the form $sourceDescriptions.<name>.url"
    if expression.pointer is not None and expression.pointer and not expression.pointer.startswith("/"):
        return "has a JSON pointer that does not start with a slash"
    return ""


def _exchange(scope: ExpressionScope) -> StepExchange:
    if scope.exchange is None:
        raise KeyError
    return scope.exchange


def _request(expression: Expression, scope: ExpressionScope) -> Any:
    exchange, (_, place, *rest) = _exchange(scope), expression.words
    if place == "body":
        return descend(read_json(exchange.call.request.body), rest)
    name = ".".join(rest)
    if place == "header":
        return exchange.call.request.headers[name.lower()]
    return (exchange.parameters if place == "path" else exchange.call.query)[name]


def _response(expression: Expression, scope: ExpressionScope) -> Any:
    exchange, (_, place, *rest) = _exchange(scope), expression.words
    if place == "body":
        return descend(read_json(exchange.response.body), rest)
    return exchange.headers[".".join(rest).lower()]


_ROOTS: dict[str, Callable[[Expression, ExpressionScope], Any]] = {
    "inputs": lambda expression, scope: descend(scope.inputs, expression.words[1:]),
    "outputs": lambda expression, scope: descend(scope.outputs, expression.words[1:]),
    "steps": lambda expression, scope: descend(scope.steps[expression.words[1]], expression.words[3:]),
    "workflows": lambda expression, scope: descend(scope.workflows, expression.words[1:]),
    "sourceDescriptions": lambda expression, scope: scope.sources[expression.words[1]],
    "request": _request,
    "response": _response,
    "url": lambda expression, scope: _exchange(scope).url,
    "method": lambda expression, scope: _exchange(scope).call.request.method,
    "statusCode": lambda expression, scope: _exchange(scope).response.status,
}


def descend(value: Any, names: list[str]) -> Any:
    """Return the value below these names. Raises KeyError, IndexError, ValueError or TypeError when there is none."""
    for name in names:
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def at_pointer(value: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer (RFC 6901). Raises like ``descend`` when there is none."""
    return descend(value, pointer_tokens(pointer))


def pointer_tokens(pointer: str) -> list[str]:
    """Return the reference tokens of a JSON pointer."""
    return [name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:]]


def is_expression(value: object) -> bool:
    """Return whether the value is one expression and nothing else."""
    return isinstance(value, str) and _WORD.match(value) is not None


def expressions(value: Any) -> Iterator[Expression]:
    """Yield every expression in a value, at any depth. Raises Misuse for an invalid one."""
    if is_expression(value):
        yield Expression(value)
    elif isinstance(value, str):
        for match in _EMBEDDED.finditer(value):
            yield Expression(match[1])
    elif isinstance(value, dict):
        for part in value.values():
            yield from expressions(part)
    elif isinstance(value, list):
        for part in value:
            yield from expressions(part)


def evaluated(value: Any, scope: ExpressionScope) -> Any:
    """Return the value with its expressions evaluated; one in ``{}`` becomes part of the text around it."""
    if is_expression(value):
        return Expression(value).value(scope)
    if isinstance(value, str):
        return _EMBEDDED.sub(lambda match: as_text(Expression(match[1]).value(scope)), value)
    if isinstance(value, dict):
        return {name: evaluated(part, scope) for name, part in value.items()}
    if isinstance(value, list):
        return [evaluated(part, scope) for part in value]
    return value


def as_text(value: Any) -> str:
    """Return the value as part of a text, a path or a query: lists are joined with commas, as in the API."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return ",".join(map(as_text, value))
    return msgspec.json.encode(value).decode()
