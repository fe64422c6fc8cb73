"""Reference texts in Markdown, made from the declarations: operations, faults, files."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from confsim.contract.encode import Raw
from confsim.contract.operation import Catalogue, Operation
from confsim.contract.schema import Schema, Schemas, json_part
from confsim.domain.fault_points import FAULT_POINTS, TIMED
from confsim.service.faults.words import WORDS
from confsim.service.files import state

#: Levels of nested fields that are listed.
_DEPTH = 4


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Return the lines of a Markdown table; none without rows."""
    found = [[_cell(each) for each in row] for row in rows]
    names = list(columns)
    return (
        ["", f"| {' | '.join(names)} |", f"|{'---|' * len(names)}", *(f"| {' | '.join(row)} |" for row in found), ""]
        if found
        else []
    )


def _cell(text: str) -> str:
    return prose(" ".join(text.split())).replace("|", "\\|")


def prose(text: str) -> str:
    """Return a docstring as Markdown."""
    return inspect.cleandoc(text).replace("``", "`")


def operation(declared: Operation, profile: Mapping[str, Any]) -> list[str]:
    """Return the contract of an operation: its parameters, the fields of its body and of its answer."""
    schemas = Schemas(profile)
    lines: list[str] = []
    taken = [
        (each.name, "path", "yes", schemas.parameter(each.wire), each.description) for each in declared.path_parameters
    ]
    taken += [
        (each.name, "query", "yes" if each.required else "", schemas.parameter(each.wire), each.description)
        for each in declared.query_parameters
    ]
    rows = (
        (f"`{name}`", where, need, kind(schema, schemas.components), text) for name, where, need, schema, text in taken
    )
    lines += table(("Parameter", "In", "Required", "Type", "What it is"), rows)
    body = declared.body
    if body is not None:
        shown = _fields(schemas.body(body.type), schemas.components) if body.is_json else ["the bytes of a file."]
        lines += ["", f"Body: {shown[0]}", *shown[1:]]
    answer = json_part(declared.answer(profile))
    if answer is not None and answer is not type(None):
        shown = _fields(schemas.answer(answer), schemas.components)
        lines += ["", f"Answer: {shown[0]}", *shown[1:]]
    elif answer is None and Raw is declared.result:
        lines += ["", "Answer: the bytes of a file."]
    return lines


def _fields(schema: Schema, components: Mapping[str, Schema]) -> list[str]:
    """Return the fields of a JSON value, with the paths of nested ones; the type of a value that is no object."""
    rows = list(_walked(schema, components, "", ()))
    if not rows:
        return [f"{kind(schema, components)}."]
    return [f"{kind(schema, components)} with", *table(("Field", "Required", "Type", "What it is"), rows)]


def _walked(
    schema: Schema, components: Mapping[str, Schema], path: str, above: tuple[str, ...]
) -> Iterator[tuple[str, str, str, str]]:
    whole = resolved(schema, components)
    reference = str(schema.get("$ref", whole.get("title", "")))
    if whole.get("type") == "array":
        yield from _walked(whole.get("items", {}), components, f"{path}[]", above)
        return
    for option in whole.get("anyOf", ()):
        yield from _walked(option, components, path, above)
    if len(above) >= _DEPTH or (reference and reference in above):
        return
    for name, each in whole.get("properties", {}).items():
        place = f"{path}.{name}".lstrip(".")
        need = "yes" if name in whole.get("required", ()) else ""
        text = each.get("description") or resolved(each, components).get("description", "")
        yield f"`{place}`", need, kind(each, components), text.partition("\n\n")[0]
        yield from _walked(each, components, place, (*above, reference))


def resolved(schema: Schema, components: Mapping[str, Schema]) -> Schema:
    """Return a schema with what it refers to put in its place."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    found = components.get(name, schema) if name else schema
    parts = found.get("allOf")
    return (
        found
        if parts is None
        else {**resolved(parts[0], components), **{k: v for k, v in found.items() if k != "allOf"}}
    )


def kind(schema: Schema, components: Mapping[str, Schema]) -> str:
    """Return the type of a value in a few words."""
    whole = resolved(schema, components)
    if "enum" in whole:
        texts = (each if isinstance(each, str) else json.dumps(each) for each in whole["enum"])
        return "one of " + ", ".join(f"`{each}`" for each in texts)
    if "const" in whole:
        return f"`{json.dumps(whole['const'])}`"
    options = whole.get("anyOf")
    if options:
        return " or ".join(dict.fromkeys(kind(each, components) for each in options))
    type_ = whole.get("type", "any value")
    if isinstance(type_, list):
        return " or ".join(type_)
    if type_ == "array" and "prefixItems" in whole:
        return f"array of {len(whole['prefixItems'])}"
    if type_ == "array":
        return f"array of {kind(whole.get('items', {}), components)}"
    return {"integer": "integer", "object": "object"}.get(type_, str(whole.get("format", type_)))


def catalogue(declared: Catalogue, profile: Mapping[str, Any]) -> str:
    """Return the list of all operations of a catalogue, by area."""
    lines: list[str] = []
    for area, text in declared.areas.items():
        lines += ["", f"## {area}", "", text, ""]
        for each in declared:
            if each.area == area:
                method, path = each.route(profile)
                lines += ["", f"### {each.name}", "", f"`{method} {declared.prefix_under(profile)}{path}`", ""]
                lines += [prose(each.function.__doc__ or ""), *operation(each, profile)]
    return "\n".join(lines)


def faults() -> str:
    """Return the description of faults: their fields, and their effects on calls and on things."""
    fields = (
        ("`operation`", "The name of an operation, or `*` for all: then it is a fault of calls."),
        ("`thing`", "A kind of thing in the world: then it is a fault of things."),
        (
            "`match`",
            "What a call or thing must be like: parameters of the path, `caller` and `client`; facts of a thing.",
        ),
        ("`on`", "From which of those that match on it is injected; 1 by default."),
        ("`times`", 'How often: 1 by default, or `"always"`.'),
        ("`do`", "What it does."),
    )
    lines = ["A fault is a JSON object.", *table(("Field", "What it is"), fields)]
    lines += [
        "",
        "## What it does to calls",
        *table(("Word", "Effect"), ((f"`{name}`", word.description) for name, word in WORDS.items())),
    ]
    lines += ["A request brings the same words for itself in the header `X-Confsim`, and `now`, its instant."]
    lines += ["", "## What it does to things", ""]
    lines += ["`do` is an outcome, or `{outcome, by}` with a duration.", ""]
    for point in FAULT_POINTS.values():
        facts = ", ".join(f"`{each}`" for each in point.facts)
        lines += [f"### {point.name}", "", f"Matched by {facts}."]
        rows = ((f"`{each.value}`", "yes" if each in TIMED else "", text) for each, text in point.outcomes.items())
        lines += table(("Outcome", "Takes `by`", "What happens"), rows)
    return "\n".join(lines)


def schema_text(document: Mapping[str, Any]) -> str:
    """Return the objects of a JSON Schema, each with its fields."""
    components: Mapping[str, Schema] = document.get("$defs", {})
    lines: list[str] = []
    for name, each in components.items():
        if each.get("properties"):
            lines += ["", f"## {name}", "", _in_json(prose(each.get("description", "")))]
            rows = (
                (
                    f"`{field}`",
                    "yes" if field in each.get("required", ()) else "",
                    _named(of, components),
                    _in_json(of.get("description", "")),
                )
                for field, of in each["properties"].items()
            )
            lines += table(("Field", "Required", "Type", "What it is"), rows)
    return "\n".join(lines)


def _in_json(text: str) -> str:
    """Return a description of a field in the words of JSON, which has null where Python has None."""
    return re.sub(r"\bNone\b", "null", text)


def _named(schema: Schema | bool, components: Mapping[str, Schema]) -> str:
    """Return the type of a field; an object is given by its name."""
    if isinstance(schema, bool):
        return "any value"
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    if name and components.get(name, {}).get("properties"):
        return f"[{name}](#{name.lower()})"
    if schema.get("type") == "array" and "prefixItems" not in schema:
        return f"array of {_named(schema.get('items', {}), components)}"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_named(each, components) for each in schema["anyOf"]))
    return kind(schema, components)


def world_files() -> str:
    """Return the fields of world files."""
    from confsim.service.files import world_file

    text = "A world file describes the world of a start: `confsim serve --world FILE`, `Simulator(world=…)`."
    return text + "\n" + schema_text(json.loads(world_file.schema()))


def state_files() -> str:
    """Return the fields of state documents."""
    text = (
        "A state document holds a whole world as it is: `GET /_confsim/state`, `Simulator.save`, `--export-on-exit`. "
        "It is to be read back, not to be written by hand; `confsim guide upgrading` says what newer versions read."
    )
    return text + "\n" + schema_text(json.loads(state.schema()))
