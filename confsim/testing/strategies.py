"""Hypothesis strategies for the arguments of operations, derived from their declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache, partial
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from hypothesis import strategies as st
from msgspec import Meta, Struct

from confsim.api.catalogue import API
from confsim.assumptions.protocol import parsing
from confsim.assumptions.register import ProfileKey, in_force
from confsim.contract.annotations import fields_of, mark_of, named, peeled, undescribed, without_none
from confsim.contract.decode import RESOLVERS
from confsim.contract.operation import Operation
from confsim.contract.types import AbsoluteUrl, AtMost, Pattern, Present, Sized, TextForm, Ttl
from confsim.kernel.world import World
from confsim.simulator import Simulator

from .samples import Arguments, IdPool, as_text, candidates, invalid, samples_of, text_limits, uploaded, valid

Texts = st.SearchStrategy[str]
#: A function of a name, a type and the kind that it names: the strategy of a parameter or field; None where its type
#: alone decides.
Naming = Callable[[str, Any, str | None], st.SearchStrategy[Any] | None]
_NONE: Mapping[str, Any] = MappingProxyType({})
#: The ids of a client without things.
NOBODY = IdPool(World(), "22222222-2222-4222-8222-222222222222")

#: Any JSON value, small enough for a body.
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
_BOUNDARY = st.just("boundary")
#: Characters of texts: anything but control characters and lone surrogates.
_VISIBLE = st.characters(exclude_categories=["Cs", "Cc"])


def weighted(likely: st.SearchStrategy[Any], *rare: st.SearchStrategy[Any], times: int = 8) -> st.SearchStrategy[Any]:
    """Draw from one strategy ``times`` as often as from each of the others; ``one_of`` would merge equal ones."""
    choices = [*([likely] * times), *rare]
    return st.integers(0, len(choices) - 1).flatmap(lambda place: choices[place])


def arguments(operation: Operation | str, simulator: Simulator, client: str) -> st.SearchStrategy[Arguments]:
    """Return arguments of the operation: valid ones, ones at the limits of their types, and ones with a mistake.

    Valid ones fit the profile of the simulator, and name things that the client of this id has in it now; their
    ``about`` is "". Otherwise it is ``"boundary"`` or describes the mistake.
    ``simulator.call(operation, caller, **drawn.keywords)`` makes the call.
    """
    operation = API[operation] if isinstance(operation, str) else operation
    pool, profile = IdPool(simulator.service.world, client), simulator.service.profile
    wrong = list(invalid(operation, pool, profile))

    def naming(name: str, annotation: Any, kind: str | None) -> st.SearchStrategy[Any] | None:
        found = candidates(name, annotation, kind, pool, profile)
        return st.sampled_from(found) if found else None

    kinds = [valid_arguments(operation, naming, profile), boundary_arguments(operation, pool, profile)]
    return st.one_of(*kinds, *([st.sampled_from(wrong)] if wrong else []))


def journey_arguments(
    operation: Operation, things: Callable[[str], st.SearchStrategy[Any]], profile: Mapping[str, Any] = _NONE
) -> st.SearchStrategy[Arguments]:
    """Return arguments for a journey under a profile; ``things`` returns the ids of a kind.

    A few are at the limits or wrong.
    """

    def naming(name: str, annotation: Any, kind: str | None) -> st.SearchStrategy[Any] | None:
        if kind is not None:
            return things(kind)
        hints = samples_of(annotation, profile)
        return weighted(st.sampled_from(hints), _any(annotation, profile), times=4) if hints else None

    # A path segment cannot be empty: over HTTP that is another route.
    wrong = [each for each in invalid(operation, NOBODY, profile) if all(each.path.values())]
    rare = [st.sampled_from(wrong)] if wrong else []
    likely = valid_arguments(operation, naming, profile)
    return weighted(likely, boundary_arguments(operation, NOBODY, profile), *rare)


def valid_arguments(
    operation: Operation, naming: Naming, profile: Mapping[str, Any] = _NONE
) -> st.SearchStrategy[Arguments]:
    """Return arguments that decode under a profile, most of them with ids of existing things."""
    path = {
        each.name: _text(each.name, each.annotation, each.names, naming, profile) for each in operation.path_parameters
    }
    query = {each.name: _text(each.name, each.wire, each.names, naming, profile) for each in operation.query_parameters}
    required = {each.name: query.pop(each.name) for each in operation.query_parameters if each.required}
    optional: st.SearchStrategy[dict[str, str]] = st.fixed_dictionaries({}, optional=query)
    clients = naming("for_client", str, "clients") if operation.for_client else None
    if clients is not None:
        optional = weighted(optional, st.fixed_dictionaries({"for_client": clients}), times=3)
    queries = st.builds(
        lambda some, more: {**some, **more}, st.fixed_dictionaries(required), weighted(st.just({}), optional)
    )
    body = _body(operation, naming, profile)
    return _uploaded(operation, st.builds(Arguments, st.fixed_dictionaries(path), queries, body), profile)


def _text(name: str, annotation: Any, kind: str | None, naming: Naming, profile: Mapping[str, Any]) -> Texts:
    """Return texts for a path or query parameter; never empty, so that they can be path segments."""
    things = naming(name, annotation, kind)
    return (_any(annotation, profile) if things is None else things).map(partial(as_text, profile=profile)).filter(bool)


def _any(annotation: Any, profile: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return values of a type; for an id in a path, also every alias of it."""
    return values(RESOLVERS[annotation].wire if annotation in RESOLVERS else annotation, profile)


def _body(operation: Operation, naming: Naming, profile: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if operation.body is None:
        return st.none()
    type_ = operation.body.type
    plain = values(type_, profile).filter(lambda body: body is not None)  # None is no body
    if given := samples_of(type_, profile):
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


def boundary_arguments(
    operation: Operation, pool: IdPool, profile: Mapping[str, Any] = _NONE
) -> st.SearchStrategy[Arguments]:
    """Return arguments from the whole range of their types, limits included; ids name existing things.

    Texts have any form.
    """
    sample = valid(operation, pool, 0, profile)
    path: dict[str, Texts] = {
        parameter.name: st.just(sample.path[parameter.name])
        if parameter.annotation in RESOLVERS
        else _parameter(parameter.annotation, profile) | st.just(sample.path[parameter.name])
        for parameter in operation.path_parameters
    }
    texts = {each.name: _parameter(each.wire, profile) for each in operation.query_parameters}
    asked = {each.name: texts.pop(each.name) for each in operation.query_parameters if each.required}
    body: st.SearchStrategy[Any] = st.none()
    if operation.body is not None:
        body = values(operation.body.type, profile, formed=False)
    queries = st.fixed_dictionaries(asked, optional=texts)
    return _uploaded(operation, st.builds(Arguments, st.fixed_dictionaries(path), queries, body, _BOUNDARY), profile)


def _uploaded(
    operation: Operation, drawn: st.SearchStrategy[Arguments], profile: Mapping[str, Any]
) -> st.SearchStrategy[Arguments]:
    return drawn if operation.upload is None else drawn.map(lambda given: uploaded(operation, given, profile))


def _parameter(annotation: Any, profile: Mapping[str, Any]) -> Texts:
    """Return texts that the type of a parameter allows; never empty, so that they can be path segments."""
    return values(annotation, profile, formed=False).map(partial(as_text, profile=profile)).filter(bool)


def values(annotation: Any, profile: Mapping[str, Any] = _NONE, *, formed: bool = True) -> st.SearchStrategy[Any]:
    """Return plain JSON values that a type allows under a profile, limits included; the same strategy for each type.

    ``formed`` says whether texts have the form that a mark on the type asks for, such as a phone number.
    """
    return _types_under(ProfileKey(profile), formed=formed).of(annotation)


@lru_cache(maxsize=64)
def _types_under(key: ProfileKey, *, formed: bool) -> _Types:
    return _Types(key.profile, formed=formed)


class _Types:
    """The strategies of types under a profile; each is made once."""

    def __init__(self, profile: Mapping[str, Any], *, formed: bool) -> None:
        self._profile = profile
        self._formed = formed
        self._made: dict[Any, st.SearchStrategy[Any]] = {}

    def of(self, annotation: Any) -> st.SearchStrategy[Any]:
        """Return the values of a type."""
        made = self._made.get(annotation)
        if made is None:
            made = self._made[annotation] = self._of(annotation)
        return made

    def _of(self, annotation: Any) -> st.SearchStrategy[Any]:
        base, marks = peeled(undescribed(annotation))
        if get_origin(base) in {Union, UnionType}:
            return st.one_of([st.none() if each is NoneType else self.of(each) for each in get_args(base)])
        if get_origin(base) in {list, tuple}:
            most = min(self._keywords(marks).get("maxItems", 4), 4)
            return st.lists(self.of(get_args(base)[0]), min_size=1, max_size=most)
        if get_origin(base) is dict or base is dict:
            return self._dictionaries(marks)
        if base is Any:
            return JSON
        if base is bytes:
            return st.binary(max_size=64).map(lambda rest: b"\x89PNG\r\n\x1a\n" + rest)
        if _is_struct(base):
            return self._objects(base)
        return self._scalars(base, marks)

    def _objects(self, type_: type[Struct]) -> st.SearchStrategy[dict[str, Any]]:
        fields = fields_of(type_)
        nulls = in_force(self._profile, parsing.NULL_OPTION) == "absent"
        needed = {each.encode_name: each.type for each in fields if each.required or self._is_needed(each.type)}
        optional = {each.encode_name: each.type for each in fields if each.encode_name not in needed}
        return st.fixed_dictionaries(
            {name: self.of(without_none(type_)) for name, type_ in needed.items()},
            optional={name: self.of(type_ if nulls else without_none(type_)) for name, type_ in optional.items()},
        )

    def _is_needed(self, annotation: Any) -> bool:
        """Return whether the profile needs an optional field of a body."""
        mark = mark_of(annotation, Present)
        return mark is not None and mark.under(self._profile)

    def _dictionaries(self, marks: tuple[Any, ...]) -> st.SearchStrategy[dict[str, Any]]:
        """Return objects of any values, or of objects as deep as the marks ask for them."""
        inner, inside = JSON, self._keywords(marks).get("additionalProperties")
        depth = 0
        while isinstance(inside, Mapping):
            depth, inside = depth + 1, inside.get("additionalProperties")
        for _ in range(depth):
            inner = st.none() | st.dictionaries(st.text(max_size=10), inner, max_size=3)
        return st.dictionaries(st.text(max_size=10), inner, max_size=4)

    def _keywords(self, marks: tuple[Any, ...]) -> dict[str, Any]:
        """Return the keywords of JSON Schema by which marks limit a type under the profile."""
        return {
            name: value
            for mark in marks
            if isinstance(mark, Pattern | AtMost)
            for name, value in mark.keywords(self._profile).items()
        }

    def _scalars(self, base: Any, marks: tuple[Any, ...]) -> st.SearchStrategy[Any]:
        if base is bool:
            return st.booleans()
        if base is Ttl:
            units = [*in_force(self._profile, parsing.TTL_UNITS)]
            return st.builds(lambda count, unit: f"{count}{unit}", st.integers(1, 9999), st.sampled_from(units))
        if isinstance(base, type) and issubclass(base, Enum):
            return st.sampled_from([member.value for member in base])
        if base is int:
            least, most = self._bounds(marks)
            return st.integers(least, most) | st.sampled_from([least, most])
        if base is float:
            return st.floats(allow_nan=False, allow_infinity=False)
        if base is str:
            return self._texts(marks)
        raise TypeError(f"no strategy for {base!r}")

    def _bounds(self, marks: tuple[Any, ...]) -> tuple[int, int]:
        least, most = -(2**63), 2**63 - 1
        for mark in marks:
            if isinstance(mark, Meta):
                least = max(least, int(mark.ge)) if mark.ge is not None else least
                most = min(most, int(mark.le)) if mark.le is not None else most
            elif isinstance(mark, Pattern | AtMost) and self._formed:
                keywords = mark.keywords(self._profile)
                least, most = max(least, keywords.get("minimum", least)), min(most, keywords.get("maximum", most))
        return least, most

    def _texts(self, marks: tuple[Any, ...]) -> Texts:
        forms = marks if self._formed else [each for each in marks if not isinstance(each, Pattern | AtMost | TextForm)]
        limits = text_limits(forms, self._profile)
        if limits.words is not None:
            return st.sampled_from(limits.words)
        if limits.pattern is not None:
            return st.from_regex(limits.pattern, fullmatch=True).filter(
                lambda text: "\n" not in text and limits.allow(text)
            )
        sized = next((mark for mark in marks if isinstance(mark, Sized)), None)
        if sized is None:
            return st.text(_VISIBLE, min_size=limits.least, max_size=40)
        most = limits.most
        if isinstance(sized, AbsoluteUrl) and (sized.free is None or in_force(self._profile, sized.free) != "any"):
            start = "https://example.com/"
            rest = st.text("abcXYZ019-._~/", max_size=max(0, min(40, most - len(start))))
            return rest.map(lambda rest: start + rest) | st.just(start + "u" * (most - len(start)))
        texts = st.text(_VISIBLE, max_size=min(40, most)) | st.just("x" * most)
        return texts if sized.allow_blank else texts.filter(lambda text: bool(text.strip()))


def _is_struct(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, Struct)
