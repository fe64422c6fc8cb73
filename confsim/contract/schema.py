"""JSON Schemas of parameters by type, and of bodies and responses as named components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from confsim.assumptions.protocol import parsing
from confsim.assumptions.register import in_force

from .annotations import mark_of, struct_of
from .encode import NoContent, Raw
from .types import PIXELS, AbsoluteUrl, AtLeast, ImageSize, Sized, TextForm, Ttl

Profile = Mapping[str, Any]
Schema = dict[str, Any]

_REF = "#/components/schemas/{name}"
_NO_CONTROL = r"[^\x00-\x1f\x7f]*"


def parameter(annotation: Any, profile: Profile) -> Schema:
    """The schema of a path or query parameter of this type."""
    base, marks = annotation, ()
    if get_origin(annotation) is Annotated:
        base, *rest = get_args(annotation)
        marks = tuple(rest)
    if base is Ttl:
        units = in_force(profile, parsing.TTL_UNITS)
        fraction = r"(\.[0-9]{1,9})?" if in_force(profile, parsing.TTL_NUMBER) == "fraction" else ""
        return {"type": "string", "pattern": f"^[0-9]{{1,12}}{fraction}({'|'.join(units)})$"}
    if base is bool:
        return {"type": "boolean"}
    if get_origin(base) is list:
        return {"type": "array", "items": parameter(get_args(base)[0], profile)}
    if isinstance(base, type) and issubclass(base, Enum):
        values = [member.value for member in base]
        schema: Schema = {"type": "integer" if isinstance(values[0], int) else "string", "enum": values}
        if base is ImageSize:
            schema["description"] = ", ".join(f"{size} is {side}x{side} pixels" for size, side in PIXELS.items())
        return schema
    if base is int:
        return _integer(marks)
    return _marked_text(marks, profile)


def _integer(marks: tuple[Any, ...]) -> Schema:
    schema: Schema = {"type": "integer", "format": "int64"}
    for mark in marks:
        if isinstance(mark, AtLeast):
            schema["minimum"] = mark.minimum
        elif isinstance(mark, Meta):
            schema |= {word: limit for word, limit in (("minimum", mark.ge), ("maximum", mark.le)) if limit is not None}
    return schema


def _marked_text(marks: tuple[Any, ...], profile: Profile) -> Schema:
    schema: Schema = {"type": "string"}
    for mark in marks:
        if isinstance(mark, Sized):
            schema |= text(mark, profile)
        elif isinstance(mark, TextForm):
            schema |= mark.keywords(profile)
    return schema


def text(sized: Sized, profile: Profile) -> Schema:
    """The keywords for the limits of a text."""
    schema: Schema = {"maxLength": in_force(profile, sized.max_length)}
    schema["pattern"] = f"^{_NO_CONTROL}$" if sized.allow_blank else rf"^(?=.*\S){_NO_CONTROL}$"
    if isinstance(sized, AbsoluteUrl):
        schema["format"] = "uri"
    return schema


def options_of(type_: Any) -> tuple[Any, ...]:
    """The alternatives of a union; any other type alone."""
    return get_args(type_) if get_origin(type_) in {Union, UnionType} else (type_,)


class Components:
    """The named schemas of all JSON types of a catalogue, and the reference of each type to them."""

    def __init__(self, bodies: Iterable[Any], answers: Iterable[Any], profile: Profile) -> None:
        body_types = list(bodies)
        types: list[Any] = []
        for type_ in [*body_types, *answers]:
            types += [option for option in options_of(type_) if option not in types]
        schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
        self.schemas: dict[str, Schema] = dict(sorted(components.items()))
        self._references = list(zip(types, schemas, strict=True))
        for type_ in body_types:
            self._limit(type_, profile)

    def of(self, type_: Any) -> Schema:
        """The schema of one of the types, or of a union of them."""
        schemas = [
            next(schema for known, schema in self._references if known == option) for option in options_of(type_)
        ]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def _limit(self, type_: Any, profile: Profile) -> None:
        """Add the limits that decoding enforces to the schema of a body."""
        struct = struct_of(type_)
        if struct is None:
            return
        schema = self.schemas[self.of(type_)["$ref"].rpartition("/")[2]]
        for field in msgspec.structs.fields(struct):
            sized = mark_of(field.type, Sized)
            if sized is not None:
                property_ = schema["properties"][field.encode_name]
                for option in property_.get("anyOf", [property_]):
                    if option.get("type") == "string":
                        option |= text(sized, profile)
        if in_force(profile, parsing.UNKNOWN_FIELDS) == "refuse":
            schema["additionalProperties"] = False


def json_part(result: Any) -> Any:
    """The part of a return type that is sent as JSON, None when there is none."""
    parts = tuple(option for option in options_of(result) if option not in (NoneType, Raw, NoContent))
    return Union[parts] if parts else None  # noqa: UP007  (made from a tuple)
