"""Which tests reach which lines, and how long each takes: measured for each test file once."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import coverage
import pytest

from .running import Failures, forked
from .sample import sources_of

FOLDER = ".pytest_cache/mutation"
#: Seconds between two writings of what is measured.
_BETWEEN = 60


class Reach:
    """What was measured: ``seconds`` of each test, the lines that it reaches, and the tests that ``failed``.

    A source that has changed since is reached wherever it was reached anywhere.
    """

    def __init__(self, root: Path, files: dict[str, Any]) -> None:
        self.root = root
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self._lines: dict[str, dict[int, set[str]]] = {}
        for reported in files.values():
            self.seconds |= reported["seconds"]
            self.failed |= set(reported["failed"])
            for source, lines in reported["lines"].items():
                changed = reported["sources"].get(source) != digest(root / source)
                numbered = self._lines.setdefault(source, {})
                for line, tests in lines.items():
                    numbered.setdefault(0 if changed else int(line), set()).update(tests)

    def tests(self, path: Path, first: int, last: int) -> set[str]:
        """The tests that reach one of the lines from first to last."""
        lines = self._lines.get(path.relative_to(self.root).as_posix(), {})
        return {test for line in (0, *range(first, last + 1)) for test in lines.get(line, ())}

    def of_file(self, path: Path) -> set[str]:
        """The tests that reach any line of a file."""
        return set().union(*self._lines.get(path.relative_to(self.root).as_posix(), {}).values())


def digest(path: Path) -> str:
    """A text that changes with a file."""
    return sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def stored_for(root: Path, unit: str) -> Path:
    """The file of what the tests of a package reach."""
    return root / FOLDER / f"{unit.replace('/', '-')}.json"


def known(root: Path, unit: str) -> dict[str, Any]:
    """What was measured of the test files that are as they were, by file."""
    stored = stored_for(root, unit)
    files = json.loads(stored.read_text()) if stored.exists() else {}
    return {name: reported for name, reported in files.items() if reported["digest"] == digest(root / name)}


def read(root: Path, unit: str) -> Reach:
    """What was measured before."""
    return Reach(root, known(root, unit))


def measured(root: Path, unit: str, items: Sequence[pytest.Item]) -> Reach:
    """What the tests reach of a package; those of files that are new or changed are measured now, each file in a fork.

    What is measured is stored now and then, so that a run that is ended begins again near where it was.
    """
    files = known(root, unit)
    new: dict[str, list[pytest.Item]] = {}
    for item in items:
        name = item.path.relative_to(root).as_posix()
        if name not in files:
            new.setdefault(name, []).append(item)
    stored = stored_for(root, unit)
    stored.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    for number, here in enumerate(new.values(), 1):
        found = forked(lambda here=here: _measure(root, unit, here), 3600)
        assert isinstance(found, dict), found
        files |= found
        if number == len(new) or time.monotonic() - begun > _BETWEEN:
            begun = time.monotonic()
            stored.write_text(json.dumps(files))
    return Reach(root, files)


def _measure(root: Path, unit: str, items: Sequence[pytest.Item]) -> dict[str, Any]:
    """Run tests, each a context of its own; by their files."""
    measure = coverage.Coverage(
        data_file=None, config_file=False, source=[str(sources_of(unit))], concurrency=["thread"]
    )
    measure.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured", "already-imported"])
    failures = Failures()
    items[0].config.pluginmanager.register(failures)
    files = {
        name: {"digest": digest(root / name), "seconds": {}, "failed": [], "lines": {}, "sources": {}}
        for name in dict.fromkeys(item.path.relative_to(root).as_posix() for item in items)
    }
    measure.start()
    for item, following in zip(items, [*items[1:], None], strict=True):
        reported = files[item.path.relative_to(root).as_posix()]
        measure.switch_context(item.nodeid)
        begun = time.process_time()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        reported["seconds"][item.nodeid] = round(time.process_time() - begun, 4)
        if failures.first:
            reported["failed"].append(failures.first)
            failures.first = ""
    measure.stop()
    data = measure.get_data()
    for path in data.measured_files():
        source = Path(path).relative_to(root).as_posix()
        for line, tests in data.contexts_by_lineno(path).items():
            for test in filter(None, tests):
                reported = files[test.partition("::")[0]]
                reported["sources"].setdefault(source, digest(Path(path)))
                reported["lines"].setdefault(source, {}).setdefault(line, []).append(test)
    return files
