"""Answers beside their fields: the containers of elements, and response headers."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, get_args, get_origin

from msgspec import Struct

from confsim.contract.types import LimitedPage, Page

#: A bare array, {total, results}, an object from id to element, or the element itself if there is exactly one; an
#: object with the elements as ``keys``, or one from key to value.
ARRAY, PAGE, BY_ID, SINGLE, KEYS, VALUES = "array", "page", "by-id", "single", "keys", "values"


def container_type(container: str, declared: Any) -> Any:
    """Return the type of a response that is declared as a list or a page, with its elements in ``container``."""
    element: Any = get_args(declared)[0]
    if container == PAGE:
        return declared if get_origin(declared) in {Page, LimitedPage} else Page[element]
    if container == BY_ID:
        return dict[str, element]
    if container in {KEYS, VALUES}:
        return dict[str, list[element]] if container == KEYS else dict[str, Any]
    return element | list[element] if container == SINGLE else list[element]


def with_limits(page: Any) -> Any:
    """Return the type of a page that shows its limit and offset (G078)."""
    element: Any = get_args(page)[0]
    return LimitedPage[element]


def contain(container: str, result: Any) -> Any:
    """Return the elements of a list or a page in ``container``."""
    if container == PAGE:
        return result if isinstance(result, Page) else Page(total=len(result), results=result)
    if container == VALUES:
        return result
    elements = result.results if isinstance(result, Page) else result
    if container == KEYS:
        return {"keys": elements}
    if container == BY_ID:
        return {str(element.id): element for element in elements}
    return elements[0] if container == SINGLE and len(elements) == 1 else elements


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
