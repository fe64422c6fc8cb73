"""Containers of the elements of a response, where the documents do not state one."""

from __future__ import annotations

from typing import Any, get_args, get_origin

from .types import LimitedPage, Page

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
