"""Readers of annotations: descriptions, limits of texts, kinds of things, optional fields.

A plain text in an ``Annotated`` describes the parameter or field for the reference and the OpenAPI document. Own code,
as ``msgspec.inspect`` drops marks of ours such as ``Sized`` and ``Names``.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo

from confsim.assumptions import in_force

from .types import Chosen, Names, Said

M = TypeVar("M")


def peeled(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the type below an ``Annotated``, and its marks; none for any other annotation."""
    if get_origin(annotation) is not Annotated:
        return annotation, ()
    base, *marks = get_args(annotation)
    return base, tuple(marks)


def options_of(type_: Any) -> tuple[Any, ...]:
    """Return the alternatives of a union; any other type alone."""
    return get_args(type_) if get_origin(type_) in {Union, UnionType} else (type_,)


def undescribed(annotation: Any) -> Any:
    """Return the annotation without the text that describes it."""
    base, marks = peeled(annotation)
    others = tuple(mark for mark in marks if not isinstance(mark, str))
    return Annotated[(base, *others)] if others else base


def description_of(annotation: Any) -> str:
    """Return the text that describes a parameter or field: its own, or that of its type; "" for none."""
    base, marks = peeled(annotation)
    own = [mark for mark in marks if isinstance(mark, str)]
    if own:
        return own[-1]
    options = (option for option in options_of(base) if option is not annotation)
    return next((text for option in options if (text := description_of(option))), "")


def with_said(text: str, annotation: Any, profile: Mapping[str, Any]) -> str:
    """Return the text that describes a parameter or field, with what a profile says of it."""
    mark = mark_of(annotation, Said)
    return text if mark is None else " ".join(filter(None, (text, mark.text(profile))))


def mark_of(annotation: Any, kind: type[M]) -> M | None:
    """Return the mark of this kind on a type, optional or not; None when there is none."""
    for option in (annotation, *options_of(peeled(annotation)[0])):
        for mark in peeled(option)[1]:
            if isinstance(mark, kind):
                return mark
    return None


def chosen(annotation: Any, profile: Mapping[str, Any]) -> Any:
    """Return the type that a profile chooses if the annotation has several; any other annotation unchanged."""
    for mark in peeled(annotation)[1]:
        if isinstance(mark, Chosen):
            return mark.types[in_force(profile, mark.entry)]
    return annotation


def named(annotation: Any) -> tuple[Any, str | None]:
    """Return the type without its description and its ``Names`` mark, and the kind of thing in that mark, or None.

    The mark on the elements of a list applies to the list.
    """
    base, marks = peeled(annotation)
    if get_origin(base) is list:
        element, kind = named(get_args(base)[0])
        base = base if kind is None else GenericAlias(list, (element,))
    elif marks:
        base, kind = named(base)
    else:
        return base, None
    rest = []
    for mark in marks:
        if isinstance(mark, Names):
            kind = mark.kind
        elif not isinstance(mark, str):
            rest.append(mark)
    return Annotated[(base, *rest)] if rest else base, kind


def without_none(annotation: Any) -> Any:
    """Return the type of an optional parameter without its None and its description."""
    base, marks = peeled(undescribed(annotation))
    options = [option for option in options_of(base) if option is not NoneType]
    base = options[0] if len(options) == 1 else base
    return Annotated[(base, *marks)] if marks else base


def struct_of(type_: Any) -> type[Struct] | None:
    """Return the type itself if its values are JSON objects with known fields, else None."""
    return type_ if isinstance(type_, type) and issubclass(type_, Struct) else None


@cache
def fields_of(struct: type[Struct]) -> tuple[FieldInfo, ...]:
    """Return the fields of a type with their annotations, cached: msgspec reads them anew each time."""
    return msgspec.structs.fields(struct)


def filled(annotation: Any, arguments: Mapping[Any, Any]) -> Any:
    """The annotation of a field of a generic type with its arguments in place."""
    if annotation in arguments:
        return arguments[annotation]
    base, marks = peeled(annotation)
    if base in arguments:
        return annotated(arguments[base], marks)
    if get_origin(base) is list and get_args(base)[0] in arguments:
        return annotated(GenericAlias(list, (arguments[get_args(base)[0]],)), marks)
    return annotation


def annotated(base: Any, marks: tuple[Any, ...]) -> Any:
    """The type with these marks; as it is without any."""
    return Annotated[(base, *marks)] if marks else base


def marks_in(type_: Any) -> Iterator[Any]:
    """Yield the marks of a type and of all types in it, at any depth, and of those that any profile chooses."""
    yield from _marks_in(type_, ())


def _marks_in(type_: Any, around: tuple[Any, ...]) -> Iterator[Any]:
    if any(type_ is each for each in around):
        return
    around = (*around, type_)
    base, marks = peeled(type_)
    for mark in marks:
        yield mark
        for each in mark.types.values() if isinstance(mark, Chosen) else ():
            yield from _marks_in(each, around)
    struct = struct_of(get_origin(base) or base)
    for field in () if struct is None else fields_of(struct):
        yield from _marks_in(field.type, around)
    for part in get_args(base):
        yield from _marks_in(part, around)


def big_numbers(type_: Any) -> Iterator[Any]:
    """Yield the types of the decimals, and of the integers of more than 32 bits, in a type at any depth."""
    if type_ is float or type_ is int:
        yield type_
    if get_origin(type_) is Annotated:
        base, *marks = get_args(type_)
        if base is int and any(isinstance(mark, msgspec.Meta) and (mark.le or 0) < 2**31 for mark in marks):
            return
        yield from big_numbers(base)
        return
    struct = struct_of(get_origin(type_) or type_)
    for field in () if struct is None else fields_of(struct):
        yield from big_numbers(field.type)
    for part in get_args(type_):
        yield from big_numbers(part)


def optional_fields(type_: Any) -> Iterator[str]:
    """Yield the names of the optional fields of a type, at any depth."""
    struct = struct_of(get_origin(type_) or type_)
    for field in () if struct is None else fields_of(struct):
        if field.default is None:
            yield field.encode_name
        yield from optional_fields(field.type)
    for part in get_args(type_):
        yield from optional_fields(part)
