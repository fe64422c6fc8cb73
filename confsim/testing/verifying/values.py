"""Values of parameters and fields that have few: enumerations in paths, switches in bodies."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any

from confsim.contract.annotations import fields_of, peeled, struct_of, undescribed, without_none
from confsim.contract.operation import Operation
from confsim.testing.learning.calls import ModelCall

#: A place, which is a parameter or a field, and the text of a value there.
Value = tuple[str, str]


def values_of(call: ModelCall) -> Iterator[Value]:
    """Return the values that a call has in such places."""
    for place, text in choices(call.declared):
        if _at(call, place) == text:
            yield place, text


@cache
def choices(operation: Operation) -> tuple[Value, ...]:
    """Return the values that calls of an operation can have in such places."""
    found: list[Value] = []
    for parameter in operation.path_parameters:
        base = peeled(undescribed(parameter.wire))[0]
        if isinstance(base, type) and issubclass(base, Enum):
            found += [(parameter.name, str(each.value)) for each in base]
    struct = struct_of(operation.body.type) if operation.body is not None and operation.body.is_json else None
    for field in () if struct is None else fields_of(struct):
        if peeled(undescribed(without_none(field.type)))[0] is bool:
            found += [(field.encode_name, str(each)) for each in (True, False)]
    return tuple(found)


def _at(call: ModelCall, place: str) -> Any:
    body = call.body if isinstance(call.body, dict) else {}
    return call.path.get(place, str(body[place]) if place in body else None)
