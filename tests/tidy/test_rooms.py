"""Where files stand: what the top holds, no folder lies flat with many modules, a thing has one name in every room."""

from __future__ import annotations

import subprocess
from collections import Counter, defaultdict
from pathlib import Path

from kit.source import REPOSITORY

#: Modules that are not counted: Python or pytest gives them their names and their places.
GIVEN = {"__init__.py", "__main__.py", "conftest.py"}
#: The rooms that have one set of words, and their tests.
ROOMS = [f"{top}/{room}" for top in ("confsim", "tests") for room in ("domain", "assumptions", "api")]
#: Packages of one room that are no things: what belongs to no thing, and what things do to each other.
NO_THINGS = {"protocol", "register", "couplings"}
#: A name that packages of ``api/`` share, each for its own: the wire types of its operations.
SHARED = {"shapes"}
#: What the repository holds at its top, with the dot files that tools read.
TOP = {
    ".ci",
    ".gitignore",
    "LICENSE",
    "README.md",
    "confsim",
    "fixtures",
    "pyproject.toml",
    "scenarios",
    "tests",
}
#: Folders and files that tools write, wherever they stand.
WRITTEN = ("__pycache__", ".pyc", ".schemathesis", ".hypothesis", ".coverage", "_cache", ".orig", ".rej", ".bak")


def modules(folder: str) -> list[Path]:
    """The modules below a folder of the repository, relative to it; ``test_x`` as ``x``."""
    root = REPOSITORY / folder
    found = (path.relative_to(root) for path in sorted(root.rglob("*.py")) if path.name not in GIVEN)
    return [path.with_name(path.stem.removeprefix("test_")) for path in found]


def things(room: str) -> list[tuple[str, str]]:
    """The name of each module of a room, and the thing that it is about: its package, or itself."""
    return [(path.name, path.parts[0]) for path in modules(room) if path.parts[0] not in NO_THINGS]


def packages(room: str) -> set[str]:
    """The packages of a room."""
    return {path.parts[0] for path in modules(room) if len(path.parts) > 1}


def test_no_folder_lies_flat():
    """Sixteen modules at most, in the package and in the tests."""
    counted = Counter((folder, path.parent.as_posix()) for folder in ("confsim", "tests") for path in modules(folder))
    assert {place: number for place, number in counted.items() if number > 16} == {}


def test_a_name_stands_in_one_place():
    """Modules of one name, of whatever room, stand in packages of one name."""
    found = defaultdict(set)
    for room in ROOMS:
        for name, thing in things(room):
            found[name].add(thing)
    assert {name: sorted(where) for name, where in found.items() if len(where) > 1 and name not in SHARED} == {}


def test_what_is_assumed_and_called_are_things_of_the_domain():
    """The modules and packages of ``assumptions/``, and the packages of ``api/``, are named as in ``domain/``."""
    domain = {thing for _, thing in things("confsim/domain")}
    assert {thing for _, thing in things("confsim/assumptions")} <= domain
    assert packages("confsim/api") <= packages("confsim/domain")
    assert packages("tests/domain") <= packages("confsim/domain")
    assert packages("tests/api") <= packages("confsim/api")


def tracked() -> list[str]:
    """The paths of the files that the repository holds; none where there is no git."""
    listing = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return listing.stdout.splitlines()


def test_the_top_holds_what_is_designed():
    """A new file or folder at the top needs a reason of its own."""
    assert {path.partition("/")[0] for path in tracked()} <= TOP


def test_no_tool_wrote_a_tracked_file():
    """Caches, crash reports and copies of editors are ignored, not tracked."""
    assert [path for path in tracked() if any(part.endswith(WRITTEN) for part in path.split("/"))] == []
