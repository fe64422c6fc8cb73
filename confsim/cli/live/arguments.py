"""Arguments of an operation in the form NAME=VALUE."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from confsim.contract.annotations import mark_of, peeled, struct_of
from confsim.contract.operation import Operation
from confsim.contract.types import ReadAs
from confsim.kernel.refusal import Misuse, suggest

from .at_server import value_of

#: Types of msgspec whose values are JSON strings.
_TEXTS = (
    msgspec.inspect.StrType,
    msgspec.inspect.EnumType,
    msgspec.inspect.DateTimeType,
    msgspec.inspect.UUIDType,
    msgspec.inspect.BytesType,
    msgspec.inspect.NoneType,
)


def sorted_arguments(operation: Operation, words: tuple[str, ...]) -> tuple[dict[str, str], Any]:
    """Return the parameters of path and query, and the body, in NAME=VALUE.

    Raises Misuse for an unknown name, one that is given twice, and an empty parameter of the path, which has no place
    in a path.
    """
    parameters: dict[str, str] = {}
    fields: dict[str, Any] = {}
    raw: bytes | None = None
    types = _types_of_fields(operation)
    for word in words:
        name, mark, value = word.partition("=")
        if word == "-":
            raw = sys.stdin.buffer.read()
        elif not mark:
            raise Misuse(f"{word!r} is not of the form NAME=VALUE; {_takes(operation, types)}")
        elif name in parameters or name in fields:
            raise Misuse(f"{name!r} is given twice; leave one out")
        elif name in operation.placeholders and not value:
            raise Misuse(f"{operation.name}: {name!r} is empty, and a parameter of the path cannot be")
        elif name in operation.placeholders or name in operation.query_names:
            parameters[name] = value
        elif types is None or name not in types:
            if types is not None or not _is_free(operation):
                known = [*operation.placeholders, *operation.query_names, *(types or ())]
                meant = suggest(name, known) if known else ""
                raise Misuse(f"{operation.name} has no {name!r}{meant or f'; {_takes(operation, types)}'}")
            fields[name] = value_of(value)
        else:
            fields[name] = value if _is_text(types[name]) else value_of(value)
    if raw is not None and fields:
        raise Misuse(f"the body is standard input (-) or fields ({', '.join(fields)}), not both")
    return parameters, raw if raw is not None else fields or None


def _types_of_fields(operation: Operation) -> Mapping[str, Any] | None:
    """Return the types of the fields of a body by name; None for a body without declared fields."""
    if operation.body is None:
        return {}
    mark = mark_of(operation.body.type, ReadAs)
    struct = struct_of(mark.type if mark is not None else peeled(operation.body.type)[0])
    if struct is None:
        return None
    return {field.encode_name: field.type for field in msgspec.structs.fields(struct)}


def _is_free(operation: Operation) -> bool:
    """Return whether a body may be an object of any fields."""
    assert operation.body is not None
    mark = mark_of(operation.body.type, ReadAs)
    found = msgspec.inspect.type_info(mark.type if mark is not None else operation.body.type)
    return isinstance(found, msgspec.inspect.AnyType | msgspec.inspect.DictType)


def _is_text(type_: Any) -> bool:
    """Return whether each value of a type is a JSON string, or null."""
    found = msgspec.inspect.type_info(type_)
    options = found.types if isinstance(found, msgspec.inspect.UnionType) else (found,)
    return all(isinstance(each, _TEXTS) for each in options)


def _takes(operation: Operation, types: Mapping[str, Any] | None) -> str:
    """Return what an operation takes, for messages."""
    known = [*operation.placeholders, *operation.query_names, *(types or ())]
    names = f"{operation.name} takes {', '.join(known)}" if known else ""
    if types is None:
        return f"{names or operation.name} {'and' if names else 'takes'} a body that - reads from standard input"
    return names or f"{operation.name} takes no arguments"
