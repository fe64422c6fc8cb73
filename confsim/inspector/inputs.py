"""Fields of forms made from JSON schemas: what a field offers, and the value that its text stands for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from confsim.contract.schema import Schema

from .declared import kind, resolved


class Input(Struct, frozen=True):
    """A field of a form: its name, whether it must be filled in, its type in words, what it is, its values to choose.

    ``is_long`` asks for several lines, in JSON. ``given`` is the text that it begins with, ``hint`` what it shows
    while it is empty; ``suggestions`` are values with what they are called.
    """

    name: str
    required: bool
    type: str
    text: str
    options: list[str]
    is_long: bool
    given: str = ""
    hint: str = ""
    suggestions: list[tuple[str, str]] = []


def input_of(
    name: str,
    schema: Schema,
    components: Mapping[str, Schema],
    *,
    required: bool = False,
    text: str = "",
    given: str = "",
    hint: str = "",
    suggestions: list[tuple[str, str]] | None = None,
) -> Input:
    """Return the field for a value of a schema."""
    whole = resolved(schema, components)
    options = [each if isinstance(each, str) else json.dumps(each) for each in whole.get("enum", ())]
    if whole.get("type") == "boolean":
        options = ["true", "false"]
    about = text or schema.get("description") or whole.get("description", "")
    words = "yes or no" if whole.get("type") == "boolean" else kind(schema, components).replace("`", "")
    is_long = whole.get("type") in ("object", "array") and not options
    return Input(name, required, words, about.partition("\n")[0], options, is_long, given, hint, suggestions or [])


def value_of(text: str, schema: Schema, components: Mapping[str, Schema]) -> Any:
    """Return the value that a text stands for: itself where the schema takes only texts, else its JSON if it is any.

    The text null is null where the schema takes it.
    """
    whole = resolved(schema, components)
    types = {resolved(each, components).get("type") for each in whole.get("anyOf", (whole,))}
    if "string" in types and types <= {"string", "null"}:
        return None if text == "null" and "null" in types else text
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return text
