"""Response headers of JSON operations: their declaration, and how a function sets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, get_args, get_origin

from msgspec import Struct

T = TypeVar("T")


class Header(Struct, frozen=True):
    """A response header: its meaning, the type of its value (str, int or bool), and whether every answer has it."""

    description: str
    type: type = str
    required: bool = False


class WithHeaders(Struct, Generic[T]):
    """A result together with the values of response headers, by their declared names."""

    result: T
    headers: Mapping[str, object]


def without_headers(annotation: Any) -> Any:
    """Return the type of the result: ``X`` for ``WithHeaders[X]``, any other type unchanged."""
    return get_args(annotation)[0] if get_origin(annotation) is WithHeaders else annotation


def header_lines(declared: Mapping[str, Header], values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the header lines of an answer, in declared order.

    Raises TypeError for an undeclared header, a value of another type, or a missing required header: each is a defect
    of the operation.
    """
    for name, value in values.items():
        if name not in declared or not isinstance(value, declared[name].type):
            raise TypeError(f"the response header {name!r} with {value!r} is not declared so")
    lines = []
    for name, header in declared.items():
        if name in values:
            lines.append((name, _text(values[name])))
        elif header.required:
            raise TypeError(f"the response header {name!r} is required")
    return lines


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
