"""Hypothesis strategies for the arguments of operations, derived from their declarations."""

from __future__ import annotations

from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st
from msgspec import Meta, Struct

from confsim.api.catalogue import API
from confsim.contract.decode import RESOLVERS
from confsim.contract.operation import Operation
from confsim.contract.types import AbsoluteUrl, AtLeast, Sized, Ttl

from .samples import Arguments, Pool, as_text, spoilt, valid

Texts = st.SearchStrategy[str]

#: Any JSON value, of a size that a body may have.
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
#: The characters of texts: anything but control characters and halves of surrogate pairs.
_VISIBLE = st.characters(exclude_categories=["Cs", "Cc"])


def arguments(operation: Operation | str, pool: Pool) -> st.SearchStrategy[Arguments]:
    """Arguments of the operation: valid ones, ones at the limits of their types, and ones that are wrong somewhere.

    Ids come from the pool, such as ``Pool(simulator.service.world, client)``. ``about`` of the arguments is empty,
    ``"boundary"``, or tells what is wrong.
    """
    operation = API[operation] if isinstance(operation, str) else operation
    kinds = [valid_arguments(operation, pool), boundary_arguments(operation, pool)]
    wrong = list(spoilt(operation, pool))
    if wrong:
        kinds.append(st.sampled_from(wrong))
    return st.one_of(kinds)


def valid_arguments(operation: Operation, pool: Pool) -> st.SearchStrategy[Arguments]:
    """Arguments that decode, most of them naming things that are there."""
    return st.builds(lambda number: valid(operation, pool, number), st.integers(0, 50))


def boundary_arguments(operation: Operation, pool: Pool) -> st.SearchStrategy[Arguments]:
    """Arguments from anywhere in their types, limits included; what names a thing names one that is there."""
    sample = valid(operation, pool)
    path: dict[str, Texts] = {
        parameter.name: st.just(sample.path[parameter.name])
        if parameter.annotation in RESOLVERS
        else _parameter(parameter.annotation) | st.just(sample.path[parameter.name])
        for parameter in operation.path_parameters
    }
    asked: dict[str, Texts] = {p.name: _parameter(p.wire) for p in operation.query_parameters if p.required}
    optional: dict[str, Texts] = {p.name: _parameter(p.wire) for p in operation.query_parameters if not p.required}
    body: st.SearchStrategy[Any] = st.none()
    if operation.body is not None:
        body = values(operation.body.type)
    return st.builds(
        Arguments,
        st.fixed_dictionaries(path),
        st.fixed_dictionaries(asked, optional=optional),
        body,
        st.just("boundary"),
    )


def _parameter(annotation: Any) -> Texts:
    """Texts of a path or query parameter that its type admits; never empty, so that they can stand in a path."""
    return values(annotation).map(as_text).filter(bool)


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Plain JSON values that a type admits, limits included."""
    if get_origin(annotation) in {Union, UnionType}:
        return st.one_of([st.none() if each is NoneType else values(each) for each in get_args(annotation)])
    base, marks = annotation, ()
    if get_origin(annotation) is Annotated:
        base, *rest = get_args(annotation)
        marks = tuple(rest)
    if get_origin(base) in {list, tuple}:
        return st.lists(values(get_args(base)[0]), min_size=1, max_size=4)
    if get_origin(base) is dict or base is dict:
        return st.dictionaries(st.text(max_size=10), JSON, max_size=4)
    if base is Any:
        return JSON
    if base is bytes:
        return st.binary(max_size=64).map(lambda rest: b"\x89PNG\r\n\x1a\n" + rest)
    if isinstance(base, type) and issubclass(base, Struct):
        return _objects(base)
    return _scalars(base, marks)


def _objects(type_: type[Struct]) -> st.SearchStrategy[dict[str, Any]]:
    fields = msgspec.structs.fields(type_)
    return st.fixed_dictionaries(
        {field.encode_name: values(field.type) for field in fields if field.required},
        optional={field.encode_name: values(field.type) for field in fields if not field.required},
    )


def _scalars(base: Any, marks: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if base is bool:
        return st.booleans()
    if base is Ttl:
        return st.builds(lambda count, unit: f"{count}{unit}", st.integers(1, 9999), st.sampled_from("smhdw"))
    if isinstance(base, type) and issubclass(base, Enum):
        return st.sampled_from([member.value for member in base])
    if base is int:
        least, most = _limits(marks)
        return st.integers(least, most) | st.sampled_from([least, most])
    if base is float:
        return st.floats(allow_nan=False, allow_infinity=False)
    if base is str:
        return _texts(marks)
    raise TypeError(f"no strategy for {base!r}")


def _limits(marks: tuple[Any, ...]) -> tuple[int, int]:
    least, most = -(2**63), 2**63 - 1
    for mark in marks:
        if isinstance(mark, AtLeast):
            least = max(least, mark.minimum)
        elif isinstance(mark, Meta):
            least = max(least, int(mark.ge)) if mark.ge is not None else least
            most = min(most, int(mark.le)) if mark.le is not None else most
    return least, most


def _texts(marks: tuple[Any, ...]) -> Texts:
    sized = next((mark for mark in marks if isinstance(mark, Sized)), None)
    if sized is None:
        return st.text(_VISIBLE, max_size=40)
    most = sized.max_length.default
    if isinstance(sized, AbsoluteUrl):
        start = "https://example.com/"
        return st.text("abcXYZ019-._~/", max_size=40).map(lambda rest: start + rest) | st.just(
            start + "u" * (most - len(start))
        )
    texts = st.text(_VISIBLE, max_size=40) | st.just("x" * most)
    return texts if sized.allow_blank else texts.filter(lambda text: bool(text.strip()))
