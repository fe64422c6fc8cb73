"""Readers of annotations: limits of texts, kinds of things, optional fields.

Own code, as ``msgspec.inspect`` drops marks of ours such as ``Sized`` and ``Names``.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from .types import Names

M = TypeVar("M")


def mark_of(annotation: Any, kind: type[M]) -> M | None:
    """The mark of this kind on a type, optional or not; None where there is none."""
    for option in get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,):
        if get_origin(option) is Annotated:
            for mark in get_args(option)[1:]:
                if isinstance(mark, kind):
                    return mark
    return None


def named(annotation: Any) -> tuple[Any, str | None]:
    """The type without its ``Names`` mark, and the kind of thing that the mark says; None without one.

    The mark on the elements of a list says what the list names.
    """
    if get_origin(annotation) is list:
        element, kind = named(get_args(annotation)[0])
        return (annotation if kind is None else GenericAlias(list, (element,))), kind
    if get_origin(annotation) is not Annotated:
        return annotation, None
    base, *marks = get_args(annotation)
    base, kind = named(base)
    rest = []
    for mark in marks:
        if isinstance(mark, Names):
            kind = mark.kind
        else:
            rest.append(mark)
    return Annotated[(base, *rest)] if rest else base, kind


def without_none(annotation: Any) -> Any:
    """The type of an optional parameter without its None."""
    if get_origin(annotation) in {Union, UnionType}:
        options = [option for option in get_args(annotation) if option is not NoneType]
        if len(options) == 1:
            return options[0]
    return annotation


def struct_of(type_: Any) -> type[Struct] | None:
    """The type itself when its values are JSON objects of known fields."""
    return type_ if isinstance(type_, type) and issubclass(type_, Struct) else None


def big_numbers(type_: Any) -> Iterator[Any]:
    """The types of the decimals, and of the integers of more than 32 bits, that a type holds at any depth."""
    if type_ is float or type_ is int:
        yield type_
    if get_origin(type_) is Annotated:
        base, *marks = get_args(type_)
        if base is int and any(isinstance(mark, msgspec.Meta) and (mark.le or 0) < 2**31 for mark in marks):
            return
        yield from big_numbers(base)
        return
    struct = struct_of(get_origin(type_) or type_)
    for field in () if struct is None else msgspec.structs.fields(struct):
        yield from big_numbers(field.type)
    for part in get_args(type_):
        yield from big_numbers(part)


def optional_fields(type_: Any) -> Iterator[str]:
    """The names of the optional fields of a type, at any depth."""
    struct = struct_of(get_origin(type_) or type_)
    for field in () if struct is None else msgspec.structs.fields(struct):
        if field.default is None:
            yield field.encode_name
        yield from optional_fields(field.type)
    for part in get_args(type_):
        yield from optional_fields(part)
