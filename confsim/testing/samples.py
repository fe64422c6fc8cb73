"""Arguments for operations, made from their declarations: one valid sample for each, and every way to spoil it.

Plain values in a fixed order, no chance: what runs over the whole catalogue starts here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from confsim.contract.decode import RESOLVERS
from confsim.contract.operation import Operation
from confsim.contract.types import AbsoluteUrl, AtLeast, Sized, Ttl
from confsim.kernel.world import World

#: An id that names nothing in any world.
NOWHERE = "00000000-0000-4000-8000-000000000000"
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
#: What is no name of a thing in the name of a parameter.
_NOISE = {"id", "ids", "uuid", "uuids", "of", "the"}
#: Values of fields and parameters whose types alone do not tell what the documents allow.
HINTS: dict[str, tuple[Any, ...]] = {
    "code": ("sample",),
    "destination": ("rtmp://live.example.com/one", "rtmps://live.example.com/two"),
    "email": ("sample@example.com", "other@example.com"),
    "key": ("sample",),
    "kind": ("RTMP", "SRT", "audio"),
    "languages": (["en"], ["de-CH", "en"]),
    "level": (10, 20),
    "name": (),
    "number": ("+12025550123", "+442079460123"),
    "pin": ("123456", "654321"),
    "version": (1, 2),
}
#: Bodies that are bare lists of words with a meaning.
LISTS = {"set_auth_providers": ["google"], "set_origins": ["https://example.com"], "set_domains": ["example.com"]}


class Arguments(Struct, frozen=True):
    """Arguments of one call: path and query parameters as texts by their names on the wire, and the body.

    ``body`` is plain JSON or bytes, None for none. ``about`` says what is special about them, empty when nothing is.
    """

    path: dict[str, str] = {}
    query: dict[str, str] = {}
    body: Any = None
    about: str = ""

    def raw(self) -> bytes:
        """The body as it goes over the wire."""
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else msgspec.json.encode(self.body)


class Pool:
    """Ids that there are in a client of a world, by the words that parameters use for them."""

    def __init__(self, world: World, client: str) -> None:
        self.client = client
        self._ids: dict[str, list[object]] = {}
        for (owner, table), state in world.tables():
            rows = sorted(state.rows.items(), key=lambda row: row[1][0])
            for key, (_, record) in rows:
                if owner == client or _of_client(record, client):
                    # The last part of a compound key is what the thing itself is called.
                    self._ids.setdefault(table, []).append(key[-1] if isinstance(key, tuple) else key)

    def find(self, name: str) -> list[object]:
        """Ids of the table whose name comes closest to the words of this name; nothing when none has all of them."""
        wanted = _words(name)
        fitting = [(len(_words(table) - wanted), table) for table in self._ids if wanted and wanted <= _words(table)]
        return self._ids[min(fitting)[1]] if fitting else []

    def all(self) -> list[object]:
        """Every id of the client."""
        return [id for ids in self._ids.values() for id in ids]


def _of_client(record: Any, client: str) -> bool:
    return client in {getattr(record, "client", None), getattr(record, "id", None)}


def _words(name: str) -> set[str]:
    words = {word.lower() for word in _WORD.findall(name)} - _NOISE
    return {word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words}


def valid(operation: Operation, pool: Pool, number: int = 0) -> Arguments:
    """Arguments that decode, naming things that are in the pool where it has any.

    ``number`` varies texts, and which of several things is named, so that calls do not all collide.
    """
    path = {
        parameter.name: as_text(_in_path(parameter.name, parameter.annotation, pool, number))
        for parameter in operation.path_parameters
    }
    query = {
        parameter.name: as_text(_named(parameter.name, parameter.wire, pool, number))
        for parameter in operation.query_parameters
        if parameter.required or number % 2
    }
    body = None
    if operation.body is not None:
        body = LISTS.get(operation.name) or value(operation.body.type, pool, number, whole=bool(number % 2))
    return Arguments(path, query, body)


def spoilt(operation: Operation, pool: Pool) -> Iterator[Arguments]:
    """The valid arguments with one thing wrong, for every place and every way that the declaration tells."""
    sample = valid(operation, pool, 1)
    for parameter in operation.path_parameters:
        for text in _wrong_texts(parameter.annotation):
            yield replace(sample, path={**sample.path, parameter.name: text}, about=f"path {parameter.name}={text!r}")
    for queried in operation.query_parameters:
        for text in _wrong_texts(queried.wire):
            yield replace(sample, query={**sample.query, queried.name: text}, about=f"{queried.name}={text!r}")
        if queried.required:
            rest = {name: text for name, text in sample.query.items() if name != queried.name}
            yield replace(sample, query=rest, about=f"without {queried.name}")
    if operation.for_client:
        yield replace(sample, query={**sample.query, "for_client": NOWHERE}, about="for_client of nobody")
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
        for wrong, about in _wrong_fields(body.type, sample.body):
            yield replace(sample, body=wrong, about=about)
    elif body is not None:
        yield replace(sample, body=b"", about="no bytes")
        yield replace(sample, body=b"\x00" * 32, about="bytes of nothing known")


def _wrong_texts(annotation: Any) -> list[str]:
    if annotation in RESOLVERS:
        return ["999999999"] if RESOLVERS[annotation][0] is int else [NOWHERE, "-1", "x" * 300, "é\x01"]
    base = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if base is int:
        return ["", "one", "1.5", "9" * 19, "9" * 30, "-1"]
    if base is bool:
        return ["", "maybe"]
    if base is Ttl:
        return ["", "m", "0m", "5", "5y", "999999999999w"]
    if isinstance(base, type) and issubclass(base, Enum):
        return ["", "no-such-word"]
    return ["", "\x00", "x" * 5000, NOWHERE]


def _wrong_fields(type_: Any, sample: Any) -> Iterator[tuple[Any, str]]:
    if not (isinstance(type_, type) and issubclass(type_, Struct)):
        return
    for field in msgspec.structs.fields(type_):
        name = field.encode_name
        wrong: Any
        for wrong in ({}, [[]], True, -1, 2**70, 1.5, "", " ", "x" * 70_000, "a\x00b", None):
            about = f"body {name}={str(wrong)[:20]!r}"
            yield {**sample, name: wrong}, about
        if field.required:
            yield {key: kept for key, kept in sample.items() if key != name}, f"body without {name}"


def as_text(given: object) -> str:
    """A value as it stands in a path or a query."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, Enum):
        return str(given.value)
    if isinstance(given, list | tuple):
        return ",".join(as_text(each) for each in given)
    return str(given)


def _in_path(name: str, annotation: Any, pool: Pool, number: int) -> object:
    """A thing of the kind that a path parameter is resolved to, or what its type says."""
    if annotation in RESOLVERS:
        kind = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
        if kind.__name__ == "Client":
            return pool.client
        found = pool.find(kind.__name__) or pool.find(name)
        if found:
            return found[number % len(found)]
        return 999999999 if RESOLVERS[annotation][0] is int else NOWHERE
    return _named(name, annotation, pool, number)


def _named(name: str, annotation: Any, pool: Pool, number: int) -> Any:
    """A value for a parameter or a field: an id where its name is the word for something, else what its type says."""
    base = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if get_origin(base) is list:
        lists = [each for each in HINTS.get(name, ()) if isinstance(each, list)]
        return lists[number % len(lists)] if lists else [_named(name, get_args(base)[0], pool, number)]
    if base in (str, int):
        found = [id for id in _candidates(name, pool) if isinstance(id, base)]
        if found:
            return found[number % len(found)]
    return value(annotation, pool, number)


def _candidates(name: str, pool: Pool) -> list[Any]:
    if name in {"channelIds", "channel", "channelUuid"}:
        return pool.find("channel")
    if name in {"userIds", "sipUserId", "user"}:
        return pool.find("user")
    if name == "clientId":
        return [pool.client]
    found = [] if name in HINTS or name in {"url", "handle"} else pool.find(name)
    return found or list(HINTS.get(name, ()))


def value(annotation: Any, pool: Pool, number: int = 0, *, whole: bool = True) -> Any:
    """A plain JSON value of a type; ``whole`` with the fields that may be left out."""
    if get_origin(annotation) in {Union, UnionType}:
        return value(next(each for each in get_args(annotation) if each is not NoneType), pool, number, whole=whole)
    base, marks = annotation, ()
    if get_origin(annotation) is Annotated:
        base, *rest = get_args(annotation)
        marks = tuple(rest)
    if get_origin(base) in {list, tuple}:
        return [value(get_args(base)[0], pool, number, whole=whole)]
    if get_origin(base) is dict or base is dict:
        return {"sample": number}
    if base is bytes:
        return b"\x89PNG\r\n\x1a\n" + bytes([number % 256]) * 16
    if base is Any:
        return {"sample": number}
    if isinstance(base, type) and issubclass(base, Struct):
        return {
            field.encode_name: _named(field.encode_name, _optional(field.type), pool, number)
            for field in msgspec.structs.fields(base)
            if whole or field.required
        }
    return _scalar(base, marks, number)


def _optional(annotation: Any) -> Any:
    if get_origin(annotation) in {Union, UnionType}:
        return next(each for each in get_args(annotation) if each is not NoneType)
    return annotation


def _scalar(base: Any, marks: tuple[Any, ...], number: int) -> Any:
    if base is bool:
        return number % 2 == 0
    if base is Ttl:
        return "5m"
    if isinstance(base, type) and issubclass(base, Enum):
        members = list(base)
        return members[number % len(members)].value
    if base in (int, float):
        least = max([mark.minimum for mark in marks if isinstance(mark, AtLeast)], default=1)
        return max(least, 1) + number
    if any(isinstance(mark, AbsoluteUrl) for mark in marks):
        return f"https://example.com/{number}"
    if any(isinstance(mark, Sized | Meta) for mark in marks) or base is str:
        return f"sample-{number}"
    raise TypeError(f"no sample of {base!r}")
