"""The modules of confsim as syntax trees, each parsed once, when a test that judges the source first looks at it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
ROOT = REPOSITORY / "confsim"
#: The modules by their paths below ROOT.
MODULES = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_bytes())


def statements(path: Path) -> Iterator[ast.stmt]:
    """Every statement of a file, without the expressions in them."""
    waiting: list[ast.AST] = [tree(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, part, ())
            waiting += inside if isinstance(inside, list) else ()


def nodes(path: Path) -> list[ast.AST]:
    """Every node of the syntax tree of a file."""
    return walk(tree(path))


@cache
def walk(node: ast.AST) -> list[ast.AST]:
    """The node and every one below it, as ``ast.walk`` yields them, in a third of its time; once for each node."""
    found = [node]
    for each in found:  # which grows meanwhile
        for value in vars(each).values():
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
    return found
