"""From the wire to typed values, or a Refusal that names what was wrong and where.

Every parameter is read only from the place that its call states (P1 Conventions 2). The decoders are built once for
each operation, from the types in its signature.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import Enum
from inspect import Parameter
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, get_args, get_origin
from urllib.parse import unquote_to_bytes, urlsplit

import msgspec

from confsim.assumptions.protocol import durations, parsing
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import Context, ask, value_of
from confsim.kernel.refusal import Refusal

from .annotations import named, sized_of, struct_of, without_none
from .json_places import oversized_number, repeated_key
from .types import AbsoluteUrl, Sized, Ttl, Whole

#: Turns the text of a parameter into its value; the text of the place is for the refusal.
FromText = Callable[[Context, str, str], Any]

_DIGITS = re.compile(r"-?[0-9]{1,19}\Z", re.ASCII)
_TTL = re.compile(r"([0-9]{1,12})([A-Za-z]+)\Z", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
#: What most URLs look like, and no longer needs to be taken apart.
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?:/[A-Za-z0-9/._~=&-]*)?\Z")
_WHERE = re.compile(r" - at `\$\.?(.*)`\Z")


class Resolver(NamedTuple):
    """How a path parameter becomes the thing that it names.

    ``wire`` is its type on the wire; ``find`` is called with the call and the decoded text or number; ``names`` is the
    kind of thing, in the words of ``types.Names``.
    """

    wire: Any
    find: Callable[[Any, Any], Any]
    names: str | None


#: The resolver of each type that path parameters are annotated with.
RESOLVERS: dict[Any, Resolver] = {}


def resolves(
    type_: Any, raw: Any, names: str | None = None
) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    """Declare how path parameters annotated with ``type_`` are looked up.

    ``raw`` is the type on the wire, ``names`` the kind of thing that such a parameter names.
    """

    def declare(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        RESOLVERS[type_] = Resolver(raw, function, names)
        return function

    return declare


def wrong(where: str, problem: str) -> Refusal:
    """The refusal of an input, which names the place and the problem."""
    return Refusal(Reason.INVALID_INPUT, where=where, problem=problem)


class PathParameter:
    """One ``{placeholder}``: how its text is read and how the thing it names is found.

    ``names`` is the kind of thing that it names, None for a plain value.
    """

    __slots__ = ("annotation", "name", "names", "read", "resolve", "where", "wire")

    def __init__(self, name: str, annotation: Any) -> None:
        self.name = name
        self.annotation = annotation
        self.where = f"path {name}"
        self.resolve: Callable[[Any, Any], Any] | None = None
        self.wire: Any
        if annotation in RESOLVERS:
            self.wire, self.resolve, self.names = RESOLVERS[annotation]
        else:
            self.wire, self.names = named(annotation)
        self.read = reader(self.wire)


class QueryParameter:
    """One query parameter: its type, its default, whether the call can do without it, the kind of thing it names."""

    __slots__ = ("annotation", "default", "keyword", "name", "names", "read", "required", "where", "wire")

    def __init__(self, name: str, annotation: Any, default: Any) -> None:
        self.annotation = annotation
        self.keyword = name
        self.name = name.removesuffix("_")
        self.wire, self.names = named(without_none(annotation))
        self.required = default is Parameter.empty
        self.default = None if self.required else default
        self.where = f"query {self.name}"
        self.read = reader(self.wire)


class Body:
    """The body of a call: a JSON value of a type, or raw bytes.

    ``names`` holds the fields that name a thing, each with the kind of thing.
    """

    __slots__ = ("_decoder", "_strict", "checks", "fields", "is_json", "names", "optional", "type")

    def __init__(self, type_: Any) -> None:
        self.type = type_
        self.is_json = type_ is not bytes
        self._decoder = msgspec.json.Decoder(type_) if self.is_json else None
        struct = struct_of(type_)
        self.checks = _checks(type_)
        self.optional = struct is not None and not any(field.required for field in msgspec.structs.fields(struct))
        self.fields: tuple[str, ...] = () if struct is None else struct.__struct_encode_fields__
        declared = () if struct is None else msgspec.structs.fields(struct)
        kinds = {field.encode_name: named(without_none(field.type))[1] for field in declared}
        self.names = {name: kind for name, kind in kinds.items() if kind is not None}
        self._strict = struct

    def read(self, context: Context, raw: bytes) -> Any:
        """The value of the body. Raises Refusal that names the first problem and its place."""
        if self._decoder is None:
            return raw
        if not raw or raw.isspace():
            if not self.optional or ask(context, parsing.NO_BODY) == "refuse":
                raise Refusal(Reason.BODY_MALFORMED, problem="it is empty")
            raw = b"{}"
        try:
            if not raw.isascii():
                raw.decode()  # the decoder passes over the texts of fields that it does not know
            value = self._decoder.decode(raw)
        except msgspec.ValidationError as error:
            value = self._lenient(context, raw, error)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
            raise Refusal(Reason.BODY_MALFORMED, problem=_told(error)) from None
        where = repeated_key(raw)
        if where is not None and ask(context, parsing.DUPLICATE_KEYS) == "refuse":
            raise wrong(f"body {where}", "it is given twice")
        if self._strict is not None:
            unknown = ask(context, parsing.UNKNOWN_FIELDS) == "refuse"
            null = raw.find(b"null") >= 0 and ask(context, parsing.NULL_OPTION) == "refuse"
            if unknown or null:
                self._examine(raw, unknown=unknown, null=null)
            for where, get, check in self.checks:
                text = get(value)
                if text is not None:
                    check(context, where, text)
        return value

    def _lenient(self, context: Context, raw: bytes, error: msgspec.ValidationError) -> Any:
        """JSON has one type of number: 5.0 is the integer 5 (G069). Everything else stays refused."""
        numbers = ask(context, parsing.NUMBERS)
        try:
            plain = msgspec.json.decode(raw)
        except msgspec.ValidationError:  # a number that no type holds: only the typed decoder names its place
            numbers = "strict"
        except (RecursionError, ValueError) as other:
            raise Refusal(Reason.BODY_MALFORMED, problem=_told(other)) from None
        if numbers != "strict":
            try:
                return msgspec.convert(_integral(plain), self.type, strict=numbers != "coerce")
            except msgspec.ValidationError as again:
                error = again
        text = str(error)
        place = _WHERE.search(text)
        path = "" if place is None else place[1]
        if "[...]" in path:  # somewhere below a value of any type
            path = oversized_number(raw) or path
        where = f"body {path}" if path else "body"
        raise wrong(where, _WHERE.sub("", text)) from None

    def _examine(self, raw: bytes, *, unknown: bool, null: bool) -> None:
        """Refuse what the decoder lets pass: fields that are ``unknown``, and ``null`` where a field is an option."""
        pairs: list[tuple[str, Any]] = json.loads(raw, object_pairs_hook=list)
        known = () if self._strict is None else self._strict.__struct_encode_fields__
        for name, value in pairs:
            if unknown and name not in known:
                raise wrong(f"body {name}", "no such field")
            if null and value is None and name in known:
                raise wrong(f"body {name}", "it is null")

    def ignored(self, raw: bytes) -> list[str]:
        """The fields of a JSON body that the call does not know and passes over (G070)."""
        try:
            given = msgspec.json.decode(raw) if raw and self._strict is not None else None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
            given = None
        if not isinstance(given, dict) or self._strict is None:
            return []
        return sorted(given.keys() - set(self._strict.__struct_encode_fields__))


def decoded(text: str, where: str, context: Context | None = None) -> str:
    """Percent-encoded text as text; broken escapes and bytes that are no UTF-8 are refused (G057)."""
    raw = unquote_to_bytes(text)
    broken = _BROKEN_ESCAPE.search(text) is not None
    if not broken:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            pass
    if context is not None and ask(context, parsing.ESCAPES) == "replace":
        return raw.decode(errors="replace")
    raise wrong(where, "a percent sign without two hexadecimal digits" if broken else "the bytes are not UTF-8")


def listed(context: Context, where: str, text: str) -> list[str]:
    """A comma separated list: items trimmed, empty ones left out (G055, G075)."""
    items = [item.strip() for item in text.split(ask(context, parsing.LIST_SEPARATOR))]
    if "" in items:
        if text and ask(context, parsing.EMPTY_ITEMS) == "refuse":
            raise wrong(where, "an item of the list is empty")
        return [item for item in items if item]
    return items


def reader(annotation: Any) -> FromText:
    """How a parameter of this type is read from its text."""
    base, marks = annotation, []
    if get_origin(annotation) is Annotated:
        base, *marks = get_args(annotation)
    if base is Ttl:
        return _ttl
    if base is bool:
        return _boolean
    if get_origin(base) is list:
        of = reader(get_args(base)[0])
        return lambda context, where, text: [of(context, where, item) for item in listed(context, where, text)]
    if isinstance(base, type) and issubclass(base, Enum):
        return _enum(base)
    if base is int:
        least = next((mark.least for mark in marks if isinstance(mark, Whole)), None)
        return lambda context, where, text: _integer(context, where, text, least)
    if base is str:
        sized = next((mark for mark in marks if isinstance(mark, Sized)), None)
        if sized is None:
            return lambda context, where, text: text
        check = _text_check(sized)

        def read(context: Context, where: str, text: str) -> str:
            check(context, where, text)
            return text

        return read
    raise TypeError(f"no parameter can be of type {annotation!r}")


def _integer(context: Context, where: str, text: str, least: int | None) -> int:
    if _DIGITS.match(text):
        number = int(text)
        if number > 2**63 - 1 or number < -(2**63):
            raise wrong(where, f"{text} does not fit 64 bits")
        if least is not None and number < least:
            raise wrong(where, f"{text} is less than {least}")
        return number
    long = len(text) > 19 and text.removeprefix("-").isdecimal() and text.isascii()
    raise no_number(context, where, text, "too long a number" if long else "not a whole number")


def no_number(context: Context, where: str, text: str, problem: str) -> Refusal:
    """What tells of a text where a number belongs (G060)."""
    if where.startswith("path") and ask(context, parsing.PATH_NUMBERS) == "404":
        return Refusal(Reason.NOT_FOUND, what=where.removeprefix("path "), id=text[:40])
    return wrong(where, f"{text[:40]!r} is {problem}")


def _boolean(context: Context, where: str, text: str) -> bool:
    words = ask(context, parsing.BOOLEANS)
    try:
        return words[text]
    except KeyError:
        raise wrong(where, f"{text[:40]!r} is none of {', '.join(words)}") from None


def _ttl(context: Context, where: str, text: str) -> Ttl:
    units = ask(context, parsing.TTL_UNITS)
    match = _TTL.match(text)
    if match is None or match[2] not in units:
        raise wrong(where, f"{text[:40]!r} is no number followed by one of {', '.join(units)}")
    span = int(match[1]) * units[match[2]]
    if span == 0:
        raise wrong(where, "a time to live of zero")
    if span > durations.LONGEST:
        raise wrong(where, f"{text} is too long a time")
    return Ttl(span)


def _enum(type_: type[Enum]) -> FromText:
    words = {str(member.value): member for member in type_}
    expected = ", ".join(words)

    def read(context: Context, where: str, text: str) -> Enum:
        member = words.get(text)
        if member is None and text.lower() in words and ask(context, parsing.STATE_CASE) == "ignore":
            member = words[text.lower()]
        if member is None:
            if where.startswith("path"):
                raise Refusal(Reason.INVALID_STATE, given=text, expected=expected)
            raise wrong(where, f"{text[:40]!r} is none of {expected}")
        return member

    return read


def _text_check(sized: Sized) -> Callable[[Context, str, str], None]:
    is_url, blank = isinstance(sized, AbsoluteUrl), sized.blank

    def check(context: Context, where: str, text: str) -> None:
        plain = is_url and _PLAIN_URL.match(text) is not None
        if not plain and _CONTROL.search(text):
            raise wrong(where, "control characters are not allowed")
        if not (plain or blank or text.strip()):
            raise wrong(where, "it is blank")
        if len(text) > value_of(context, sized.most):
            raise wrong(where, f"it is longer than {ask(context, sized.most)} characters")
        if is_url and not plain and not absolute(text):
            raise wrong(where, f"{text[:80]!r} is no absolute http or https URL")

    return check


def absolute(url: str) -> bool:
    """Whether the text is an absolute http or https URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and " " not in url


def _checks(type_: Any) -> tuple[tuple[str, Callable[[Any], Any], Callable[[Context, str, str], None]], ...]:
    """The checks of the texts in a body, each with its place and how to get at it."""
    struct = struct_of(type_)
    if struct is None:
        return ()
    checks = []
    for field in msgspec.structs.fields(struct):
        sized = sized_of(field.type)
        if sized is not None:
            checks.append((f"body {field.encode_name}", attrgetter(field.name), _text_check(sized)))
    return tuple(checks)


def _integral(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**63 else value
    if isinstance(value, dict):
        return {name: _integral(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_integral(item) for item in value]
    return value


def _told(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"the bytes are not UTF-8 (byte {error.start})"
    text = str(error).removeprefix("JSON is malformed: ")
    if text == "Input data was truncated":
        return "it ends too early, or a string in it holds half a surrogate pair"
    return text
