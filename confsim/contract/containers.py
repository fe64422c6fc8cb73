"""Containers of the elements of a response, where the documents do not say which is used."""

from __future__ import annotations

from typing import Any, get_args

from .types import Page

#: A bare array, {total, results}, an object from id to element, the element itself where there is exactly one.
#: An object with the elements as ``keys``, an object from key to value.
ARRAY, PAGE, BY_ID, SINGLE, KEYS, VALUES = "array", "page", "by-id", "single", "keys", "values"


def container_type(container: str, declared: Any) -> Any:
    """The type of a response that is declared as a list or a page, when its elements are in ``container``."""
    element: Any = get_args(declared)[0]
    if container == PAGE:
        return Page[element]
    if container == BY_ID:
        return dict[str, element]
    if container in {KEYS, VALUES}:
        return dict[str, list[element]] if container == KEYS else dict[str, Any]
    return element | list[element] if container == SINGLE else list[element]


def contain(container: str, result: Any) -> Any:
    """The elements of a list or a page, in ``container``."""
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
