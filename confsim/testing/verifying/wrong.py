"""Calls with one mistake, or at the limit of what is accepted: services read these in different ways."""

from __future__ import annotations

import random as chance
from collections.abc import Iterator
from enum import Enum
from typing import Any, get_origin

import msgspec
from msgspec.structs import replace

from confsim.contract.annotations import peeled, undescribed
from confsim.contract.decode import RESOLVERS
from confsim.contract.operation import Operation
from confsim.contract.types import Ttl
from confsim.testing.learning.calls import ModelCall, kinds_of
from confsim.testing.samples import wrong_fields, wrong_texts

#: A field and a parameter that no document names.
_UNKNOWN = "zzz"


def wrong_calls(call: ModelCall, operation: Operation, random: chance.Random) -> Iterator[ModelCall]:
    """Yield the variants of a call with one mistake."""
    yield from _paths(call, operation)
    yield from _queries(call, operation)
    if operation.body is None or not operation.body.is_json:
        if isinstance(call.body, bytes):
            yield replace(call, body=b"")
            yield replace(call, content_type="application/octet-stream")
        return
    for raw in (b"{", b"", b"[1]", b'"x"', b"null"):
        yield replace(call, body=raw)
    if isinstance(call.body, dict):
        fields = [replace(call, body=body) for body, _ in wrong_fields(operation.body.type, call.body)]
        random.shuffle(fields)
        yield from fields[:12]
        yield from _edges(call, call.body)


def _paths(call: ModelCall, operation: Operation) -> Iterator[ModelCall]:
    kinds = kinds_of(operation.name)
    for parameter in operation.path_parameters:
        if parameter.name in kinds or parameter.annotation in RESOLVERS:
            continue
        for text in (*wrong_texts(parameter.annotation), *_other_forms(parameter.wire, call.path[parameter.name])):
            if text:
                yield replace(call, path={**call.path, parameter.name: text})


def _queries(call: ModelCall, operation: Operation) -> Iterator[ModelCall]:
    kinds = kinds_of(operation.name)
    for asked in operation.query_parameters:
        given = call.query.get(asked.name)
        if asked.name not in kinds:
            for text in (*wrong_texts(asked.wire), *_other_forms(asked.wire, given or "")):
                yield replace(call, query={**call.query, asked.name: text})
        elif given:
            yield replace(call, query={**call.query, asked.name: ""})
        if asked.required and not operation.variant_of:  # without it, the request belongs to another operation
            rest = {name: text for name, text in call.query.items() if name != asked.name}
            yield replace(call, query=rest)
    if not operation.variant_of:
        yield replace(call, query={**call.query, _UNKNOWN: "1"})


def _other_forms(wire: Any, given: str) -> Iterator[str]:
    """Yield other forms of a value that some services accept: capitals, empty items, large numbers."""
    base = peeled(undescribed(wire))[0]
    if isinstance(base, type) and issubclass(base, Enum):
        yield str(next(iter(base)).value).upper()
    elif base is Ttl:
        yield from ("3600", "1000000", "1D", "400d")
    elif base is bool:
        yield from ("TRUE", "1", "yes")
    elif base is int:
        yield from ("1000", "101", "0")
    elif get_origin(base) is list:
        yield f"{given or 'x'},,{given or 'x'}"
        yield ",".join(str(number) for number in range(1, 120))
    elif given:
        yield f" {given} "


def _edges(call: ModelCall, body: dict[str, Any]) -> Iterator[ModelCall]:
    """Yield bodies at the limit: unknown fields, duplicate fields, other types and forms of values, long texts."""
    yield replace(call, body={**body, _UNKNOWN: 1})
    for name, value in body.items():
        text = msgspec.json.encode(body)
        yield replace(call, body=text[:-1] + b"," + msgspec.json.encode({name: value})[1:])
        if isinstance(value, bool):
            yield replace(call, body={**body, name: str(value).lower()})
        elif isinstance(value, int):
            yield replace(call, body={**body, name: str(value)})
            yield replace(call, body={**body, name: float(value)})
        elif isinstance(value, str):
            for other in ("", f" {value} ", value * 40, "é" * 140, "é" * 270, "\U0001f600" * 70, value.upper()):
                yield replace(call, body={**body, name: other})
        elif isinstance(value, list):
            yield replace(call, body={**body, name: []})
            yield replace(call, body={**body, name: [*value, *value]})
