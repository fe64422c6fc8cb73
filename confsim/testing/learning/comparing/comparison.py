"""The comparison of two answers to the same call, by the declared shape of the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from confsim.contract.encode import Raw
from confsim.contract.operation import Operation
from confsim.service.messages import Response

from .correspondence import Correspondence
from .places import (
    FREE,
    IGNORED,
    LINKS,
    MASKED,
    NOT_NAMES,
    NUMBERS,
    Either,
    Elements,
    Entries,
    ObjectShape,
    Shapes,
    Value,
)

#: Ids of things in the model, with their kinds.
Made = Container[tuple[str, Any]]
_ABSENT = object()
_JSON = "application/json"
_VISIBLE, _HIDDEN = re.compile(r"[^*]+"), re.compile(r"\*+")


class Reply(Struct, frozen=True):
    """An answer as it is compared: status, media type, body (JSON as plain values, else bytes, None for none).

    ``headers`` has their names in lower case.
    """

    status: int
    kind: str
    body: Any
    headers: dict[str, str] = {}


class Difference(Struct, frozen=True):
    """The first difference of two answers: its place (a JSON Pointer, or "status"), both values, and what is wrong.

    ``things`` lists the things involved (kind and id in the model) when the answers name different ones. ``is_alone``
    says that all that follows the place agrees: two successes differ in their status, and their bodies do not.
    """

    place: str
    expected: Any
    got: Any
    why: str = ""
    things: tuple[tuple[str, Any], ...] = ()
    is_alone: bool = False

    @property
    def predicted(self) -> Any:
        """Return the value of the model's answer at the place, None for none."""
        return None if self.expected is _ABSENT else self.expected

    @property
    def answered(self) -> Any:
        """Return the value of the service's answer at the place, None for none."""
        return None if self.got is _ABSENT else self.got

    @property
    def problem(self) -> str:
        """Return what is wrong beside the values, "" for nothing."""
        return self.why or ("it is missing" if self.is_missing else "the model has none" if self.is_added else "")

    @property
    def is_missing(self) -> bool:
        """Whether the service's answer has nothing at the place."""
        return self.got is _ABSENT

    @property
    def is_added(self) -> bool:
        """Whether the model's answer has nothing at the place."""
        return self.expected is _ABSENT

    def __str__(self) -> str:
        about = f" ({self.why})" if self.why else ""
        return f"{self.place}: {_short(self.got)} instead of {_short(self.expected)}{about}"


def reply_of(response: Response) -> Reply:
    """Return a response in the form in which it is compared."""
    headers = {name.lower(): value for name, value in response.headers}
    kind = headers.get("content-type", "").partition(";")[0].strip().lower() if response.body else ""
    body: Any = response.body or None
    if response.body and (kind == _JSON or kind.endswith("+json")):
        try:
            body = msgspec.json.decode(response.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            kind = f"{kind}, malformed"
    return Reply(response.status, kind, body, headers)


class Comparison:
    """Compares answers; ids and clocks found in them are added to the correspondence."""

    def __init__(self, shapes: Shapes, known: Correspondence) -> None:
        self._shapes = shapes
        self._known = known

    def difference(
        self, operation: Operation, expected: Reply, got: Reply, made: Made | None = None
    ) -> Difference | None:
        """Return the first difference between two answers to a call, None when there is none.

        If ``made`` is given, only the elements of a list that name one of these things are compared.
        """
        if expected.status != got.status:
            succeed = expected.status < 400 and got.status < 400
            is_alone = succeed and self._after_status(operation, expected, got, made) is None
            return Difference("status", expected.status, got.status, is_alone=is_alone)
        return self._after_status(operation, expected, got, made)

    def _after_status(self, operation: Operation, expected: Reply, got: Reply, made: Made | None) -> Difference | None:
        """Return the first difference behind the status."""
        if expected.kind != got.kind:
            return Difference("content-type", expected.kind or "no body", got.kind or "no body")
        for name, header in operation.headers.items():
            if name.lower() in expected.headers and name.lower() not in got.headers:
                return Difference(f"header {name}", expected.headers[name.lower()], None, header.description)
        if operation.result is Raw and expected.status < 400:
            return None  # bytes that the service made itself
        if expected.kind and expected.kind != _JSON and not expected.kind.endswith("+json"):
            return None if expected.body == got.body else Difference("body", expected.body, got.body)
        shape = self._shapes.refusal if expected.status >= 400 else self._shapes.answer(operation)
        one, other = expected.body, got.body
        if made is not None and expected.status < 400:
            if _is_cut(expected.body) or _is_cut(got.body):
                return None  # elements from before the run may fill the page
            one = self.own(shape, one, made, lambda kind, value: value)
            other = self.own(shape, other, made, self._known.model)
        return self._values(shape, one, other, "")

    def _values(self, shape: Any, one: Any, other: Any, place: str) -> Difference | None:
        if isinstance(shape, Either):
            shape = _fitting(shape, one)
        if isinstance(shape, Value) and (shape.kind or shape.unit):
            return self._value(shape, one, other, place)
        if one is _ABSENT or other is _ABSENT or type(one) is not type(other):
            if _is_number(one) and _is_number(other) and one == other:
                return None
            return Difference(place, one, other)
        if isinstance(one, list):
            return self._lists(shape, one, other, place)
        if isinstance(one, dict):
            return self._objects(shape, one, other, place)
        if one == other or (isinstance(one, str) and self._known.text(one) == other):
            return None
        return Difference(place, one, other)

    def _value(self, shape: Value, one: Any, other: Any, place: str) -> Difference | None:
        if shape.kind == IGNORED:
            return None
        if one is _ABSENT or other is _ABSENT or one is None or other is None:
            return None if one is other else Difference(place, one, other)
        if shape.kind == FREE:
            return None
        if shape.kind == MASKED and isinstance(one, str) and isinstance(other, str):
            return None if _shown(one) == _shown(other) else Difference(place, one, other, "it is masked otherwise")
        if shape.kind == LINKS:
            return None if _is_address(other) == _is_address(one) else Difference(place, one, other, "it is no address")
        if shape.unit:
            same = shape.kind == NUMBERS and one == other  # such as one that was read before the run
            why = "" if same else self._known.same_instant(shape.unit, one, other)
            why = why or (self._known.pair(shape.kind, one, other) if shape.kind == NUMBERS else "")
        elif type(one) is not type(other):
            return Difference(place, one, other)
        elif isinstance(one, list | dict):
            return None if one == other else Difference(place, one, other)
        else:
            why = self._known.pair(shape.kind, one, other)
        if not why:
            return None
        things = () if shape.unit else ((shape.kind, one), (shape.kind, self._known.model(shape.kind, other)))
        return Difference(place, one, other, why, things)

    def _lists(self, shape: Any, one: list[Any], other: list[Any], place: str) -> Difference | None:
        if len(one) != len(other):  # report missing ids before any of them are paired
            here = set(chosen_values(shape, one))
            there = {(kind, self._known.model(kind, value)) for kind, value in chosen_values(shape, other)}
            things = tuple(sorted(here ^ there, key=str))
            return Difference(place, one, other, f"{len(other)} elements instead of {len(one)}", things)
        element = shape.element if isinstance(shape, Elements) else None
        for index, (here, there) in enumerate(zip(one, other, strict=True)):
            found = self._values(element, here, there, f"{place}/{index}")
            if found is not None:
                return found
        return None

    def _objects(self, shape: Any, one: dict[str, Any], other: dict[str, Any], place: str) -> Difference | None:
        if isinstance(shape, Entries) and shape.key:
            one = {str(self._known.service(shape.key, _key(shape.key, key))): value for key, value in one.items()}
        for name in (*one, *(name for name in other if name not in one)):
            if isinstance(shape, ObjectShape):
                inner = shape.fields.get(name)
            else:
                inner = shape.value if isinstance(shape, Entries) else None
            here, there = one.get(name, _ABSENT), other.get(name, _ABSENT)
            if here is _ABSENT and isinstance(shape, ObjectShape) and inner is None:
                continue  # a field that no document names may have any value
            found = self._values(inner, here, there, f"{place}/{name.replace('~', '~0').replace('/', '~1')}")
            if found is not None:
                return found
        return None

    def own(self, shape: Any, body: Any, made: Made, in_model: Callable[[str, Any], Any]) -> Any:
        """Return a list or page without the elements from before the run, and without the total, which counts them."""

        def own(element: Any, inner: Any) -> bool:
            return any((kind, in_model(kind, value)) in made for kind, value in chosen_values(inner, element))

        if isinstance(shape, Either):
            shape = _fitting(shape, body)
        if isinstance(shape, Elements) and isinstance(body, list):
            return [each for each in body if own(each, shape.element)]
        if isinstance(shape, ObjectShape) and isinstance(body, dict):
            for name, rows in body.items():
                inner = shape.fields.get(name)
                if isinstance(inner, Elements) and isinstance(rows, list) and "total" in body:
                    return {**body, name: [each for each in rows if own(each, inner.element)], "total": 0}
        if isinstance(shape, Entries) and isinstance(body, dict):
            return {name: each for name, each in body.items() if own(each, shape.value)}
        return body


def chosen_values(shape: Any, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values in an answer that the side chose itself, with their kinds."""
    if isinstance(shape, Either):
        shape = _fitting(shape, value)
    if isinstance(shape, Value):
        if shape.kind not in NOT_NAMES and isinstance(value, str | int):
            yield shape.kind, value
    elif isinstance(shape, Elements) and isinstance(value, list):
        for each in value:
            yield from chosen_values(shape.element, each)
    elif isinstance(shape, ObjectShape) and isinstance(value, dict):
        for name, each in value.items():
            yield from chosen_values(shape.fields.get(name), each)
    elif isinstance(shape, Entries) and isinstance(value, dict):
        for key, each in value.items():
            if shape.key:
                yield shape.key, _key(shape.key, key)
            yield from chosen_values(shape.value, each)


def _shown(masked: str) -> str:
    """Return where a masked secret has asterisks and where it shows characters, however many."""
    return _HIDDEN.sub("*", _VISIBLE.sub("x", masked))


def _is_cut(body: Any) -> bool:
    """Return whether a page lacks some of the elements."""
    return (
        isinstance(body, dict) and isinstance(body.get("results"), list) and len(body["results"]) != body.get("total")
    )


def _key(kind: str, key: str) -> Any:
    """Return the key of a JSON object as an id: user ids are numbers."""
    return int(key) if kind == "users" and key.isdigit() else key


def _fitting(shape: Either, value: Any) -> Any:
    """Return the first of several shapes that fits a value."""
    for each in shape.shapes:
        if isinstance(value, list) and isinstance(each, Elements):
            return each
        if isinstance(value, dict) and isinstance(each, ObjectShape | Entries):
            return each
        if not isinstance(value, list | dict) and isinstance(each, Value):
            return each
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and "://" in value


def _short(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return text if len(text) <= 120 else f"{text[:120]}…"
