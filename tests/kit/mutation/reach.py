"""Which tests reach which lines, and how long each takes: measured once for a state of the sources and tests."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import coverage
import pytest

from .running import Failures, forked
from .sample import TESTS

_FOLDER = ".pytest_cache/mutation"


class Reach(NamedTuple):
    """``lines``: for each file, the tests that reach a line; ``seconds`` of each test; the tests that ``failed``."""

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]
    failed: list[str]

    def tests(self, path: Path, first: int, last: int) -> set[str]:
        """The tests that reach one of the lines from first to last."""
        lines = self.lines.get(str(path), {})
        return {test for line in range(first, last + 1) for test in lines.get(line, ())}

    def of_file(self, path: Path) -> set[str]:
        """The tests that reach any line of a file."""
        return {test for tests in self.lines.get(str(path), {}).values() for test in tests}


def kept_for(root: Path, room: str) -> Path:
    """The file of what the tests of a room reach."""
    return root / _FOLDER / f"{room}-{digest(root, *TESTS[room])}.json"


def measured(root: Path, room: str, items: Sequence[pytest.Item]) -> Reach:
    """What the tests of a room reach in it, as it was measured before or as a fork measures it now."""
    kept = kept_for(root, room)
    if not kept.exists():
        found = forked(lambda: _measure(root, room, items), 3600)
        assert isinstance(found, list), found
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(found))
    return read(kept)


def read(kept: Path) -> Reach:
    """What was measured before."""
    lines, seconds, failed = json.loads(kept.read_text())
    numbered = {file: {int(line): tests for line, tests in each.items()} for file, each in lines.items()}
    return Reach(numbered, seconds, failed)


def digest(root: Path, *rooms: str) -> str:
    """A text that changes with the sources and with the tests of the rooms."""
    folders = (root / "confsim", *(root / "tests" / room for room in rooms))
    files = [path for folder in folders for path in folder.rglob("*.py")]
    told = sha256()
    for path in sorted(files):
        told.update(path.read_bytes())
    return told.hexdigest()[:16]


def _measure(root: Path, room: str, items: Sequence[pytest.Item]) -> tuple[Any, ...]:
    """Run all tests, each a context of its own."""
    measure = coverage.Coverage(
        data_file=None, config_file=False, source=[str(root / "confsim" / room)], concurrency=["thread"]
    )
    measure.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured", "already-imported"])
    failures, failed = Failures(), []
    items[0].config.pluginmanager.register(failures)
    seconds: dict[str, float] = {}
    measure.start()
    for item, following in zip(items, [*items[1:], None], strict=True):
        measure.switch_context(item.nodeid)
        begun = time.process_time()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds[item.nodeid] = round(time.process_time() - begun, 4)
        if failures.first:
            failed.append(failures.first)
            failures.first = ""
    measure.stop()
    data = measure.get_data()
    lines = {
        file: {line: [test for test in tests if test] for line, tests in data.contexts_by_lineno(file).items()}
        for file in data.measured_files()
    }
    return lines, seconds, failed
