"""Nobody writes another's fields: an object is changed by its own class, by who makes it, or by its methods."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kit.each import each
from kit.source import MODULES, nodes, tree, walk

#: Whose fields others may write, by the name under which they do, each with the reason.
EXCEPTIONS = {
    "call": "the context of one call, which the checks and the parameters of its path fill in their order",
    "request": "the forms of a request, parsed by ``http.inputs`` where its operation asks for them",
    "scope": "what the expressions of a step refer to, which the runner of a scenario fills as it goes on",
    "report": "the report of a run, which the run fills",
    "case": "of Schemathesis",
    "session": "of pytest",
    "frames": "of Python: the frames of a traceback",
}
#: Rooms whose objects are built of declarations when they are imported, or are the copies that a change makes.
BELOW = ("kernel/", "assumptions/", "contract/", "domain/", "reference/")


def settable() -> set[str]:
    """The properties of confsim that have a setter: anyone who sets one calls a method."""
    return {
        node.name
        for path in MODULES.values()
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(by).endswith(".setter") for by in node.decorator_list)
    }


def own_fields(module: ast.Module) -> set[str]:
    """The fields of the classes of a module: those that they declare, and those that their methods set."""
    found = set()
    for node in walk(module):
        if isinstance(node, ast.ClassDef):
            found.update(ast.unparse(each.target) for each in walk(node) if isinstance(each, ast.AnnAssign))
            found.update(f"self.{each.attr}" for each in walk(node) if _is_stored(each) and _base(each) == "self")
    return {name.removeprefix("self.") for name in found}


def made(function: ast.AST) -> set[str]:
    """The names that a function gives to what it has just made of a class."""
    found = set()
    for node in walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                names, values = (
                    (target.elts, node.value.elts)
                    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                    else ([target], [node.value])
                )
                found.update(ast.unparse(name) for name, value in zip(names, values, strict=False) if _makes(value))
    return found


def _makes(value: ast.expr) -> bool:
    name = ast.unparse(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
    return name[:1].isupper() or (name.startswith("_") and name[1:2].isupper())


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del)


def _base(node: ast.Attribute) -> str:
    """What the field is of, without the places in a list."""
    value = node.value
    while isinstance(value, ast.Subscript):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ast.unparse(value)


def written(module: ast.Module) -> Iterator[str]:
    """The fields of others that a module writes."""
    stored = [node for node in walk(module) if isinstance(node, ast.Attribute) and _is_stored(node)]
    others = [(node, base) for node in stored for base in [_base(node)] if base not in {"self", "cls"}]
    if not others:
        return
    own = own_fields(module)
    top = {name for node in module.body if isinstance(node, ast.Assign) for name in map(ast.unparse, node.targets)}
    functions = [node for node in walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    here = {id(node): names for each in functions for names in [made(each)] for node in walk(each)}
    for node, base in others:
        name = node.attr
        if base in top | here.get(id(node), set()) or name in own or name.startswith("__"):
            continue
        if base.rpartition(".")[2] not in EXCEPTIONS:
            yield f"{base}.{name}"


def test_nobody_writes_the_fields_of_another():
    """Above the domain. A module may write those of the classes that it declares."""
    properties = settable()
    found = [
        f"{name}: {field}"
        for name, path in MODULES.items()
        if not name.startswith(BELOW)
        for field in written(tree(path))
        if field.rpartition(".")[2] not in properties
    ]
    assert found == []


@each(
    "source, found",
    [
        ("def f(one):\n    one.field = 1", ["one.field"]),
        ("class A:\n    def f(self, other):\n        self.mine, other.field = 1, 2", ["other.field"]),
        ("def f(self):\n    self.part.field += 1", ["self.part.field"]),
        ("def f(get):\n    one = get()\n    one.field = 1", ["one.field"]),
        ("def f(get):\n    del get.field", ["get.field"]),
        ("def f():\n    one = Thing()\n    one.field = 1", []),
        ("class A:\n    field: int\ndef f(one):\n    one.field = 1", []),
        ("class A:\n    def f(self):\n        self.field = 1", []),
    ],
    ids=lambda case: case[0],
)
def test_the_check_tells_whose_field_it_is(source, found):
    """Of a parameter, a part, a result; not of what was just made, or of a class of the same module."""
    assert list(written(ast.parse(source))) == found


def test_exceptions_are_needed():
    """Each is written somewhere."""
    bases = {
        _base(node).rpartition(".")[2]
        for path in MODULES.values()
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and _is_stored(node)
    }
    assert EXCEPTIONS.keys() <= bases
