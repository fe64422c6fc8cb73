"""Encoding: results to responses, as JSON in the shape of the return type, or empty for an operation without one."""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from confsim.assumptions import Context, ask, context_of
from confsim.assumptions.protocol import refusals, wire

from .annotations import fields_of, mark_of
from .headers import WithHeaders, contain, header_lines
from .operation import Contract
from .types import AlwaysOmitted

_JSON = ("Content-Type", "application/json")


class Raw(Struct):
    """A response that is not JSON: bytes of a media type, with their header lines."""

    content_type: str
    data: bytes
    headers: tuple[tuple[str, str], ...] = ()


class NoContent(Struct, frozen=True):
    """The response 204 without a body. Declared as ``X | NoContent``."""


NO_CONTENT = NoContent()
#: Results that are not encoded as JSON.
_OTHERS = frozenset({WithHeaders, Raw, NoContent})


def encode(context: Context, contract: Contract, result: Any) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return the response to a successful call: status, header lines (Content-Type first) and body (R002)."""
    if result is None and contract.empty:
        status, kind, body = _EMPTY[ask(context, wire.EMPTY)]
        return status, [("Content-Type", kind)] if kind else [], body
    context_of(context).used.update(contract.shown)
    if type(result) in _OTHERS:
        return _other(context, contract, result)
    if contract.container is not None:
        result = contain(ask(context, contract.container), result)
    if contract.has_options:
        absent = ask(context, wire.ABSENT)
        if absent != "omit":
            result = with_nulls(result, absent)
    if contract.has_big_numbers and ask(context, wire.NUMBERS) == "texts":
        result = _with_texts(msgspec.to_builtins(result, str_keys=True))
    status = ask(context, refusals.CREATED) if contract.creates else 200
    return status, [_JSON], msgspec.json.encode(result)


@cache
def _always_omitted(kind: type[Struct]) -> frozenset[str]:
    return frozenset(each.encode_name for each in fields_of(kind) if mark_of(each.type, AlwaysOmitted) is not None)


def _other(context: Context, contract: Contract, result: Any) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return the response for a result that is more than JSON, or none."""
    if isinstance(result, WithHeaders):
        status, lines, body = encode(context, contract, result.result)
        return status, lines + header_lines(contract.headers, result.headers), body
    if isinstance(result, Raw):
        return 200, [("Content-Type", result.content_type), *result.headers], result.data
    return 204, [], b""


_EMPTY = {
    "200": (200, "", b""),
    "200 {}": (200, "application/json", b"{}"),
    "204": (204, "", b""),
    "200 true": (200, "application/json", b"true"),
}


def _with_texts(value: Any) -> Any:
    """Return plain JSON with texts for decimals and for integers beyond 32 bits (G100)."""
    if isinstance(value, dict):
        return {name: _with_texts(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_texts(item) for item in value]
    big = isinstance(value, float) or (isinstance(value, int) and not -(2**31) <= value < 2**31)
    return str(value) if big else value


def with_nulls(value: Any, fields: str | tuple[str, ...]) -> Any:
    """Return the value as plain JSON with null for absent options: those named in ``fields``, or with "null" all."""
    if isinstance(value, Struct):
        kind = type(value)
        members = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
        return {
            name: with_nulls(member, fields)
            for name, member in ((name, getattr(value, field)) for name, field in members)
            if member is not None or ((fields == "null" or name in fields) and name not in _always_omitted(kind))
        }
    if isinstance(value, list | tuple):
        return [with_nulls(item, fields) for item in value]
    if isinstance(value, dict):
        return {name: with_nulls(item, fields) for name, item in value.items()}
    return value
