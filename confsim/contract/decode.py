"""Decoding: parameters and bodies from the wire to typed values, or the Refusal of the first mistake and its place.

Every parameter is read only from the place that its operation states (P1 Conventions 2). The decoders are built once
for each operation, from the types in its signature. msgspec decodes bodies; limits of texts are checked here, because a
profile sets them.
"""

import json
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable
from enum import Enum
from inspect import Parameter
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from confsim.assumptions import Context, Reason, ask
from confsim.assumptions.protocol import parsing
from confsim.kernel import Refusal
from confsim.values.plain import DEEPEST, is_deep

from .annotations import description_of, mark_of, named, struct_of, undescribed, without_none
from .json_places import oversized_number, repeated_key
from .text_values import TextCheck, form_check, invalid_input, text_check, text_reader, trimmed
from .types import Sized, TextForm

#: The place that msgspec appends to its messages.
_PLACE = re.compile(r" - at `\$\.?(.*)`\Z")
_TOO_DEEP = f"it is nested deeper than {DEEPEST} levels"
#: Byte order marks, which some editors and shells put before a text.
_MARKS = {"UTF-8": (BOM_UTF8,), "UTF-16": (BOM_UTF16_LE, BOM_UTF16_BE)}


#: Returns the thing that a path parameter names. Arguments: the call, and the decoded text or number; for a nested
#: thing also its parent, None at the start of a path.
Finder = Callable[..., Any]


class Resolver(NamedTuple):
    """The look-up of a path parameter: its type on the wire, the function, the kind of thing (``types.Names``).

    ``inside`` is set if the thing is looked up in the one before it in the path, ``gates`` if gates depend on the
    thing; ``description`` describes the parameter. ``is_input`` is set if the parameter is a secret or another input
    that people choose or are sent, such as a PIN, a code or a key: only callers whom the gate admits learn whether it
    exists. Without it, the parameter is the id of an object, which the service made.
    """

    wire: Any
    find: Finder
    names: str | None
    inside: bool
    gates: bool
    description: str
    is_input: bool


#: The resolver of each type of path parameters.
RESOLVERS: dict[Any, Resolver] = {}


def resolves(
    type_: Any,
    raw: Any,
    names: str | None = None,
    *,
    about: str,
    inside: bool = False,
    gates: bool = False,
    is_input: bool = False,
) -> Callable[[Finder], Finder]:
    """Declare how path parameters annotated with ``type_`` are looked up.

    ``raw`` is the type on the wire, ``names`` the kind of thing that such a parameter names, ``about`` its description.
    With ``inside`` it is looked up in the thing before it in the path; with ``gates``, gates depend on it; with
    ``is_input`` it is a secret or another input, which is looked up once the caller's role is known.
    """

    def declare(function: Finder) -> Finder:
        RESOLVERS[type_] = Resolver(raw, function, names, inside, gates, about, is_input)
        return function

    return declare


class PathParameter:
    """One ``{placeholder}`` of a path: the reader of its text, and the look-up of the thing that it names.

    ``names`` is the kind of thing that it names, None for a plain value; ``is_text`` says whether its value is the
    text; ``gates`` whether gates depend on the thing; ``is_input`` whether it is a secret or another input instead of
    the id of an object; ``description`` describes it.
    """

    __slots__ = (
        "annotation", "description", "gates", "inside", "is_input", "is_text", "name", "names", "read", "resolve",
        "where", "wire",
    )  # fmt: skip

    def __init__(self, name: str, annotation: Any) -> None:
        self.name = name
        self.annotation = undescribed(annotation)
        self.where = f"path {name}"
        self.resolve: Finder | None = None
        self.inside = self.gates = self.is_input = False
        self.wire: Any
        self.description: str = _described(annotation)
        if self.annotation in RESOLVERS:
            resolver = RESOLVERS[self.annotation]
            self.wire, self.resolve, self.names, self.inside, self.gates, about, self.is_input = resolver
            if not self.description:
                self.description = about
        else:
            self.wire, self.names = named(annotation)
        self.is_text = self.wire is str
        self.read = text_reader(self.wire)


class QueryParameter:
    """One query parameter: its type, its description, its default, whether it is required, what it names."""

    __slots__ = (
        "annotation", "default", "description", "keyword", "name", "names", "read", "required", "where", "wire"
    )  # fmt: skip

    def __init__(self, name: str, annotation: Any, default: Any) -> None:
        self.annotation = undescribed(annotation)
        self.description = _described(annotation)
        self.keyword = name
        self.name = name.removesuffix("_")
        self.wire, self.names = named(without_none(annotation))
        self.required = default is Parameter.empty
        self.default = None if self.required else default
        self.where = f"query {self.name}"
        self.read = text_reader(self.wire)


def _described(annotation: Any) -> str:
    """Return the description of a parameter: the text in its annotation, or that of its enumeration."""
    type_ = without_none(annotation)
    of_enum = (type_.__doc__ or "").partition("\n")[0] if isinstance(type_, type) and issubclass(type_, Enum) else ""
    return description_of(annotation) or of_enum


class Body:
    """The body of a call: a JSON value of a type, or raw bytes.

    ``fields`` are the names of its fields in their order, ``known`` the same as a set; ``names`` holds those that name
    a thing, each with the kind of thing.
    """

    __slots__ = ("_decoder", "_names", "_struct", "checks", "fields", "is_json", "known", "names", "optional", "type")

    def __init__(self, type_: Any) -> None:
        self.type = type_
        self.is_json = type_ is not bytes
        self._decoder = msgspec.json.Decoder(type_) if self.is_json else None
        struct = struct_of(type_)
        self.checks = _checks(type_)
        self.optional = struct is not None and not any(field.required for field in msgspec.structs.fields(struct))
        self.fields: tuple[str, ...] = () if struct is None else struct.__struct_encode_fields__
        self.known = frozenset(self.fields)
        declared = () if struct is None else msgspec.structs.fields(struct)
        kinds = {field.encode_name: named(without_none(field.type))[1] for field in declared}
        self.names = {name: kind for name, kind in kinds.items() if kind is not None}
        self._struct = struct
        marks = ((field.name, mark_of(field.type, Sized)) for field in declared)
        self._names = tuple(name for name, sized in marks if sized is not None and sized.trims)

    def read(self, context: Context, raw: bytes) -> Any:
        """Return the value of the body (R016, R017). Raises Refusal BODY_MALFORMED, INVALID_INPUT."""
        if self._decoder is None:
            return raw
        try:
            if len(raw) > DEEPEST or not raw.isascii():
                _check_bytes(raw)
            value = self._decoder.decode(raw)
        except msgspec.ValidationError as error:
            value = self._decode_leniently(context, raw, error)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
            if raw and not raw.isspace():
                raise Refusal(Reason.BODY_MALFORMED, problem=_problem(raw, error)) from None
            if not self.optional or ask(context, parsing.NO_BODY) == "refuse":
                raise Refusal(Reason.BODY_MALFORMED, problem="it is empty") from None
            raw = b"{}"
            value = self._decoder.decode(raw)
        where = repeated_key(raw) if raw.count(b",") else None  # otherwise no object has duplicate keys
        if where is not None and ask(context, parsing.DUPLICATE_KEYS) == "refuse":
            raise invalid_input(f"body {where}", "it is given twice")
        if self._struct is not None:
            unknown = ask(context, parsing.UNKNOWN_FIELDS) == "refuse"
            null = raw.count(b"null") > 0 and ask(context, parsing.NULL_OPTION) == "refuse"
            if unknown or null:
                self._refuse_strictly(raw, unknown=unknown, null=null)
            for where, get, check in self.checks:
                text = get(value)
                if text is not None:
                    check(context, where, text)
            value = self._trimmed(context, value)
        return value

    def _trimmed(self, context: Context, value: Any) -> Any:
        """Return the value with the names that the profile keeps of those in it."""
        for name in self._names:
            text = getattr(value, name)
            if text is not None and (bare := trimmed(context, text)) != text:
                value = msgspec.structs.replace(value, **{name: bare})
        return value

    def _decode_leniently(self, context: Context, raw: bytes, error: msgspec.ValidationError) -> Any:
        """Return the value of a body that the decoder refused, 5.0 as the integer 5 (G069). Raises like ``read``."""
        numbers, text = ask(context, parsing.NUMBERS), str(error)
        try:
            plain = msgspec.json.decode(raw)
        except msgspec.ValidationError:  # a number too large for any type: only the typed decoder gives its place
            numbers = "strict"
        except ValueError as other:
            raise Refusal(Reason.BODY_MALFORMED, problem=_problem(raw, other)) from None
        if numbers != "strict":
            try:
                return msgspec.convert(_integral(plain), self.type, strict=numbers != "coerce")
            except msgspec.ValidationError as second:
                text = str(second)  # an error in a variable of the frame it was caught in would hold itself
        place = _PLACE.search(text)
        path = "" if place is None else place[1]
        if "[...]" in path:  # somewhere below a value of type Any
            path = oversized_number(raw) or path
        where = f"body {path}" if path else "body"
        raise invalid_input(where, _PLACE.sub("", text)) from None

    def _refuse_strictly(self, raw: bytes, *, unknown: bool, null: bool) -> None:
        """Refuse input that the decoder accepts: fields that are ``unknown``, and ``null`` for an optional field."""
        pairs: list[tuple[str, Any]] = json.loads(raw, object_pairs_hook=list)
        for name, value in pairs:
            if unknown and name not in self.known:
                raise invalid_input(f"body {name}", "no such field")
            if null and value is None and name in self.known:
                raise invalid_input(f"body {name}", "it is null")

    def ignored_fields(self, raw: bytes) -> list[str]:
        """Return the fields of a JSON body that the operation does not declare and ignores (G070), sorted."""
        try:
            given = msgspec.json.decode(raw) if raw and self._struct is not None else None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
            given = None
        if not isinstance(given, dict) or self._struct is None:
            return []
        return sorted(given.keys() - self.known)


def _check_bytes(raw: bytes) -> None:
    """Check what the decoder does not: the texts of unknown fields, and the depth that functions can walk."""
    raw.decode()
    if is_deep(raw):
        raise Refusal(Reason.BODY_MALFORMED, problem=_TOO_DEEP)


def _checks(type_: Any) -> tuple[tuple[str, Callable[[Any], Any], TextCheck], ...]:
    """Return the checks of the texts in a body: place, getter and check of each field."""
    struct = struct_of(type_)
    if struct is None:
        return ()
    checks = []
    for field in msgspec.structs.fields(struct):
        sized, form = mark_of(field.type, Sized), mark_of(field.type, TextForm)
        if sized is not None:
            checks.append((f"body {field.encode_name}", attrgetter(field.name), text_check(sized)))
        if form is not None:
            checks.append((f"body {field.encode_name}", attrgetter(field.name), form_check(form)))
    return tuple(checks)


def _integral(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**63 else value
    if isinstance(value, dict):
        return {name: _integral(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_integral(item) for item in value]
    return value


def _problem(raw: bytes, error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return _TOO_DEEP
    mark = next((name for name, marks in _MARKS.items() if raw.startswith(marks)), "")
    if mark:
        return f"it starts with the byte order mark of {mark}; JSON is sent as UTF-8 without one"
    if isinstance(error, UnicodeDecodeError):
        return f"the bytes are not UTF-8 (byte {error.start})"
    text = str(error).removeprefix("JSON is malformed: ")
    if text == "Input data was truncated":
        return "it ends too early, or a string in it holds half a surrogate pair"
    return text
