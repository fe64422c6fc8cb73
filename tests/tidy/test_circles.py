"""Imports form no circle: between modules anywhere in confsim, and between the packages of domain/ and of api/.

They name a package of the lower rooms, where it offers a name itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from kit.source import REPOSITORY, statements

ROOT = REPOSITORY

#: Imports that are not counted, by importer and imported module, each with its reason.
EXCEPTIONS = {
    ("confsim", "confsim.simulator"): "the package hands its public names on, imported when they are first asked for",
}


def module_name(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, modules: Mapping[str, Path]) -> Iterable[str]:
    """The modules of confsim that a module imports anywhere: also in a function, and for type checkers alone."""
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    for node in statements(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            source = ".".join(part for part in (base, node.module) if part)
            for alias in node.names:
                name = f"{source}.{alias.name}"
                if name in modules:
                    yield name
                elif source in modules:
                    yield source


def import_graph() -> dict[str, set[str]]:
    """What each module of confsim imports."""
    modules = {module_name(path): path for path in sorted((ROOT / "confsim").rglob("*.py"))}
    return {
        name: {other for other in imports(path, modules) if other != name and is_counted(name, other)}
        for name, path in modules.items()
    }


def is_counted(name: str, other: str) -> bool:
    """Whether an import must not be part of a circle."""
    return (name, other) not in EXCEPTIONS


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """A circle of the graph, or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def between_packages(graph: Mapping[str, set[str]], room: str) -> dict[str, set[str]]:
    """What the packages and modules right below a room import of each other."""
    depth = room.count(".") + 2
    inside: dict[str, set[str]] = {}
    for name, others in graph.items():
        if name.startswith(f"{room}."):
            package = ".".join(name.split(".")[:depth])
            found = {".".join(other.split(".")[:depth]) for other in others if other.startswith(f"{room}.")}
            inside.setdefault(package, set()).update(found - {package})
    return inside


@pytest.fixture(scope="module")
def graph():
    """What each module of confsim imports, read once."""
    return import_graph()


def test_modules_form_no_circle(graph):
    """No module imports one that leads back to it."""
    assert circle(graph) == []


@pytest.mark.parametrize("room", ["confsim.domain", "confsim.api"])
def test_packages_form_no_circle(graph, room):
    """No package imports one that leads back to it."""
    assert circle(between_packages(graph, room)) == []


def test_exceptions_are_needed():
    """Each names an import that there is, and gives a reason."""
    modules = {module_name(path): path for path in sorted((ROOT / "confsim").rglob("*.py"))}
    for (name, other), reason in EXCEPTIONS.items():
        assert reason.strip()
        assert other in imports(modules[name], modules)


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, False),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}}, True),
        ({"a": {"b"}, "b": {"a"}}, True),
    ],
)
def test_a_circle_is_found(graph, found):
    """The check distinguishes a circle from a chain."""
    assert bool(circle(graph)) is found


def test_imports_of_every_kind_are_counted(tmp_path, monkeypatch):
    """Absolute and relative ones, of modules and of names in them, in functions and for type checkers."""
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    package = tmp_path / "confsim" / "room"
    package.mkdir(parents=True)
    for name in ("a", "b", "c", "d", "e"):
        (package / f"{name}.py").touch()
    (package / "a.py").write_text(
        "from . import b\nfrom .c import thing\nif TYPE_CHECKING:\n    import confsim.room.d\n"
        "def late():\n    from confsim.room import e\n"
    )
    graph = import_graph()
    assert graph["confsim.room.a"] == {f"confsim.room.{name}" for name in "bcde"}


#: What the package itself offers to the rooms: no module of it is named there.
DOORS = {
    "confsim.kernel.": ("domain", "api", "contract"),
    "confsim.assumptions.register": ("domain", "api", "contract"),
    "confsim.assumptions.protocol.refusals": ("domain", "api", "contract"),
    "confsim.contract.": ("api",),
}


def test_lower_rooms_import_what_a_package_offers_from_the_package():
    """A module of the kernel, of the register or of the contract can move without a change elsewhere."""
    by_module = [
        f"{path.relative_to(ROOT)}: {node.module}"
        for door, rooms in DOORS.items()
        for room in rooms
        for path in sorted((ROOT / "confsim" / room).rglob("*.py"))
        for node in statements(path)
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").startswith(door)
    ]
    assert by_module == [], "add the name to __all__ of the package, and import it from there"
