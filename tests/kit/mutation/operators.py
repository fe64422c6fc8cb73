"""What a mutant changes: one place of the syntax tree of a module.

Docstrings, annotations, assertions (which -O removes), messages of exceptions and citations of the documents are left
alone: they say something to people and decide nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

#: Keywords that cite or describe.
_PROSE = {"doc", "gaps", "line", "rules", "source", "statement", "summary", "title"}
#: Sentences, and citations of rules and gaps.
_PROSE_TEXT = re.compile(r"[A-Z].* .*\.|[RG]\d+( [RG]\d+)*", re.DOTALL)
#: Calls that name types or are for type checkers.
_TYPING = {"TypeVar", "cast", "overload"}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_DEFERRED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Mutant(NamedTuple):
    """One change of a module: ``path`` below the root, ``number`` among the mutants of the module.

    ``scope`` is the qualified name of the function or class that is changed, ``same`` the number of equal changes
    before it in the scope; ``first`` and ``last`` are the lines of the statement that holds the place. ``deferred``
    says that the place is in the body of a function, so that it does nothing before that is called.
    """

    path: str
    number: int
    scope: str
    operator: str
    line: int
    before: str
    after: str
    same: int
    deferred: bool
    first: int
    last: int

    @property
    def key(self) -> str:
        """The same for as long as the changed function is: it does not hold the line."""
        again = f" #{self.same + 1}" if self.same else ""
        return f"{self.path}: {self.scope}: {self.before} -> {self.after}{again}"

    @property
    def rank(self) -> str:
        """The place of the mutant in a sample, independent of all others."""
        return sha256(self.key.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.scope}: {self.operator}: {self.before} -> {self.after}"


class _Site(NamedTuple):
    """A place of a tree that can be changed: what stands in ``field`` of ``parent``, at ``index`` of a list."""

    parent: ast.AST
    field: str
    index: int | None
    scope: tuple[str, ...]
    deferred: bool
    statement: ast.AST

    @property
    def node(self) -> Any:
        """What stands there."""
        value = getattr(self.parent, self.field)
        return value if self.index is None else value[self.index]

    def put(self, node: Any) -> None:
        """Let something else stand there."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants(path: str, source: str) -> list[Mutant]:
    """Every mutant of a module."""
    found: list[Mutant] = []
    seen: dict[tuple[str, str, str], int] = {}
    for number, (site, operator, changed) in enumerate(_changes(ast.parse(source))):
        old, scope = site.node, ".".join(site.scope) or "<module>"
        before, after = _shown(site, old), _shown(site, changed)
        same = seen[scope, before, after] = seen.get((scope, before, after), -1) + 1
        line = getattr(old, "lineno", None) or getattr(site.parent, "lineno", 0)
        first = getattr(site.statement, "lineno", line)
        last = max(first, getattr(old, "end_lineno", None) or getattr(site.parent, "end_lineno", None) or line)
        found.append(Mutant(path, number, scope, operator, line, before, after, same, site.deferred, first, last))
    return found


def mutated(source: str, number: int) -> ast.Module:
    """The tree of a module with one change."""
    tree = ast.parse(source)
    for current, (site, _, changed) in enumerate(_changes(tree)):
        if current == number:
            old = site.node
            if isinstance(changed, ast.AST) and isinstance(old, (ast.expr, ast.stmt)):
                ast.copy_location(changed, old)
            site.put(changed)
            return ast.fix_missing_locations(tree)
    raise LookupError(f"no mutant {number}")


def _shown(site: _Site, node: Any) -> str:
    """What stands at a place when the node does, on one line: with what is around it when that says more."""
    old, parent = site.node, site.parent
    alone = isinstance(node, ast.stmt) or not isinstance(parent, (*_TELLING, ast.keyword, ast.Call))
    if isinstance(parent, ast.Call) and isinstance(node, ast.expr):
        return f"{_line(parent.func)}(… {_line(node)} …)"
    site.put(node)
    shown = _line(node if alone else parent)
    site.put(old)
    return shown


#: What is shown instead of a constant or an operator in it.
_TELLING = (ast.AugAssign, ast.BinOp, ast.BoolOp, ast.Compare, ast.Return, ast.Subscript, ast.Assign, ast.UnaryOp)


def _line(node: ast.AST) -> str:
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= 100 else f"{text[:60]} … {text[-35:]}"


def _changes(tree: ast.Module) -> Iterator[tuple[_Site, str, Any]]:
    """Every change of the tree, in the order of the source."""
    for site in _sites(tree, (), False, tree):
        for operator, changed in _of(site):
            yield site, operator, changed


def _sites(node: ast.AST, scope: tuple[str, ...], deferred: bool, statement: ast.AST) -> Iterator[_Site]:
    """The places below a node, but for those that decide nothing."""
    for name, value in ast.iter_fields(node):
        if _left_out(node, name):
            continue
        inside, later = scope, deferred
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and name == "body":
            inside = (*scope, node.name)
        if isinstance(node, _DEFERRED) and name == "body":
            later = True
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            if isinstance(child, ast.AST) and not _prose(node, child):
                around = child if isinstance(child, (ast.stmt, ast.Lambda)) else statement
                yield _Site(node, name, index if isinstance(value, list) else None, inside, later, around)
                yield from _sites(child, inside, later, around)


def _left_out(node: ast.AST, field: str) -> bool:
    """Whether a field holds a type."""
    return field in {"annotation", "returns", "type_comment"} or (
        isinstance(node, ast.ClassDef) and field in {"bases", "keywords"}
    )


def _prose(parent: ast.AST, node: ast.AST) -> bool:
    """Whether a node is a docstring, an assertion, a citation, a message, or for type checkers alone."""
    match node:
        case ast.Assert() | ast.Import() | ast.ImportFrom() | ast.JoinedStr():
            return True
        case ast.Expr(ast.Constant()):
            return True
        case ast.If(ast.Name("TYPE_CHECKING")):
            return True
        case ast.keyword(arg):
            return arg in _PROSE
        case ast.Assign([ast.Name(name)]):
            return name in {"__all__", "__slots__"}
        case ast.Call(ast.Name(name)):
            return name in _TYPING
        case ast.Constant(str(text)):
            return bool(_PROSE_TEXT.fullmatch(text)) or (isinstance(parent, ast.Call) and _raised(parent))
    return False


def _raised(call: ast.Call) -> bool:
    """Whether a call makes an exception, whose text is for people."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    return name.endswith(("Error", "Misuse"))


def _of(site: _Site) -> Iterator[tuple[str, Any]]:
    """The changes of one place, each with the name of its operator."""
    node, parent = site.node, site.parent
    match node:
        case ast.cmpop():
            for other in _COMPARISONS[type(node)]:
                yield "comparison", other()
        case ast.And():
            yield "boolean", ast.Or()
        case ast.Or():
            yield "boolean", ast.And()
        case ast.UnaryOp(ast.Not(), operand):
            yield "boolean", operand
        case ast.operator() if type(node) in _ARITHMETIC:
            yield "arithmetic", _ARITHMETIC[type(node)]()
        case ast.UnaryOp(ast.USub(), operand):
            yield "arithmetic", operand
        case ast.Constant():
            yield from _constants(site, node)
        case ast.stmt():
            yield from _statements(node)
        case ast.expr() if _condition(site):
            yield "condition", ast.UnaryOp(ast.Not(), node)
    if isinstance(parent, ast.comprehension) and site.field == "ifs":
        yield "condition", ast.Constant(True)


def _statements(node: ast.stmt) -> Iterator[tuple[str, Any]]:
    """The changes of a statement as a whole."""
    match node:
        case ast.Return(ast.expr() as value) if not _falsy(value):
            yield "return None", ast.Return(ast.Constant(None))
        case ast.Raise():
            yield "raise dropped", ast.Pass()
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Delete() | ast.Continue() | ast.Break():
            yield "statement dropped", ast.Pass()
        case ast.Expr(ast.Yield() | ast.YieldFrom()):
            yield "statement dropped", ast.Expr(_nothing_yielded())
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield "statement dropped", ast.Pass()


def _constants(site: _Site, node: ast.Constant) -> Iterator[tuple[str, Any]]:
    """The changes of a constant."""
    defaults = isinstance(site.parent, ast.arguments) and site.field in {"defaults", "kw_defaults"}
    operator = "argument default" if defaults else "constant"
    match node.value:
        case bool():
            yield operator, ast.Constant(not node.value)
        case int() | float():
            yield operator, ast.Constant(node.value + 1)
        case str() | bytes():
            yield (
                operator if defaults else "text",
                ast.Constant(node.value + ("~" if isinstance(node.value, str) else b"~")),
            )


def _condition(site: _Site) -> bool:
    """Whether what stands there is a condition that no other operator changes."""
    tested = isinstance(site.parent, (ast.If, ast.While, ast.IfExp)) and site.field == "test"
    filters = isinstance(site.parent, ast.comprehension) and site.field == "ifs"
    plain = not isinstance(site.node, (ast.Compare, ast.BoolOp, ast.Constant))
    return plain and (tested or filters or (isinstance(site.parent, ast.BoolOp) and site.field == "values"))


def _falsy(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _nothing_yielded() -> ast.expr:
    """An expression that keeps a function a generator and yields nothing."""
    return ast.YieldFrom(ast.Tuple([], ast.Load()))
