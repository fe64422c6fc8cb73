"""Hypothesis strategies for the arguments of operations, derived from their declarations."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from hypothesis import strategies as st
from msgspec import Meta, Struct

from confsim.api.catalogue import API
from confsim.contract.annotations import fields_of, named, undescribed, without_none
from confsim.contract.decode import RESOLVERS
from confsim.contract.operation import Operation
from confsim.contract.types import AbsoluteUrl, AtLeast, Sized, Ttl
from confsim.kernel.world import World
from confsim.simulator import Simulator

from .samples import Arguments, IdPool, as_text, candidates, invalid, samples_of, valid

Texts = st.SearchStrategy[str]
#: A function of a name, a type and the kind that it names: the strategy of a parameter or field; None where its type
#: alone decides.
Naming = Callable[[str, Any, str | None], st.SearchStrategy[Any] | None]
#: The ids of a client without things.
NOBODY = IdPool(World(), "22222222-2222-4222-8222-222222222222")

#: Any JSON value, small enough for a body.
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
#: Characters of texts: anything but control characters and lone surrogates.
_VISIBLE = st.characters(exclude_categories=["Cs", "Cc"])


def weighted(likely: st.SearchStrategy[Any], *rare: st.SearchStrategy[Any], times: int = 8) -> st.SearchStrategy[Any]:
    """Draw from one strategy ``times`` as often as from each of the others; ``one_of`` would merge equal ones."""
    choices = [*([likely] * times), *rare]
    return st.integers(0, len(choices) - 1).flatmap(lambda place: choices[place])


def arguments(operation: Operation | str, simulator: Simulator, client: str) -> st.SearchStrategy[Arguments]:
    """Return arguments of the operation: valid ones, ones at the limits of their types, and ones with a mistake.

    Valid ones name things that the client of this id has in the simulator now; their ``about`` is "". Otherwise it is
    ``"boundary"`` or describes the mistake. ``simulator.call(operation, caller, **drawn.keywords)`` makes the call.
    """
    operation = API[operation] if isinstance(operation, str) else operation
    pool = IdPool(simulator.service.world, client)
    wrong = list(invalid(operation, pool))

    def naming(name: str, annotation: Any, kind: str | None) -> st.SearchStrategy[Any] | None:
        found = candidates(name, annotation, kind, pool)
        return st.sampled_from(found) if found else None

    kinds = [valid_arguments(operation, naming), boundary_arguments(operation, pool)]
    return st.one_of(*kinds, *([st.sampled_from(wrong)] if wrong else []))


def journey_arguments(
    operation: Operation, things: Callable[[str], st.SearchStrategy[Any]]
) -> st.SearchStrategy[Arguments]:
    """Return arguments for a journey; ``things`` returns the ids of a kind. A few are at the limits or wrong."""

    def naming(name: str, annotation: Any, kind: str | None) -> st.SearchStrategy[Any] | None:
        if kind is not None:
            return things(kind)
        hints = samples_of(annotation)
        return weighted(st.sampled_from(hints), _any(annotation), times=4) if hints else None

    # A path segment cannot be empty: over HTTP that is another route.
    wrong = [each for each in invalid(operation, NOBODY) if all(each.path.values())]
    rare = [st.sampled_from(wrong)] if wrong else []
    return weighted(valid_arguments(operation, naming), boundary_arguments(operation, NOBODY), *rare)


def valid_arguments(operation: Operation, naming: Naming) -> st.SearchStrategy[Arguments]:
    """Return arguments that decode, most of them with ids of existing things."""
    path = {each.name: _text(each.name, each.annotation, each.names, naming) for each in operation.path_parameters}
    query = {each.name: _text(each.name, each.wire, each.names, naming) for each in operation.query_parameters}
    required = {each.name: query.pop(each.name) for each in operation.query_parameters if each.required}
    optional: st.SearchStrategy[dict[str, str]] = st.fixed_dictionaries({}, optional=query)
    clients = naming("for_client", str, "clients") if operation.for_client else None
    if clients is not None:
        optional = weighted(optional, st.fixed_dictionaries({"for_client": clients}), times=3)
    queries = st.builds(
        lambda some, more: {**some, **more}, st.fixed_dictionaries(required), weighted(st.just({}), optional)
    )
    return st.builds(Arguments, st.fixed_dictionaries(path), queries, _body(operation, naming))


def _text(name: str, annotation: Any, kind: str | None, naming: Naming) -> Texts:
    """Return texts for a path or query parameter; never empty, so that they can be path segments."""
    things = naming(name, annotation, kind)
    return (_any(annotation) if things is None else things).map(as_text).filter(bool)


def _any(annotation: Any) -> st.SearchStrategy[Any]:
    """Return values of a type; for an id in a path, also every alias of it."""
    return values(RESOLVERS[annotation].wire if annotation in RESOLVERS else annotation)


def _body(operation: Operation, naming: Naming) -> st.SearchStrategy[Any]:
    if operation.body is None:
        return st.none()
    type_ = operation.body.type
    plain = values(type_)
    if given := samples_of(type_):
        return weighted(st.sampled_from(given), plain, times=2)
    things = {}
    for field in fields_of(type_) if _is_struct(type_) else ():
        found = naming(field.encode_name, *named(without_none(field.type)))
        if found is not None:
            things[field.encode_name] = found
    if not things:
        return plain
    apt = st.builds(lambda whole, some: {**whole, **some}, plain, st.fixed_dictionaries(things))
    return weighted(apt, plain, times=4)


def boundary_arguments(operation: Operation, pool: IdPool) -> st.SearchStrategy[Arguments]:
    """Return arguments from the whole range of their types, limits included; ids name existing things."""
    sample = valid(operation, pool)
    path: dict[str, Texts] = {
        parameter.name: st.just(sample.path[parameter.name])
        if parameter.annotation in RESOLVERS
        else _parameter(parameter.annotation) | st.just(sample.path[parameter.name])
        for parameter in operation.path_parameters
    }
    asked: dict[str, Texts] = {p.name: _parameter(p.wire) for p in operation.query_parameters if p.required}
    optional: dict[str, Texts] = {p.name: _parameter(p.wire) for p in operation.query_parameters if not p.required}
    body: st.SearchStrategy[Any] = st.none() if operation.body is None else values(operation.body.type)
    return st.builds(
        Arguments,
        st.fixed_dictionaries(path),
        st.fixed_dictionaries(asked, optional=optional),
        body,
        st.just("boundary"),
    )


def _parameter(annotation: Any) -> Texts:
    """Return texts that the type of a parameter allows; never empty, so that they can be path segments."""
    return values(annotation).map(as_text).filter(bool)


@cache
def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Return plain JSON values that a type allows, limits included; the same strategy for each type."""
    annotation = undescribed(annotation)
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
    if _is_struct(base):
        return _objects(base)
    return _scalars(base, marks)


def _is_struct(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, Struct)


def _objects(type_: type[Struct]) -> st.SearchStrategy[dict[str, Any]]:
    fields = fields_of(type_)
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
