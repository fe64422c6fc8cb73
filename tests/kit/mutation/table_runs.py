"""Table mutants tried on the tests of the package of their machine that reach what they change."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from confsim.kernel.machine import Machine
from kit import tables

from .running import OPTIONS, Failures, Verdict, forked, until_failure
from .sample import tests_of
from .table_mutants import TableMutant, watch

#: The tests that read the tables themselves.
_GOLDEN = "test_tables.py"
#: Seconds that one package may take.
_LONGEST = 3600


class TableRun:
    """A pytest plugin that tries table mutants on the tests that are collected."""

    def __init__(self, mutants: Sequence[TableMutant], limit: float) -> None:
        self.mutants, self.limit = mutants, limit
        self.verdicts: dict[str, Verdict] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutant instead of running the tests."""
        items = [item for item in session.items if item.path.name != _GOLDEN]
        reach, seconds = forked(lambda: _measure(items), _LONGEST)
        for mutant in self.mutants:
            names = set(reach.get(mutant.subject, ()))
            chosen = sorted((item for item in items if item.nodeid in names), key=lambda item: seconds[item.nodeid])
            self.verdicts[mutant.key] = self._verdict(mutant, chosen, seconds)
        return True

    def _verdict(self, mutant: TableMutant, chosen: list[pytest.Item], seconds: dict[str, float]) -> Verdict:
        def tried() -> Verdict:
            with mutant.in_force():
                return until_failure(chosen, self.limit, seconds)

        return Verdict(*forked(tried, self.limit)) if chosen else Verdict("unreached", "", 0)


def _measure(items: Sequence[pytest.Item]) -> tuple[dict[str, list[str]], dict[str, float]]:
    """The tests that reach each row and influence, but for those that fail anyway, and the seconds of each."""
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


def tried(mutants: Sequence[TableMutant], limit: float) -> Iterator[tuple[str, Verdict]]:
    """The verdicts on mutants by their keys, package after package, each in a fork."""
    packages: dict[str, list[TableMutant]] = {}
    for mutant in mutants:
        packages.setdefault(tables.package_of(mutant.machine), []).append(mutant)
    for package, here in packages.items():

        def run(package: str = package, here: list[TableMutant] = here) -> dict[str, Any]:
            run = TableRun(here, limit)
            pytest.main([*map(str, tests_of(package)), *OPTIONS], plugins=[run])
            return run.verdicts

        for key, verdict in forked(run, _LONGEST).items():
            yield key, Verdict(*verdict)


def noticed(mutant: TableMutant) -> bool:
    """Whether the golden tables differ from the mutant."""
    with mutant.in_force():
        return bool(tables.differences(Machine.declared[mutant.machine])) or tables.influences() != _IN_FORCE


def equal(mutant: TableMutant) -> bool:
    """Whether a guard was dropped of a row behind that of the opposite guard, which every triple shows to be equal."""
    return mutant.kind == "guard dropped" and not noticed(mutant)


_IN_FORCE = tables.influences()
