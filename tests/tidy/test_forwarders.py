"""No function only hands its arguments on to another one, for a single caller."""

from __future__ import annotations

import ast
from collections import Counter

from kit.source import MODULES, nodes, tree

ROOMS = ("kernel/", "domain/", "contract/", "api/")
#: Forwarders that stay, with the reason.
KEPT = {
    "open_token": "its two reasons for refusals belong to the tokens, which the module keeps",
}


def is_plain(node):
    """Whether an expression is a name, an attribute of one, or a constant."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name | ast.Constant)


def is_forwarder(function):
    """Whether the function consists of one call, with names, attributes and constants for arguments."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    if function.decorator_list or len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr):
        return False
    call = body[0].value
    if not (isinstance(call, ast.Call) and is_plain(call.func)):
        return False
    return all(map(is_plain, (*call.args, *(keyword.value for keyword in call.keywords))))


def names_of(code):
    """How often each name stands in code, and how often as that of what is called."""
    named, called = Counter(), Counter()
    for node in code:
        if isinstance(node, ast.Name | ast.Attribute):
            named[node.id if isinstance(node, ast.Name) else node.attr] += 1
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            called[node.func.id if isinstance(node.func, ast.Name) else node.func.attr] += 1
    return named, called


def test_no_forwarder_has_a_single_caller():
    """Call what it calls; one that is handed on as a value, to a row or an index, is no forwarder."""
    named, called = names_of([node for path in MODULES.values() for node in nodes(path)])
    found = {
        node.name
        for name, path in MODULES.items()
        if name.startswith(ROOMS)
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef) and is_forwarder(node) and named[node.name] == called[node.name] == 1
    }
    assert found == set(KEPT)


def test_a_forwarder_is_noticed():
    """It calls one function; one that computes an argument is none."""
    source = "def a(x):\n 'Doc.'\n return b(x.y, z=1)\ndef c(x):\n return d(x + 1)\ndef e(x):\n return x"
    assert [each.name for each in ast.parse(source).body if is_forwarder(each)] == ["a"]
