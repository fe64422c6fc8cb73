"""JSON Schemas of parameters, bodies and answers, from annotations; objects and enumerations are named components.

Own code: the generator of msgspec drops the marks of ``contract.types`` and the descriptions of fields.
"""

import inspect
from collections.abc import Mapping
from enum import Enum
from types import NoneType
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, Struct

from confsim.assumptions import in_force
from confsim.assumptions.protocol import durations, parsing, wire
from confsim.values.urls import HOST_PATTERN, PORT

from .annotations import (
    annotated,
    chosen,
    description_of,
    fields_of,
    filled,
    mark_of,
    named,
    options_of,
    peeled,
    struct_of,
    with_said,
    without_none,
)
from .encode import NoContent, Raw
from .types import (
    PIXELS,
    AbsoluteUrl,
    AlwaysOmitted,
    AtMost,
    ImageSize,
    InUnit,
    LimitedPage,
    Page,
    Pattern,
    Present,
    ReadAs,
    Shown,
    Sized,
    TextForm,
    Ttl,
)

Profile = Mapping[str, Any]
Schema = dict[str, Any]

#: White space except control characters, inside a class. It is what the service means by it (``str.isspace``); the
#: ``\s`` of JSON Schema (ECMA-262) lacks U+0085 and has U+FEFF.
SPACE = r" \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
#: White space, then another character, then anything except control characters.
_NOT_BLANK = rf"^[{SPACE}]*[^\x00-\x1f\x7f{SPACE}][^\x00-\x1f\x7f]*$"
_MAYBE_BLANK = r"^[^\x00-\x1f\x7f]*$"
#: An absolute URL: optional user, host and port in ASCII; the rest may be of any characters.
URL = (
    rf"^https?://([A-Za-z0-9._~%!$&'()*+,;=:-]*@)?{HOST_PATTERN}"
    rf"(:{PORT})?([/?#][^\x00-\x20\x7f]*)?$"
)
#: Numbers as texts.
_DECIMAL = r"^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$"
_WHOLE = "^-?[0-9]+$"
_INT32: Schema = {"type": "integer", "format": "int32", "minimum": -(2**31), "maximum": 2**31 - 1}
#: What is read as a value of each type too, where texts of numbers are numbers.
_READ_TOO: dict[str, list[Schema]] = {
    "integer": [{"type": "string", "pattern": _WHOLE}],
    "number": [{"type": "string", "pattern": _DECIMAL}],
    "boolean": [
        {"type": "integer", "enum": [0, 1]},
        {"type": "string", "pattern": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[01])$"},
    ],
}
_PLAIN: dict[Any, Schema] = {
    bool: {"type": "boolean"},
    float: {"type": "number", "format": "double"},
    bytes: {"type": "string", "format": "binary"},
    NoneType: {"type": "null"},
    object: {},
    Any: {},
    msgspec.Raw: {},
}

#: The description of a value in each unit of time.
_UNITS = {
    "seconds": "The seconds that are left.",
    "milliseconds": "The milliseconds that are left.",
    "epoch-ms": "In epoch milliseconds.",
    "epoch-s": "In epoch seconds.",
    "epoch-days": "In epoch days.",
    "iso-8601": "As ISO 8601 in UTC.",
}


class Schemas:
    """The schemas of one document. ``components`` grows with every type that is added.

    Bodies have the limits that decoding enforces, answers have none; a type used in both is emitted without limits.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.components: dict[str, Schema] = {}
        self._owners: dict[str, tuple[Any, bool]] = {}
        self._absent = in_force(profile, wire.ABSENT)
        self._null_in_bodies = in_force(profile, parsing.NULL_OPTION) == "absent"
        self._closed = in_force(profile, parsing.UNKNOWN_FIELDS) == "refuse"
        self._texts = in_force(profile, wire.NUMBERS) == "texts"
        self._coerces = in_force(profile, parsing.NUMBERS) == "coerce"
        self._of_parameter = False

    def parameter(self, annotation: Any) -> Schema:
        """Return the schema of a path or query parameter of this type."""
        self._of_parameter = True
        try:
            return self._of(annotation, body=True)
        finally:
            self._of_parameter = False

    def body(self, type_: Any) -> Schema:
        """Return the schema of a JSON body."""
        return self._of(type_, body=True)

    def answer(self, type_: Any) -> Schema:
        """Return the schema of a JSON answer."""
        return self._of(type_, body=False)

    def event(self, type_: Any) -> Schema:
        """Return the schema of a JSON message: numbers are numbers, and options are left out, under every profile."""
        forms = self._texts, self._absent
        self._texts, self._absent = False, "omit"
        try:
            return self._of(type_, body=False)
        finally:
            self._texts, self._absent = forms

    def add(self, name: str, schema: Schema) -> Schema:
        """Add a component without a type; return the reference to it."""
        self.components[name] = schema
        return {"$ref": f"#/components/schemas/{name}"}

    def resolved(self, schema: Schema) -> Schema:
        """Return the component that a schema refers to, or the schema itself."""
        return self.components[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema

    def _of(self, annotation: Any, *, body: bool) -> Schema:
        annotation = chosen(annotation, self.profile)
        base, marks = peeled(annotation)
        options = options_of(base)
        if len(options) > 1:
            return self._union(options, body=body)
        return self._whole(base, marks, body=body)

    def _whole(self, base: Any, marks: tuple[Any, ...], *, body: bool) -> Schema:
        """Return the schema of a type with its marks; of an answer, as its numbers are written."""
        if isinstance(base, TypeVar):
            return {}
        for mark in marks:
            if isinstance(mark, ReadAs):
                return self._of(mark.type, body=True)
        schema = self._base(base, body=body)
        for mark in marks:
            schema = self._marked(schema, mark)
        if self._coerces and body and not self._of_parameter:
            return _or_text(schema)
        return _as_text(schema) if self._texts and not body else schema

    def _union(self, options: tuple[Any, ...], *, body: bool) -> Schema:
        schemas = [self._of(option, body=body) for option in options]
        distinct = [each for place, each in enumerate(schemas) if each not in schemas[:place]]
        return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}

    def _base(self, base: Any, *, body: bool) -> Schema:
        if base in _PLAIN:
            return dict(_PLAIN[base])
        if base is int:
            return {"type": "integer", "format": "int64"}
        if base is Ttl:
            return self._ttl()
        if base is str:
            return {"type": "string"}
        origin = get_origin(base)
        if origin in {list, tuple, set, frozenset}:
            element = get_args(base)[0]
            return {"type": "array", "items": self._of(element, body=body) | _naming(element, body=body)}
        if base in {dict, Mapping} or origin in {dict, Mapping}:
            of = get_args(base)[1] if origin else Any
            return {"type": "object", "additionalProperties": self._of(of, body=body) or True}
        if base in {list, tuple}:
            return {"type": "array", "items": {}}
        if isinstance(base, type) and issubclass(base, Enum):
            return self._enum(base)
        return self._struct(base, body=body)

    def _ttl(self) -> Schema:
        """Return the pattern of a time to live: a positive number of limited length before each unit."""
        fraction = r"(\.[0-9]{1,9})?" if in_force(self.profile, parsing.TTL_NUMBER) == "fraction" else ""
        units = in_force(self.profile, parsing.TTL_UNITS)
        digits = {unit: min(len(str(durations.LONGEST // each)) - 1, 12) for unit, each in units.items()}
        spans = "|".join(f"[1-9][0-9]{{0,{most - 1}}}{fraction}{unit}" for unit, most in digits.items() if most)
        return {"type": "string", "pattern": f"^({spans})$"}

    def _marked(self, schema: Schema, mark: Any) -> Schema:
        if isinstance(mark, Sized):
            return schema | self._text(mark)
        if isinstance(mark, TextForm | Pattern | AtMost):
            keywords = mark.keywords(self.profile)
            return keywords if "type" in keywords else schema | keywords
        if isinstance(mark, Shown):
            return {**schema, "default": mark.default}
        if isinstance(mark, Meta):
            return _limited(schema, mark)
        return schema

    def _text(self, sized: Sized) -> Schema:
        schema: Schema = {"maxLength": in_force(self.profile, sized.max_length)}
        if isinstance(sized, AbsoluteUrl) and (sized.free is None or in_force(self.profile, sized.free) != "any"):
            return {**schema, "pattern": URL}
        if sized.allow_blank:
            return {**schema, "pattern": _MAYBE_BLANK}
        return {"minLength": 1, **schema, "pattern": _NOT_BLANK}

    def _enum(self, type_: type[Enum]) -> Schema:
        values = [member.value for member in type_]
        schema: Schema = {"type": "integer" if isinstance(values[0], int) else "string", "enum": values}
        text = inspect.getdoc(type_) or ""
        if type_ is ImageSize:
            text += " " + ", ".join(f"{size} is {side}x{side} pixels" for size, side in PIXELS.items()) + "."
        return self._component(_name(type_), (type_, False), lambda: {"description": text, **schema})

    def _struct(self, type_: Any, *, body: bool) -> Schema:
        struct = struct_of(get_origin(type_) or type_)
        if struct is None:
            raise TypeError(f"no JSON schema for {type_!r}")
        name = _name(type_)
        if _is_page(type_) and self._owners.get(name, (type_,))[0] != type_:
            name = name.removesuffix("List") + "Page"  # a profile may make pages of a thing that has a list
        return self._component(name, (type_, body), lambda: self._object(type_, struct, body=body))

    def _component(self, name: str, owner: tuple[Any, bool], make: Any) -> Schema:
        known = self._owners.setdefault(name, owner)
        if known[0] != owner[0]:
            raise ValueError(f"two components are named {name}: {known[0]!r} and {owner[0]!r}")
        if known != owner:
            raise ValueError(f"{name} is the schema of a body and of an answer")
        if name not in self.components:
            self.components[name] = {}
            self.components[name] = make()
        return {"$ref": f"#/components/schemas/{name}"}

    def _object(self, type_: Any, struct: type[Struct], *, body: bool) -> Schema:
        arguments = dict(zip(getattr(struct, "__parameters__", ()), get_args(type_), strict=False))
        properties: Schema = {}
        required = []
        for field in fields_of(struct):
            annotation = filled(field.type, arguments)
            properties[field.encode_name] = self._property(field, annotation, body=body)
            if field.required or self._present(field, annotation, body=body):
                required.append(field.encode_name)
        schema: Schema = {
            "description": " ".join((inspect.getdoc(struct) or "").split()),
            "type": "object",
            "properties": properties,
        }
        if required:
            schema["required"] = required
        schema |= _exclusive(getattr(struct, "ONE_OF", ()), len(required))
        if body and (least := getattr(struct, "LEAST_FIELDS", None)) is not None and least.under(self.profile):
            schema["minProperties"] = 1
        schema |= getattr(struct, "KEYWORDS", {})
        if body and (self._closed or struct.__struct_config__.forbid_unknown_fields):
            schema["additionalProperties"] = False
        return schema

    def _property(self, field: msgspec.structs.FieldInfo, annotation: Any, *, body: bool) -> Schema:
        inner = chosen(annotation, self.profile)
        base, marks = peeled(inner)
        options = options_of(base)
        optional = not field.required and NoneType in options
        present = mark_of(inner, Present)
        given = present is not None and present.under(self.profile)
        if optional and (given or not self._nullable(field.encode_name, inner, body=body)):
            options = tuple(option for option in options if option is not NoneType)
        if options == (base,):
            schema = self._whole(base, marks, body=body)
        else:
            schema = self._union(options, body=body) if len(options) > 1 else self._of(options[0], body=body)
            for mark in marks:
                schema = self._marked(schema, mark)
        text = with_said(description_of(annotation), annotation, self.profile)
        unit = mark_of(inner, InUnit)
        if unit is not None:
            text = f"{text} {_UNITS[in_force(self.profile, unit.entry)]}"
        if text:
            schema = {"description": text, **{key: value for key, value in schema.items() if key != "description"}}
        if "items" not in schema:
            schema = schema | _naming(annotation, body=body)
        if body and field.default not in (None, NODEFAULT, UNSET):
            schema = {**schema, "default": msgspec.to_builtins(field.default)}
        return schema

    def _present(self, field: msgspec.structs.FieldInfo, annotation: Any, *, body: bool) -> bool:
        """Return whether an optional field is always there."""
        if not body and field.default is None and self._nullable(field.encode_name, annotation, body=False):
            return True  # without a value it is null
        mark = mark_of(annotation, Present)
        return mark is not None and mark.under(self.profile)

    def _nullable(self, name: str, annotation: Any, *, body: bool) -> bool:
        """Return whether null stands for an optional field without a value (G071, G077)."""
        if body:
            return self._null_in_bodies
        if mark_of(annotation, AlwaysOmitted) is not None:
            return False
        return bool(self._absent == "null" or (self._absent != "omit" and name in self._absent))


def _exclusive(names: tuple[str, ...], required: int) -> Schema:
    """Return a schema with exactly one of these fields beside the required ones; client generators ignore ``oneOf``."""
    if not names:
        return {}
    # Others are allowed, as they are without the word, which linters need that look for unknown fields in examples.
    others = {
        name: {"properties": {other: False for other in names if other != name}, "additionalProperties": True}
        for name in names
    }
    return {"minProperties": required + 1, "dependentSchemas": others}


def _naming(annotation: Any, *, body: bool) -> Schema:
    """Return the kind of thing that a field of a body, or an element of a list, names."""
    kind = named(without_none(annotation))[1] if body else None
    return {} if kind is None else {"x-confsim-names": kind}


def _limited(schema: Schema, meta: Meta) -> Schema:
    limits = {"minimum": meta.ge, "maximum": meta.le, "pattern": meta.pattern, "maxLength": meta.max_length}
    limited = {**schema, **{word: limit for word, limit in limits.items() if limit is not None}}
    if meta.ge is not None and meta.ge >= -(2**31) and meta.le is not None and meta.le < 2**31:
        limited["format"] = "int32"
    return limited


def _as_text(schema: Schema) -> Schema:
    """Return the schema of a number where decimals and integers beyond 32 bits are texts (G100); others unchanged."""
    if schema.get("type") == "number":
        return {"type": "string", "pattern": _DECIMAL}
    if schema.get("type") != "integer" or schema.get("format") != "int64" or schema.get("maximum", 2**31) < 2**31:
        return schema
    small = {**_INT32, "minimum": max(schema.get("minimum", -(2**31)), -(2**31))}
    return {"anyOf": [small, {"type": "string", "pattern": _WHOLE}]}


def _or_text(schema: Schema) -> Schema:
    """Return the schema of a number or a boolean of a body where texts of it are read too (G069); others unchanged."""
    others = _READ_TOO.get(schema.get("type", ""))
    return schema if others is None or "enum" in schema else {"anyOf": [schema, *others]}


def caseless(word: str) -> str:
    """Return the pattern of a word in whatever case."""
    return "".join(f"[{each.upper()}{each.lower()}]" if each.isalpha() else f"[{each}]" for each in word)


def _name(type_: Any) -> str:
    """Return the name of a component: COMPONENT of the class, or its name; for an envelope, that of its data.

    A page is a list of its elements.
    """
    if get_args(type_) and not _is_page(type_):
        return _name(get_args(type_)[0]).removesuffix("Data")
    if _is_page(type_):
        return _name(get_args(type_)[0]).removesuffix("ListItem") + "List"
    return str(getattr(type_, "COMPONENT", type_.__name__))


def _is_page(type_: Any) -> bool:
    return get_origin(type_) in {Page, LimitedPage}


def json_part(result: Any) -> Any:
    """Return the part of a return type that is sent as JSON, None when there is none."""
    base, marks = peeled(result)
    parts = tuple(option for option in options_of(base) if option not in (NoneType, Raw, NoContent))
    return annotated(Union[parts], marks) if parts else None  # noqa: UP007  (made from a tuple)
