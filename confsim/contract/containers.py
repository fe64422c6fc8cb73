"""Containers of the elements of an answer, where the documents leave open which it is."""

from __future__ import annotations

from typing import Any, get_args

from .types import Page

#: A bare array, {total, results}, an object from id to element, or the element itself where there is just one.
ARRAY, PAGE, BY_ID, SINGLE = "array", "page", "by-id", "single"


def typed(container: str, declared: Any) -> Any:
    """The type of an answer that is declared as a list or a page of something, in another container."""
    element: Any = get_args(declared)[0]
    if container == PAGE:
        return Page[element]
    if container == BY_ID:
        return dict[str, element]
    return element | list[element] if container == SINGLE else list[element]


def filled(container: str, answer: Any) -> Any:
    """The elements of a list or a page in another container."""
    if container == PAGE:
        return answer if isinstance(answer, Page) else Page(total=len(answer), results=answer)
    elements = answer.results if isinstance(answer, Page) else answer
    if container == BY_ID:
        return {str(element.id): element for element in elements}
    return elements[0] if container == SINGLE and len(elements) == 1 else elements
