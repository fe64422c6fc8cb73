"""The names of look-ups: ``get`` returns one thing or raises, ``find`` one or None, ``list`` several."""

from __future__ import annotations

import ast
import re

from kit.each import each
from kit.source import MODULES, tree

#: What a look-up of each kind may not return, as a pattern of its annotation, and what it must.
NEVER = {"get": r"\bNone$", "find": r"^(list|tuple|Iterator|Iterable|Sequence|View|dict|Mapping)\b"}
ALWAYS = {"find": r"\bNone$", "list": r"^(list|tuple|Iterator|Iterable|Sequence|View|dict|Mapping|Generator|set)\b"}
#: Functions that others name: places with the reason.
NAMED_BY_OTHERS = {
    "kernel/tables/table.py Table.get": "a table is read like a dict",
    "kernel/tables/table.py SharedTable.get": "a table is read like a dict",
    "kernel/tables/table.py Rows.get": "a table is read like a dict",
    "http/clients.py Client.get_cookie": "Werkzeug's client has it",
    "testing/schemathesis.py Tokens.get": "Schemathesis calls it",
    "control/facade/requests.py RequestsFacade.find": "a public method",
    "control/facade/webhooks.py WebhooksFacade.find": "a public method",
    "assistant/server.py server.list_tools": "the MCP SDK calls it",
    "assistant/server.py server.list_resources": "the MCP SDK calls it",
}


def lookups(node, prefix=""):
    """Yield the functions named as look-ups, without operations, whose names are public: name, kind, annotation."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = prefix + child.name
        if not isinstance(child, ast.ClassDef):
            kind = re.match(r"_*(get|find|list)(_|$)", child.name)
            declared = any("operation" in ast.unparse(each) for each in child.decorator_list)
            if kind and child.returns is not None and not declared:
                yield name, kind[1], ast.unparse(child.returns)
        yield from lookups(child, f"{name}.")


def wrong(kind, returns):
    """Return whether a look-up of this kind may not have this annotation."""
    never, always = NEVER.get(kind), ALWAYS.get(kind)
    return bool(never and re.search(never, returns)) or bool(always and not re.search(always, returns))


@each("module", MODULES)
def test_a_lookup_returns_what_its_name_says(module):
    """Look-ups named by others are excepted; each exception is still needed."""
    found = {f"{module} {name}" for name, kind, returns in lookups(tree(MODULES[module])) if wrong(kind, returns)}
    assert found == {place for place in NAMED_BY_OTHERS if place.split(" ")[0] == module}


def test_a_misnamed_lookup_is_noticed():
    """Each kind, in a class and in a function."""
    source = "class A:\n def get(self) -> A | None: ...\ndef find_a() -> A: ...\ndef list_a() -> A: ..."
    assert [name for name, kind, returns in lookups(ast.parse(source)) if wrong(kind, returns)] == [
        "A.get",
        "find_a",
        "list_a",
    ]
    assert not wrong("find", "A | None")
    assert not wrong("list", "Iterator[A]")
    assert wrong("find", "list[A] | None")
