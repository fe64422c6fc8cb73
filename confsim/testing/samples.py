"""Sample arguments of operations, made from their declarations: valid ones by number, and every invalid variant.

The values are plain and in a fixed order, without chance. Tests over the whole catalogue use them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache, lru_cache
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from confsim.assumptions.protocol import parsing
from confsim.assumptions.register import MOST, in_force
from confsim.contract.annotations import fields_of, mark_of, named, peeled, undescribed, without_none
from confsim.contract.decode import RESOLVERS
from confsim.contract.operation import Operation
from confsim.contract.types import AbsoluteUrl, AtMost, Pattern, Samples, Sized, TextForm, Ttl
from confsim.http.inputs import form_with
from confsim.kernel.tables.indexes import Records
from confsim.kernel.world import World

#: An id that names nothing in any world.
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
#: Words in parameter names that name no thing.
_NONE: Mapping[str, Any] = MappingProxyType({})
_NOISE = {"id", "ids", "uuid", "uuids", "of", "the"}


class Arguments(Struct, frozen=True):
    """The arguments of one call: path and query parameters as texts by their names on the wire, and the body.

    ``body`` is plain JSON or bytes, None for none, and ``content_type`` its type, None for that of the operation.
    ``about`` says what is wrong or special about them; "" for valid ones.
    """

    path: dict[str, str] = {}
    query: dict[str, str] = {}
    body: Any = None
    about: str = ""
    content_type: str | None = None

    def raw(self) -> bytes:
        """Return the body as sent over the wire."""
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else msgspec.json.encode(self.body)

    @property
    def keywords(self) -> dict[str, Any]:
        """Return the keyword arguments of ``Simulator.call`` and ``Journey.call`` for this call."""
        body = {} if self.body is None else {"body": self.raw()}
        kind = {} if self.content_type is None else {"content_type": self.content_type}
        return {**self.path, **self.query, **body, **kind}


class IdPool:
    """The ids of the things of a client in a world, by table; read on demand."""

    def __init__(self, world: World, client: str) -> None:
        self.client = client
        self._tables: dict[str, list[tuple[str, Records]]] = {}
        for (owner, table), state in world.tables():
            self._tables.setdefault(table, []).append((owner, state.rows))
        self._ids: dict[str, list[object]] = {}

    def list_ids(self, name: str) -> list[object]:
        """Return the ids of the table whose name is nearest to the words of this name, none when no table has all."""
        for table in _fitting(name, tuple(self._tables)):
            found = self._of(table)
            if found:
                return found
        return []

    def by_table(self) -> dict[str, list[object]]:
        """Return the ids of the client by table, empty tables left out."""
        return {table: found for table in self._tables if (found := self._of(table))}

    def all(self) -> list[object]:
        """Return every id of the client."""
        return [id for found in self.by_table().values() for id in found]

    def _of(self, table: str) -> list[object]:
        """Return the ids of one table, oldest first."""
        found = self._ids.get(table)
        if found is None:
            found = self._ids[table] = []
            for owner, rows in self._tables[table]:
                for key, (_, record) in sorted(rows.items(), key=_place):
                    if owner == self.client or _of_client(record, self.client):
                        # the last part of a compound key is the id of the thing itself
                        found.append(key[-1] if isinstance(key, tuple) else key)
        return found


def _place(row: tuple[object, tuple[Any, Any]]) -> Any:
    return row[1][0]


def _of_client(record: Any, client: str) -> bool:
    return client in {getattr(record, "client", None), getattr(record, "id", None)}


@lru_cache(maxsize=4096)
def _fitting(name: str, tables: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tables whose names have all words of this name, nearest first."""
    wanted = _words(name)
    return (
        tuple(
            table
            for _, table in sorted((len(_words(each) - wanted), each) for each in tables if wanted <= _words(each))
        )
        if wanted
        else ()
    )


@cache
def _words(name: str) -> frozenset[str]:
    words = {word.lower() for word in _WORD.findall(name)} - _NOISE
    return frozenset(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words)


def valid(operation: Operation, pool: IdPool, number: int = 0, profile: Mapping[str, Any] = _NONE) -> Arguments:
    """Return arguments that decode under a profile, with ids of existing things where the pool has any.

    ``number`` varies texts, and which thing is named, so that not all calls collide.
    """
    path = {
        parameter.name: as_text(
            _sample(parameter.name, parameter.annotation, parameter.names, pool, number, profile), profile
        )
        for parameter in operation.path_parameters
    }
    query = {
        parameter.name: as_text(
            _sample(parameter.name, parameter.wire, parameter.names, pool, number, profile), profile
        )
        for parameter in operation.query_parameters
        if parameter.required or number % 2
    }
    body = None
    if operation.body is not None:
        body = value(operation.body.type, pool, number, profile, whole=bool(number % 2))
    return uploaded(operation, Arguments(path, query, body), profile)


def uploaded(operation: Operation, given: Arguments, profile: Mapping[str, Any]) -> Arguments:
    """Return the arguments with the bytes of an upload in a form, where the profile asks for one."""
    if operation.upload is None or in_force(profile, operation.upload) != "multipart" or given.body is None:
        return given
    kind, body = form_with(given.body)
    return replace(given, body=body, content_type=kind)


def invalid(operation: Operation, pool: IdPool, profile: Mapping[str, Any] = _NONE) -> Iterator[Arguments]:
    """Yield valid arguments with one mistake, for every place and kind of mistake that the declaration implies."""
    sample = valid(operation, pool, 1, profile)
    for parameter in operation.path_parameters:
        for text in wrong_texts(parameter.annotation):
            yield replace(sample, path={**sample.path, parameter.name: text}, about=f"path {parameter.name}={text!r}")
    for queried in operation.query_parameters:
        for text in wrong_texts(queried.wire):
            yield replace(sample, query={**sample.query, queried.name: text}, about=f"{queried.name}={text!r}")
        if queried.required:
            rest = {name: text for name, text in sample.query.items() if name != queried.name}
            yield replace(sample, query=rest, about=f"without {queried.name}")
    if operation.for_client:
        yield replace(sample, query={**sample.query, "for_client": UNKNOWN_ID}, about="for_client of nobody")
    body = operation.body
    if body is not None and body.is_json:
        for wrong in (
            b"{",
            b"",
            b"[" * 5000,
            b'{"a": NaN}',
            b'"\xff"',
            b'{"a": 1e999}',
            b"null",
            b"[1]",
            b"{}",
            b'"x"',
        ):
            yield replace(sample, body=wrong, about=f"body {wrong[:20]!r}")
        for wrong, about in wrong_fields(body.type, sample.body):
            yield replace(sample, body=wrong, about=about)
    elif body is not None:
        yield replace(sample, body=b"", about="no bytes")
        yield replace(sample, body=b"\x00" * 32, about="bytes of nothing known")


def wrong_texts(annotation: Any) -> list[str]:
    """Return texts that a parameter of this type refuses, or that name nothing."""
    if annotation in RESOLVERS:
        return ["999999999"] if RESOLVERS[annotation][0] is int else [UNKNOWN_ID, "-1", "x" * 300, "é\x01"]
    base = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if base is int:
        return ["", "one", "1.5", "9" * 19, "9" * 30, "-1"]
    if base is bool:
        return ["", "maybe"]
    if base is Ttl:
        return ["", "m", "0m", "5", "5y", "999999999999w"]
    if isinstance(base, type) and issubclass(base, Enum):
        return ["", "no-such-word"]
    return ["", "\x00", "x" * 5000, UNKNOWN_ID]


def wrong_fields(type_: Any, sample: Any) -> Iterator[tuple[Any, str]]:
    """Yield bodies with one wrong field, each with a description of the mistake."""
    if not (isinstance(type_, type) and issubclass(type_, Struct)):
        return
    for field in fields_of(type_):
        name = field.encode_name
        wrong: Any
        for wrong in ({}, [[]], True, -1, 2**70, 1.5, "", " ", "x" * 70_000, "a\x00b", None):
            about = f"body {name}={str(wrong)[:20]!r}"
            yield {**sample, name: wrong}, about
        if field.required:
            yield {key: given for key, given in sample.items() if key != name}, f"body without {name}"


def as_text(given: object, profile: Mapping[str, Any] = _NONE) -> str:
    """Return a value as the text of a path or query that a profile reads it from (G054, G055)."""
    if isinstance(given, bool):
        words = in_force(profile, parsing.BOOLEANS)
        return next((word for word, meaning in words.items() if meaning is given), str(given).lower())
    if isinstance(given, Enum):
        return str(given.value)
    if isinstance(given, list | tuple):
        return in_force(profile, parsing.LIST_SEPARATOR).join(as_text(each, profile) for each in given)
    return str(given)


def candidates(
    name: str, annotation: Any, kind: str | None, pool: IdPool, profile: Mapping[str, Any] = _NONE
) -> list[Any]:
    """Return values for a parameter or field: ids from the pool, or the samples of its type under a profile.

    ``kind`` is the kind that its declaration names. Returns None when its type alone decides.
    """
    if kind == "clients":
        return [pool.client]
    base = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if annotation in RESOLVERS:
        unknown = 999999999 if peeled(RESOLVERS[annotation].wire)[0] is int else UNKNOWN_ID
        return pool.list_ids(kind or base.__name__) or pool.list_ids(name) or [unknown]
    if kind is None:
        return [*samples_of(annotation, profile)]
    if get_origin(base) is list:
        return [[each] for each in candidates(name, get_args(base)[0], kind, pool, profile)]
    return [each for each in pool.list_ids(kind) if isinstance(each, base)] if base in (str, int) else []


def samples_of(annotation: Any, profile: Mapping[str, Any] = _NONE) -> tuple[Any, ...]:
    """Return the samples marked on a type that fit under a profile; lists of one for those on the elements of a list.

    Those of a thing in a path are samples of what names it.
    """
    if annotation in RESOLVERS:
        annotation = RESOLVERS[annotation].wire
    base = peeled(annotation)[0]
    if get_origin(base) is list:
        return tuple([each] for each in samples_of(get_args(base)[0], profile))
    mark = mark_of(annotation, Samples)
    if mark is None:
        return ()
    marks = peeled(annotation)[1]
    limits = text_limits(marks, profile)
    return tuple(
        each for each in mark.values if limits.allow(each) and (isinstance(each, str) or _fits(each, marks, profile))
    )


def _fits(value: object, marks: Iterable[Any], profile: Mapping[str, Any]) -> bool:
    """Return whether a value has the forms that a profile gives it."""
    forms = [mark.keywords(profile) for mark in marks if isinstance(mark, Pattern | AtMost)]
    if not any(forms):
        return True
    from jsonschema import Draft202012Validator

    return all(Draft202012Validator(form).is_valid(value) for form in forms)


class TextLimits(Struct, frozen=True):
    """What the marks of a text say of it under a profile: lengths in characters, a pattern, and the words it can be."""

    most: int = MOST
    least: int = 0
    pattern: str | None = None
    words: tuple[str, ...] | None = None

    def allow(self, text: object) -> bool:
        """Return whether a value is within the limits; one that is no text is."""
        if not isinstance(text, str):
            return True
        sized = self.least <= len(text) <= self.most
        formed = self.pattern is None or re.search(self.pattern, text) is not None
        return sized and formed and (self.words is None or text in self.words)


def text_limits(marks: Iterable[Any], profile: Mapping[str, Any]) -> TextLimits:
    """Return the limits of a text with these marks under a profile."""
    found: dict[str, Any] = {}
    for mark in marks:
        if isinstance(mark, Sized):
            found["maxLength"] = min(in_force(profile, mark.max_length), found.get("maxLength", MOST))
            found["minLength"] = max(0 if mark.allow_blank else 1, found.get("minLength", 0))
        elif isinstance(mark, TextForm | Pattern | AtMost):
            keywords = mark.keywords(profile)
            found |= {**keywords, "maxLength": min(keywords.get("maxLength", MOST), found.get("maxLength", MOST))}
    words = found.get("enum")
    return TextLimits(
        found.get("maxLength", MOST),
        found.get("minLength", 0),
        found.get("pattern"),
        None if words is None else tuple(words),
    )


def _sample(name: str, annotation: Any, kind: str | None, pool: IdPool, number: int, profile: Mapping[str, Any]) -> Any:
    """Return the candidate of this number, or a value of the type when there are none."""
    found = candidates(name, annotation, kind, pool, profile)
    return found[number % len(found)] if found else value(annotation, pool, number, profile)


def value(
    annotation: Any, pool: IdPool, number: int = 0, profile: Mapping[str, Any] = _NONE, *, whole: bool = True
) -> Any:
    """Return a plain JSON value of a type under a profile; ``whole`` includes its optional fields."""
    annotation = undescribed(annotation)
    if get_origin(annotation) in {Union, UnionType}:
        first = next(each for each in get_args(annotation) if each is not NoneType)
        return value(first, pool, number, profile, whole=whole)
    base, marks = annotation, ()
    if get_origin(annotation) is Annotated:
        base, *rest = get_args(annotation)
        marks = tuple(rest)
    if get_origin(base) in {list, tuple}:
        return [value(get_args(base)[0], pool, number, profile, whole=whole)]
    if get_origin(base) is dict or base is dict:
        plain = {"sample": number}
        return plain if _fits(plain, marks, profile) else samples_of(annotation, profile)[0]
    if base is bytes:
        return b"\x89PNG\r\n\x1a\n" + bytes([number % 256]) * 16
    if base is Any:
        return {"sample": number}
    if isinstance(base, type) and issubclass(base, Struct):
        return {
            field.encode_name: _sample(field.encode_name, *named(without_none(field.type)), pool, number, profile)
            for field in fields_of(base)
            if whole or field.required
        }
    return _scalar(base, marks, number, profile)


def _scalar(base: Any, marks: tuple[Any, ...], number: int, profile: Mapping[str, Any]) -> Any:
    limits = text_limits(marks, profile) if base is str else TextLimits()
    given = [each for mark in marks if isinstance(mark, Samples) for each in mark.values if limits.allow(each)]
    if given:
        return given[number % len(given)]
    if base is bool:
        return number % 2 == 0
    if base is Ttl:
        units = in_force(profile, parsing.TTL_UNITS)
        return "5m" if "m" in units else f"5{next(iter(units))}"
    if isinstance(base, type) and issubclass(base, Enum):
        members = list(base)
        return members[number % len(members)].value
    if base in (int, float):
        return max([1, *(int(mark.ge or 1) for mark in marks if isinstance(mark, Meta))]) + number
    if any(isinstance(mark, AbsoluteUrl) for mark in marks):
        return f"https://example.com/{number}"
    if any(isinstance(mark, Sized | Meta) for mark in marks) or base is str:
        if limits.words:
            return limits.words[number % len(limits.words)]
        return f"sample-{number}"[-limits.most :]
    raise TypeError(f"no sample of {base!r}")
