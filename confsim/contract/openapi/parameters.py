"""The parameters of operations in an OpenAPI document: what a profile reads from their texts, and what it refuses."""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, get_args, get_origin

import msgspec

from confsim.assumptions import in_force
from confsim.assumptions.protocol import parsing, sizes, transport
from confsim.contract.annotations import (
    description_of,
    fields_of,
    mark_of,
    named,
    peeled,
    struct_of,
    with_said,
    without_none,
)
from confsim.contract.decode import Body, PathParameter, QueryParameter
from confsim.contract.operation import Operation
from confsim.contract.query import lenient
from confsim.contract.schema import SPACE, Schema, Schemas, caseless
from confsim.contract.types import Names

#: The styles of OpenAPI for lists in one text, by separator (3.1, 4.8.12.3): in a path there is one.
_STYLES: Mapping[str, Mapping[str, str]] = {
    "path": {",": "simple"},
    "query": {",": "form", "|": "pipeDelimited", " ": "spaceDelimited"},
}
_WHOLE = r"-?[0-9]{1,19}"
#: White space inside a class, as items of a list are trimmed of it.
_WHITE = rf"\x09-\x0d\x1c-\x1f{SPACE}"


class Parameters:
    """The parameters of one document."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._profile = schemas.profile

    def in_path(self, declared: PathParameter, name: str) -> dict[str, Any]:
        """Return a parameter of a path, under the name that it has there."""
        schema = self._limited(declared.wire)
        if schema.get("type") == "array":
            schema = self._not_empty(schema)
        text = with_said(declared.description, declared.annotation, self._profile)
        several = mark_of(declared.annotation, Names)
        if several is not None and several.several:
            text = f"{text} {self._separated()} {self._items()}"
        described = {"name": name, "in": "path", "required": True, "description": text}
        return {**self._written(described, schema), **naming(declared.names)}

    def in_query(self, declared: QueryParameter, *, required: bool) -> dict[str, Any]:
        """Return a parameter of a query; one that is ``required`` there is."""
        schema = self._limited(declared.wire)
        text = with_said(declared.description, declared.annotation, self._profile)
        if peeled(declared.wire)[0] is bool:
            text = f"{text} {self._words()}".rstrip()
        described: dict[str, Any] = {"name": declared.name, "in": "query", "description": text}
        if required:
            described["required"] = True
        if in_force(self._profile, parsing.EMPTY_QUERY) == "absent" and declared.wire is not str:
            schema = self._without_empty(schema, described, required=declared.required)
        elif schema.get("type") == "array":
            schema = self._not_empty(schema)
        if lenient(self._profile, declared.name):
            schema = _or_any_text(schema)
        if declared.default is not None:
            default = self._default(declared.default)
            schema = schema if default is None else {**schema, "default": default}
        return {**self._written(described, schema), **naming(declared.names)}

    def for_client(self) -> dict[str, Any]:
        """Return the parameter for the child client in whose context a call runs."""
        text = "Run the call in the context of this child client; Partner Admins only."
        schema: Schema = {"type": "string", "minLength": 1}
        described: dict[str, Any] = {"name": "for_client", "in": "query", "description": text}
        if in_force(self._profile, parsing.EMPTY_QUERY) == "absent":
            described["allowEmptyValue"] = True
        return {**described, "schema": schema, **naming("clients")}

    def in_headers(self, operation: Operation) -> Iterator[dict[str, Any]]:
        """Yield the request headers that an operation reads beside those of HTTP itself."""
        text: Schema = {"type": "string"}
        key = in_force(self._profile, transport.IDEMPOTENCY)
        if key and operation.method == "POST":
            about = "A key of the call's own: a repeated call with it gets the first answer again."
            yield {"name": key, "in": "header", "description": about, "schema": text}
        entry = transport.LANGUAGE
        if in_force(self._profile, entry) == "configuration" and operation.name in entry.operations:
            about = "The language of texts where the query names none: the first one counts."
            yield {"name": "Accept-Language", "in": "header", "description": about, "schema": text}

    def of_body(self, body: Body) -> Iterator[dict[str, Any]]:
        """Yield the fields of a JSON body that a call without one can send in its query under a profile (G047)."""
        struct = struct_of(body.type)
        if struct is None or in_force(self._profile, parsing.PLACES) != "query too":
            return
        for field in fields_of(struct):
            wire, kind = named(without_none(field.type))
            schema = self._schemas.parameter(wire)
            described = {"name": field.encode_name, "in": "query", "description": description_of(field.type)}
            if schema.get("type") not in {None, "object"} or "enum" in schema:
                yield {**self._written(described, schema), **naming(kind)}

    def _limited(self, wire: Any) -> Schema:
        """Return the schema of what the text of a parameter is read as."""
        base = peeled(wire)[0]
        if base is bool:
            return self._boolean()
        if isinstance(base, type) and issubclass(base, Enum) and in_force(self._profile, parsing.STATE_CASE) != "exact":
            words = "|".join(caseless(str(member.value)) for member in base)
            return {"type": "string", "pattern": f"^({words})$"}
        schema = self._schemas.parameter(wire)
        if get_origin(base) is list:
            marks = {name: mark for name, mark in schema["items"].items() if name.startswith("x-")}
            return {**schema, "items": {**self._trimmed(self._limited(get_args(base)[0])), **marks}}
        return self._small(schema)

    def _boolean(self) -> Schema:
        """Return the schema of a boolean: where true and false are not its words, those that are."""
        words = in_force(self._profile, parsing.BOOLEANS)
        if words.get("true") is True and words.get("false") is False:
            return {"type": "boolean"}
        return {"type": "string", "enum": list(words)}

    def _words(self) -> str:
        """Return what the words of a boolean mean, those aside that its schema has; "" for none."""
        words: dict[str, bool] = in_force(self._profile, parsing.BOOLEANS)
        plain = {"true", "false"} if self._boolean()["type"] == "boolean" else set()
        means = [f"{word} means {str(meaning).lower()}" for word, meaning in words.items() if word not in plain]
        return f"{', '.join(means)}{', too' if plain else ''}." if means else ""

    def _items(self) -> str:
        """Return what becomes of white space around the items of a list in one text, and of empty ones."""
        refused = in_force(self._profile, parsing.EMPTY_ITEMS) == "refuse"
        return f"Items are trimmed; empty ones are {'refused' if refused else 'left out'}."

    def _separated(self) -> str:
        return f"They are separated by {in_force(self._profile, parsing.LIST_SEPARATOR)!r}."

    def _default(self, default: Any) -> Any:
        """Return the default of a parameter as a client would send it; None where no word stands for it."""
        plain = msgspec.to_builtins(default)
        if not isinstance(plain, bool) or self._boolean()["type"] == "boolean":
            return plain
        words: dict[str, bool] = in_force(self._profile, parsing.BOOLEANS)
        return next((word for word, meaning in words.items() if meaning is plain), None)

    def _small(self, schema: Schema) -> Schema:
        """Return the schema of a whole number with the limits of the profile, where they are below 64 bits."""
        most = in_force(self._profile, sizes.WHOLE_NUMBER)
        if schema.get("type") != "integer" or "enum" in schema or most >= min(2**63 - 1, schema.get("maximum", 2**63)):
            return schema
        return {**schema, "minimum": max(-most - 1, schema.get("minimum", -most - 1)), "maximum": most}

    def _not_empty(self, schema: Schema) -> Schema:
        """Return the schema of a list in one text, which cannot be empty."""
        if schema["items"].get("type") == "string" and in_force(self._profile, parsing.EMPTY_ITEMS) != "refuse":
            # One empty item is an empty text; client generators ignore ``if``.
            schema = {**schema, "if": {"maxItems": 1}, "then": {"items": {"minLength": 1}}}
        return {**schema, "minItems": 1}

    def _trimmed(self, items: Schema) -> Schema:
        """Return the schema of the items of a list in one text before they are trimmed, and empty ones left out."""
        if items.get("type") != "string":
            return items
        refused = in_force(self._profile, parsing.EMPTY_ITEMS) == "refuse"
        items = {name: value for name, value in items.items() if name not in ("minLength", "pattern")}
        if "maxLength" in items:  # a limited text has no control characters
            text = rf"[^\x00-\x1f\x7f{SPACE}][^\x00-\x1f\x7f]*[{_WHITE}]*"
            return {**items, "pattern": f"^[{_WHITE}]*{text if refused else f'({text})?'}$"}
        return {**items, "pattern": f"[^{_WHITE}]"} if refused else items

    def _without_empty(self, schema: Schema, described: dict[str, Any], *, required: bool) -> Schema:
        """Return the schema where an empty value counts as absent, which a required one must not be."""
        if not required:
            described["allowEmptyValue"] = True
            return schema
        return {**schema, "minLength": 1} if schema.get("type") == "string" and "enum" not in schema else schema

    def _written(self, described: dict[str, Any], schema: Schema) -> dict[str, Any]:
        """Return a parameter with its schema; a list in one text with its style, or as a text where there is none."""
        schema = {key: value for key, value in schema.items() if key != "description"}
        if schema.get("type") != "array":
            return {**described, "schema": schema}
        separator = in_force(self._profile, parsing.LIST_SEPARATOR)
        described = {**described, "description": f"{described['description']} {self._items()}"}
        style = _STYLES[described["in"]].get(separator)
        if style is not None:
            return {**described, "style": style, "explode": False, "schema": schema}
        text = f"{described['description']} {self._separated()}"
        return {
            **described,
            "description": text,
            "schema": self._joined(schema, separator, needed=described["in"] == "path"),
        }

    def _joined(self, schema: Schema, separator: str, *, needed: bool) -> Schema:
        """Return the schema of the text of a list whose items are separated in a way that OpenAPI has no style for.

        At least one item is ``needed``, or the text may be of separators alone.
        """
        item = _item(schema["items"], separator)
        if item is None:
            return {"type": "string", "minLength": schema.get("minItems", 0)}
        most = schema.get("maxItems")
        more = "*" if most is None else f"{{0,{most - 1}}}"
        blank, apart = ("", "[ ]") if separator == " " else (f"[{_WHITE}]*", f"[{separator}]")
        if in_force(self._profile, parsing.EMPTY_ITEMS) == "refuse":
            text = f"{blank}{item}({blank}{apart}{blank}{item}){more}{blank}"
        else:
            empty = f"[{separator}{_WHITE}]*"
            text = f"{empty}{item}({blank}{apart}{empty}{item}){more}"
            text = f"{text}{empty}" if needed else f"({text})?{empty}"
        return {"type": "string", "minLength": schema.get("minItems", 0), "pattern": f"^{text}$"}


def naming(kind: str | None) -> dict[str, str]:
    """Return the kind of thing that a parameter names, the same word in all operations."""
    return {} if kind is None else {"x-confsim-names": kind}


def _or_any_text(schema: Schema) -> Schema:
    """Return the schema of a parameter of which a text that is none of its values counts as absent."""
    if schema.get("type") == "array":
        return {**schema, "items": {"anyOf": [schema["items"], {"type": "string"}]}}
    return {"anyOf": [schema, {"type": "string"}]}


def _item(items: Schema, separator: str) -> str | None:
    """Return the pattern of an item of a list in one text, as it is when trimmed; None where anything is one."""
    if items.get("type") == "integer":
        return _WHOLE
    if "anyOf" in items:
        return None
    most = items.get("maxLength")
    more = "*" if most is None else f"{{0,{most - 1}}}"
    others = separator if most is None else rf"{separator}\x00-\x1f\x7f"  # a limited text has no control characters
    return f"[^{others}{_WHITE}][^{others}]{more}"
