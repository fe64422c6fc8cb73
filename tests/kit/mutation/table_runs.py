"""Table mutants tried on the tests of domain and api that reach what they change."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from hashlib import sha256
from io import StringIO
from typing import Any

import pytest

from confsim.kernel.machine import Machine
from kit import tables

from .reach import FOLDER
from .running import OPTIONS, Failures, Verdict, forked, until_failure
from .sample import ROOT
from .table_mutants import TableMutant, watch

#: What the tables are tried on, beside the golden tables.
TESTS = ("domain", "api")
#: The tests that read the tables themselves.
_GOLDEN = "test_tables.py"


class TableRun:
    """A pytest plugin that tries table mutants on the tests that are collected."""

    def __init__(self, mutants: Sequence[TableMutant], limit: float) -> None:
        self.mutants, self.limit = mutants, limit
        self.verdicts: dict[str, Verdict] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutant instead of running the tests."""
        items = [item for item in session.items if item.path.name != _GOLDEN]
        reach, seconds = _reach(items)
        for mutant in self.mutants:
            names = reach.get(mutant.subject, [])
            chosen = [item for item in items if item.nodeid in set(names)]
            chosen.sort(key=lambda item: seconds[item.nodeid])
            self.verdicts[mutant.key] = self._verdict(mutant, chosen, seconds)
        return True

    def _verdict(self, mutant: TableMutant, chosen: list[pytest.Item], seconds: dict[str, float]) -> Verdict:
        def tried() -> Verdict:
            with mutant.in_force():
                return until_failure(chosen, self.limit, seconds)

        return Verdict(*forked(tried, self.limit)) if chosen else Verdict("unreached", "", 0)


def _reach(items: Sequence[pytest.Item]) -> tuple[dict[str, list[str]], dict[str, float]]:
    """The tests that reach each row and influence, and the seconds of each; as measured before, or in a fork now."""
    kept = ROOT / FOLDER / f"tables-{_state()}.json"
    if not kept.exists():
        found = forked(lambda: _measure(items), 3600)
        assert isinstance(found[0], dict), found
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(found))
    return tuple(json.loads(kept.read_text()))


def _state() -> str:
    """A text that changes with the sources and the tests."""
    folders = (ROOT / "confsim", *(ROOT / "tests" / name for name in TESTS))
    paths = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def _measure(items: Sequence[pytest.Item]) -> tuple[Any, ...]:
    reach: dict[str, dict[str, None]] = {}
    current = ""

    def note(name: str) -> None:
        reach.setdefault(name, {})[current] = None

    watch(note)
    failures = Failures()
    items[0].config.pluginmanager.register(failures)
    seconds: dict[str, float] = {}
    for item, following in zip(items, [*items[1:], None], strict=True):
        current, begun = item.nodeid, time.process_time()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds[current] = round(time.process_time() - begun, 4)
        if failures.first:
            for tests in reach.values():
                tests.pop(failures.first, None)
            failures.first = ""
    return {name: list(tests) for name, tests in reach.items()}, seconds


def tried(mutants: Sequence[TableMutant], limit: float) -> dict[str, Verdict]:
    """The verdicts on mutants, by their keys."""
    run = TableRun(mutants, limit)
    with redirect_stdout(StringIO()):
        pytest.main([*(str(ROOT / "tests" / name) for name in TESTS), *OPTIONS], plugins=[run])
    return run.verdicts


def noticed(mutant: TableMutant) -> bool:
    """Whether the golden tables differ from the mutant."""
    with mutant.in_force():
        return bool(tables.differences(Machine.declared[mutant.machine])) or tables.in_force() != _IN_FORCE


def equal(mutant: TableMutant) -> bool:
    """Whether a guard was dropped of a row behind that of the opposite guard, which every triple shows to be equal."""
    return mutant.kind == "guard dropped" and not noticed(mutant)


_IN_FORCE = tables.in_force()
