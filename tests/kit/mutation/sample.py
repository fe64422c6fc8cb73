"""The mutants of the source: all that there are, a fixed sample, and those that are judged to change nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

from .operators import Mutant, mutants

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("kernel", "domain", "contract", "service", "api")
#: The folders of the tests of each room: its own, and that of the room through which everything of it is called.
TESTS = {
    "kernel": ("kernel",),
    "domain": ("domain", "api"),
    "contract": ("contract",),
    "service": ("service",),
    "api": ("api",),
}
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


def judged() -> dict[str, str]:
    """Why no test can notice a mutant, by its key."""
    return tomllib.loads(JUDGED.read_text())
