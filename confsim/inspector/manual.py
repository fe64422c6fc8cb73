"""The pages to read: guides, reference, and explanations of names."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup  # Jinja2 depends on it, so it is installed

from confsim import guides as written, shipped
from confsim.api.catalogue import API
from confsim.control.catalogue import CONTROL
from confsim.control.explaining import is_known
from confsim.kernel.refusal import Misuse, suggest
from confsim.service.document import FILES

from . import declared

if TYPE_CHECKING:
    from .markdown import Rendered

#: Reference page of the control operations; the inspector shows each on a page of its own.
CONTROL_PLANE = "control-plane"
#: Pages of the reference: name in the path, title, the function that makes the text.
REFERENCE: Mapping[str, tuple[str, Callable[[], str]]] = {
    CONTROL_PLANE: ("The control plane", lambda: declared.catalogue(CONTROL, {})),
    "faults": ("Faults", declared.faults),
    "world-files": ("World files", declared.world_files),
    "state-documents": ("State documents", declared.state_files),
    "command-line": ("The command line", lambda: command_line()),
    "python": ("Python", lambda: python()),
}


#: Begins of the parts of a text that are rendered each by itself.
_SECTION = re.compile(r"^(?=##+ )", re.M)


def shown(home: str, text: str) -> Rendered:
    """Return Markdown as HTML in which names are links to their pages; ``home`` is the path of the overview."""
    from .markdown import Rendered

    made = [_section(home, each) for each in ([text] if "```" in text else _SECTION.split(text))]
    html = Markup().join(each.html for each in made)
    return Rendered(html, [heading for each in made for heading in each.headings])


@lru_cache(maxsize=4096)  # more than all pages of the reference have
def _section(home: str, text: str) -> Rendered:
    from .markdown import Rendered, render

    def find(name: str) -> str | None:
        if name.endswith(".md"):
            return f"{home}inspector/guides/{name.removesuffix('.md')}"
        if name in CONTROL.operations:
            return f"{home}inspector/operations/{name}"
        return f"{home}inspector/explain/{quote(name, safe='')}" if is_known(name) else None

    found = render(text, find)
    return Rendered(Markup(found.html), found.headings)


def guide(name: str) -> written.Guide:
    """Return a guide. Raises Misuse (404) when there is none of this name."""
    try:
        return written.get(name)
    except KeyError as error:
        raise Misuse(str(error.args[0]), status=404) from None


@cache
def reference(name: str) -> str:
    """Return a page of the reference, in Markdown. Raises Misuse (404) when there is none of this name."""
    found = REFERENCE.get(name)
    if found is None:
        raise Misuse(f"the reference has no page {name!r}{suggest(name, REFERENCE)}", status=404)
    return found[1]()


def operation(name: str, profile: Mapping[str, Any]) -> str:
    """Return the contract of an operation of the API, in Markdown."""
    found = API[name]
    return "\n".join([declared.prose(found.function.__doc__ or ""), *declared.operation(found, profile)])


def operation_beside(name: str) -> str | None:
    """Return the purpose, input and answer of a control operation, or of a file beside the API, in Markdown.

    None when neither has this name.
    """
    found = CONTROL.find(name) or FILES.find(name)
    if found is None:
        return None
    method, path = found.route({})
    head = [f"`{method} {found.catalogue.prefix_under({})}{path}`", "", declared.prose(found.function.__doc__ or "")]
    return "\n".join([*head, *declared.operation(found, {})])


@cache
def control_plane() -> str:
    """Return the list of control operations by area, each with its route and first sentence, in Markdown."""
    lines: list[str] = []
    for area, text in CONTROL.areas.items():
        rows = (
            (f"`{each.name}`", f"`{each.route({})[0]} {CONTROL.prefix_under({})}{each.route({})[1]}`", each.summary)
            for each in CONTROL
            if each.area == area
        )
        lines += ["", f"## {area}", "", text, *declared.table(("Operation", "Route", "What it does"), rows)]
    return "\n".join(lines)


# Packages above this one are looked up when they are shown, and not imported.


def command_line() -> str:
    """Return the commands with their options, in Markdown."""
    group = import_module("confsim.cli").confsim
    lines: list[str] = [declared.prose(group.help or "")]
    for name, command in group.every().items():
        usage = command.collect_usage_pieces(command.make_context(name, [], resilient_parsing=True))
        lines += ["", f"## confsim {name}", "", f"`confsim {' '.join([name, *usage])}`", ""]
        lines += [declared.prose(command.help or "")]
        rows = (
            (
                ", ".join(f"`{option}`" for option in each.opts),
                f"`{each.envvar[-1]}`" if isinstance(each.envvar, list) else "",
                f"`{each.default}`" if each.show_default else "",
                each.help or "",
            )
            for each in command.params
            if each.param_type_name == "option"
        )
        lines += declared.table(("Option", "Environment", "Default", "What it is"), rows)
    return "\n".join(lines)


def python() -> str:
    """Return the public classes with their methods, in Markdown."""
    package = import_module("confsim")
    simulator = package.Simulator
    lines = ["`from confsim import Simulator, Clock, Misuse, demo`", *_class(simulator)]
    parts = {
        name: member.fget.__annotations__["return"]
        for name, member in inspect.getmembers(simulator, lambda each: isinstance(each, property))
    }
    found = {"calls", "clock", "faults", "presence", "requests", "webhooks", "worlds"}
    modules = ("clock", "faults", "people", "requests", "webhooks", "worlds")
    classes = {
        name: each
        for module in modules
        for name, each in inspect.getmembers(import_module(f"confsim.control.facade.{module}"), inspect.isclass)
    }
    for name in sorted(found):
        type_ = classes[str(parts[name]).partition("[")[0]]
        lines += _class(type_, f"simulator.{name}")
    lines += _class(classes["HeldCallFacade"], "simulator.faults.held")
    for name in ("Answer", "Clock"):
        lines += _class(getattr(package, name))
    return "\n".join([*lines, *_server()])


def _server() -> Iterator[str]:
    """Yield the description of the fixture ``confsim_server``, read from its source: its module needs pytest."""
    for node in ast.parse(shipped.text("pytest_plugin/worlds.py")).body:
        if isinstance(node, ast.ClassDef) and node.name == "Server":
            yield from ["", "## Server", "", declared.prose(ast.get_docstring(node) or "")]
            public = (each for each in node.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"))
            rows = ((f"`{each.name}({_arguments(each)})`", ast.get_docstring(each) or "") for each in public)
            yield from declared.table(("Member", "What it is"), rows)


def _arguments(function: ast.FunctionDef) -> str:
    return ast.unparse(function.args).replace("self, ", "").replace("self", "")


def _class(type_: type, title: str = "") -> Iterator[str]:
    yield from ["", f"## {title or type_.__name__}", "", declared.prose(type_.__doc__ or "")]
    yield from declared.table(("Member", "What it is"), _members(type_))


def _members(type_: type) -> Iterator[tuple[str, str]]:
    for name, member in inspect.getmembers(type_):
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"`{name}`", inspect.getdoc(member) or ""
        elif inspect.isfunction(member):
            given = str(inspect.signature(member)).replace("'", "").replace("(self, ", "(").replace("(self)", "()")
            yield f"`{name}{given.partition(' ->')[0]}`", inspect.getdoc(member) or ""
