"""Breakages tried on the tests that carry the marks of their rules."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import msgspec
import pytest
from msgspec import Struct

from confsim.service.pipeline import Pipeline
from kit.mutation.patch import FixedTooEarlyError, Functions
from kit.mutation.running import OPTIONS, forked
from kit.mutation.sample import ROOT

from .breakages import Breakage, every

#: Seconds of the processor that the tests of one breakage may take.
_LIMIT = 20.0


class Mark(NamedTuple):
    """A rule that a test function says to prove."""

    rule: str
    test: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.test}"


class Found(Struct):
    """What came of the breakages that were tried: the marks, by rule and test, and those whose test failed.

    ``died`` names the breakage under which the test of a mark failed first, ``failing`` the tests that fail unbroken.
    ``tried`` are breakages by name, which need not be tried again; ``left`` counts those that time did not suffice for.
    ``checked`` says that the tests were run unbroken.
    """

    marks: list[Mark] = []
    died: dict[str, str] = {}
    failing: list[str] = []
    tried: list[str] = []
    left: int = 0
    checked: bool = False

    @property
    def alive(self) -> list[Mark]:
        """The marks whose test failed under no breakage."""
        return [mark for mark in self.marks if str(mark) not in self.died]


class MarkedRun:
    """A pytest plugin that tries breakages on the marked tests that are collected, for so many seconds."""

    def __init__(self, wanted: Iterable[str], found: Found, seconds: float) -> None:
        self.wanted = set(wanted)
        self.found = found
        self.until = time.monotonic() + seconds

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every breakage instead of running the tests."""
        found, tests = self.found, self._marked(session.items)
        if not found.checked:
            found.checked = True
            found.failing = forked(lambda: _dying([item for each in tests.values() for item in each], 600), 600)
        tests = {mark: each for mark, each in tests.items() if mark.test not in found.failing}
        found.marks = list(tests)
        functions, tried = Functions(ROOT, ROOT / "confsim"), set(found.tried)
        waiting = [each for each in every() if each.name not in tried and self.wanted & each.rules]
        while waiting and time.monotonic() < self.until:
            breakage = waiting.pop(0)
            found.tried.append(breakage.name)
            alive = {
                mark: each
                for mark, each in tests.items()
                if mark.rule in breakage.rules and str(mark) not in found.died
            }
            if alive:
                dead = _tried(breakage, alive, functions)
                found.died |= {str(mark): breakage.name for mark in alive if mark.test in dead}
        found.left = len(waiting)
        return True

    def _marked(self, items: Sequence[pytest.Item]) -> dict[Mark, list[pytest.Item]]:
        """The cases of each test function, by its marks."""
        found: dict[Mark, list[pytest.Item]] = {}
        for item in items:
            for mark in item.iter_markers("rule"):
                for rule in self.wanted & set(mark.args):
                    found.setdefault(Mark(rule, function_of(item)), []).append(item)
        return found


def function_of(item: pytest.Item) -> str:
    """The id of a test without that of its case."""
    return item.nodeid.partition("[")[0]


def _tried(breakage: Breakage, tests: Mapping[Mark, Sequence[pytest.Item]], functions: Functions) -> set[str]:
    """The test functions that fail under a breakage. A process that does not end fails all of them."""

    def run() -> list[str]:
        try:
            with breakage.in_force(functions):
                return _dying(list(dict.fromkeys(item for each in tests.values() for item in each)), _LIMIT)
        except FixedTooEarlyError:
            return []

    reported = forked(run, _LIMIT)
    return {mark.test for mark in tests} if reported[:1] in (["killed"], ("killed",)) else set(reported)


class Deaths:
    """A pytest plugin that distinguishes tests that notice a breakage from those in which confsim itself fails.

    A breakage that crashes confsim shows that the code runs, not that a test looks at what it does.
    """

    def __init__(self) -> None:
        self.failed = self.crashed = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note the defects that confsim answers with 500."""
        failed = Pipeline._failed

        def noting(*arguments: Any) -> Any:
            self.crashed = True
            return failed(*arguments)

        with mock.patch.object(Pipeline, "_failed", noting):
            yield

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure, and where it was raised."""
        if report.failed:
            self.failed = True
            crash = getattr(report.longrepr, "reprcrash", None)
            inside = crash is not None and str(ROOT / "confsim") in str(Path(crash.path).absolute())
            self.crashed |= inside and not crash.message.startswith(_SAID)


#: What confsim raises when it says something.
_SAID = ("confsim.kernel.refusal.", "Refusal", "Misuse", "confsim.kernel.")


def _dying(items: Sequence[pytest.Item], limit: float) -> list[str]:
    """The test functions that notice what is broken, each run until it does."""
    deaths = Deaths()
    dead: dict[str, None] = {}
    begun = time.process_time()
    for number, item in enumerate(items):
        if not number:
            item.config.pluginmanager.register(deaths)
        if function_of(item) in dead or time.process_time() - begun > limit:
            continue
        item.session._setupstate.teardown_exact(item)  # what was left out may have been to come before it
        deaths.failed = deaths.crashed = False
        with deaths.watching():
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=item.parent)
        if deaths.failed and not deaths.crashed:
            dead[function_of(item)] = None
    return list(dead)


def run(wanted: Iterable[str], stored: Path | None = None, seconds: float = 3600) -> Found:
    """Break these rules one at a time, and run the tests of their marks.

    For so many seconds; a file in which earlier runs stored what they found is gone on with.
    """
    os.environ["HYPOTHESIS_PROFILE"] = "mutation"
    found = Found()
    if stored is not None and stored.exists():
        found = msgspec.json.decode(stored.read_bytes(), type=Found)
    plugin = MarkedRun(wanted, found, seconds)
    pytest.main([str(ROOT / "tests"), *OPTIONS], plugins=[plugin])
    if stored is not None:
        stored.write_bytes(msgspec.json.encode(found))
    return found
