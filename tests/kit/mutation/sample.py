"""The mutants of the source: all that there are, a fixed sample, and those that are judged to change nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

from .operators import Mutant, mutants

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("kernel", "values", "domain", "contract", "service", "api")
#: The folders of tests of each room: its own, and for the domain that of the calls to the same packages.
TESTS = {
    "kernel": ("kernel",),
    "values": ("values",),
    "domain": ("domain", "api"),
    "contract": ("contract",),
    "service": ("service",),
    "api": ("api",),
}
#: Tests that hold all declarations of a room against lists of their own.
LISTS = {
    "domain": ["domain/test_tables.py", "domain/test_effects.py", "domain/test_secrets.py"],
    "api": ["tidy/test_catalogue.py", "api/test_declarations.py"],
}
#: Tests of a room that go across its packages.
_ACROSS = {"domain": ["domain/test_fault_points.py", "domain/couplings"]}
#: What follows the name of a room to mean the tests of all its packages.
_WHOLE = "*"
JUDGED = ROOT / "tests" / "data" / "mutants.toml"
#: One of this many mutants that only change a text is a candidate: most fail at once.
_TEXTS = 4


def population(rooms: tuple[str, ...] = ROOMS) -> list[Mutant]:
    """Every mutant of the rooms, those of texts thinned out."""
    paths = [path for room in rooms for path in sorted((ROOT / "confsim" / room).rglob("*.py"))]
    every = [mutant for path in paths for mutant in mutants(path.relative_to(ROOT).as_posix(), path.read_text())]
    return [mutant for mutant in every if mutant.operator != "text" or int(mutant.rank[-8:], 16) % _TEXTS == 0]


def sample(size: int) -> list[Mutant]:
    """The sample of this size, by file. A larger one holds it, and a change of the source changes little of it."""
    chosen = sorted(population(), key=lambda mutant: mutant.rank)[:size]
    return sorted(chosen, key=lambda mutant: (ROOMS.index(room(mutant)), mutant.path, mutant.number))


def room(mutant: Mutant) -> str:
    """The room of a mutant."""
    return mutant.path.split("/")[1]


def unit(mutant: Mutant, *, whole: bool) -> str:
    """Whose tests a mutant is tried on: those of its package, or of the ``whole`` room."""
    _, name, *inside = mutant.path.split("/")
    if whole:
        return name + _WHOLE
    if inside[0] == "couplings":
        return f"{name}/{_influenced(inside[1])}"
    return f"{name}/{inside[0]}" if len(inside) > 1 else name


def _influenced(module: str) -> str:
    """The package that a module of couplings is about: the one after which it is named."""
    return "runtime" if module == "__init__.py" else module.removesuffix(".py")


def tests_of(unit: str) -> list[Path]:
    """The folders and files of the tests of a package, or of a room, which has files of its own."""
    name, _, package = unit.removesuffix(_WHOLE).partition("/")
    tests = [ROOT / "tests" / folder for folder in TESTS[name]]
    lists = lists_of(unit)
    if unit.endswith(_WHOLE) or name in {"kernel", "values", "contract"}:
        return [*tests, *(path for path in lists if path.parent not in tests)]
    if package:
        across = [ROOT / "tests" / path for path in _ACROSS.get(name, ())]
        return [*(folder / package for folder in tests if (folder / package).is_dir()), *across, *lists]
    return list(dict.fromkeys([*(path for folder in tests for path in sorted(folder.glob("test_*.py"))), *lists]))


def lists_of(unit: str) -> list[Path]:
    """The tests that hold all declarations of the room of a package against lists."""
    return [ROOT / "tests" / path for path in LISTS.get(unit.removesuffix(_WHOLE).partition("/")[0], ())]


def sources_of(unit: str) -> Path:
    """The folder of the room of a package."""
    return ROOT / "confsim" / unit.removesuffix(_WHOLE).partition("/")[0]


def judged() -> dict[str, str]:
    """Why no test can notice a mutant, by its key."""
    return tomllib.loads(JUDGED.read_text())
