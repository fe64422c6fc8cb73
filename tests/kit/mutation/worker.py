"""Tries mutants of one package: ``python -m mutation.worker ROOT PACKAGE LIMIT live|imported DESCRIPTOR``.

It runs as a package of its own, since what tests share imports confsim.

Mutants come as JSON, one a line, on standard input; their verdicts go to the descriptor in the same order. ``live``
changes functions in a process that has collected the tests of the package; ``imported`` collects them anew for each
mutant, in a fork that imports the mutant.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TextIO

import pytest

from .operators import Mutant
from .patch import EVERYTHING, FixedTooEarlyError, Functions, Importer, Place, place_of
from .reach import Reach, measured, read
from .running import OPTIONS, Verdict, forked, until_failure
from .sample import lists_of, sources_of, tests_of

#: What is imported before the forks that import confsim.
_OUTSIDE = """
    click cryptography.hazmat.primitives.asymmetric.rsa freezegun h11 httptools httpx hypothesis.stateful jinja2
    jsonpath_rfc9535 jsonschema jwt msgspec openapi_spec_validator phonenumbers regex rpds sqlite3 werkzeug.routing
    werkzeug.test xdist yaml
"""
#: How many test files a mutant is imported for before all others are.
_FILES = 3


def ordered(items: Sequence[pytest.Item], reach: Reach, path: Path, tests: set[str] | None) -> list[pytest.Item]:
    """The tests that are to be tried: those of the same room, those that are quick and those that are near come first.

    Without ``tests`` these are all that there are, those that reach the module before the others.
    """
    touching = reach.of_file(path) if tests is None else tests
    room = path.parts[path.parts.index("confsim") + 1]

    def place(item: pytest.Item) -> tuple[Any, ...]:
        taken = reach.seconds.get(item.nodeid, 0.1)
        slow = sum(taken > bound for bound in (0.05, 0.3, 1.5))
        near = common(path, item.path)
        return item.nodeid not in touching, room not in item.path.parts, slow, -near, str(item.path)

    chosen = [item for item in items if tests is None or item.nodeid in tests]
    return sorted((item for item in chosen if item.nodeid not in reach.failed), key=place)


def common(path: Path, test: Path) -> int:
    """How much of the place of a module in its room a test file shares."""
    parts, others = path.with_suffix("").parts, test.with_suffix("").parts
    shared = 0
    for one, other in zip(parts[parts.index("confsim") + 2 :], others[others.index("tests") + 2 :], strict=False):
        if other.removeprefix("test_") != one:
            break
        shared += 1
    return shared


class Live:
    """A pytest plugin that tries mutants of functions on the tests that are collected."""

    def __init__(self, root: Path, unit: str, limit: float, mutants: Iterable[Mutant], out: TextIO) -> None:
        self.root, self.unit, self.limit, self.mutants, self.out = root, unit, limit, mutants, out
        self.early: set[Place] = set()

    def watch(self) -> None:
        """Note what runs while confsim is imported and tests are collected."""
        package = str(self.root / "confsim")
        seen: set[CodeType] = set()

        def note(frame: FrameType, event: str, _: Any) -> None:
            code = frame.f_code
            if event == "call" and code not in seen:
                seen.add(code)
                if code.co_filename.startswith(package):
                    self.early.add(place_of(code))

        sys.setprofile(note)
        for name in EVERYTHING:
            importlib.import_module(name)

    def pytest_collection_finish(self) -> None:
        """Stop noting."""
        sys.setprofile(None)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutant instead of running the tests."""
        reach = measured(self.root, self.unit, session.items)
        functions = Functions(self.root, sources_of(self.unit))
        for mutant in self.mutants:
            tests = reach.tests(self.root / mutant.path, mutant.first, mutant.last)
            chosen = ordered(session.items, reach, self.root / mutant.path, tests)
            tell(self.out, self._verdict(functions, mutant, chosen, reach))
        return True

    def _verdict(self, functions: Functions, mutant: Mutant, chosen: list[pytest.Item], reach: Reach) -> Verdict:
        """``early`` where the change shows when the module is imported anew."""
        codes = functions.changed(mutant)
        early = any(place_of(old) in self.early for old, _ in codes if old.co_name != "<module>")

        def tried() -> Verdict:
            try:
                functions.change(codes)
            except FixedTooEarlyError:
                return Verdict("early", "", 0)
            return until_failure(chosen, self.limit, reach.seconds)

        verdict = Verdict("unreached", "", 0) if not chosen else Verdict(*forked(tried, self.limit))
        return verdict._replace(what="early") if early and verdict.what != "killed" else verdict


class Imported:
    """A pytest plugin that runs tests which were collected with a mutant in force."""

    def __init__(self, reach: Reach, limit: float, path: Path) -> None:
        self.reach, self.limit, self.path = reach, limit, path
        self.verdict = Verdict("killed", "collection", 0)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests until one fails; an error of collection kills."""
        if not session.testsfailed:
            items = ordered(session.items, self.reach, self.path, None)
            self.verdict = until_failure(items, self.limit, self.reach.seconds)
        return True


def imported(root: Path, unit: str, limit: float, mutant: Mutant) -> Verdict:
    """The verdict on a mutant in this process, which is to import it: of the files that reach it most, and of all."""
    try:
        Importer(root, mutant).load()
    except Exception as error:  # whatever the mutant does
        return Verdict("killed", f"import: {type(error).__name__}", 0)
    path = root / mutant.path
    reach = read(root, unit)
    seconds: Counter[Path] = Counter()
    for test in reach.of_file(path):
        seconds[root / test.partition("::")[0]] += reach.seconds[test]
    files = sorted(seconds, key=lambda file: (-common(path, file), seconds[file]))
    undecided = False
    for paths in (lists_of(unit), files[:_FILES], files[_FILES:] or tests_of(unit)):
        plugin = Imported(reach, limit, path)
        if paths:
            pytest.main([*map(str, paths), *OPTIONS], plugins=[plugin])
            if plugin.verdict.what == "killed":
                return plugin.verdict
            undecided |= plugin.verdict.what == "undecided"
    return plugin.verdict._replace(what="undecided") if undecided else plugin.verdict


def tell(out: TextIO, verdict: Verdict) -> None:
    """Send a verdict."""
    out.write(json.dumps(verdict) + "\n")
    out.flush()


def arriving(lines: Iterable[str], make: Callable[[list[Any]], Mutant]) -> Iterator[Mutant]:
    """The mutants that come in, as long as the process that sent them is there."""
    parent = os.getppid()
    for line in lines:
        if os.getppid() != parent:
            return
        yield make(json.loads(line))


def main(root: Path, unit: str, limit: float, mode: str, out: TextIO) -> None:
    """Try the mutants that come in."""
    os.environ["HYPOTHESIS_PROFILE"] = "mutation"
    os.chdir(root)
    mutants = arriving(os.fdopen(os.dup(0)), lambda values: Mutant(*values))
    if mode == "live":
        live = Live(root, unit, limit, mutants, out)
        live.watch()
        pytest.main([*map(str, tests_of(unit)), *OPTIONS], plugins=[live])
        return
    for name in _OUTSIDE.split():
        importlib.import_module(name)
    for mutant in mutants:
        tell(out, Verdict(*forked(lambda mutant=mutant: imported(root, unit, limit, mutant), limit)))


if __name__ == "__main__":
    _, where, which, seconds, how, descriptor = sys.argv
    main(Path(where), which, float(seconds), how, os.fdopen(int(descriptor), "w"))
