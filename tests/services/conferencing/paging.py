"""Pages, orders and searches."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from services.conferencing.context import Context
from services.conferencing.errors import invalid

T = TypeVar("T")
Key = Callable[[T], Any]


def _number(ctx: Context, name: str, default: int) -> int:
    text = ctx.request.args.get(name, "")
    if text == "":
        return default
    if re.fullmatch(r"-?[0-9]{1,9}", text):
        return int(text)
    if ctx.style.paging.not_a_number == "reject":
        raise invalid(name, "number", "bad_query")
    return default


def window(ctx: Context) -> tuple[int, int]:
    """The limit and offset asked for, as the style bounds them."""
    rules = ctx.style.paging
    limit = _number(ctx, "limit", rules.default)
    offset = _number(ctx, "offset", 0)
    if limit < 0 or (limit == 0 and rules.zero == "reject"):
        raise invalid("limit", "range", "bad_query")
    if limit == 0 and rules.zero == "default":
        limit = rules.default
    if limit > rules.most:
        if rules.over_most == "reject":
            raise invalid("limit", "range", "bad_query")
        limit = rules.most
    if offset < 0:
        if rules.negative_offset == "reject":
            raise invalid("offset", "range", "bad_query")
        offset = 0
    return limit, offset


def page(ctx: Context, items: Sequence[T], show: Callable[[T], Any]) -> dict[str, Any]:
    """The page asked for of the elements, with their total."""
    limit, offset = window(ctx)
    return {"total": len(items), "results": [show(item) for item in items[offset : offset + limit]]}


def bare(ctx: Context, items: Sequence[T]) -> Sequence[T]:
    """The part asked for of a list that is returned bare."""
    if ctx.style.paging.bare_lists == "whole" and not ({"limit", "offset"} & set(ctx.request.args)):
        return items
    limit, offset = window(ctx)
    return items[offset : offset + limit]


def ordered(ctx: Context, items: Sequence[T], keys: dict[str, Key[T]], sort: str, order: str) -> list[T]:
    """The elements, given oldest first, in the order asked for; sort and order are the defaults."""
    rules = ctx.style.paging
    asked_sort = ctx.request.args.get("sort") or sort
    asked_order = ctx.request.args.get("order") or order
    if rules.order_any_case:
        asked_order = asked_order.lower()
    if asked_sort not in keys:
        if rules.bad_sort == "reject":
            raise invalid("sort", "choice", "bad_query")
        asked_sort = sort
    if asked_order not in ("asc", "desc"):
        if rules.bad_sort == "reject":
            raise invalid("order", "choice", "bad_query")
        asked_order = order
    key, down = keys[asked_sort], asked_order == "desc"
    pile = list({key(item): item for item in items}.values()) if ctx.bug("equal-keys-merged") else list(items)
    if rules.tie == "desc" or (rules.tie == "follow" and down):
        pile.reverse()
    if ctx.bug("ties-change-by-page") and ctx.request.args.get("offset", "0") != "0":
        pile.reverse()
    known = sorted((i for i in pile if key(i) is not None), key=key, reverse=False) if not down else _falling(pile, key)
    blank = [i for i in pile if key(i) is None]
    return blank + known if rules.nothing == "first" else known + blank


def _falling(pile: list[T], key: Key[T]) -> list[T]:
    """The elements with a key, highest first, ties as they come."""
    return sorted((i for i in pile if key(i) is not None), key=key, reverse=True)


def name_key(ctx: Context, name: str) -> str:
    """A name as it is sorted."""
    return name.casefold() if ctx.style.paging.name_sort_any_case else name


def matches(ctx: Context, sought: str | None, *texts: str | None) -> bool:
    """Whether a search finds any of the texts; an empty search finds everything."""
    if sought is None or not sought.strip():
        return True
    rules = ctx.style.paging
    fold = rules.search_any_case and not ctx.bug("search-minds-case")
    sought = sought.strip().casefold() if fold else sought.strip()
    for text in texts:
        if text is None:
            continue
        text = text.casefold() if fold else text
        if rules.search == "contains" and sought in text:
            return True
        if rules.search == "prefix" and any(word.startswith(sought) for word in [text, *text.split()]):
            return True
        if rules.search == "words" and all(word in text for word in sought.split()):
            return True
    return False
