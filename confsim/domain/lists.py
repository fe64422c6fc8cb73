"""Rules common to all lists of the API: matching of searches, order of texts and of ties."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from confsim.assumptions.protocol import conventions
from confsim.assumptions.register import Context, ask

T = TypeVar("T")


def matches(context: Context, wanted: str, *texts: str | None) -> bool:
    """Whether one of the texts matches the search, without case and without wildcards (G092)."""
    sought = wanted.casefold()
    how = ask(context, conventions.SEARCH)
    for text in texts:
        if text is None:
            continue
        folded = text.casefold()
        if how == "anywhere":
            hit = sought in folded
        elif how == "beginning":
            hit = folded.startswith(sought)
        else:
            hit = any(folded.startswith(sought, word.start()) for word in re.finditer(r"\b\w", folded))
        if hit:
            return True
    return False


def text_key(context: Context, text: str) -> str:
    """The sort key of a text (G087)."""
    return text.casefold() if ask(context, conventions.TEXT_ORDER) == "caseless" else text


def ordered(context: Context, oldest_first: Iterable[T], key: Callable[[T], Any], *, descending: bool) -> list[T]:
    """The elements sorted by their key; the order of equal keys is by G086."""
    if descending and ask(context, conventions.TIES) == "direction":
        found = sorted(oldest_first, key=key)
        found.reverse()
        return found
    return sorted(oldest_first, key=key, reverse=descending)
