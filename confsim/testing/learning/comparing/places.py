"""The places of ids, tokens, links and instants in the declared types of answers.

An answer has a shape: objects with a shape for each field, lists, and values. A value that the service chooses itself,
such as an id, has a kind; an instant has a unit. The marks of ``contract.types`` say both (``Names``, ``Invented``,
``ShownOnce``, ``InUnit``, ``StatedUnit``), and what the operation ``identifies``. All other values must be equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Any, get_args, get_origin

from msgspec import Struct

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import in_force
from confsim.contract.annotations import chosen, fields_of, filled, options_of, peeled
from confsim.contract.encode import NoContent, Raw
from confsim.contract.operation import Operation
from confsim.contract.types import InUnit, Invented, Names, Numbering, Page, ShownOnce, StatedUnit

#: Kinds of which only the presence of a value is compared: addresses, texts for people.
LINKS, FREE = Invented.LINK.value, Invented.TEXT.value
#: Secrets that are masked: what of them is shown, the beginning, the end or nothing, is compared.
MASKED = "masked"
#: Values that are not compared at all.
IGNORED = "ignored"
#: The kind of numbers that may be instants, such as versions.
NUMBERS = "numbers"
#: Kinds that do not identify a thing.
NOT_NAMES = frozenset({"", LINKS, FREE, MASKED, IGNORED, NUMBERS})


class Value(Struct, frozen=True):
    """A value: of a kind that the service chooses, an instant of a unit, both, or equal on both sides."""

    kind: str = ""
    unit: str = ""


PLAIN = Value()


class ObjectShape(Struct, frozen=True):
    """An object with the shapes of its known fields."""

    fields: Mapping[str, Any]


class Elements(Struct, frozen=True):
    """A list of elements of one shape."""

    element: Any


class Entries(Struct, frozen=True):
    """An object with keys, which may be ids of a kind, and values of one shape."""

    key: str
    value: Any


class Either(Struct, frozen=True):
    """A value of one of several shapes: the first that fits."""

    shapes: tuple[Any, ...]


class Shapes:
    """The shapes of answers under a profile; each is made once."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        self._profile = profile
        self._answers: dict[str, Any] = {}
        _, template = wire.error_body(in_force(profile, wire.ERROR_BODY))
        #: The shape of a refusal's body.
        self.refusal = _template_shape(template)

    def answer(self, operation: Operation) -> Any:
        """Return the shape of the body of a successful answer."""
        if operation.name not in self._answers:
            reader = _Reader(operation, self._profile)
            self._answers[operation.name] = reader.of(operation.answer(self._profile), whole=True)
        return self._answers[operation.name]


def kinds_in(shape: Any) -> Iterator[str]:
    """The kinds of the values of a shape, "" for those that no side chooses."""
    if isinstance(shape, Value):
        yield shape.kind
    elif isinstance(shape, ObjectShape):
        for each in shape.fields.values():
            yield from kinds_in(each)
    elif isinstance(shape, Elements):
        yield from kinds_in(shape.element)
    elif isinstance(shape, Entries):
        yield shape.key
        yield from kinds_in(shape.value)
    elif isinstance(shape, Either):
        for each in shape.shapes:
            yield from kinds_in(each)


def leaves(shape: Any, place: str = "") -> Iterator[tuple[str, Value]]:
    """The values of a shape with their places, ``*`` for any element of a list and any key."""
    if isinstance(shape, Value):
        yield place, shape
    elif isinstance(shape, ObjectShape):
        for name, each in shape.fields.items():
            yield from leaves(each, f"{place}/{name}")
    elif isinstance(shape, Elements):
        yield from leaves(shape.element, f"{place}/*")
    elif isinstance(shape, Entries):
        yield from leaves(shape.value, f"{place}/*")
    elif isinstance(shape, Either):
        for each in shape.shapes:
            yield from leaves(each, place)


class _Reader:
    """Derives the shape of an answer from its type."""

    def __init__(self, operation: Operation, profile: Mapping[str, Any]) -> None:
        self.operation = operation
        self.profile = profile

    def of(self, annotation: Any, kind: str = "", *, whole: bool = False) -> Any:
        """Return the shape of a type, whose values are of this kind where its marks say nothing else.

        ``whole`` is True for the answer itself, and for the elements of a list or page that it is.
        """
        unit, kind = self._marked(annotation, kind)
        if unit:
            return Value(kind if kind == NUMBERS else "", unit)
        annotation = chosen(annotation, self.profile)
        base, _ = peeled(annotation)
        options = [each for each in options_of(base) if each not in (NoneType, NoContent)]
        if len(options) != 1:
            return Either(tuple(self.of(each, kind, whole=whole) for each in options)) if options else PLAIN
        if options[0] is not base or base is not annotation:
            return self.of(options[0], kind, whole=whole)
        return self._of_one(base, kind, whole=whole)

    def _marked(self, annotation: Any, kind: str) -> tuple[str, str]:
        """Return the unit of an instant, "" for anything else, and the kind of a value, by the marks on the type."""
        unit, masked = "", False
        for mark in peeled(annotation)[1]:
            if isinstance(mark, Numbering):
                unit = mark.unit_under(self.profile)
                kind = NUMBERS if unit else kind
            elif isinstance(mark, InUnit):
                unit = in_force(self.profile, mark.entry)
            elif isinstance(mark, StatedUnit):
                unit = mark.unit
            elif isinstance(mark, Names):
                kind = mark.kind
            elif isinstance(mark, Invented):
                kind = mark.value
            elif isinstance(mark, ShownOnce):
                masked = not self.operation.changes
        return unit, MASKED if masked else kind

    def _of_one(self, base: Any, kind: str, *, whole: bool) -> Any:
        origin = get_origin(base) or base
        if origin in (list, tuple):
            return Elements(self.of(get_args(base)[0], kind, whole=whole))
        if origin is dict:
            return self._entries(base, whole=whole)
        if isinstance(origin, type) and issubclass(origin, Struct) and origin is not Raw:
            return self._fields(base, origin, whole=whole)
        return Value(kind=kind) if kind else PLAIN

    def _fields(self, base: Any, struct: type[Struct], *, whole: bool) -> ObjectShape:
        parameters = dict(zip(getattr(struct, "__parameters__", ()), get_args(base), strict=False))
        page = issubclass(struct, Page)
        identified = self.operation.identifies if whole and not page else {}
        return ObjectShape(
            {
                each.encode_name: self.of(
                    filled(each.type, parameters), identified.get(each.encode_name, ""), whole=whole and page
                )
                for each in fields_of(struct)
            }
        )

    def _entries(self, base: Any, *, whole: bool) -> Any:
        """Return the shape of an object from keys to values; keys without a mark are the ids of the values."""
        if not get_args(base):
            return PLAIN
        key = self._marked(get_args(base)[0], "")[1]
        element = self.of(get_args(base)[1], whole=whole)
        if not key and isinstance(element, ObjectShape) and "id" in element.fields:
            key = element.fields["id"].kind
        return Entries(key, element)


def _template_shape(template: Any) -> Any:
    if isinstance(template, dict):
        return ObjectShape({name: _template_shape(part) for name, part in template.items()})
    if template in ("$message", "$details"):  # a text for people, with facts that only the service knows
        return Value(kind=FREE if template == "$message" else IGNORED)
    return PLAIN
