"""One name for one thing: a class has a name of its own, which only the wire form of the same thing shares."""

from __future__ import annotations

import ast
from collections import defaultdict

from kit.source import MODULES, tree

#: The rooms of what crosses the wire: a class there may have the name of the thing that it shows or takes.
WIRE = ("api/", "control/", "assistant/")
#: Names of two things, with the reason.
EXCEPTIONS = {"Client": "a tenant; and the test client by the name under which people import it"}


def named() -> dict[str, list[str]]:
    """The modules that declare a public class, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in MODULES.items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    return found


def shared(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """The names that two classes have, of which not just one is a wire form."""
    return {
        name: modules
        for name, modules in found.items()
        if name not in EXCEPTIONS
        if len(modules) > 2 or (len(modules) == 2 and sum(module.startswith(WIRE) for module in modules) != 1)
    }


def test_a_class_has_a_name_of_its_own():
    """Two of one name are a thing and its wire form."""
    assert shared(named()) == {}


def test_a_name_of_two_things_is_found():
    """Two records, two wire forms, three of anything."""
    assert shared({"A": ["domain/a.py", "domain/b.py"]})
    assert shared({"A": ["api/a.py", "control/b.py"]})
    assert shared({"A": ["api/a.py", "domain/b.py", "domain/c.py"]})
    assert not shared({"A": ["api/a.py", "domain/b.py"], "B": ["api/b.py"]})
