"""The names that users of confsim build on, as the code declares them: a dict from a thing to its parts.

``confsim.Simulator.call`` has its parameters as parts, ``command serve`` its options, ``schema FaultInfo`` its fields.
``tests/data/public_names/{version}.txt`` lists them for each version. ``PYTHONPATH=tests python -m kit.public_names``
writes the list of the present version.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

import confsim
import confsim.pytest_plugin
import confsim.testing
import confsim.testing.schemathesis
from confsim import Simulator, demo, guides
from confsim.assistant.tools import TOOLS
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import REGISTER
from confsim.cli import confsim as command_line
from confsim.kernel.machine import Machine
from confsim.service.faults.words import WORDS

from .source import REPOSITORY

LISTS = REPOSITORY / "tests/data/public_names"
PRESENT = LISTS / f"{confsim.__version__}.txt"
#: Attributes that come from Python and from libraries, which are not ours to promise.
GIVEN = {name for base in (object, int, BaseException, UserWarning, msgspec.Struct, list, tuple) for name in dir(base)}

#: Schemas that say which refusals an operation can give under the defaults, which may change; their codes stay.
OF_DEFAULTS = re.compile(r"Error\d{3}$")

Names = dict[str, set[str]]


def public_names() -> Names:
    """Return every public name of the code as it is now."""
    return {
        **_python(),
        **_plugin(),
        **dict(_commands(command_line, "command")),
        **_documents(),
        **_assumptions(),
        "fault words": set(WORDS),
        "guides": set(guides.NAMES),
        "machines": set(Machine.declared),
        "mcp tools": set(TOOLS),
        "refusal codes": {reason.name.lower() for reason in Reason},
        "scenarios": {path.name.partition(".")[0] for path in (REPOSITORY / "scenarios").iterdir()},
        "worlds": {path.stem for path in (REPOSITORY / "fixtures").glob("*.json")},
        **_project(),
    }


def read(file: Path) -> Names:
    """Return the names of a list: a thing a line, a colon, its parts."""
    rows = (line.partition(": ") for line in file.read_text(encoding="utf-8").splitlines())
    return {thing.removesuffix(":"): set(json.loads(parts)) for thing, _, parts in rows}


def write(names: Names, file: Path) -> None:
    """Write the names as a list that ``read`` reads."""
    lines = (f"{thing}: {json.dumps(sorted(names[thing]), ensure_ascii=False)}\n" for thing in sorted(names))
    file.write_text("".join(lines), encoding="utf-8")


def _python() -> Names:
    """What can be imported, with the members of classes and the parameters of whatever is called."""
    names: Names = {}
    for module in (confsim, confsim.testing, demo):
        place = module.__name__
        public = getattr(module, "__all__", None) or [name for name in vars(module) if name.isupper()]
        names[place] = set(public)
        for name in public:
            value = getattr(module, name)
            if inspect.isclass(value):
                names |= _class(f"{place}.{name}", value)
            elif inspect.isroutine(value):
                names[f"{place}.{name}"] = _parameters(value)
    names["confsim.demo.Demo"] = _members(demo.Demo)
    return names


def _class(place: str, class_: type) -> Names:
    names = {place: _members(class_)}
    if class_.__init__ is not object.__init__:
        names[f"{place}()"] = _parameters(class_)
    for name in sorted(names[place]):
        member = inspect.getattr_static(class_, name, None)
        if inspect.isroutine(member) or isinstance(member, classmethod | staticmethod):
            names[f"{place}.{name}"] = _parameters(getattr(class_, name))
    return names


def _members(class_: type) -> set[str]:
    """The public attributes of a class: methods, properties, fields, and what its code sets on itself."""
    ours = [base for base in class_.__mro__ if base.__module__.startswith("confsim")]
    found = {name for base in ours for name in {**vars(base), **inspect.get_annotations(base)}}
    set_by_init = {
        node.attr
        for base in ours
        if "__init__" in vars(base)
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(base))))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return {name for name in found | set_by_init if not name.startswith("_")} - GIVEN


def _parameters(function: Any) -> set[str]:
    """The parameters that can be given by name."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # what C implements says nothing of itself
        return set()
    named = {each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)}
    return named - {"self", "cls"}


def _plugin() -> Names:
    """What the plugin adds to pytest: fixtures, options, settings, the words of the marker."""
    parser = pytest.Parser(_ispytest=True)
    confsim.pytest_plugin.pytest_addoption(parser)
    options = [name for group in parser._groups for option in group.options for name in option.names()]
    fixtures = [
        name
        for name, value in vars(confsim.pytest_plugin).items()
        if type(value).__name__ == "FixtureFunctionDefinition" and not name.startswith("_")
    ]
    return {
        "pytest options": set(options),
        "pytest settings": set(parser._inidict),
        "pytest fixtures": set(fixtures),
        "pytest marker confsim": set(confsim.pytest_plugin.WORDS),
    }


def _commands(command: click.Command, place: str) -> Iterator[tuple[str, set[str]]]:
    """Each command with its own options; an argument is said by its place in the usage, not by name."""
    yield place, {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=place)
        names = command.list_commands(context)
        yield f"{place}s", set(names)
        for name in names:
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _commands(inner, f"{place} {name}")


def _documents() -> Names:
    """What the two OpenAPI documents say: operations, parameters, fields, and words where a field has a choice."""
    simulator = Simulator()
    names: Names = {}
    documents = {
        "api": json.loads(simulator.client().get("/openapi.json").data),
        "control": json.loads(simulator.control("get_control_openapi").data),
    }
    for of, document in documents.items():
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if "operationId" in operation:
                    place = f"{of} {operation['operationId']}"
                    names[place] = {f"{method.upper()} {path}", *_inside(operation.get("requestBody", {}))}
                    for parameter in operation.get("parameters", ()):
                        described = _referred(document, parameter)
                        names[place] |= {f"{described['in']} {described['name']}", *_inside(described)}
                    for response in operation["responses"].values():
                        names[place] |= _inside(response)
        for kind, schema in document["components"]["schemas"].items():
            if not OF_DEFAULTS.search(kind):
                names[f"{of} schema {kind}"] = set(_inside(schema))
        if "webhooks" in document:
            names[f"{of} webhooks"] = set(document["webhooks"])
    return names


def _referred(document: dict[str, Any], described: dict[str, Any]) -> dict[str, Any]:
    for step in described.get("$ref", "").split("/")[1:]:
        document = document[step]
    return document if "$ref" in described else described


def _inside(schema: object) -> set[str]:
    """The fields and the choices of a schema, without those that it refers to."""
    found: set[str] = set()
    if isinstance(schema, dict):
        properties = schema.get("properties")
        found |= set(properties) if isinstance(properties, dict) else set()
        found |= {f"={value}" for value in (*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ()))}
        for key, value in schema.items():
            if key not in {"example", "examples", "default", "enum", "const"}:
                found |= _inside(value)
    elif isinstance(schema, list):
        found = {name for value in schema for name in _inside(value)}
    return found


def _assumptions() -> Names:
    """The ids, and the values that are single words, as a profile gives them; other alternatives describe what fits."""
    names: Names = {"assumptions": set(REGISTER.entries)}
    for id, entry in REGISTER.entries.items():
        values = (entry.default, *entry.alternatives) if entry.alternatives else ()
        words = {value for value in values if isinstance(value, str) and value.replace("-", "").isalnum()}
        names |= {f"assumption {id}": words} if words else {}
    return names


def _project() -> Names:
    """What the project's file promises: extras and entry points."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"extras": set(project["optional-dependencies"]), "programs": set(project["scripts"])}


if __name__ == "__main__":
    write(public_names(), PRESENT)
