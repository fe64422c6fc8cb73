"""Mutants of what is exchanged: bodies, units, pages, repetitions, tenants, writes, orders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec
from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.service.messages import Request, Response
from confsim.testing.learning.comparing.places import (
    FREE,
    IGNORED,
    LINKS,
    Either,
    Elements,
    Entries,
    ObjectShape,
    Shapes,
    Value,
)
from confsim.testing.verifying.sweeping.finding import rows_of
from kit import API_TOKEN, OTHER_ADMIN
from kit.beside import Beside

from .mutant import Exchange, Mutant

_SHAPES = Shapes({})


def _matches(operation: Operation) -> Callable[[Request], bool]:
    """Whether a request is one of an operation."""
    prefix = operation.catalogue.prefix_under({})
    pattern = re.compile(re.escape(prefix) + re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(operation.path)) + "$")
    literal = [
        each for each in API if each.method == operation.method and each.path.count("{") < operation.path.count("{")
    ]
    others = [
        re.compile(re.escape(prefix) + re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(each.path)) + "$") for each in literal
    ]

    def matches(request: Request) -> bool:
        if request.method != operation.method or not pattern.match(request.target):
            return False
        if ("meetingId=" in request.query) != (operation.name == "find_channel_by_meeting_id"):
            return False
        return not any(each.match(request.target) for each in others)

    return matches


def _pattern(operation: Operation) -> re.Pattern[str]:
    prefix = operation.catalogue.prefix_under({})
    return re.compile(re.escape(prefix) + re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(operation.path)) + "$")


def _altered(operation: Operation, alter: Callable[[Any], Any], beside: Beside, exchange: Exchange) -> Exchange:
    """Exchanges in which the JSON bodies of successful answers of an operation are altered."""
    matches = _matches(operation)

    def exchanging(request: Request) -> Response:
        response = exchange(request)
        if response.status >= 400 or not response.body or not matches(request):
            return response
        try:
            body = alter(msgspec.json.decode(response.body))
        except (msgspec.DecodeError, LookupError, TypeError):
            return response
        return Response(response.status, response.headers, msgspec.json.encode(body))

    return exchanging


def _leaves(shape: Any, pointer: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Value]]:
    if isinstance(shape, Value):
        yield pointer, shape
    elif isinstance(shape, ObjectShape):
        for name, inner in shape.fields.items():
            yield from _leaves(inner, (*pointer, name))
    elif isinstance(shape, Elements):
        yield from _leaves(shape.element, (*pointer, "*"))
    elif isinstance(shape, Either):
        yield from _leaves(shape.shapes[0], pointer)
    elif isinstance(shape, Entries):
        yield from _leaves(shape.value, (*pointer, "*"))


def _at(body: Any, pointer: tuple[str, ...], change: Callable[[Any, Any], None]) -> Any:
    """The body with the values at a place changed by ``change(holder, name)``."""
    first, *rest = pointer
    places = (range(len(body)) if isinstance(body, list) else list(body)) if first == "*" else [first]
    for place in places:
        if rest:
            if isinstance(body, list) or place in body:
                _at(body[place], tuple(rest), change)
        elif isinstance(body, list) or place in body:
            change(body, place)
    return body


def _drop(holder: Any, name: Any) -> None:
    if isinstance(holder, dict):
        del holder[name]


def _other(holder: Any, name: Any) -> None:
    value = holder[name]
    if isinstance(value, bool):
        holder[name] = not value
    elif isinstance(value, int | float):
        holder[name] = value + 1
    elif isinstance(value, str):
        holder[name] = f"{value}x"


def _times(factor: float, holder: Any, name: Any) -> None:
    if isinstance(holder[name], int):
        holder[name] = int(holder[name] * factor)


def bodies() -> Iterator[Mutant]:
    """Fields that are missing, and fields with another value."""
    for operation in API:
        for pointer, value in _leaves(_SHAPES.answer(operation), ()):
            if not pointer or pointer[-1] == "*":
                continue
            key, name = ("field", operation.name, pointer), f"{operation.name} /{'/'.join(pointer)}"
            drop = partial(_altered, operation, partial(_at, pointer=pointer, change=_drop))
            yield Mutant("bodies", f"{name} is missing", key, wrap=drop)
            if not value.kind and not value.unit:
                other = partial(_altered, operation, partial(_at, pointer=pointer, change=_other))
                yield Mutant("bodies", f"{name} is another", key, wrap=other)
            elif value.kind not in (FREE, IGNORED, LINKS) and not value.unit:
                known = partial(_altered, operation, partial(_at, pointer=pointer, change=_other))
                yield Mutant("bodies", f"{name} names another", key, wrap=known)


def units() -> Iterator[Mutant]:
    """Instants in another unit."""
    for operation in API:
        for pointer, value in _leaves(_SHAPES.answer(operation), ()):
            if value.unit and value.unit != "iso-8601":
                for factor, word in ((1000, "thousand times as large"), (1 / 1000, "a thousandth")):
                    change = partial(_times, factor)
                    yield Mutant(
                        "units",
                        f"{operation.name} /{'/'.join(pointer)} is {word}",
                        ("field", operation.name, pointer),
                        wrap=partial(_altered, operation, partial(_at, pointer=pointer, change=change)),
                    )


def _asked(
    operation: Operation, alter: Callable[[dict[str, str]], object], beside: Beside, exchange: Exchange
) -> Exchange:
    """Exchanges in which the query of an operation is altered."""
    matches = _matches(operation)

    def exchanging(request: Request) -> Response:
        if not request.query or not matches(request):
            return exchange(request)
        query = dict(parse_qsl(request.query, keep_blank_values=True))
        alter(query)
        return exchange(replace(request, query=urlencode(query)))

    return exchanging


def _plus_one(name: str, query: dict[str, str]) -> None:
    if query.get(name, "").isdigit():
        query[name] = str(int(query[name]) + 1)


def _with_rows(change: Callable[[list[Any]], list[Any]], body: Any) -> Any:
    if isinstance(body, list):
        return change(body)
    for name in ("results", "rows"):
        if isinstance(body.get(name), list):
            return {**body, name: change(body[name])}
    raise LookupError


def _total(body: Any) -> Any:
    return {**body, "total": len(rows_of(body) or ())}


def _one_more(body: Any) -> Any:
    return {**body, "total": body["total"] + 1}


def _without_last(body: Any) -> Any:
    return _with_rows(lambda rows: rows[:-1], body)


def paging() -> Iterator[Mutant]:
    """Limits and offsets that are ignored or off by one, totals that are wrong, last elements that are missing."""
    for operation in API:
        names = operation.query_names
        if "limit" not in names:
            continue
        for name in ("limit", "offset"):
            key = ("cut by", operation.name, name)
            ignored = partial(_asked, operation, lambda query, name=name: query.pop(name, None))
            yield Mutant("paging", f"{operation.name} ignores its {name}", key, wrap=ignored)
            more = partial(_asked, operation, partial(_plus_one, name))
            yield Mutant("paging", f"{operation.name} has one {name} too many", key, wrap=more)
        cut, some = ("cut by", operation.name, "limit"), ("elements", operation.name, 1)
        shape = _SHAPES.answer(operation)
        for alter, what, key in ((_total, "of the page", cut), (_one_more, "off by one", some)):
            if isinstance(shape, ObjectShape) and "total" in shape.fields:
                wrap = partial(_altered, operation, alter)
                yield Mutant("paging", f"{operation.name}: total {what}", key, wrap=wrap)
        yield Mutant(
            "paging", f"{operation.name}: last is missing", some, wrap=partial(_altered, operation, _without_last)
        )


def _reversed(body: Any) -> Any:
    return _with_rows(lambda rows: rows[::-1], body)


def ordering() -> Iterator[Mutant]:
    """Lists in the opposite order, sorts and directions that are ignored."""
    for operation in API:
        shape = _SHAPES.answer(operation)
        fields = shape.fields if isinstance(shape, ObjectShape) else {}
        if isinstance(shape, Elements) or any(
            isinstance(each, Elements) for each in (fields.get("results"), fields.get("rows"))
        ):
            key = ("elements", operation.name, 2)
            yield Mutant("ordering", f"{operation.name} is reversed", key, wrap=partial(_altered, operation, _reversed))
        for name in ("sort", "order"):
            if name in operation.query_names:
                ignored = partial(_asked, operation, lambda query, name=name: query.pop(name, None))
                key = ("sorted by", operation.name, name)
                yield Mutant("ordering", f"{operation.name} ignores its {name}", key, wrap=ignored)


def _refusing_again(operation: Operation, beside: Beside, exchange: Exchange) -> Exchange:
    matches, last = _matches(operation), [()]

    def exchanging(request: Request) -> Response:
        if not matches(request):
            if request.method != "GET":
                last[0] = ()
            return exchange(request)
        same = request.target, request.query, request.body, request.headers.get("authorization")
        if same == last[0]:
            return _refusal(409)
        response = exchange(request)
        last[0] = same if response.status < 400 else ()
        return response

    return exchanging


def _answering_again(operation: Operation, beside: Beside, exchange: Exchange) -> Exchange:
    matches, known = _matches(operation), dict[Any, Response]()

    def exchanging(request: Request) -> Response:
        if not matches(request):
            return exchange(request)
        same = request.target, request.query, request.body, request.headers.get("authorization")
        if same not in known:
            response = exchange(request)
            if response.status >= 400:
                return response
            known[same] = response
        return known[same]

    return exchanging


def _refusal(status: int) -> Response:
    body = msgspec.json.encode({"status": status, "code": "conflict", "message": "No."})
    return Response(status, [("Content-Type", "application/json")], body)


def idempotency() -> Iterator[Mutant]:
    """Calls that are refused, or not made, when they are made again."""
    for operation in API:
        if operation.changes:
            key = ("repeatable", operation.name)
            yield Mutant(
                "idempotency", f"{operation.name} is refused again", key, wrap=partial(_refusing_again, operation)
            )
            if operation.creates:
                again = partial(_answering_again, operation)
                yield Mutant("idempotency", f"{operation.name} answers again what it made", key, wrap=again)


def _as(token: str, request: Request) -> Request:
    return replace(request, headers={**request.headers, "authorization": f"Bearer {token}"})


def _by_owner(beside: Beside, exchange: Exchange, request: Request) -> Response:
    """Exchange a request as the API token of the client that has what it names."""
    change = beside.simulator.service.change()
    others = [each.value for each in CREDENTIALS.of(change).all if each.user is None and each.value != API_TOKEN]
    response = exchange(_as(API_TOKEN, request))
    for token in others if response.status in (401, 403, 404) else ():
        response = exchange(_as(token, request))
        if response.status < 400:
            break
    return response


def _leaking(operation: Operation, beside: Beside, exchange: Exchange) -> Exchange:
    matches = _matches(operation)

    def exchanging(request: Request) -> Response:
        if OTHER_ADMIN in request.headers.get("authorization", "") and matches(request):
            return _by_owner(beside, exchange, request)
        return exchange(request)

    return exchanging


def leaks() -> Iterator[Mutant]:
    """Another tenant's things, which an operation reads or changes."""
    for operation in API:
        if "uuid" in operation.placeholders or "userId" in operation.placeholders:
            key = ("refused other", operation.name)
            yield Mutant("tenant leak", operation.name, key, wrap=partial(_leaking, operation))


def _losing(operation: Operation, beside: Beside, exchange: Exchange) -> Exchange:
    matches, service = _matches(operation), beside.simulator.service

    def exchanging(request: Request) -> Response:
        if not matches(request):
            return exchange(request)
        before = service.world
        response = exchange(request)
        if response.status < 400:
            service.live.world = before
        return response

    return exchanging


def _applying(operation: Operation, beside: Beside, exchange: Exchange) -> Exchange:
    matches = _matches(operation)

    def exchanging(request: Request) -> Response:
        response = exchange(request)
        if response.status in (401, 403) and matches(request):
            _by_owner(beside, exchange, request)
        return response

    return exchanging


def _halving(operation: Operation, beside: Beside, exchange: Exchange) -> Exchange:
    matches = _matches(operation)

    def exchanging(request: Request) -> Response:
        if matches(request) and request.body.startswith(b"{"):
            try:
                body = msgspec.json.decode(request.body)
            except msgspec.DecodeError:
                return exchange(request)
            if len(body) > 1:
                body.popitem()
                return exchange(replace(request, body=msgspec.json.encode(body)))
        return exchange(request)

    return exchanging


def partial_writes() -> Iterator[Mutant]:
    """Changes that are answered and not made, that are refused and made, that are made by half."""
    for operation in API:
        if not operation.changes:
            continue
        yield Mutant(
            "partial write", f"{operation.name} is lost", ("seen", operation.name), wrap=partial(_losing, operation)
        )
        if "uuid" in operation.placeholders:
            key = ("refused and possible", operation.name)
            yield Mutant(
                "partial write", f"{operation.name} is refused and made", key, wrap=partial(_applying, operation)
            )
        if operation.body is not None and operation.body.is_json and len(operation.body.fields) > 1:
            key = ("two fields", operation.name)
            yield Mutant("partial write", f"{operation.name} is made by half", key, wrap=partial(_halving, operation))
